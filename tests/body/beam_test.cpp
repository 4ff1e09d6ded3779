// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "beam_sampling.hpp"
#include "limber/body/body.hpp"
#include "support/close.hpp"

namespace limber {
namespace {

using test::frequency;
using test::Rule;
using test::thick_beam;
using test::thin_beam;
constexpr double kPi = std::numbers::pi;
constexpr BeamBasis kBases[] = {BeamBasis::clamped_free,  BeamBasis::free_free,  BeamBasis::pinned_free,
                                BeamBasis::craig_bampton, BeamBasis::polynomial, BeamBasis::custom};

void expect_same_integrals(const Body& a, const Body& b, double tolerance) {
  ASSERT_EQ(a.shapes(), b.shapes());
  const auto size = [&](int k) { return std::sqrt(b.c(k, k).trace()); };
  EXPECT_CLOSE(a.mass, b.mass, tolerance * b.mass);
  for (int k = 0; k < a.shapes(); ++k) {
    EXPECT_CLOSE(a.S.col(k), b.S.col(k), tolerance * size(k) * std::sqrt(b.mass)) << "S of shape " << k;
    for (int l = 0; l < a.shapes(); ++l)
      ASSERT_CLOSE(a.c(k, l), b.c(k, l), tolerance * size(k) * size(l)) << "C of shapes " << k << ", " << l;
  }
}

TEST(Beam, HasTheIntegralsOfItsPoints) {
  const Rule rule = test::make_rule(100);
  for (const BeamBasis basis : kBases) {
    for (const bool loaded : {false, true}) {
      BeamSpec spec = thick_beam(basis, {4, 3, 3, 3});
      if (loaded && static_cast<int>(basis) > 2) continue;
      if (loaded) spec.tip_mass = 5, spec.tip_inertia = 0.7;
      spec.damping = {0.01};
      const Body beam = make_beam_body(test::with_nodes(spec, rule), true);
      ASSERT_EQ(beam.pairs.size(), 10U + 6U);
      const Body points = make_modal_body(test::as_points(spec, beam, rule), true);
      ASSERT_EQ(points.pairs.size(), beam.pairs.size());
      expect_same_integrals(beam, points, 1e-13);
    }
  }
}

TEST(Beam, HasTheIntegralsOfItsPointsUpToMode50) {
  const Rule rule = test::make_rule(150);
  for (const BeamBasis basis : {BeamBasis::clamped_free, BeamBasis::free_free, BeamBasis::pinned_free,
                                BeamBasis::craig_bampton, BeamBasis::polynomial}) {
    const BeamSpec spec = thick_beam(basis, {50, 1, 12, 12});
    const Body beam = make_beam_body(test::with_nodes(spec, rule), false);
    expect_same_integrals(beam, make_modal_body(test::as_points(spec, beam, rule), false), 1e-13);
  }
}

TEST(Beam, ModesAreOrthonormal) {
  for (const BeamBasis basis : kBases) {
    for (const bool thick : {false, true}) {
      const int n = basis == BeamBasis::custom ? 12 : 50;
      const std::array<int, 4> modes{n, 9, 10, thick ? 10 : 0};
      const Body body = make_beam_body(thick ? thick_beam(basis, modes) : thin_beam(basis, modes), false);
      EXPECT_EQ((body.modal_mass() - MatrixXd::Identity(body.modes, body.modes)).cwiseAbs().maxCoeff(), 0);
      for (int a = 0; a < body.modes; ++a)
        for (int b = 0; b < body.modes; ++b)
          if (a != b) {
            ASSERT_EQ(body.stiffness(a, b), 0);
          }
    }
  }
}

TEST(Beam, StiffnessIsThatOfTheShapes) {
  const Rule rule = test::make_rule(60);
  for (const BeamBasis basis : kBases) {
    for (const bool loaded : {false, true}) {
      BeamSpec spec = thick_beam(basis, {6, 5, 4, 3});
      if (loaded && static_cast<int>(basis) > 2) continue;
      if (loaded) spec.tip_mass = 5, spec.tip_inertia = 0.7;
      const Body beam = make_beam_body(test::with_nodes(spec, rule), false);
      const MatrixXd K = test::stiffness_of_shapes(spec, beam, rule);
      for (int a = 0; a < beam.modes; ++a) {
        for (int b = 0; b < beam.modes; ++b) {
          // Differences of values amplify rounding by about (points^2).
          const double size = frequency(beam, a) * frequency(beam, b);
          EXPECT_CLOSE(K(a, b), beam.stiffness(a, b), 1e-10 * size) << a << ", " << b << " of basis " << int(basis);
        }
      }
    }
  }
}

// Root of cos beta cosh beta = -1.
long double clamped_free_root(int k) {
  long double beta = (2 * k - 1) * std::numbers::pi_v<long double> / 2;
  for (int pass = 0; pass < 8; ++pass) {
    const long double sech = 1 / std::cosh(beta);
    beta += (std::cos(beta) + sech) / (std::sin(beta) + sech * std::tanh(beta));
  }
  return beta;
}

// [Blevins 1979, table 8-1] and [Chang & Craig 1969] for the integrals: sigma = (sinh - sin) / (cosh + cos),
//   phi(1) = 2      phi'(1) = 2 beta sigma      int phi = 2 sigma / beta      int s phi = 2 / beta^2      (over the
//   sign of the tip)
TEST(Beam, ClampedFreeBendingHasItsClosedForms) {
  const Body body = make_beam_body(thin_beam(BeamBasis::clamped_free, {50, 50, 0, 0}), false);
  const double L = 2, m = 6, unit = 1 / std::sqrt(m);
  for (int k = 1; k <= 50; ++k) {
    const long double beta = clamped_free_root(k);
    const long double sigma = (std::sinh(beta) - std::sin(beta)) / (std::cosh(beta) + std::cos(beta));
    const double b = static_cast<double>(beta), s = static_cast<double>(sigma), sign = k % 2 == 1 ? 1 : -1;
    for (const int plane : {0, 1}) {
      const int a = 50 * plane + k - 1, axis = 1 + plane;
      const double EI = plane == 0 ? 100 : 400;
      EXPECT_NEAR(frequency(body, a) / (b * b * std::sqrt(EI / (m * L * L * L))), 1, 2e-15) << k;
      EXPECT_NEAR(body.S(axis, 1 + a) / (m * unit * sign * 2 * s / b), 1, 2e-15) << k;
      EXPECT_NEAR(body.c(0, 1 + a)(0, axis) / (m * L * unit * sign * 2 / (b * b)), 1, 1e-14)
          << k;  // cancels by 1/beta^2
      EXPECT_NEAR(body.nodes[1].translation(axis, a) / (2 * unit), 1, 2e-15) << k;
      EXPECT_NEAR(body.nodes[1].turn(2 - plane, a) / ((plane == 0 ? 1 : -1) * 2 * b * s * unit / L), 1, 2e-15) << k;
    }
  }
}

TEST(Beam, AxialAndTorsionHaveTheirClosedForms) {
  for (const BeamBasis basis : {BeamBasis::clamped_free, BeamBasis::pinned_free, BeamBasis::free_free}) {
    const Body body = make_beam_body(thick_beam(basis, {0, 0, 50, 50}), false);
    const double L = 2, m = 6, polar = 0.07 * L;
    const bool fixed = basis != BeamBasis::free_free;
    for (int k = 1; k <= 50; ++k) {
      const double gamma = fixed ? (k - 0.5) * kPi : k * kPi, sign = k % 2 == 1 ? 1 : -1;
      const int u = k, t = 50 + k;
      EXPECT_NEAR(frequency(body, u - 1) / (gamma * std::sqrt(5e4 / (m * L))), 1, 2e-15) << k;
      EXPECT_NEAR(frequency(body, t - 1) / (gamma * std::sqrt(30 / (polar * L))), 1, 2e-15) << k;
      EXPECT_NEAR(body.nodes[1].translation(0, u - 1) / std::sqrt(2 / m), 1, 2e-15) << k;
      EXPECT_NEAR(body.nodes[1].turn(0, t - 1) / std::sqrt(2 / polar), 1, 2e-15) << k;
      if (!fixed) {
        EXPECT_EQ(body.S.col(u), Vector3d::Zero()) << k;  // free modes do not move the centre of mass
        EXPECT_EQ(body.c(0, t), Matrix3d::Zero()) << k;
        continue;
      }
      EXPECT_NEAR(body.S(0, u) / (std::sqrt(2 * m) * sign / gamma), 1, 2e-15) << k;
      EXPECT_NEAR(body.c(0, u)(0, 0) / (std::sqrt(2 * m) * L / (gamma * gamma)), 1, 1e-14) << k;  // the same
      EXPECT_NEAR(body.c(0, t)(1, 2) / (0.02 * L * std::sqrt(2 / polar) * sign / gamma), 1, 2e-15) << k;
      EXPECT_NEAR(body.c(0, t)(2, 1) / (-0.05 * L * std::sqrt(2 / polar) * sign / gamma), 1, 2e-15) << k;
    }
  }
}

TEST(Beam, FreeModesKeepTheCentreOfMass) {
  const Body body = make_beam_body(thin_beam(BeamBasis::free_free, {50, 50, 0, 0}), false);
  for (int a = 1; a <= 100; ++a) {
    EXPECT_EQ(body.S.col(a), Vector3d::Zero()) << a;
    EXPECT_EQ(body.c(0, a), Matrix3d::Zero()) << a;
  }
  const Body pinned = make_beam_body(thin_beam(BeamBasis::pinned_free, {50, 0, 0, 0}), false);
  for (int a = 1; a <= 50; ++a) EXPECT_EQ(pinned.c(0, a), Matrix3d::Zero()) << a;  // no moment about the pin
}

// Which entries of C_ab may be nonzero: products of one component of each shape, averaged over the section.
TEST(Beam, IntegralsThatVanishBySymmetryAreZero) {
  for (const BeamBasis basis : kBases) {
    const Body body = make_beam_body(thick_beam(basis, {3, 3, 3, 3}), true);
    // Displacements of each family by component: 1 with the station, y or z with the offset in the section.
    const auto move = [&](int shape, int i) -> char {
      static const char* const kMoves[] = {"1yz", "y1-", "z-1", "1--", "-zy", "1--"};  // r, four families, pairs
      return kMoves[shape == 0 ? 0 : shape > 12 ? 5 : 1 + (shape - 1) / 3][i];
    };
    for (int a = 0; a < body.shapes(); ++a) {
      for (int b = 0; b < body.shapes(); ++b) {
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) {
            if (move(a, i) == move(b, j) && move(a, i) != '-') continue;
            ASSERT_EQ(body.c(a, b)(i, j), 0) << a << ", " << b << ": " << i << ", " << j;
          }
        }
      }
    }
  }
}

