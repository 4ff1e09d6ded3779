// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/attitude.hpp"
#include "limber/files/detail/model_names.hpp"
#include "limber/scenario/scenario.hpp"

namespace limber {

// Whether the map `control` has more than an `attitude`.
bool controls_joints(const Reader& control);

// The map `control` of a scenario that has an `attitude`; as read_control.  docs/scenario-format.md, Attitude.
std::shared_ptr<const AttitudeOptions> read_attitude(const Reader& control, const Scenario& scenario,
                                                     const std::string& folder, const Overrides& set);

// The loop that the scenario asks for; null: none.
std::unique_ptr<AttitudeLoop> make_attitude(const Scenario& scenario);
// The inputs, and what thrusters do.
Inputs with_thrusters(Inputs inputs, const AttitudeLoop* attitude);

}  // namespace limber
