// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "part_interfaces.hpp"

#include <algorithm>

#include "checks.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber::body_impl {
namespace {

using Rows6 = Eigen::Matrix<double, 3, 6>;

// Displacement per q of a point at offset d from the point of an interface: u = [1, -d~] q.
Rows6 rigid_rows(const Vector3d& d) {
  Rows6 B;
  B << 1, 0, 0, 0, d.z(), -d.y(), 0, 1, 0, -d.z(), 0, d.x(), 0, 0, 1, d.y(), -d.x(), 0;
  return B;
}

Vector3d middle(const FePart& part, const std::vector<int>& nodes) {
  Vector3d low = part.positions.col(nodes[0]), high = low;
  for (const int p : nodes) {
    low = low.cwiseMin(part.positions.col(p));
    high = high.cwiseMax(part.positions.col(p));
  }
  return 0.5 * (low + high);
}

std::string named(const FeInterface& one) { return "interface " + quoted(one.name); }

// Checks that the nodes determine all six rigid motions: their B has full rank.
void check_spread(const FePart& part, const FeInterface& one, const Vector3d& point) {
  constexpr double kLine = 1e-6;  // relative to the size of the interface
  double size = 0;
  for (const int p : one.nodes) size = std::max(size, (part.positions.col(p) - point).norm());
  MatrixXd B(3 * static_cast<Eigen::Index>(one.nodes.size()), 6);
  for (std::size_t k = 0; k < one.nodes.size(); ++k)
    B.middleRows(3 * static_cast<Eigen::Index>(k), 3) =
        rigid_rows((part.positions.col(one.nodes[k]) - point) / (size > 0 ? size : 1));
  const VectorXd values = eigenvalues_symmetric(MatrixXd(B.transpose() * B));
  if (values(0) > kLine * kLine * values(5)) return;
  fail(named(one) + " has " + std::to_string(one.nodes.size()) +
           (one.nodes.size() == 1 ? " node, which defines no rotation"
                                  : " nodes on a line, which define no rotation about it"),
       "give at least three nodes that are not on a line, better a whole face");
}

}  // namespace

MatrixXd rigid_motions(const FePart& part, const Vector3d& origin) {
  MatrixXd R = MatrixXd::Zero(static_cast<Eigen::Index>(part.dofs.size()), 6);
  for (std::size_t k = 0; k < part.dofs.size(); ++k) {
    const auto [node, direction] = part.dofs[k];
    const auto row = static_cast<Eigen::Index>(k);
    if (direction < 3)
      R.row(row) = rigid_rows(part.positions.col(node) - origin).row(direction);
    else
      R(row, direction) = 1;
  }
  return R;
}

// The node whose six rows are those of the interface: its only node, or the reference node of the rigid body formed by
// its nodes.
int Interfaces::reference_of(const FePart& part, const FeInterface& one) const {
  if (one.nodes.size() == 1 && nodes_.turns(one.nodes[0])) return one.nodes[0];
  for (const FeRigid& rigid : part.rigid) {
    const auto inside = [&](int p) {
      return p == rigid.reference || std::find(rigid.nodes.begin(), rigid.nodes.end(), p) != rigid.nodes.end();
    };
    if (!std::all_of(one.nodes.begin(), one.nodes.end(), inside)) continue;
    if (one.coupling == FeCoupling::average)
      fail(named(one) + " is already a rigid body in the deck", "write it as rigid, or export without *RIGID BODY");
    return rigid.reference;
  }
  for (const int p : one.nodes) {
    if (nodes_.moves(p)) continue;
    fail("node " + label(part, p) + " of " + named(one) + " has no rows in the matrices",
         "export the free part, with the interface's nodes");
  }
  return -1;
}

void Interfaces::add_direct(const FePart& part, int node, int interface) {
  points[static_cast<std::size_t>(interface)] = part.positions.col(node);
  for (int k = 0; k < 6; ++k)
    averages_.emplace_back(6 * interface + k, nodes_.first[static_cast<std::size_t>(node)][static_cast<std::size_t>(k)],
                           1.0);
}

void Interfaces::add_rigid(const FePart& part, const FeInterface& one, int interface) {
  bool turns = false;
  for (const int p : one.nodes) {
    for (const int row : nodes_.first[static_cast<std::size_t>(p)])
      if (row >= 0) column_[static_cast<std::size_t>(row)] = -1;
    turns |= nodes_.turns(p);
  }
  if (!turns) check_spread(part, one, points[static_cast<std::size_t>(interface)]);
  first_[static_cast<std::size_t>(interface)] = 0;  // numbered below
}

