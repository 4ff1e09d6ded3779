// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numbers>

#include "limber/files/model_file.hpp"
#include "limber/files/text_file.hpp"
#include "limber/scenario/scenario.hpp"

namespace limber {
namespace {

const std::string kFolder = LIMBER_TEST_DATA "/malformed-scenario";  // with a valid model

Scenario scenario(const std::string& rest) {
  return parse_scenario("limber: 1\nscenario: slew\nmodel: models/arm.yaml\nduration: 10\n" + rest, "slew.yaml",
                        kFolder);
}

std::string message_of(const std::string& rest) {
  try {
    scenario(rest);
  } catch (const InputError& e) {
    return e.what();
  }
  return "read without complaint";
}

TEST(ScenarioFile, HasDefaults) {
  const Scenario s = scenario("");
  EXPECT_EQ(s.name, "slew");
  EXPECT_EQ(s.file, "slew.yaml");
  EXPECT_EQ(s.model_file, kFolder + "/models/arm.yaml");
  EXPECT_EQ(s.model_text, read_text_file(s.model_file));
  EXPECT_EQ(s.model->name, "arm");
  EXPECT_TRUE(s.text.starts_with("limber: 1\nscenario: slew\n"));
  const State zero = make_zero_state(*s.model);
  EXPECT_EQ(s.initial.t, 0);
  EXPECT_EQ(s.initial.q, zero.q);
  EXPECT_EQ(s.initial.v, zero.v);
  EXPECT_FALSE(s.equilibrium);
  EXPECT_EQ(s.solver.method, "dopri5");
  EXPECT_EQ(s.solver.algorithm, "aba");
  EXPECT_EQ(s.run.duration, 10);
  EXPECT_EQ(s.run.record_every, 0.01);
  EXPECT_EQ(s.record.nodes.size(), 3u);  // of the hub; root and tip of the boom
  EXPECT_TRUE(s.record.energy);
  EXPECT_TRUE(s.inputs.speeds.empty() && s.inputs.motions.empty() && s.inputs.wrenches.empty());
}

TEST(ScenarioFile, ReadsTheInitialState) {
  const Scenario s = scenario(R"(
initial:
  shoulder: {q: 0.3, v: -1}
  screw: {q: [0.1, 0.2], v: [0.3, 0.4]}
  socket: {v: [1, 2, 3]}
  afloat: {q: [0, 0.6, 0, -0.8, 5, 6, 7], v: [1, 2, 3, 4, 5, 6]}
  boom: {eta: [0.01, 0.02], etadot: [0.03, 0.04]}
  base: {q: [], v: []}
  hub: {eta: [], etadot: []}
  equilibrium: false
)");
  const Model& m = *s.model;
  const auto q = [&](const char* joint) { return m.joints[m.find_joint(joint)].q; };
  const auto v = [&](const char* joint) { return m.joints[m.find_joint(joint)].v; };
  EXPECT_EQ(s.initial.q[q("shoulder")], 0.3);
  EXPECT_EQ(s.initial.v[v("shoulder")], -1);
  EXPECT_EQ(s.initial.q[q("screw") + 1], 0.2);
  EXPECT_EQ(s.initial.v[v("screw")], 0.3);
  EXPECT_EQ(VectorXd(s.initial.q.segment(q("socket"), 4)), Eigen::Vector4d(1, 0, 0, 0));
  EXPECT_EQ(VectorXd(s.initial.v.segment(v("socket"), 3)), Vector3d(1, 2, 3));
  EXPECT_EQ(s.initial.q[q("afloat") + 3], -0.8);
  EXPECT_EQ(s.initial.q[q("afloat") + 6], 7);
  EXPECT_EQ(s.initial.v[v("afloat") + 5], 6);
  const int boom = m.find_body("boom");
  EXPECT_EQ(s.initial.q[m.first_mode_q(boom) + 1], 0.02);
  EXPECT_EQ(s.initial.v[m.first_mode(boom)], 0.03);
  EXPECT_TRUE(scenario("initial: {equilibrium: true, shoulder: {q: 1, v: 0}}").equilibrium);
  EXPECT_EQ(scenario("initial: {shoulder: {q: [0.5]}}").initial.q[q("shoulder")], 0.5);
  EXPECT_EQ(scenario("initial: {}").initial.q, make_zero_state(m).q);
}

// Seven digits of a quaternion suffice, and are not changed.
TEST(ScenarioFile, KeepsRoundedQuaternions) {
  const Scenario s = scenario("initial: {socket: {q: [0.7071068, 0, 0.7071068, 0]}}");
  EXPECT_EQ(s.initial.q[s.model->joints[s.model->find_joint("socket")].q], 0.7071068);
}

TEST(ScenarioFile, StartsPrescribedJointsWithTheirMotion) {
  const std::string motion = R"(
inputs:
  - {joint: shoulder, motion: "0.5 + 0.1*t"}
  - {joint: screw, motion: ["2*t", {table: {t: [0, 1], y: [3, 7]}}]}
)";
  Scenario s = scenario(motion);
  const Joint &shoulder = s.model->joints[s.model->find_joint("shoulder")],
              &screw = s.model->joints[s.model->find_joint("screw")];
  EXPECT_EQ(s.initial.q[shoulder.q], 0.5);
  EXPECT_EQ(s.initial.v[shoulder.v], 0.1);
  EXPECT_EQ(s.initial.v[screw.v], 2);
  EXPECT_EQ(s.initial.q[screw.q + 1], 3);
  EXPECT_EQ(s.initial.v[screw.v + 1], 4);  // after the break at 0
  ASSERT_EQ(s.inputs.motions.size(), 2u);
  EXPECT_EQ(s.inputs.motions[0].joint, s.model->find_joint("shoulder"));
  EXPECT_EQ(s.inputs.motions[0].label, "inputs[0].motion");
  EXPECT_EQ(s.inputs.motions[1].motion.size(), 2u);
  // Consistent values are permitted; the motion takes precedence.
  const int at = shoulder.q;
  s = scenario(motion + "initial: {equilibrium: true, shoulder: {q: 0.5000000001, v: 0.1}}");
  EXPECT_EQ(s.initial.q[at], 0.5);
  EXPECT_EQ(message_of(motion + "initial: {shoulder: {q: 0.50001}}"),
            "slew.yaml:9: initial.shoulder.q has 0.50001, but inputs[0].motion starts with 0.5; remove it, or make "
            "them equal");
}

TEST(ScenarioFile, ReadsEveryInput) {
  const Scenario s = scenario(R"(
inputs:
  - {joint: shoulder, torque: "2*t"}
  - {joint: shoulder, torque: [1]}
  - {joint: screw, torque: [3, {sine: {amplitude: 1, frequency: 1}}]}
  - {node: boom.tip, force: [0, 0, "-10*t"], torque: [1, 2, 3], frame: node}
  - {node: boom, force: [1, 2, 3]}
  - {node: hub.flange, torque: [4, 5, 6], frame: world}
  - {body: boom, modal: [7, "t"]}
  - {gravity: [0, 0, {pieces: [{until: 1, value: 0}, {value: -9.81}]}]}
)");
  const Model& m = *s.model;
  const int shoulder = m.joints[m.find_joint("shoulder")].v, screw = m.joints[m.find_joint("screw")].v;
  const int boom = m.find_body("boom");
  ASSERT_EQ(s.inputs.speeds.size(), 6u);
  EXPECT_EQ(s.inputs.speeds[0].speed, shoulder);
  EXPECT_EQ(s.inputs.speeds[0].force.at(2).value, 4);
  EXPECT_EQ(s.inputs.speeds[0].label, "inputs[0].torque");
  EXPECT_EQ(s.inputs.speeds[1].speed, shoulder);
  EXPECT_EQ(s.inputs.speeds[3].speed, screw + 1);
  EXPECT_EQ(s.inputs.speeds[3].label, "inputs[2].torque[1]");
  EXPECT_EQ(s.inputs.speeds[5].speed, m.first_mode(boom) + 1);
  EXPECT_EQ(s.inputs.speeds[5].force.at(2).value, 2);
  ASSERT_EQ(s.inputs.wrenches.size(), 3u);
  const WrenchInput &follower = s.inputs.wrenches[0], &frame = s.inputs.wrenches[1], &turn = s.inputs.wrenches[2];
  EXPECT_EQ(follower.at.body, boom);
  EXPECT_EQ(follower.at.node, m.body(boom).node_index("tip"));
  EXPECT_EQ(follower.frame, Frame::node);
  EXPECT_EQ(follower.wrench[1].at(0).value, 2);
  EXPECT_EQ(follower.wrench[5].at(3).value, -30);
  EXPECT_EQ(frame.at.node, kBodyFrame);
  EXPECT_EQ(frame.frame, Frame::world);
  EXPECT_EQ(frame.wrench[0].at(0).value, 0);
  EXPECT_EQ(frame.wrench[3].at(0).value, 1);
  EXPECT_EQ(turn.wrench[2].at(0).value, 6);
  EXPECT_EQ(turn.wrench[5].at(0).value, 0);
  ASSERT_EQ(s.inputs.gravities.size(), 1u);
  EXPECT_EQ(s.inputs.gravities[0].gravity[2].at(2).value, -9.81);
  EXPECT_EQ(breaks(s.inputs), std::vector<double>{1});
  EXPECT_TRUE(scenario("inputs: []").inputs.speeds.empty());
}

// A jump of the speed is an impulse; a jump of the value is refused.
TEST(ScenarioFile, MotionsMayHaveKinks) {
  const std::string start = "inputs: [{joint: shoulder, motion: {pieces: [{until: 2, value: \"t\"}, {value: ";
  EXPECT_EQ(message_of(start + "2}]}}]"), "read without complaint");
  EXPECT_EQ(message_of(start + "2.0000000001}]}}]"), "read without complaint");
  EXPECT_NE(message_of(start + "2.1}]}}]"), "read without complaint");
}

TEST(ScenarioFile, ReadsEverySolver) {
  SolverOptions o =
      scenario("solver: {method: dopri5, algorithm: crba, rtol: 1e-9, atol: 1e-12, max_step: 0.1}").solver;
  EXPECT_EQ(o.method, "dopri5");
  EXPECT_EQ(o.algorithm, "crba");
  EXPECT_EQ(o.rtol, 1e-9);
  EXPECT_EQ(o.atol, 1e-12);
  EXPECT_EQ(o.max_step, 0.1);
  o = scenario("solver: {method: implicit, step: 2e-3, rho_inf: 0.8, passes: 3}").solver;
  EXPECT_EQ(o.method, "implicit");
  EXPECT_EQ(o.step, 2e-3);
  EXPECT_EQ(o.rho_inf, 0.8);
  EXPECT_EQ(o.passes, 3);
  o = scenario("solver: {method: rk4, step: 0.5}").solver;
  EXPECT_EQ(o.method, "rk4");
  EXPECT_EQ(o.step, 0.5);
  o = scenario("solver: {method: cvode, formula: adams, rtol: 1e-5}").solver;
  EXPECT_EQ(o.method, "cvode");
  EXPECT_EQ(o.formula, "adams");
  EXPECT_EQ(scenario("solver: {rtol: 1e-3}").solver.method, "dopri5");
  EXPECT_EQ(scenario("solver: {}").solver.rtol, SolverOptions().rtol);
}

TEST(ScenarioFile, ReadsWhatToRecord) {
  Scenario s = scenario("record: {every: 0.5, nodes: [boom.tip, hub.flange], energy: false}");
  EXPECT_EQ(s.run.record_every, 0.5);
  ASSERT_EQ(s.record.nodes.size(), 2u);
  EXPECT_EQ(s.record.nodes[0].body, s.model->find_body("boom"));
  EXPECT_EQ(s.record.nodes[1].body, s.model->find_body("hub"));
  EXPECT_FALSE(s.record.energy);
  EXPECT_EQ(scenario("record: {nodes: all}").record.nodes.size(), 3u);
  EXPECT_TRUE(scenario("record: {nodes: none}").record.nodes.empty());
  EXPECT_TRUE(scenario("record: {nodes: []}").record.nodes.empty());
  EXPECT_EQ(scenario("record: {every: 100}").run.record_every, 100);
  EXPECT_EQ(scenario("record: {every: 2e-8}").run.record_every, 2e-8);
  EXPECT_EQ(scenario("record: {}").run.record_every, 0.01);
}

// The text of a model inside a scenario is a valid model file.
TEST(ScenarioFile, ReadsModelsInside) {
  const std::string text = R"(
limber: 1
scenario: drop
duration: 1e-3
model:
  name: "a \"pendulum\", with\ttab, \\ and é"
  gravity: [0, 0, -9.81]
  bodies:
    - name: rod, long          # needs quotes in one line
      rigid: &rigid {mass: +2, com: [.5, 0, 0]}
    - name: 'null'
      rigid: *rigid
  joints:
    - {name: pin, type: revolute, axis: [0, 1, 0], parent: world, child: "rod, long"}
    - {name: "-", type: revolute, axis: [0, 1, 0], parent: "rod, long", child: "null"}
initial: {pin: {q: 1}, "-": {q: 2}}
)";
  const Scenario s = parse_scenario(text, "drop.yaml", "");
  EXPECT_EQ(s.model_file, "drop.yaml");
  EXPECT_EQ(s.model_text.find('\n'), std::string::npos);
  const Model again = parse_model(s.model_text, "again");
  EXPECT_EQ(again.name, "a \"pendulum\", with\ttab, \\ and é");
  EXPECT_EQ(again.name, s.model->name);
  EXPECT_EQ(again.body_names, (std::vector<std::string>{"world", "rod, long", "null"}));
  EXPECT_EQ(again.coordinates, s.model->coordinates);
  EXPECT_EQ(again.gravity, Vector3d(0, 0, -9.81));
  EXPECT_EQ(again.body(2).mass, 2);
  // With its own version, as if pasted from a file.
  const Scenario pasted = parse_scenario(
      R"({"limber": 1, "scenario": "s", "duration": 1, "model": {"limber": 1, "bodies": [{"name": "b", "rigid":
      {"mass": 1}}], "joints": [{"name": "j", "type": "prismatic", "axis": [1, 0, 0], "parent": "world", "child": "b"}]}})",
      "s.json", "");
  EXPECT_EQ(parse_model(pasted.model_text, "again").nv, 1);
}

