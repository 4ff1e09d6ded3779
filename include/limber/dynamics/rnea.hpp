// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/kinematics.hpp"

namespace limber {

struct RneaData;
extern template class Workspace<RneaData>;
class RneaWorkspace : public Workspace<RneaData> {  // one per thread
 public:
  explicit RneaWorkspace(const Model& model);
  // Of the last call with this workspace.
  Kinematics& kinematics();
  const Kinematics& kinematics() const;
};

// Inverse dynamics: the hinge torques and modal forces for the accelerations vdot.  O(N).
//   tau = M(q) vdot + h(q, v) + K eta + D etadot + joint springs and dampers - gravity - wrenches
// [JR] (44)-(45), theory §4.  Without force elements, contacts and the key `rest` of joint springs: ElementRnea has
// them.
void rnea(const Model& model, const State& x, ConstVec vdot, std::span<const NodeWrench> wrenches, RneaData& ws,
          Vec tau);

// out = M(q) a, by the same two sweeps without bias.  O(N).
void multiply_mass(const Model& model, const State& x, ConstVec a, RneaData& ws, Vec out);
// The same with given kinematics.
void multiply_mass(const Model& model, const Kinematics& kin, ConstVec a, LinearSweep& sweep, Vec out);

}  // namespace limber
