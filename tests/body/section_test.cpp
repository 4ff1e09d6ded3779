// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/section.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "limber/body/body.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

using std::numbers::pi;

// int f(y, z) dA by the midpoint rule over the points inside the section.
struct Sums {
  double area = 0, Iy = 0, Iz = 0;
};
template <class Inside>
Sums sum_over(double width, double height, const Inside& inside) {
  constexpr int n = 1200;
  Sums out;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k) {
      const double y = width * ((i + 0.5) / n - 0.5), z = height * ((k + 0.5) / n - 0.5);
      if (!inside(std::abs(y), std::abs(z))) continue;
      const double dA = width * height / (n * n);
      out.area += dA, out.Iy += z * z * dA, out.Iz += y * y * dA;
    }
  }
  return out;
}

void expect_sums(const Section& section, const Sums& sums) {
  const SectionProperties p = compute_section(section);
  EXPECT_NEAR(p.area / sums.area, 1, 2e-3);
  EXPECT_NEAR(p.Iy / sums.Iy, 1, 2e-3);
  EXPECT_NEAR(p.Iz / sums.Iz, 1, 2e-3);
}

TEST(Section, AreaAndMomentsAreTheIntegrals) {
  expect_sums({SectionKind::round, {0.3}},
              sum_over(0.3, 0.3, [](double y, double z) { return std::hypot(y, z) < 0.15; }));
  expect_sums({SectionKind::tube, {0.3, 0.05}},
              sum_over(0.3, 0.3, [](double y, double z) { return std::hypot(y, z) < 0.15 && std::hypot(y, z) > 0.1; }));
  expect_sums({SectionKind::rectangle, {0.2, 0.3}}, sum_over(0.2, 0.3, [](double, double) { return true; }));
  expect_sums({SectionKind::box, {0.2, 0.3, 0.025}},
              sum_over(0.2, 0.3, [](double y, double z) { return y > 0.075 || z > 0.125; }));
  expect_sums({SectionKind::I, {0.2, 0.3, 0.03, 0.02}},
              sum_over(0.2, 0.3, [](double y, double z) { return y < 0.01 || z > 0.12; }));
}

TEST(Section, RoundAndTubeTwistAboutTheirPolarMoment) {
  EXPECT_DOUBLE_EQ(compute_section({SectionKind::round, {0.1}}).J, pi * 1e-4 / 32);
  EXPECT_NEAR(compute_section({SectionKind::tube, {0.1, 0.01}}).J, pi * (1e-4 - 0.4096e-4) / 32, 1e-18);
}

// [TG §109], table 6: J = k a b^3.
TEST(Section, RectanglesTwistAsInTimoshenkosTable) {
  const double table[][2] = {{1, 0.1406}, {1.5, 0.196}, {2, 0.229}, {3, 0.263}, {5, 0.291}, {10, 0.312}};
  for (const auto& [ratio, k] : table) {
    EXPECT_NEAR(compute_section({SectionKind::rectangle, {ratio, 1}}).J / ratio, k, 5.1e-4) << ratio;
    EXPECT_DOUBLE_EQ(compute_section({SectionKind::rectangle, {1, ratio}}).J,
                     compute_section({SectionKind::rectangle, {ratio, 1}}).J);
  }
  EXPECT_NEAR(compute_section({SectionKind::rectangle, {1, 1e-3}}).J, 1e-9 / 3, 1e-12);
}

