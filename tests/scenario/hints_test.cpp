// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Hints on valid files.
#include "limber/scenario/hints.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>

#include "limber/scenario/run.hpp"

namespace limber::test {
namespace {

Scenario make(const std::string& damping, const std::string& rpy, const std::string& rest) {
  return parse_scenario(fmt::format(R"(limber: 1
scenario: hints
duration: 1
model:
  name: arm
  bodies:
    - {{name: boom, beam: {{length: 2, mass: 8, EIz: 2e4, modes: {{bending_y: 2}}, damping: {}}}}}
    - {{name: load, rigid: {{mass: 3, inertia: [0.1, 0.1, 0.1, 0, 0, 0]}},
       nodes: [{{name: pin, position: [0, 0, 0], rpy: {}}}]}}
  joints:
    - {{name: shoulder, type: revolute, axis: [0, 0, 1], parent: world, child: boom}}
    - {{name: slide, type: prismatic, axis: [1, 0, 0], parent: boom.tip, child: load}}
{}
)",
                                    damping, rpy, rest),
                        "s.yaml", "");
}

std::string first(const std::vector<std::string>& hints) { return hints.empty() ? "" : hints[0]; }

TEST(Hints, AGoodScenarioHasNone) {
  EXPECT_EQ(first(scenario_hints(make("0.01", "[0, 0.5, 3.1416]",
                                      "initial: {shoulder: {q: 4.712}, slide: {q: 90}}\n"
                                      "control: {desired: {waypoints: [{q: [6.2832, 10], duration: 1}]}}"))),
            "");
}

TEST(Hints, DegreesAndPercent) {
  EXPECT_EQ(first(scenario_hints(make("5", "[0, 0, 0]", ""))),
            "s.yaml:7: damping is 5 of the critical one, which looks like percent; 5 % are 0.05");
  EXPECT_EQ(first(scenario_hints(make("[0.01, 2]", "[0, 0, 0]", ""))),
            "s.yaml:7: damping is 2 of the critical one, which looks like percent; 2 % are 0.02");
  EXPECT_EQ(first(scenario_hints(make("0", "[0, 10, 0]", ""))),
            "s.yaml:9: rpy is 10 rad, which looks like degrees; 10 degrees are 0.1745 rad");
  EXPECT_EQ(first(scenario_hints(make("0", "[0, 0, 0]", "initial: {shoulder: {q: 90}}"))),
            "s.yaml:13: initial.shoulder.q is 90 rad, which looks like degrees; 90 degrees are 1.571 rad");
  EXPECT_EQ(
      first(scenario_hints(make("0", "[0, 0, 0]", "control: {desired: {waypoints: [{q: [45, 1], duration: 1}]}}"))),
      "s.yaml:13: control.desired.waypoints[0].q is 45 rad, which looks like degrees; 45 degrees are 0.7854 rad");
}

std::vector<std::string> before(const std::string& control) {
  const Scenario scenario = make("0.01", "[0, 0, 0]", control);
  const Simulation simulation(scenario);
  return control_hints(scenario, *simulation.controller());
}

TEST(Hints, OfAController) {
  const std::string desired = "desired: {waypoints: [{q: [0.5, 0.1], duration: 1}]}, ";
  EXPECT_EQ(first(before("control: {" + desired + "feedback: {pid: {kp: 300, kd: 60}}}")), "");
  EXPECT_EQ(first(before("control: {desired: {waypoints: [{q: [0.5, 0.1], duration: 3}]}, feed_forward: hybrid, "
                         "feedback: {pid: {kp: 300, kd: 60}}}")),
            "the run ends after 1 s, but the desired motion after 3 s");
  EXPECT_EQ(first(before("control: {desired: {shoulder: 0.3}, feedback: {pid: {kp: 300, kd: 60}}}")),
            "'shoulder' starts at 0, but its desired motion at 0.3");
  const std::string delayed =
      first(before("control: {" + desired + "feedback: {pid: {kp: 300, kd: 60}}, sensors: {delay: 0.2}}"));
  EXPECT_TRUE(delayed.starts_with("the control loop is unstable ")) << delayed;
}

// Where the driven joints are held by the law, the vibration that grows is one of the arm with these joints held.
TEST(Hints, NamesTheVibrationThatGrows) {
  const Scenario scenario = parse_scenario(R"(limber: 1
scenario: slow growth
model: planar.yaml
duration: 50
control:
  model: believed.yaml
  desired: {profile: cycloid, waypoints: [{q: [1.047, 0.785, 0.524], duration: 30}]}
  feed_forward: hybrid
  feedback: {correction: {frequency: 0.5, ratio: 1}}
)",
                                           "s.yaml", LIMBER_SOURCE_DIR "/examples/canadarm");
  const Simulation simulation(scenario);
  const std::string hint = first(control_hints(scenario, *simulation.controller()));
  const std::regex pattern("a deviation at ([0-9.]+) Hz .* the vibration of ([0-9.]+) Hz with the driven joints held");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(hint, found, pattern)) << hint;
  EXPECT_NEAR(std::stod(found[2]), std::stod(found[1]), 0.1 * std::stod(found[1])) << hint;
}

// Saturated servos and an unstable loop are reported after the run as well.
TEST(Hints, AfterARun) {
  const RecordedRun weak = record_run(make("0.01", "[0, 0, 0]",
                                           "control: {desired: {waypoints: [{q: [0.5, 0.1], duration: 1}]}, "
                                           "feedback: {pid: {kp: 300, kd: 60}}, servos: {max_torque: 0.1}}"));
  ASSERT_FALSE(weak.warnings.empty());
  EXPECT_TRUE(weak.warnings[0].starts_with("the servo of 'shoulder' was at its limit ")) << weak.warnings[0];
  EXPECT_GT(weak.tracking.saturation()[0], 0.5);
  EXPECT_GT(weak.tracking.largest[0], 0.1);
}

// A run that ends early in its motion: errors grow from zero, but they do not matter yet.
TEST(Hints, GrowingErrorsOfAPartOfTheMotion) {
  const Scenario scenario = make("0", "[0, 0, 0]", "");
  Tracking tracking;
  tracking.growing = true;
  tracking.end = 5;
  tracking.t = 0.1;
  tracking.last = tracking.band = Eigen::Vector2d(0.01, 0);
  tracking.last.setConstant(1e-6);
  EXPECT_TRUE(run_hints(scenario, {}, tracking).empty());
  for (const int joint : {0, 1}) {
    Tracking large = tracking;
    large.last[joint] = 0.03;
    EXPECT_TRUE(first(run_hints(scenario, {}, large)).starts_with("the joint errors grew throughout the run"));
  }
  tracking.t = 5;
  EXPECT_TRUE(first(run_hints(scenario, {}, tracking)).starts_with("the joint errors grew throughout the run"));
}

TEST(Hints, AStiffMachineUnderDopri5) {
  const Scenario scenario = make("0", "[0, 0, 0]", "");
  RunResult result;
  result.counts.steps = 5000;
  result.counts.rejected = 4000;
  EXPECT_NE(first(run_hints(scenario, result, {})).find("implicit"), std::string::npos);
  result.counts.rejected = 100;
  EXPECT_TRUE(run_hints(scenario, result, {}).empty());
}

}  // namespace
}  // namespace limber::test
