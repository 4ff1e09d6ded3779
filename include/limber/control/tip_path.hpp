// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

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

// The motion of the driven joints whose flexible arm has its node on the path with nothing left out: modes move, too.
// A torque moves the tip of a bending link the other way first (zeros on the right), so that the inverse motion is
// bounded only if it begins before the path does: the path begins at `lead`, and the motion ends `after` it has.
struct TipInversion {
  std::vector<Signal> joints;  // (driven coordinate)
  TipPath path;                // later by `lead`, and held before and after
  double lead = 0, after = 0;  // s
  double slowest = 0;          // 1/s: real part of the slowest zero; 0: none, nothing bends
};

// By stable inversion [Devasia, Chen, Paden 1996], from rest to rest, with the exact derivatives of the dynamics;
// path.samples are the intervals of the path, and the error falls with their square.  lead: what of the path is known
// ahead; default: until 1e-4 of the internal motion is left.  All joints must be driven; redundant ones move as in the
// quasi-static motion.  O(samples nv^3).  Throws InputError: the node cannot reach the path; a zero on the imaginary
// axis, where there is no bounded inversion.
TipInversion invert_tip_path(const Model& model, const DrivenJoints& driven, const TipPath& path, const State& start,
                             std::optional<double> lead = {});

}  // namespace limber
