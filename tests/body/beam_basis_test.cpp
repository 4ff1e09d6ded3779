// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "beam_sampling.hpp"
#include "body/beam_roots.hpp"
#include "limber/body/body.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "support/close.hpp"

namespace limber {
namespace {

using test::frequency;
using test::thick_beam;
using test::thin_beam;

BeamSpec unit_beam(BeamBasis basis, int modes) {
  BeamSpec spec = thin_beam(basis, {modes, 0, 0, 0});
  spec.length = spec.mass_per_length = spec.EIz = 1;
  return spec;
}

double square(long double beta) { return static_cast<double>(beta * beta); }

const Node& tip_of(const Body& body) { return body.nodes[static_cast<std::size_t>(body.node_index("tip"))]; }

// Frequencies of the beam with fixed frame and a tip load.
VectorXd loaded_frequencies(const Body& body, double mass, double inertia) {
  const Node& tip = tip_of(body);
  const MatrixXd M = body.modal_mass() + mass * tip.translation.transpose() * tip.translation +
                     inertia * tip.turn.transpose() * tip.turn;
  // Scaled by K: the lowest frequencies become the largest eigenvalues, which are the most accurate.
  const VectorXd scale = body.stiffness.diagonal().cwiseSqrt().cwiseInverse();
  const MatrixXd scaled = scale.asDiagonal() * M * scale.asDiagonal();
  const VectorXd squares = eigenvalues_symmetric(scaled);
  return squares.reverse().cwiseInverse().cwiseSqrt();
}

// Frequencies of the free beam in y: the modes with rigid translation and rotation.  theory §2, M_m.
VectorXd free_frequencies(const Body& body, int modes) {
  MatrixXd M = MatrixXd::Zero(2 + modes, 2 + modes), K = M;
  M(0, 0) = body.mass;
  M(0, 1) = M(1, 0) = body.S(0, 0);
  M(1, 1) = body.c(0, 0)(0, 0) + body.c(0, 0)(1, 1);
  M.bottomRightCorner(modes, modes) = body.modal_mass().topLeftCorner(modes, modes);
  K.bottomRightCorner(modes, modes) = body.stiffness.topLeftCorner(modes, modes);
  for (int a = 1; a <= modes; ++a) {
    M(0, 1 + a) = M(1 + a, 0) = body.S(1, a);
    M(1, 1 + a) = M(1 + a, 1) = body.c(0, a)(0, 1) - body.c(0, a)(1, 0);  // ax(C)_z of x phi_y - y phi_x
  }
  return eigenvalues_generalized(K, M).tail(modes).cwiseSqrt();
}

TEST(BeamBasis, LoadedEigenshapesAreExactWithTheirLoad) {
  for (const double mass : {0.0, 0.01, 1.0, 300.0}) {
    for (const double inertia : {0.0, 0.001, 0.5, 100.0}) {
      BeamSpec spec = unit_beam(BeamBasis::clamped_free, 8);
      spec.tip_mass = mass;
      spec.tip_inertia = inertia;
      const VectorXd omega = loaded_frequencies(make_beam_body(spec, false), mass, inertia);
      const auto beta = body_impl::beam_roots(body_impl::BeamRoot::clamped, {false, mass, inertia}, 8);
      for (int k = 0; k < 8; ++k) {
        // The eigensolver is accurate relative to the largest period.
        const double ratio = omega(k) / omega(0);
        EXPECT_NEAR(omega(k) / square(beta[static_cast<std::size_t>(k)]), 1, 1e-14 * (1 + ratio * ratio))
            << mass << ", " << inertia << ": " << k;
      }
    }
  }
}

TEST(BeamBasis, LoadedBarsAndShaftsAreExactWithTheirLoad) {
  BeamSpec spec = thick_beam(BeamBasis::clamped_free, {0, 0, 4, 0});
  spec.tip_mass = 6;  // cases.md, bar-tip-mass
  const VectorXd bar = loaded_frequencies(make_beam_body(spec, false), 6, 0);
  EXPECT_NEAR(bar(0) / (0.86033358902 * std::sqrt(5e4 / 12)), 1, 1e-11);
  EXPECT_NEAR(bar(1) / (3.42561845948 * std::sqrt(5e4 / 12)), 1, 1e-11);
  spec.modes = {0, 0, 0, 4};
  spec.tip_mass = 0;
  spec.tip_inertia = 0.14;  // that of the whole shaft
  const VectorXd shaft = loaded_frequencies(make_beam_body(spec, false), 0, 0.14);
  EXPECT_NEAR(shaft(0) / (0.86033358902 * std::sqrt(30 / 0.28)), 1, 1e-11);
  EXPECT_NEAR(shaft(1) / (3.42561845948 * std::sqrt(30 / 0.28)), 1, 1e-11);
}

// cases.md, Lessons: first and second frequency too high with a tip mass equal to the beam's.
TEST(BeamBasis, RayleighRitzValuesUnderATipMass) {
  const double first = 1.24791740961 * 1.24791740961, second = 4.03113943671 * 4.03113943671;
  const auto excess = [&](BeamBasis basis, int modes, int k) {
    return loaded_frequencies(make_beam_body(unit_beam(basis, modes), false), 1, 0)(k) / (k == 0 ? first : second) - 1;
  };
  const double half_digit = 0.05;  // the table has two
  EXPECT_NEAR(excess(BeamBasis::clamped_free, 1, 0) / 9.7e-3, 1, half_digit);
  EXPECT_NEAR(excess(BeamBasis::clamped_free, 2, 0) / 1.5e-3, 1, half_digit);
  EXPECT_NEAR(excess(BeamBasis::clamped_free, 2, 1) / 1.9e-2, 1, half_digit);
  EXPECT_NEAR(excess(BeamBasis::clamped_free, 4, 0) / 2.0e-4, 1, half_digit);
  EXPECT_NEAR(excess(BeamBasis::clamped_free, 4, 1) / 2.5e-3, 1, half_digit);
  EXPECT_NEAR(excess(BeamBasis::polynomial, 4, 0) / 8.2e-8, 1, half_digit);
  EXPECT_NEAR(excess(BeamBasis::polynomial, 4, 1) / 1.3e-3, 1, half_digit);
}

// cases.md, beam-free-free: Rayleigh-Ritz with rotary inertia in the same basis.
TEST(BeamBasis, FreeBeamWithRotaryInertia) {
  BeamSpec spec = thin_beam(BeamBasis::free_free, {3, 0, 0, 0});
  spec.rotary_inertia_y = spec.rotary_inertia_z = 0.003;
  const VectorXd omega = free_frequencies(make_beam_body(spec, false), 3);
  const double expected[] = {32.0951107696, 87.8297502518, 170.576780057};
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(omega(k) / expected[k], 1, 1e-11);
  spec.EIz = 400;
  spec.modes = {2, 0, 0, 0};
  const VectorXd stiffer = free_frequencies(make_beam_body(spec, false), 2);
  EXPECT_NEAR(stiffer(0) / 64.1903085015, 1, 1e-11);
  EXPECT_NEAR(stiffer(1) / 175.659500504, 1, 1e-11);
}

// A heavy load on free and pinned beams: with load and rigid motions included, the eigenshapes are exact.
TEST(BeamBasis, LoadedFreeBeamIsExact) {
  BeamSpec spec = unit_beam(BeamBasis::free_free, 5);
  spec.tip_mass = 2;
  spec.tip_inertia = 0.3;
  Body body = make_beam_body(spec, false);
  // With the load merged into the body, its mass integrals are those of a point with a plane inertia.
  const Node& tip = tip_of(body);
  body.mass += 2;
  body.S.col(0).x() += 2;
  body.C[0](0, 0) += 2 + 0.3;  // in the plane only the sum of xx and yy matters
  for (int a = 1; a <= 5; ++a) {
    const double w = tip.translation(1, a - 1), slope = tip.turn(2, a - 1);
    body.S(1, a) += 2 * w;
    body.C[static_cast<std::size_t>(a)](0, 1) += 2 * w + 0.3 * slope;
    for (int b = 1; b <= 5; ++b)
      body.C[static_cast<std::size_t>(6 * a + b)](1, 1) +=
          2 * w * tip.translation(1, b - 1) + 0.3 * slope * tip.turn(2, b - 1);
  }
  const VectorXd omega = free_frequencies(body, 5);
  const auto beta = body_impl::beam_roots(body_impl::BeamRoot::free, {false, 2, 0.3L}, 5);
  for (int k = 0; k < 5; ++k) {
    EXPECT_NEAR(omega(k) / square(beta[static_cast<std::size_t>(k)]), 1, 1e-11) << k;
  }
}

TEST(BeamBasis, PolynomialsAreASpanNotAList) {
  // The monomials of the same degrees as custom shapes, in both orders.
  for (const bool thick : {false, true}) {
    const std::array<int, 4> modes{6, 5, 4, thick ? 3 : 0};
    const auto make = [&](BeamBasis basis) { return thick ? thick_beam(basis, modes) : thin_beam(basis, modes); };
    const Body poly = make_beam_body(make(BeamBasis::polynomial), true);
    BeamSpec custom = make(BeamBasis::custom);
    for (const bool reversed : {false, true}) {
      if (reversed) {
        for (auto& shapes : custom.shapes) std::reverse(shapes.begin(), shapes.end());
      }
      const Body body = make_beam_body(custom, true);
      for (int a = 0; a < poly.modes; ++a) EXPECT_NEAR(frequency(body, a) / frequency(poly, a), 1, 1e-12);
      for (int a = 0; a < poly.shapes(); ++a)
        for (int b = 0; b < poly.shapes(); ++b)
          ASSERT_CLOSE(body.c(a, b), poly.c(a, b), 1e-11 * std::sqrt(poly.c(a, a).trace() * poly.c(b, b).trace()));
    }
  }
}

TEST(BeamBasis, PolynomialsConvergeToTheExactModes) {
  const auto beta = body_impl::beam_roots(body_impl::BeamRoot::clamped, {}, 20);
  for (const int n : {20, 30, 60, 100}) {
    const Body body = make_beam_body(unit_beam(BeamBasis::polynomial, n), false);
    for (int k = 0; k < n / 5; ++k) {
      EXPECT_NEAR(frequency(body, k) / square(beta[static_cast<std::size_t>(k)]), 1, 1e-13)
          << n << " polynomials, mode " << k + 1;
    }
  }
}

// The tip compliance in deflection and slope is exact, L^3/3EI, L^2/2EI, L/EI, for any number of modes.
TEST(BeamBasis, StaticShapesGiveTheExactTipStiffness) {
  for (const BeamBasis basis : {BeamBasis::craig_bampton, BeamBasis::polynomial}) {
    for (const int n : {2, 3, 5, 20}) {
      const Body body = make_beam_body(thick_beam(basis, {n, n, 1, 1}), false);
      const MatrixXd flexibility = body.stiffness.diagonal().cwiseInverse().asDiagonal();
      const Node& tip = tip_of(body);
      const MatrixXd bend = tip.translation * flexibility * tip.translation.transpose();
      const MatrixXd mixed = tip.translation * flexibility * tip.turn.transpose();
      const MatrixXd turn = tip.turn * flexibility * tip.turn.transpose();
      const double L = 2;
      EXPECT_NEAR(bend(1, 1) / (L * L * L / 300), 1, 1e-14) << n;
      EXPECT_NEAR(bend(2, 2) / (L * L * L / 1200), 1, 1e-14) << n;
      EXPECT_NEAR(bend(0, 0) / (L / 5e4), 1, 1e-14) << n;
      EXPECT_NEAR(mixed(1, 2) / (L * L / 200), 1, 1e-14) << n;
      EXPECT_NEAR(mixed(2, 1) / (-L * L / 800), 1, 1e-14) << n;
      EXPECT_NEAR(turn(2, 2) / (L / 100), 1, 1e-14) << n;
      EXPECT_NEAR(turn(1, 1) / (L / 400), 1, 1e-14) << n;
      EXPECT_NEAR(turn(0, 0) / (L / 30), 1, 1e-14) << n;
    }
  }
}

TEST(BeamBasis, CraigBamptonKeepsTheFixedInterfaceModes) {
  // With the tip clamped (two constraints on n modes) there remain the n - 2 clamped-clamped frequencies.
  const Body body = make_beam_body(unit_beam(BeamBasis::craig_bampton, 7), false);
  MatrixXd constraints(2, 7);
  constraints << tip_of(body).translation.row(1), tip_of(body).turn.row(2);
  const MatrixXd kernel = null_space(constraints);
  const VectorXd squares = eigenvalues_symmetric(MatrixXd(kernel.transpose() * body.stiffness * kernel));
  const auto beta = body_impl::beam_roots(body_impl::BeamRoot::clamped, {true, 0, 0}, 5);
  for (int k = 0; k < 5; ++k) {
    EXPECT_NEAR(std::sqrt(squares[k]) / square(beta[static_cast<std::size_t>(k)]), 1, 1e-11) << k;
  }
}

TEST(BeamBasis, ModesRiseAndAreUpAtTheTip) {
  for (int basis = 0; basis < 6; ++basis) {
    const int n = basis == 5 ? 6 : 30;
    const std::array<int, 4> modes{n, n, n, n};
    const Body body = make_beam_body(thick_beam(static_cast<BeamBasis>(basis), modes), false);
    for (int a = 0; a < body.modes; ++a) {
      const Node& tip = body.nodes[1];
      const double up = a < n       ? tip.translation(1, a)
                        : a < 2 * n ? tip.translation(2, a)
                        : a < 3 * n ? tip.translation(0, a)
                                    : tip.turn(0, a);
      EXPECT_GT(up, 0) << a;
      if (a % n == 0) continue;
      EXPECT_GT(frequency(body, a), frequency(body, a - 1)) << a;
    }
  }
  EXPECT_EQ(make_beam_body(thick_beam(BeamBasis::polynomial, {2, 1, 1, 1}), false).mode_names,
            (std::vector<std::string>{"bending_y1", "bending_y2", "bending_z1", "axial1", "torsion1"}));
}

TEST(BeamBasis, TipThatStandsStillIsJudgedByItsSlope) {
  BeamSpec spec = unit_beam(BeamBasis::custom, 1);
  spec.shapes[0] = {{0, 0, 1, -1}};  // x^2 (1 - x): negative tip slope as given
  const Body body = make_beam_body(spec, false);
  EXPECT_EQ(body.nodes[1].translation(1, 0), 0);
  EXPECT_GT(body.nodes[1].turn(2, 0), 0);
}

TEST(BeamBasis, RootDoesNotMoveWhereItIsHeld) {
  for (const BeamBasis basis :
       {BeamBasis::clamped_free, BeamBasis::craig_bampton, BeamBasis::polynomial, BeamBasis::custom}) {
    const Body body = make_beam_body(thick_beam(basis, {5, 5, 5, 5}), true);
    EXPECT_EQ(body.nodes[0].translation.cwiseAbs().maxCoeff(), 0);
    EXPECT_EQ(body.nodes[0].turn.cwiseAbs().maxCoeff(), 0);
  }
  const Body pinned = make_beam_body(thick_beam(BeamBasis::pinned_free, {5, 5, 5, 5}), false);
  EXPECT_EQ(pinned.nodes[0].translation.cwiseAbs().maxCoeff(), 0);
  EXPECT_GT(pinned.nodes[0].turn.row(2).head(5).cwiseAbs().minCoeff(), 0);
  EXPECT_EQ(pinned.nodes[0].turn.row(0).cwiseAbs().maxCoeff(), 0);
  const Body free = make_beam_body(thick_beam(BeamBasis::free_free, {5, 5, 5, 5}), false);
  EXPECT_GT(free.nodes[0].translation.row(1).head(5).cwiseAbs().minCoeff(), 0);
  EXPECT_GT(free.nodes[0].turn.row(0).tail(5).cwiseAbs().minCoeff(), 0);
}

TEST(BeamNodes, ComeInAStableOrder) {
  BeamSpec spec = thin_beam(BeamBasis::clamped_free, {1, 0, 0, 0});
  const Matrix3d turned = Eigen::AngleAxisd(0.3, Vector3d::UnitX()).toRotationMatrix();
  spec.nodes = {{"a", 0.25, Matrix3d::Identity()}, {"tip", 1, turned}, {"b", 0, turned}};
  const Body body = make_beam_body(spec, false);
  ASSERT_EQ(body.nodes.size(), 4U);
  const char* const names[] = {"root", "tip", "a", "b"};
  const double places[] = {0, 2, 0.5, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(body.nodes[i].name, names[i]);
    EXPECT_EQ(body.nodes[i].position, Vector3d(places[i], 0, 0));
    EXPECT_EQ(body.find_node(names[i]), static_cast<int>(i));
  }
  EXPECT_EQ(body.nodes[0].rotation, Matrix3d::Identity());
  EXPECT_EQ(body.nodes[1].rotation, turned);
  EXPECT_EQ(body.nodes[3].rotation, turned);
  EXPECT_EQ(body.length, 2);
}

// One polynomial: phi = sqrt(5/m) s^2, Xi = -(20/3) s^3 / (m L).
TEST(Foreshortening, OfOnePolynomialIsAPower) {
  BeamSpec spec = thin_beam(BeamBasis::polynomial, {1, 1, 0, 0});
  spec.nodes = {{"a", 0.3, Matrix3d::Identity()}};
  const Body body = make_beam_body(spec, true);
  const double L = 2, m = 6;
  for (const auto& [node, s] : {std::pair{1, 1.0}, std::pair{2, 0.3}}) {
    const MatrixXd& Xi = body.nodes[static_cast<std::size_t>(node)].second[0];
    for (const int a : {0, 1}) EXPECT_NEAR(Xi(a, a) / (-20.0 / 3 * s * s * s / (m * L)), 1, 1e-14);
    EXPECT_EQ(Xi(0, 1), 0);
  }
  EXPECT_EQ(body.nodes[0].second[0].size(), 0);  // none at the root
  ASSERT_EQ(body.pairs.size(), 2U);
  EXPECT_NEAR(body.S(0, 3) / (-20.0 / 12 / L), 1, 1e-14);                         // m int Xi
  EXPECT_NEAR(body.c(0, 3)(0, 0) / (-20.0 / 15), 1, 1e-14);                       // m L int s Xi
  EXPECT_NEAR(body.c(3, 3)(0, 0) / (400.0 / 63 / (m * L * L)), 1, 1e-14);         // m int Xi Xi
  EXPECT_NEAR(body.c(3, 1)(0, 1) / (-20 * std::sqrt(5 / m) / 18 / L), 1, 1e-14);  // m int Xi phi
}

// cases.md, foreshortening: a tip load bends the beam to 2 theta L/3 and shortens it by 4 theta^2 L/15.
TEST(Foreshortening, OfATipLoadedCantilever) {
  BeamSpec spec = thin_beam(BeamBasis::polynomial, {2, 0, 0, 0});
  spec.EIz = 50;
  const Body body = make_beam_body(spec, true);
  const Eigen::Vector2d eta(0.31709731042717665, 0.0045523940162638284);
  const Node& tip = tip_of(body);
  EXPECT_NEAR((tip.translation * eta).y(), 2 * 0.2 * 2 / 3, 1e-15);
  EXPECT_NEAR((tip.turn * eta).z(), 0.2, 1e-15);
  EXPECT_NEAR(0.5 * eta.dot(tip.second[0] * eta), -4 * 0.2 * 0.2 * 2 / 15, 1e-15);
  // The same load as a force: eta = K^-1 gamma^T F.
  const Eigen::Vector2d pushed =
      Cholesky(body.stiffness).solve(VectorXd(tip.translation.transpose() * Vector3d(0, 5, 0)));
  EXPECT_CLOSE(pushed, eta, 1e-15);
}

TEST(Foreshortening, IsMadeOnlyWhenAsked) {
  const BeamSpec spec = thin_beam(BeamBasis::clamped_free, {3, 2, 2, 0});
  const Body full = make_beam_body(spec, false), stiffened = make_beam_body(spec, true);
  EXPECT_TRUE(full.pairs.empty());
  EXPECT_EQ(full.nodes[1].second[0].size(), 0);
  EXPECT_EQ(stiffened.shapes(), 1 + 7 + 6 + 3);
  for (const MatrixXd& Xi : stiffened.nodes[1].second) EXPECT_EQ(Xi.rows(), 7);
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b)
      EXPECT_CLOSE(full.c(a, b), stiffened.c(a, b), 4 * test::kEps * (1 + full.c(a, b).norm()));
}

TEST(BeamBasis, NoModesIsARigidBar) {
  const Body body = make_beam_body(thick_beam(BeamBasis::clamped_free, {0, 0, 0, 0}), true);
  EXPECT_EQ(body.shapes(), 1);
  EXPECT_EQ(body.mass, 6);
  EXPECT_CLOSE(body.c(0, 0), Matrix3d(Vector3d(8, 0.04, 0.1).asDiagonal()), 1e-15);
  EXPECT_EQ(body.nodes[1].turn.cols(), 0);
}

}  // namespace
}  // namespace limber
