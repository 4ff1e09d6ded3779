// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "limber/body/body.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

BeamSpec uniform_beam(BeamBasis basis) {
  BeamSpec spec;
  spec.length = 2.5;
  spec.mass_per_length = 3;
  spec.EIy = 400;
  spec.EIz = 900;
  spec.EA = 5e5;
  spec.GJ = 250;
  spec.rotary_inertia_y = 0.004;
  spec.rotary_inertia_z = 0.009;
  spec.basis = basis;
  spec.modes = {3, 2, 2, 2};
  spec.damping = {0.01};
  spec.nodes = {{"middle", 0.41, Matrix3d::Identity()}};
  return spec;
}

BeamStation station(double at, const BeamSection& section) {
  BeamStation out;
  static_cast<BeamSection&>(out) = section;
  out.at = at;
  return out;
}

BeamSpec with_equal_stations(const BeamSpec& spec) {
  BeamSpec out = spec;
  static_cast<BeamSection&>(out) = {};
  for (const double at : {0.0, 0.3, 1.0}) out.stations.push_back(station(at, spec));
  return out;
}

void expect_same(const Body& a, const Body& b) {
  constexpr double kNear = 1e-9;
  ASSERT_EQ(a.shapes(), b.shapes());
  EXPECT_NEAR(a.mass, b.mass, kNear);
  EXPECT_EQ(a.mode_names, b.mode_names);
  EXPECT_LT((a.S - b.S).cwiseAbs().maxCoeff(), kNear);
  for (std::size_t k = 0; k < a.C.size(); ++k) EXPECT_LT((a.C[k] - b.C[k]).cwiseAbs().maxCoeff(), kNear) << k;
  for (int k = 0; k < a.modes; ++k) {
    EXPECT_NEAR(a.stiffness(k, k) / b.stiffness(k, k), 1, kNear) << k;
    EXPECT_NEAR(a.damping(k, k) / b.damping(k, k), 1, kNear) << k;
  }
  for (std::size_t k = 0; k < a.nodes.size(); ++k) {
    const Node &x = a.nodes[k], &y = b.nodes[k];
    EXPECT_EQ(x.name, y.name);
    EXPECT_LT((x.position - y.position).norm(), kNear);
    EXPECT_LT((x.translation - y.translation).cwiseAbs().maxCoeff(), kNear);
    EXPECT_LT((x.turn - y.turn).cwiseAbs().maxCoeff(), 10 * kNear);
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(x.second[i].size(), y.second[i].size()) << x.name;
      if (x.second[i].size() == 0) continue;
      EXPECT_LT((x.second[i] - y.second[i]).cwiseAbs().maxCoeff(), 10 * kNear);
    }
  }
}

// With rotary inertia, the uniform beam uses its eigenfunctions without it, diagonalised; the tapered beam includes it
// in the eigenproblem.
TEST(Tapered, EqualStationsAreTheUniformBeam) {
  for (const BeamBasis basis : {BeamBasis::clamped_free, BeamBasis::pinned_free, BeamBasis::free_free}) {
    BeamSpec spec = uniform_beam(basis);
    spec.modes = {0, 0, 2, 2};
    expect_same(make_beam_body(with_equal_stations(spec), false), make_beam_body(spec, false));
    spec.modes = {3, 2, 1, 0};
    spec.rotary_inertia_y = spec.rotary_inertia_z = 0;
    expect_same(make_beam_body(with_equal_stations(spec), false), make_beam_body(spec, false));
    expect_same(make_beam_body(with_equal_stations(spec), true), make_beam_body(spec, true));
  }
  BeamSpec loaded = uniform_beam(BeamBasis::clamped_free);
  loaded.tip_mass = 2;
  loaded.tip_inertia = 0.3;
  loaded.modes = {3, 3, 1, 0};
  loaded.rotary_inertia_y = loaded.rotary_inertia_z = 0;
  expect_same(make_beam_body(with_equal_stations(loaded), false), make_beam_body(loaded, false));
}

