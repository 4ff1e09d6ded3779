// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers with units and vectors in other frames, in scenarios: the same model as in SI units and default frames.
#include <gtest/gtest.h>

#include <numbers>

#include "limber/control/controller.hpp"
#include "limber/dynamics/kinematics.hpp"
#include "limber/scenario/scenario.hpp"
#include "limber/spatial/rotation.hpp"
#include "support/close.hpp"

namespace limber {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

Scenario units_scenario(const std::string& rest) {
  return parse_scenario("limber: 1\nscenario: s\nmodel: models/arm.yaml\nduration: 10\n" + rest, "s.yaml",
                        LIMBER_TEST_DATA "/malformed-scenario");
}

std::string refusal(const std::string& rest) {
  try {
    units_scenario(rest);
  } catch (const InputError& e) {
    return e.what();
  }
  return "none";
}

TEST(ScenarioUnits, OfEveryFormOfSignal) {
  const Scenario s = units_scenario(
      "inputs:\n"
      "  - {joint: shoulder, torque: {table: {t: [0, 500 ms, 1], y: [0, 2 kN m, 100 N m]}}}\n"
      "  - {joint: shoulder, torque: {sine: {amplitude: 0.5 kN m, frequency: 200 mHz, offset: 20 N m, phase: 90 "
      "deg}}}\n"
      "  - {joint: shoulder, torque: {pieces: [{until: 2 s, value: {table: {t: [0, 1], y: [0, 1 kN m]}}}, {value: 3 N "
      "m}]}}\n"
      "  - {node: boom.tip, force: [0, {table: {t: [0, 1], y: [0, 2 kN]}}, {sine: {amplitude: 3 kN, frequency: 1}}]}\n"
      "  - {gravity: [0, {pieces: [{until: 5, value: 0}, {value: -162 cm/s^2}]}, 0]}\n");
  EXPECT_EQ(s.inputs.speeds[0].force.at(0.5).value, 2000);
  EXPECT_EQ(s.inputs.speeds[0].force.at(1).value, 100);
  EXPECT_NEAR(s.inputs.speeds[1].force.at(0).value, 520, 1e-12);
  EXPECT_NEAR(s.inputs.speeds[1].force.at(2.5).value, -480, 1e-9);  // half a period of 5 s
  EXPECT_NEAR(s.inputs.speeds[2].force.at(0.5).value, 500, 1e-12);
  EXPECT_EQ(s.inputs.speeds[2].force.at(3).value, 3);
  EXPECT_EQ(s.inputs.wrenches[0].wrench[4].at(1).value, 2000);
  EXPECT_NEAR(s.inputs.wrenches[0].wrench[5].at(0.25).value, 3000, 1e-9);
  EXPECT_NEAR(s.inputs.gravities[0].gravity[1].at(6).value, -1.62, 1e-15);
}

TEST(ScenarioUnits, OfSignalsAreChecked) {
  EXPECT_EQ(refusal("inputs: [{joint: shoulder, torque: {table: {t: [0, 1], y: [0, 2 kN]}}}]\n"),
            "s.yaml:5: inputs[0].torque.table.y[1] must be in N m or a multiple of it, but is '2 kN'");
  EXPECT_EQ(refusal("inputs: [{joint: shoulder, torque: {sine: {amplitude: 2 m, frequency: 1}}}]\n"),
            "s.yaml:5: inputs[0].torque.sine.amplitude must be in N m or a multiple of it, but is '2 m'");
  EXPECT_EQ(refusal("inputs: [{joint: shoulder, torque: {table: {t: [0, 1 m], y: [0, 2]}}}]\n"),
            "s.yaml:5: inputs[0].torque.table.t[1] must be in s or a multiple of it, but is '1 m'");
  EXPECT_EQ(refusal("inputs: [{node: boom.tip, force: [0, {table: {t: [0, 1], y: [0, 1 s]}}, 0]}]\n"),
            "s.yaml:5: inputs[0].force[1].table.y[1] must be in N or a multiple of it, but is '1 s'");
}

// Gains, limits, servos and sensors of a controller.
TEST(ScenarioUnits, OfControllers) {
  const Scenario s = units_scenario(
      "control:\n"
      "  rate: 1 kHz\n"
      "  joints: [shoulder, screw]\n"
      "  desired: {waypoints: [{q: [30 deg, 10 deg, 5 mm], duration: 5 s}], start: 500 ms,\n"
      "    limits: {speed: [1 rad/s, 1 rad/s, 1 m/s], acceleration: [90 deg/s^2, 1, 1 m/s^2]}}\n"
      "  feedback: {pid: {kp: [2 kN m/rad, 1 N m/deg, 3 kN/m], kd: [5 N m s/rad, 1, 2 N s/mm], ki: [10 N m/rad s, 1, 1 "
      "N/m s]}}\n"
      "  servos: {bandwidth: 0.2 kHz}\n"
      "  sensors: {delay: 2 ms, accelerometers: [{node: boom.tip, noise: 1 cm/s^2}]}\n");
  const ControlOptions& options = s.control->options;
  ASSERT_TRUE(options.pid);
  EXPECT_CLOSE(options.pid->kp, Vector3d(2000, 1 / kDegree, 3000), 1e-9);
  EXPECT_CLOSE(options.pid->kd, Vector3d(5, 1, 2000), 1e-9);
  EXPECT_CLOSE(options.pid->ki, Vector3d(10, 1, 1), 1e-12);
  EXPECT_EQ(options.rate, 1000);
  EXPECT_NEAR(options.desired[0].at(20).value, 30 * kDegree, 1e-12);
  EXPECT_NEAR(options.desired[2].at(20).value, 0.005, 1e-12);
  EXPECT_EQ(options.sensors.delay, 2);
  EXPECT_NEAR(options.sensors.accelerometers[0].noise, 0.01, 1e-15);
  EXPECT_NEAR(options.servos[0].bandwidth, 200, 1e-9);
}

TEST(ScenarioUnits, OfControllersAreCheckedJointByJoint) {
  const auto pid = [](const std::string& gains) {
    return refusal("control: {joints: [shoulder, screw], feedback: {pid: {" + gains + "}}}\n");
  };
  EXPECT_EQ(pid("kp: [1, 1, 2 N m/rad]"),
            "s.yaml:5: control.feedback.pid.kp[2] must be in N/m or a multiple of it, but is '2 N m/rad'");
  EXPECT_EQ(pid("kp: 5 N m/rad"),
            "s.yaml:5: control.feedback.pid.kp must be in N/m or a multiple of it, but is '5 N m/rad'");
  EXPECT_EQ(pid("kp: 5, kd: [1 N s/m, 1, 1]"),
            "s.yaml:5: control.feedback.pid.kd[0] must be in N m s/rad or a multiple of it, but is '1 N s/m'");
  EXPECT_EQ(refusal("control: {joints: [shoulder], desired: {shoulder: {table: {t: [0, 1], y: [0, 2 m]}}}}\n"),
            "s.yaml:5: control.desired.shoulder.table.y[1] must be in rad or a multiple of it, but is '2 m'");
  EXPECT_EQ(refusal("control: {joints: [shoulder], sensors: {accelerometers: [{node: boom.tip, noise: 1 m}]}}\n"),
            "s.yaml:5: control.sensors.accelerometers[0].noise must be in m/s^2 or a multiple of it, but is '1 m'");
}

// Speeds along the axes of the world: the velocity of the node there.
TEST(ScenarioFrames, InitialSpeedsInWorld) {
  const Scenario s = units_scenario(
      "initial:\n"
      "  shoulder: {q: 40 deg}\n"
      "  screw: {q: [25 deg, 0.1]}\n"
      "  socket: {q: [0.8, 0.6, 0, 0], v: [0.3, -0.2, 0.5], frame: world}\n"
      "  afloat: {q: [0.5, 0.5, 0.5, 0.5, 1, 2, 3], v: [0.1, 0.2, 0.3, 4, 5, 6], frame: world}\n");
  const Model& model = *s.model;
  KinematicsWorkspace kin(model);
  compute_kinematics(model, s.initial, kin);
  compute_world_poses(model, kin);
  const auto velocity = [&](const char* body) {
    return node_velocity(model, kin, {model.find_body(body), kBodyFrame}, s.initial.v);
  };
  EXPECT_CLOSE(Vector3d(velocity("load").head(3)), Vector3d(0.3, -0.2, 0.5), 1e-14);
  EXPECT_CLOSE(Vector3d(velocity("ship").head(3)), Vector3d(0.1, 0.2, 0.3), 1e-14);
  EXPECT_CLOSE(Vector3d(velocity("ship").tail(3)), Vector3d(4, 5, 6), 1e-14);
}

}  // namespace
}  // namespace limber
