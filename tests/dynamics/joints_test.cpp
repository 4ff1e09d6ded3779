// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// One suite for every joint kind, fidelity, attachment of the body and elimination: against the mass points, at
// generic, near-singular and singular configurations.
#include <gtest/gtest.h>

#include <numbers>

#include "support/brute_force.hpp"
#include "support/engine.hpp"
#include "support/random.hpp"
#include "support/random_tree.hpp"

namespace limber::test {
namespace {

constexpr double kPi = std::numbers::pi;

struct Way {
  JointKind kind;
  Fidelity fidelity;
  bool on_node;
  Elimination elimination;
};

void PrintTo(const Way& w, std::ostream* out) {
  *out << to_string(w.kind) << " " << to_string(w.fidelity) << (w.on_node ? " on a node" : " on the frame")
       << (w.elimination == Elimination::active ? " active" : " all_modes");
}

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const JointKind kind : kAllJoints) {
    for (const Fidelity f : {Fidelity::ruthless, Fidelity::full, Fidelity::stiffened}) {
      ways.push_back({kind, f, false, Elimination::active});
      ways.push_back({kind, f, false, Elimination::all_modes});
      ways.push_back({kind, f, true, Elimination::all_modes});
    }
  }
  return ways;
}

class EveryJoint : public ::testing::TestWithParam<Way> {
 protected:
  // Three flexible bodies, the last two on the first.
  Machine machine(std::uint64_t seed) const {
    const Way& w = GetParam();
    Machine m = random_machine({.bodies = 3,
                                .modes = 3,
                                .joints = {w.kind},
                                .fidelity = w.fidelity,
                                .flexible = 1,
                                .child_on_node = w.on_node ? 1.0 : 0.0,
                                .modal_mass = ModalMass::diagonal},
                               seed);
    m.joints[1].parent.body = m.joints[2].parent.body = 1;
    return m;
  }
};

// Accuracy of rnea, crba and aba; `amplification`: factor by which the state itself amplifies rounding.
void expect_exact(const Machine& machine, const Model& model, const Sample& s, double amplification = 1) {
  const BruteForce exact(machine, s.x);
  Engine engine(model);
  const MatrixXd& M = exact.mass();
  ASSERT_TRUE(M.allFinite());
  const VectorXd tau = M * s.vdot + exact.bias();
  const double h = exact.gross().norm();
  EXPECT_CLOSE(engine.mass(s.x), M, 16 * kEps * amplification * model.body_count() * M.norm());
  EXPECT_CLOSE(engine.inverse(s.x, s.vdot), tau, amplification * force_bound(model, M, s.vdot, h));
  const VectorXd vdot = engine.forward(s.x, s.tau);
  EXPECT_CLOSE(VectorXd(M * vdot + exact.bias()), s.tau, amplification * force_bound(model, M, vdot, h + s.tau.norm()));
}

TEST_P(EveryJoint, IsRightAtGenericPlaces) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Machine m = machine(seed);
    const Model model = make_model(m, GetParam().elimination);
    expect_exact(m, model, random_sample(model, seed, {.special = 0}));
  }
}

TEST_P(EveryJoint, IsRightAtZero) {
  Machine m = machine(1);
  const Model model = make_model(m, GetParam().elimination);
  Sample s = random_sample(model, 1);
  s.x = make_zero_state(model);
  expect_exact(m, model, s);
  for (Joint& joint : m.joints) joint.origin = Pose{};  // coincident frames
  m.gravity.setZero();
  expect_exact(m, make_model(m, GetParam().elimination), s);
}

// Joint angles and quaternions of a given angle, modes unchanged.
void set_angles(const Model& model, double angle, Random& random, VectorXd& q) {
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    if (joint.kind == JointKind::spherical || joint.kind == JointKind::free) {
      q.segment<4>(joint.q) << std::cos(angle / 2), std::sin(angle / 2) * random.direction();
      q.segment<4>(joint.q).normalize();
    } else {
      q.segment(joint.q, position_count(joint.kind)).setConstant(angle);
    }
  }
}

TEST_P(EveryJoint, IsRightAtSpecialAngles) {
  const Machine m = machine(2);
  const Model model = make_model(m, GetParam().elimination);
  Random random(2);
  Sample s = random_sample(model, 2);
  for (const double angle : {1e-300, 1e-160, 1e-20, 1e-12, 1e-8, 1e-4, kPi / 2, kPi, -kPi, kPi - 1e-8, 2 * kPi}) {
    set_angles(model, angle, random, s.x.q);
    // At exactly half a turn the rotation vector has two values: no springs there.
    Machine springless = m;
    if (std::abs(angle) == kPi) {
      for (Joint& joint : springless.joints) joint.stiffness = VectorXd();
    }
    SCOPED_TRACE(angle);
    expect_exact(springless, make_model(springless, GetParam().elimination), s);
  }
}

