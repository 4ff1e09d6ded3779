// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "limber/dynamics/derivatives.hpp"
#include "limber/dynamics/elements.hpp"

namespace limber {

// Force elements and contacts at an operating point, besides the given forces.
struct ElementTerms {
  ElementTerms(const Model& model, const State& x, const VectorXd& tau, const std::vector<NodeWrench>& wrenches);

  bool any() const { return loads != nullptr; }
  std::size_t node_count() const { return any() ? loads->nodes().size() : 0; }
  // Derivatives (nv x nv) of the forces of elements on the speeds in q and v; velocity_q: of node velocities in q.
  void compute(const State& x, const MatrixXd& velocity_q);
  // At rest at x under the forces of elements alone: the symmetric part of their stiffness (nv x nv), including the
  // geometric stiffness of the forces at x, such as the lateral stiffness of a taut rope.
  MatrixXd compute_stiffness(const State& x);

  std::unique_ptr<ElementLoads> loads;  // nullptr: none
  KinematicsWorkspace kin;
  VectorXd tau;                      // (nv) all
  std::vector<NodeWrench> wrenches;  // all
  MatrixXd by_q, by_v;

 private:
  const Model& model_;
};

}  // namespace limber
