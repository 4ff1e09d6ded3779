// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "limber/dynamics/closures.hpp"
#include "limber/dynamics/rnea.hpp"

namespace limber {

// Inverse dynamics of a closed chain.  theory §6, Closed chains.
struct ClosedInverseWorkspace {  // one per thread
  // actuated (nv): speeds on which an actuator can act; at the others, and at modes that have none, forces are zero.
  ClosedInverseWorkspace(const Model& model, std::span<const std::uint8_t> actuated);
  std::vector<int> active, passive;  // speeds
  RneaWorkspace rnea;
  ClosureWorkspace closures;  // lambda and forces: those of the closures; error and rate: how the state meets them
  MatrixX C;                  // (rows x nv) rates of the closures per speeds
  Matrix6X node;              // (6 x nv) scratch
  VectorX needed;             // (nv) forces that the accelerations take, of actuators and closures together
  // By inverse_closed:
  VectorX missing;  // (nv) of these, what neither can give: zero where the motion can be had
  VectorX apart;    // (rows) second derivatives of the errors: zero where the accelerations keep the chain closed
};

// The actuator forces u and the multipliers lambda of the closures that give the accelerations vdot:
//   rnea(q, v, vdot) = S^T u + C^T lambda,      S picks the actuated speeds
// tau (nv) is S^T u.  With more actuators than the motion needs, u is the one of least square sum (in SI units), and
// lambda the least among those that go with it.
// Status::no_convergence: tau is the nearest that there is, but `missing` is not zero, or `apart` is not: then no
// forces give this motion.  One rnea, and dense algebra: O(nv x rows^2), allocates.  To prescribe only some
// accelerations, and at O(N): hybrid and close_hybrid.
[[nodiscard]] Status inverse_closed(const Model& model, const State& x, ConstVec vdot,
                                    std::span<const NodeWrench> wrenches, ClosedInverseWorkspace& ws, Vec tau);

}  // namespace limber