// The largest rotation of a node, |lambda eta|.
double node_angle(const Model& model, const VectorXd& q) {
  double largest = 0;
  for (int i = 1; i < model.body_count(); ++i) {
    for (const Node& node : model.body(i).nodes) {
      largest = std::max(largest, (node.turn * q.segment(model.first_mode_q(i), model.body(i).modes)).norm());
    }
  }
  return largest;
}

TEST_P(EveryJoint, IsRightAtTinyAndLargeDeformations) {
  const Machine m = machine(3);
  const Model model = make_model(m, GetParam().elimination);
  const Sample s = random_sample(model, 3);
  const double unit = node_angle(model, s.x.q);
  for (const double angle : {0.0, 1e-300, 1e-170, 1e-155, 1e-20, 1e-8, 1e-4, 0.01, 0.9999, 1.0001, kPi - 1e-9, kPi,
                             kPi + 1e-9, 5.0, 2 * kPi, 20.0}) {
    Sample t = s;
    for (int i = 1; i < model.body_count(); ++i) {
      t.x.q.segment(model.first_mode_q(i), model.body(i).modes) *= angle / unit;
    }
    SCOPED_TRACE(angle);
    // An angle is known to eps |angle| only.
    expect_exact(m, model, t, 1 + angle);
  }
}

TEST_P(EveryJoint, HasNoBiasAtRestWithoutGravity) {
  Machine m = machine(4);
  m.gravity.setZero();
  const Model model = make_model(m, GetParam().elimination);
  Engine engine(model);
  EXPECT_EQ(engine.inverse(make_zero_state(model), VectorXd::Zero(model.nv)), VectorXd::Zero(model.nv));
  EXPECT_EQ(engine.forward(make_zero_state(model), VectorXd::Zero(model.nv)), VectorXd::Zero(model.nv));
}

INSTANTIATE_TEST_SUITE_P(Joints, EveryJoint, ::testing::ValuesIn(all_ways()));

// Children on one node, on several nodes and on the frame of one body.
TEST(Branches, OnOneNodeSeveralNodesAndTheFrame) {
  const std::vector<std::vector<int>> places = {{0, 0, 0},
                                                {0, 1, 2},
                                                {0, 0, kBodyFrame},
                                                {kBodyFrame, kBodyFrame, 1},
                                                {2, 2, 1},
                                                {0, 1, 0},
                                                {kBodyFrame, kBodyFrame, kBodyFrame}};
  for (const Fidelity f : {Fidelity::ruthless, Fidelity::full, Fidelity::stiffened}) {
    for (const Elimination e : {Elimination::active, Elimination::all_modes}) {
      for (std::size_t k = 0; k < places.size(); ++k) {
        Machine m = random_machine(
            {.bodies = 4, .modes = 4, .fidelity = f, .flexible = 1, .modal_mass = ModalMass::diagonal}, 20 + k);
        m.joints[0].child_node = kBodyFrame;
        for (int c = 0; c < 3; ++c) m.joints[c + 1].parent = {1, places[k][c]};
        const Model model = make_model(m, e);
        SCOPED_TRACE(k);
        expect_exact(m, model, random_sample(model, k));
      }
    }
  }
}

TEST(Branches, ManyChildrenOnManyNodes) {
  Machine m = random_machine({.bodies = 10, .modes = 6, .flexible = 1, .modal_mass = ModalMass::diagonal}, 31);
  for (int c = 1; c < 10; ++c) m.joints[c].parent = {1, c % 4 - 1};
  for (const Elimination e : {Elimination::active, Elimination::all_modes}) {
    const Model model = make_model(m, e);
    expect_exact(m, model, random_sample(model, 31));
  }
}

TEST(Branches, SeveralTreesOnTheGround) {
  Machine m = random_machine({.bodies = 6, .modes = 3}, 32);
  for (int c = 0; c < 6; c += 2) m.joints[c].parent = {kGround, kBodyFrame};
  const Model model = make_model(m);
  expect_exact(m, model, random_sample(model, 32));
}

TEST(Branches, LongChain) {
  const Machine m = random_machine({.bodies = 25, .modes = 2, .joints = {JointKind::revolute}, .chain = true}, 33);
  const Model model = make_model(m);
  expect_exact(m, model, random_sample(model, 33));
}

TEST(Branches, ManyModes) {
  const Machine m = random_machine({.bodies = 3, .modes = 25, .flexible = 1}, 34);
  for (const Elimination e : {Elimination::automatic, Elimination::active, Elimination::all_modes}) {
    const Model model = make_model(m, e);
    expect_exact(m, model, random_sample(model, 34, {.modal = 0.1}));
  }
}

}  // namespace
}  // namespace limber::test