// Modal masses are exactly diagonal, as required for active coordinates.
TEST(Tapered, ModalMassIsDiagonal) {
  const MatrixXd G = make_beam_body(with_equal_stations(uniform_beam(BeamBasis::clamped_free)), false).modal_mass();
  EXPECT_LT((G - MatrixXd::Identity(9, 9)).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_EQ((G - MatrixXd(G.diagonal().asDiagonal())).cwiseAbs().maxCoeff(), 0);
}

// Wedge, clamped at its thick end, height h (1 - x/L) down to almost nothing: omega = 5.315 sqrt(E I_0 / rho A_0 L^4),
// exact by Bessel functions (Kirchhoff 1879; [TYW §5.14]): the zeros of J_2 I_3 + J_3 I_2 ... give 5.315, 15.207. Cone:
// 8.719, 21.146.
TEST(Tapered, WedgeAndConeOfKirchhoff) {
  const double E = 70e9, density = 2700, L = 1, h = 0.01, end = 1e-4;
  const auto frequencies = [&](SectionKind kind, std::array<double, 4> thick, std::array<double, 4> thin) {
    BeamSpec spec;
    spec.length = L;
    spec.modes = {0, 2, 0, 0};
    for (const auto& [at, size] : {std::pair{0.0, thick}, std::pair{1.0, thin}}) {
      BeamStation end_of = station(at, {});
      end_of.section = Section{kind, size};
      end_of.material = {E, E / 2.6, density};
      spec.stations.push_back(end_of);
    }
    return VectorXd(make_beam_body(spec, false).stiffness.diagonal().cwiseSqrt());
  };
  // width along y stays, height along z tapers
  const VectorXd wedge = frequencies(SectionKind::rectangle, {0.02, h}, {0.02, end * h});
  const double unit = std::sqrt(E * h * h / (12 * density)) / (L * L);
  EXPECT_NEAR(wedge[0] / unit, 5.315, 3e-3);
  EXPECT_NEAR(wedge[1] / unit, 15.207, 3e-2);
  const VectorXd cone = frequencies(SectionKind::round, {h}, {end * h});
  const double unit_cone = std::sqrt(E * h * h / (16 * density)) / (L * L);
  EXPECT_NEAR(cone[0] / unit_cone, 8.719, 4e-3);
  EXPECT_NEAR(cone[1] / unit_cone, 21.146, 5e-2);
}

// Mass, first and second moment of a linear taper in closed form.
TEST(Tapered, RigidPartIsTheIntegral) {
  BeamSpec spec;
  spec.length = 2;
  BeamSection thick, thin;
  thick.mass_per_length = 6, thick.EIy = thick.EIz = 100;
  thin.mass_per_length = 2, thin.EIy = thin.EIz = 10;
  spec.stations = {station(0, thick), station(1, thin)};
  spec.modes = {1, 0, 0, 0};
  const Body body = make_beam_body(spec, false);
  EXPECT_NEAR(body.mass, 8, 1e-13);
  EXPECT_NEAR(body.S(0, 0), 2 * 2 * (6 / 2.0 - 4 / 3.0), 1e-13);  // int x (6 - 4 s) dx
  EXPECT_NEAR(body.C[0](0, 0), 8 * (6 / 3.0 - 4 / 4.0), 1e-13);
}

std::string stations_message(const std::vector<double>& places, BeamBasis basis = BeamBasis::clamped_free) {
  BeamSpec spec = uniform_beam(basis);
  for (const double at : places) spec.stations.push_back(station(at, spec));
  try {
    make_beam_body(spec, false);
  } catch (const InputError& e) {
    return e.what();
  }
  return "none";
}

TEST(Tapered, FaultsAreRefused) {
  EXPECT_EQ(stations_message({0}), "1 stations; give from 2 to 100");
  EXPECT_EQ(stations_message({0, 0.9}), "the stations go from 0 to 0.9; give the first at 0 and the last at 1");
  EXPECT_EQ(
      stations_message({0, 0.5, 0.5, 1}),
      "station 3 is at 0.5, less than 0.001 beyond the one before; give stations with rising places; a step of the "
      "section is a station on either side, 0.001 apart");
  EXPECT_EQ(stations_message({0, 1}, BeamBasis::polynomial),
            "stations with a basis of uniform beams; use basis clamped-free, free-free or pinned-free");
}

}  // namespace
}  // namespace limber
