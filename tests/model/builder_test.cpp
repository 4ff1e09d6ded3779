// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "limber/model/model.hpp"
#include "support/close.hpp"
#include "support/random_tree.hpp"

namespace limber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Body ball(const std::string& name, double mass = 1) {
  RigidSpec spec;
  spec.mass = mass;
  spec.inertia = 0.1 * mass * Matrix3d::Identity();
  Node node;
  node.name = "tip";
  node.position = Vector3d::UnitX();
  node.translation = node.turn = Matrix3Xd(3, 0);
  spec.nodes = {node};
  Body body = make_rigid_body(spec);
  body.name = name;
  return body;
}

Joint hinge(const std::string& name, JointKind kind = JointKind::revolute, NodeRef parent = {}) {
  Joint joint;
  joint.name = name;
  joint.kind = kind;
  joint.parent = parent;
  return joint;
}

// The message of the InputError thrown by `act`; the test fails if there is none.
std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no InputError";
  return {};
}

::testing::AssertionResult says(const std::string& message, std::initializer_list<const char*> words) {
  for (const char* word : words) {
    if (message.find(word) == std::string::npos) {
      return ::testing::AssertionFailure() << "'" << message << "' does not say '" << word << "'";
    }
  }
  return ::testing::AssertionSuccess();
}

TEST(ModelBuilder, NumbersCoordinatesInTheOrderOfTheJoints) {
  ModelBuilder builder("arm");
  const int hand = builder.add_body(ball("hand"));
  const int arm = builder.add_body(ball("arm"));
  builder.add_joint(hinge("base", JointKind::free), arm);
  builder.add_joint(hinge("wrist", JointKind::cylindrical, {arm, 0}), hand);
  const Model model = builder.build();
  EXPECT_EQ(model.name, "arm");
  EXPECT_EQ(model.body_count(), 3);
  EXPECT_EQ(model.body_names, (std::vector<std::string>{"world", "arm", "hand"}));
  EXPECT_EQ(model.nq, 9);
  EXPECT_EQ(model.nv, 8);
  EXPECT_EQ(model.coordinates, (std::vector<std::string>{"base.qw", "base.qx", "base.qy", "base.qz", "base.x", "base.y",
                                                         "base.z", "wrist.angle", "wrist.slide"}));
  EXPECT_EQ(model.speeds, (std::vector<std::string>{"base.wx", "base.wy", "base.wz", "base.vx", "base.vy", "base.vz",
                                                    "wrist.angle", "wrist.slide"}));
  EXPECT_EQ(model.joints[2].parent.body, 1);
  EXPECT_EQ(model.joints[2].q, 7);
  EXPECT_EQ(model.joints[2].v, 6);
  EXPECT_EQ(model.find_body("hand"), 2);
  EXPECT_EQ(model.find_joint("wrist"), 2);
  EXPECT_EQ(model.find_body("head"), -1);
  EXPECT_EQ(model.find_joint("head"), -1);
}

TEST(ModelBuilder, PutsModesBehindTheHinge) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const test::Machine machine = test::random_machine({.bodies = 5}, seed);
    const Model model = test::make_model(machine);
    int q = 0, v = 0;
    for (int i = 1; i < model.body_count(); ++i) {
      const int n = test::mode_count(machine.bodies[i - 1]);
      EXPECT_EQ(model.body(i).modes, n);
      EXPECT_EQ(model.joints[i].q, q);
      EXPECT_EQ(model.joints[i].v, v);
      EXPECT_EQ(model.first_mode(i), v + speed_count(model.joints[i].kind));
      EXPECT_EQ(model.first_mode_q(i), q + position_count(model.joints[i].kind));
      q += position_count(model.joints[i].kind) + n;
      v += speed_count(model.joints[i].kind) + n;
      if (n > 0) {
        EXPECT_EQ(model.speeds[model.first_mode(i)], model.body_names[i] + ".mode1");
      }
    }
    EXPECT_EQ(model.nq, q);
    EXPECT_EQ(model.nv, v);
    EXPECT_EQ(static_cast<int>(model.coordinates.size()), q);
    EXPECT_EQ(static_cast<int>(model.speeds.size()), v);
  }
}

