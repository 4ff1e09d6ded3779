// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// initial: {equilibrium: ...} of a model with control, or held at the start only.
#include <gtest/gtest.h>

#include "limber/scenario/simulation.hpp"

namespace limber::test {
namespace {

const char* const kHeldArm = R"(limber: 1
scenario: static start
duration: 1
model:
  name: arm
  gravity: [0, 0, -9.81]
  bodies:
    - {name: boom, beam: {length: 2, mass: 8, EIy: 2e4, EIz: 2e4, modes: {bending_z: 2}, damping: 0.01}}
    - {name: load, rigid: {mass: 3, inertia: [0.1, 0.1, 0.1, 0, 0, 0], com: [0.3, 0, 0]}}
  joints:
    - {name: shoulder, type: revolute, axis: [0, 1, 0], parent: world, child: boom}
    - {name: wrist, type: revolute, axis: [0, 1, 0], parent: boom.tip, child: load}
)";

Scenario make_start(const std::string& more) { return parse_scenario(kHeldArm + more, "s.yaml", ""); }

TEST(StaticStartScenario, DrivenJointsAreHeldByDefault) {
  const Scenario scenario = make_start(
      "initial: {equilibrium: true, shoulder: {q: -0.4}, wrist: {q: 0.7}}\n"
      "control: {rate: 500, feedback: {pid: {kp: 2000, kd: 20}}, sensors: {accelerometers: [{node: boom.tip}]}}\n");
  EXPECT_EQ(scenario.held.size(), 2u);
  Simulation simulation(scenario);
  EXPECT_EQ(simulation.q("shoulder"), -0.4);
  const VectorXd start = simulation.state().q;
  EXPECT_GT(start.tail(2).norm(), 1e-3);  // it is deflected
  for (int k = 1; k <= 20; ++k) {
    simulation.advance_to(0.05 * k);
    EXPECT_LT((simulation.state().q - start).cwiseAbs().maxCoeff(), 1e-10);
  }
  simulation.reset();
  EXPECT_EQ(simulation.state().q, start);
  simulation.advance_to(0.5);
  EXPECT_LT((simulation.state().q - start).cwiseAbs().maxCoeff(), 1e-10);
}

// The wrist is not driven and hangs freely; a constant torque input bears part of the load.
TEST(StaticStartScenario, OtherJointsAreInBalance) {
  const Scenario scenario = make_start(
      "initial: {equilibrium: true, shoulder: {q: -0.4}, wrist: {q: 0.7}}\n"
      "inputs: [{joint: shoulder, torque: -30}]\n"
      "control: {rate: 500, joints: [shoulder], feedback: {correction: {frequency: 1}}}\n");
  Simulation simulation(scenario);
  EXPECT_EQ(simulation.q("shoulder"), -0.4);
  EXPECT_GT(std::abs(simulation.q("wrist") - 0.7), 0.1);
  const VectorXd start = simulation.state().q;
  simulation.advance_to(0.5);
  EXPECT_LT((simulation.state().q - start).cwiseAbs().maxCoeff(), 1e-9);
}

// Elastic transmissions start twisted by their load, beyond their backlash; encoders on the motor measure this.
TEST(StaticStartScenario, TransmissionsCarryTheLoad) {
  for (const char* encoders : {"motor", "link"}) {
    for (const char* backlash : {"0", "0.02"}) {
      std::string text = kHeldArm;
      text.replace(
          text.find("parent: world"), 13,
          std::string("parent: world, drive: {ratio: 50, inertia: 1e-3, stiffness: 3e4, damping: 20, backlash: ") +
              backlash + "}");
      const Scenario scenario = parse_scenario(
          text + "initial: {equilibrium: true, shoulder: {q: -0.4}, wrist: {q: 0.7}}\n" +
              "control: {rate: 500, feedback: {pid: {kp: 2000, kd: 20}}, sensors: {encoders: " + encoders + "}}\n",
          "s.yaml", "");
      Simulation simulation(scenario);
      const VectorXd start = simulation.state().q;
      const bool on_link = std::string(encoders) == "link";  // else the motor is at the desired position of the joint
      EXPECT_NEAR(on_link ? simulation.q("shoulder") : start.tail(1)[0] / 50, -0.4, 1e-13);
      EXPECT_GT(std::abs(start.tail(1)[0] / 50 - simulation.q("shoulder")), 4e-3);  // about 130 N m
      simulation.advance_to(0.5);
      EXPECT_LT((simulation.state().q - start).cwiseAbs().maxCoeff(), 1e-9) << encoders << backlash;
    }
  }
}

// Without a controller: the modes start in balance, then it falls.
TEST(StaticStartScenario, HeldAtItsStartAlone) {
  Simulation simulation(make_start("initial: {equilibrium: {hold: [shoulder]}, shoulder: {q: -0.4}}\n"));
  EXPECT_EQ(simulation.q("shoulder"), -0.4);
  simulation.advance_to(0.1);
  EXPECT_GT(simulation.q("shoulder"), -0.39);
}

TEST(StaticStartScenario, NothingHeldOnRequest) {
  const Scenario scenario = make_start(
      "initial: {equilibrium: {hold: []}, shoulder: {q: 1}}\n"
      "control: {rate: 500, feedback: {pid: {kp: 2000, kd: 20}}}\n");
  EXPECT_TRUE(scenario.held.empty());
  const Simulation simulation(scenario);
  EXPECT_NEAR(simulation.q("shoulder"), 1.5708, 0.02);  // it still hangs
}

TEST(StaticStartScenario, AServoThatIsTooWeakIsRefused) {
  const Scenario scenario = make_start(
      "initial: {equilibrium: true}\n"
      "control: {rate: 500, feedback: {pid: {kp: 2000, kd: 20}}, servos: {max_torque: 5}}\n");
  try {
    Simulation simulation(scenario);
    FAIL() << "it starts";
  } catch (const InputError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with("s.yaml: joint 'shoulder' needs ")) << e.what();
  }
}

}  // namespace
}  // namespace limber::test
