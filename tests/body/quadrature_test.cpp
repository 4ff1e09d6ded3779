// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "body/quadrature.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <vector>

namespace limber::body_impl {
namespace {

constexpr Real kTiny = 1e-17L;  // about a hundred rounding errors of long double

TEST(Quadrature, GaussRuleIntegratesPowers) {
  for (const int n : {1, 2, 5, 8, 31, 64}) {
    const GaussRule& rule = gauss_rule(n);
    for (int k = 0; k < 2 * n; ++k) {
      const Real sum = rule.w.dot(VectorR(rule.x.array().pow(static_cast<Real>(k))));
      EXPECT_NEAR(static_cast<double>((sum * (k + 1) - 1) / kTiny), 0, 1) << n << " points, power " << k;
    }
    // One degree more is not integrated exactly.
    const Real above = rule.w.dot(VectorR(rule.x.array().pow(static_cast<Real>(2 * n))));
    if (n < 8) {
      EXPECT_GT(std::abs(above * (2 * n + 1) - 1), 1e-12L);
    }
  }
}

TEST(Quadrature, RunningWeightsIntegrateFromZero) {
  const int n = 40;
  const GaussRule& rule = gauss_rule(n);
  const VectorR f = (7 * rule.x).array().cos();
  const VectorR at_points = running_weights(n) * f;
  for (int i = 0; i < n; ++i)
    EXPECT_NEAR(static_cast<double>((at_points(i) - std::sin(7 * rule.x(i)) / 7) / kTiny), 0, 1) << i;
  const VectorR ends = (VectorR(4) << 0, 0.3L, 0.77L, 1).finished();
  const VectorR at_ends = running_weights(n, ends) * f;
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(static_cast<double>((at_ends(i) - std::sin(7 * ends(i)) / 7) / kTiny), 0, 1) << i;
}

TEST(Quadrature, LegendreDerivativesAreDerivatives) {
  // P_k solves (1 - t^2) P'' - 2 t P' + k (k+1) P = 0, t = 2x - 1; d/dt = 1/2 d/dx.
  const VectorR x = (VectorR(5) << 0, 0.1L, 0.5L, 0.83L, 1).finished();
  const LegendreTable table = legendre(x, 30);
  for (int k = 0; k < 30; ++k) {
    for (int i = 0; i < 5; ++i) {
      const Real t = 2 * x(i) - 1;
      const Real residual =
          (1 - t * t) * table.curvature(i, k) / 4 - t * table.slope(i, k) + k * (k + 1) * table.value(i, k);
      EXPECT_LE(std::abs(residual), kTiny * (1 + k * k * k * k)) << k << " at " << i;
    }
    EXPECT_EQ(table.value(4, k), 1);
    EXPECT_EQ(table.slope(4, k), k * (k + 1));
  }
}

TEST(Quadrature, RulesAreSharedBetweenThreads) {
  std::vector<const GaussRule*> seen(8, nullptr);
  std::vector<std::thread> threads;
  for (auto& slot : seen) threads.emplace_back([&slot] { slot = &gauss_rule(77); });
  for (std::thread& thread : threads) thread.join();
  for (const GaussRule* rule : seen) EXPECT_EQ(rule, seen[0]);
}

}  // namespace
}  // namespace limber::body_impl
