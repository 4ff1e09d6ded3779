// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/spatial/types.hpp"

namespace limber::apps {

// `text` in quotes, escaped; bytes that are not UTF-8 are replaced.
std::string json_text(std::string_view text);

// Streams one JSON value, so that a large matrix is never stored as text.  Numbers have 17 significant digits and are
// read back exactly.
class JsonWriter {
 public:
  // file: its name, for messages; empty: standard output.
  explicit JsonWriter(std::FILE* out, std::string file = "") : out_(out), file_(std::move(file)) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_list() { begin('['); }
  void end_list() { end(']'); }
  void key(std::string_view name);

  void text(std::string_view value);
  void texts(const std::vector<std::string>& values);
  void boolean(bool value);
  void number(double value);  // null if not finite
  void numbers(ConstVec values);
  // A list of rows, each on a separate line unless the matrix is small.
  void rows(const Eigen::Ref<const MatrixXd>& matrix);

  // Flushes the output.  Throws FileError on failure.
  void finish();

 private:
  void begin(char bracket);
  void end(char bracket);
  void separate();  // writes the separator before the next item
  void add(std::string_view piece);
  void flush();

  struct Level {
    bool object = false;
    bool empty = true;
  };
  std::FILE* out_;
  std::string file_;
  fmt::memory_buffer buffer_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace limber::apps
