// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/learning.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace limber {
namespace {

constexpr double kWidth = 4;  // half width of the Gaussian filter, in standard deviations

}  // namespace

MatrixXd learn_offsets(const MatrixXd& offsets, const MatrixXd& error, double step, double cutoff) {
  // exp(-(2 pi f sigma)^2 / 2) is 3 dB down at f = cutoff.
  const double sigma = std::sqrt(std::numbers::ln2) / (2 * std::numbers::pi * cutoff);
  const auto reach = static_cast<Eigen::Index>(std::ceil(kWidth * sigma / step));
  MatrixXd out = offsets;
  for (Eigen::Index k = 0; k < error.rows(); ++k) {
    VectorXd sum = VectorXd::Zero(error.cols());
    double weights = 0;
    for (Eigen::Index j = k - reach; j <= k + reach; ++j) {
      const double t = static_cast<double>(j - k) * step / sigma, weight = std::exp(-0.5 * t * t);
      weights += weight;
      if (j >= 0) sum += weight * error.row(std::min(j, error.rows() - 1)).transpose();  // zero before the start
    }
    // A smooth start from zero, within a period of the cutoff.
    const double x = std::min(1.0, static_cast<double>(k) * step * cutoff);
    out.row(k) += x * x * x * (10 - 15 * x + 6 * x * x) / weights * sum.transpose();
  }
  return out;
}

std::vector<Signal> make_offsets(const VectorXd& t, const MatrixXd& offsets) {
  std::vector<Signal> out;
  for (Eigen::Index k = 0; k < offsets.cols(); ++k)
    out.push_back(Signal::table(t, offsets.col(k), Interpolation::quintic));
  return out;
}

}  // namespace limber
