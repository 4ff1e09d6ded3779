// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/linear/riccati.hpp"

#include <cmath>

#include "limber/spatial/detail/factors.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

// N with N^T N = Q of a positive semidefinite Q, scaled to unit diagonal; eigenvalues negative by rounding are set to
// zero.
MatrixXd root_of(const MatrixXd& Q) {
  const VectorXd scale =
      Q.diagonal().unaryExpr([](double square) { return square > 0 ? std::sqrt(square) : 1.0; }).eval();
  const VectorXd inverse = scale.cwiseInverse();
  const SymmetricEigen parts = eigen_symmetric(inverse.asDiagonal() * Q * inverse.asDiagonal());
  const VectorXd roots = parts.values.cwiseMax(0.0).cwiseSqrt();
  return roots.asDiagonal() * parts.vectors.transpose() * scale.asDiagonal();
}

MatrixXd side_by_side(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd out(a.rows(), a.cols() + b.cols());
  out << a, b;
  return out;
}

// (1; F) = Q R, so that R^T R = 1 + F^T F and R^-T F^T is the transpose of the lower part of Q.
ThinQr factor_with_one(const MatrixXd& F) {
  MatrixXd both(F.cols() + F.rows(), F.cols());
  both << MatrixXd::Identity(F.cols(), F.cols()), F;
  return thin_qr(both);
}

// A R^-1, R upper triangular.
MatrixXd divide(const MatrixXd& A, const MatrixXd& R) {
  return R.transpose().triangularView<Eigen::Lower>().solve(A.transpose()).transpose();
}

}  // namespace

// With G = L L^T, H = N^T N and P = N L, a step of the doubling algorithm
//   A' = A (1 + G H)^-1 A,   G' = G + A (1 + G H)^-1 G A^T,   H' = H + A^T H (1 + G H)^-1 A
// is, in terms of the factors, by (1 + G H)^-1 = 1 - L (1 + P^T P)^-1 P^T N:
//   L' L'^T = L L^T + A L (1 + P^T P)^-1 L^T A^T,   N'^T N' = N^T N + A^T N^T (1 + P P^T)^-1 N A
// Only A' involves a difference, and P is never squared, so that H stays accurate if |G| |H| is far above 1e10: many
// undamped modes, zeros outside the unit circle.
std::optional<MatrixXd> solve_riccati(const MatrixXd& A0, const MatrixXd& B, const MatrixXd& Q, const MatrixXd& R) {
  constexpr int kMax = 60;
  constexpr double kSame = 1e-16, kBeyond = 1e100;  // A tends to zero if a solution exists
  MatrixXd A = A0, N = root_of(Q), L = divide(B, cholesky_factor(R).transpose());
  for (int k = 0; k < kMax; ++k) {
    const MatrixXd P = N * L, NA = N * A;
    const ThinQr one = factor_with_one(P), other = factor_with_one(P.transpose());
    const MatrixXd LR = divide(L, one.R);
    const MatrixXd more_L = A * LR, more_Nt = divide(NA.transpose(), other.R);
    A = (A * (A - LR * (one.Q.bottomRows(N.rows()).transpose() * NA))).eval();
    N = lower_factor(side_by_side(N.transpose(), more_Nt)).transpose();
    L = lower_factor(side_by_side(L, more_L));
    if (!N.allFinite() || !L.allFinite() || !(A.cwiseAbs().maxCoeff() < kBeyond)) return std::nullopt;
    if (more_Nt.squaredNorm() <= kSame * N.squaredNorm()) return N.transpose() * N;
  }
  return std::nullopt;
}

Sampled sample(const MatrixXd& A, const MatrixXd& B, double period) {
  const Eigen::Index n = A.rows(), m = B.cols();
  MatrixXd both = MatrixXd::Zero(n + m, n + m);
  both.topLeftCorner(n, n) = A * period;
  both.topRightCorner(n, m) = B * period;
  const MatrixXd e = matrix_exponential(both);
  return {e.topLeftCorner(n, n), e.topRightCorner(n, m)};
}

}  // namespace limber
