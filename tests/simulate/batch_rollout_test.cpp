// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rollouts of batches against the steppers.
#include <gtest/gtest.h>

#include "limber/dynamics/batch.hpp"
#include "limber/simulate/stepper.hpp"
#include "support/long_chains.hpp"
#include "support/mixed_trees.hpp"

namespace limber::test {
namespace {

// q and v after a number of steps of a stepper.
State stepped(const Model& model, const State& start, const VectorXd& tau, const SolverOptions& options, int steps) {
  System system(model, {});
  system.set_control_torques(tau);
  const auto stepper = make_stepper(system, options);
  EXPECT_EQ(stepper->start({start}), Status::ok);
  for (int i = 1; i <= steps; ++i) EXPECT_EQ(stepper->step(1e9), Status::ok);
  return stepper->now().x;
}

TEST(BatchRollout, IsThatOfTheSteppers) {
  for (std::uint64_t seed = 1; seed <= 36; ++seed) {
    const Model model = make_model(random_machine(mixed_tree(seed, 6), seed));
    if (model.nv == 0) continue;
    const int items = 3, steps = 7;
    for (const char* method : {"rk4", "implicit"}) {
      for (const int lanes : batch_lanes()) {
        BatchArray q(model.nq, items), v(model.nv, items), tau(model.nv, items);
        std::vector<State> expected;
        SolverOptions solver;
        solver.method = method, solver.step = 2e-3, solver.rho_inf = seed % 2 == 0 ? 1 : 0.7;
        for (int k = 0; k < items; ++k) {
          const Sample s = random_sample(model, 100 * seed + static_cast<std::uint64_t>(k));
          q.col(k) = s.x.q, v.col(k) = s.x.v, tau.col(k) = s.tau;
          expected.push_back(stepped(model, s.x, s.tau, solver, steps));
        }
        BatchAba batch(model, items, {.threads = 1, .lanes = lanes});
        BatchArray q2 = q, v2 = v;
        RolloutOptions options;
        options.method = method, options.step = 2e-3, options.steps = steps, options.rho_inf = solver.rho_inf;
        batch.rollout(options, q, v, tau);
        // The same forces, given step by step.
        BatchArray each(steps * model.nv, items);
        for (int i = 0; i < steps; ++i) each.middleRows(i * model.nv, model.nv) = tau;
        batch.rollout(options, q2, v2, each);
        EXPECT_EQ(q, q2);
        EXPECT_EQ(v, v2);
        for (int k = 0; k < items; ++k) {
          SCOPED_TRACE(std::string(method) + ", lanes " + std::to_string(lanes) + ", " +
                       describe(mixed_tree(seed, 6), seed));
          EXPECT_EQ(batch.status()[k], Status::ok);
          EXPECT_LE((q.col(k) - expected[k].q).norm(), 1e-10 * (1 + expected[k].q.norm()));
          EXPECT_LE((v.col(k) - expected[k].v).norm(), 1e-9 * (1 + expected[k].v.norm()));
        }
      }
    }
  }
}

// lanes = 1 uses the order of operations of a device: each acceleration updates its coordinates at once.
TEST(BatchRollout, OfChainsIsThatOfTheSteppers) {
  const std::array<int, 4> all[] = {{2, 2, 0, 1}, {4, 4, 0, 2}, {0, 0, 0, 0}};
  for (int machine = 0; machine < 6; ++machine) {
    const Model model = long_chain(4, all[machine % 3], machine % 2 == 1, machine >= 3);
    const int steps = 5;
    for (const char* method : {"rk4", "implicit"}) {
      SCOPED_TRACE(std::string(method) + ", machine " + std::to_string(machine));
      const Sample s = random_sample(model, 40 + static_cast<std::uint64_t>(machine));
      SolverOptions solver;
      solver.method = method, solver.step = 1e-5, solver.rho_inf = machine % 2 == 0 ? 1 : 0.6;  // the beams are stiff
      // forces that change after each step
      State expected = s.x;
      BatchArray q = s.x.q, v = s.x.v, tau(steps * model.nv, 1);
      System system(model, {});
      system.set_control_torques(s.tau);
      const auto stepper = make_stepper(system, solver);
      ASSERT_EQ(stepper->start({s.x}), Status::ok);
      for (int i = 0; i < steps; ++i) {
        const VectorXd force = (1 + 0.5 * i) * s.tau;
        tau.middleRows(i * model.nv, model.nv) = force;
        system.set_control_torques(force);
        ASSERT_EQ(stepper->step(1e9), Status::ok);
      }
      expected = stepper->now().x;
      RolloutOptions options;
      options.method = method, options.step = solver.step, options.steps = steps, options.rho_inf = solver.rho_inf;
      BatchAba batch(model, 1, {.threads = 1, .lanes = 1});
      batch.rollout(options, q, v, tau);
      EXPECT_EQ(batch.status()[0], Status::ok);
      EXPECT_LE((q.col(0) - expected.q).norm(), 1e-10 * (1 + expected.q.norm()));
      EXPECT_LE((v.col(0) - expected.v).norm(), 1e-9 * (1 + expected.v.norm()));
      // held forces, steps in one call
      BatchArray held_q = s.x.q, held_v = s.x.v;
      const State held = stepped(model, s.x, s.tau, solver, steps);
      batch.rollout(options, held_q, held_v, s.tau);
      EXPECT_LE((held_q.col(0) - held.q).norm(), 1e-10 * (1 + held.q.norm()));
      EXPECT_LE((held_v.col(0) - held.v).norm(), 1e-9 * (1 + held.v.norm()));
    }
  }
}

}  // namespace
}  // namespace limber::test