TEST(ModelBuilder, SharesTheDataOfEqualBodies) {
  ModelBuilder builder;
  builder.add_joint(hinge("j1"), builder.add_body(ball("a")));
  builder.add_joint(hinge("j2", JointKind::revolute, {1, 0}), builder.add_body(ball("b")));
  builder.add_joint(hinge("j3", JointKind::revolute, {2, 0}), builder.add_body(ball("c", 2)));
  const Model model = builder.build();
  EXPECT_EQ(model.bodies[1], model.bodies[2]);
  EXPECT_NE(model.bodies[1], model.bodies[3]);
  EXPECT_EQ(model.body_names[2], "b");
}

TEST(ModelBuilder, MakesAxesUnitLength) {
  ModelBuilder builder;
  Joint joint = hinge("j", JointKind::universal);
  joint.axis = {0, 0, 3};
  joint.axis2 = {2, 0, 2};
  builder.add_joint(joint, builder.add_body(ball("a")));
  const Model model = builder.build();
  EXPECT_CLOSE(model.joints[1].axis, Vector3d::UnitZ(), 2 * test::kEps);
  EXPECT_CLOSE(model.joints[1].axis2, Vector3d(1, 0, 1).normalized(), 2 * test::kEps);
}

TEST(ModelBuilder, BuildsMoreThanOnce) {
  ModelBuilder builder;
  builder.add_joint(hinge("j1"), builder.add_body(ball("a")));
  const Model first = builder.build();
  builder.add_joint(hinge("j2", JointKind::revolute, {1, 0}), builder.add_body(ball("b")));
  const Model second = builder.build();
  EXPECT_EQ(first.nv, 1);
  EXPECT_EQ(second.nv, 2);
  EXPECT_EQ(second.coordinates, (std::vector<std::string>{"j1", "j2"}));
}

TEST(ModelBuilder, RefusesParallelAxesOfAUniversalJoint) {
  for (const double angle : {0.0, 1e-10, 3.14159265358979}) {
    ModelBuilder builder;
    const int body = builder.add_body(ball("a"));
    Joint joint = hinge("knuckle", JointKind::universal);
    joint.axis = Vector3d::UnitZ();
    joint.axis2 = Vector3d(std::sin(angle), 0, std::cos(angle));
    EXPECT_TRUE(says(refusal([&] { builder.add_joint(joint, body); }), {"knuckle", "parallel"})) << angle;
  }
}

TEST(ModelBuilder, RefusesAnAxisWithoutDirection) {
  for (const Vector3d& axis : {Vector3d(0, 0, 0), Vector3d(kNan, 0, 1), Vector3d(1e308, 1e308, kInf)}) {
    ModelBuilder builder;
    const int body = builder.add_body(ball("a"));
    Joint joint = hinge("elbow");
    joint.axis = axis;
    EXPECT_TRUE(says(refusal([&] { builder.add_joint(joint, body); }), {"elbow", "axis"}));
  }
}

TEST(ModelBuilder, RefusesBadJointConstants) {
  const auto attempt = [](const std::function<void(Joint&)>& spoil) {
    ModelBuilder builder;
    const int body = builder.add_body(ball("a"));
    Joint joint = hinge("elbow");
    spoil(joint);
    return refusal([&] { builder.add_joint(joint, body); });
  };
  EXPECT_TRUE(says(attempt([](Joint& j) { j.stiffness = VectorXd::Constant(1, -1); }), {"elbow", "stiffness"}));
  EXPECT_TRUE(says(attempt([](Joint& j) { j.damping = VectorXd::Constant(1, kNan); }), {"elbow", "damping"}));
  EXPECT_TRUE(says(attempt([](Joint& j) { j.armature = VectorXd::Constant(2, 1); }), {"elbow", "armature", "2", "1"}));
  EXPECT_TRUE(says(attempt([](Joint& j) {
                     j.kind = JointKind::spherical;
                     j.stiffness = Vector3d(1, 1, 2);
                   }),
                   {"elbow", "stiffness", "three"}));
}

