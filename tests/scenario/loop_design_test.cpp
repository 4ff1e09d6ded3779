// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Designs of sampled loops: poles near the limit of resolution, vibrations that no sensor sees, limits of efforts.
#include <gtest/gtest.h>

#include <string>

#include "limber/scenario/simulation.hpp"
#include "limber/spatial/status.hpp"

namespace limber::test {
namespace {

Scenario scenario_of(const std::string& text) {
  return parse_scenario("limber: 1\nscenario: s\n" + text, "s.yaml", "");
}

std::string reason_of_refusal(const std::string& text) {
  try {
    const Simulation simulation(scenario_of(text));
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

// Along the motion a pole goes from |pole| T = 2.1 to 1.95: gains are interpolated between designs with one and the
// same number of resolved poles.
TEST(LoopDesign, APoleMayCrossTheLimitOfResolution) {
  Simulation simulation(scenario_of(R"(duration: 1.2
model:
  bodies:
    - {name: l0, beam: {length: 1.075, mass: 7.338, EIy: 46850, EIz: 222800, modes: {bending_y: 3}, damping: 0.002}}
    - {name: l1, beam: {length: 1.346, mass: 1.735, EIy: 176800, EIz: 6200, modes: {bending_y: 1}, damping: 0.01}}
    - {name: l2, beam: {length: 1.769, mass: 5.708, EIy: 3877000, EIz: 100300, modes: {bending_y: 2}, damping: 0.01}}
    - {name: load, rigid: {mass: 6.243, inertia: [0.1, 0.1, 0.1, 0, 0, 0]}}
  joints:
    - {name: j0, type: revolute, axis: [0, 0, 1], parent: world, child: l0, damping: 100}
    - {name: j1, type: revolute, axis: [0, 0, 1], parent: l0.tip, child: l1}
    - {name: j2, type: revolute, axis: [0, 0, 1], parent: l1.tip, child: l2, damping: 100, armature: 0.5814}
    - {name: g, type: fixed, parent: l2.tip, child: load}
initial: {j0: {q: 0.3061}, j1: {q: 0.3864}, j2: {q: 0.6622}}
solver: {method: implicit, step: 1e-3, rho_inf: 0}
control:
  rate: 1000
  feedback: {computed_torque: {frequency: 0.9189}}
  desired: {waypoints: [{q: [0.7235, 0.8947, 1.3527], duration: 1}], profile: cycloid}
)"));
  simulation.advance_to(1.2);
  EXPECT_NEAR(simulation.q("j0"), 0.7235, 5e-3);
  EXPECT_NEAR(simulation.q("j1"), 0.8947, 5e-3);
  EXPECT_NEAR(simulation.q("j2"), 1.3527, 5e-3);
}

std::string planar_arm(const std::string& beam, const std::string& more) {
  return R"(duration: 0.5
model:
  bodies: [{name: arm, beam: {length: 1, mass: 5, EA: 1e6, EIz: 5e3, )" +
         beam + R"(}}, {name: load, rigid: {mass: 1, com: [0.2, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}}]
  joints:
    - {name: hub, type: revolute, axis: [0, 0, 1], parent: world, child: arm}
    - {name: grip, type: fixed, parent: arm.tip, child: load}
)" + more;
}

// No torque excites the axial mode, no encoder sees it, and nothing damps it.
TEST(LoopDesign, UndampedVibrationsThatNoSensorSeesDoNoHarm) {
  for (const char* rate : {"200", "1000", "5000"}) {
    Simulation simulation(scenario_of(
        planar_arm("modes: {bending_y: 2, axial: 1}", "control: {rate: " + std::string(rate) +
                                                          ", desired: {waypoints: [{q: [0.01], duration: 0.4}]}, "
                                                          "feed_forward: hybrid, feedback: {lqr: {}}}\n")));
    simulation.advance_to(0.5);
    EXPECT_NEAR(simulation.q("hub"), 0.01, 1e-4) << rate;
  }
}

// Limits far beyond what the feedback uses say nothing about the torques to expect.
TEST(LoopDesign, GenerousLimitsAreNoNoise) {
  const std::string text = R"(duration: 1
model:
  bodies:
    - {name: upper, beam: {length: 0.4, mass: 5, EIy: 4000, modes: {bending_z: 1}, damping: 0.05}}
    - {name: fore, rigid: {mass: 11, com: [1.1, 0, 0], inertia: [0.05, 5, 5, 0, 0, 0]}}
  joints:
    - {name: shoulder, type: revolute, axis: [0, -1, 0], parent: world, child: upper, limits: {effort: 3e5}}
    - {name: elbow, type: revolute, axis: [0, 1, 0], parent: upper.tip, child: fore}
control: {rate: 50, feedback: {correction: {}}}
)";
  EXPECT_EQ(reason_of_refusal(text), "");
}

std::string weight(const std::string& effort, const std::string& start, const std::string& control) {
  return R"(duration: 1
model:
  gravity: [0, 0, -9.81]
  bodies: [{name: arm, rigid: {mass: 10, com: [1, 0, 0], inertia: [1, 3, 3, 0, 0, 0]}}]
  joints: [{name: hub, type: revolute, axis: [0, -1, 0], parent: world, child: arm, limits: {effort: )" +
         effort + "}}]\n" + start + "control: {" + control + "}\n";
}

// The controller knows the effort limits of joints as those of its servos.
TEST(LoopDesign, EffortLimitsAreThoseOfTheServos) {
  const std::string pid = "feedback: {pid: {frequency: 1, gravity: true}}";
  const std::string held = "initial: {equilibrium: true}\n", message = reason_of_refusal(weight("50", held, pid));
  EXPECT_NE(message.find("needs 98.1 to be held"), std::string::npos) << message;
  EXPECT_EQ(reason_of_refusal(weight("120", held, pid)), "");
  Simulation simulation(scenario_of(weight("50", "", pid)));
  simulation.advance_to(1);
  EXPECT_DOUBLE_EQ(simulation.tracking().saturation()[0], 1);
}

}  // namespace
}  // namespace limber::test
