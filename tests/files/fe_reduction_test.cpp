// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Parts of LIMBER_TEST_DATA/fe against CalculiX' own frequencies (frequencies.csv) and closed forms.
#include <gtest/gtest.h>

#include <fstream>
#include <numbers>
#include <sstream>

#include "support/fe_data.hpp"

namespace limber {
namespace {

using test::both_ends;
using test::read_part;

// Frequencies of a model in the table, without the six rigid ones of a free part.
std::vector<double> table(const std::string& model, const std::string& boundary) {
  std::ifstream in(LIMBER_FE("frequencies.csv"));
  std::vector<double> out;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(model + "," + boundary + ",")) continue;
    out.push_back(std::stod(line.substr(line.rfind(',') + 1)));
  }
  if (boundary != "clamped") out.erase(out.begin(), out.begin() + 6);
  return out;
}

FeReduction reduce(const FeModel& model, const std::vector<FeInterface>& interfaces, FeMethod method, int modes) {
  FeOptions options;
  options.method = method;
  options.modes = modes;
  return reduce_part(model.part, interfaces, options);
}

void expect_hertz(const VectorXd& found, const std::vector<double>& wanted, int count, double tolerance) {
  ASSERT_GE(found.size(), count);
  for (int k = 0; k < count; ++k)
    EXPECT_NEAR(found(k), wanted[static_cast<std::size_t>(k)], tolerance * wanted[static_cast<std::size_t>(k)]) << k;
}

VectorXd used_hertz(const Body& body) { return body.stiffness.diagonal().cwiseSqrt() / (2 * std::numbers::pi); }

// The table has seven digits; rounding of the matrices to 14 digits changes the slender boom's lowest mode by 5e-6.
TEST(FeReduction, FreeAndClampedModesAreThoseOfCalculix) {
  const struct {
    const char* name;
    double tolerance;
  } kParts[] = {{"beam_tiny", 3e-7}, {"boom", 6e-6}};
  for (const auto& [name, tolerance] : kParts) {
    SCOPED_TRACE(name);
    const std::string part = name;
    const FeModel model = read_part(LIMBER_FE(part + "_matrix"), LIMBER_FE(part + "_msh.inp"));
    const auto ends = both_ends(model, FeCoupling::rigid);
    const auto average = both_ends(model, FeCoupling::average);
    const FeReduction free = reduce(model, average, FeMethod::free, 8);
    expect_hertz(free.facts.free_hertz, table(name, "free"), 8, tolerance);
    expect_hertz(used_hertz(free.body), table(name, "free"), 8, tolerance);
    EXPECT_LT(free.facts.rigid_residual, 1e-12);
    EXPECT_LT(free.body.S.rightCols(8).cwiseAbs().maxCoeff(), 1e-9);  // mean axes
    const FeReduction clamped = reduce(model, {ends[0], average[1]}, FeMethod::clamped, 8);
    expect_hertz(used_hertz(clamped.body), table(name, "clamped"), 8, tolerance);
  }
}

// The boom with 20 fixed-interface modes: frequencies by an independent program (SciPy), five decimals.
TEST(FeReduction, CraigBamptonBoomHasTheReferenceFrequencies) {
  const FeModel model = read_part(LIMBER_FE("boom_matrix"), LIMBER_FE("boom_msh.inp"));
  const std::vector<double> kRigid = {105.883, 105.883, 292.609, 292.609, 572.001, 572.001, 680.136, 941.737, 941.737};
  const std::vector<double> kAverage = {105.881, 105.881, 292.585, 292.585, 571.872,
                                        571.872, 680.151, 941.322, 941.322};
  for (const FeCoupling coupling : {FeCoupling::rigid, FeCoupling::average}) {
    const bool rigid = coupling == FeCoupling::rigid;
    const FeReduction made = reduce(model, both_ends(model, coupling), FeMethod::craig_bampton, 20);
    EXPECT_EQ(made.body.modes, 26);
    expect_hertz(made.facts.free_hertz, rigid ? kRigid : kAverage, 9, 1e-5);
    // The full model: truncation to 20 modes costs 6e-4.
    expect_hertz(made.facts.free_hertz, table("boom", rigid ? "\"free, rigid flange faces\"" : "free"), 8, 6e-4);
    EXPECT_NEAR(made.body.mass, 5.560058, 5e-7);
  }
}

