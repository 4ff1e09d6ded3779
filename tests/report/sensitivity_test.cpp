// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/report/sensitivity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace limber::test {
namespace {

constexpr double kReach = std::numbers::pi;  // half range of the parameters of the Ishigami function
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// (runs x parameters) between 0 and 1: the additive recurrence of the generalised golden ratio, which fills the cube
// more evenly than random numbers.  [M. Roberts, The unreasonable effectiveness of quasirandom sequences, 2018]
MatrixXd spread(Eigen::Index runs, Eigen::Index parameters) {
  double phi = 1.5;
  for (int k = 0; k < 60; ++k) phi = std::pow(1 + phi, 1.0 / static_cast<double>(parameters + 1));
  MatrixXd out(runs, parameters);
  for (Eigen::Index i = 0; i < runs; ++i)
    for (Eigen::Index j = 0; j < parameters; ++j) {
      const double x = 0.5 + static_cast<double>(i + 1) * std::pow(phi, -static_cast<double>(j + 1));
      out(i, j) = x - std::floor(x);
    }
  return out;
}

MatrixXd random_sample(Eigen::Index runs, Eigen::Index parameters, unsigned seed) {
  std::mt19937_64 source(seed);
  MatrixXd out(runs, parameters);
  for (Eigen::Index i = 0; i < out.size(); ++i) out.data()[i] = static_cast<double>(source() >> 11) * 0x1p-53;
  return out;
}

double deviation(const VectorXd& x) {
  return std::sqrt((x.array() - x.mean()).square().sum() / static_cast<double>(x.size()));
}

double ishigami(double x1, double x2, double x3) {
  return std::sin(x1) + 7 * std::pow(std::sin(x2), 2) + 0.1 * std::pow(x3, 4) * std::sin(x1);
}

VectorXd ishigami(const MatrixXd& u) {
  VectorXd out(u.rows());
  for (Eigen::Index i = 0; i < u.rows(); ++i)
    out[i] = ishigami(kReach * (2 * u(i, 0) - 1), kReach * (2 * u(i, 1) - 1), kReach * (2 * u(i, 2) - 1));
  return out;
}

// Its Sobol indices in closed form, a = 7, b = 0.1.  [Ishigami and Homma 1990; Saltelli et al. 2008, §4.6]
struct IshigamiIndices {
  std::vector<double> first, total;
  IshigamiIndices() {
    const double a = 7, b = 0.1, V1 = 0.5 * std::pow(1 + b * std::pow(kReach, 4) / 5, 2), V2 = a * a / 8;
    const double V13 = b * b * std::pow(kReach, 8) * (1.0 / 18 - 1.0 / 50), V = V1 + V2 + V13;
    first = {V1 / V, V2 / V, 0};
    total = {(V1 + V13) / V, V2 / V, V13 / V};
  }
};

TEST(Sensitivity, OfALinearFunctionIsExact) {
  MatrixXd x = random_sample(60, 3, 1);
  x.col(1) = (1e5 + 2e3 * x.col(1).array()).matrix();
  const VectorXd b{{3, -2e-3, 0}};
  const VectorXd y = ((x * b).array() + 7).matrix();
  const Sensitivity found = compute_sensitivities(x, y)[0];
  EXPECT_EQ(found.runs, 60);
  EXPECT_NEAR(found.explained, 1, 1e-9);
  ASSERT_EQ(found.regression.size(), 3u);
  double sum = 0;
  for (Eigen::Index i = 0; i < 3; ++i) sum += std::pow(b[i] * deviation(x.col(i)), 2);
  for (Eigen::Index i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    EXPECT_NEAR(found.regression[k], b[i] * deviation(x.col(i)) / deviation(y), 1e-9) << i;
    EXPECT_NEAR(found.first[k], std::pow(b[i] * deviation(x.col(i)), 2) / sum, 1e-9) << i;
    EXPECT_NEAR(found.total[k], found.first[k], 1e-9) << i;
  }
  EXPECT_EQ(found.degree, 1);
}

// A product of independent factors: S_i = (v_i / m_i^2) / (prod(1 + v_k / m_k^2) - 1), and both share the interaction.
TEST(Sensitivity, OfAProductOfTwoParameters) {
  const MatrixXd x = spread(400, 2);
  const VectorXd y = ((1 + x.col(0).array()) * (2 + x.col(1).array())).matrix();
  const Sensitivity found = compute_sensitivities(x, y)[0];
  const double r0 = 1.0 / 12 / std::pow(1.5, 2), r1 = 1.0 / 12 / std::pow(2.5, 2), V = (1 + r0) * (1 + r1) - 1;
  EXPECT_NEAR(found.first[0], r0 / V, 2e-3);
  EXPECT_NEAR(found.first[1], r1 / V, 2e-3);
  EXPECT_NEAR(found.total[0], (r0 + r0 * r1) / V, 2e-3);
  EXPECT_NEAR(found.total[1], (r1 + r0 * r1) / V, 2e-3);
  EXPECT_EQ(found.degree, 2);
  EXPECT_NEAR(found.predicted, 1, 1e-9);
}

TEST(Sensitivity, OfIshigamiFromAnySample) {
  const IshigamiIndices want;
  for (const MatrixXd& u : {spread(2000, 3), random_sample(2000, 3, 5)}) {
    const Sensitivity found = compute_sensitivities(u, ishigami(u))[0];
    ASSERT_EQ(found.first.size(), 3u) << found.why_no_sobol;
    EXPECT_GT(found.predicted, 0.999);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(found.first[i], want.first[i], 0.012)
          << i;  // random samples would have an error of 1 / sqrt(2000) = 0.022
      EXPECT_NEAR(found.total[i], want.total[i], 0.012) << i;
    }
    EXPECT_LT(found.explained, 0.3) << "far from linear";
  }
}

