// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/detail/quantity.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "limber/files/model_file.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

using std::numbers::pi;

double value_of(const std::string& text) {
  const auto found = parse_quantity(text);
  return found ? found->value : -12345;
}

TEST(Quantity, ValuesAsPeopleWriteThem) {
  EXPECT_DOUBLE_EQ(value_of("90 deg"), pi / 2);
  EXPECT_DOUBLE_EQ(value_of("-90°"), -pi / 2);
  EXPECT_DOUBLE_EQ(value_of("pi/2"), pi / 2);
  EXPECT_DOUBLE_EQ(value_of("2*pi/3 rad"), 2 * pi / 3);
  EXPECT_DOUBLE_EQ(value_of("3 mm"), 3e-3);
  EXPECT_DOUBLE_EQ(value_of("3mm"), 3e-3);
  EXPECT_DOUBLE_EQ(value_of("1.5e2 um"), 1.5e-4);
  EXPECT_DOUBLE_EQ(value_of("2 kN"), 2e3);
  EXPECT_DOUBLE_EQ(value_of("7.85 g/cm^3"), 7850);
  EXPECT_DOUBLE_EQ(value_of("210 GPa"), 210e9);
  EXPECT_DOUBLE_EQ(value_of("12 kN m/rad"), 12e3);
  EXPECT_DOUBLE_EQ(value_of("12 kNm"), 12e3);
  EXPECT_DOUBLE_EQ(value_of("5 N·m·s/rad"), 5);
  EXPECT_DOUBLE_EQ(value_of("4 kg m²"), 4);
  EXPECT_DOUBLE_EQ(value_of("60 rpm"), 2 * pi);
  EXPECT_DOUBLE_EQ(value_of("0.5 %"), 0.005);
  EXPECT_DOUBLE_EQ(value_of("2 min"), 120);
  EXPECT_DOUBLE_EQ(value_of("1 kHz"), 1000);
  for (const char* text : {"", "5", "-1e5", "six", "3 parsec", "mm", "3 m/s/s", "3 m^", "3 m^9", "t*2", "2*t",
                           "0.1*t^2", "2*pi *t", "1e999 m", "3 /m", "nan m", "2 km m m m m m m m m m", "pi pi"})
    EXPECT_FALSE(parse_quantity(text).has_value()) << text;
}

TEST(Quantity, RadiansCountWhereNothingElseDoes) {
  const auto same = [](const char* a, const char* b) {
    return same_quantity(parse_unit(a)->dimension, parse_unit(b)->dimension);
  };
  EXPECT_TRUE(same("kN m", "N m/rad"));
  EXPECT_TRUE(same("deg/s", "rad/s"));
  EXPECT_TRUE(same("J", "N m"));
  EXPECT_TRUE(same("kHz", "Hz"));
  EXPECT_FALSE(same("deg", "%"));
  EXPECT_FALSE(same("rad/s", "Hz"));
  EXPECT_FALSE(same("N", "N m"));
}

std::string unit_arm(const std::string& joint, const std::string& body = "length: 6") {
  return "limber: 1\ngravity: [0, 0, -9.81 m/s^2]\nbodies:\n"
         "  - {name: b, beam: {" +
         body +
         ", mass: 0.14 t, EIy: 100 kN m^2, EIz: 1e5, modes: {bending_z: 1}, damping: 0.5 %}}\n"
         "joints:\n  - {name: j, type: revolute, axis: [0, 0, 1], parent: world, child: b" +
         joint + "}\n";
}

std::string unit_message(const std::string& text) {
  try {
    parse_model(text, "a.yaml");
  } catch (const InputError& e) {
    return e.what();
  }
  return "none";
}

TEST(Quantity, ModelsAreTheSameInOtherUnits) {
  const Model plain = parse_model(
      "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  - {name: b, beam: {length: 6, mass: 140, EIy: 1e5, EIz: 1e5, modes: {bending_z: 1}, damping: 0.005}}\n"
      "joints:\n  - {name: j, type: revolute, axis: [0, 0, 1], parent: world, child: b, origin: {xyz: [0, 0.003, 0], "
      "rpy: "
      "[1.5707963267948966, 0, 0]}, stiffness: 2000, limits: {velocity: 1.0471975511965976, effort: 500, lower: "
      "-1.5707963267948966, "
      "stiffness: 1e5}}\n",
      "a.yaml");
  const Model units = parse_model(
      unit_arm(", origin: {xyz: [0, 3 mm, 0], rpy: [90 deg, 0, 0]}, stiffness: 2 kN m/rad, limits: {velocity: 10 rpm, "
               "effort: 0.5 kN m, lower: -pi/2, stiffness: 1e5}",
               "length: 6000 mm"),
      "a.yaml");
  EXPECT_EQ(plain.gravity, units.gravity);
  EXPECT_NEAR(plain.body(1).mass, units.body(1).mass, 1e-12);
  EXPECT_NEAR(plain.body(1).stiffness(0, 0), units.body(1).stiffness(0, 0), 1e-12 * units.body(1).stiffness(0, 0));
  EXPECT_NEAR(plain.body(1).damping(0, 0), units.body(1).damping(0, 0), 1e-14);
  const Joint &a = plain.joints[1], &b = units.joints[1];
  EXPECT_DOUBLE_EQ(a.stiffness[0], b.stiffness[0]);
  EXPECT_DOUBLE_EQ(a.velocity_limit, b.velocity_limit);
  EXPECT_DOUBLE_EQ(a.effort_limit, b.effort_limit);
  EXPECT_DOUBLE_EQ(a.stop->lower, b.stop->lower);
}

TEST(Quantity, WrongUnitsAreNamed) {
  EXPECT_EQ(unit_message(unit_arm("", "length: 6 kg")),
            "a.yaml:4: body 'b': beam.length must be in m or a multiple of it, but is '6 kg'");
  EXPECT_EQ(
      unit_message(unit_arm("", "length: 6 furlong")),
      "a.yaml:4: body 'b': beam.length must be a number, but is '6 furlong': 'furlong' is no unit; write it in m");
  EXPECT_EQ(unit_message(unit_arm(", stiffness: 5 N/m")),
            "a.yaml:6: joint 'j': stiffness must be in N m/rad or a multiple of it, but is '5 N/m'");
  EXPECT_EQ(unit_message(unit_arm(", limits: {lower: -3 mm, upper: 1, stiffness: 1}")),
            "a.yaml:6: joint 'j': limits.lower must be in rad or a multiple of it, but is '-3 mm'");
  EXPECT_EQ(unit_message(unit_arm(", origin: {rpy: [90 mm, 0, 0]}")),
            "a.yaml:6: joint 'j': origin.rpy[0] must be in rad or a multiple of it, but is '90 mm'");
  EXPECT_EQ(unit_message("limber: 1 m\nbodies: []\njoints: []\n"),
            "a.yaml:1: limber takes no unit, but is '1 m'; write the number alone");
  // Quoted, as in JSON.
  EXPECT_EQ(unit_message(unit_arm(", damping: \"5 N m s/rad\"")), "none");
  EXPECT_EQ(unit_message(unit_arm(", damping: \"5\"")),
            "a.yaml:6: joint 'j': damping must be a number, but is the text '5'; remove the quotes");
}

}  // namespace
}  // namespace limber