TEST(ScenarioFile, FindsTheModelFromItsOwnFolder) {
  const Scenario s = read_scenario(LIMBER_TEST_DATA "/cases/pendulum/scenario.yaml");
  EXPECT_EQ(s.model_file, LIMBER_TEST_DATA "/cases/pendulum/model.yaml");
  EXPECT_EQ(s.text, read_text_file(LIMBER_TEST_DATA "/cases/pendulum/scenario.yaml"));
  const std::string absolute = LIMBER_TEST_DATA "/cases/pendulum/model.yaml";
  const Scenario other =
      parse_scenario("limber: 1\nscenario: s\nduration: 1\nmodel: " + absolute + "\n", "s.yaml", "/no/such/folder");
  EXPECT_EQ(other.model_file, absolute);
}

TEST(ScenarioFile, ReadsEveryCase) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LIMBER_TEST_DATA "/cases")) {
    const std::filesystem::path file = entry.path() / "scenario.yaml";
    if (!std::filesystem::exists(file)) continue;
    const Scenario s = read_scenario(file.string());
    EXPECT_EQ(s.name, entry.path().filename().string());
    EXPECT_EQ(s.solver.method, "dopri5");
    EXPECT_GT(s.run.duration, 0);
    ++count;
  }
  EXPECT_GE(count, 15);
  const Scenario crank = read_scenario(LIMBER_TEST_DATA "/cases/slider-crank-published/scenario.yaml");
  EXPECT_EQ(crank.model->closures.size(), 1u);
  EXPECT_EQ(crank.initial.v[0], 150);
}

