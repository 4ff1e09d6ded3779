// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scenario/learn.hpp"

#include <gtest/gtest.h>

#include "limber/files/reader.hpp"
#include "limber/scenario/simulation.hpp"

namespace limber {
namespace {

// One flexible link whose controller has the wrong load in its model.
std::string link_text(double mass, const std::string& control) {
  return "limber: 1\nscenario: move\nmodel:\n  limber: 1\n  name: link\n  bodies:\n"
         "    - {name: boom, beam: {length: 1, mass: 2, EIz: 100, damping: 0.02, modes: {bending_y: 2}}}\n"
         "    - {name: load, rigid: {mass: " +
         std::to_string(mass) +
         ", inertia: [0, 0, 0, 0, 0, 0]}}\n  joints:\n"
         "    - {name: hub, type: revolute, axis: [0, 0, 1], parent: world, child: boom, armature: 0.05, damping: "
         "0.2}\n"
         "    - {name: grip, type: fixed, parent: boom.tip, child: load}\nduration: 3\n" +
         control;
}

// The error decreases from repetition to repetition; the learned offsets can be read back and have the same effect.
TEST(Learn, CutsTheErrorOfRepeatedMoves) {
  const std::string control =
      "control: {rate: 500, desired: {waypoints: [{q: [1], duration: 2}]}, "
      "feedback: {pid: {kp: 200, kd: 25}}}\n";
  const Scenario scenario = parse_scenario(link_text(0.5, control), "move.yaml", "");
  const LearnedMove move = learn(scenario, {4, 1});
  ASSERT_EQ(move.rms.size(), 4u);
  for (std::size_t k = 1; k < 4; ++k) EXPECT_LT(move.rms[k], move.rms[k - 1]) << k;
  EXPECT_LT(move.rms[3], move.rms[0] / 4) << move.rms[0] << " to " << move.rms[3];
  const Document back = parse_document(learned_text(scenario, move), "learned.json");
  const Reader map(back);
  EXPECT_EQ(map.at("t", "").numbers(), move.t);
  EXPECT_EQ(map.at("offsets", "").at("hub", "").numbers(), VectorXd(move.offsets.col(0)));
}

TEST(Learn, RefusesWhatDoesNotFit) {
  const auto message = [](const std::string& control, LearningOptions options) -> std::string {
    try {
      learn(parse_scenario(link_text(0.5, control), "move.yaml", ""), options);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message("", {}), "move.yaml: there is no controller to learn for; add control:");
  EXPECT_EQ(message("control: {}\n", {0, 1}), "move.yaml: the number of learning runs must be 1 to 1000");
  EXPECT_NE(message("control: {}\n", {1, 1e6}).find("cutoff"), std::string::npos);
}

}  // namespace
}  // namespace limber
