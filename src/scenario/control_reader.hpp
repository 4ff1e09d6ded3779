// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/files/detail/model_names.hpp"
#include "limber/scenario/scenario.hpp"

namespace limber {

// The map `control` of a scenario, whose model and initial state are known.  `folder`: where the controller's own model
// file is looked for; `set`: values in place of those of that.  docs/scenario-format.md, Control.
std::shared_ptr<const ControlScenario> read_control(const Reader& map, const Scenario& scenario,
                                                    const std::string& folder, const Overrides& set);

// Its keys `shaping` and `model`: the model that the controller believes in, by default that of the machine.
ShapingOptions read_shaping(const Reader& map);
void read_own_model(const std::optional<Reader>& at, const Scenario& scenario, const std::string& folder,
                    const Overrides& set, ControlScenario& out);

}  // namespace limber