// Every complete example in the manual.
TEST(ScenarioFile, ReadsItsManual) {
  const std::string page = read_text_file(LIMBER_SOURCE_DIR "/docs/scenario-format.md");
  const std::string fence = "```yaml\nlimber: 1\nscenario:";
  int count = 0;
  for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at + 1), ++count) {
    const std::size_t begin = at + std::string("```yaml\n").size();
    const std::string text = page.substr(begin, page.find("```", begin) - begin);
    EXPECT_NO_THROW(parse_scenario(text, "example.yaml", LIMBER_TEST_DATA "/cases/canadarm-slew")) << text;
  }
  EXPECT_EQ(count, 5);
}

// Windows line ends have no effect.
TEST(ScenarioFile, ReadsCarriageReturns) {
  std::string text = read_text_file(LIMBER_TEST_DATA "/cases/spin-up-1/scenario.yaml"), dos;
  for (const char c : text) dos += c == '\n' ? "\r\n" : std::string(1, c);
  const Scenario s = parse_scenario(dos, "s.yaml", LIMBER_TEST_DATA "/cases/spin-up-1");
  EXPECT_EQ(s.inputs.motions.size(), 1u);
  EXPECT_EQ(s.initial.v[0], 0);
}

// The fuzzer's corpus, without the fuzzer.
TEST(ScenarioFile, EveryFuzzedTextIsAScenarioOrOneLineOfComplaint) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LIMBER_SOURCE_DIR "/tests/fuzz/corpus-scenario")) {
    const std::string text = read_text_file(entry.path().string());
    try {
      parse_scenario(text, "fuzz.yaml", "/no/such/folder");
    } catch (const InputError& e) {
      const std::string message = e.what();
      EXPECT_TRUE(message.starts_with("fuzz.yaml:")) << entry.path();
      EXPECT_EQ(message.find('\n'), std::string::npos) << entry.path() << ": " << message;
    }
    ++count;
  }
  EXPECT_GE(count, 5);
}

// Linear in the length of the file: 5000 bodies, each with its own initial value and input.
TEST(ScenarioFile, ReadsLongScenarios) {
  constexpr int kBodies = 5000;
  std::string bodies, joints, initial, inputs;
  for (int i = 0; i < kBodies; ++i) {
    const std::string n = std::to_string(i);
    bodies += "    - {name: b" + n + ", rigid: {mass: 1}}\n";
    joints += "    - {name: j" + n + ", type: prismatic, axis: [1, 0, 0], parent: world, child: b" + n + "}\n";
    initial += "  j" + n + ": {q: " + n + "}\n";
    inputs += "  - {joint: j" + n + ", torque: \"t\"}\n";
  }
  const Scenario s = parse_scenario("limber: 1\nscenario: long\nduration: 1\nmodel:\n  bodies:\n" + bodies +
                                        "  joints:\n" + joints + "initial:\n" + initial + "inputs:\n" + inputs,
                                    "long.yaml", "");
  EXPECT_EQ(s.initial.q[kBodies - 1], kBodies - 1);
  EXPECT_EQ(s.inputs.speeds.size(), std::size_t{kBodies});
}

}  // namespace
}  // namespace limber
