// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The matrix of an implicit step, M + c_D D + c_K K, and impulses, against dense matrices.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "support/close.hpp"
#include "support/engine.hpp"
#include "support/no_alloc.hpp"
#include "support/random_tree.hpp"

namespace limber::test {
namespace {

TreeOptions implicit_options(std::uint64_t seed) {
  TreeOptions o;
  o.bodies = 1 + static_cast<int>(seed % 9);
  o.modes = static_cast<int>(seed % 11);
  o.fidelity = static_cast<Fidelity>(seed % 3);
  o.chain = seed % 3 == 0;
  o.beams = 0.3;
  return o;
}

// Damping and stiffness of modes and joints, as used by the recursion.
MatrixXd added_terms(const Model& model, double c_D, double c_K, const VectorXd& more) {
  MatrixXd A = more.asDiagonal();
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    for (int k = 0; k < speed_count(joint.kind); ++k) {
      A(joint.v + k, joint.v + k) += c_D * joint.damping[k] + c_K * joint.stiffness[k];
    }
    const Body& body = model.body(i);
    if (body.modes == 0) continue;
    const int at = model.first_mode(i);
    A.block(at, at, body.modes, body.modes) += c_K * body.stiffness;
    if (body.damping.size() > 0) A.block(at, at, body.modes, body.modes) += c_D * body.damping;
  }
  return A;
}

TEST(ImplicitStep, SolvesWithStiffnessAndDampingInTheMassMatrix) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const auto choice = seed % 2 == 0 ? Elimination::active : Elimination::all_modes;
    const Model model = make_model(random_machine(implicit_options(seed), seed), choice);
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    VectorXd more = VectorXd::Zero(model.nv);
    for (int i = 1; i < model.body_count(); ++i) {
      for (int k = 0; k < speed_count(model.joints[i].kind); ++k) more[model.joints[i].v + k] = 0.1 * (k + 1);
    }
    const double c_D = 0.3, c_K = 0.2;
    const MatrixXd M = engine.mass(s.x), A = added_terms(model, c_D, c_K, more);
    // M vdot = tau - h, so that (M + A) a = M vdot + A a0 with the guess a0.
    const VectorXd free = engine.forward(s.x, s.tau, s.wrenches), guess = s.vdot;
    const VectorXd expected = (M + A).partialPivLu().solve(M * free + A * guess);
    AbaWorkspace ws(model);
    set_implicit(model, 2 * c_D, 3 * c_K, more, ws);  // the second call must forget the first
    set_implicit(model, c_D, c_K, more, ws);
    VectorXd a(model.nv), tau = s.tau;
    Status status{};
    {
      NoAlloc guard;
      add_implicit_force(model, ws, guess, tau);
      status = aba(model, s.x, {tau, s.wrenches}, ws, a);
    }
    ASSERT_EQ(status, Status::ok) << describe(implicit_options(seed), seed);
    EXPECT_CLOSE(tau - s.tau, A * guess, 1e-12 * (1 + A.norm() * guess.norm()));
    EXPECT_CLOSE(a, expected, 1e-9 * (1 + expected.norm() + free.norm())) << describe(implicit_options(seed), seed);
  }
}

TEST(Impulse, GivesPrescribedJointsTheirSpeedsAndOthersNoImpulse) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Model model = make_model(random_machine(implicit_options(seed), seed));
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    std::vector<std::uint8_t> prescribed(model.body_count(), 0);
    for (int i = 1; i < model.body_count(); ++i) prescribed[i] = i % 2;
    AbaWorkspace ws(model);
    VectorXd dv = s.vdot;
    ASSERT_EQ(hybrid_impulse(model, s.x, prescribed, ws, dv), Status::ok);
    const MatrixXd M = engine.mass(s.x);
    const VectorXd impulse = M * dv;
    for (int i = 1; i < model.body_count(); ++i) {
      for (int k = model.joints[i].v; k < model.first_mode(i) + model.body(i).modes; ++k) {
        const bool given = prescribed[i] != 0 && k < model.first_mode(i);
        if (given) {
          EXPECT_EQ(dv[k], s.vdot[k]);
        } else {
          EXPECT_NEAR(impulse[k], 0, 1e-11 * (1 + M.norm() * dv.norm())) << describe(implicit_options(seed), seed);
        }
      }
    }
  }
}

}  // namespace
}  // namespace limber::test
