// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/model_file.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <limits>
#include <numbers>

#include "limber/spatial/rotation.hpp"
#include "support/repetitions.hpp"

namespace limber {
namespace {

constexpr double kRounding = 1e-15;

// The format with every key of every kind.
constexpr const char* kEverything = R"(
limber: 1
name: everything
gravity: [0, 0, -9.81]
fidelity: stiffened
bodies:
  - name: hub
    rigid: {mass: 3, com: [0.1, 0.2, 0.3], inertia: [0.4, 0.5, 0.6, 0.01, 0.02, 0.03]}
    nodes: [{name: flange, position: [0.1, 0, 0], rpy: [0, 0, 1.5707963267948966]}, {name: plain, position: [0, 0, 1]}]
  - name: boom
    beam:
      length: 6
      mass: 140
      EIy: 1e5
      EIz: 2e5
      EA: 1e7
      GJ: 5e4
      rotary_inertia_per_length: [0.1, 0.2]
      basis: clamped-free
      tip: {mass: 0, inertia: 0}
      modes: {bending_y: 2, bending_z: 1, axial: 1, torsion: 1}
      damping: [0.01, 0.02, 0.03, 0.04, 0.05]
    nodes: [{name: middle, at: 0.5, rpy: [0.1, 0.2, 0.3]}]
  - name: plate
    modal:
      points:
        - {mass: 1, position: [0, 0, 0], shape: [[1, 0], [0, 1], [0, 0]]}
        - {mass: 2, position: [1, 0, 0], shape: [[0, 0], [0, 1], [1, 0]], second: [[[1, 2], [2, 3]], [[0, 0], [0, 0]], [[0, 0], [0, 0]]]}
      stiffness: [[100, 1], [1, 400]]
      damping: [0.5, 0.6]
    nodes:
      - {name: a, position: [1, 2, 3], rpy: [0, 0, 0], translation: [[1, 2], [3, 4], [5, 6]], rotation: [[7, 8], [9, 10], [11, 12]],
         second: [[[1, 0], [0, 1]], [[0, 0], [0, 0]], [[0, 0], [0, 0]]]}
      - {name: b, position: [4, 5, 6]}
joints:
  - {name: base, type: free, parent: world, child: hub, stiffness: [1, 1, 1, 4, 5, 6], damping: 2}
  - {name: elbow, type: cylindrical, axis: [0, 0, 2], parent: hub.flange, child: boom.root,
     origin: {xyz: [1, 2, 3], rpy: [0.1, 0.2, 0.3]}, stiffness: [1, 2], damping: 3, armature: [0.1, 0],
     limits: {effort: 500, velocity: 1.0}}
  - {name: wrist, type: universal, axis: [1, 0, 0], axis2: [0, 3, 4], parent: boom.middle, child: plate}
closures:
  - {name: pin, type: revolute, axis: [0, 5, 0], a: plate.b, b: world}
  - {name: cross, type: universal, axis: [0, 1, 0], axis2: [1, 0, 0], a: plate, b: hub.plain}
)";

TEST(ModelFile, ReadsEveryKey) {
  const Model model = parse_model(kEverything, "everything.yaml");
  EXPECT_EQ(model.name, "everything");
  EXPECT_EQ(model.gravity, Vector3d(0, 0, -9.81));
  EXPECT_EQ(model.fidelity, Fidelity::stiffened);
  EXPECT_EQ(model.body_names, (std::vector<std::string>{"world", "hub", "boom", "plate"}));
  EXPECT_EQ(model.nq, 7 + 2 + 5 + 2 + 2);
  EXPECT_EQ(model.nv, 6 + 2 + 5 + 2 + 2);
  ASSERT_EQ(model.closures.size(), 2u);
  EXPECT_EQ(model.closures[0].kind, JointKind::revolute);
  EXPECT_EQ(model.closures[0].axis, Vector3d(0, 1, 0));
  EXPECT_EQ(model.closures[0].a.body, 3);
  EXPECT_EQ(model.closures[0].a.node, model.body(3).node_index("b"));
  EXPECT_EQ(model.closures[0].b.body, kGround);
  EXPECT_EQ(model.closures[1].axis2, Vector3d(1, 0, 0));
  EXPECT_EQ(model.closures[1].a.node, kBodyFrame);
  EXPECT_EQ(model.closures[1].b.node, model.body(1).node_index("plain"));
}

TEST(ModelFile, ReadsBodies) {
  const Model model = parse_model(kEverything, "everything.yaml");
  const Body &hub = model.body(1), &boom = model.body(2), &plate = model.body(3);
  EXPECT_EQ(hub.mass, 3);
  EXPECT_NEAR((hub.S.col(0) - 3 * Vector3d(0.1, 0.2, 0.3)).norm(), 0, kRounding);
  // C_00 about the origin has the product -I_xy + m x y.
  EXPECT_NEAR(hub.c(0, 0)(0, 1), -0.01 + 3 * 0.1 * 0.2, kRounding);
  EXPECT_NEAR(hub.c(0, 0)(1, 2), -0.03 + 3 * 0.2 * 0.3, kRounding);
  // A yaw of a right angle takes x to y.
  EXPECT_NEAR((hub.nodes[0].rotation * Vector3d::UnitX() - Vector3d::UnitY()).norm(), 0, kRounding);
  EXPECT_EQ(hub.nodes[1].rotation, Matrix3d::Identity());

  EXPECT_NEAR(boom.mass, 140, 140 * 1e-14);
  EXPECT_EQ(boom.modes, 5);
  ASSERT_GE(boom.node_index("middle"), 0);
  EXPECT_NEAR(boom.nodes[boom.node_index("middle")].position.x(), 3, kRounding);
  EXPECT_EQ(boom.nodes[boom.node_index("middle")].rotation, rpy_rotation(Vector3d(0.1, 0.2, 0.3)));
  EXPECT_NEAR(boom.damping(4, 4) / boom.damping(0, 0),
              0.05 / 0.01 * std::sqrt(boom.stiffness(4, 4) / boom.stiffness(0, 0)), 1e-9);

  EXPECT_EQ(plate.mass, 3);
  EXPECT_EQ(plate.modes, 2);
  EXPECT_EQ(plate.pairs.size(), 3u);
  EXPECT_EQ(plate.stiffness, (MatrixXd(2, 2) << 100, 1, 1, 400).finished());
  EXPECT_EQ(plate.damping, (MatrixXd(2, 2) << 0.5, 0, 0, 0.6).finished());
  EXPECT_EQ(plate.nodes[0].translation, (MatrixXd(3, 2) << 1, 2, 3, 4, 5, 6).finished());
  EXPECT_EQ(plate.nodes[0].turn, (MatrixXd(3, 2) << 7, 8, 9, 10, 11, 12).finished());
  EXPECT_EQ(plate.nodes[0].second[0], MatrixXd::Identity(2, 2));
  EXPECT_EQ(plate.nodes[1].translation, MatrixXd::Zero(3, 2));
  EXPECT_EQ(plate.nodes[1].turn, MatrixXd::Zero(3, 2));
}

// Either joint limit may be open.
TEST(ModelFile, ReadsStops) {
  const auto joint = [](const std::string& type, const std::string& limits) {
    return parse_model(
               "limber: 1\nbodies: [{name: b, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}]\njoints:\n  - {name: j, "
               "type: " +
                   type + ", axis: [0, 0, 1], parent: world, child: b, limits: {" + limits + "}}\n",
               "f")
        .joints[1];
  };
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  const Joint both = joint("revolute", "lower: -1.5, upper: 2, stiffness: 1e4, damping: 30, effort: 5");
  ASSERT_TRUE(both.stop);
  EXPECT_EQ(both.stop->lower, -1.5);
  EXPECT_EQ(both.stop->upper, 2);
  EXPECT_EQ(both.stop->stiffness, 1e4);
  EXPECT_EQ(both.stop->damping, 30);
  EXPECT_EQ(both.effort_limit, 5);
  const Joint lower = joint("prismatic", "lower: 3, stiffness: 7"),
              upper = joint("prismatic", "upper: 3, stiffness: 7");
  EXPECT_EQ(lower.stop->lower, 3);
  EXPECT_EQ(lower.stop->upper, kOpen);
  EXPECT_EQ(lower.stop->damping, 0);
  EXPECT_EQ(upper.stop->lower, -kOpen);
  EXPECT_FALSE(joint("cylindrical", "effort: 5, velocity: 2").stop);
}

TEST(ModelFile, ReadsJoints) {
  const Model model = parse_model(kEverything, "everything.yaml");
  const Joint &base = model.joints[1], &elbow = model.joints[2], &wrist = model.joints[3];
  EXPECT_EQ(base.kind, JointKind::free);
  EXPECT_EQ(base.stiffness, (VectorXd(6) << 1, 1, 1, 4, 5, 6).finished());
  EXPECT_EQ(base.damping, VectorXd::Constant(6, 2));
  EXPECT_EQ(base.armature, VectorXd::Zero(6));
  EXPECT_EQ(base.parent.body, kGround);
  EXPECT_EQ(base.effort_limit, 0);

  EXPECT_EQ(elbow.kind, JointKind::cylindrical);
  EXPECT_EQ(elbow.axis, Vector3d(0, 0, 1));
  EXPECT_EQ(elbow.parent.body, 1);
  EXPECT_EQ(elbow.parent.node, model.body(1).node_index("flange"));
  EXPECT_EQ(elbow.child_node, model.body(2).node_index("root"));
  EXPECT_EQ(elbow.origin.p, Vector3d(1, 2, 3));
  EXPECT_EQ(elbow.origin.R, rpy_rotation(Vector3d(0.1, 0.2, 0.3)));
  EXPECT_EQ(elbow.stiffness, (VectorXd(2) << 1, 2).finished());
  EXPECT_EQ(elbow.damping, VectorXd::Constant(2, 3));
  EXPECT_EQ(elbow.armature, (VectorXd(2) << 0.1, 0).finished());
  EXPECT_EQ(elbow.effort_limit, 500);
  EXPECT_EQ(elbow.velocity_limit, 1);

  EXPECT_EQ(wrist.kind, JointKind::universal);
  EXPECT_NEAR((wrist.axis2 - Vector3d(0, 0.6, 0.8)).norm(), 0, kRounding);
  EXPECT_EQ(wrist.child_node, kBodyFrame);
}

TEST(ModelFile, DefaultsAreThoseOfTheFormat) {
  const Model model = parse_model(
      "limber: 1\nbodies: [{name: b, rigid: {mass: 1}}]\njoints: [{name: j, type: fixed, parent: world, child: b}]\n",
      "f");
  EXPECT_EQ(model.name, "");
  EXPECT_EQ(model.gravity, Vector3d(0, 0, 0));
  EXPECT_EQ(model.fidelity, Fidelity::full);
  EXPECT_EQ(model.nv, 0);
  EXPECT_EQ(model.joints[1].origin.R, Matrix3d::Identity());
  EXPECT_EQ(model.body(1).S.col(0), Vector3d(0, 0, 0));
}

Model with_joint(const std::string& joint) {
  return parse_model(
      "{limber: 1, bodies: [{name: b, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}], joints: "
      "[{name: j, parent: world, child: b, " +
          joint + "}]}",
      "f");
}

TEST(ModelFile, JointTypesAreThoseOfTheModel) {
  for (const JointKind kind : {JointKind::fixed, JointKind::revolute, JointKind::prismatic, JointKind::cylindrical,
                               JointKind::universal, JointKind::spherical, JointKind::free}) {
    const std::string type = to_string(kind);
    const bool bare = kind == JointKind::fixed || kind == JointKind::spherical || kind == JointKind::free;
    const std::string axes = bare                           ? ""
                             : kind == JointKind::universal ? ", axis: [1, 0, 0], axis2: [0, 1, 0]"
                                                            : ", axis: [1, 0, 0]";
    EXPECT_EQ(with_joint("type: " + type + axes).joints[1].kind, kind) << type;
  }
}

TEST(ModelFile, AnAxisOfAnyLengthIsADirection) {
  EXPECT_NEAR((with_joint("type: revolute, axis: [3e200, 0, 4e200]").joints[1].axis - Vector3d(0.6, 0, 0.8)).norm(), 0,
              kRounding);
  EXPECT_NEAR((with_joint("type: revolute, axis: [3e-200, 0, 4e-200]").joints[1].axis - Vector3d(0.6, 0, 0.8)).norm(),
              0, kRounding);
}

Body one_beam(const std::string& keys) {
  return parse_model("limber: 1\nbodies: [{name: b, beam: {length: 2, EIz: 30, " + keys +
                         "}}]\njoints: " + "[{name: j, type: fixed, parent: world, child: b}]\n",
                     "f")
      .body(1);
}

TEST(ModelFile, BeamMassAndMassPerLengthSayTheSame) {
  const Body a = one_beam("mass: 6, modes: {bending_y: 2}"), b = one_beam("mass_per_length: 3, modes: {bending_y: 2}");
  EXPECT_EQ(a.mass, b.mass);
  EXPECT_EQ(a.stiffness, b.stiffness);
}

TEST(ModelFile, EveryBeamBasisIsRead) {
  for (const char* basis : {"clamped-free", "free-free", "pinned-free", "craig-bampton", "polynomial"}) {
    EXPECT_GT(one_beam(std::string("mass: 6, modes: {bending_y: 3}, basis: ") + basis).modes, 0) << basis;
  }
  const Body custom = one_beam("mass: 6, basis: custom, shapes: {bending_y: [[0, 0, 1], [0, 0, 0, 1]]}");
  EXPECT_EQ(custom.modes, 2);
  EXPECT_EQ(one_beam("mass: 6, basis: custom, modes: {bending_y: 1}, shapes: {bending_y: [[0, 0, 1]]}").modes, 1);
}

TEST(ModelFile, AliasesRepeatABody) {
  const Model model = parse_model(
      "limber: 1\nbodies:\n  - {name: a, rigid: &r {mass: 2}}\n  - {name: b, rigid: *r}\njoints:\n"
      "  - {name: j, type: fixed, parent: world, child: a}\n  - {name: k, type: fixed, parent: a, child: b}\n",
      "f");
  EXPECT_EQ(model.body(2).mass, 2);
}

TEST(ModelFile, JointsOrderTheBodies) {
  const Model model = parse_model(
      "limber: 1\nbodies:\n  - {name: last, rigid: {mass: 2}}\n  - {name: first, rigid: {mass: 1}}\njoints:\n"
      "  - {name: j, type: fixed, parent: world, child: first}\n  - {name: k, type: fixed, parent: first, child: "
      "last}\n",
      "f");
  EXPECT_EQ(model.body_names, (std::vector<std::string>{"world", "first", "last"}));
  EXPECT_EQ(model.joints[2].parent.body, 1);
}

TEST(ModelFile, EveryCaseIsRead) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LIMBER_TEST_DATA "/cases")) {
    const Model model = read_model((entry.path() / "model.yaml").string());
    EXPECT_EQ(model.name, entry.path().filename().string());
    EXPECT_GT(model.nv, 0) << model.name;
    ++count;
  }
  EXPECT_GE(count, 35);
}

