// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "checks.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/detail/text.hpp"

namespace limber::body_impl {
namespace {

constexpr double kSymmetry = 1e-9;     // numbers in files often have ten digits
constexpr double kDefinite = 1e-10;    // eigenvalue of a matrix scaled to a diagonal of ones
constexpr double kMassless = 1e-12;    // eigenvalue of G scaled to a diagonal of ones
constexpr double kOrthonormal = 1e-8;  // entries of R^T R - 1

bool is_symmetric(const MatrixXd& m) {
  return (m - m.transpose()).cwiseAbs().maxCoeff() <= kSymmetry * m.cwiseAbs().maxCoeff();
}

}  // namespace

void fail(const std::string& what, const std::string& cure) { throw InputError(what + "; " + cure); }

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.6g", value);
  return buffer;
}

std::string quoted(const std::string& name) { return "'" + name + "'"; }

std::string size_text(const MatrixXd& m) { return std::to_string(m.rows()) + " x " + std::to_string(m.cols()); }

void check_finite(double value, const std::string& what) {
  if (!std::isfinite(value)) fail(what + " is not a finite number", "give a number");
}

void check_finite(const Eigen::Ref<const MatrixXd>& m, const std::string& what) {
  if (!m.allFinite()) fail(what + " has an entry that is not a finite number", "give numbers");
}

void check_positive(double value, const std::string& what, const std::string& cure) {
  check_finite(value, what);
  if (value <= 0) fail(what + " is " + text(value), cure);
}

void check_not_negative(double value, const std::string& what, const std::string& cure) {
  check_finite(value, what);
  if (value < 0) fail(what + " is " + text(value), cure);
}

void check_size(const MatrixXd& m, Eigen::Index rows, Eigen::Index cols, const std::string& what) {
  if (m.rows() == rows && m.cols() == cols) return;
  fail(what + " is " + size_text(m), "give " + std::to_string(rows) + " x " + std::to_string(cols) + " numbers");
}

void check_semidefinite(const MatrixXd& m, int n, const std::string& what) {
  check_size(m, n, n, what);
  check_finite(m, what);
  if (n == 0) return;
  if (!is_symmetric(m)) fail(what + " is not symmetric", "give a symmetric matrix");
  // Scaled to unit diagonal, so that stiff modes do not mask soft ones.
  VectorXd scale(n);
  for (int a = 0; a < n; ++a) {
    const bool empty = m(a, a) == 0 && m.col(a).isZero(0);
    if (m(a, a) <= 0 && !empty)
      fail(what + " has no positive entry on its diagonal for mode " + std::to_string(a + 1),
           "give a positive semidefinite matrix");
    scale(a) = empty ? 0 : 1 / std::sqrt(m(a, a));
  }
  const MatrixXd scaled = scale.asDiagonal() * (0.5 * (m + m.transpose())) * scale.asDiagonal();
  const double smallest = eigenvalues_symmetric(scaled)(0);
  if (smallest < -kDefinite) fail(what + " has a negative eigenvalue", "give a positive semidefinite matrix");
}

void check_modal_mass(const MatrixXd& G) {
  const Eigen::Index n = G.rows();
  if (n == 0) return;
  for (Eigen::Index a = 0; a < n; ++a) {
    if (G(a, a) > 0) continue;
    fail("mode " + std::to_string(a + 1) + " has no mass",
         "give points with mass that it moves, or leave the mode out");
  }
  const VectorXd scale = G.diagonal().cwiseSqrt().cwiseInverse();
  const auto [values, vectors] = eigen_symmetric(scale.asDiagonal() * G * scale.asDiagonal());
  if (values(0) > kMassless) return;
  Eigen::Index worst = 0;
  vectors.col(0).cwiseAbs().maxCoeff(&worst);
  fail("mode " + std::to_string(worst + 1) +
           " has no mass of its own: it moves the points as a combination of other modes",
       "leave the mode out, or give more points");
}

void check_second(const std::array<MatrixXd, 3>& second, int n, const std::string& what) {
  for (int i = 0; i < 3; ++i) {
    if (second[i].size() == 0) continue;
    const std::string part = what + " in " + "xyz"[i];
    check_size(second[i], n, n, part);
    check_finite(second[i], part);
    if (!is_symmetric(second[i])) fail(part + " is not symmetric", "give a symmetric matrix");
  }
}

void check_node_name(const std::string& name, const std::vector<std::string>& before) {
  if (name.empty()) fail("a node has no name", "give every node a name");
  if (const std::string fault = name_fault(name); !fault.empty()) fail("node name " + fault, "rename the node");
  if (std::find(before.begin(), before.end(), name) == before.end()) return;
  fail("node name " + quoted(name) + " is used twice", "give every node of a body its own name");
}

void check_rotation(const Matrix3d& R, const std::string& what) {
  check_finite(R, what);
  const bool orthonormal = (R.transpose() * R - Matrix3d::Identity()).cwiseAbs().maxCoeff() <= kOrthonormal;
  if (!orthonormal || R.determinant() < 0)
    fail(what + " is not a rotation matrix", "give orthonormal, right-handed axes");
}

void check_nodes(const std::vector<Node>& nodes, int modes) {
  std::vector<std::string> names;
  for (const Node& node : nodes) {
    check_node_name(node.name, names);
    names.push_back(node.name);
    const std::string of_node = " of node " + quoted(node.name);
    check_finite(node.position, "position" + of_node);
    check_rotation(node.rotation, "rotation" + of_node);
    check_size(node.translation, 3, modes, "translation shape" + of_node);
    check_size(node.turn, 3, modes, "rotation shape" + of_node);
    check_finite(node.translation, "translation shape" + of_node);
    check_finite(node.turn, "rotation shape" + of_node);
    check_second(node.second, modes, "second" + of_node);
  }
}

}  // namespace limber::body_impl
