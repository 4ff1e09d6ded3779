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

// The contents of a page: a header and arrays.  viewer/README.md, "The data".
class PageData {
 public:
  nlohmann::ordered_json header;

  // Adds an array, with the last index running fastest, unless one of this name exists; returns the name. `stride` > 0:
  // stored as differences to the value `stride` entries before, which compresses much better.
  using Sizes = std::vector<std::size_t>;
  std::string add(const std::string& name, const Sizes& shape, std::span<const float> values, std::size_t stride = 0);
  std::string add(const std::string& name, const Sizes& shape, std::span<const double> values);
  std::string add(const std::string& name, const Sizes& shape, std::span<const std::uint32_t> values);
  bool has(const std::string& name) const { return arrays_.contains(name); }
  // Adds the arrays of another page.  Returns its header, with `arrays` pointing to their new positions.
  nlohmann::ordered_json embed(const PageData& part);

  std::string container() const;

 private:
  void append(const std::string& name, const char* type, const Sizes& shape, std::string_view bytes);
  nlohmann::ordered_json arrays_ = nlohmann::ordered_json::object();
  std::string bytes_;
};

// The HTML page with a placeholder for its data.
std::string_view page_template();
// The page with its data.
std::string make_page(const PageData& data);

// Writes the page and renames it when complete; existing files other than our pages are not overwritten.  Returns its
// size in bytes.  Throws FileError "PATH: ...".
std::size_t write_page(const PageData& data, const std::string& path, const std::vector<std::string>& never_overwrites);
// The same checks, to be done before the work.
void check_page(const std::string& path, const std::vector<std::string>& never_overwrites);

}  // namespace limber
