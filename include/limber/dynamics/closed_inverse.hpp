// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "limber/dynamics/closures.hpp"
#include "limber/dynamics/rnea.hpp"

namespace limber {

// Inverse dynamics of a closed chain.  theory §6, Closed chains.
struct ClosedInverseData;
extern template class Workspace<ClosedInverseData>;
class ClosedInverseWorkspace : public Workspace<ClosedInverseData> {  // one per thread
 public:
  // actuated (nv): speeds on which an actuator can act; at all others, including modes, forces are zero.
  ClosedInverseWorkspace(const Model& model, std::span<const std::uint8_t> actuated);
  // By inverse_closed:
  const VectorXd& lambda() const;          // (row) multipliers of the closures
  const VectorXd& closure_forces() const;  // (6 per closure), as ClosureWorkspace::forces
  const VectorXd& closure_error() const;   // (row) constraint violation of the state
  // (nv) forces that neither actuators nor closures can supply: zero if the motion is possible.
  const VectorXd& residual() const;
  // (rows) second derivatives of the constraint violations: zero if the accelerations keep the chain closed.
  const VectorXd& closure_acceleration() const;
};

// The actuator forces u and the multipliers lambda of the closures that produce the accelerations vdot:
//   rnea(q, v, vdot) = S^T u + C^T lambda,      S selects the actuated speeds
// tau (nv) is S^T u.  With redundant actuators, u has the minimum norm (in SI units), and
// lambda the minimum norm for this u.
// Status::no_convergence: tau is the least-squares solution, but residual() or closure_acceleration() is not zero: no
// forces produce this motion.  One rnea, and dense algebra: O(nv x rows^2), allocates.  To prescribe only some
// accelerations, and at O(N): hybrid and close_hybrid.
[[nodiscard]] Status inverse_closed(const Model& model, const State& x, ConstVec vdot,
                                    std::span<const NodeWrench> wrenches, ClosedInverseData& ws, Vec tau);

}  // namespace limber
