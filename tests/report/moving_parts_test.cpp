// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rotors, trolleys and contacts of a recording are included in its page, with their positions in each frame.
#include <gtest/gtest.h>

#include <cmath>

#include "apps/program.hpp"
#include "limber/report/report.hpp"
#include "limber/scenario/run.hpp"
#include "support/page_reader.hpp"

namespace limber::test {
namespace {

constexpr const char* kCrane = R"y(limber: 1
scenario: crane
duration: 0.2
record: {every: 0.1}
initial: {travel: {q: 1, v: 0.5}, mast: {v: 2}}
model:
  bodies:
    - {name: jib, beam: {length: 4, mass: 8, EIy: 1e4, EIz: 1e4, modes: {bending_z: 2}}}
    - {name: trolley, rigid: {mass: 2, inertia: [1, 1, 1, 0, 0, 0]}}
    - {name: ball, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}, nodes: [{name: foot, position: [0, 0, -0.1]}]}
  joints:
    - {name: mast, type: revolute, axis: [0, 0, 1], parent: world, child: jib, drive: {ratio: 30, inertia: 1e-3}}
    - {name: travel, type: slider, parent: jib, child: trolley}
    - {name: fall, type: prismatic, axis: [0, 0, 1], parent: world, child: ball, drive: {ratio: 10, inertia: 1e-3, stiffness: 1e3}}
  contacts:
    - {name: floor, point: ball.foot, radius: 0.05, on: {node: world, xyz: [0, 0, -3], rpy: [90 deg, 0, 0]}, shape: {box: [1, 2, 3]}, stiffness: 1e4}
)y";

TEST(MovingParts, AreOnThePage) {
  const Folder folder;
  const Scenario scenario = parse_scenario(kCrane, "crane.yaml", folder.file(""));
  RunOutputs outputs;
  outputs.recording = folder.file("run.h5");
  ASSERT_TRUE(record_run(scenario, outputs).complete());
  write_report(folder.file("run.h5"), folder.file("run.html"));
  const PageReader page = PageReader::of_file(folder.file("run.html"));
  const auto& rotors = page.header["rotors"];
  ASSERT_EQ(rotors.size(), 2u);
  EXPECT_EQ(rotors[0]["name"], "mast");
  EXPECT_EQ(rotors[0]["body"], -1);
  EXPECT_EQ(page.header["joints"][1]["slides"], 0);
  EXPECT_FALSE(page.header["joints"][0].contains("slides"));
  const auto& contact = page.header["contacts"][0];
  EXPECT_EQ(contact["shape"], "box");
  EXPECT_EQ(contact["size"], nlohmann::json({1.0, 2.0, 3.0}));
  EXPECT_EQ(contact["radius"], 0.05);
  EXPECT_EQ(contact["on"]["at"], nlohmann::json({0.0, 0.0, -3.0}));
  EXPECT_NEAR(contact["on"]["rotation"][1].get<double>(), std::sqrt(0.5), 1e-12);
  EXPECT_EQ(contact["point"]["body"], 2);
  ASSERT_EQ(page.shape("rotor_angles"), (std::vector<std::size_t>{3, 2}));
  ASSERT_EQ(page.shape("slider_places"), (std::vector<std::size_t>{3, 1}));
  const std::vector<double> angles = page.numbers("rotor_angles"), places = page.numbers("slider_places");
  EXPECT_NEAR(angles[2], 30 * 0.2, 0.3);  // thirty times the speed of the mast, in 0.1 s
  EXPECT_EQ(angles[0], 0);
  EXPECT_EQ(places[0], 1);
  EXPECT_NEAR(places[2], std::cosh(0.4) + 0.25 * std::sinh(0.4), 0.005);  // driven outwards, as on a rigid jib
}

}  // namespace
}  // namespace limber::test
