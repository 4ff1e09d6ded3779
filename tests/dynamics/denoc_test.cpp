// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/denoc.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/engine.hpp"
#include "support/mixed_trees.hpp"
#include "support/repeatable.hpp"

namespace limber::test {
namespace {

TEST(Denoc, IsAbaAndCrbaOnRandomTrees) {
  Worst worst("denoc_relative_1e-9");
  int moved = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Model model = make_model(random_machine(mixed_tree(seed, 12, 0.4), seed));
    if (model.nv == 0) continue;
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    DenocWorkspace ws(model);
    VectorXd vdot(model.nv);
    ASSERT_EQ(denoc(model, s.x, {s.tau, s.wrenches}, ws, vdot), Status::ok)
        << describe(mixed_tree(seed, 12, 0.4), seed);
    for (const VectorXd& other :
         {engine.forward(s.x, s.tau, s.wrenches), engine.dense_forward(s.x, s.tau, s.wrenches)}) {
      EXPECT_CLOSE(vdot, other, 1e-9 * other.norm()) << describe(mixed_tree(seed, 12, 0.4), seed);
      worst.add((vdot - other).norm(), 1e-9 * other.norm());
    }
    // Equal to rounding, measured in forces.
    const double h = engine.inverse(s.x, VectorXd::Zero(model.nv), s.wrenches).norm() + s.tau.norm();
    EXPECT_CLOSE(engine.inverse(s.x, vdot, s.wrenches), s.tau, 4 * force_bound(model, engine.mass(s.x), vdot, h));
    ++moved;
  }
  EXPECT_GE(moved, 195);
}

TEST(Denoc, IsAbaOnALongChain) {
  TreeOptions o{.bodies = 300, .modes = 2, .joints = {JointKind::revolute}, .chain = true};
  const Model model = make_model(random_machine(o, 1));
  const Sample s = random_sample(model, 1, {.modal = 0.05, .speed = 0.1});
  const VectorXd expected = Engine(model).forward(s.x, s.tau, s.wrenches);
  DenocWorkspace ws(model);
  VectorXd vdot(model.nv);
  ASSERT_EQ(denoc(model, s.x, {s.tau, s.wrenches}, ws, vdot), Status::ok);
  EXPECT_CLOSE(vdot, expected, 1e-9 * expected.norm());
  RecordProperty("relative", std::to_string((vdot - expected).norm() / expected.norm() * 1e12) + "e-12");
}

// U and D of [MS] (35) from the stored quantities: U_ij = P_i^T Psi_ij, Psi_ij = A_ji^T Psi_j, [MS] (36)-(37).
void expand(const Model& model, const DenocWorkspace& ws, MatrixXd& U, MatrixXd& D) {
  U = MatrixXd::Identity(model.nv, model.nv);
  D = MatrixXd::Zero(model.nv, model.nv);
  const auto& links = model.layout->links;
  for (std::size_t j = 1; j < links.size(); ++j) {
    const Eigen::Index at = links[j].v, size = links[j].nr + links[j].n;
    const MatrixXd L = ws->bodies[j].I_hat.triangularView<Eigen::Lower>();
    D.block(at, at, size, size) = L * L.transpose();
    Matrix6X psi = ws->bodies[j].Psi_t.transpose();
    for (std::size_t i = j; links[i].parent != kGround;) {
      const MatrixXd on_parent = ws->bodies[i].A.transpose() * psi;
      i = static_cast<std::size_t>(links[i].parent);
      const int n = links[i].n;
      MatrixXd block = ws->bodies[i].P.transpose() * on_parent.topRows(6);
      block.bottomRows(n) += on_parent.bottomRows(n);
      U.block(links[i].v, at, links[i].nr + n, size) = block;
      psi = on_parent.topRows(6);
    }
  }
}

TEST(Denoc, FactorsMultiplyBackToTheMassMatrix) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Model model = make_model(random_machine(mixed_tree(seed, 12, 0.4), seed));
    if (model.nv == 0) continue;
    const Sample s = random_sample(model, seed);
    const MatrixXd M = Engine(model).mass(s.x);
    DenocWorkspace ws(model);
    VectorXd vdot(model.nv);
    ASSERT_EQ(denoc(model, s.x, {s.tau, s.wrenches}, ws, vdot), Status::ok);
    MatrixXd U, D;
    expand(model, ws, U, D);
    // Every entry is a sum over at most all bodies, each term rounded at the size of M.
    EXPECT_CLOSE(MatrixXd(U * D * U.transpose()), M, 64 * kEps * model.body_count() * M.norm())
        << describe(mixed_tree(seed, 12, 0.4), seed);
  }
}

TEST(Denoc, UsesNoHeapAndGivesTheSameBits) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TreeOptions o = mixed_tree(seed, 12, 0.4);
    o.modes = seed % 7 == 1 ? 40 : 6;  // the time is cubic in it
    expect_repeatable<DenocWorkspace>(make_model(random_machine(o, seed)), seed, denoc);
  }
}

TEST(Denoc, NamesTheSpeedWithoutInertia) {
  // A point mass on a spherical joint after a revolute one.
  Machine m;
  RigidSpec hub, bob;
  hub.mass = bob.mass = 1;
  hub.inertia = Matrix3d::Identity();
  m.bodies = {hub, bob};
  m.joints.resize(2);
  m.joints[0].kind = JointKind::revolute;
  m.joints[1].kind = JointKind::spherical;
  m.joints[1].parent.body = 1;
  m.joints[1].origin.p = {1, 0, 0};
  const Model model = make_model(m);
  DenocWorkspace ws(model);
  VectorXd vdot(model.nv);
  const VectorXd tau = VectorXd::Ones(model.nv);
  const State x = make_zero_state(model);
  EXPECT_EQ(denoc(model, x, {tau, {}}, ws, vdot), Status::singular_mass);
  ASSERT_EQ(ws.failure(), 1);
  EXPECT_EQ(model.speeds[ws.failure()], "j2.wx");
  m.joints[1].armature = VectorXd::Constant(3, 0.5);
  const Model good = make_model(m);
  DenocWorkspace other(good);
  EXPECT_EQ(denoc(good, x, {tau, {}}, other, vdot), Status::ok);
  EXPECT_EQ(other.failure(), -1);
}

TEST(Denoc, NumbersThatAreNoneStayBehind) {
  const Model model = make_model(random_machine(mixed_tree(11, 12, 0.4), 11));
  const Sample s = random_sample(model, 11);
  DenocWorkspace ws(model);
  VectorXd before(model.nv), after(model.nv);
  ASSERT_EQ(denoc(model, s.x, {s.tau, s.wrenches}, ws, before), Status::ok);
  Sample bad = s;
  bad.x.q.setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(denoc(model, bad.x, {bad.tau, bad.wrenches}, ws, after), Status::not_finite);
  bad = s;
  bad.tau[0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(denoc(model, bad.x, {bad.tau, bad.wrenches}, ws, after), Status::not_finite);
  ASSERT_EQ(denoc(model, s.x, {s.tau, s.wrenches}, ws, after), Status::ok);
  EXPECT_TRUE(is_same_bits(before, after));
  const VectorXd shorter = s.tau.head(model.nv - 1);
  EXPECT_THROW(static_cast<void>(denoc(model, s.x, {shorter, {}}, ws, after)), InputError);
}

}  // namespace
}  // namespace limber::test
