// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Non-finite numbers and mismatched sizes.
#include <gtest/gtest.h>

#include <limits>

#include "support/engine.hpp"
#include "support/random_tree.hpp"

namespace limber::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Model input_model(std::uint64_t seed) {
  constexpr std::array choices = {Elimination::automatic, Elimination::active, Elimination::all_modes};
  constexpr std::array fidelities = {Fidelity::ruthless, Fidelity::full, Fidelity::stiffened};
  TreeOptions o{.bodies = 4, .modes = 3, .fidelity = fidelities[seed % 3]};
  return make_model(random_machine(o, seed), choices[seed / 3 % 3]);
}

// Every forward algorithm throws, returns a failure, or (`may_not_matter`) gives finite results.
void expect_input_refused(const Model& model, const Sample& s, const std::string& what, bool may_not_matter = false) {
  const auto refused = [&](Status status, const VectorXd& a, const VectorXd& b) {
    return status != Status::ok || (may_not_matter && a.allFinite() && b.allFinite());
  };
  for (const std::string& name : general_algorithms()) {
    const auto algorithm = make_forward_dynamics(model, name);
    VectorXd vdot = VectorXd::Zero(model.nv);
    try {
      const Status status = (*algorithm)(s.x, {s.tau, s.wrenches}, vdot);
      EXPECT_TRUE(refused(status, vdot, vdot)) << name << ": " << what;
    } catch (const InputError&) {
    }
  }
  AbaWorkspace ws(model);
  VectorXd tau(model.nv);
  for (const std::uint8_t all : {0, 1}) {
    VectorXd vdot = s.vdot;
    const std::vector<std::uint8_t> prescribed(model.body_count(), all);
    try {
      const Status status = hybrid(model, s.x, {s.tau, s.wrenches}, prescribed, ws, vdot, tau);
      EXPECT_TRUE(refused(status, vdot, tau)) << "hybrid: " << what;
    } catch (const InputError&) {
    }
  }
}

TEST(NotFinite, NeverComesOutAsOk) {
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    const Model model = input_model(seed);
    const Sample good = random_sample(model, seed);
    for (const double bad : {kNan, kInf, -kInf}) {
      for (int j = 0; j < model.nq; ++j) {
        Sample s = good;
        s.x.q[j] = bad;
        expect_input_refused(model, s, "q of " + model.coordinates[j]);
      }
      for (int j = 0; j < model.nv; ++j) {
        Sample s = good;
        s.x.v[j] = bad;
        expect_input_refused(model, s, "v of " + model.speeds[j]);
      }
      Sample s = good;
      s.wrenches[0].wrench[2] = bad;
      expect_input_refused(model, s, "wrench", true);  // it has no effect on a body that cannot move
    }
  }
}

TEST(NotFinite, TorquesNeverComeOutAsOk) {
  const Model model = input_model(4);
  for (int j = 0; j < model.nv; ++j) {
    Sample s = random_sample(model, 4);
    s.tau[j] = kNan;
    for (const std::string& name : general_algorithms()) {
      VectorXd vdot(model.nv);
      EXPECT_NE((*make_forward_dynamics(model, name))(s.x, {s.tau, {}}, vdot), Status::ok) << name;
    }
    AbaWorkspace ws(model);
    VectorXd out(model.nv);
    EXPECT_NE(solve_mass(model, s.x, s.tau, ws, out), Status::ok);
  }
}

TEST(NotFinite, OverflowIsSeen) {
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    const Model model = input_model(seed);
    Sample s = random_sample(model, seed);
    s.x.v *= 1e200;
    expect_input_refused(model, s, "overflow of v^2", true);
  }
}

TEST(NotFinite, NextCallIsFineAgain) {
  const Model model = input_model(5);
  const Sample good = random_sample(model, 5);
  Sample bad = good;
  bad.x.q.setConstant(kNan);
  bad.x.v.setConstant(kNan);
  for (const std::string& name : general_algorithms()) {
    const auto algorithm = make_forward_dynamics(model, name);
    VectorXd before(model.nv), after(model.nv);
    ASSERT_EQ((*algorithm)(good.x, {good.tau, good.wrenches}, before), Status::ok);
    EXPECT_NE((*algorithm)(bad.x, {bad.tau, bad.wrenches}, after), Status::ok);
    ASSERT_EQ((*algorithm)(good.x, {good.tau, good.wrenches}, after), Status::ok);
    EXPECT_TRUE(is_same_bits(before, after)) << name;
  }
}

