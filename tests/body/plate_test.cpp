// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "limber/body/body.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

using std::numbers::pi;
constexpr auto C = PlateEdge::clamped, F = PlateEdge::free, S = PlateEdge::simply_supported;

PlateSpec plate(std::array<PlateEdge, 4> edges, double length, double width, int modes) {
  PlateSpec spec;
  spec.length = length;
  spec.width = width;
  spec.D = 50;
  spec.mass_per_area = 5;
  spec.edges = edges;
  spec.modes = modes;
  return spec;
}

// omega a^2 sqrt(rho / D), a = length.
VectorXd parameters(const PlateSpec& spec) {
  const Body body = make_plate_body(spec, false);
  return body.stiffness.diagonal().cwiseSqrt() * spec.length * spec.length * std::sqrt(spec.mass_per_area / spec.D);
}

void expect_parameters(const VectorXd& found, const std::vector<double>& published, double tolerance) {
  ASSERT_EQ(found.size(), static_cast<Eigen::Index>(published.size()));
  for (Eigen::Index k = 0; k < found.size(); ++k)
    EXPECT_NEAR(found[k] / published[static_cast<std::size_t>(k)], 1, tolerance) << "mode " << k + 1;
}

// Exact: pi^2 (m^2 + n^2 a^2 / b^2).
TEST(Plate, SimplySupportedIsTheClosedForm) {
  std::vector<double> exact;
  for (int m = 1; m < 12; ++m)
    for (int n = 1; n < 12; ++n) exact.push_back(pi * pi * (m * m + n * n * 2.25));
  std::sort(exact.begin(), exact.end());
  exact.resize(12);
  expect_parameters(parameters(plate({S, S, S, S}, 1.5, 1, 12)), exact, 1e-9);
}

// Two opposite edges simply supported, the others clamped: tan(p b/2) p + q tanh(q b/2) = 0 for modes that are even in
// y, w = sin(m pi x)(cos p y - ... cosh q y), q^2 = lambda + (m pi)^2, p^2 = lambda - (m pi)^2.  [Leissa §4.2, (4.25)]
TEST(Plate, LevySolutionOfTwoClampedEdges) {
  const VectorXd found = parameters(plate({S, S, C, C}, 1, 1, 3));
  const auto residual = [](double lambda, double m) {
    const double p = std::sqrt(lambda - m * m * pi * pi), q = std::sqrt(lambda + m * m * pi * pi);
    return p * std::tan(p / 2) + q * std::tanh(q / 2);
  };
  // Modes (1, 1) and (2, 1): a change of sign within 1e-9 of the computed value.
  for (const auto& [k, m] : {std::pair{0, 1}, std::pair{1, 2}})
    EXPECT_LT(residual(found[k] * (1 - 1e-9), m) * residual(found[k] * (1 + 1e-9), m), 0) << k;
  EXPECT_NEAR(found[0], 28.951, 1e-3);  // [Leissa73] table B1: 28.9509, 54.7431, 69.3270
  EXPECT_NEAR(found[1], 54.743, 1e-3);
  EXPECT_NEAR(found[2], 69.327, 1e-3);
}

// [Leissa73], a/b = 1, nu = 0.3: upper bounds by 36 products of beam functions, up to 1 % high where edges are free;
// our values are upper bounds too, and lie below them.  tests/data/plate/leissa.py reproduces his numbers by his
// method.
TEST(Plate, FrequenciesOfLeissa) {
  const auto expect_below = [](const PlateSpec& spec, const std::vector<double>& published) {
    const VectorXd found = parameters(spec);
    for (std::size_t k = 0; k < published.size(); ++k) {
      EXPECT_LT(found[static_cast<Eigen::Index>(k)], published[k] * 1.0001) << k;
      EXPECT_GT(found[static_cast<Eigen::Index>(k)], published[k] * 0.99) << k;
    }
  };
  expect_below(plate({C, F, F, F}, 1, 1, 5), {3.4917, 8.5246, 21.429, 27.331, 31.111});
  expect_below(plate({F, F, F, F}, 1, 1, 5), {13.489, 19.789, 24.432, 35.024, 35.024});
  expect_below(plate({C, C, F, F}, 1, 1, 3), {22.272, 26.529, 43.664});
  expect_below(plate({C, F, C, F}, 1, 1, 3), {6.9421, 24.034, 26.681});
  expect_below(plate({C, F, F, F}, 2.5, 1, 3), {3.4562, 17.988, 21.563});
  expect_parameters(parameters(plate({C, C, C, C}, 1, 1, 6)), {35.992, 73.413, 73.413, 108.27, 131.64, 132.24}, 1e-3);
  expect_parameters(parameters(plate({S, S, S, F}, 1, 1, 3)), {11.6845, 27.7563, 41.1967}, 2e-4);  // exact
}

