// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/attitude.hpp"
#include "limber/files/detail/model_names.hpp"
#include "limber/scenario/scenario.hpp"

namespace limber {

// Whether the map `control` has other keys than `attitude`.
bool controls_joints(const Reader& control);

// Reads the map `control` of a scenario with an `attitude`, like read_control.  docs/scenario-format.md, Attitude.
std::shared_ptr<const AttitudeOptions> read_attitude(const Reader& control, const Scenario& scenario,
                                                     const std::string& folder, const Overrides& set);

// The attitude loop of the scenario; null: none.
std::unique_ptr<AttitudeLoop> make_attitude(const Scenario& scenario);
// Adds the thrusters to the inputs.
Inputs with_thrusters(Inputs inputs, const AttitudeLoop* attitude);

}  // namespace limber
