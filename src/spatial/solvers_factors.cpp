// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <limits>

#include "limber/spatial/detail/factors.hpp"

namespace limber {

MatrixXd cholesky_factor(const MatrixXd& A) {
  const Eigen::LLT<MatrixXd> factor(A);
  if (factor.info() == Eigen::Success) return factor.matrixL();
  return MatrixXd::Constant(A.rows(), A.cols(), std::numeric_limits<double>::quiet_NaN());
}

MatrixXd lower_factor(const MatrixXd& F) {
  const Eigen::HouseholderQR<MatrixXd> factor(F.transpose());
  const Eigen::Index count = std::min(F.rows(), F.cols());
  return MatrixXd(factor.matrixQR().topRows(count).triangularView<Eigen::Upper>()).transpose();
}

}  // namespace limber
