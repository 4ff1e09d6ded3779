// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/names.hpp"

#include <fmt/format.h>

#include "limber/files/detail/text.hpp"

namespace limber {

std::string Names::take(const Reader& map, std::string_view example) {
  const Reader reader = map.at("name", example);
  std::string name = reader.name();
  const auto [before, is_new] = lines_.emplace(name, reader.line());
  if (!is_new) reader.fail(fmt::format("{} is used twice, first on line {}; rename one", show(name), before->second));
  return name;
}

}  // namespace limber
