// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "integrals.hpp"

#include <algorithm>
#include <cmath>

#include "checks.hpp"
#include "part_nodes.hpp"

namespace limber::body_impl {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

constexpr double kForm =
    1e-7;  // permitted deviation of blocks of M from the expected form; files often have eight digits

// C_ba = C_ab^T, exactly.
void symmetrize(Body& body) {
  const auto shapes = static_cast<std::size_t>(body.shapes());
  for (std::size_t a = 0; a < shapes; ++a) {
    for (std::size_t b = a; b < shapes; ++b) {
      Matrix3d &ab = body.C[a * shapes + b], &ba = body.C[b * shapes + a];
      ab = Matrix3d(0.5 * (ab + ba.transpose()));
      ba = Matrix3d(ab.transpose());
    }
  }
}

Matrix3d skew(const Vector3d& v) {
  Matrix3d m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

// The 6 x 6 block of M between two nodes; rows and columns of missing rotations are zero.
struct Block {
  int p = 0, q = 0;
  Matrix6 m = Matrix6::Zero();
};

// Calls `call` for each nonzero block of M, column node by column node.
template <class Call>
void for_each_block(const FePart& part, const PartNodes& nodes, const Call& call) {
  std::vector<int> at(nodes.first.size(), -1);  // index of the block with row node p in this column
  std::vector<Block> column;
  for (std::size_t q = 0; q < nodes.first.size(); ++q) {
    column.clear();
    for (const int k : nodes.first[q]) {
      if (k < 0) continue;
      for (Sparse::InnerIterator it(part.mass, k); it; ++it) {
        const FeDof row = part.dofs[static_cast<std::size_t>(it.row())];
        int& place = at[static_cast<std::size_t>(row.node)];
        if (place < 0) {
          place = static_cast<int>(column.size());
          column.push_back({row.node, static_cast<int>(q)});
        }
        column[static_cast<std::size_t>(place)].m(row.direction, part.dofs[static_cast<std::size_t>(k)].direction) =
            it.value();
      }
    }
    for (const Block& block : column) {
      at[static_cast<std::size_t>(block.p)] = -1;
      call(block);
    }
  }
}

[[noreturn]] void refuse_block(const FePart& part, const Block& block, const char* what) {
  fail(std::string("the mass matrix ") + what + " between node " + label(part, block.p) + " and node " +
           label(part, block.q) + ", so that the integrals of the flexible body do not follow from it",
       "export elements with displacements alone (solids), or lumped masses");
}

// A mass at offset d from a node moves by u + theta x d.  Sums over the masses attached to p (d) and to q (d'):
//   M = [ m 1       -D'~      ]     m = sum m_i     D = sum m_i d     D' = sum m_i d'     E = sum m_i d d'^T
//       [ D~   tr(E) 1 - E^T  ]
// As weights between points: a node is point 0 and, with rotations, three more points, one for each axis along which d
// is measured: w = [m D'^T; D E].
Eigen::Matrix4d weights_of(const FePart& part, const Block& block, double largest, double largest_turn) {
  const Matrix3d tt = block.m.topLeftCorner<3, 3>(), tr = block.m.topRightCorner<3, 3>();
  const Matrix3d rt = block.m.bottomLeftCorner<3, 3>(), rr = block.m.bottomRightCorner<3, 3>();
  const double m = tt.trace() / 3;
  if ((tt - m * Matrix3d::Identity()).cwiseAbs().maxCoeff() > kForm * largest)
    refuse_block(part, block, "couples x, y and z, or differs between them,");
  const auto vector_of = [](const Matrix3d& a) {  // of a skew-symmetric matrix
    return Vector3d(0.5 * Vector3d(a(2, 1) - a(1, 2), a(0, 2) - a(2, 0), a(1, 0) - a(0, 1)));
  };
  const Vector3d D = vector_of(rt), D_q = -vector_of(tr);
  const double coupled = kForm * std::sqrt(largest * largest_turn);
  if ((rt - skew(D)).cwiseAbs().maxCoeff() > coupled || (tr + skew(D_q)).cwiseAbs().maxCoeff() > coupled)
    refuse_block(part, block, "couples displacements and rotations unlike a rigid offset");
  Eigen::Matrix4d w;
  w(0, 0) = m;
  w.topRightCorner<1, 3>() = D_q.transpose();
  w.bottomLeftCorner<3, 1>() = D;
  w.bottomRightCorner<3, 3>() = 0.5 * rr.trace() * Matrix3d::Identity() - rr.transpose();
  return w;
}

// w over the points of the nodes.
Sparse place_weights(const FePart& part, const PartNodes& nodes, const std::vector<int>& place, int places) {
  double largest = 0, largest_turn = 0;
  for_each_block(part, nodes, [&](const Block& block) {
    largest = std::max(largest, block.m.topLeftCorner<3, 3>().cwiseAbs().maxCoeff());
    largest_turn = std::max(largest_turn, block.m.bottomRightCorner<3, 3>().cwiseAbs().maxCoeff());
  });
  std::vector<Eigen::Triplet<double>> entries;
  for_each_block(part, nodes, [&](const Block& block) {
    const Eigen::Matrix4d w = weights_of(part, block, largest, largest_turn);
    const int rows = nodes.turns(block.p) ? 4 : 1, columns = nodes.turns(block.q) ? 4 : 1;
    const int p = place[static_cast<std::size_t>(block.p)], q = place[static_cast<std::size_t>(block.q)];
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        if (w(i, j) != 0) entries.emplace_back(p + i, q + j, w(i, j));
  });
  Sparse w(places, places);
  w.setFromTriplets(entries.begin(), entries.end());
  return w;
}

}  // namespace

void set_integrals(const Sparse& w, const VectorXd& one, const std::array<MatrixXd, 3>& phi, Body& body) {
  const Eigen::Index shapes = body.shapes();
  const VectorXd share = w * one;
  body.mass = share.dot(one);
  body.S.resize(3, shapes);
  body.C.assign(static_cast<std::size_t>(shapes * shapes), Matrix3d::Zero());
  for (int i = 0; i < 3; ++i) body.S.row(i) = share.transpose() * phi[i];
  for (int j = 0; j < 3; ++j) {
    const MatrixXd weighted = w * phi[j];
    for (int i = 0; i < 3; ++i) {
      const MatrixXd product = phi[i].transpose() * weighted;
      for (Eigen::Index a = 0; a < shapes; ++a)
        for (Eigen::Index b = 0; b < shapes; ++b)
          body.C[static_cast<std::size_t>(a * shapes + b)](i, j) = product(a, b);
    }
  }
  symmetrize(body);
}

void set_part_integrals(const FePart& part, const MatrixXd& shapes, const Vector3d& origin, Body& body) {
  const PartNodes nodes(part);
  // Points: each node that has rows, then the three of its rotations.
  std::vector<int> place(nodes.first.size(), -1);
  int places = 0;
  for (std::size_t p = 0; p < place.size(); ++p) {
    if (!nodes.moves(static_cast<int>(p))) continue;
    place[p] = places;
    places += nodes.turns(static_cast<int>(p)) ? 4 : 1;
  }
  const Sparse w = place_weights(part, nodes, place, places);
  const int n = static_cast<int>(shapes.cols());
  VectorXd one = VectorXd::Zero(places);
  std::array<MatrixXd, 3> phi;
  for (MatrixXd& axis : phi) axis.setZero(places, n + 1);
  for (std::size_t p = 0; p < place.size(); ++p) {
    const int at = place[p];
    if (at < 0) continue;
    one(at) = 1;
    const auto& row = nodes.first[p];
    for (int i = 0; i < 3; ++i) {
      phi[i](at, 0) = part.positions(i, static_cast<Eigen::Index>(p)) - origin(i);
      phi[i].row(at).tail(n) = shapes.row(row[i]);
      if (row[3] < 0) continue;
      phi[i](at + 1 + i, 0) = 1;  // d is measured along the axes
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      phi[k].row(at + 1 + j).tail(n) += shapes.row(row[3 + i]);  // theta_i e_i x e_j = theta_i e_k
      phi[j].row(at + 1 + k).tail(n) -= shapes.row(row[3 + i]);  // theta_i e_i x e_k = -theta_i e_j
    }
  }
  set_integrals(w, one, phi, body);
}

void transform_integrals(const MatrixXd& Q, Body& body) {
  const Eigen::Index shapes = body.shapes();
  MatrixXd Q_1 = MatrixXd::Zero(shapes, shapes);
  Q_1(0, 0) = 1;
  Q_1.bottomRightCorner(body.modes, body.modes) = Q;
  body.S = Matrix3Xd(body.S * Q_1);
  MatrixXd part(shapes, shapes);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (Eigen::Index a = 0; a < shapes; ++a)
        for (Eigen::Index b = 0; b < shapes; ++b) part(a, b) = body.C[static_cast<std::size_t>(a * shapes + b)](i, j);
      part = MatrixXd(Q_1.transpose() * part * Q_1);
      for (Eigen::Index a = 0; a < shapes; ++a)
        for (Eigen::Index b = 0; b < shapes; ++b) body.C[static_cast<std::size_t>(a * shapes + b)](i, j) = part(a, b);
    }
  }
  symmetrize(body);
}

}  // namespace limber::body_impl