// Rigid faces made by CalculiX (*RIGID BODY: rotations among the rows) and made here are equivalent.
TEST(FeReduction, RigidBodiesOfTheDeckAreInterfaces) {
  const FeModel deck = read_part(LIMBER_FE("boom_rbe2_matrix"), LIMBER_FE("boom_rbe2_matrix.inp"));
  const FeModel plain = read_part(LIMBER_FE("boom_matrix"), LIMBER_FE("boom_msh.inp"));
  const FeReduction a = reduce(deck, both_ends(deck, FeCoupling::rigid), FeMethod::craig_bampton, 8);
  const FeReduction b = reduce(plain, both_ends(plain, FeCoupling::rigid), FeMethod::craig_bampton, 8);
  expect_hertz(a.facts.free_hertz, {b.facts.free_hertz.begin(), b.facts.free_hertz.end()}, 14, 1e-6);
  EXPECT_NEAR(a.body.mass, b.body.mass, 1e-10 * b.body.mass);
  EXPECT_TRUE(a.body.S.col(0).isApprox(b.body.S.col(0), 1e-9));
  EXPECT_TRUE(a.body.C[0].isApprox(b.body.C[0], 1e-9));
  // Bending modes come in pairs of arbitrary orientation: sums over pairs do not depend on it.
  for (int pair = 0; pair < 4; pair += 2) {
    double sums[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
      sums[0] += a.body.c(1 + pair + k, 0).squaredNorm() + a.body.c(1 + pair + k, 1 + pair + k).squaredNorm();
      sums[1] += b.body.c(1 + pair + k, 0).squaredNorm() + b.body.c(1 + pair + k, 1 + pair + k).squaredNorm();
    }
    EXPECT_NEAR(sums[0], sums[1], 1e-4 * sums[1]);
  }
}

TEST(FeReduction, MillimetresAndTonnesAreTheSameBody) {
  const FeModel si = read_part(LIMBER_FE("beam_tiny_matrix"), LIMBER_FE("beam_tiny_msh.inp"));
  const FeModel mm = read_part(LIMBER_FE("beam_tiny_mm_matrix"), LIMBER_FE("beam_tiny_mm_msh.inp"), FeUnits::mm_t_s);
  const FeReduction a = reduce(si, both_ends(si, FeCoupling::rigid), FeMethod::craig_bampton, 10);
  const FeReduction b = reduce(mm, both_ends(mm, FeCoupling::rigid), FeMethod::craig_bampton, 10);
  constexpr double kDigits = 1e-8;  // precision of the coordinates in the mesh files
  EXPECT_NEAR(a.body.mass, b.body.mass, kDigits * a.body.mass);
  EXPECT_TRUE(a.body.S.isApprox(b.body.S, 1e-6));
  EXPECT_TRUE(a.body.C[0].isApprox(b.body.C[0], 1e-7));
  EXPECT_TRUE(a.body.stiffness.isApprox(b.body.stiffness, 1e-7));
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_TRUE(a.body.nodes[k].position.isApprox(b.body.nodes[k].position, 1e-7));
    EXPECT_LT((a.body.nodes[k].translation - b.body.nodes[k].translation).norm(),
              1e-6 * a.body.nodes[1].translation.norm());
  }
}

// A slender bar of 24 solid elements against the Euler-Bernoulli beam of the same section.  Its root has an average
// interface, so that the section can contract as in the beam.  A rigid interface prevents this, which raises the
// frequency by 0.8 %.
TEST(FeReduction, SlenderBarIsABeam) {
  const FeModel model = read_part(LIMBER_FE("bar_matrix"), LIMBER_FE("bar_msh.inp"));
  constexpr double L = 2, b = 0.04, h = 0.02, E = 68.9e9, rho = 2700;
  BeamSpec spec;
  spec.length = L;
  spec.mass_per_length = rho * b * h;
  spec.EIy = E * b * h * h * h / 12;  // bending in z
  spec.EIz = E * h * b * b * b / 12;
  spec.rotary_inertia_y = rho * b * h * h * h / 12;
  spec.rotary_inertia_z = rho * h * b * b * b / 12;
  spec.modes = {2, 2, 0, 0};
  const Body beam = make_beam_body(spec, false);
  const VectorXd one = used_hertz(beam);
  const int of_beam[] = {2, 0, 3, 1};  // by frequency: z1, y1, z2, y2
  const auto average = both_ends(model, FeCoupling::average), rigid = both_ends(model, FeCoupling::rigid);
  const VectorXd stiffer = used_hertz(reduce(model, {rigid[0], average[1]}, FeMethod::clamped, 4).body);
  const FeReduction made = reduce(model, average, FeMethod::clamped, 4);
  const VectorXd found = used_hertz(made.body);
  constexpr double kShare = 1e-3;  // of mass integrals: relative to the largest of their kind
  for (int k = 0; k < 4; ++k) {
    SCOPED_TRACE(k);
    const int a = of_beam[k];
    EXPECT_NEAR(found(k), one(a), 0.003 * one(a));
    EXPECT_NEAR(stiffer(k), one(a), 0.01 * one(a));
    // Momentum of the mode, its moment about the frame, and its products with the other modes.
    EXPECT_NEAR(made.body.S.col(k + 1).norm(), beam.S.col(a + 1).norm(), kShare * beam.S.col(1).norm());
    EXPECT_NEAR(made.body.c(k + 1, 0).norm(), beam.c(a + 1, 0).norm(), kShare * beam.c(1, 0).norm());
    for (int m = 0; m < 4; ++m)
      EXPECT_NEAR(made.body.c(k + 1, m + 1).norm(), beam.c(a + 1, of_beam[m] + 1).norm(), kShare) << m;
    EXPECT_NEAR(made.body.nodes[1].translation.col(k).norm(), beam.nodes.back().translation.col(a).norm(),
                0.005 * beam.nodes.back().translation.col(a).norm());
  }
  EXPECT_NEAR(made.body.mass, beam.mass, 1e-6 * beam.mass);
  EXPECT_TRUE(made.body.S.col(0).isApprox(beam.S.col(0), 1e-6));
  EXPECT_TRUE(made.body.C[0].isApprox(beam.C[0], 1e-6));
}

