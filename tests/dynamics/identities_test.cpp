// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Identities of any correct implementation, also on trees with beams, which the brute force does not cover.
#include <gtest/gtest.h>

#include "limber/model/detail/layout.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "support/engine.hpp"
#include "support/mixed_trees.hpp"

namespace limber::test {
namespace {

Model identity_model(std::uint64_t seed) {
  constexpr std::array choices = {Elimination::automatic, Elimination::active, Elimination::all_modes};
  return make_model(random_machine(mixed_tree(seed), seed), choices[seed / 3 % 3]);
}

// M and the size of the forces at a sample: h is rnea at vdot = 0.
double bound_of(Engine& engine, const Sample& s, const VectorXd& vdot) {
  const double h = engine.inverse(s.x, VectorXd::Zero(engine.model().nv), s.wrenches).norm() + s.tau.norm();
  return force_bound(engine.model(), engine.mass(s.x), vdot, h);
}

TEST(Aba, IsUndoneByRneaOnRandomFlexibleTrees) {
  Worst worst("aba_rnea");
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Model model = identity_model(seed);
    if (model.nv == 0) continue;
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    const VectorXd vdot = engine.forward(s.x, s.tau, s.wrenches);
    const VectorXd back = engine.inverse(s.x, vdot, s.wrenches);
    const double bound = bound_of(engine, s, vdot);
    EXPECT_CLOSE(back, s.tau, bound) << describe(mixed_tree(seed), seed);
    worst.add((back - s.tau).norm(), bound);
  }
}

TEST(Aba, UndoesRnea) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Model model = identity_model(seed);
    if (model.nv == 0) continue;
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    const VectorXd tau = engine.inverse(s.x, s.vdot, s.wrenches);
    const VectorXd vdot = engine.forward(s.x, tau, s.wrenches);
    // An error of the force is amplified by |M^-1|.
    const MatrixXd M = engine.mass(s.x);
    const double weakest = eigenvalues_symmetric(M)[0];
    EXPECT_CLOSE(vdot, s.vdot, 2 * (bound_of(engine, s, s.vdot) + 16 * kEps * tau.norm()) / weakest)
        << describe(mixed_tree(seed), seed);
  }
}

TEST(Aba, IsCrbaAndCholesky) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Model model = identity_model(seed);
    if (model.nv == 0) continue;
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    const MatrixXd M = engine.mass(s.x);
    const VectorXd a = engine.forward(s.x, s.tau, s.wrenches), b = engine.dense_forward(s.x, s.tau, s.wrenches);
    EXPECT_CLOSE(VectorXd(M * a), VectorXd(M * b), 2 * bound_of(engine, s, a)) << describe(mixed_tree(seed), seed);
  }
}

TEST(Aba, AnswersTheSameByName) {
  const Model model = identity_model(7);
  const Sample s = random_sample(model, 7);
  Engine engine(model);
  EXPECT_GE(forward_dynamics_names().size(), 2U);
  for (const std::string& name : general_algorithms()) {
    const auto algorithm = make_forward_dynamics(model, name);
    VectorXd vdot(model.nv);
    EXPECT_EQ((*algorithm)(s.x, {s.tau, s.wrenches}, vdot), Status::ok) << name;
    EXPECT_CLOSE(engine.inverse(s.x, vdot, s.wrenches), s.tau, bound_of(engine, s, vdot)) << name;
  }
  EXPECT_THROW(make_forward_dynamics(model, "no such thing"), InputError);
}

TEST(Crba, IsTheColumnsOfRnea) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Model model = identity_model(seed);
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    const MatrixXd M = engine.mass(s.x);
    const VectorXd h = engine.inverse(s.x, VectorXd::Zero(model.nv));
    for (int j = 0; j < model.nv; ++j) {
      const VectorXd e = VectorXd::Unit(model.nv, j);
      EXPECT_CLOSE(VectorXd(engine.inverse(s.x, e) - h), VectorXd(M.col(j)), force_bound(model, M, e, h.norm()));
      EXPECT_CLOSE(engine.mass_times(s.x, e), VectorXd(M.col(j)), force_bound(model, M, e, 0));
    }
  }
}

TEST(Crba, IsSymmetricAndPositiveDefinite) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Model model = identity_model(seed);
    if (model.nv == 0) continue;
    const MatrixXd M = Engine(model).mass(random_sample(model, seed).x);
    EXPECT_EQ(M, MatrixXd(M.transpose())) << "both triangles hold the same numbers";
    EXPECT_TRUE(Cholesky(M).positive_definite()) << describe(mixed_tree(seed), seed);
  }
}

