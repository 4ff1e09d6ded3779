// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <Eigen/QR>
#include <Eigen/SVD>

#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

using Qr = Eigen::ColPivHouseholderQR<MatrixXd>;

Qr factorize(const MatrixXd& A, double threshold) {
  Qr qr(A.rows(), A.cols());
  if (threshold >= 0) qr.setThreshold(threshold);
  qr.compute(A);
  return qr;
}

}  // namespace

VectorXd solve_least_norm(const MatrixXd& A, const VectorXd& b) { return A.completeOrthogonalDecomposition().solve(b); }

PivotedQr pivoted_qr(const MatrixXd& A, double threshold) {
  const Qr qr = factorize(A, threshold);
  return {qr.matrixR().triangularView<Eigen::Upper>(), qr.colsPermutation().indices(), qr.rank()};
}

// Null space from A^T P = Q R: the columns of Q beyond the rank.
MatrixXd null_space(const MatrixXd& A, double threshold) {
  const Qr qr = factorize(A.transpose(), threshold);
  const MatrixXd Q = qr.householderQ();
  return Q.rightCols(A.cols() - qr.rank());
}

Svd svd(const MatrixXd& A, SvdParts parts) {
  const bool u = parts != SvdParts::full_v, v = parts != SvdParts::thin_u;
  const Eigen::JacobiSVD<MatrixXd> svd(
      A, (u ? unsigned{Eigen::ComputeThinU} : 0U) | (v ? unsigned{Eigen::ComputeFullV} : 0U));
  Svd out;
  out.values = svd.singularValues();
  if (u) out.U = svd.matrixU();
  if (v) out.V = svd.matrixV();
  return out;
}

}  // namespace limber
