// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Velocity is the derivative of position, and acceleration that of velocity, for every node, also with beams.
// Fourth-order central differences: error h^4 of the fifth derivative and eps/h of the value.
#include <gtest/gtest.h>

#include "limber/spatial/rotation.hpp"
#include "support/engine.hpp"
#include "support/random_tree.hpp"

namespace limber::test {
namespace {

constexpr double kNodeStep = 1e-3;
constexpr double kNodeRateError = 1e-9;

TreeOptions node_options(std::uint64_t seed) {
  TreeOptions o;
  o.bodies = 1 + static_cast<int>(seed % 6);
  o.modes = static_cast<int>(seed % 5);
  o.fidelity = seed % 2 == 0 ? Fidelity::full : Fidelity::stiffened;
  o.chain = seed % 3 == 0;
  o.beams = 0.4;
  return o;
}

struct Moving {
  Model model;
  Sample s;
  State at(double t) const {
    State y = s.x;
    y.q = moved(model, s.x.q, t * s.x.v + t * t / 2 * s.vdot);
    y.v += t * s.vdot;
    return y;
  }
};

Moving moving(std::uint64_t seed) {
  const Model model = make_model(random_machine(node_options(seed), seed));
  return {model, random_sample(model, seed, {.speed = 0.5})};
}

template <class F>
auto rate(const F& f) {
  const double h = kNodeStep;
  return ((8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)).eval();
}

TEST(NodeVelocity, IsTheDerivativeOfThePose) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Moving m = moving(seed);
    Engine engine(m.model), probe(m.model);
    const Kinematics& kin = engine.kinematics(m.s.x);
    for (const NodeRef node : all_nodes(m.model)) {
      const Vector6 V = node_velocity(m.model, kin, node, m.s.x.v);
      const auto pose = [&](double t) { return node_pose(m.model, probe.kinematics(m.at(t)), node); };
      const Pose now = node_pose(m.model, kin, node);
      const Vector3d v = rate([&](double t) { return Vector3d(pose(t).p); });
      const Vector3d w = rate([&](double t) { return log_rotation(pose(t).R * now.R.transpose()); });
      const double scale = m.model.body_count() * (1 + V.squaredNorm());
      EXPECT_CLOSE(v, V.tail<3>().eval(), kNodeRateError * scale) << describe(node_options(seed), seed);
      EXPECT_CLOSE(w, V.head<3>().eval(), kNodeRateError * scale) << describe(node_options(seed), seed);
      EXPECT_CLOSE(Vector6(engine.jacobian(m.s.x, node) * m.s.x.v), V, 64 * kEps * m.model.body_count() * scale);
    }
  }
}

TEST(NodeAcceleration, IsTheDerivativeOfTheVelocity) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Moving m = moving(seed);
    Engine engine(m.model), probe(m.model);
    const Kinematics& kin = engine.kinematics(m.s.x);
    for (const NodeRef node : all_nodes(m.model)) {
      const Vector6 a = node_acceleration(m.model, kin, node, m.s.vdot);
      const Vector6 difference = rate([&](double t) {
        const State y = m.at(t);
        return node_velocity(m.model, probe.kinematics(y), node, y.v);
      });
      const Vector6 V = node_velocity(m.model, kin, node, m.s.x.v);
      const double scale = m.model.body_count() * (1 + V.squaredNorm() + a.norm());
      EXPECT_CLOSE(difference, a, 10 * kNodeRateError * scale) << describe(node_options(seed), seed);
      const Vector6 bias = node_bias_acceleration(m.model, kin, node);
      EXPECT_CLOSE(Vector6(engine.jacobian(m.s.x, node) * m.s.vdot + bias), a,
                   64 * kEps * m.model.body_count() * scale);
    }
  }
}

TEST(NodePose, OfTheWorldIsTheIdentity) {
  const Moving m = moving(5);
  Engine engine(m.model);
  const Pose world = node_pose(m.model, engine.kinematics(m.s.x), {kGround, kBodyFrame});
  EXPECT_EQ(world.R, Matrix3d::Identity());
  EXPECT_EQ(world.p, Vector3d::Zero());
  EXPECT_EQ(engine.jacobian(m.s.x, {kGround, kBodyFrame}), Matrix6X::Zero(6, m.model.nv));
}

TEST(NodeAcceleration, KnowsNoGravity) {
  Machine machine = random_machine({.bodies = 3}, 4);
  const Model with = make_model(machine);
  machine.gravity.setZero();
  const Model without = make_model(machine);
  const Sample s = random_sample(with, 4);
  Engine a(with), b(without);
  for (const NodeRef node : all_nodes(with)) {
    const Vector6 x = node_bias_acceleration(with, a.kinematics(s.x), node);
    const Vector6 y = node_bias_acceleration(without, b.kinematics(s.x), node);
    EXPECT_CLOSE(x, y, 64 * kEps * (x.norm() + 10));
  }
}

}  // namespace
}  // namespace limber::test
