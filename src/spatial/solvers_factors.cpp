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

namespace {

MatrixXd upper_of(const Eigen::HouseholderQR<MatrixXd>& factor) {
  const MatrixXd& packed = factor.matrixQR();
  return packed.topRows(std::min(packed.rows(), packed.cols())).triangularView<Eigen::Upper>();
}

}  // namespace

ThinQr thin_qr(const MatrixXd& F) {
  const Eigen::HouseholderQR<MatrixXd> factor(F);
  return {factor.householderQ() * MatrixXd::Identity(F.rows(), std::min(F.rows(), F.cols())), upper_of(factor)};
}

MatrixXd lower_factor(const MatrixXd& F) { return upper_of(Eigen::HouseholderQR<MatrixXd>(F.transpose())).transpose(); }

}  // namespace limber
