// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "checks.hpp"
#include "part_nodes.hpp"

namespace limber::body_impl {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

constexpr double kSymmetric = 1e-7;  // of the geometric mean of the two diagonal entries; files often have 8 digits
constexpr const char* kDirections[] = {"x", "y", "z", "rotation x", "rotation y", "rotation z"};

std::string row_name(const FePart& part, Eigen::Index k) {
  const FeDof dof = part.dofs[static_cast<std::size_t>(k)];
  return "node " + label(part, dof.node) + " " + kDirections[dof.direction];
}

void check_rows(const FePart& part) {
  const auto count = static_cast<int>(part.positions.cols());
  if (part.dofs.empty()) fail("the part has no degrees of freedom", "give matrices with rows");
  if (!part.labels.empty() && static_cast<int>(part.labels.size()) != count)
    fail("labels has " + std::to_string(part.labels.size()) + " entries", "give one per node");
  check_finite(part.positions, "the table of nodes");
  std::vector<std::array<bool, 6>> has(static_cast<std::size_t>(count), {false, false, false, false, false, false});
  for (const FeDof dof : part.dofs) {
    if (dof.node < 0 || dof.node >= count || dof.direction < 0 || dof.direction > 5)
      fail("a row belongs to node index " + std::to_string(dof.node) + ", direction " + std::to_string(dof.direction),
           "give rows of existing nodes, directions 0 to 5");
    bool& here = has[static_cast<std::size_t>(dof.node)][static_cast<std::size_t>(dof.direction)];
    if (here) fail("node " + label(part, dof.node) + " has two rows for " + kDirections[dof.direction], "give one");
    here = true;
  }
  for (int p = 0; p < count; ++p) {
    const auto& here = has[static_cast<std::size_t>(p)];
    const bool moves = here[0] || here[1] || here[2], turns = here[3] || here[4] || here[5];
    for (int k = 0; k < 6; ++k) {
      if (here[static_cast<std::size_t>(k)] || !(k < 3 ? moves || turns : turns)) continue;
      fail("node " + label(part, p) + " has no row for " + kDirections[k],
           "export the free part: without boundary conditions, symmetry planes or equations on single directions");
    }
  }
}

void check_matrix(const FePart& part, const Sparse& m, const std::string& what) {
  const auto n = static_cast<Eigen::Index>(part.dofs.size());
  if (m.rows() != n || m.cols() != n)
    fail("the " + what + " matrix is " + std::to_string(m.rows()) + " x " + std::to_string(m.cols()),
         "give one row and column per degree of freedom, " + std::to_string(n));
  const VectorXd diagonal = m.diagonal();
  for (Eigen::Index c = 0; c < n; ++c) {
    for (Sparse::InnerIterator it(m, c); it; ++it) {
      if (std::isfinite(it.value())) continue;
      fail("the " + what + " matrix has an entry that is not a finite number at " + row_name(part, it.row()) + ", " +
               row_name(part, c),
           "export it again");
    }
    const bool may_vanish = what == "mass" && part.dofs[static_cast<std::size_t>(c)].direction > 2;
    if (diagonal(c) > 0 || (may_vanish && diagonal(c) == 0)) continue;
    fail("the " + what + " of " + row_name(part, c) + " is " + text(diagonal(c)),
         diagonal(c) == 0 ? "the matrix was cut short, or the node belongs to no element: export it again"
                          : "a " + what + " matrix has a positive diagonal: export it again");
  }
  const Sparse transposed = m.transpose();
  const Sparse difference = m - transposed;
  for (Eigen::Index c = 0; c < n; ++c) {
    for (Sparse::InnerIterator it(difference, c); it; ++it) {
      const double size = std::sqrt(diagonal(c) * diagonal(it.row()));
      if (std::abs(it.value()) <= kSymmetric * size) continue;
      fail("the " + what + " matrix is not symmetric: " + row_name(part, it.row()) + ", " + row_name(part, c) +
               " differs from its mirror image by " + text(it.value()),
           "export a symmetric one (no friction, follower forces or rotor terms)");
    }
  }
}

// Coincident nodes, the most frequent sign of a mesh whose pieces were not merged.
std::string coincident_nodes(const FePart& part, const PartNodes& nodes) {
  const double size = (part.positions.rowwise().maxCoeff() - part.positions.rowwise().minCoeff()).norm();
  std::vector<int> order;
  for (int p = 0; p < static_cast<int>(part.positions.cols()); ++p)
    if (nodes.moves(p) && !nodes.turns(p)) order.push_back(p);
  const auto key = [&](int p) {
    const Vector3d x = (part.positions.col(p) / (1e-7 * size)).array().round();
    return std::make_tuple(x.x(), x.y(), x.z());
  };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
  for (std::size_t k = 1; k < order.size(); ++k)
    if (key(order[k - 1]) == key(order[k]))
      return "nodes " + label(part, std::min(order[k - 1], order[k])) + " and " +
             label(part, std::max(order[k - 1], order[k])) + " are at the same position";
  return "";
}

// Refuses a part with pieces that no entry of K connects.
void check_connected(const FePart& part) {
  std::vector<int> piece(static_cast<std::size_t>(part.positions.cols()));
  std::iota(piece.begin(), piece.end(), 0);
  const auto find = [&](int p) {
    while (piece[static_cast<std::size_t>(p)] != p)
      p = piece[static_cast<std::size_t>(p)] = piece[static_cast<std::size_t>(piece[static_cast<std::size_t>(p)])];
    return p;
  };
  for (Eigen::Index c = 0; c < part.stiffness.outerSize(); ++c) {
    for (Sparse::InnerIterator it(part.stiffness, c); it; ++it) {
      if (it.value() == 0) continue;
      const int a = find(part.dofs[static_cast<std::size_t>(it.row())].node);
      const int b = find(part.dofs[static_cast<std::size_t>(c)].node);
      piece[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  }
  const PartNodes nodes(part);
  std::vector<int> size(piece.size(), 0), roots;
  for (int p = 0; p < static_cast<int>(piece.size()); ++p) {
    if (!nodes.moves(p)) continue;
    if (size[static_cast<std::size_t>(find(p))]++ == 0) roots.push_back(find(p));
  }
  if (roots.size() < 2) return;
  std::sort(roots.begin(), roots.end(), [&](int a, int b) {
    return std::make_pair(-size[static_cast<std::size_t>(a)], a) <
           std::make_pair(-size[static_cast<std::size_t>(b)], b);
  });
  const std::string twins = coincident_nodes(part, nodes);
  fail("the mesh is in " + std::to_string(roots.size()) +
           " unconnected pieces: " + std::to_string(size[static_cast<std::size_t>(roots[0])]) + " nodes, and " +
           std::to_string(size[static_cast<std::size_t>(roots[1])]) + " with node " + label(part, roots[1]),
       twins.empty() ? "mesh one part, or connect the pieces" : twins + ": merge them");
}

}  // namespace

void check_part(const FePart& part) {
  check_rows(part);
  check_matrix(part, part.stiffness, "stiffness");
  check_matrix(part, part.mass, "mass");
  check_connected(part);
}

}  // namespace limber::body_impl
