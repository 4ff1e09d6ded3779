// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// `elements:` and `contacts:` of model files, read and written.
#include <gtest/gtest.h>

#include "limber/files/model_file.hpp"
#include "limber/files/model_writer.hpp"
#include "limber/model/contacts.hpp"
#include "limber/model/elements.hpp"

namespace limber {
namespace {

constexpr const char* kMachine = R"(
limber: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: trolley, rigid: {mass: 20, inertia: [1, 1, 1, 0, 0, 0]}, nodes: [{name: eye, position: [0, 0, -0.1]}]}
  - {name: load, rigid: {mass: 5, inertia: [0.1, 0.1, 0.1, 0, 0, 0]}}
joints:
  - {name: rail, type: prismatic, axis: [1, 0, 0], parent: world, child: trolley, stiffness: 100 N/m, rest: 20 cm,
     limits: {upper: 2, stiffness: 1e5, restitution: 0.5}}
  - {name: swing, type: free, parent: world, child: load}
elements:
  - {name: coil, type: spring, a: [-1, 0, 0], b: trolley, stiffness: 2 kN/m, damping: 30, length: 80 cm}
  - {name: buffer, type: spring, a: [2, 0, 0], b: trolley, table: {x: [10 cm, 0.5, 1], y: [0.9 kN, 100, 0], interpolate: cubic}}
  - {name: law, type: spring, joint: rail, force: "-200*(x - 0.3) - 5*v + 3*load.z*coil.length - rail.rate"}
  - {name: mount, type: bushing, a: {node: world, xyz: [0, 0, -1], rpy: [0, 0, 90 deg]}, b: load, stiffness: [5, 5, 5, 1e5, 1e5, 1e5]}
  - {name: hoist, type: rope, a: trolley.eye, b: load, over: [[0, 0, 1], trolley], EA: 50 kN, damping: 20, length: 2.5}
  - {name: ram, type: actuator, a: trolley, b: load}
contacts:
  - {name: pad, point: load, on: {node: trolley, xyz: [-0.1, 0, 0]}, shape: {box: [0.1, 0.1, 0.1]}, stiffness: 20 kN/m, damping: 100, friction: 0.4}
  - {name: ground, point: load, radius: 1 cm, on: world, shape: plane, stiffness: 1e5, restitution: 0.6, friction: {coefficient: 0.5, slip_speed: 1 mm/s}}
  - {name: drum, point: load, on: world, shape: {cylinder: {radius: 0.2, length: 1}}, stiffness: 1e5}
)";

TEST(ElementsFile, HasWhatWasWritten) {
  const Model model = parse_model(kMachine, "crane.yaml");
  ASSERT_EQ(model.elements->list.size(), 6u);
  const std::vector<ForceElement>& list = model.elements->list;
  EXPECT_EQ(list[0].stiffness, 2000);
  EXPECT_EQ(list[0].length, 0.8);
  EXPECT_EQ(list[0].a.at.p, Vector3d(-1, 0, 0));
  EXPECT_EQ(list[0].a.node.body, kGround);
  const double values[] = {0.1, 0};
  double slopes[2];
  EXPECT_NEAR(list[1].law->force(0, values, slopes), 900, 1e-10);
  ASSERT_EQ(list[2].channels.size(), 3u);
  const double state[] = {0.5, 2, 0.7, 0.6, 4};
  double by[5];
  EXPECT_NEAR(list[2].law->force(0, state, by), -200 * 0.2 - 10 + 3 * 0.7 * 0.6 - 4, 1e-12);
  EXPECT_NEAR(by[0], -200, 1e-12);
  EXPECT_NEAR(by[3], 2.1, 1e-12);
  EXPECT_EQ(list[3].K(5, 5), 1e5);
  EXPECT_NEAR(list[3].a.at.R(1, 0), 1, 1e-15);
  EXPECT_EQ(list[4].over.size(), 2u);
  EXPECT_EQ(list[4].stiffness, 20000);
  EXPECT_EQ(list[5].kind, ForceElement::Kind::actuator);
  ASSERT_EQ(model.elements->rests.size(), 1u);
  EXPECT_EQ(model.elements->rests[0].position[0], 0.2);
  ASSERT_EQ(model.contacts->list.size(), 3u);
  EXPECT_EQ(model.contacts->list[0].stick_stiffness, 20000);
  EXPECT_EQ(model.contacts->list[1].slip_speed, 1e-3);
  EXPECT_EQ(model.contacts->list[2].size[1], 1);
  EXPECT_EQ(model.contacts->stops[0].coefficient, 0.5);
}

TEST(ElementsFile, IsWrittenAsItIsRead) {
  const std::string once = model_text(parse_model(kMachine, "crane.yaml"));
  EXPECT_EQ(model_text(parse_model(once, "again.json")), once);
}

}  // namespace
}  // namespace limber
