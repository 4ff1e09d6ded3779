// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/files/detail/model_names.hpp"
#include "limber/scenario/scenario.hpp"

namespace limber {

// Reads the map `control` of a scenario with known model and initial state.  `folder`: folder of the controller's own
// model file; `set`: overrides of its values.  docs/scenario-format.md, Control.
std::shared_ptr<const ControlScenario> read_control(const Reader& map, const Scenario& scenario,
                                                    const std::string& folder, const Overrides& set);

// Its keys `shaping` and `model`: the controller's model, by default that of the plant.
ShapingOptions read_shaping(const Reader& map);
void read_own_model(const std::optional<Reader>& at, const Scenario& scenario, const std::string& folder,
                    const Overrides& set, ControlScenario& out);

}  // namespace limber