void Interfaces::add_average(const FePart& part, const FeInterface& one, int interface) {
  const Vector3d point = points[static_cast<std::size_t>(interface)];
  check_spread(part, one, point);
  MatrixXd B(3 * static_cast<Eigen::Index>(one.nodes.size()), 6);
  for (std::size_t k = 0; k < one.nodes.size(); ++k)
    B.middleRows(3 * static_cast<Eigen::Index>(k), 3) = rigid_rows(part.positions.col(one.nodes[k]) - point);
  const MatrixXd average = Cholesky(MatrixXd(B.transpose() * B)).solve(MatrixXd(B.transpose()));  // (6 x 3k)
  for (std::size_t k = 0; k < one.nodes.size(); ++k)
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < 6; ++i)
        averages_.emplace_back(6 * interface + i,
                               nodes_.first[static_cast<std::size_t>(one.nodes[k])][static_cast<std::size_t>(c)],
                               average(i, 3 * static_cast<Eigen::Index>(k) + c));
}

Interfaces::Interfaces(const FePart& part, const std::vector<FeInterface>& list, int frame)
    : points(list.size()),
      nodes_(part),
      column_(part.dofs.size(), 0),
      owner_(static_cast<std::size_t>(part.positions.cols()), -1),
      first_(list.size(), -1) {
  for (int m = 0; m < static_cast<int>(list.size()); ++m) {
    const FeInterface& one = list[static_cast<std::size_t>(m)];
    if (one.nodes.empty()) fail(named(one) + " has no nodes", "name a set with nodes");
    for (const int p : one.nodes) {
      int& owner = owner_[static_cast<std::size_t>(p)];
      if (owner >= 0 && owner != m)
        fail("node " + label(part, p) + " is in the interfaces " + quoted(list[static_cast<std::size_t>(owner)].name) +
                 " and " + quoted(one.name),
             "give interfaces without common nodes");
      owner = m;
    }
    points[static_cast<std::size_t>(m)] = middle(part, one.nodes);
    if (const int node = reference_of(part, one); node >= 0)
      add_direct(part, node, m);
    else if (one.coupling == FeCoupling::rigid)
      add_rigid(part, one, m);
    else
      add_average(part, one, m);
  }
  if (!list.empty()) origin = points[static_cast<std::size_t>(frame)];
  assemble(part, list);
  set_rigid_motions(part);
}

// Columns: the remaining rows, then six for each rigid interface.
void Interfaces::assemble(const FePart& part, const std::vector<FeInterface>& list) {
  Triplets entries, rows_of_A;
  for (std::size_t k = 0; k < column_.size(); ++k) {
    if (column_[k] < 0) continue;
    column_[k] = columns_;
    entries.emplace_back(static_cast<int>(k), columns_++, 1.0);
  }
  for (int m = 0; m < static_cast<int>(list.size()); ++m) {
    int& first = first_[static_cast<std::size_t>(m)];
    if (first < 0) continue;
    first = columns_;
    columns_ += 6;
    for (int i = 0; i < 6; ++i) rows_of_A.emplace_back(6 * m + i, first + i, 1.0);
    for (const int p : list[static_cast<std::size_t>(m)].nodes) {
      const Rows6 B = rigid_rows(part.positions.col(p) - points[static_cast<std::size_t>(m)]);
      const auto& row = nodes_.first[static_cast<std::size_t>(p)];
      for (int c = 0; c < 3; ++c)
        for (int i = 0; i < 6; ++i)
          if (B(c, i) != 0) entries.emplace_back(row[static_cast<std::size_t>(c)], first + i, B(c, i));
      for (int c = 3; c < 6 && row[3] >= 0; ++c) entries.emplace_back(row[static_cast<std::size_t>(c)], first + c, 1.0);
    }
  }
  T.resize(static_cast<Eigen::Index>(part.dofs.size()), columns_);
  T.setFromTriplets(entries.begin(), entries.end());
  for (const auto& entry : averages_)
    rows_of_A.emplace_back(entry.row(), column_[static_cast<std::size_t>(entry.col())], entry.value());
  A.resize(6 * static_cast<Eigen::Index>(list.size()), columns_);
  A.setFromTriplets(rows_of_A.begin(), rows_of_A.end());
}

void Interfaces::set_rigid_motions(const FePart& part) {
  const MatrixXd all = rigid_motions(part, origin);
  R.setZero(columns_, 6);
  for (std::size_t k = 0; k < column_.size(); ++k)
    if (column_[k] >= 0) R.row(column_[k]) = all.row(static_cast<Eigen::Index>(k));
  for (std::size_t m = 0; m < points.size(); ++m) {
    if (first_[m] < 0) continue;
    R.middleRows(first_[m], 3) = rigid_rows(points[m] - origin);
    R.block<3, 3>(first_[m] + 3, 3).setIdentity();
  }
}

}  // namespace limber::body_impl
