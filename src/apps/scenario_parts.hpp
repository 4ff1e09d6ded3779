// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/summary.hpp"

namespace limber::apps {

// Common parts of the commands that run scenarios.
// "-": standard input; `set`: values of --set.
Scenario read_scenario_argument(const std::string& path, const std::vector<std::string>& set = {});
// The scenario's name with another extension, in the current folder.
std::string output_name(const std::string& scenario, const std::string& end);

}  // namespace limber::apps