// More terms hardly change the frequencies of many modes: they have converged.
TEST(Plate, FrequenciesDoNotDependOnTheNumberOfModes) {
  for (const auto& edges : {std::array{C, F, F, F}, std::array{F, F, F, F}, std::array{C, S, F, C}}) {
    const VectorXd few = parameters(plate(edges, 1, 0.7, 6)), many = parameters(plate(edges, 1, 0.7, 60));
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(few[k] / many[k], 1, 5e-5) << k;
  }
}

// A plate rotated by a quarter turn has the same frequencies and node displacements.
TEST(Plate, SidesCanBeExchanged) {
  PlateSpec a = plate({C, F, S, F}, 1.2, 0.8, 8), b = plate({S, F, C, F}, 0.8, 1.2, 8);
  a.nodes = {{"n", {0.3, 0.9}, Matrix3d::Identity()}};
  b.nodes = {{"n", {0.9, 0.3}, Matrix3d::Identity()}};
  const Body x = make_plate_body(a, false), y = make_plate_body(b, false);
  for (int k = 0; k < 8; ++k) {
    EXPECT_NEAR(x.stiffness(k, k) / y.stiffness(k, k), 1, 1e-6);
    EXPECT_NEAR(x.nodes[0].translation(2, k), y.nodes[0].translation(2, k), 1e-4);
    EXPECT_NEAR(x.nodes[0].turn(0, k), -y.nodes[0].turn(1, k), 2e-3);
    EXPECT_NEAR(x.S(2, k + 1), y.S(2, k + 1), 1e-5);
  }
}

// Mass integrals are those of the shapes: sums over a fine grid of nodes (Simpson's rule).
TEST(Plate, IntegralsAreThoseOfTheShapes) {
  PlateSpec spec = plate({C, F, F, F}, 1.5, 1, 5);
  constexpr int n = 40;
  const auto weight = [](int i) { return (i == 0 || i == n ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) / (3 * n); };
  for (int i = 0; i <= n; ++i)
    for (int k = 0; k <= n; ++k)
      spec.nodes.push_back(
          {std::to_string(i) + "-" + std::to_string(k), {i / double(n), k / double(n)}, Matrix3d::Identity()});
  const Body body = make_plate_body(spec, false);
  EXPECT_DOUBLE_EQ(body.mass, 7.5);
  Matrix3Xd sums = Matrix3Xd::Zero(3, 6);
  std::vector<Matrix3d> products(36, Matrix3d::Zero());
  for (std::size_t p = 0; p < body.nodes.size(); ++p) {
    const double m = body.mass * weight(static_cast<int>(p) / (n + 1)) * weight(static_cast<int>(p) % (n + 1));
    Matrix3Xd phi(3, 6);
    phi << body.nodes[p].position, body.nodes[p].translation;
    sums += m * phi;
    for (int a = 0; a < 6; ++a)
      for (int b = 0; b < 6; ++b)
        products[static_cast<std::size_t>(6 * a + b)] += m * phi.col(a) * phi.col(b).transpose();
  }
  EXPECT_LT((sums - body.S).cwiseAbs().maxCoeff(), 1e-5);
  for (std::size_t i = 0; i < 36; ++i) EXPECT_LT((products[i] - body.C[i]).cwiseAbs().maxCoeff(), 1e-4) << i;
}

