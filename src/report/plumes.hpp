// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/model/model.hpp"
#include "report/plots.hpp"

namespace limber {

// Adds the thrusters of the scenario in a recording, and their thrust in each frame; nothing if it has none.
void add_thrusters(Making& making, const Model& model, const std::string& scenario_text,
                   std::span<const long> pictures);

}  // namespace limber
