// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/two_stage.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/engine.hpp"
#include "support/mixed_trees.hpp"
#include "support/repeatable.hpp"

namespace limber::test {
namespace {

TEST(TwoStage, IsAbaOnRandomTreesAndUndoneByRnea) {
  Worst worst("two_stage_relative_1e-9");
  int moved = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    TreeOptions o = mixed_tree(seed, 12, 0.4);
    if (seed % 11 == 0)
      o.modes = 7 + static_cast<int>(seed % 5);  // with kernels for fixed numbers of modes and without
    SCOPED_TRACE(describe(o, seed));
    const Model model = make_model(random_machine(o, seed));
    if (model.nv == 0) continue;
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    TwoStageWorkspace ws(model);
    VectorXd vdot(model.nv);
    ASSERT_EQ(two_stage(model, s.x, {s.tau, s.wrenches}, ws, vdot), Status::ok);
    EXPECT_EQ(ws.failure(), -1);
    const VectorXd expected = engine.forward(s.x, s.tau, s.wrenches);
    EXPECT_CLOSE(vdot, expected, 1e-9 * expected.norm());
    worst.add((vdot - expected).norm(), 1e-9 * expected.norm());
    // Equal to rounding, measured in forces.
    const double h = engine.inverse(s.x, VectorXd::Zero(model.nv), s.wrenches).norm() + s.tau.norm();
    EXPECT_CLOSE(engine.inverse(s.x, vdot, s.wrenches), s.tau, 4 * force_bound(model, engine.mass(s.x), vdot, h));
    ++moved;
  }
  EXPECT_GE(moved, 195);
}

TEST(TwoStage, WithoutModesIsTheRigidMachine) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    TreeOptions o = mixed_tree(seed, 12, 0.4);
    o.modes = 0;
    const Model model = make_model(random_machine(o, seed));
    if (model.nv == 0) continue;
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    TwoStageWorkspace ws(model);
    VectorXd vdot(model.nv);
    ASSERT_EQ(two_stage(model, s.x, {s.tau, s.wrenches}, ws, vdot), Status::ok);
    const VectorXd expected = engine.dense_forward(s.x, s.tau, s.wrenches);
    EXPECT_CLOSE(vdot, expected, 1e-9 * expected.norm()) << describe(o, seed);
  }
}

TEST(TwoStage, UsesNoHeapAndGivesTheSameBits) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TreeOptions o = mixed_tree(seed, 12, 0.4);
    o.modes = seed % 7 == 1 ? 40 : 6;  // the time is cubic in it
    expect_repeatable<TwoStageWorkspace>(make_model(random_machine(o, seed)), seed, two_stage);
  }
}

TEST(TwoStage, NumbersThatAreNoneStayBehind) {
  const Model model = make_model(random_machine(mixed_tree(11, 12, 0.4), 11));
  const Sample s = random_sample(model, 11);
  TwoStageWorkspace ws(model);
  VectorXd before(model.nv), after(model.nv);
  ASSERT_EQ(two_stage(model, s.x, {s.tau, s.wrenches}, ws, before), Status::ok);
  Sample bad = s;
  bad.x.q.setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(two_stage(model, bad.x, {bad.tau, bad.wrenches}, ws, after), Status::not_finite);
  bad = s;
  bad.tau[0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(two_stage(model, bad.x, {bad.tau, bad.wrenches}, ws, after), Status::not_finite);
  ASSERT_EQ(two_stage(model, s.x, {s.tau, s.wrenches}, ws, after), Status::ok);
  EXPECT_TRUE(is_same_bits(before, after));
  const VectorXd shorter = s.tau.head(model.nv - 1);
  EXPECT_THROW(static_cast<void>(two_stage(model, s.x, {shorter, {}}, ws, after)), InputError);
}

}  // namespace
}  // namespace limber::test
