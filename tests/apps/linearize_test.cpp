// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "apps/program.hpp"

namespace limber::test {
namespace {

// A pendulum along -z: omega^2 = m g c / (J + m c^2) = 2 9.81 0.5 / 0.6.
constexpr const char* kLinearPendulum = R"({"limber": 1, "name": "pendulum", "gravity": [0, 0, -9.81],
  "bodies": [{"name": "rod", "rigid": {"mass": 2, "com": [0, 0, -0.5], "inertia": [0.1, 0.1, 0.01, 0, 0, 0]},
              "nodes": [{"name": "end", "position": [0, 0, -1]}]}],
  "joints": [{"name": "pin", "type": "revolute", "axis": [0, 1, 0], "parent": "world", "child": "rod",
              "damping": 0.3}]})";
const double kOmega = std::sqrt(9.81 / 0.6);

std::string arm() { return data("cases/deluca-arm-free/model.yaml"); }

TEST(LinearizeCommand, PrintsATable) {
  const Result result = limber({"linearize", "-"}, kLinearPendulum);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  for (const char* part : {"pendulum", "the zero state", "Natural frequencies", "4.044", "Poles", "pin"})
    EXPECT_TRUE(contains(result.out, part)) << part << "\n" << result.out;
  EXPECT_FALSE(contains(result.out, "not an equilibrium"));
}

TEST(LinearizeCommand, PrintsJson) {
  const Json json = limber({"linearize", "-", "--json"}, kLinearPendulum).json();
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["equilibrium"], true);
  EXPECT_EQ(json["states"], Json({"pin", "pin.rate"}));
  EXPECT_NEAR(json["A"][1][0].get<double>(), -kOmega * kOmega, 1e-12);
  EXPECT_NEAR(json["A"][1][1].get<double>(), -0.3 / 0.6, 1e-14);
  EXPECT_NEAR(json["B"][1][0].get<double>(), 1 / 0.6, 1e-14);
  EXPECT_EQ(json["C"], Json::parse("[[1, 0]]"));
  EXPECT_EQ(json["D"], Json::parse("[[0]]"));
  EXPECT_NEAR(json["modes"][0]["frequency"].get<double>(), kOmega, 1e-12);
  EXPECT_NEAR(json["modes"][0]["damping"].get<double>(), 0.5 / (2 * kOmega), 1e-12);
  EXPECT_NEAR(json["poles"][0][0].get<double>(), -0.25, 1e-12);
}

TEST(LinearizeCommand, SaysWhereItIsNotAnEquilibriumAndFindsOne) {
  const Folder folder;
  const std::string model = folder.write("model.json", kLinearPendulum);
  const std::string state = folder.write("state.json", R"({"q": [0.4], "v": [0], "tau": [1]})");
  const Result there = limber({"linearize", model, "--at", state});
  EXPECT_EQ(there.code, 0) << there.err;
  EXPECT_TRUE(contains(there.out, "not an equilibrium: pin has an acceleration of")) << there.out;
  const Result found = limber({"linearize", model, "--at", state, "--equilibrium", "--json"});
  ASSERT_EQ(found.code, 0) << found.err;
  const Json json = found.json();
  EXPECT_EQ(json["equilibrium"], true);
  const double q = std::asin(1 / 9.81);  // m g c sin q = tau
  EXPECT_NEAR(json["q"][0].get<double>(), q, 1e-9);
  EXPECT_NEAR(json["modes"][0]["frequency"].get<double>(), kOmega * std::sqrt(std::cos(q)), 1e-8);
}

