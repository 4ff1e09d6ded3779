// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/linear/riccati.hpp"

#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

// Newton's step (Hewer, IEEE Trans. Automatic Control 16, 1971): X = C^T X C + Q + K^T R K of the loop C = A - B K, by
// doubling (Smith 1968), a sum of positive terms that keeps the digits which the doubling above loses to scales.
MatrixXd refine_riccati(const MatrixXd& A, const MatrixXd& B, const MatrixXd& Q, const MatrixXd& R, const MatrixXd& X) {
  constexpr int kMost = 60;
  constexpr double kSame = 1e-15;
  const MatrixXd K = Cholesky(R + B.transpose() * X * B).solve(MatrixXd(B.transpose() * X * A));
  MatrixXd C = A - B * K, out = Q + K.transpose() * R * K;
  for (int k = 0; k < kMost; ++k) {
    const MatrixXd more = C.transpose() * out * C;
    out += more;
    if (!out.allFinite()) return X;
    if (more.norm() <= kSame * out.norm()) return 0.5 * (out + out.transpose());
    C = (C * C).eval();
  }
  return X;
}

}  // namespace

std::optional<MatrixXd> solve_riccati(const MatrixXd& A0, const MatrixXd& B, const MatrixXd& Q, const MatrixXd& R) {
  constexpr int kMax = 60;
  constexpr double kSame = 1e-13, kBeyond = 1e100;  // A goes to zero where there is a solution
  MatrixXd A = A0, G = B * Cholesky(R).solve(MatrixXd(B.transpose())), H = Q;
  const MatrixXd one = MatrixXd::Identity(A.rows(), A.cols());
  for (int k = 0; k < kMax; ++k) {
    const Lu W(one + G * H);
    const MatrixXd V1 = W.solve(A), V2 = W.solve(G);
    const MatrixXd more = A.transpose() * H * V1;
    G += A * V2 * A.transpose();
    H += 0.5 * (more + more.transpose());
    G = 0.5 * (G + G.transpose()).eval();
    A = (A * V1).eval();
    if (!H.allFinite() || !(A.cwiseAbs().maxCoeff() < kBeyond)) return std::nullopt;
    if (more.norm() <= kSame * H.norm()) return refine_riccati(A0, B, Q, R, H);
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
