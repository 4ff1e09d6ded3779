// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "limber/dynamics/forces.hpp"

namespace limber {

// Static forces of a tree and their exact tangent stiffness, eliminated body by body: the articulated-body recursion
// with stiffness in place of inertia, O(N).  docs/theory.md, Statics.
class StaticTangent {  // one per thread
 public:
  explicit StaticTangent(const Model& model);  // which must outlive it
  explicit StaticTangent(Model&&) = delete;
  ~StaticTangent();

  // At the configuration of x, at rest, under gravity and wrenches.  All others throw InputError before the first call.
  void set(const State& x, const Vector3d& gravity, std::span<const NodeWrench> wrenches);
  // (nv) the hinge torques and modal forces that hold the model there: rnea at rest.
  const VectorXd& forces() const;
  // (nv) the magnitudes of their terms before these cancel; rounding is proportional to them.
  const VectorXd& scale() const;
  // (nv) the diagonal of M, without the inertia of outboard bodies at modes.
  const VectorXd& mass() const;

  // Solves (K + sigma M + diag(added)) dq = r over the coordinates of joints that are not prescribed (an entry per
  // body; empty: none), zero for the others.  K = d forces / d q, along the directions of the speeds.  Returns the
  // number of nonpositive eigenvalues of the matrix, exact if it is symmetric (conservative loads in equilibrium); dq
  // is not finite if it is singular.  The diagonal is raised by 1e-12 of itself and of scale(), so that a coordinate
  // without stiffness is neutral and not singular by rounding; dq is too small by this amount.
  int solve(double sigma, ConstVec added, std::span<const std::uint8_t> prescribed, ConstVec r, Vec dq);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace limber
