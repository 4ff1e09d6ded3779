// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// From a finite-element part to a modal body: theory §7.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "checks.hpp"
#include "integrals.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "part_interfaces.hpp"
#include "part_solver.hpp"

namespace limber {
namespace {

using body_impl::fail;
using body_impl::text;
using Sparse = Eigen::SparseMatrix<double>;

constexpr int kMaxKept = 500;         // modes of one part
constexpr double kHeld = 1e-6;        // size of K R relative to K: above it the part is constrained, or of another mesh
constexpr double kRigidShare = 0.05;  // of the first elastic frequency; upper bound of computed frequencies of 0 Hz
constexpr double kEnoughMass = 0.8;   // sum of effective masses; excludes mass at the frame
constexpr double kFastest = 1e5;      // m/s, five times the speed of sound in diamond
constexpr double kHeaviest = 1e6, kLightest = 1e-5;  // kg/m^3 of the bounding box of the part

double hertz(double square) { return std::sqrt(std::max(0.0, square)) / (2 * std::numbers::pi); }
VectorXd all_hertz(const VectorXd& squares) {
  return squares.unaryExpr([](double x) { return hertz(x); });
}

void check_options(const FeOptions& options, std::size_t interfaces) {
  if (options.max_hz < 0 || !std::isfinite(options.max_hz))
    fail("max_hz is " + text(options.max_hz), "give a frequency");
  if (options.max_hz == 0 && (options.modes < 0 || options.modes > kMaxKept))
    fail("modes is " + std::to_string(options.modes), "give 0 to " + std::to_string(kMaxKept));
  if (!(options.damping >= 0 && options.damping < 1))
    fail("damping is " + text(options.damping), "give a ratio from 0 to 1");
  if (interfaces == 0 && options.method != FeMethod::free)
    fail("there is no interface at which to hold the part", "give at least one");
  if (options.frame < 0 || options.frame >= static_cast<int>(std::max<std::size_t>(interfaces, 1)))
    fail("the frame is not an interface", "give one of them");
}

// Size of K R relative to K; rotations are scaled by the displacements they cause.
double rigid_residual(const FePart& part, const Vector3d& origin) {
  const MatrixXd R = body_impl::rigid_motions(part, origin);
  const MatrixXd KR = part.stiffness * R;
  double largest = 0, worst = 0;
  for (Eigen::Index c = 0; c < part.stiffness.outerSize(); ++c)
    for (Sparse::InnerIterator it(part.stiffness, c); it; ++it)
      if (part.dofs[static_cast<std::size_t>(c)].direction < 3 &&
          part.dofs[static_cast<std::size_t>(it.row())].direction < 3)
        largest = std::max(largest, std::abs(it.value()));
  for (Eigen::Index k = 0; k < KR.rows(); ++k) {
    const bool turns = part.dofs[static_cast<std::size_t>(k)].direction > 2;
    const double scale = turns ? part.stiffness.coeff(k, k) : largest;
    for (int c = 0; c < 6; ++c) {
      const double motion = c < 3 ? 1 : R.col(c).cwiseAbs().maxCoeff();
      worst = std::max(worst, std::abs(KR(k, c)) / (motion * std::max(scale, turns ? largest * 1e-12 : 0)));
    }
  }
  if (worst > kHeld)
    fail("the stiffness matrix resists rigid motion: K R is " + text(worst) + " of K",
         "export the free part, without boundary conditions, and name the mesh that the matrices were made of");
  return worst;
}

struct Basis {
  MatrixXd vectors;  // (n' x k)
  VectorXd fixed_hertz;
};

// Modes up to a number, or up to a frequency.
body_impl::PartSolver::Modes wanted_modes(const body_impl::PartSolver& solver, const FeOptions& options) {
  if (options.max_hz == 0) return solver.modes(options.modes);
  for (int count = 12;; count = std::min(2 * count, kMaxKept)) {
    body_impl::PartSolver::Modes found = solver.modes(count);
    const Eigen::Index below = (all_hertz(found.values).array() <= options.max_hz).count();
    if (below < count || found.values.size() < count) return {found.values.head(below), found.vectors.leftCols(below)};
    if (count == kMaxKept)
      fail("there are more than " + std::to_string(kMaxKept) + " modes up to " + text(options.max_hz) + " Hz",
           "lower it");
  }
}

// Craig-Bampton: static shapes of the interfaces except the frame's, then fixed-interface modes.  [CB]
Basis make_basis(body_impl::PartSolver& solver, const body_impl::Interfaces& faces, const FeOptions& options) {
  const auto m = static_cast<Eigen::Index>(faces.points.size());
  if (options.method == FeMethod::clamped) solver.constrain(faces.A.middleRows(6 * options.frame, 6));
  if (options.method != FeMethod::craig_bampton) return {wanted_modes(solver, options).vectors, VectorXd(0)};
  solver.constrain(faces.A);
  const MatrixXd shapes = solver.static_shapes();
  const auto modes = wanted_modes(solver, options);
  const Eigen::Index others = 6 * (m - 1), before = 6 * Eigen::Index{options.frame};
  Basis out{MatrixXd(shapes.rows(), others + modes.vectors.cols()), all_hertz(modes.values)};
  out.vectors << shapes.leftCols(before), shapes.rightCols(others - before), modes.vectors;
  return out;
}

// Transforms the basis to modes: mass-normalised, K and M diagonal, frequencies rising.
VectorXd diagonalize(const Sparse& K, const Sparse& M, MatrixXd& basis) {
  if (basis.cols() == 0) return VectorXd(0);
  MatrixXd M_r = basis.transpose() * (M * basis);
  const VectorXd scale = M_r.diagonal().cwiseSqrt().cwiseInverse();
  if (!scale.allFinite()) fail("a shape moves no mass", "give a mass matrix with positive masses");
  basis = MatrixXd(basis * scale.asDiagonal());
  M_r = MatrixXd(scale.asDiagonal() * M_r * scale.asDiagonal());
  const MatrixXd K_r = basis.transpose() * (K * basis);
  body_impl::check_modal_mass(MatrixXd(0.5 * (M_r + M_r.transpose())));
  const auto [values, vectors] = eigen_generalized(0.5 * (K_r + K_r.transpose()), 0.5 * (M_r + M_r.transpose()));
  basis = MatrixXd(basis * vectors);
  return values;
}

void set_signs(const Sparse& T, MatrixXd& basis) {
  constexpr double kEqual = 1 - 1e-6;
  for (Eigen::Index k = 0; k < basis.cols(); ++k) {
    const VectorXd shape = T * basis.col(k);
    const double most = shape.cwiseAbs().maxCoeff();
    for (const double x : shape) {
      if (std::abs(x) < kEqual * most) continue;
      if (x < 0) basis.col(k) *= -1;
      break;
    }
  }
}

// Makes G and K, diagonal up to rounding, exactly diagonal, by a small rotation of shapes and integrals.
void polish(const VectorXd& values, Body& body, MatrixXd& basis, MatrixXd& shapes) {
  const int n = body.modes;
  body.stiffness = values.asDiagonal();
  body.damping = MatrixXd::Zero(n, n);
  if (n == 0) return;
  auto [squares, Q] = eigen_generalized(body.stiffness, body.modal_mass());
  for (int k = 0; k < n; ++k)
    if (Q(k, k) < 0) Q.col(k) *= -1;
  body_impl::transform_integrals(Q, body);
  basis = MatrixXd(basis * Q);
  shapes = MatrixXd(shapes * Q);
  const auto count = static_cast<std::size_t>(body.shapes());
  for (std::size_t a = 1; a < count; ++a) {
    for (std::size_t b = 1; b < count; ++b) {
      Matrix3d& C = body.C[a * count + b];
      C.diagonal().array() -= (C.trace() - (a == b ? 1 : 0)) / 3;
    }
  }
  body.stiffness = squares.asDiagonal();
}

void add_nodes(const std::vector<FeInterface>& list, const body_impl::Interfaces& faces, const FeOptions& options,
               const MatrixXd& basis, Body& body) {
  const MatrixXd q = faces.A * basis;
  for (std::size_t m = 0; m < list.size(); ++m) {
    Node node;
    node.name = list[m].name;
    node.position = faces.points[m] - faces.origin;
    const bool held = options.method != FeMethod::free && static_cast<int>(m) == options.frame;
    const auto row = 6 * static_cast<Eigen::Index>(m);
    node.translation = held ? MatrixXd::Zero(3, body.modes) : MatrixXd(q.middleRows(row, 3));
    node.turn = held ? MatrixXd::Zero(3, body.modes) : MatrixXd(q.middleRows(row + 3, 3));
    body.nodes.push_back(std::move(node));
  }
  body_impl::check_nodes(body.nodes, body.modes);
}

// Values that no material has are usually due to a wrong system of units.
void check_dimensions(const FePart& part, const Body& body, double first_hertz) {
  const Vector3d box = part.positions.rowwise().maxCoeff() - part.positions.rowwise().minCoeff();
  const double length = box.maxCoeff(), volume = box.cwiseMax(0.01 * length).prod();
  const double density = body.mass / volume, speed = 2 * length * first_hertz;
  const std::string size = "the part would be " + text(length) + " m long with a mass of " + text(body.mass) + " kg";
  const std::string cure =
      "check the units: lengths in mm go with masses in tonnes (mm-t-s), lengths in m with kg (m-kg-s)";
  if (density > kHeaviest || density < kLightest)
    fail(size + ", " + text(density) + " kg/m3 in the box around it", cure);
  if (speed > kFastest)
    fail(size + " and its first free frequency at " + text(first_hertz) + " Hz, so that sound crosses it at " +
             text(speed) + " m/s",
         cure);
}

void set_facts(const FePart& part, const FeOptions& options, const Body& body, FeFacts& facts) {
  const int n = body.modes;
  facts.dofs = static_cast<int>(part.dofs.size());
  facts.nodes = static_cast<int>(part.positions.cols());
  facts.free_hertz = compute_free_hertz(body);
  if (n > 0) facts.first_hertz = facts.free_hertz(0);
  check_dimensions(part, body, facts.first_hertz);
  if (n > 0 && facts.rigid_hertz > kRigidShare * facts.first_hertz)
    fail("a rigid motion has " + text(facts.rigid_hertz) + " Hz, the first elastic one " + text(facts.first_hertz) +
             " Hz",
         "export K with more digits, without boundary conditions");
  facts.effective_mass = body.S.rightCols(n).cwiseAbs2();
  if (options.method == FeMethod::free) return;
  facts.effective_share = facts.effective_mass.rowwise().sum() / body.mass;
  if (facts.effective_share.minCoeff() >= kEnoughMass) return;
  if (n == 0) {
    facts.warnings.emplace_back(options.max_hz > 0 ? "no mode is below --max-hz: the body is rigid"
                                                   : "no modes are kept: the body is rigid");
    return;
  }
  const Vector3d percent = 100 * facts.effective_share;
  char line[300];
  std::snprintf(
      line, sizeof line,
      "with the frame held, the modes (up to %.4g Hz) move %.0f %%, %.0f %% and %.0f %% of the mass along x, y, z; the "
      "rest follows the frame as if rigid: keep more modes if it shakes faster",
      hertz(body.stiffness(n - 1, n - 1)), percent.x(), percent.y(), percent.z());
  facts.warnings.emplace_back(line);
}

}  // namespace

MatrixXd rest_inertia(const Body& body) {
  const int n = body.modes;
  const auto axial = [](const Matrix3d& C) {
    return Vector3d(C(2, 1) - C(1, 2), C(0, 2) - C(2, 0), C(1, 0) - C(0, 1));
  };
  MatrixXd M(n + 6, n + 6);
  M.topLeftCorner(n, n) = body.modal_mass();
  for (int a = 0; a < n; ++a) M.block<6, 1>(n, a) << axial(body.c(a + 1, 0)), body.S.col(a + 1);
  M.topRightCorner(n, 6) = M.bottomLeftCorner(6, n).transpose();
  const Vector3d s = body.S.col(0);
  Matrix3d cross;
  cross << 0, -s.z(), s.y(), s.z(), 0, -s.x(), -s.y(), s.x(), 0;
  M.bottomRightCorner<6, 6>() << Matrix3d(body.c(0, 0).trace() * Matrix3d::Identity() - body.c(0, 0)), cross, -cross,
      Matrix3d(body.mass * Matrix3d::Identity());
  return M;
}

VectorXd compute_free_hertz(const Body& body) {
  const int n = body.modes;
  if (n == 0) return VectorXd(0);
  const MatrixXd M = rest_inertia(body), coupled = M.bottomLeftCorner(6, n);
  const MatrixXd condensed =
      M.topLeftCorner(n, n) - coupled.transpose() * solve_full_pivoting(MatrixXd(M.bottomRightCorner<6, 6>()), coupled);
  // (G', K) and not (K, G'): K is certain to be positive definite.
  const VectorXd inverses = eigenvalues_generalized(0.5 * (condensed + condensed.transpose()), body.stiffness);
  VectorXd out(n);
  for (int k = 0; k < n; ++k) out(k) = hertz(1 / std::max(inverses(n - 1 - k), 1e-300));
  return out;
}

FeReduction reduce_part(const FePart& part, const std::vector<FeInterface>& interfaces, const FeOptions& options,
                        const std::function<Body(const MatrixXd&)>& mass_integrals) {
  check_options(options, interfaces.size());
  body_impl::check_part(part);
  const body_impl::Interfaces faces(part, interfaces, options.frame);
  FeReduction out;
  out.origin = faces.origin;
  out.facts.rigid_residual = rigid_residual(part, faces.origin);
  options.progress(0.05);
  const Sparse K = faces.T.transpose() * part.stiffness * faces.T, M = faces.T.transpose() * part.mass * faces.T;
  const MatrixXd K_rigid = faces.R.transpose() * (K * faces.R), M_rigid = faces.R.transpose() * (M * faces.R);
  out.facts.rigid_hertz = hertz(eigenvalues_generalized(0.5 * (K_rigid + K_rigid.transpose()), M_rigid)(5));
  body_impl::PartSolver solver(K, M, faces.R, out.facts.rigid_residual, part.stiffness);
  out.facts.factor_bytes = solver.factor_bytes();
  options.progress(0.4);
  const double expected = 6.0 * static_cast<double>(interfaces.size()) + 4.0 * std::max(options.modes, 12) + 60;
  int solved = 0;
  solver.tick = [&] { options.progress(0.4 + 0.58 * (1 - std::exp(-2 * ++solved / expected))); };
  auto [basis, fixed_hertz] = make_basis(solver, faces, options);
  out.facts.fixed_hertz = fixed_hertz;
  const VectorXd values = diagonalize(K, M, basis);
  set_signs(faces.T, basis);
  out.shapes = faces.T * basis;

  Body& body = out.body;
  if (mass_integrals) body = mass_integrals(out.shapes);
  body.modes = static_cast<int>(out.shapes.cols());
  if (!mass_integrals) body_impl::set_part_integrals(part, out.shapes, faces.origin, body);
  body_impl::check_positive(body.mass, "the mass of the part", "give a mass matrix with positive sums");
  body_impl::check_modal_mass(body.modal_mass());
  polish(values, body, basis, out.shapes);
  for (int k = 0; k < body.modes; ++k)
    body.damping(k, k) = 2 * options.damping * std::sqrt(std::max(0.0, body.stiffness(k, k)));
  body.nodes.clear();
  add_nodes(interfaces, faces, options, basis, body);
  body.mode_names.clear();
  for (int a = 1; a <= body.modes; ++a) body.mode_names.push_back("mode" + std::to_string(a));
  body.length = (part.positions.rowwise().maxCoeff() - part.positions.rowwise().minCoeff()).norm();
  set_facts(part, options, body, out.facts);
  options.progress(1);
  return out;
}

}  // namespace limber
