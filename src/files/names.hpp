// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>

#include "limber/files/reader.hpp"

namespace limber {

// A set of unique names.
class Names {
 public:
  // Reads the key `name` of a map and adds it; refuses duplicates.
  std::string take(const Reader& map, std::string_view example);

 private:
  std::unordered_map<std::string, int> lines_;
};

}  // namespace limber
