// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "limber/body/body.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

using Spoil = std::function<void(BeamSpec&)>;

BeamSpec good_beam() {
  BeamSpec spec;
  spec.length = 2;
  spec.mass_per_length = 3;
  spec.EIy = 400;
  spec.EIz = 100;
  spec.EA = 5e4;
  spec.GJ = 30;
  spec.rotary_inertia_y = spec.rotary_inertia_z = 0.03;
  spec.modes = {2, 2, 1, 1};
  spec.nodes = {{"middle", 0.5, Matrix3d::Identity()}};
  return spec;
}

std::string error_of(const Spoil& spoil, bool second_order = false) {
  BeamSpec spec = good_beam();
  spoil(spec);
  try {
    make_beam_body(spec, second_order);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

void make_custom(BeamSpec& s) {
  s.basis = BeamBasis::custom;
  s.modes = {2, 0, 0, 0};
  s.shapes[0] = {{0, 0, 1}, {0, 0, 0, 1}};
}

TEST(BeamErrors, GoodBeamHasNone) {
  EXPECT_EQ(error_of([](BeamSpec&) {}), "no error");
  EXPECT_EQ(error_of([](BeamSpec&) {}, true), "no error");
  EXPECT_EQ(error_of(make_custom), "no error");
}

TEST(BeamErrors, Numbers) {
  EXPECT_EQ(error_of([](BeamSpec& s) { s.length = 0; }), "length is 0; give the length of the beam in m, above 0");
  EXPECT_EQ(error_of([](BeamSpec& s) { s.length = -1; }), "length is -1; give the length of the beam in m, above 0");
  EXPECT_EQ(error_of([](BeamSpec& s) { s.length = NAN; }), "length is not a finite number; give a number");
  EXPECT_EQ(error_of([](BeamSpec& s) { s.mass_per_length = 0; }),
            "mass per length is 0; give the mass of the beam, above 0");
  const std::string cure = "; give 0 or a positive number";
  EXPECT_EQ(error_of([](BeamSpec& s) { s.EIy = -1; }), "EIy is -1" + cure);
  EXPECT_EQ(error_of([](BeamSpec& s) { s.EIz = -1; }), "EIz is -1" + cure);
  EXPECT_EQ(error_of([](BeamSpec& s) { s.EA = -1; }), "EA is -1" + cure);
  EXPECT_EQ(error_of([](BeamSpec& s) { s.GJ = INFINITY; }), "GJ is not a finite number; give a number");
  EXPECT_EQ(error_of([](BeamSpec& s) { s.rotary_inertia_y = -1; }), "rotary inertia about y is -1" + cure);
  EXPECT_EQ(error_of([](BeamSpec& s) { s.rotary_inertia_z = -1; }), "rotary inertia about z is -1" + cure);
  EXPECT_EQ(error_of([](BeamSpec& s) { s.tip_mass = -1; }), "tip mass is -1" + cure);
  EXPECT_EQ(error_of([](BeamSpec& s) { s.tip_inertia = -1; }), "tip inertia is -1" + cure);
}

TEST(BeamErrors, NumbersOutOfRange) {
  const std::string error = "the numbers of this beam are too large or too small to compute with; check the units";
  EXPECT_EQ(error_of([](BeamSpec& s) { s.length = 1e150; }), error);
  EXPECT_EQ(
      error_of([](BeamSpec& s) { s.length = 1e-150, s.rotary_inertia_y = s.rotary_inertia_z = 0, s.modes[3] = 0; }),
      error);
  EXPECT_EQ(error_of([](BeamSpec& s) { s.rotary_inertia_y = 1e20; }), "no error");
}

TEST(BeamErrors, StiffnessThatTheModesNeed) {
  EXPECT_EQ(error_of([](BeamSpec& s) { s.EIz = 0; }),
            "bending_y modes need EIz; give EIz above 0, or ask for 0 bending_y modes");
  EXPECT_EQ(error_of([](BeamSpec& s) { s.EIy = 0; }),
            "bending_z modes need EIy; give EIy above 0, or ask for 0 bending_z modes");
  EXPECT_EQ(error_of([](BeamSpec& s) { s.EA = 0; }), "axial modes need EA; give EA above 0, or ask for 0 axial modes");
  EXPECT_EQ(error_of([](BeamSpec& s) { s.GJ = 0; }),
            "torsion modes need GJ; give GJ above 0, or ask for 0 torsion modes");
  EXPECT_EQ(
      error_of([](BeamSpec& s) { s.rotary_inertia_y = s.rotary_inertia_z = 0; }),
      "torsion modes have no mass without rotary inertia; give rotary_inertia_per_length, or ask for 0 torsion modes");
  // Values that are not needed are not required.
  EXPECT_EQ(error_of([](BeamSpec& s) { s.EIz = s.EA = s.GJ = 0, s.modes = {0, 2, 0, 0}; }), "no error");
}

TEST(BeamErrors, Counts) {
  EXPECT_EQ(error_of([](BeamSpec& s) { s.modes[1] = -1; }), "-1 bending_z modes; give 0 or a positive count");
  EXPECT_EQ(error_of([](BeamSpec& s) { s.modes[2] = 201; }), "201 axial modes; give at most 200 per family");
  EXPECT_EQ(
      error_of(
          [](BeamSpec& s) {
            s.modes = {40, 0, 0, 0};
          },
          true),
      "fidelity stiffened makes 861 shapes of these modes, more than 800; use fewer bending modes or fidelity full");
  EXPECT_EQ(error_of([](BeamSpec& s) { s.modes = {40, 0, 0, 0}; }, false), "no error");
}

TEST(BeamErrors, Basis) {
  for (const BeamBasis basis : {BeamBasis::polynomial, BeamBasis::craig_bampton}) {
    EXPECT_EQ(
        error_of([&](BeamSpec& s) { s.basis = basis, s.tip_mass = 1; }),
        "tip has no effect on basis polynomial, craig-bampton or custom; leave tip out, or use basis clamped-free, "
        "free-free or pinned-free");
  }
  EXPECT_EQ(error_of([](BeamSpec& s) {
              s.shapes[0] = {{0, 0, 1}};
            }),
            "shapes are given for bending_y, but the basis is not custom; use basis custom or leave out the shapes");
  EXPECT_EQ(error_of([](BeamSpec& s) { make_custom(s), s.modes[0] = 3; }),
            "2 shapes are given for 3 bending_y modes; give one list of coefficients per mode");
  EXPECT_EQ(error_of([](BeamSpec& s) {
              make_custom(s), s.shapes[2] = {{0, 1}};
            }),
            "1 shapes are given for 0 axial modes; give one list of coefficients per mode");
  EXPECT_EQ(error_of([](BeamSpec& s) { make_custom(s), s.shapes[0][1][2] = NAN; }),
            "a coefficient of bending_y shape 2 is not a finite number; give a number");
  EXPECT_EQ(error_of([](BeamSpec& s) { make_custom(s), s.shapes[0][1].resize(201); }),
            "bending_y shape 2 has 201 coefficients; give at most 200");
}

TEST(BeamErrors, CustomShapesThatAreNoBasis) {
  const std::string cure = "; give fewer or independent shapes, or use basis polynomial";
  EXPECT_EQ(error_of([](BeamSpec& s) {
              make_custom(s), s.shapes[0][1] = {0, 0, 0, 0};
            }),
            "bending_y shape 2 is zero, or a linear combination of the shapes before it" + cure);
  EXPECT_EQ(error_of([](BeamSpec& s) { make_custom(s), s.shapes[0][0] = {}; }),
            "bending_y shape 1 is zero, or a linear combination of the shapes before it" + cure);
  EXPECT_EQ(error_of([](BeamSpec& s) {
              make_custom(s);
              s.modes[0] = 3;
              s.shapes[0].push_back({0, 0, 0.1, -7});
            }),
            "bending_y shape 3 is zero, or a linear combination of the shapes before it" + cure);
  EXPECT_EQ(error_of([](BeamSpec& s) {
              make_custom(s), s.shapes[0][1] = {0.5, 2};
            }),
            "bending_y mode 1 has 0 Hz: the shapes contain a rigid-body motion; leave out shapes that are constant or "
            "linear in x");
  // Hidden in the span: the difference of the two shapes is linear.
  EXPECT_EQ(error_of([](BeamSpec& s) {
              make_custom(s), s.shapes[0][1] = {0, 1, 1};
            }),
            "bending_y mode 1 has 0 Hz: the shapes contain a rigid-body motion; leave out shapes that are constant or "
            "linear in x");
  EXPECT_EQ(error_of([](BeamSpec& s) {
              s.basis = BeamBasis::custom;
              s.modes = {0, 0, 1, 0};
              s.shapes[2] = {{1}};
            }),
            "axial mode 1 has 0 Hz: the shapes contain a rigid-body motion; leave out shapes that are constant");
}

TEST(BeamErrors, Damping) {
  EXPECT_EQ(error_of([](BeamSpec& s) {
              s.damping = {0.1, 0.2};
            }),
            "2 damping ratios are given for 6 modes; give one number for all modes, or one per mode");
  EXPECT_EQ(error_of([](BeamSpec& s) { s.damping = {-0.1}; }),
            "damping ratio is -0.1; give 0 or a positive number, such as 0.01");
}

TEST(BeamErrors, Nodes) {
  const auto with_node = [](const std::string& name, double at) {
    return [=](BeamSpec& s) { s.nodes.push_back({name, at, Matrix3d::Identity()}); };
  };
  EXPECT_EQ(error_of(with_node("a", 1.5)), "node 'a' is at 1.5; give its place as a fraction of the length, 0 to 1");
  EXPECT_EQ(error_of(with_node("a", -0.1)), "node 'a' is at -0.1; give its place as a fraction of the length, 0 to 1");
  EXPECT_EQ(error_of(with_node("a", NAN)), "node 'a': at is not a finite number; give a number");
  EXPECT_EQ(error_of(with_node("middle", 0.7)),
            "node name 'middle' is used twice; give every node of a body its own name");
  EXPECT_EQ(error_of(with_node("", 0.7)), "a node has no name; give every node a name");
  EXPECT_EQ(error_of(with_node("root", 0.7)),
            "node 'root' is at 0.7; root is at 0: write at: 0, or choose another name");
  EXPECT_EQ(error_of(with_node("tip", 0.7)), "node 'tip' is at 0.7; tip is at 1: write at: 1, or choose another name");
  EXPECT_EQ(error_of(with_node("tip", 1)), "no error");
  EXPECT_EQ(error_of([](BeamSpec& s) { s.nodes[0].rotation.setZero(); }),
            "rotation of node 'middle' is not a rotation matrix; give orthonormal, right-handed axes");
}

}  // namespace
}  // namespace limber
