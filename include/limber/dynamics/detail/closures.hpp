// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>

#include "limber/dynamics/closures.hpp"
#include "limber/dynamics/detail/operational.hpp"

namespace limber {

struct ClosureData {
  explicit ClosureData(const Model& model);
  std::vector<ClosureRow> rows;
  std::vector<NodeRef> nodes;  // a and b of closure i at 2 i and 2 i + 1
  // Per row, by compute_closures:
  VectorXd error;       // constraint violation
  VectorXd rate;        // its derivative at the speeds
  VectorXd bias;        // its second derivative at zero accelerations, without the bias of the nodes
  Matrix6X on_a, on_b;  // columns: d rate / d (twists of a and b), in world; also the wrenches of a unit multiplier
  // By solve:
  VectorXd lambda;           // multipliers
  VectorXd forces;           // (6 per closure) [torque; force] on node b, about its origin, in world
  int rank = 0;              // independent rows
  double margin = 1;         // distance from rank loss: tends to zero, at a finite rate, at a singular configuration
  MatrixXd inverse_inertia;  // (12 per closure, square) J M^-1 J^T of the nodes
  MatrixXd S, V;             // (rows) W J M^-1 J^T W^T, scaled to a unit diagonal; its eigenvectors if needed
  VectorXd scale, right, wrenches, twists;
  VectorXd dv;  // (nv)
  OperationalData operational;
  Eigen::LDLT<MatrixXd> ldlt;  // of S

  int count() const { return static_cast<int>(rows.size()); }
  // Largest error of the rows of a closure.
  double closure_error(int closure) const;
  // Wrenches and forces from lambda.
  void set_forces();
};

}  // namespace limber
