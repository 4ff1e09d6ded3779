// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "limber/files/model_file.hpp"
#include "limber/scenario/scenario.hpp"

namespace limber {
namespace {

const std::string kArmFolder = LIMBER_SOURCE_DIR "/examples/industrial-arm";

Scenario arm_scenario(const std::string& machine) {
  return parse_scenario("limber: 1\nscenario: s\nduration: 1\n" + machine, "s.yaml", kArmFolder);
}

std::string arm_message(const std::string& machine) {
  try {
    arm_scenario(machine);
  } catch (const Error& e) {
    return e.what();
  }
  return "none";
}

constexpr const char* kFlexible = "flexible: {link_2: {beam: {EIy: 1e5, EIz: 1e5, modes: {bending_z: 2}}}}\n";

// `urdf`, `model: robot.urdf` and a model inside are the same model, and its text in the recording needs no other file.
TEST(UrdfScenario, AllWaysToNameARobotAreTheSame) {
  for (const std::string& machine :
       {std::string("urdf: robot.urdf\n") + kFlexible, std::string("model: robot.urdf\n") + kFlexible,
        std::string("model: {urdf: robot.urdf, ") +
            std::string(kFlexible).substr(0, std::string(kFlexible).size() - 1) + "}\n"}) {
    const Scenario s = arm_scenario(machine);
    EXPECT_EQ(s.model->nv, 8) << machine;
    EXPECT_EQ(s.model->gravity, Vector3d(0, 0, -9.81));
    const Model again = parse_model(s.model_text, "recording: the model inside");
    EXPECT_EQ(again.coordinates, s.model->coordinates);
    EXPECT_EQ(again.body(again.body_index("link_2")).stiffness, s.model->body(s.model->body_index("link_2")).stiffness);
  }
  EXPECT_EQ(arm_scenario("model: robot.urdf\n").model->nv, 6);
  EXPECT_EQ(arm_scenario("model: model.yaml\n").model->nv, 6 + 4 + 5);
  EXPECT_EQ(arm_scenario("urdf: robot.urdf\ngravity: [0, 0, 0]\n").model->gravity, Vector3d::Zero());
}

TEST(UrdfScenario, FaultsAreNamed) {
  EXPECT_EQ(arm_message("urdf: robot.urdf\nmodel: robot.urdf\n"),
            "s.yaml:5: model and urdf are both given; leave one out");
  EXPECT_EQ(arm_message(std::string("model: model.yaml\n") + kFlexible),
            "s.yaml:5: flexible belongs in the model, unless that is a URDF; write it there");
  EXPECT_EQ(arm_message("urdf: nothing.urdf\n"),
            "s.yaml:4: urdf " + kArmFolder + "/nothing.urdf: cannot be opened: no such file");
  EXPECT_EQ(arm_message("urdf: robot.urdf\nflexible: {link_2: {beam: {EIz: 1, modes: {bending_y: 1}, mass: -1}}}\n"),
            "s.yaml:5: body 'link_2': beam.mass must be greater than 0, but is -1");
}

}  // namespace
}  // namespace limber
