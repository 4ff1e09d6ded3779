// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include "limber/control/driven_joints.hpp"
#include "limber/simulate/signal.hpp"

namespace limber {

// Quasi-static modes for driven joints that move with x.v and accelerations `a` (driven coordinate):
// K eta = -(inertial forces and weight at eta).  Writes the modes of x; false: no convergence.
bool settle_modes(const Model& model, const DrivenJoints& driven, ConstVec a, State& x);

// Desired position of a node in world; a component without a signal is free.
struct TipPath {
  NodeRef node;
  std::array<std::optional<Signal>, 3> position;
  double end = 1;     // s; the path begins at 0
  int samples = 200;  // intervals
};

// The motion of the driven joints that moves the node along the path, with the quasi-static deflection due to the
// weight and inertia of this motion: inverse kinematics of the flexible arm without vibration.  Redundant joints move
// as little as possible.  From `start`, whose node must be near the beginning of the path.  One signal per driven
// coordinate, constant before and after.  The deflection follows the acceleration, so that a path with a jerk at its
// beginning has the joints begin with a speed: follow it with feedback.
//   flexible false: with rigid bodies.
// Throws InputError when the node cannot reach the path.
std::vector<Signal> follow_tip_path(const Model& model, const DrivenJoints& driven, const TipPath& path,
                                    const State& start, bool flexible = true);

}  // namespace limber
