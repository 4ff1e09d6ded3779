// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of workspaces, input they refuse, and forward dynamics of closed chains by name.
#include <gtest/gtest.h>

#include <utility>

#include "limber/dynamics/closures.hpp"
#include "limber/dynamics/dca.hpp"
#include "limber/dynamics/derivatives.hpp"
#include "support/close.hpp"
#include "support/closed_trees.hpp"
#include "support/engine.hpp"
#include "support/random_tree.hpp"

namespace limber::test {
namespace {

Model some_model(std::uint64_t seed) {
  TreeOptions o;
  o.bodies = 6;
  o.modes = 3;
  return make_model(random_machine(o, seed));
}

// Calls f and returns the message of the InputError that it throws.
template <typename F>
std::string refusal(F f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Workspaces, AreValues) {
  const Model model = some_model(3);
  const Sample s = random_sample(model, 3), other = random_sample(model, 4);
  VectorXd expected(model.nv), vdot(model.nv);
  AbaWorkspace ws(model);
  ASSERT_EQ(factor_mass(model, s.x, ws), Status::ok);
  solve_factored(model, s.tau, ws, expected);
  const AbaWorkspace copy = ws;
  ASSERT_EQ(factor_mass(model, other.x, ws), Status::ok);  // does not affect the copy
  AbaWorkspace moved = copy;
  AbaWorkspace taken = std::move(moved);
  solve_factored(model, s.tau, taken, vdot);
  EXPECT_TRUE(is_same_bits(vdot, expected));
  EXPECT_NE(refusal([&] { solve_factored(model, s.tau, moved, vdot); }).find("moved from"), std::string::npos);
  moved = taken;
  solve_factored(model, s.tau, moved, vdot);
  EXPECT_TRUE(is_same_bits(vdot, expected));
}

// Energies and momenta at a state that the workspace had before: bitwise equal, whatever was computed in between.
TEST(Workspaces, KinematicsAreThoseOfTheStateHoweverOftenTheyAreAskedFor) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model model = some_model(seed);
    const Sample s = random_sample(model, seed), other = random_sample(model, seed + 100);
    KinematicsWorkspace fresh(model), kin(model);
    RneaWorkspace ws(model), unused(model);
    VectorXd tau(model.nv);
    const auto same_as_fresh = [&](const Kinematics& found) {
      compute_kinematics(model, s.x, fresh);
      compute_world_poses(model, fresh);
      bool same = true;
      for (const NodeRef at : all_nodes(model)) {
        const Pose X = node_pose(model, fresh, at), Y = node_pose(model, found, at);
        same = same && is_same_bits(X.p, Y.p) &&
               is_same_bits(node_velocity(model, fresh, at, s.x.v), node_velocity(model, found, at, s.x.v)) &&
               is_same_bits(node_bias_acceleration(model, fresh, at), node_bias_acceleration(model, found, at));
      }
      return same;
    };
    update_kinematics(model, s.x, kin);
    EXPECT_TRUE(same_as_fresh(kin));
    update_kinematics(model, other.x, kin);
    update_kinematics(model, s.x, kin);
    EXPECT_TRUE(same_as_fresh(kin));
    set_gravity(Vector3d(0, 0, 9.81), kin);
    set_gravity(model.gravity, kin);
    update_kinematics(model, s.x, kin);
    EXPECT_TRUE(same_as_fresh(kin));
    // After wrenches on nodes as well.
    const Energy expected = compute_energy(model, s.x, unused);
    rnea(model, s.x, s.vdot, s.wrenches, ws, tau);
    const Energy energy = compute_energy(model, s.x, ws);
    State faster = s.x;
    faster.v *= 2;
    EXPECT_NE(compute_energy(model, faster, unused).kinetic, expected.kinetic);
    EXPECT_EQ(energy.kinetic, expected.kinetic);
    EXPECT_EQ(energy.gravity, expected.gravity);
    EXPECT_TRUE(same_as_fresh(ws.kinematics()));
    EXPECT_TRUE(is_same_bits(compute_momentum(model, s.x, ws).angular, compute_momentum(model, s.x, unused).angular));
  }
}

TEST(Workspaces, OfDivideAndConquerHaveThreadsOfTheirOwn) {
  const Model model = some_model(5);
  const Sample s = random_sample(model, 5);
  VectorXd first(model.nv), second(model.nv);
  DcaWorkspace copy(model, {.threads = 1});
  {
    DcaWorkspace ws(model, {.threads = 2, .grain = 1});
    ASSERT_EQ(dca(model, s.x, {s.tau, {}}, ws, first), Status::ok);
    copy = ws;
  }
  ASSERT_EQ(dca(model, s.x, {s.tau, {}}, copy, second), Status::ok);
  EXPECT_TRUE(is_same_bits(first, second));
}