// The rotations of a node are the differences of its neighbours' displacements.
TEST(Plate, RotationsAreSlopes) {
  PlateSpec spec = plate({C, F, S, F}, 1.5, 1, 5);
  const double h = 1e-5;
  const auto add = [&](double x, double y) {
    spec.nodes.push_back({"n" + std::to_string(spec.nodes.size()), {x, y}, Matrix3d::Identity()});
  };
  add(0.6, 0.7), add(0.6 + h, 0.7), add(0.6 - h, 0.7), add(0.6, 0.7 + h), add(0.6, 0.7 - h);
  const auto nodes = make_plate_body(spec, false).nodes;
  for (int a = 0; a < 5; ++a) {
    const auto w = [&](std::size_t i) { return nodes[i].translation(2, a); };
    EXPECT_NEAR(nodes[0].turn(0, a), (w(3) - w(4)) / (2 * h * 1), 1e-6);
    EXPECT_NEAR(nodes[0].turn(1, a), -(w(1) - w(2)) / (2 * h * 1.5), 1e-6);
  }
}

// Free modes have no momentum: rigid motions are represented by the body frame.
TEST(Plate, FreeModesAreOrthogonalToRigidMotions) {
  const Body body = make_plate_body(plate({F, F, F, F}, 1.5, 1, 8), false);
  EXPECT_GT(body.stiffness(0, 0), 1);
  for (int a = 1; a <= 8; ++a) {
    EXPECT_NEAR(body.S(2, a), 0, 1e-9);
    EXPECT_LT(body.c(0, a).cwiseAbs().maxCoeff(), 1e-9);
  }
  // Hinged at one edge: no angular momentum about it.
  const Body hinged = make_plate_body(plate({S, F, F, F}, 1.5, 1, 4), false);
  for (int a = 1; a <= 4; ++a) EXPECT_NEAR(hinged.c(0, a)(0, 2), 0, 1e-8);
}

// A narrow strip clamped at one end with nu = 0 is a beam.
TEST(Plate, NarrowStripIsABeam) {
  PlateSpec spec = plate({C, F, F, F}, 2, 0.05, 2);
  spec.poisson = 0;
  const VectorXd found = parameters(spec);
  EXPECT_NEAR(found[0], 3.5160153, 1e-5);
  EXPECT_NEAR(found[1], 22.034492, 1e-4);
}

// A shell model of CalculiX, tests/data/plate/make_deck.py; with half the elements along each side its first frequency
// is 9.449917, so that it converges to 9.408 (ours: 9.410).
TEST(Plate, FrequenciesOfAShellModel) {
  PlateSpec spec = plate({C, F, F, F}, 0.6, 0.4, 8);
  spec.D = 70e9 * std::pow(0.004, 3) / (12 * (1 - 0.09));
  spec.mass_per_area = 2700 * 0.004;
  const double hertz[] = {9.428757, 31.71619, 58.59261, 107.0083, 145.7765, 168.0720, 218.3449, 231.9005};
  const Body body = make_plate_body(spec, false);
  for (int k = 0; k < 8; ++k) EXPECT_NEAR(std::sqrt(body.stiffness(k, k)) / (2 * pi) / hertz[k], 1, 3e-3) << k;
}

std::string plate_message(const PlateSpec& spec) {
  try {
    make_plate_body(spec, false);
  } catch (const InputError& e) {
    return e.what();
  }
  return "none";
}

TEST(Plate, FaultsAreRefused) {
  PlateSpec spec = plate({C, F, F, F}, 1, 1, 3);
  spec.poisson = 0.6;
  EXPECT_EQ(plate_message(spec), "poisson is 0.6; give Poisson's ratio, 0 to 0.5; of a material it is E / (2 G) - 1");
  EXPECT_EQ(plate_message(plate({C, F, F, F}, 100, 1, 3)),
            "one side of the plate is more than 50 times the other; use a beam");
  EXPECT_EQ(plate_message(plate({C, F, F, F}, 1, 1, 0)), "0 modes of a plate; give a count from 1 to 100");
  spec = plate({C, F, F, F}, 1, 1, 3);
  spec.damping = {0.1, 0.2};
  EXPECT_EQ(plate_message(spec),
            "2 damping ratios are given for 3 modes; give one number for all modes, or one per mode");
  spec = plate({C, F, F, F}, 1, 1, 3);
  spec.D = 1e300, spec.mass_per_area = 1e-300;
  EXPECT_EQ(plate_message(spec),
            "the numbers of this plate are too large or too small to compute with; check the units");
}

}  // namespace
}  // namespace limber
