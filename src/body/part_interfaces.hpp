// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "part_nodes.hpp"

namespace limber::body_impl {

// The part in coordinates u' in which each interface has six coordinates q = (displacement, rotation) of its point:
//   u = T u',   q = A u',   R' the rigid motions (displacement along, rotation about x, y, z at `origin`).
// Rigid interfaces eliminate the rows of their nodes; average interfaces change no coordinate.
struct Interfaces {
  Interfaces(const FePart& part, const std::vector<FeInterface>& list, int frame);

  Eigen::SparseMatrix<double> T;  // (n x n')
  Eigen::SparseMatrix<double> A;  // (6 m x n')
  MatrixXd R;                     // (n' x 6)
  std::vector<Vector3d> points;   // (m) of the interfaces
  Vector3d origin = Vector3d::Zero();

 private:
  using Triplets = std::vector<Eigen::Triplet<double>>;
  void add_direct(const FePart& part, int node, int interface);
  void add_rigid(const FePart& part, const FeInterface& one, int interface);
  void add_average(const FePart& part, const FeInterface& one, int interface);
  void assemble(const FePart& part, const std::vector<FeInterface>& list);
  void set_rigid_motions(const FePart& part);
  int reference_of(const FePart& part, const FeInterface& one) const;

  PartNodes nodes_;
  std::vector<int> column_;  // (n) column of a row that remains a coordinate; -1: it moves with an interface
  std::vector<int> owner_;   // (N) interface that a node moves with; -1: none
  std::vector<int> first_;   // (m) column of the first of the six; -1: no coordinates of its own
  int columns_ = 0;
  Triplets averages_;  // A of average interfaces, in rows of the part
};

// The rigid motions of the rows of a part: displacement along, rotation about x, y, z at `origin` (n x 6).
MatrixXd rigid_motions(const FePart& part, const Vector3d& origin);

}  // namespace limber::body_impl
