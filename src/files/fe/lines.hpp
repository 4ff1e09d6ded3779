// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace limber::fe {

// Lines of a text of any length, from a file, plain or compressed, or from memory.
class Lines {
 public:
  // The file, or the same name with .xz or .gz appended.  Throws FileError.
  static Lines open(const std::string& path);
  Lines(std::string text, std::string name);
  ~Lines();
  Lines(Lines&&) noexcept;

  // The next line, without its end; valid until the next call.  Throws InputError, FileError.
  bool next(std::string_view& line);
  long number() const { return number_; }  // of the last line, from 1
  const std::string& name() const { return name_; }
  // Throws InputError "FILE:LINE: what".
  [[noreturn]] void fail(const std::string& what) const;
  // Returns the last line again at the next call.
  void again() { again_ = true; }

  class Bytes;  // the source

 private:
  Lines(std::unique_ptr<Bytes> bytes, std::string name);
  bool fill();

  std::unique_ptr<Bytes> bytes_;
  std::string name_, buffer_;
  std::size_t begin_ = 0;
  std::string_view last_;
  long number_ = 0;
  bool ended_ = false, again_ = false;
};

std::string_view trim(std::string_view text);
std::string upper(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);  // trimmed
std::vector<std::string_view> words(std::string_view text);                  // separated by blanks, tabs, commas
// The whole text must be a number; also 1.5D+03 and 1.5+3.
std::optional<double> to_number(std::string_view text);
std::optional<long> to_integer(std::string_view text);

// The same, or Lines::fail; `what` as in "the mass".
double number_at(const Lines& lines, std::string_view text, const char* what);  // finite
long integer_at(const Lines& lines, std::string_view text, const char* what);

}  // namespace limber::fe
