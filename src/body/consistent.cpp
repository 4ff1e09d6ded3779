// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/consistent.hpp"

#include "checks.hpp"
#include "integrals.hpp"

namespace limber {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

void check_square(const Sparse& m, Eigen::Index size, const char* what) {
  if (m.rows() != size || m.cols() != size)
    body_impl::fail(std::string(what) + " is " + std::to_string(m.rows()) + " x " + std::to_string(m.cols()),
                    "give three rows and columns per point, " + std::to_string(size));
}

void check(const ConsistentSpec& spec) {
  const Eigen::Index size = 3 * spec.positions.cols();
  const auto n = static_cast<int>(spec.shapes.cols());
  if (size == 0) body_impl::fail("there are no points", "give at least one position");
  body_impl::check_finite(spec.positions, "positions");
  check_square(spec.mass, size, "mass");
  check_square(spec.stiffness, size, "stiffness");
  body_impl::check_size(spec.shapes, size, n, "shapes");
  body_impl::check_finite(spec.shapes, "shapes");
  if (spec.damping.size() > 0) body_impl::check_semidefinite(spec.damping, n, "damping");
  body_impl::check_nodes(spec.nodes, n);
}

// m_pq of M = m_pq 1_3.
Sparse scalar_mass(const Sparse& M) {
  constexpr double kRounding = 1e-9;  // numbers in files often have ten digits
  double largest = 0;
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index c = 0; c < M.outerSize(); ++c) {
    for (Sparse::InnerIterator it(M, c); it; ++it) {
      body_impl::check_finite(it.value(), "mass");
      largest = std::max(largest, std::abs(it.value()));
      if (it.row() % 3 == 0 && c % 3 == 0) entries.emplace_back(it.row() / 3, c / 3, it.value());
    }
  }
  Sparse m(M.rows() / 3, M.cols() / 3);
  m.setFromTriplets(entries.begin(), entries.end());
  for (Eigen::Index c = 0; c < M.outerSize(); ++c) {
    for (Sparse::InnerIterator it(M, c); it; ++it) {
      const double wanted = it.row() % 3 == c % 3 ? m.coeff(it.row() / 3, c / 3) : 0;
      if (std::abs(it.value() - wanted) > kRounding * largest)
        body_impl::fail("mass couples x, y and z, or differs between them, at row " + std::to_string(it.row() + 1) +
                            ", column " + std::to_string(c + 1),
                        "give the matrix of elements with displacements alone, or mass points");
    }
  }
  if ((m - Sparse(m.transpose())).norm() > kRounding * m.norm())
    body_impl::fail("mass is not symmetric", "give a symmetric matrix");
  return m;
}

void set_shapes(const Sparse& m, const ConsistentSpec& spec, Body& body) {
  const Eigen::Index points = spec.positions.cols();
  std::array<MatrixXd, 3> phi;  // (points x shapes) for x, y, z
  for (int i = 0; i < 3; ++i) {
    phi[i].resize(points, body.shapes());
    phi[i].col(0) = spec.positions.row(i).transpose();
    for (Eigen::Index p = 0; p < points; ++p) phi[i].row(p).tail(body.modes) = spec.shapes.row(3 * p + i);
  }
  body_impl::set_integrals(m, VectorXd::Ones(points), phi, body);
}

}  // namespace

Body make_modal_body(const ConsistentSpec& spec) {
  check(spec);
  Body body;
  body.modes = static_cast<int>(spec.shapes.cols());
  set_shapes(scalar_mass(spec.mass), spec, body);
  body_impl::check_positive(body.mass, "mass of the body", "give a mass matrix with positive sums");
  body_impl::check_modal_mass(body.modal_mass());
  const MatrixXd K = spec.shapes.transpose() * (spec.stiffness * spec.shapes);
  body.stiffness = 0.5 * (K + K.transpose());
  body_impl::check_semidefinite(body.stiffness, body.modes, "stiffness");
  body.damping = MatrixXd::Zero(body.modes, body.modes);
  if (spec.damping.size() > 0) body.damping = 0.5 * (spec.damping + spec.damping.transpose());
  body.nodes = spec.nodes;
  for (Node& node : body.nodes) node.second = {};
  for (int a = 1; a <= body.modes; ++a) body.mode_names.push_back("mode" + std::to_string(a));
  return body;
}

}  // namespace limber
