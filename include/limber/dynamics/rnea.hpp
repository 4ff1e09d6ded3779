// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/kinematics.hpp"

namespace limber {

struct RneaWorkspace {  // one per thread
  explicit RneaWorkspace(const Model& model);
  Kinematics kin;
  LinearSweep sweep;
  VectorX product;  // (nv) scratch for energies
};

// Inverse dynamics: the hinge torques and modal forces that give the accelerations vdot.  O(N).
//   tau = M(q) vdot + h(q, v) + K eta + D etadot + joint springs and dampers - gravity - wrenches
// [JR] (44)-(45), theory §4.
void rnea(const Model& model, const State& x, ConstVec vdot, std::span<const NodeWrench> wrenches, RneaWorkspace& ws,
          Vec tau);

// out = M(q) a, by the same two sweeps without bias.  O(N).
void multiply_mass(const Model& model, const State& x, ConstVec a, RneaWorkspace& ws, Vec out);
// The same over kinematics that are already there.
void multiply_mass(const Model& model, const Kinematics& kin, ConstVec a, LinearSweep& sweep, Vec out);

}  // namespace limber