TEST(Beam, EqualPlanesAreEqual) {
  // EIy and EIz differ, the shapes do not: the same numbers in both planes, and C_yz like C_yy.
  const Body body = make_beam_body(thin_beam(BeamBasis::clamped_free, {4, 4, 0, 0}), true);
  for (int a = 1; a <= 4; ++a) {
    EXPECT_EQ(body.S(1, a), body.S(2, 4 + a));
    for (int b = 1; b <= 4; ++b) EXPECT_EQ(body.c(a, 4 + b)(1, 2), a == b ? 1 : 0);
  }
  // Different numbers of modes: the zeros remain.
  const Body other = make_beam_body(thin_beam(BeamBasis::clamped_free, {4, 3, 0, 0}), false);
  for (int a = 1; a <= 4; ++a)
    for (int b = 1; b <= 3; ++b) EXPECT_NEAR(other.c(a, 4 + b)(1, 2), a == b ? 1 : 0, a == b ? test::kEps : 0);
}

TEST(Beam, DampingIsARatio) {
  BeamSpec spec = thin_beam(BeamBasis::polynomial, {2, 1, 0, 0});
  spec.damping = {0.02};
  const Body one = make_beam_body(spec, false);
  spec.damping = {0.1, 0.2, 0.3};
  const Body each = make_beam_body(spec, false);
  for (int a = 0; a < 3; ++a) {
    EXPECT_NEAR(one.damping(a, a) / (2 * 0.02 * frequency(one, a)), 1, 1e-15);
    EXPECT_NEAR(each.damping(a, a) / (2 * 0.1 * (a + 1) * frequency(one, a)), 1, 1e-15);
  }
  EXPECT_EQ(one.damping(0, 1), 0);
}

}  // namespace
}  // namespace limber
