// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Attitude and joint control in one scenario; joints actuated by cylinders.
#include "limber/control/two_loops.hpp"

#include <gtest/gtest.h>

#include "limber/scenario/run.hpp"
#include "limber/scenario/simulation.hpp"
#include "limber/spatial/status.hpp"

namespace limber::test {
namespace {

constexpr const char* kSatellite = R"(
limber: 1
scenario: reach
model:
  bodies:
    - {name: hub, rigid: {mass: 200, inertia: [80, 60, 90, 0, 0, 0]}}
    - {name: r1, rigid: &rotor {mass: 2, inertia: [0.03, 0.03, 0.05, 0, 0, 0]}}
    - {name: r2, rigid: *rotor}
    - {name: r3, rigid: *rotor}
    - name: arm
      beam: {length: 2, mass_per_length: 4, EIy: 4000, EIz: 4000, modes: {bending_y: 1, bending_z: 1}, damping: 0.01}
    - {name: load, rigid: {mass: 10, inertia: [0.5, 0.5, 0.5, 0, 0, 0]}}
  joints:
    - {name: base, type: free, parent: world, child: hub}
    - {name: w1, type: revolute, axis: [0, 0, 1], parent: hub, child: r1, origin: {rpy: [0, 1.5707963267948966, 0]}}
    - {name: w2, type: revolute, axis: [0, 0, 1], parent: hub, child: r2, origin: {rpy: [-1.5707963267948966, 0, 0]}}
    - {name: w3, type: revolute, axis: [0, 0, 1], parent: hub, child: r3}
    - {name: shoulder, type: revolute, axis: [0, 0, 1], parent: hub, child: arm, origin: {xyz: [0.6, 0, 0]}, armature: 20}
    - {name: grip, type: fixed, parent: arm.tip, child: load}
duration: 12
record: {every: 0.5}
control:
  rate: 50
  joints: [shoulder]
  desired: {waypoints: [{q: [0.8], duration: 10}]}
  feed_forward: rigid
  feedback: {pid: {frequency: 0.5}}
  attitude:
    rate: RATE
    body: hub
    feed_forward: FORWARD
    feedback: {quaternion: {frequency: 0.02, ratio: 1}}
    wheels: {joints: [w1, w2, w3]}
)";

std::string with(std::string text, const std::string& key, const std::string& value) {
  const std::size_t at = text.find(key);
  return text.replace(at, key.size(), value);
}

Scenario satellite(const std::string& rate, const std::string& forward) {
  return parse_scenario(with(with(kSatellite, "RATE", rate), "FORWARD", forward), "reach.yaml", "");
}

// The wheels hold the hub while the arm moves, far better if the arm's motion is known.
TEST(TwoLoops, HoldTheHubWhileTheArmMoves) {
  double turned[2] = {0, 0};
  for (const int exact : {0, 1}) {
    const RecordedRun run = record_run(satellite("10", exact == 1 ? "hybrid" : "none"));
    ASSERT_TRUE(run.complete()) << run.result.failure;
    ASSERT_EQ(run.tracking.names.size(), 4u);  // the shoulder, then the axes of the hub
    EXPECT_LT(run.tracking.largest[0], 5e-3);
    turned[exact] = run.tracking.largest.tail(3).maxCoeff();
    std::printf("hub turned by %.2e rad at most, shoulder off by %.2e\n", turned[exact], run.tracking.largest[0]);
  }
  EXPECT_GT(turned[0], 1e-3);
  EXPECT_LT(20 * turned[1], turned[0]);
}

TEST(TwoLoops, RunAtTheirOwnRatesAndAreSaved) {
  for (const char* rate : {"10", "50", "100"}) {
    Simulation simulation(satellite(rate, "rigid"));
    ASSERT_NE(simulation.attitude(), nullptr);
    ASSERT_NE(simulation.controller(), nullptr);
    simulation.advance_to(1.03);
    const Tracking tracking = simulation.controller()->tracking(), turns = simulation.attitude()->tracking();
    EXPECT_EQ(tracking.samples, 52);
    EXPECT_EQ(turns.samples, static_cast<long>(1.03 * std::stod(rate)) + 1);
    const SavedState saved = simulation.save();
    simulation.advance_to(2);
    const State first = simulation.state();
    simulation.restore(saved);
    simulation.advance_to(2);
    EXPECT_EQ(simulation.state().q, first.q);
    bool attitude = false, joints = false;
    for (const ExternalChannel& channel : simulation.control_channels()) {
      attitude = attitude || channel.path == "attitude/wheel_torque";
      joints = joints || channel.path == "control/torque";
    }
    EXPECT_TRUE(attitude && joints);
  }
}

std::string refused(const std::string& text) {
  try {
    Simulation simulation(parse_scenario(text, "reach.yaml", ""));
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(TwoLoops, RefusesWhatDoesNotFit) {
  const std::string good = with(with(kSatellite, "RATE", "10"), "FORWARD", "rigid");
  EXPECT_EQ(refused(good), "");
  EXPECT_NE(refused(with(with(kSatellite, "RATE", "30"), "FORWARD", "rigid")).find("integer multiple"),
            std::string::npos);
  EXPECT_NE(refused(with(with(good, "joints: [shoulder]", "joints: [w1, shoulder]"), "q: [0.8]", "q: [0, 0.8]"))
                .find("'w1' of the attitude is among the controlled joints"),
            std::string::npos);
  EXPECT_NE(refused(with(good, "  joints: [shoulder]\n", "")).find("needs joints"), std::string::npos);
  // The position of the hub is not observable.
  const std::string floats = refused(with(good, "{pid: {frequency: 0.5}}", "{lqr: {}}"));
  EXPECT_NE(floats.find("body 'hub': it floats"), std::string::npos) << floats;
}

// ---- cylinders -----------------------------------------------------------------------------------------

constexpr const char* kDigger = R"(
limber: 1
scenario: dig
model:
  gravity: [0, 0, -9.81]
  bodies:
    - {name: boom, rigid: {mass: 300, com: [1.5, 0, 0], inertia: [5, 225, 225, 0, 0, 0]}}
  joints:
    - {name: pin, type: revolute, axis: [0, -1, 0], parent: world, child: boom, armature: 2}
  elements:
    - {name: ram, type: actuator, a: [0.4, 0, -1], b: {node: boom, xyz: [1.2, 0, -0.1]}}
initial: {pin: {q: 0.2}, equilibrium: true}
duration: 3
record: {every: 0.1}
control:
  rate: 500
  actuators: {pin: ram}
  desired: {waypoints: [{q: [0.7], duration: 2}]}
  feed_forward: rigid
  feedback: {pid: {frequency: 1}}
)";

TEST(ActuatorScenario, CylinderMovesTheBoom) {
  const Scenario scenario = parse_scenario(kDigger, "dig.yaml", "");
  Simulation simulation(scenario);
  simulation.advance_to(0.01);
  EXPECT_NEAR(simulation.q("pin"), 0.2, 1e-6);  // held from the beginning
  simulation.advance_to(3);
  EXPECT_NEAR(simulation.q("pin"), 0.7, 1e-5);
  EXPECT_LT(simulation.tracking().largest[0], 1e-3);
  // The force of the cylinder times its lever balances the weight.
  const double angle = simulation.q("pin");
  const Eigen::Vector2d foot(0.4, -1), pin(0, 0), arm(1.2, -0.1);
  const Eigen::Vector2d head(arm[0] * std::cos(angle) - arm[1] * std::sin(angle),
                             arm[0] * std::sin(angle) + arm[1] * std::cos(angle));
  const Eigen::Vector2d along = (head - foot).normalized();
  const double lever = head[0] * along[1] - head[1] * along[0];
  const double force = 300 * 9.81 * 1.5 * std::cos(angle) / lever;
  EXPECT_NEAR(simulation.controller()->actuator_force(0), force, 1e-4 * force);
  EXPECT_LT(std::abs(simulation.balance()), 1e-5 * std::abs(simulation.energy().gravity));
  for (const ExternalChannel& channel : simulation.control_channels()) {
    if (channel.path == "control/command") {
      EXPECT_EQ(channel.units[0], "N");
    }
    if (channel.path == "control/feedback") {
      EXPECT_EQ(channel.units[0], "N m");
    }
  }
}

TEST(ActuatorScenario, RefusesWhatDoesNotFit) {
  const auto told = [&](const char* from, const char* to) { return refused(with(kDigger, from, to)); };
  EXPECT_NE(told("{pin: ram}", "{pin: rum}").find("no element 'rum'"), std::string::npos);
  EXPECT_NE(told("{pin: ram}", "{pen: ram}").find("'pen' is not among the controlled joints"), std::string::npos);
  EXPECT_NE(told("type: actuator", "type: spring, stiffness: 1, length: 1").find("takes no commands"),
            std::string::npos);
}

}  // namespace
}  // namespace limber::test
