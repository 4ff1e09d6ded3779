// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/linear/riccati.hpp"

#include "limber/spatial/detail/solvers.hpp"

namespace limber {

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
    if (more.norm() <= kSame * H.norm()) return H;
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
