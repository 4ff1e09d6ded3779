// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include "limber/control/driven_joints.hpp"
#include "limber/simulate/signal.hpp"

namespace limber {

// The modes in balance with hinges that move with x.v and the accelerations `a` (hinge coordinate), when nothing
// vibrates: K eta = -(inertial forces and weight at eta).  Writes the modes of x; false: no balance was found.
bool settle_modes(const Model& model, const DrivenJoints& hinges, ConstVec a, State& x);

// Where a node should be, in world; a component without a signal is free.
struct TipPath {
  NodeRef node;
  std::array<std::optional<Signal>, 3> position;
  double end = 1;     // s: from 0 to there
  int samples = 200;  // of it
};

// The motion of the hinges that takes the node along the path with the deflection that weight and inertia of this very
// motion cause, without vibration: inverse kinematics of the quasi-static flexible arm.  DrivenJoints more than needed
// move as little as they can.  From `start`, whose node must be near the beginning of the path.  One signal per hinge
// coordinate, held before and after.  The deflection follows the acceleration, so that a path with a jerk at its
// beginning has the hinges begin with a speed: follow it with feedback.
//   flexible false: as if nothing bent.
// Throws InputError: when the node cannot get there.
std::vector<Signal> follow_tip_path(const Model& model, const DrivenJoints& hinges, const TipPath& path,
                                    const State& start, bool flexible = true);

}  // namespace limber