// Preconditions of the recursions.
TEST(FeReduction, ModesAreOrthonormalAndTheFrameRests) {
  const FeModel model = read_part(LIMBER_FE("beam_tiny_matrix"), LIMBER_FE("beam_tiny_msh.inp"));
  for (const FeMethod method : {FeMethod::craig_bampton, FeMethod::clamped, FeMethod::free}) {
    FeOptions options;
    options.method = method;
    options.modes = 7;
    options.frame = 1;
    options.damping = 0.01;
    const FeReduction made = reduce_part(model.part, both_ends(model, FeCoupling::rigid), options);
    const Body& body = made.body;
    EXPECT_EQ(body.modes, method == FeMethod::craig_bampton ? 13 : 7);
    EXPECT_LT((body.modal_mass() - MatrixXd::Identity(body.modes, body.modes)).cwiseAbs().maxCoeff(), 1e-15);
    const MatrixXd M = made.shapes.transpose() * (model.part.mass * made.shapes);
    const MatrixXd K = made.shapes.transpose() * (model.part.stiffness * made.shapes);
    EXPECT_LT((M - MatrixXd::Identity(body.modes, body.modes)).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((K - body.stiffness).cwiseAbs().maxCoeff(), 1e-9 * body.stiffness.maxCoeff());
    EXPECT_TRUE(body.nodes[1].position.isZero(1e-12));
    EXPECT_NEAR(body.nodes[0].position.x(), -0.5, 1e-9);
    EXPECT_EQ(body.nodes[1].translation.isZero(0), method != FeMethod::free);
    for (int k = 0; k < body.modes; ++k)
      EXPECT_NEAR(body.damping(k, k), 0.02 * std::sqrt(body.stiffness(k, k)), 1e-9 * body.damping(k, k));
    check_body(body);
  }
}

// With all modes the statics are exact: compliance of the tip under a force; and the effective masses sum to the moving
// mass.
TEST(FeReduction, StaticsAreExactWithInterfaceShapes) {
  const FeModel model = read_part(LIMBER_FE("beam_tiny_matrix"), LIMBER_FE("beam_tiny_msh.inp"));
  const auto ends = both_ends(model, FeCoupling::rigid);
  const FeReduction few = reduce(model, ends, FeMethod::craig_bampton, 0);
  const FeReduction all = reduce(model, ends, FeMethod::clamped, 198);
  ASSERT_EQ(all.body.modes, 198);
  const auto compliance = [](const Body& body) {
    MatrixXd Y(6, body.modes);
    Y << body.nodes[1].translation, body.nodes[1].turn;
    return MatrixXd(Y * body.stiffness.diagonal().cwiseInverse().asDiagonal() * Y.transpose());
  };
  EXPECT_TRUE(compliance(few.body).isApprox(compliance(all.body), 1e-8));
  EXPECT_GT(all.facts.effective_share.minCoeff(), 0.97);
  EXPECT_LT(all.facts.effective_share.maxCoeff(), 1);
}

TEST(FeReduction, ModesUpToAFrequency) {
  const FeModel model = read_part(LIMBER_FE("beam_tiny_matrix"), LIMBER_FE("beam_tiny_msh.inp"));
  FeOptions options;
  options.method = FeMethod::clamped;
  options.max_hz = 1230;
  const FeReduction made = reduce_part(model.part, both_ends(model, FeCoupling::rigid), options);
  const VectorXd hertz = used_hertz(made.body);
  EXPECT_LE(hertz.maxCoeff(), 1230);
  EXPECT_EQ(made.body.modes, 5);
}

}  // namespace
}  // namespace limber
