// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "part_solver.hpp"

#include <Spectra/SymGEigsShiftSolver.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <random>

#include "checks.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber::body_impl {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

constexpr Eigen::Index kDense = 400;      // rows up to which all modes are computed by a dense solver
constexpr Eigen::Index kCountable = 800;  // rows up to which the motions without strain are counted
constexpr double kConverged = 1e-11;      // relative, of 1 / omega^2
constexpr int kMaxRounds = 30;            // of the search for missed modes

// Rows whose fixing removes the rigid motions without redundancy: the best conditioned, by pivoting.
std::vector<int> holding_rows(const MatrixXd& R) {
  MatrixXd scaled = R.transpose();
  for (int k = 0; k < 6; ++k) scaled.row(k) /= scaled.row(k).norm();
  const Eigen::VectorXi order = pivoted_qr(scaled).order;
  return {order.data(), order.data() + 6};
}

[[noreturn]] void refuse_mechanism(const Sparse& K) {
  std::string count = "more than the six rigid motions";
  if (K.rows() <= kCountable) {
    const VectorXd scale = K.diagonal().cwiseSqrt().cwiseInverse();
    const VectorXd values = eigenvalues_symmetric(MatrixXd(scale.asDiagonal() * MatrixXd(K) * scale.asDiagonal()));
    count = std::to_string((values.array() < 1e-10).count()) + ", but a part has six, the rigid ones";
  }
  fail("motions without strain: " + count,
       "mesh with fully integrated elements (C3D20, C3D10; not C3D20R or C3D8R), and connect all that can slide or "
       "turn");
}

}  // namespace

struct PartSolver::Factor {
  Eigen::SimplicialLDLT<Sparse, Eigen::Lower, Eigen::AMDOrdering<int>> ldlt;
};

PartSolver::PartSolver(const Sparse& K, const Sparse& M, const MatrixXd& R, double residual, const Sparse& whole)
    : K_(K), M_(M), R_(R), factor_(std::make_unique<Factor>()) {
  Sparse held = K;
  for (const int row : holding_rows(R)) held.coeffRef(row, row) *= 2;
  factor_->ldlt.compute(held);
  const double least =
      std::max(1e-13, 100 * residual);  // relative pivot to which rounding raises that of a motion without strain
  const VectorXd diagonal = factor_->ldlt.permutationP() * VectorXd(held.diagonal());
  const bool good =
      factor_->ldlt.info() == Eigen::Success && (factor_->ldlt.vectorD().array() > least * diagonal.array()).all();
  if (!good) refuse_mechanism(whole);
  MR_ = M * R;
  constrain({});
}

PartSolver::~PartSolver() = default;

double PartSolver::factor_bytes() const {
  constexpr double kEntry = sizeof(double) + sizeof(int);
  return kEntry * static_cast<double>(factor_->ldlt.matrixL().nestedExpression().nonZeros());
}

void PartSolver::constrain(const Sparse& A) {
  A_ = A;
  const Eigen::Index r = A.rows();
  if (r == 0) {
    inverse_ = Cholesky(MatrixXd(R_.transpose() * MR_)).solve(MatrixXd(MatrixXd::Identity(6, 6)));
    return;
  }
  Y_.resize(A.cols(), r);
  for (Eigen::Index k = 0; k < r; ++k) {
    Y_.col(k) = factor_->ldlt.solve(VectorXd(MatrixXd(A.row(k)).transpose()));
    tick();
  }
  const MatrixXd AR = A * R_;
  MatrixXd Z = MatrixXd::Zero(r + 6, r + 6);
  Z.topLeftCorner(r, r) = A * Y_;
  Z.topRightCorner(r, 6) = AR;
  Z.bottomLeftCorner(6, r) = AR.transpose();
  // Scaled to entries of order 1: compliances are small compared with the rigid motions.
  VectorXd scale(r + 6);
  scale.head(r) = Z.diagonal().head(r).cwiseAbs().cwiseSqrt().cwiseInverse();
  scale.tail(6) = (scale.head(r).asDiagonal() * AR).colwise().norm().cwiseInverse();
  const MatrixXd scaled = scale.asDiagonal() * Z * scale.asDiagonal();
  inverse_ = solve_full_pivoting(scaled, MatrixXd::Identity(r + 6, r + 6));
  inverse_ = MatrixXd(scale.asDiagonal() * inverse_ * scale.asDiagonal());
}

VectorXd PartSolver::apply(const VectorXd& b) const {
  const Eigen::Index r = A_.rows();
  if (r == 0) {
    const VectorXd balanced = b - MR_ * (inverse_ * (R_.transpose() * b));
    const VectorXd y = factor_->ldlt.solve(balanced);
    tick();
    return y - R_ * (inverse_ * (MR_.transpose() * y));
  }
  const VectorXd y = factor_->ldlt.solve(b);
  tick();
  VectorXd rest(r + 6);
  rest << -(A_ * y), -(R_.transpose() * b);
  const VectorXd x = inverse_ * rest;
  return y + Y_ * x.head(r) + R_ * x.tail(6);
}