TEST(SolveMass, IsUndoneByMultiplyMass) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Model model = identity_model(seed);
    if (model.nv == 0) continue;
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    const VectorXd a = engine.mass_solve(s.x, s.tau);
    EXPECT_CLOSE(engine.mass_times(s.x, a), s.tau, force_bound(model, engine.mass(s.x), a, s.tau.norm()));
  }
}

TEST(Eliminations, Agree) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    TreeOptions o = mixed_tree(seed);
    o.modal_mass = ModalMass::diagonal;
    if (o.fidelity == Fidelity::stiffened) o.fidelity = Fidelity::full;
    const Machine machine = random_machine(o, seed);
    const Model active = make_model(machine, Elimination::active);
    const Model all_modes = make_model(machine, Elimination::all_modes);
    for (int i = 1; i < active.body_count(); ++i) {
      const bool applies = active.body(i).modes > 0 && active.layout->links[i].inboard < 0;
      EXPECT_EQ(active.layout->links[i].elimination, applies ? Elimination::active : Elimination::all_modes);
      EXPECT_EQ(all_modes.layout->links[i].elimination, Elimination::all_modes);
      compared += applies ? 1 : 0;
    }
    const Sample s = random_sample(active, seed);
    if (active.nv == 0) continue;
    Engine a(active), b(all_modes);
    const VectorXd x = a.forward(s.x, s.tau, s.wrenches), y = b.forward(s.x, s.tau, s.wrenches);
    EXPECT_CLOSE(VectorXd(a.mass(s.x) * (x - y)), VectorXd::Zero(x.size()), 2 * bound_of(a, s, x)) << describe(o, seed);
  }
  EXPECT_GT(compared, 100);
}

TEST(Hybrid, GivesBackTheTorqueThatAbaGot) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Model model = identity_model(seed);
    if (model.nv == 0) continue;
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    const VectorXd free = engine.forward(s.x, s.tau, s.wrenches);
    const double bound = bound_of(engine, s, free);
    for (const int every : {1, 2, 3}) {
      std::vector<std::uint8_t> prescribed(model.body_count());
      for (int i = 1; i < model.body_count(); ++i) prescribed[i] = i % every == 0;
      VectorXd vdot = VectorXd::Constant(model.nv, 1e30);  // values that are not prescribed must not be read
      for (int i = 1; i < model.body_count(); ++i) {
        const int nr = speed_count(model.joints[i].kind);
        if (prescribed[i] != 0) vdot.segment(model.joints[i].v, nr) = free.segment(model.joints[i].v, nr);
      }
      const VectorXd tau = engine.mixed(s.x, s.tau, prescribed, vdot, s.wrenches);
      EXPECT_CLOSE(VectorXd(engine.mass(s.x) * (vdot - free)), VectorXd::Zero(model.nv), 4 * bound);
      EXPECT_CLOSE(tau, s.tau, 4 * bound) << describe(mixed_tree(seed), seed);
    }
  }
}

TEST(Hybrid, PrescribingNothingIsAba) {
  const Model model = identity_model(11);
  const Sample s = random_sample(model, 11);
  Engine engine(model);
  VectorXd vdot = VectorXd::Zero(model.nv);
  const VectorXd tau = engine.mixed(s.x, s.tau, std::vector<std::uint8_t>(model.body_count()), vdot, s.wrenches);
  EXPECT_EQ(tau, s.tau);
  EXPECT_TRUE(is_same_bits(vdot, engine.forward(s.x, s.tau, s.wrenches)));
}

TEST(Wrenches, AreTheTransposeOfTheJacobian) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Model model = identity_model(seed);
    const Sample s = random_sample(model, seed, {.wrenches = 5});
    Engine engine(model);
    const Kinematics& kin = engine.kinematics(s.x);
    VectorXd force = VectorXd::Zero(model.nv);
    double size = 0;
    for (const NodeWrench& w : s.wrenches) {
      Vector6 world = w.wrench;
      const Matrix3d R = node_pose(model, kin, w.at).R;
      if (w.frame == Frame::node) world << R * w.wrench.head<3>(), R * w.wrench.tail<3>();
      Matrix6X J(6, model.nv);
      compute_node_jacobian(model, kin, w.at, J);
      force += J.transpose() * world;
      size += J.norm() * world.norm();
    }
    const VectorXd zero = VectorXd::Zero(model.nv);
    const VectorXd h = engine.inverse(s.x, zero);
    EXPECT_CLOSE(VectorXd(h - engine.inverse(s.x, zero, s.wrenches)), force,
                 force_bound(model, MatrixXd::Zero(0, 0), zero, h.norm() + size));
  }
}

}  // namespace
}  // namespace limber::test
