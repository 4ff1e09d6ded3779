// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Static equilibria: by symmetry, closed form, and against a long damped motion.
#include "limber/simulate/equilibrium.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::test {
namespace {

constexpr double kGravity = 9.81;

Body make_rod(const std::string& name, double length, double mass) {
  RigidSpec spec;
  spec.mass = mass;
  spec.com = Vector3d(length / 2, 0, 0);
  spec.inertia = Vector3d(1e-6, 1, 1).asDiagonal() * (mass * length * length / 12);
  spec.nodes.push_back({"tip", Vector3d(length, 0, 0), Matrix3d::Identity(), Matrix3Xd(3, 0), Matrix3Xd(3, 0), {}});
  Body body = make_rigid_body(spec);
  body.name = name;
  return body;
}

// A chain of links with joints about y, along x in the zero state.
Model make_chain(int links, double stiffness = 0) {
  ModelBuilder builder("chain");
  builder.gravity(Vector3d(0, 0, -kGravity));
  for (int i = 0; i < links; ++i) {
    const int body = builder.add_body(make_rod("link" + std::to_string(i), 1, 1));
    Joint joint;
    joint.name = "hinge" + std::to_string(i);
    joint.kind = JointKind::revolute;
    joint.axis = Vector3d::UnitY();
    joint.stiffness = joint.damping = joint.armature = VectorXd::Zero(1);
    joint.stiffness[0] = stiffness;
    joint.parent = i == 0 ? NodeRef{} : NodeRef{body - 1, 0};
    builder.add_joint(joint, body);
  }
  return builder.build();
}

TEST(Equilibrium, APendulumHangsWhereverItStarts) {
  const Model model = make_chain(1);
  for (const double q : {0.3, -0.5, 1.5, 3.0, M_PI / 2 + 1e-9}) {
    State x = make_zero_state(model);
    x.q[0] = q;
    const Equilibrium e = find_equilibrium(model, {}, x);
    EXPECT_NEAR(std::remainder(e.x.q[0] - M_PI / 2, 2 * M_PI), 0, 1e-12) << q;
    EXPECT_TRUE(e.stable);
    EXPECT_LE(e.iterations, 60);
  }
}

TEST(Equilibrium, SaysThatAPendulumOnItsHeadIsUnstable) {
  const Model model = make_chain(1);
  State x = make_zero_state(model);
  x.q[0] = -M_PI / 2;
  EXPECT_FALSE(find_equilibrium(model, {}, x).stable);
}

TEST(Equilibrium, ChainsHangStraightDown) {
  for (const int links : {2, 5, 20}) {
    const Model model = make_chain(links);
    const Equilibrium e = find_equilibrium(model, {}, make_zero_state(model));
    double angle = 0;
    for (int k = 0; k < links; ++k) {
      angle += e.x.q[k];
      EXPECT_NEAR(std::remainder(angle - M_PI / 2, 2 * M_PI), 0, 1e-10) << links << " " << k;
    }
    EXPECT_TRUE(e.stable) << links;
  }
}

// k theta = m g l/2 cos theta: the root by bisection.
TEST(Equilibrium, ASpringHoldsAPendulum) {
  const Model model = make_chain(1, 4);
  const Equilibrium e = find_equilibrium(model, {}, make_zero_state(model));
  double low = 0, high = 2;
  for (int k = 0; k < 200; ++k) {
    const double mid = 0.5 * (low + high);
    (4 * mid < kGravity / 2 * std::cos(mid) ? low : high) = mid;
  }
  EXPECT_NEAR(e.x.q[0], low, 1e-14);
  EXPECT_LE(e.iterations, 12);
}

// Many links on stiff springs: the number of iterations does not depend on it, and each is O(N).
TEST(Equilibrium, LongChainsTakeAsManyIterationsAsShortOnes) {
  int before = 0;
  for (const int links : {10, 100, 1000}) {
    const double n = links;
    const Model model = make_chain(links, 20 * kGravity * n * n * n);
    const Equilibrium e = find_equilibrium(model, {}, make_zero_state(model));
    EXPECT_TRUE(e.stable);
    EXPECT_LE(e.iterations, before > 0 ? before + 3 : 20);
    before = e.iterations;
  }
}

}  // namespace
}  // namespace limber::test
