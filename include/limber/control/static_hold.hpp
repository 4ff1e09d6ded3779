// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/driven_joints.hpp"
#include "limber/simulate/equilibrium.hpp"

namespace limber {

// A machine at rest with some of its joints held.
struct StaticHold {
  Equilibrium equilibrium;  // modes and other joints in balance
  VectorXd torques;         // (nv) that hold these joints, in addition to the inputs; 0 on all other speeds
};

// Holds `joints` (index of the body each carries) at their positions in `start`, and finds the static equilibrium of
// the rest under gravity, springs and constant inputs.  Throws InputError: see find_equilibrium.
StaticHold find_static_hold(const Model& model, const Inputs& inputs, const State& start,
                            const std::vector<int>& joints);
// The same; actuators hold the joints that they move: `torques` has their forces on the speeds of these joints.
StaticHold find_static_hold(const Model& model, const Inputs& inputs, const State& start,
                            const std::vector<int>& joints, const DrivenJoints& driven);

}  // namespace limber
