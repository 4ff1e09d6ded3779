// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A beam divided into pieces connected by fixed joints behaves like the whole, to the accuracy of its modes.
#include <gtest/gtest.h>

#include <cmath>

#include "limber/spatial/detail/solvers.hpp"
#include "support/engine.hpp"
#include "support/machine.hpp"

namespace limber::test {
namespace {

constexpr double kLength = 2, kMass = 3, kEIz = 100;
constexpr double kBeta1 = 1.87510406871196;  // 1 + cos b cosh b = 0
constexpr double kGamma1 = M_PI / 2;

BeamSpec piece(int pieces, BeamBasis basis, const std::array<int, 4>& modes) {
  BeamSpec beam;
  beam.length = kLength / pieces;
  beam.mass_per_length = kMass;
  beam.EIy = beam.EIz = kEIz;
  beam.EA = 5e4;
  beam.basis = basis;
  beam.modes = modes;
  return beam;
}

// A cantilever of `pieces` pieces.
Machine cantilever(int pieces, const BeamSpec& beam) {
  Machine m;
  const Body body = make_beam_body(beam, false);
  for (int i = 0; i < pieces; ++i) {
    m.bodies.push_back(beam);
    Joint weld;
    if (i > 0) weld.parent = {i, body.node_index("tip")};
    m.joints.push_back(weld);
  }
  return m;
}

MatrixXd stiffness(const Model& model) {
  MatrixXd K = MatrixXd::Zero(model.nv, model.nv);
  for (int i = 1; i < model.body_count(); ++i) {
    const int first = model.first_mode(i), n = model.body(i).modes;
    K.block(first, first, n, n) = model.body(i).stiffness;
  }
  return K;
}

// Circular frequencies at rest, rising.
VectorXd frequencies(const Model& model) {
  const MatrixXd M = Engine(model).mass(make_zero_state(model));
  return eigenvalues_generalized(stiffness(model), M).cwiseSqrt();
}

// Deflection of the tip in the direction of a unit force there.
double compliance(const Model& model, const Vector3d& direction) {
  Engine engine(model);
  const int last = model.body_count() - 1;
  const Matrix6X J = engine.jacobian(make_zero_state(model), {last, model.body(last).node_index("tip")});
  const VectorXd f = J.bottomRows<3>().transpose() * direction;
  return f.dot(Cholesky(stiffness(model)).solve(f));
}

struct FrequencyError {
  double relative;  // of the first bending frequency
  double noise;     // bound of the error of the eigenvalue solver: eps times the largest eigenvalue
};

FrequencyError bending_frequency_error(int pieces, int modes) {
  const double exact = kBeta1 * kBeta1 / (kLength * kLength) * std::sqrt(kEIz / kMass);
  const BeamSpec beam = piece(pieces, BeamBasis::polynomial, {modes, 0, 0, 0});
  const VectorXd omega = frequencies(make_model(cantilever(pieces, beam)));
  return {omega[0] / exact - 1, kEps * std::pow(omega[omega.size() - 1] / omega[0], 2)};
}

TEST(CutBeam, TipDeflectionIsExactInPolynomials) {
  // A tip force deflects every piece by a cubic.
  const double exact = std::pow(kLength, 3) / (3 * kEIz);
  for (const int pieces : {1, 2, 4}) {
    const Model model = make_model(cantilever(pieces, piece(pieces, BeamBasis::polynomial, {2, 2, 1, 0})));
    EXPECT_NEAR(compliance(model, Vector3d::UnitY()) / exact, 1, 1e-12) << pieces;  // modes are exact to 1e-12
    EXPECT_NEAR(compliance(model, Vector3d::UnitZ()) / exact, 1, 1e-12) << pieces;
    EXPECT_NEAR(compliance(model, Vector3d::UnitX()) / (kLength / 5e4), 1, 1e-12) << pieces;
  }
}

TEST(CutBeam, TipDeflectionConvergesInEigenfunctions) {
  // From below, and for the whole beam with the known sum: compliance = sum over modes of phi(L)^2 / omega^2.
  const double exact = std::pow(kLength, 3) / (3 * kEIz);
  for (const int pieces : {1, 2, 4}) {
    double before = 1;
    for (const int modes : {1, 2, 4, 8}) {
      const BeamSpec beam = piece(pieces, BeamBasis::clamped_free, {modes, 0, 0, 0});
      const double error = 1 - compliance(make_model(cantilever(pieces, beam)), Vector3d::UnitY()) / exact;
      EXPECT_GT(error, 0) << pieces << " " << modes;
      EXPECT_LT(error, before / 2) << pieces << " " << modes;
      before = error;
    }
    // Missing: moments at the inner ends, which clamped-free modes have not; error about 1/modes^3 of one piece.
    EXPECT_LT(before, pieces == 1 ? 1e-4 : 5e-2);
  }
}

TEST(CutBeam, FirstFrequencyConvergesFromAbove) {
  for (const int pieces : {1, 2, 4}) {
    double before = 1;
    for (const int modes : {2, 3, 4, 5}) {
      const FrequencyError error = bending_frequency_error(pieces, modes);
      EXPECT_GT(error.relative, -error.noise) << pieces << " " << modes;
      EXPECT_LT(error.relative, before / 10 + error.noise) << pieces << " " << modes;
      before = error.relative;
    }
    EXPECT_LT(before, 1e-6) << pieces;
  }
}

TEST(CutBeam, MorePiecesOfPolynomialsAreNoWorse) {
  for (const int modes : {2, 3}) {
    const FrequencyError one = bending_frequency_error(1, modes), two = bending_frequency_error(2, modes),
                         four = bending_frequency_error(4, modes);
    EXPECT_LT(two.relative, one.relative) << modes;
    EXPECT_LT(four.relative, two.relative + four.noise) << modes;
  }
}

TEST(CutBeam, AxialFrequencyOfFourBarsOfFourModes) {
  // cases.md, Lessons: substructured bars in clamped-free modes are 1.95 % too stiff (4x4).
  const BeamSpec bar = piece(4, BeamBasis::clamped_free, {0, 0, 4, 0});
  const double exact = kGamma1 / kLength * std::sqrt(5e4 / kMass);
  const double ratio = frequencies(make_model(cantilever(4, bar)))[0] / exact;
  EXPECT_GT(ratio, 1);
  EXPECT_LT(ratio, 1.03);
}

TEST(CutBeam, BothPiecesTogetherWeighTheSame) {
  const Model whole = make_model(cantilever(1, piece(1, BeamBasis::polynomial, {2, 2, 1, 0})));
  const Model cut = make_model(cantilever(4, piece(4, BeamBasis::polynomial, {2, 2, 1, 0})));
  EXPECT_NEAR(total_mass(whole), kMass * kLength, 16 * kEps * kMass * kLength);
  EXPECT_NEAR(total_mass(cut), kMass * kLength, 16 * kEps * kMass * kLength);
  EXPECT_CLOSE(Engine(cut).center_of_mass(make_zero_state(cut)), Vector3d(kLength / 2, 0, 0), 64 * kEps * kLength);
}

}  // namespace
}  // namespace limber::test
