// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/scenario_parts.hpp"

#include <filesystem>

#include "apps/commands.hpp"
#include "apps/realtime.hpp"

namespace limber::apps {

Scenario read_scenario_argument(const std::string& path, const std::vector<std::string>& set) {
  if (path != "-") return read_scenario(path, parse_overrides(set));
  return parse_scenario(read_argument(path), name_of_argument(path), "", parse_overrides(set));
}

std::string output_name(const std::string& scenario, const std::string& end) {
  if (scenario == "-") return "scenario" + end;
  return std::filesystem::path(scenario).stem().string() + end;
}

}  // namespace limber::apps