TEST(LinearizeCommand, TakesInputsAndOutputsByName) {
  const Result result = limber({"linearize", arm(), "--json", "--input", "joint1", "--output", "position.y:payload",
                                "--output", "joint2", "--output", "rate:joint1", "--output",
                                "curvature.z:link1.root,link1.tip", "--output", "acceleration:link2.tip"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json json = result.json();
  EXPECT_EQ(json["inputs"], Json({"joint1"}));
  EXPECT_EQ(json["outputs"],
            Json({"position.y:payload", "joint2", "rate:joint1", "curvature.z:link1.root,link1.tip",
                  "acceleration.x:link2.tip", "acceleration.y:link2.tip", "acceleration.z:link2.tip"}));
  EXPECT_EQ(json["C"].size(), 7U);
  EXPECT_EQ(json["zeros"].size(), 7U);
  EXPECT_NE(json["D"][5][0].get<double>(), 0);
  double right = 0;
  for (const Json& zero : json["zeros"][0]["zeros"]) right = std::max(right, zero[0].get<double>());
  EXPECT_GT(right, 1);
}

TEST(LinearizeCommand, HoldsJoints) {
  const Json json = limber({"linearize", arm(), "--json", "--hold", "joint1", "--hold", "joint2"}).json();
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["inputs"].size(), 0U);
  EXPECT_NEAR(json["modes"][0]["frequency"].get<double>() / 2.86731477305, 1, 1e-7);  // deluca-arm-locked
}

TEST(LinearizeCommand, WritesTheJsonToAFile) {
  const Folder folder;
  const Result result = limber({"linearize", arm(), "-o", folder.file("arm.json")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "Zeros"));
  const Json json = Json::parse(read_all(folder.file("arm.json")), nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["A"].size(), 12U);
  EXPECT_EQ(json["zeros"].size(), 4U);
}

TEST(LinearizeCommand, RefusesInOneLine) {
  const Folder folder;
  const std::string moving = folder.write("moving.json", R"({"q": [0, 0, 0, 0, 0, 0], "v": [1, 0, 0, 0, 0, 0]})");
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"--input", "joint3"}, "did you mean 'joint"},
      {{"--output", "place:payload"}, "'place' is not a quantity"},
      {{"--output", "position.w:payload"}, "'w' is not an axis"},
      {{"--output", "rate.x:joint1"}, "'rate' has no axes"},
      {{"--output", "position:hand"}, "'hand' is not a body"},
      {{"--output", "position:link1.end"}, "'end' is not a node of body 'link1'"},
      {{"--output", "curvature:link1.tip"}, "two nodes of one body"},
      {{"--output", "curvature:link1.tip,link2.tip"}, "two nodes of one body"},
      {{"--output", "strain:link1.tip,link1.tip"}, "at different positions"},
      {{"--hold", "elbow"}, "'elbow' is not a joint"},
      {{"--hold", "joint1", "--input", "joint1"}, "'joint1' belongs to a joint that is held"},
      {{"--input", "clamp1"}, "joint 'clamp1' is fixed"},
      {{"--at", moving, "--equilibrium"}, "needs a state at rest"},
      {{"--at", folder.file("none.json")}, "none.json"},
      {{"-o", folder.file("none/arm.json")}, "does not exist"},
      {{"--outptu", "joint1"}, "did you mean"},
  };
  for (const auto& [options, part] : wrong) {
    std::vector<std::string> arguments = {"linearize", arm()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Result result = limber(arguments);
    EXPECT_TRUE(result.is_one_error_line()) << part << "\n" << result.err;
    EXPECT_TRUE(contains(result.err, part)) << result.err;
  }
  EXPECT_TRUE(limber({"linearize", "-", "--at", "-"}).is_one_error_line());
  EXPECT_TRUE(limber({"linearize"}).is_one_error_line());
}

std::string linearize_example(const std::string& name) {
  return std::string(LIMBER_SOURCE_DIR) + "/examples/" + name + "/model.yaml";
}

TEST(LinearizeCommand, TakesClosedChainsAtAnEquilibrium) {
  const Result open = limber({"linearize", linearize_example("four-bar")});
  EXPECT_TRUE(open.is_one_error_line());
  EXPECT_TRUE(contains(open.err, "closure 'loop' is violated by")) << open.err;
  const Result closed = limber(
      {"linearize", linearize_example("stewart"), "--equilibrium", "--json", "--input", "ram1", "--output", "ram1"});
  ASSERT_EQ(closed.code, 0) << closed.err;
  const Json json = closed.json();
  EXPECT_EQ(json["equilibrium"], true);
  EXPECT_EQ(json["modes"].size(), 18U);  // 36 speeds, less 3 for each of six closures
  for (const Json& mode : json["modes"]) EXPECT_GT(mode["frequency"].get<double>(), 1);
}

TEST(LinearizeCommand, HasHelp) {
  const Result result = limber({"linearize", "--help"});
  EXPECT_EQ(result.code, 0);
  for (const char* part : {"--equilibrium", "curvature", "zero state"}) EXPECT_TRUE(contains(result.out, part)) << part;
}

}  // namespace
}  // namespace limber::test
