// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/state_file.hpp"

#include <gtest/gtest.h>

#include "limber/files/model_file.hpp"

namespace limber {
namespace {

const Model& model() {
  static const Model made =
      parse_model(R"({limber: 1, bodies: [{name: hub, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}},
      {name: arm, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}], joints: [
      {name: ball, type: spherical, parent: world, child: hub},
      {name: hinge, type: revolute, axis: [0, 0, 1], parent: hub, child: arm}]})",
                  "model");
  return made;
}

std::string state_message(const std::string& text) {
  try {
    parse_state(text, "s.json", model());
  } catch (const Error& e) {
    return e.what();
  }
  return "read without complaint";
}

TEST(StateFile, ReadsWhatIsThere) {
  const StateFile all = parse_state(
      R"({"q": [0.6, 0, 0.8, 0, 2], "v": [1, 2, 3, 4], "tau": [5, 6, 7, 8], "a": [9, 10, 11, 12]})", "s", model());
  EXPECT_EQ(all.q, (VectorXd(5) << 0.6, 0, 0.8, 0, 2).finished());
  EXPECT_EQ(all.v, (VectorXd(4) << 1, 2, 3, 4).finished());
  ASSERT_TRUE(all.tau && all.a);
  EXPECT_EQ((*all.tau)[3], 8);
  EXPECT_EQ((*all.a)[0], 9);
  const StateFile bare = parse_state(R"({"q": [1, 0, 0, 0, 0], "v": [0, 0, 0, 0]})", "s", model());
  EXPECT_FALSE(bare.tau || bare.a);
}

TEST(StateFile, RefusesWithTheNamesOfTheCoordinates) {
  EXPECT_EQ(state_message(R"({"q": [1, 0, 0, 0, 0]})"), "s.json:1: missing key 'v'; write for example \"v\": [0, 0]");
  EXPECT_EQ(state_message(R"({"v": [0, 0, 0, 0]})"), "s.json:1: missing key 'q'; write for example \"q\": [0, 0]");
  EXPECT_EQ(state_message("{\"q\": [1, 0, 0, 0, 0],\n\"v\": [0, 0, 0, 0], \"torque\": []}"),
            "s.json:2: unknown key 'torque'; known: q, v, tau, a");
  EXPECT_EQ(state_message(R"({"q": [1, 0, 0, 0], "v": [0, 0, 0, 0]})"),
            "s.json:1: q has 4 numbers, but the model has 5: ball.qw, ball.qx, ball.qy, ball.qz, hinge");
  EXPECT_EQ(state_message("{\"q\": [1, 0, 0, 0, 0],\n \"v\": [0, 0, 0, 0, 0]}"),
            "s.json:2: v has 5 numbers, but the model has 4: ball.wx, ball.wy, ball.wz, hinge");
  EXPECT_EQ(state_message(R"({"q": [1, 0, 0, 0, 0], "v": [0, 0, 0, 0], "tau": [1]})"),
            "s.json:1: tau has 1 numbers, but the model has 4: ball.wx, ball.wy, ball.wz, hinge");
  EXPECT_EQ(state_message(R"({"q": [1, 0, 0, 0, 0], "v": [0, 0, 0, 0], "a": 3})"),
            "s.json:1: a must be a list of numbers, but is '3'");
  EXPECT_EQ(state_message(R"({"q": [1, 0, 0, 0, NaN], "v": [0, 0, 0, 0]})"),
            "s.json:1: q[4] must be a finite number, but is 'NaN'");
  EXPECT_EQ(state_message("[1, 2]"), "s.json:1: the file must be a map with the keys q, v, tau, a, but is a list");
  EXPECT_EQ(state_message(""), "s.json: the file is empty");
}

TEST(StateFile, QuaternionsHaveLengthOne) {
  const std::string message = state_message("{\"v\": [0, 0, 0, 0],\n\"q\": [1, 0.1, 0, 0, 0]}");
  EXPECT_TRUE(message.starts_with("s.json:2: joint 'ball': ")) << message;
  EXPECT_NE(message.find("length 1"), std::string::npos) << message;
  EXPECT_NO_THROW(parse_state(R"({"q": [0.7071068, 0, 0, 0.7071068, 0], "v": [0, 0, 0, 0]})", "s", model()));
}

}  // namespace
}  // namespace limber
