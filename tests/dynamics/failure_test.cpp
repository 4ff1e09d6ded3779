// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Models with singular inertia: detected and named, never answered with numbers.
#include <gtest/gtest.h>

#include "support/engine.hpp"
#include "support/random.hpp"
#include "support/random_tree.hpp"

namespace limber::test {
namespace {

Node node_at(const std::string& name, const Vector3d& position, int modes) {
  Node node;
  node.name = name;
  node.position = position;
  node.translation = node.turn = Matrix3Xd::Zero(3, modes);
  return node;
}

RigidSpec failing_block(double mass, double inertia) {
  RigidSpec spec;
  spec.mass = mass;
  spec.inertia = inertia * Matrix3d::Identity();
  spec.nodes = {node_at("tip", {1, 0, 0}, 0)};
  return spec;
}

Joint joint_of(JointKind kind, const Vector3d& axis, int parent, int node = kBodyFrame) {
  Joint joint;
  joint.kind = kind;
  joint.axis = axis;
  joint.parent = {parent, node};
  return joint;
}

// Every forward dynamics algorithm refuses; the recursions name one of these speeds.
void expect_singular(const Machine& machine, const State& x, const std::vector<std::string>& speeds) {
  for (const Elimination e : {Elimination::active, Elimination::all_modes}) {
    const Model model = make_model(machine, e);
    for (const std::string& name : general_algorithms()) {
      const auto algorithm = make_forward_dynamics(model, name);
      VectorXd vdot = VectorXd::Zero(model.nv);
      const VectorXd tau = VectorXd::Ones(model.nv);
      EXPECT_EQ((*algorithm)(x, {tau, {}}, vdot), Status::singular_mass) << name;
      if (name != "aba" && name != "denoc" && name != "two_stage") continue;
      ASSERT_GE(algorithm->failure(), 0);
      ASSERT_LT(algorithm->failure(), model.nv);
      const std::string found = model.speeds[algorithm->failure()];
      EXPECT_NE(std::find(speeds.begin(), speeds.end(), found), speeds.end()) << "names " << found;
    }
  }
}

void expect_singular(const Machine& machine, const std::vector<std::string>& speeds) {
  expect_singular(machine, make_zero_state(make_model(machine)), speeds);
}

TEST(Singular, PointMassOnABallJoint) {
  Machine m;
  m.bodies = {failing_block(1, 0.1), failing_block(1, 0)};
  m.joints = {joint_of(JointKind::revolute, Vector3d::UnitZ(), kGround),
              joint_of(JointKind::spherical, Vector3d::UnitZ(), 1, 0)};
  expect_singular(m, {"j2.wx", "j2.wy", "j2.wz"});
}

TEST(Singular, LineBodyThatTurnsAboutItself) {
  // A dumbbell along x has no inertia about x; given in rotated frames, where rounding makes some.
  Random random(1);
  for (int k = 0; k < 50; ++k) {
    const Matrix3d R = k == 0 ? Matrix3d(Matrix3d::Identity()) : random.rotation();
    RigidSpec rod;
    rod.mass = 2;
    rod.com = R * Vector3d(0.7, 0, 0);
    const Matrix3d J = R * Vector3d(0, 1, 1).asDiagonal() * R.transpose();
    rod.inertia = 0.5 * (J + J.transpose());
    Machine m;
    m.bodies = {rod};
    m.joints = {joint_of(JointKind::revolute, R * Vector3d::UnitX(), kGround)};
    m.joints[0].origin.R = random.rotation();
    expect_singular(m, {"j1"});
  }
}

TEST(Singular, LineBeamOnAFreeJoint) {
  BeamSpec beam;
  beam.length = 2;
  beam.mass_per_length = 3;
  beam.EIy = beam.EIz = 100;
  beam.modes = {2, 2, 0, 0};
  for (const JointKind kind : {JointKind::free, JointKind::spherical, JointKind::revolute}) {
    Machine m;
    m.bodies = {beam};
    m.joints = {joint_of(kind, Vector3d::UnitX(), kGround)};
    expect_singular(m, {"j1", "j1.wx", "j1.wy", "j1.wz"});
  }
}

// Points around the origin that one mode rotates about z as a rigid body.
ModalSpec turntable(const Matrix3d& R, std::uint64_t seed) {
  ModalSpec spec;
  Random random(seed);
  for (int k = 0; k < 6; ++k) {
    MassPoint p;
    p.mass = random.uniform(0.5, 1);
    p.position = random.vector3();
    p.shape = (R * Vector3d::UnitZ()).cross(p.position);
    spec.points.push_back(p);
  }
  spec.stiffness = MatrixXd::Identity(1, 1);
  spec.nodes = {node_at("hub", Vector3d::Zero(), 1)};
  return spec;
}

TEST(Singular, ModeThatIsTheHingeItself) {
  Random random(2);
  for (int k = 0; k < 50; ++k) {
    const Matrix3d R = k < 25 ? Matrix3d(Matrix3d::Identity()) : random.rotation();
    Machine m;
    m.bodies = {turntable(R, k)};
    m.joints = {joint_of(JointKind::revolute, R * Vector3d::UnitZ(), kGround)};
    expect_singular(m, {"j1", "b1.mode1"});
  }
}

TEST(Singular, ModeThatIsTheHingeItselfUnderAPayload) {
  // The payload is on a node that the mode also moves as a rigid body.
  for (int k = 0; k < 50; ++k) {
    Random random(k);
    ModalSpec table = turntable(Matrix3d::Identity(), k);
    Node rim = node_at("rim", random.vector3(), 1);
    rim.translation.col(0) = Vector3d::UnitZ().cross(rim.position);
    rim.turn.col(0) = Vector3d::UnitZ();
    table.nodes = {rim};
    Machine m;
    m.bodies = {table, failing_block(100, 3)};
    m.joints = {joint_of(JointKind::revolute, Vector3d::UnitZ(), kGround),
                joint_of(JointKind::fixed, Vector3d::UnitZ(), 1, 0)};
    m.joints[1].origin.R = random.rotation();
    expect_singular(m, {"j1", "b1.mode1"});
  }
}

TEST(Singular, RigidModeOfABodyHeldAtANode) {
  // With the joint at a node that moves along, the rigid mode moves nothing.
  Random random(4);
  for (int k = 0; k < 50; ++k) {
    const Vector3d along = k == 0 ? Vector3d(1, 0, 0) : random.direction();
    ModalSpec spec = turntable(Matrix3d::Identity(), k);
    for (MassPoint& p : spec.points) p.shape = along;
    spec.nodes[0].position = random.vector3();
    spec.nodes[0].translation.col(0) = along;
    Machine m;
    m.bodies = {spec};
    m.joints = {joint_of(JointKind::revolute, Vector3d::UnitZ(), kGround)};
    m.joints[0].child_node = 0;
    expect_singular(m, {"b1.mode1"});
  }
}

TEST(Singular, MasslessTip) {
  // Either refused with the name of the massless item, or detected at the first step.
  Machine m;
  m.bodies = {failing_block(1, 0.1), failing_block(0, 0)};
  m.joints = {joint_of(JointKind::revolute, Vector3d::UnitZ(), kGround),
              joint_of(JointKind::revolute, Vector3d::UnitZ(), 1, 0)};
  try {
    expect_singular(m, {"j2"});
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("mass"), std::string::npos) << error.what();
  }
}

TEST(Singular, MasslessBodyWithALoadIsFine) {
  Machine m;
  m.bodies = {failing_block(0, 0), failing_block(1, 0.1)};
  m.joints = {joint_of(JointKind::revolute, Vector3d::UnitZ(), kGround),
              joint_of(JointKind::revolute, Vector3d::UnitY(), 1, 0)};
  const Model model = make_model(m);
  Engine engine(model);
  const State x = make_zero_state(model);
  EXPECT_CLOSE(engine.forward(x, Eigen::Vector2d(1.1, 0.1)), Eigen::Vector2d(1, 1), 16 * kEps);
}

TEST(Singular, ArmatureIsInertiaEnough) {
  Machine m;
  m.bodies = {failing_block(1, 0)};
  m.joints = {joint_of(JointKind::revolute, Vector3d::UnitX(), kGround)};
  m.joints[0].armature = VectorXd::Constant(1, 0.5);
  const Model model = make_model(m);
  Engine engine(model);
  EXPECT_CLOSE(engine.forward(make_zero_state(model), VectorXd::Ones(1)), VectorXd::Constant(1, 2), 16 * kEps);
}

TEST(Singular, SmallIsNotNone) {
  // A light tip on a heavy model: 1e-9 of the inertia is not zero.
  Machine m;
  m.bodies = {failing_block(1e3, 1e2), failing_block(1e-6, 1e-9)};
  m.joints = {joint_of(JointKind::revolute, Vector3d::UnitZ(), kGround),
              joint_of(JointKind::revolute, Vector3d::UnitZ(), 1, 0)};
  const Model model = make_model(m);
  Engine engine(model);
  const State x = make_zero_state(model);
  const VectorXd tau = Eigen::Vector2d(0, 1e-9);
  const VectorXd vdot = engine.forward(x, tau);
  EXPECT_CLOSE(engine.inverse(x, vdot), tau, force_bound(model, engine.mass(x), vdot, tau.norm()));
  EXPECT_NEAR(vdot[1], 1, 1e-6);
}

TEST(Singular, NextCallIsFineAgain) {
  // After a singular state a workspace is valid for the next state: the elbow of an arm without inertia about its axis.
  Machine m;
  RigidSpec rod = failing_block(1, 0);
  rod.com = {1, 0, 0};
  m.bodies = {failing_block(1, 0.1), rod};
  m.joints = {joint_of(JointKind::revolute, Vector3d::UnitZ(), kGround),
              joint_of(JointKind::universal, Vector3d::UnitX(), 1, 0)};
  m.joints[1].axis2 = Vector3d::UnitZ();
  const Model model = make_model(m);
  Engine engine(model);
  VectorXd vdot;
  State x = make_zero_state(model);
  EXPECT_EQ(engine.forward_status(x, VectorXd::Ones(3), vdot), Status::singular_mass);
  x.q << 0, 0.3, 1;
  EXPECT_EQ(engine.forward_status(x, VectorXd::Ones(3), vdot), Status::ok);
  EXPECT_TRUE(vdot.allFinite());
  EXPECT_EQ(engine.failure(), -1);
}

}  // namespace
}  // namespace limber::test