MatrixXd PartSolver::static_shapes() const {
  const Eigen::Index r = A_.rows();
  return Y_ * inverse_.topLeftCorner(r, r) + R_ * inverse_.bottomLeftCorner(6, r);
}

// ---- modes --------------------------------------------------------------------------------------

namespace {

// b -> u, deflated by the known modes, for Spectra.
struct Inverse {
  using Scalar = double;
  const PartSolver& solver;
  const MatrixXd& known;  // modes, u^T M u = 1
  const MatrixXd& M_known;
  Eigen::Index size;

  Eigen::Index rows() const { return size; }
  Eigen::Index cols() const { return size; }
  void set_shift(double /*sigma*/) {}
  void perform_op(const double* in, double* out) const {
    const VectorXd b = Eigen::Map<const VectorXd>(in, size);
    VectorXd u = solver.apply(b - M_known * (known.transpose() * b));
    u -= known * (M_known.transpose() * u);
    Eigen::Map<VectorXd>(out, size) = u;
  }
};

struct Product {
  using Scalar = double;
  const Sparse& M;
  Eigen::Index rows() const { return M.rows(); }
  Eigen::Index cols() const { return M.cols(); }
  void perform_op(const double* in, double* out) const {
    Eigen::Map<VectorXd>(out, M.rows()) = M * Eigen::Map<const VectorXd>(in, M.rows());
  }
};

}  // namespace

// All modes: with the compliance F = L L^T, the modes are L y, L^T M L y = y / omega^2.
PartSolver::Modes PartSolver::dense_modes(int count) const {
  const Eigen::Index n = M_.rows();
  MatrixXd F(n, n);
  for (Eigen::Index k = 0; k < n; ++k) F.col(k) = apply(VectorXd::Unit(n, k));
  const auto [compliances, axes] = eigen_symmetric(0.5 * (F + F.transpose()));
  const MatrixXd L = axes * compliances.cwiseMax(0).cwiseSqrt().asDiagonal();
  const auto [inverses, y] = eigen_symmetric(MatrixXd(L.transpose() * (M_ * L)));
  Modes out;
  constexpr double kInfinite = 1e-12;  // massless, or excluded by the constraints
  const Eigen::Index there = (inverses.array() > kInfinite * inverses(n - 1)).count();
  const Eigen::Index kept = std::min<Eigen::Index>(count, there);
  out.values.resize(kept);
  out.vectors.resize(n, kept);
  for (Eigen::Index k = 0; k < kept; ++k) {
    const double nu = inverses(n - 1 - k);
    out.values(k) = 1 / nu;
    out.vectors.col(k) = L * y.col(n - 1 - k) / std::sqrt(nu);
  }
  return out;
}

PartSolver::Modes PartSolver::lanczos_modes(int count, const Modes& known) const {
  const Eigen::Index n = M_.rows();
  const MatrixXd M_known = M_ * known.vectors;
  Inverse inverse{*this, known.vectors, M_known, n};
  Product product{M_};
  const Eigen::Index basis = std::min<Eigen::Index>(n, std::max(2 * count + 1, count + 20));
  Spectra::SymGEigsShiftSolver<Inverse, Product, Spectra::GEigsMode::ShiftInvert> solver(inverse, product, count, basis,
                                                                                         0.0);
  std::mt19937 random(1);  // fixed seed
  std::normal_distribution<double> normal;
  VectorXd start(n);
  for (double& x : start) x = normal(random);
  start = M_ * start;
  VectorXd first(n);
  inverse.perform_op(start.data(), first.data());
  solver.init(first.data());
  solver.compute(Spectra::SortRule::LargestMagn, 1000, kConverged, Spectra::SortRule::SmallestAlge);
  if (solver.info() != Spectra::CompInfo::Successful)
    throw NumericalError("the modes of the part were not found: Lanczos' method did not converge; ask for fewer modes");
  return {solver.eigenvalues(), solver.eigenvectors()};
}

PartSolver::Modes PartSolver::modes(int count) const {
  const Eigen::Index n = M_.rows(), forbidden = A_.rows() == 0 ? 6 : A_.rows();
  if (count <= 0) return {VectorXd(0), MatrixXd(n, 0)};
  if (n <= kDense || 3 * Eigen::Index{count} > n - forbidden) return dense_modes(count);
  Modes all = lanczos_modes(count, {VectorXd(0), MatrixXd(n, 0)});
  // Of equal frequencies (a round tube) Lanczos' method may find only one: search again, deflated by the known modes.
  for (int round = 0; round < kMaxRounds; ++round) {
    const Modes more = lanczos_modes(1, all);
    if (!(more.values(0) < all.values(all.values.size() - 1) * (1 - 1e-9))) break;
    VectorXd values(all.values.size() + 1);
    MatrixXd vectors(n, all.values.size() + 1);
    const Eigen::Index place = (all.values.array() <= more.values(0)).count(), rest = all.values.size() - place;
    values << all.values.head(place), more.values, all.values.tail(rest);
    vectors << all.vectors.leftCols(place), more.vectors, all.vectors.rightCols(rest);
    all = {values.head(count), vectors.leftCols(count)};
  }
  return all;
}

}  // namespace limber::body_impl
