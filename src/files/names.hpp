// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>

#include "limber/files/reader.hpp"

namespace limber {

// Names that must differ.
class Names {
 public:
  // Reads the key `name` of a map and keeps it; refuses one that is there already.
  std::string take(const Reader& map, std::string_view example);

 private:
  std::unordered_map<std::string, int> lines_;
};

}  // namespace limber
