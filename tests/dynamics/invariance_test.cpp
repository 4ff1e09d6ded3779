// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Equivalent descriptions of one model have the same motion.
#include <gtest/gtest.h>

#include "support/engine.hpp"
#include "support/random.hpp"
#include "support/random_tree.hpp"

namespace limber::test {
namespace {

TreeOptions invariance_options(std::uint64_t seed) {
  constexpr std::array fidelities = {Fidelity::ruthless, Fidelity::full, Fidelity::stiffened};
  TreeOptions o;
  o.bodies = 1 + static_cast<int>(seed % 6);
  o.modes = static_cast<int>(seed % 5);
  o.fidelity = fidelities[seed % 3];
  o.chain = seed % 4 == 0;
  return o;
}

// Both give the same torques, mass matrix and accelerations at the same state.
void expect_same(const Model& a, const Model& b, const Sample& s, const std::vector<NodeWrench>& wrenches_b,
                 const std::string& what) {
  ASSERT_EQ(a.nv, b.nv) << what;
  if (a.nv == 0) return;
  Engine ea(a), eb(b);
  const MatrixXd M = ea.mass(s.x);
  const VectorXd tau = ea.inverse(s.x, s.vdot, s.wrenches);
  const double bound = 2 * force_bound(a, M, s.vdot, tau.norm() + s.tau.norm() + ea.inverse(s.x, 0 * s.vdot).norm());
  EXPECT_CLOSE(eb.mass(s.x), M, 32 * kEps * a.body_count() * M.norm()) << what;
  EXPECT_CLOSE(eb.inverse(s.x, s.vdot, wrenches_b), tau, bound) << what;
  const VectorXd x = ea.forward(s.x, s.tau, s.wrenches), y = eb.forward(s.x, s.tau, wrenches_b);
  EXPECT_CLOSE(VectorXd(M * (x - y)), VectorXd::Zero(a.nv), bound + 2 * force_bound(a, M, x, 0)) << what;
}

TEST(Invariance, MovingTheBaseFrameChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    const Machine machine = random_machine(invariance_options(seed), seed);
    Random random(seed);
    const Pose T{random.rotation(), random.vector3(3)};
    Machine moved_machine = machine;
    moved_machine.gravity = T.R * machine.gravity;
    for (Joint& joint : moved_machine.joints) {
      if (joint.parent.body == kGround) joint.origin = T * joint.origin;
    }
    const Model a = make_model(machine), b = make_model(moved_machine);
    const Sample s = random_sample(a, seed);
    std::vector<NodeWrench> wrenches = s.wrenches;
    for (NodeWrench& w : wrenches) {
      if (w.frame == Frame::node) continue;
      w.wrench << T.R * w.wrench.head<3>().eval(), T.R * w.wrench.tail<3>().eval();
    }
    expect_same(a, b, s, wrenches, describe(invariance_options(seed), seed));
    Engine ea(a), eb(b);
    const Energy x = ea.energy(s.x), y = eb.energy(s.x);
    EXPECT_NEAR(y.kinetic, x.kinetic, 64 * kEps * a.body_count() * (1 + x.kinetic));
    EXPECT_EQ(y.elastic, x.elastic);
    EXPECT_EQ(y.springs, x.springs);
  }
}

// The nodes of a rigid or modal body.
std::vector<Node>& nodes_of(BodySpec& spec) {
  if (auto* rigid = std::get_if<RigidSpec>(&spec)) return rigid->nodes;
  return std::get<ModalSpec>(spec).nodes;
}

// A fixed node at a position of the body.
int add_still_node(BodySpec& spec, const Pose& at) {
  Node node;
  node.name = "still";
  node.position = at.p;
  node.rotation = at.R;
  node.translation = node.turn = Matrix3Xd::Zero(3, mode_count(spec));
  nodes_of(spec).push_back(node);
  return static_cast<int>(nodes_of(spec).size()) - 1;
}

TEST(Invariance, AStillNodeAtTheOriginIsTheBodyFrame) {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    const Machine machine = random_machine(invariance_options(seed), seed);
    Machine told = machine;
    for (std::size_t i = 0; i < told.bodies.size(); ++i) {
      const int node = add_still_node(told.bodies[i], Pose{});
      if (told.joints[i].child_node == kBodyFrame) told.joints[i].child_node = node;
      for (Joint& joint : told.joints) {
        if (joint.parent.body == static_cast<int>(i) + 1 && joint.parent.node == kBodyFrame) joint.parent.node = node;
      }
    }
    const Model a = make_model(machine);
    const Sample s = random_sample(a, seed);
    expect_same(a, make_model(told), s, s.wrenches, describe(invariance_options(seed), seed));
  }
}

TEST(Invariance, AStillNodeIsAPlaceOnTheFrame) {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    Machine machine = random_machine(invariance_options(seed), seed);
    Machine told = machine;
    Random random(seed);
    for (std::size_t i = 0; i < told.bodies.size(); ++i) {
      const Pose place{random.rotation(), random.vector3(0.5)};
      const int node = add_still_node(told.bodies[i], place);
      for (std::size_t k = 0; k < told.joints.size(); ++k) {
        if (told.joints[k].parent.body != static_cast<int>(i) + 1) continue;
        machine.joints[k].parent.node = kBodyFrame;
        machine.joints[k].origin = place * told.joints[k].origin;
        told.joints[k].parent.node = node;
      }
    }
    const Model a = make_model(machine);
    const Sample s = random_sample(a, seed);
    expect_same(a, make_model(told), s, s.wrenches, describe(invariance_options(seed), seed));
  }
}

