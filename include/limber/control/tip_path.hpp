// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "limber/control/driven_joints.hpp"
#include "limber/simulate/signal.hpp"

namespace limber {

// Quasi-static modes for driven joints moving with x.v and accelerations `a` (driven coordinate):
// K eta = -(inertial forces and gravity at eta).  Writes the modes of x; false: no convergence.
bool settle_modes(const Model& model, const DrivenJoints& driven, ConstVec a, State& x);

// Desired position of a node in world; a component without a signal is free.
struct TipPath {
  NodeRef node;
  std::array<std::optional<Signal>, 3> position;
  double end = 1;     // s; the path begins at 0
  int samples = 200;  // intervals
};
inline constexpr int kMinPathSamples = 10, kMaxPathSamples = 10000;

// Throws InputError: an end that is not above 0, or samples outside kMinPathSamples ... kMaxPathSamples.
void check_tip_path(const TipPath& path);

// The motion of the driven joints that moves the node along the path, with the quasi-static deflection due to
// gravity and the inertia forces of this motion: inverse kinematics of the flexible arm without vibration.  Redundant
// joints move as little as possible.  From `start`, whose node must be near the beginning of the path.  One signal per
// driven coordinate, constant before and after.  The deflection follows the acceleration, so that a path with a jerk at
// its beginning gives the joints an initial speed: use feedback.
//   flexible false: with rigid bodies.
// Throws InputError if the node cannot reach the path.
std::vector<Signal> follow_tip_path(const Model& model, const DrivenJoints& driven, const TipPath& path,
                                    const State& start, bool flexible = true);

// The motion of the driven joints that keeps the node of the flexible arm on the path, including the dynamics of the
// modes. A torque first moves the tip of a flexible link in the opposite direction (zeros in the right half-plane), so
// the inverse motion is bounded only if it begins before the path: the path begins at `lead`, and the motion ends
// `after` the path.
struct TipInversion {
  std::vector<Signal> joints;  // (driven coordinate)
  TipPath path;                // delayed by `lead`, constant before and after
  double lead = 0, after = 0;  // s
  double slowest = 0;          // 1/s: real part of the slowest zero; 0: none, rigid bodies
};

// By stable inversion [Devasia, Chen, Paden 1996], from rest to rest, with the exact derivatives of the dynamics;
// path.samples are the intervals of the path, and the error falls with their square.  lead: preview time of the path;
// default: until 1e-4 of the internal motion remains.  All joints must be driven; redundant ones move as in the
// quasi-static motion.  O(samples nv^3).  Throws InputError: the node cannot reach the path; a zero on the imaginary
// axis, where there is no bounded inversion.
TipInversion invert_tip_path(const Model& model, const DrivenJoints& driven, const TipPath& path, const State& start,
                             std::optional<double> lead = {});

}  // namespace limber