TEST(Workspaces, SayWhatTheyDoNotHold) {
  const Model model = some_model(7);
  const Sample s = random_sample(model, 7);
  VectorXd out(model.nv);
  AbaWorkspace ws(model);
  const auto solve = [&] { solve_factored(model, s.tau, ws, out); };
  EXPECT_NE(refusal(solve).find("factor_mass"), std::string::npos) << "nothing was factored";
  ASSERT_EQ(aba(model, s.x, {s.tau, {}}, ws, out), Status::ok);
  EXPECT_EQ(refusal(solve), "");
  compute_kinematics(model, s.x, ws.kinematics());
  EXPECT_NE(refusal(solve).find("factor_mass"), std::string::npos) << "the kinematics are newer than the factors";
  ASSERT_EQ(factor_mass(model, s.x, ws), Status::ok);
  set_implicit(model, 0.1, 0.1, VectorXd::Zero(model.nv), ws);
  EXPECT_NE(refusal(solve).find("factor_mass"), std::string::npos) << "factors of another matrix";
}

TEST(Workspaces, RefuseOtherModels) {
  const Model model = some_model(1), other = some_model(2);
  const Sample s = random_sample(other, 2);
  VectorXd out(other.nv);
  AbaWorkspace ws(model);
  DcaWorkspace dw(model);
  RneaWorkspace rw(model);
  EXPECT_THROW(static_cast<void>(aba(other, s.x, {s.tau, {}}, ws, out)), InputError);
  EXPECT_THROW(static_cast<void>(dca(other, s.x, {s.tau, {}}, dw, out)), InputError);
  EXPECT_THROW(rnea(other, s.x, s.vdot, {}, rw, out), InputError);
}

TEST(Nodes, RefuseWrongSizesAndStalePoses) {
  const Model model = some_model(4);
  const Sample s = random_sample(model, 4);
  const NodeRef tip{1, kBodyFrame};
  KinematicsWorkspace kin(model);
  Matrix6X J, right(6, model.nv);
  EXPECT_THROW(compute_node_jacobian(model, kin, tip, right), InputError);
  compute_kinematics(model, s.x, kin);
  EXPECT_THROW(node_pose(model, kin, tip), InputError);
  EXPECT_THROW(body_pose(kin, 1), InputError);
  compute_world_poses(model, kin);
  EXPECT_NO_THROW(compute_node_jacobian(model, kin, tip, right));
  EXPECT_NE(refusal([&] { compute_node_jacobian(model, kin, tip, J); }).find("6 x 0"), std::string::npos);
  EXPECT_THROW(node_velocity(model, kin, tip, VectorXd()), InputError);
  EXPECT_THROW(node_acceleration(model, kin, tip, VectorXd(model.nv + 1)), InputError);
  EXPECT_THROW(body_pose(kin, model.body_count()), InputError);
  EXPECT_THROW(node_pose(model, kin, {model.body_count(), kBodyFrame}), InputError);
  EXPECT_EQ(body_pose(kin, 1).p, node_pose(model, kin, tip).p);
}

// Every algorithm by name closes the chain, as aba and close_accelerations do.
TEST(ForwardDynamics, OfClosedChains) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Model model = random_closed(seed, kClosureKinds[seed % kClosureKinds.size()]);
    const Sample s = random_sample(model, seed);
    AbaWorkspace ws(model);
    ClosureWorkspace cw(model);
    VectorXd open(model.nv), vdot(model.nv);
    ASSERT_EQ(aba(model, s.x, {s.tau, s.wrenches}, ws, open), Status::ok);
    vdot = open;
    const Status status = close_accelerations(model, ws, cw, vdot);
    if (status != Status::ok || cw.rank() < cw.count()) continue;  // redundant constraints by chance
    for (const std::string& name : general_algorithms()) {
      VectorXd found(model.nv);
      ASSERT_EQ((*make_forward_dynamics(model, name))(s.x, {s.tau, s.wrenches}, found), Status::ok) << name << seed;
      EXPECT_CLOSE(found, vdot, 1e-8 * (1 + vdot.norm() + open.norm())) << name << seed;
      ASSERT_EQ((*make_tree_dynamics(model, name))(s.x, {s.tau, s.wrenches}, found), Status::ok) << name << seed;
      EXPECT_CLOSE(found, open, 1e-8 * (1 + open.norm())) << name << seed;
    }
    ++compared;
    // The data required for closing are gone once the chain is closed.
    EXPECT_THROW(static_cast<void>(close_accelerations(model, ws, cw, vdot)), InputError);
  }
  EXPECT_GE(compared, 6);
}

}  // namespace
}  // namespace limber::test