TEST(ModelFile, EveryReferenceIsRead) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LIMBER_TEST_DATA "/reference")) {
    const Document document = read_document(entry.path().string());
    const Reader root(document);
    const Model model = read_model(root.at("model", ""));
    EXPECT_EQ(model.name, entry.path().stem().string());
    for (const Reader& state : root.at("states", "").list()) {
      EXPECT_EQ(state.at("q", "").numbers().size(), model.nq);
      EXPECT_EQ(state.at("v", "").numbers().size(), model.nv);
    }
    ++count;
  }
  EXPECT_EQ(count, 18);
}

TEST(ModelFile, ALongChainIsReadInSeconds) {
  constexpr int kLinks = test::repetitions(10'000, 2'000);
  std::string bodies, joints;
  for (int i = 0; i < kLinks; ++i) {
    const std::string n = std::to_string(i);
    bodies += "  - {name: b" + n + ", rigid: {mass: 1, com: [1, 0, 0]}}\n";
    joints += "  - {name: j" + n +
              ", type: revolute, axis: [0, 0, 1], parent: " + (i == 0 ? "world" : "b" + std::to_string(i - 1)) +
              ", child: b" + n + "}\n";
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(parse_model("limber: 1\nbodies:\n" + bodies + "joints:\n" + joints, "f").nv, kLinks);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took.count(), 120.0);  // about 1 s; the margin is for sanitizers and busy computers
}

}  // namespace
}  // namespace limber
