// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "body/beam_roots.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace limber::body_impl {
namespace {

constexpr Real kPiReal = std::numbers::pi_v<Real>;
constexpr Real kLoads[] = {0, 1e-9L, 1e-4L, 0.03L, 1, 50, 1e4L, 1e9L};

void expect_relative(Real value, Real expected, Real tolerance) {
  EXPECT_LE(std::abs(value / expected - 1), tolerance)
      << static_cast<double>(value) << " " << static_cast<double>(expected);
}

// Frequency equations in closed form, over cosh beta: [Blevins 1979, table 8-1]; clamped with a tip load as in
// most papers on flexible arms.
Real frequency_equation(BeamRoot root, const BeamTip& tip, Real b) {
  const Real c = std::cos(b), s = std::sin(b), sech = 1 / std::cosh(b), th = std::tanh(b);
  switch (root) {
    case BeamRoot::clamped: {
      if (tip.clamped) return c - sech;
      const Real mu = b * tip.mass, j = b * b * b * tip.inertia;
      return (sech + c) + mu * (c * th - s) - j * (c * th + s) + mu * j * (sech - c);
    }
    case BeamRoot::pinned:
      return s - c * th;
    default:
      return tip.clamped ? c + sech : c - sech;
  }
}

TEST(BeamRoots, AreThoseOfTheTables) {
  // cases.md; [Blevins 1979, table 8-1].
  const auto clamped = beam_roots(BeamRoot::clamped, {}, 4);
  const Real expected[] = {1.87510406871L, 4.69409113297L, 7.85475743824L, 10.9955407349L};
  for (int k = 0; k < 4; ++k) expect_relative(clamped[k], expected[k], 5e-12L);
  const auto free = beam_roots(BeamRoot::free, {}, 3);
  const Real free_expected[] = {4.73004074486L, 7.85320462410L, 10.9956078380L};
  for (int k = 0; k < 3; ++k) expect_relative(free[k], free_expected[k], 5e-12L);
  const auto pinned = beam_roots(BeamRoot::pinned, {}, 3);
  const Real pinned_expected[] = {3.92660231205L, 7.06858274563L, 10.2101761228L};
  for (int k = 0; k < 3; ++k) expect_relative(pinned[k], pinned_expected[k], 5e-12L);
  const auto loaded = beam_roots(BeamRoot::clamped, {false, 1, 0}, 3);
  const Real loaded_expected[] = {1.24791740961L, 4.03113943671L, 7.13413224094L};
  for (int k = 0; k < 3; ++k) expect_relative(loaded[k], loaded_expected[k], 5e-12L);
}

TEST(BeamRoots, ApproachTheirAsymptotes) {
  const auto clamped = beam_roots(BeamRoot::clamped, {}, 60), pinned = beam_roots(BeamRoot::pinned, {}, 60),
             free = beam_roots(BeamRoot::free, {}, 60), held = beam_roots(BeamRoot::clamped, {true, 0, 0}, 60);
  for (int k = 15; k <= 60; ++k) {
    // The distance is about 2 e^-beta, below 1e-18 from here on.
    expect_relative(clamped[k - 1], (2 * k - 1) * kPiReal / 2, 1e-18L);
    expect_relative(pinned[k - 1], (4 * k + 1) * kPiReal / 4, 1e-18L);
    expect_relative(free[k - 1], (2 * k + 1) * kPiReal / 2, 1e-18L);
    expect_relative(held[k - 1], free[k - 1], 1e-18L);
  }
}

TEST(BeamRoots, SolveTheFrequencyEquation) {
  for (const BeamRoot root : {BeamRoot::clamped, BeamRoot::pinned, BeamRoot::free}) {
    for (const bool clamped : {false, true}) {
      const BeamTip tip{clamped, 0, 0};
      for (const Real b : beam_roots(root, tip, 60))
        EXPECT_LE(std::abs(frequency_equation(root, tip, b)), 4e-19L * (1 + b));
    }
  }
  for (const Real mass : kLoads) {
    for (const Real inertia : kLoads) {
      const BeamTip tip{false, mass, inertia};
      const auto f = [&](Real b) { return frequency_equation(BeamRoot::clamped, tip, b); };
      const auto roots = beam_roots(BeamRoot::clamped, tip, 60);
      for (std::size_t k = 0; k < roots.size(); ++k) {
        // Change of sign within a few rounding errors of beta; more for small beta, where the closed form itself
        // cancels.
        const Real b = roots[k], step = (b < 1 ? 1e-9L : 1e-16L) * b;
        EXPECT_LE(f(b - step) * f(b + step), 0) << static_cast<double>(mass) << " " << static_cast<double>(inertia);
        // One change of sign between neighbouring gaps: only pairs of roots could be missed, which the next test
        // detects.
        if (k < 2) continue;
        EXPECT_LT(f((roots[k - 2] + roots[k - 1]) / 2) * f((roots[k - 1] + roots[k]) / 2), 0) << k;
      }
    }
  }
}

// A tip load is a rank-two term in the mass matrix, a clamped tip its limit, so (Courant-Fischer)
//   free_{k-2} <= loaded_k <= free_k    and    held_{k-2} <= loaded_k <= held_k
TEST(BeamRoots, NoneIsMissedUnderAnyLoad) {
  for (const BeamRoot root : {BeamRoot::clamped, BeamRoot::pinned, BeamRoot::free}) {
    const auto free = beam_roots(root, {}, 60), held = beam_roots(root, {true, 0, 0}, 60);
    const int rigid = root == BeamRoot::clamped ? 0 : root == BeamRoot::pinned ? 1 : 2;
    for (const Real mass : kLoads) {
      for (const Real inertia : kLoads) {
        const auto loaded = beam_roots(root, {false, mass, inertia}, 60);
        ASSERT_EQ(loaded.size(), 60U);
        const Real slack = 1e-18L;
        for (int k = 0; k < 60; ++k) {
          EXPECT_LE(loaded[k], free[k] * (1 + slack));
          if (k >= 1) {
            EXPECT_GT(loaded[k], loaded[k - 1] * (1 + slack));
          }
          if (k >= 2) {
            EXPECT_GE(loaded[k], free[k - 2] * (1 - slack));
          }
          if (k + rigid < 60) {
            EXPECT_LE(loaded[k], held[k + rigid] * (1 + slack));
          }
          if (k + rigid >= 2) {
            EXPECT_GE(loaded[k], held[k + rigid - 2] * (1 - slack));
          }
        }
      }
    }
  }
}

TEST(BeamRoots, NeighboursAreToldApart) {
  // A mass that almost fixes the tip, and an inertia whose own frequency, beta^4 = 4/j, crosses the first roots of the
  // beam clamped at both ends (in slope): the roots approach each other and veer.
  Real closest = 1;
  for (int i = 0; i <= 400; ++i) {
    const Real beta = 3.5L + 0.01L * i;
    const auto roots = beam_roots(BeamRoot::clamped, {false, 1e8L, 1 / std::pow(beta, 4.0L)}, 6);
    for (int k = 1; k < 6; ++k) {
      EXPECT_LT(roots[k - 1], roots[k]);
      closest = std::min(closest, roots[k] / roots[k - 1] - 1);
    }
  }
  EXPECT_LT(closest, 0.5L);
}

TEST(BeamRoots, ShapesSatisfyTheEnds) {
  for (const BeamRoot root : {BeamRoot::clamped, BeamRoot::pinned, BeamRoot::free}) {
    for (const Real load : kLoads) {
      const BeamTip tip{false, load, load / 7};
      for (const Real beta : beam_roots(root, tip, 60)) {
        const BeamShape shape(root, tip, beta);
        const auto at_root = shape.at(0), at_tip = shape.at(1);
        Real size = 0;
        for (int i = 0; i <= 20; ++i)
          for (const Real phi : shape.at(i / 20.0L)) size = std::max(size, std::abs(phi));
        const int zero[3][2] = {{0, 1}, {0, 2}, {2, 3}};
        for (const int d : zero[static_cast<int>(root)]) EXPECT_LE(std::abs(at_root[d]), 1e-17L * size);
        const Real mu = beta * tip.mass, j = std::pow(beta, 3.0L) * tip.inertia;
        // phi is accurate to a few rounding errors of beta; a heavy load amplifies them in the residual.
        const Real rounding = 4e-19L * (2 + beta) * size;
        EXPECT_LE(std::abs(at_tip[3] + mu * at_tip[0]), rounding * (1 + mu)) << static_cast<double>(beta);
        EXPECT_LE(std::abs(at_tip[2] - j * at_tip[1]), rounding * (1 + j)) << static_cast<double>(beta);
      }
    }
  }
}

TEST(BeamRoots, SeriesAndWavesMeet) {
  // Both forms of the solutions are valid at beta = 3: loads with a root just below and just above it.
  for (const Real beta : {2.9999L, 3.0001L}) {
    const Real c = std::cos(beta), s = std::sin(beta), ch = std::cosh(beta), sh = std::sinh(beta);
    const Real inertia = (1 + c * ch) / (std::pow(beta, 3.0L) * (c * sh + s * ch));  // second root of a clamped beam
    const BeamTip tip{false, 0, inertia};
    const auto roots = beam_roots(BeamRoot::clamped, tip, 3);
    Real nearest = 1;
    for (const Real root : roots) nearest = std::min(nearest, std::abs(root / beta - 1));
    EXPECT_LE(nearest, 1e-17L);
  }
}

TEST(BarRoots, AreThoseOfTheTables) {
  const auto fixed = bar_roots(false, 0, 50), free = bar_roots(true, 0, 50);
  for (int k = 1; k <= 50; ++k) {
    expect_relative(fixed[k - 1], (2 * k - 1) * kPiReal / 2, 1e-18L);
    expect_relative(free[k - 1], k * kPiReal, 1e-18L);
  }
  const auto loaded = bar_roots(false, 1, 2);  // cases.md, bar-tip-mass
  expect_relative(loaded[0], 0.86033358902L, 5e-12L);
  expect_relative(loaded[1], 3.42561845948L, 5e-12L);
  for (const Real load : kLoads) {
    if (load == 0) continue;
    int k = 0;
    for (const Real g : bar_roots(false, load, 60)) {
      EXPECT_LE(std::abs(std::cos(g) - g * load * std::sin(g)), 1e-18L * (1 + g) * (1 + g * load));
      EXPECT_EQ(static_cast<int>(g / kPiReal), k++);
    }
    k = 0;
    for (const Real g : bar_roots(true, load, 60)) {
      EXPECT_LE(std::abs(std::sin(g) + g * load * std::cos(g)), 1e-18L * (1 + g) * (1 + g * load));
      EXPECT_EQ(static_cast<int>(g / kPiReal), k++);
    }
  }
}

}  // namespace
}  // namespace limber::body_impl