// Against Prandtl's stress function on a grid with extrapolation (width 1), and Bredt's formula for thin walls.
TEST(Section, BoxAndITwistNearlyAsTheStressFunctionSays) {
  EXPECT_NEAR(compute_section({SectionKind::box, {1, 1, 0.05}}).J / 0.04398, 1, 0.025);
  EXPECT_NEAR(compute_section({SectionKind::box, {1, 2, 0.1}}).J / 0.2167, 1, 0.03);
  EXPECT_NEAR(compute_section({SectionKind::box, {1, 1, 0.2}}).J / 0.1183, 1, 0.065);
  EXPECT_NEAR(compute_section({SectionKind::I, {1, 2, 0.1, 0.1}}).J / 1.3255e-3, 1, 0.025);
  EXPECT_NEAR(compute_section({SectionKind::I, {1, 2, 0.2, 0.1}}).J / 5.457e-3, 1, 0.025);
  EXPECT_NEAR(compute_section({SectionKind::I, {1, 1, 0.1, 0.2}}).J / 3.018e-3, 1, 0.025);
  const double t = 1e-4;  // 4 A^2 t / perimeter
  EXPECT_NEAR(compute_section({SectionKind::box, {0.2, 0.1, t}}).J / (4 * 4e-4 * t / 0.6), 1, 5e-3);
}

// [TsaiHahn] (3.27): U1, U4, U5 of a ply of T300/5208; E = (U1^2 - U4^2) / U1, G = U5.
TEST(Section, QuasiIsotropicLaminateFollowsFromItsPlies) {
  const double Ex = 181e9, Ey = 10.3e9, Es = 7.17e9, nu = 0.28, m = 1 / (1 - nu * nu * Ey / Ex);
  const double Qxx = m * Ex, Qyy = m * Ey, Qxy = m * nu * Ey;
  const double U1 = (3 * Qxx + 3 * Qyy + 2 * Qxy + 4 * Es) / 8, U4 = (Qxx + Qyy + 6 * Qxy - 4 * Es) / 8;
  const Material cfrp = named_materials()[3].material;
  EXPECT_NEAR(cfrp.E / ((U1 * U1 - U4 * U4) / U1), 1, 1e-3);
  EXPECT_NEAR(cfrp.G / ((U1 - U4) / 2), 1, 1e-3);
}

TEST(Section, BeamTakesMassAndStiffnessFromIt) {
  const BeamSection made = make_beam_section({SectionKind::rectangle, {0.02, 0.05}}, {200e9, 80e9, 7800});
  EXPECT_DOUBLE_EQ(made.mass_per_length, 7800 * 1e-3);
  EXPECT_DOUBLE_EQ(made.EIy, 200e9 * 0.02 * std::pow(0.05, 3) / 12);  // height along z: bending about y is stiff
  EXPECT_DOUBLE_EQ(made.EIz, 200e9 * 0.05 * std::pow(0.02, 3) / 12);
  EXPECT_DOUBLE_EQ(made.EA, 200e9 * 1e-3);
  EXPECT_DOUBLE_EQ(made.rotary_inertia_y / made.mass_per_length, 0.05 * 0.05 / 12);
  EXPECT_NEAR(made.GJ, 80e9 * 0.249 * 0.05 * 8e-6, 2e-3 * made.GJ);  // k = 0.249 for 2.5 [TG §109]
}

std::string section_message(const Section& section) {
  try {
    compute_section(section);
  } catch (const InputError& e) {
    return e.what();
  }
  return "none";
}

TEST(Section, SizesThatMakeNoSectionAreRefused) {
  EXPECT_EQ(section_message({SectionKind::round, {0}}), "section: diameter is 0; give it in m, above 0");
  EXPECT_EQ(section_message({SectionKind::tube, {0.1, 0.05}}),
            "section: a wall of 0.05 leaves no hollow in 0.1; give a thinner wall, or a round section");
  EXPECT_EQ(section_message({SectionKind::box, {0.2, 0.1, 0.06}}),
            "section: a wall of 0.06 leaves no hollow in 0.1; give a thinner wall, or a rectangle");
  EXPECT_EQ(section_message({SectionKind::I, {0.1, 0.1, 0.05, 0.01}}),
            "section: a flange of 0.05 leaves no hollow in 0.1; give thinner flanges, or a rectangle");
  EXPECT_EQ(section_message({SectionKind::I, {0.1, 0.1, 0.01, 0.1}}),
            "section: the web is as thick as the flanges are wide; give a thinner web, or a rectangle");
  EXPECT_EQ(section_message({SectionKind::tube, {0.1, std::nan("")}}),
            "section: wall is not a finite number; give a number");
}

}  // namespace
}  // namespace limber
