// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "limber/dynamics/derivatives.hpp"
#include "limber/dynamics/elements.hpp"

namespace limber {

// Force elements and contacts at a point, beside the forces that are given.
struct ElementTerms {
  ElementTerms(const Model& model, const State& x, const VectorXd& tau, const std::vector<NodeWrench>& wrenches);

  bool any() const { return loads != nullptr; }
  std::size_t node_count() const { return any() ? loads->nodes().size() : 0; }
  // Derivatives (nv x nv) of the forces of elements on speeds by q and v; velocity_q: of the nodes' velocities by q.
  void compute(const State& x, const MatrixXd& velocity_q);
  // At rest at x, with none but the forces of elements: their stiffness (nv x nv), its symmetric part.  The forces that
  // they have at x count: a taut rope holds its ends aside, too.
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