void turn_second(std::array<MatrixXd, 3>& Xi, const Matrix3d& R) {
  if (Xi[0].size() == 0) return;
  std::array<MatrixXd, 3> out;
  for (int k = 0; k < 3; ++k) out[k] = R(k, 0) * Xi[0] + R(k, 1) * Xi[1] + R(k, 2) * Xi[2];
  Xi = out;
}

// The body described in another frame fixed to it: X is the pose of the old frame in the new one.
void reframe(BodySpec& spec, const Pose& X) {
  for (Node& node : nodes_of(spec)) {
    node.position = X.R * node.position + X.p;
    node.rotation = X.R * node.rotation;
    node.translation = X.R * node.translation;
    node.turn = X.R * node.turn;
    turn_second(node.second, X.R);
  }
  if (auto* rigid = std::get_if<RigidSpec>(&spec)) {
    rigid->com = X.R * rigid->com + X.p;
    const Matrix3d inertia = X.R * rigid->inertia * X.R.transpose();
    rigid->inertia = 0.5 * (inertia + inertia.transpose());
    return;
  }
  for (MassPoint& point : std::get<ModalSpec>(spec).points) {
    point.position = X.R * point.position + X.p;
    point.shape = X.R * point.shape;
    turn_second(point.second, X.R);
  }
}

TEST(Invariance, ABodyToldInAnotherFrameMovesTheSame) {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    const Machine machine = random_machine(invariance_options(seed), seed);
    Machine told = machine;
    Random random(seed);
    for (std::size_t i = 0; i < told.bodies.size(); ++i) {
      const Pose X{random.rotation(), random.vector3(0.5)};
      reframe(told.bodies[i], X);
      const int old_frame = add_still_node(told.bodies[i], X);
      if (told.joints[i].child_node == kBodyFrame) told.joints[i].child_node = old_frame;
      for (Joint& joint : told.joints) {
        if (joint.parent.body == static_cast<int>(i) + 1 && joint.parent.node == kBodyFrame) {
          joint.parent.node = old_frame;
        }
      }
    }
    const Model a = make_model(machine);
    Sample s = random_sample(a, seed);
    // Wrenches on frames would act at another point.
    std::erase_if(s.wrenches, [](const NodeWrench& w) { return w.at.node == kBodyFrame; });
    expect_same(a, make_model(told), s, s.wrenches, describe(invariance_options(seed), seed));
  }
}

TEST(Invariance, TheSignOfAQuaternionChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    TreeOptions o = invariance_options(seed);
    o.joints = {JointKind::spherical, JointKind::free};
    const Model model = make_model(random_machine(o, seed));
    const Sample s = random_sample(model, seed, {.special = 0});
    State y = s.x;
    for (int i = 1; i < model.body_count(); ++i) y.q.segment<4>(model.joints[i].q) *= -1;
    Engine engine(model);
    const VectorXd a = engine.inverse(s.x, s.vdot), b = engine.inverse(y, s.vdot);
    EXPECT_CLOSE(a, b, force_bound(model, engine.mass(s.x), s.vdot, a.norm())) << describe(o, seed);
  }
}

TEST(Invariance, TheOrderOfBranchesChangesNothing) {
  // Two arms on one hub, added in both orders.
  const Machine machine = random_machine({.bodies = 3, .modes = 3, .joints = {JointKind::revolute}}, 9);
  Machine a = machine, b = machine;
  a.joints[1].parent.body = a.joints[2].parent.body = 1;
  b.joints[1].parent.body = b.joints[2].parent.body = 1;
  std::swap(b.joints[1], b.joints[2]);
  std::swap(b.bodies[1], b.bodies[2]);
  const Model ma = make_model(a), mb = make_model(b);
  const Sample s = random_sample(ma, 9, {.wrenches = 0});
  // The last n2 entries before the n1 entries preceding them.
  const int first = ma.joints[2].v, n1 = ma.joints[3].v - first, n2 = ma.nv - first - n1;
  const auto swap = [&](const VectorXd& x, int front, int back) {
    VectorXd y(x.size());
    y << x.head(first), x.tail(back), x.segment(first, front);
    return y;
  };
  const State xb{0, swap(s.x.q, n1, n2), swap(s.x.v, n1, n2)};
  Engine ea(ma), eb(mb);
  const VectorXd x = ea.forward(s.x, s.tau), y = swap(eb.forward(xb, swap(s.tau, n1, n2)), n2, n1);
  const MatrixXd M = ea.mass(s.x);
  const double h = ea.inverse(s.x, VectorXd::Zero(ma.nv)).norm();
  EXPECT_CLOSE(VectorXd(M * (x - y)), VectorXd::Zero(ma.nv), 2 * force_bound(ma, M, x, s.tau.norm() + h));
}

}  // namespace
}  // namespace limber::test
