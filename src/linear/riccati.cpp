// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/linear/riccati.hpp"

#include "limber/spatial/detail/factors.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

// N with N^T N = Q of a positive semidefinite Q, in coordinates of equal size; what rounding makes negative is zero.
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

// L L^T = 1 + F F^T
MatrixXd factor_with_one(const MatrixXd& F) {
  MatrixXd sum = F * F.transpose();
  sum.diagonal().array() += 1;
  return cholesky_factor(sum);
}

}  // namespace

// With G = L L^T, H = N^T N and P = N L a doubling
//   A' = A (1 + G H)^-1 A,   G' = G + A (1 + G H)^-1 G A^T,   H' = H + A^T H (1 + G H)^-1 A
// is, in factors, by (1 + G H)^-1 = 1 - L P^T (1 + P P^T)^-1 N:
//   L' L'^T = L L^T + A L (1 + P^T P)^-1 L^T A^T,   N'^T N' = N^T N + A^T N^T (1 + P P^T)^-1 N A
// Nothing but A' is a difference, so that H keeps its digits where |G| |H| is far beyond 1e10 (many undamped modes).
std::optional<MatrixXd> solve_riccati(const MatrixXd& A0, const MatrixXd& B, const MatrixXd& Q, const MatrixXd& R) {
  constexpr int kMax = 60;
  constexpr double kSame = 1e-16, kBeyond = 1e100;  // A goes to zero where there is a solution
  const auto lower = [](const MatrixXd& factor) { return factor.triangularView<Eigen::Lower>(); };
  MatrixXd A = A0, N = root_of(Q);
  MatrixXd L = lower(cholesky_factor(R)).solve(MatrixXd(B.transpose())).transpose();
  for (int k = 0; k < kMax; ++k) {
    const MatrixXd P = N * L;
    const MatrixXd V = factor_with_one(P), U = factor_with_one(P.transpose());
    const MatrixXd more_N = lower(V).solve(MatrixXd(N * A));
    const MatrixXd more_L = lower(U).solve(MatrixXd((A * L).transpose())).transpose();
    const MatrixXd taken = L * (P.transpose() * V.transpose().triangularView<Eigen::Upper>().solve(more_N));
    A = (A * (A - taken)).eval();
    N = lower_factor(side_by_side(N.transpose(), more_N.transpose())).transpose();
    L = lower_factor(side_by_side(L, more_L));
    if (!N.allFinite() || !L.allFinite() || !(A.cwiseAbs().maxCoeff() < kBeyond)) return std::nullopt;
    if (more_N.squaredNorm() <= kSame * N.squaredNorm()) return N.transpose() * N;
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