TEST(ModelBuilder, RefusesAPoseThatIsNone) {
  const auto attempt = [](const std::function<void(Joint&)>& spoil) {
    ModelBuilder builder;
    const int body = builder.add_body(ball("a"));
    Joint joint = hinge("elbow");
    spoil(joint);
    return refusal([&] {
      builder.add_joint(joint, body);
      builder.build();
    });
  };
  EXPECT_TRUE(says(attempt([](Joint& j) { j.origin.p[1] = kNan; }), {"elbow"}));
  EXPECT_TRUE(says(attempt([](Joint& j) { j.origin.R *= 2; }), {"elbow"}));
}

TEST(ModelBuilder, RefusesABadTree) {
  {
    ModelBuilder builder;
    const int a = builder.add_body(ball("a")), b = builder.add_body(ball("b"));
    builder.add_joint(hinge("j1", JointKind::revolute, {b, 0}), a);
    builder.add_joint(hinge("j2", JointKind::revolute, {a, 0}), b);
    EXPECT_TRUE(says(refusal([&] { builder.build(); }), {"j1", "parent"}));
  }
  {
    ModelBuilder builder;
    const int a = builder.add_body(ball("a"));
    builder.add_joint(hinge("j1"), a);
    EXPECT_TRUE(says(refusal([&] { builder.add_joint(hinge("j2"), a); }), {"j2", "a"}));
    EXPECT_TRUE(says(refusal([&] { builder.add_joint(hinge("j3"), 7); }), {"j3"}));
  }
  {
    ModelBuilder builder;
    builder.add_joint(hinge("j1"), builder.add_body(ball("a")));
    builder.add_body(ball("lonely"));
    EXPECT_TRUE(says(refusal([&] { builder.build(); }), {"lonely", "joint"}));
  }
  {
    ModelBuilder builder;
    builder.add_joint(hinge("j1"), builder.add_body(ball("a")));
    builder.add_joint(hinge("j2", JointKind::revolute, {1, 4}), builder.add_body(ball("b")));
    EXPECT_TRUE(says(refusal([&] { builder.build(); }), {"j2", "node"}));
  }
}

TEST(ModelBuilder, RefusesNamesUsedTwice) {
  {
    ModelBuilder builder;
    builder.add_joint(hinge("j1"), builder.add_body(ball("same")));
    builder.add_joint(hinge("j2"), builder.add_body(ball("same")));
    EXPECT_TRUE(says(refusal([&] { builder.build(); }), {"same", "twice"}));
  }
  {
    ModelBuilder builder;
    builder.add_joint(hinge("same"), builder.add_body(ball("a")));
    builder.add_joint(hinge("same"), builder.add_body(ball("b")));
    EXPECT_TRUE(says(refusal([&] { builder.build(); }), {"same", "twice"}));
  }
}

TEST(ModelBuilder, RefusesClosuresToNowhere) {
  ModelBuilder builder;
  builder.add_joint(hinge("j1"), builder.add_body(ball("a")));
  Closure closure;
  closure.name = "pin";
  closure.a = {1, 0};
  closure.b = {1, 3};
  builder.add_closure(closure);
  EXPECT_TRUE(says(refusal([&] { builder.build(); }), {"pin", "node"}));
}

TEST(ModelBuilder, RefusesGravityThatIsNoNumber) {
  ModelBuilder builder;
  EXPECT_TRUE(says(refusal([&] { builder.gravity({0, kNan, 0}); }), {"gravity"}));
}

}  // namespace
}  // namespace limber