TEST(Sensitivity, OfIshigamiFromSaltellisDesign) {
  const IshigamiIndices want;
  const Eigen::Index n = 4000;
  const MatrixXd both = spread(n, 6);
  MatrixXd u(5 * n, 3);
  u.topRows(n) = both.leftCols(3);
  u.middleRows(n, n) = both.rightCols(3);
  for (Eigen::Index i = 0; i < 3; ++i) {
    u.middleRows((i + 2) * n, n) = both.leftCols(3);
    u.middleRows((i + 2) * n, n).col(i) = both.col(3 + i);
  }
  VectorXd y = ishigami(u);
  y[17] = y[3 * n + 4] = kNone;  // two points are unusable
  const Sensitivity found = compute_sensitivities(u, y, n)[0];
  ASSERT_EQ(found.first.size(), 3u) << found.why_no_sobol;
  EXPECT_EQ(found.points, n - 2);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(found.first[i], want.first[i], 0.02) << i;
    EXPECT_NEAR(found.total[i], want.total[i], 0.02) << i;
  }
}

TEST(Sensitivity, LeavesOutWhatIsNotFinite) {
  const MatrixXd x = random_sample(80, 2, 2);
  MatrixXd y(80, 2);
  y.col(0) = 2 * x.col(0) + x.col(1);
  y.col(1) = y.col(0);
  for (Eigen::Index i = 0; i < 80; i += 4) y(i, 1) = i % 8 == 0 ? kNone : std::numeric_limits<double>::infinity();
  const auto found = compute_sensitivities(x, y);
  EXPECT_EQ(found[0].runs, 80);
  EXPECT_EQ(found[1].runs, 60);
  EXPECT_NEAR(found[1].explained, 1, 1e-12);
}

TEST(Sensitivity, SaysWhyThereIsNone) {
  MatrixXd x = random_sample(50, 2, 3);
  const VectorXd y = x.col(0);
  // No runs with a result, one run, too few for a fit.
  EXPECT_EQ(compute_sensitivities(x, VectorXd::Constant(50, kNone))[0].why_no_sobol,
            "fewer than two runs have the result");
  EXPECT_EQ(compute_sensitivities(MatrixXd(0, 2), MatrixXd(0, 1))[0].runs, 0);
  EXPECT_EQ(compute_sensitivities(x.topRows(3), y.head(3))[0].why_no_regression, "3 runs are too few for 2 parameters");
  EXPECT_EQ(compute_sensitivities(x.topRows(3), y.head(3))[0].why_no_sobol, "3 runs are too few");
  // Constant parameters.
  EXPECT_EQ(compute_sensitivities(x, VectorXd::Constant(50, 4.2))[0].why_no_regression, "the result does not vary");
  EXPECT_EQ(compute_sensitivities(MatrixXd::Ones(50, 2), y)[0].why_no_sobol, "no parameter varies");
  EXPECT_EQ(compute_sensitivities(MatrixXd(50, 0), y)[0].why_no_regression, "no parameter varies");
  // A constant parameter has no share.
  MatrixXd half = x;
  half.col(1).setConstant(5);
  const Sensitivity one = compute_sensitivities(half, y)[0];
  EXPECT_NEAR(one.regression[0], 1, 1e-12);
  EXPECT_EQ(one.regression[1], 0);
  EXPECT_EQ(one.total[1], 0);
  // Linearly dependent parameters, and noise.
  MatrixXd twins = x;
  twins.col(1) = 3 * x.col(0);
  EXPECT_EQ(compute_sensitivities(twins, y)[0].why_no_regression, "some parameters always vary together");
  EXPECT_TRUE(compute_sensitivities(twins, y)[0].why_no_sobol.starts_with("parameters are correlated"));
  const VectorXd noise = random_sample(50, 1, 9);
  EXPECT_TRUE(compute_sensitivities(x, noise)[0].why_no_sobol.starts_with("no polynomial predicts the result"));
}

// A grid of few levels is sufficient for the degrees it resolves.
TEST(Sensitivity, OfAGrid) {
  MatrixXd x(5 * 4 * 3, 3);
  for (Eigen::Index i = 0; i < x.rows(); ++i) x.row(i) << double(i / 12), double(i / 3 % 4), double(i % 3);
  const VectorXd y = (x.col(0).array().square() + 2 * x.col(1).array()).matrix();
  const Sensitivity found = compute_sensitivities(x, y)[0];
  const double V0 = std::pow(deviation(x.col(0).array().square().matrix()), 2),
               V1 = 4 * std::pow(deviation(x.col(1)), 2);
  EXPECT_NEAR(found.first[0], V0 / (V0 + V1), 1e-9);
  EXPECT_NEAR(found.first[1], V1 / (V0 + V1), 1e-9);
  EXPECT_NEAR(found.total[2], 0, 1e-9);
}

}  // namespace
}  // namespace limber::test
