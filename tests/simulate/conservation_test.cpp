// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Invariants of a run: momentum, the energy balance.
#include "fixtures.hpp"
#include "support/no_alloc.hpp"

namespace limber::test {
namespace {

double drift(const std::vector<Momentum>& momentum, bool linear) {
  const auto pick = [&](const Momentum& m) { return linear ? m.linear : m.angular; };
  double worst = 0;
  for (const Momentum& m : momentum) worst = std::max(worst, (pick(m) - pick(momentum[0])).norm());
  return worst / pick(momentum[0]).norm();
}

// A free-floating flexible tree without damping, for 100 s.
TEST(Conservation, MomentumAndEnergyOfAFreeFloatingTree) {
  for (const Fidelity fidelity : {Fidelity::full, Fidelity::stiffened}) {
    TreeSpec spec;
    spec.fidelity = fidelity;
    const Model model = make_tree(spec);
    const double duration = kNoAllocWorks && fidelity == Fidelity::full ? 100 : 10;  // sanitizers are slow
    const Outcome out = run(model, {}, tight(), make_state(model, 0.5), duration, duration / 100);
    EXPECT_LT(drift(out.seen.momentum, true), 1e-10) << to_string(fidelity);
    EXPECT_LT(drift(out.seen.momentum, false), 1e-10) << to_string(fidelity);
    EXPECT_LT(out.result.energy_error, 1e-8 * out.seen.kinetic[0]) << to_string(fidelity);
  }
}

// With all sources and sinks of energy: torque, prescribed motion with a jump of its speed, follower force, modal
// force, gravity in addition to the model's, damping, springs and stops.
TEST(Conservation, TheLedgerClosesWithEveryInput) {
  TreeSpec spec;
  spec.damping = 0.03;
  spec.gravity = {0, 0, -9.81};
  spec.base = JointKind::fixed;
  Model model = make_tree(spec);
  Inputs inputs;
  inputs.speeds.push_back({model.joints[3].v + 1, Signal::sine(2, 1.5, 0, 0.5), "torque"});
  inputs.speeds.push_back({model.first_mode(2), Signal::expression("3*cos(4*t)"), "modal"});
  inputs.motions.push_back(
      {2, {Signal::pieces({{0.7, Signal::expression("0.4 + 0.5*t^2")}, {0, Signal(0.645)}})}, "m"});
  WrenchInput push{{3, 1}, Frame::node, {}, "push"};
  push.wrench[1] = Signal(0.5);
  push.wrench[5] = Signal::pieces({{0.5, Signal(2.0)}, {0, Signal(-4.0)}});
  inputs.wrenches.push_back(push);
  GravityInput shake;
  shake.gravity[0] = Signal::sine(3, 0.7, 0, 0);
  inputs.gravities.push_back(shake);
  State start = make_state(model, 0.3);
  start.q[model.joints[2].q] = 0.4;
  start.v[model.joints[2].v] = 0;
  const Outcome out = run(model, inputs, tight(), start, 2, 0.05);
  EXPECT_LT(out.result.energy_error, 1e-9 * out.result.energy_scale);
  EXPECT_GT(out.seen.dissipated.back(), 0.1);
  EXPECT_GT(std::abs(out.seen.work.back()), 0.1);
}

// The energy balance closes with each kind of input alone.
TEST(Conservation, FixedStepsCloseTheLedgerWithTheirOrder) {
  TreeSpec spec;
  spec.damping = 0.03;
  spec.gravity = {0, 0, -9.81};
  const Model model = make_tree(spec);
  Inputs inputs;
  inputs.speeds.push_back({model.joints[2].v, Signal::sine(2, 1.5, 0, 0.5), "torque"});
  const auto error = [&](const char* method, double step) {
    return run(model, inputs, fixed(method, step), make_state(model), 1, 0.1).result.energy_error;
  };
  EXPECT_NEAR(std::log2(error("rk4", 4e-3) / error("rk4", 2e-3)), 4, 1.2);
  EXPECT_NEAR(std::log2(error("implicit", 2e-3) / error("implicit", 1e-3)), 2, 0.3);
}

// theory §5: the implicit step at ten times the period of the stiffest mode: energy is bounded, without drift.
TEST(Conservation, ImplicitHoldsEnergyAtStepsBeyondTheStiffestPeriod) {
  TreeSpec spec;
  spec.modes = {1, 1, 2, 0};
  spec.stiffness = 400;
  const Model model = make_tree(spec);
  // The stiffest mode: mass-normalised, so omega^2 is the stiffness.
  double stiffest = 0;
  for (int i = 1; i < model.body_count(); ++i) {
    if (model.body(i).modes > 0) stiffest = std::max(stiffest, model.body(i).stiffness.diagonal().maxCoeff());
  }
  const double period = 2 * M_PI / std::sqrt(stiffest);
  // Joints move, modes start from rest.
  State start = make_state(model, 0.5);
  for (int i = 1; i < model.body_count(); ++i) {
    start.q.segment(model.first_mode_q(i), model.body(i).modes).setZero();
    start.v.segment(model.first_mode(i), model.body(i).modes).setZero();
  }
  const Outcome out = run(model, {}, fixed("implicit", 10 * period), start, 100, 0.5);
  const auto largest = [&](std::size_t begin, std::size_t end) {
    double worst = 0;
    for (std::size_t i = begin; i < end; ++i) worst = std::max(worst, std::abs(out.seen.balance[i]));
    return worst / out.seen.kinetic[0];
  };
  // 1.0e-4 in each quarter of the time.
  const std::size_t n = out.seen.balance.size();
  EXPECT_LT(largest(0, n), 3e-4);
  EXPECT_LT(largest(3 * n / 4, n), 2 * largest(0, n / 4));
}

}  // namespace
}  // namespace limber::test