TEST(Sizes, AreChecked) {
  const Model model = input_model(4);
  const Sample s = random_sample(model, 4);
  AbaWorkspace aw(model);
  RneaWorkspace rw(model);
  CrbaWorkspace cw(model);
  KinematicsWorkspace kin(model);
  VectorXd out(model.nv);
  VectorXd shorter = s.tau.head(model.nv - 1);
  std::vector<std::uint8_t> prescribed(model.body_count()), too_few(model.body_count() - 1);
  MatrixXd M(model.nv, model.nv), small(model.nv, model.nv - 1);
  for (const bool in_q : {false, true}) {
    State x = s.x;
    in_q ? x.q.conservativeResize(model.nq - 1) : x.v.conservativeResize(model.nv + 1);
    EXPECT_THROW(static_cast<void>(aba(model, x, {s.tau, {}}, aw, out)), InputError);
    EXPECT_THROW(static_cast<void>(solve_mass(model, x, s.tau, aw, out)), InputError);
    EXPECT_THROW(static_cast<void>(crba_forward(model, x, {s.tau, {}}, cw, out)), InputError);
    EXPECT_THROW(rnea(model, x, s.vdot, {}, rw, out), InputError);
    EXPECT_THROW(multiply_mass(model, x, s.vdot, rw, out), InputError);
    EXPECT_THROW(crba(model, x, cw, M), InputError);
    EXPECT_THROW(compute_kinematics(model, x, kin), InputError);
    EXPECT_THROW(compute_energy(model, x, rw), InputError);
    EXPECT_THROW(compute_momentum(model, x, rw), InputError);
  }
  EXPECT_THROW(static_cast<void>(aba(model, s.x, {shorter, {}}, aw, out)), InputError);
  EXPECT_THROW(static_cast<void>(aba(model, s.x, {s.tau, {}}, aw, shorter)), InputError);
  EXPECT_THROW(static_cast<void>(crba_forward(model, s.x, {shorter, {}}, cw, out)), InputError);
  EXPECT_THROW(static_cast<void>(crba_forward(model, s.x, {s.tau, {}}, cw, shorter)), InputError);
  EXPECT_THROW(static_cast<void>(solve_mass(model, s.x, shorter, aw, out)), InputError);
  EXPECT_THROW(static_cast<void>(hybrid(model, s.x, {s.tau, {}}, too_few, aw, out, out)), InputError);
  EXPECT_THROW(static_cast<void>(hybrid(model, s.x, {s.tau, {}}, prescribed, aw, out, shorter)), InputError);
  EXPECT_THROW(rnea(model, s.x, shorter, {}, rw, out), InputError);
  EXPECT_THROW(crba(model, s.x, cw, small), InputError);
}

TEST(Sizes, WrenchesOnNodesThatAreNotThereAreRefused) {
  const Model model = input_model(4);
  const Sample s = random_sample(model, 4);
  AbaWorkspace aw(model);
  RneaWorkspace rw(model);
  VectorXd out(model.nv);
  for (const NodeRef at : {NodeRef{-1, 0}, NodeRef{model.body_count(), 0}, NodeRef{1, 99}, NodeRef{1, -2}}) {
    const std::vector<NodeWrench> wrenches = {{at, Vector6::Ones(), Frame::world}};
    EXPECT_THROW(static_cast<void>(aba(model, s.x, {s.tau, wrenches}, aw, out)), InputError);
    EXPECT_THROW(rnea(model, s.x, s.vdot, wrenches, rw, out), InputError);
  }
}

TEST(Sizes, AMachineThatCannotMoveIsFine) {
  TreeOptions o{.bodies = 3, .modes = 0, .joints = {JointKind::fixed}};
  const Model model = make_model(random_machine(o, 1));
  ASSERT_EQ(model.nv, 0);
  const State x = make_zero_state(model);
  Engine engine(model);
  EXPECT_EQ(engine.forward(x, VectorXd()).size(), 0);
  EXPECT_EQ(engine.dense_forward(x, VectorXd()).size(), 0);
  EXPECT_EQ(engine.inverse(x, VectorXd()).size(), 0);
  EXPECT_EQ(engine.mass(x).size(), 0);
  EXPECT_EQ(engine.energy(x).kinetic, 0);
  EXPECT_TRUE(engine.center_of_mass(x).allFinite());
}

TEST(Sizes, AMachineWithoutBodiesIsRefused) {
  try {
    ModelBuilder("empty").build();
    ADD_FAILURE() << "built";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no bodies"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace limber::test
