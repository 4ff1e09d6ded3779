// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

// What a page shows: a header and arrays.  viewer/README.md, "The data".
class PageData {
 public:
  nlohmann::ordered_json header;

  // Arrays, the last index running fastest.  One that is there under this name already is left as it is; the name is
  // returned.  `stride` > 0: packed against the number so many places before, which gzip makes much smaller.
  using Sizes = std::vector<std::size_t>;
  std::string add(const std::string& name, const Sizes& shape, std::span<const float> values, std::size_t stride = 0);
  std::string add(const std::string& name, const Sizes& shape, std::span<const double> values);
  std::string add(const std::string& name, const Sizes& shape, std::span<const std::uint32_t> values);
  bool has(const std::string& name) const { return arrays_.contains(name); }
  // Takes over the arrays of another page.  Returns its header, with `arrays` that say where they are now.
  nlohmann::ordered_json embed(const PageData& part);

  std::string container() const;

 private:
  void append(const std::string& name, const char* type, const Sizes& shape, std::string_view bytes);
  nlohmann::ordered_json arrays_ = nlohmann::ordered_json::object();
  std::string bytes_;
};

// The built page with a hole for its data.
std::string_view page_template();
// The page with its data.
std::string make_page(const PageData& data);

// Writes it under its name when it is whole; what is there and is no page of ours is not overwritten.  Returns its size
// in bytes.  Throws FileError "PATH: ...".
std::size_t write_page(const PageData& data, const std::string& path, const std::vector<std::string>& never_overwrites);
// The same checks before the work.
void check_page(const std::string& path, const std::vector<std::string>& never_overwrites);

}  // namespace limber
