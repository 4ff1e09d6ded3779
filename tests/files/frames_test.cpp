// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// `frame` of vectors in model files: the same positions and axes, given in other frames.
#include <gtest/gtest.h>

#include <numbers>

#include "limber/dynamics/kinematics.hpp"
#include "limber/files/model_file.hpp"
#include "limber/model/contacts.hpp"
#include "limber/model/elements.hpp"
#include "support/close.hpp"

namespace limber {
namespace {

Model framed(const std::string& joint, const std::string& rest = "", const std::string& nodes = "") {
  return parse_model(
      "limber: 1\nbodies:\n"
      "  - {name: hub, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]},\n"
      "     nodes: [{name: flange, position: [1, 2, 3], rpy: [90 deg, 0, 0]}" +
          nodes +
          "]}\n"
          "  - {name: boom, beam: {length: 4, mass: 8, EIy: 9, EIz: 9, modes: {bending_z: 2}}}\n"
          "  - {name: load, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}\n"
          "joints:\n"
          "  - {name: base, type: free, parent: world, child: hub}\n"
          "  - {name: arm, type: revolute, parent: hub.flange, child: boom, " +
          joint +
          "}\n"
          "  - {name: end, type: free, parent: world, child: load}\n" +
          rest,
      "f.yaml");
}

std::string framed_message(const std::string& joint, const std::string& rest = "", const std::string& nodes = "") {
  try {
    framed(joint, rest, nodes);
  } catch (const InputError& e) {
    return e.what();
  }
  return "none";
}

TEST(Frames, NodesInTheFrameOfAnother) {
  const Model model =
      framed("axis: [0, 0, 1]", "",
             ", {name: tool, position: [0, 0, 2], rpy: [0, 90 deg, 0], frame: flange},\n"
             "      {name: tip, position: [1, 0, 0], frame: tool}, {name: plain, position: [5, 0, 0], frame: body}");
  const Body& hub = model.body(1);
  // z of the flange is -y of the hub; x of the tool is -z of the flange.
  EXPECT_CLOSE(hub.nodes[1].position, Vector3d(1, 0, 3), 1e-15);
  EXPECT_CLOSE(hub.nodes[2].position, Vector3d(1, 1, 3), 1e-15);
  EXPECT_CLOSE(hub.nodes[3].position, Vector3d(5, 0, 0), 0);
  EXPECT_EQ(framed_message("axis: [0, 0, 1]", "", ", {name: tool, position: [0, 0, 2], frame: tip}"),
            "f.yaml:4: body 'hub': nodes[1].frame must be body, or a node of this body listed above, but is 'tip'");
}

TEST(Frames, AxesAndOriginsOfJoints) {
  const Model here = framed("axis: [0, 1, 0], origin: {xyz: [0, 0, 0.5], rpy: [0, 0, 30 deg]}");
  const Joint& plain = here.joints[2];
  // In the frame of the flange, relative to which the joint frame is rotated by 30 degrees about z.
  const double s = 0.5, c = std::sqrt(0.75);
  const Model turned = framed("axis: [" + std::to_string(-s) + ", " + std::to_string(c) +
                              ", 0], frame: parent, origin: {xyz: [0, 0, 0.5], rpy: [0, 0, 30 deg]}");
  EXPECT_CLOSE(turned.joints[2].axis, plain.axis, 1e-6);  // the precision of the six digits above
  EXPECT_EQ(turned.joints[2].origin.R, plain.origin.R);
  // The origin from the hub: the flange is at (1, 2, 3), rotated by 90 degrees about x.
  const Model hub = framed("axis: [0, 1, 0], origin: {xyz: [1, 1.5, 3], rpy: [90 deg, 0, 0], frame: body}");
  EXPECT_CLOSE(hub.joints[2].origin.p, Vector3d(0, 0, 0.5), 1e-15);
  EXPECT_CLOSE(hub.joints[2].origin.R, Matrix3d(Matrix3d::Identity()), 1e-15);
  EXPECT_EQ(framed_message("axis: [0, 0, 1], frame: world"),
            "f.yaml:9: joint 'arm': frame must be one of joint, parent, but is 'world'");
}

TEST(Frames, EndsOfElementsAndContacts) {
  const Model model = framed(
      "axis: [0, 0, 1]",
      "elements:\n"
      "  - {name: a, type: spring, a: {node: hub.flange, xyz: [1, 2, 4], frame: body}, b: load, stiffness: 1}\n"
      "  - {name: b, type: bushing, a: {node: boom.tip, xyz: [5, 2, 7], rpy: [0, 0, 0], frame: world}, b: load,\n"
      "     stiffness: [1 N m/rad, 1, 1, 2 kN/m, 1, 1]}\n"
      "contacts: [{name: c, point: {node: boom.tip, xyz: [5, 2, 7], frame: world}, on: load, shape: plane, stiffness: "
      "9}]\n");
  const ForceElement &a = model.elements->list[0], &b = model.elements->list[1];
  EXPECT_CLOSE(a.a.at.p, Vector3d(0, 1, 0), 1e-15);  // z of the hub is y of the flange
  KinematicsWorkspace kin(model);
  compute_kinematics(model, make_zero_state(model), kin);
  compute_world_poses(model, kin);
  const Pose place = node_pose(model, kin, b.a.node) * b.a.at;
  EXPECT_CLOSE(place.p, Vector3d(5, 2, 7), 1e-14);
  EXPECT_CLOSE(place.R, Matrix3d(Matrix3d::Identity()), 1e-14);
  EXPECT_CLOSE(model.contacts->list[0].point.at.p, b.a.at.p, 0);
  EXPECT_EQ(b.K(3, 3), 2000);
  EXPECT_EQ(
      framed_message("axis: [0, 0, 1]",
                     "elements: [{name: a, type: spring, a: {node: hub, frame: parent}, b: load, stiffness: 1}]\n"),
      "f.yaml:11: element 'a': a.frame must be one of node, body, world, but is 'parent'");
}

TEST(Frames, UnitsOfElementsFollowWhatTheyActOn) {
  const auto line = [](const std::string& keys) {
    return framed_message("axis: [0, 0, 1]", "elements: [{name: a, " + keys + "}]\n");
  };
  EXPECT_EQ(line("type: spring, joint: arm, table: {x: [0, 10 deg], y: [0, 5 N m]}"), "none");
  EXPECT_EQ(line("type: spring, joint: arm, table: {x: [0, 10 mm], y: [0, 5 N m]}"),
            "f.yaml:11: element 'a': table.x[1] must be in rad or a multiple of it, but is '10 mm'");
  EXPECT_EQ(line("type: spring, a: hub, b: load, table: {x: [0, 10 mm], y: [0, 5 N m]}"),
            "f.yaml:11: element 'a': table.y[1] must be in N or a multiple of it, but is '5 N m'");
  EXPECT_EQ(line("type: actuator, a: hub, b: load, force: 5 N m"),
            "f.yaml:11: element 'a': force must be in N or a multiple of it, but is '5 N m'");
  EXPECT_EQ(line("type: bushing, a: hub, b: load, stiffness: [1, 1, 1 N/m, 1, 1, 1]"),
            "f.yaml:11: element 'a': stiffness[2] must be in N m/rad or a multiple of it, but is '1 N/m'");
}

}  // namespace
}  // namespace limber
