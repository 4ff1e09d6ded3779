// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Measured order of every stepper, on a flexible tree with free, spherical, universal and revolute joints.
#include "fixtures.hpp"
#include "support/no_alloc.hpp"

namespace limber::test {
namespace {

constexpr double kEnd = 0.5;

struct Problem {
  Model model;
  State start;
  Inputs inputs;
  VectorXd q, v;  // converged
};

const Problem& problem() {
  static const Problem made = [] {
    TreeSpec spec;
    spec.damping = 0.02;
    spec.gravity = {0, 0, -9.81};
    Problem p{make_tree(spec), {}, {}, {}, {}};
    p.start = make_state(p.model);
    p.inputs.speeds.push_back({p.model.joints[2].v, Signal::sine(3, 2, 0.3, 1), "torque"});
    WrenchInput push{{3, 1}, Frame::node, {}, "push"};
    push.wrench[4] = Signal::expression("2*exp(-t)");
    p.inputs.wrenches.push_back(push);
    SolverOptions solver = tight();
    solver.rtol = 3e-14;
    solver.atol = 1e-15;
    const Outcome out = run(p.model, p.inputs, solver, p.start, kEnd);
    p.q = out.seen.q.back();
    p.v = out.seen.v.back();
    return p;
  }();
  return made;
}

double error(const SolverOptions& solver, long* evaluations = nullptr) {
  const Problem& p = problem();
  const Outcome out = run(p.model, p.inputs, solver, p.start, kEnd);
  if (evaluations != nullptr) *evaluations = out.result.counts.evaluations;
  return distance(p.model, out.seen.q.back(), p.q) + (out.seen.v.back() - p.v).norm();
}

// The smallest and the largest slope of the error over three halvings of the step.
void expect_order(SolverOptions solver, double first_step, double order, double below, double above) {
  double before = 0;
  for (int k = 0; k < 4; ++k) {
    solver.step = solver.max_step = first_step / (1 << k);
    const double now = error(solver);
    if (k > 0) {
      EXPECT_GT(std::log2(before / now), order - below) << solver.method << " step " << solver.step << " " << now;
      EXPECT_LT(std::log2(before / now), order + above) << solver.method << " step " << solver.step << " " << now;
    }
    before = now;
  }
}

TEST(Order, Rk4IsOfOrderFour) { expect_order(fixed("rk4", 0), kEnd / 60, 4, 0.25, 0.6); }

// With tolerances that accept every step, all steps have the maximum length.
TEST(Order, Dopri5IsOfOrderFive) {
  SolverOptions solver;
  solver.rtol = solver.atol = 1e3;
  expect_order(solver, kEnd / 100, 5, 0.35, 0.7);
}

TEST(Order, ImplicitIsOfOrderTwoForEveryDissipation) {
  for (const double rho : {1.0, 0.8, 0.5, 0.0}) {
    SCOPED_TRACE(rho);
    SolverOptions solver = fixed("implicit", 0);
    solver.rho_inf = rho;
    solver.passes = 3;
    expect_order(solver, kEnd / 200, 2, 0.15, 0.3);
  }
}

TEST(Order, OneImplicitPassHasOrderTwo) {
  SolverOptions solver = fixed("implicit", 0);
  solver.passes = 1;
  expect_order(solver, kEnd / 400, 2, 0.25, 0.5);
}

// Adaptive methods: the error follows the tolerance over five decades.
TEST(Order, ErrorFollowsTheTolerance) {
  for (const char* method : {"dopri5", "cvode"}) {
    SolverOptions solver;
    solver.method = method;
    for (const char* formula : {"bdf", "adams"}) {
      solver.formula = formula;
      for (double tolerance = 1e-5; tolerance > 1e-11; tolerance /= 100) {
        solver.rtol = tolerance;
        solver.atol = tolerance / 10;
        double e = 0;
        try {
          e = error(solver);
        } catch (const InputError& missing) {
          GTEST_SKIP() << missing.what();
        }
        EXPECT_LT(e, 3e3 * tolerance) << method << " " << formula;
        EXPECT_GT(e, 1e-4 * tolerance) << method << " " << formula;  // no excessive work
      }
    }
  }
}

// Between the steps: dense output of order four, so that its error falls 16 times (32 locally) when steps are halved.
TEST(Order, DenseOutputIsOfOrderFour) {
  const Problem& p = problem();
  const double every = kEnd / 97;
  const Outcome exact = run(
      p.model, p.inputs,
      [] {
        SolverOptions o = tight();
        o.max_step = kEnd / 2000;
        return o;
      }(),
      p.start, kEnd, every);
  double before = 0;
  for (int k = 0; k < 3; ++k) {
    SolverOptions solver;
    solver.rtol = solver.atol = 1e3;
    solver.max_step = kEnd / (40 << k);
    const Outcome out = run(p.model, p.inputs, solver, p.start, kEnd, every);
    double worst = 0;
    for (std::size_t i = 0; i < out.seen.t.size(); ++i) {
      worst =
          std::max(worst, distance(p.model, out.seen.q[i], exact.seen.q[i]) + (out.seen.v[i] - exact.seen.v[i]).norm());
    }
    if (k > 0) {
      EXPECT_GT(std::log2(before / worst), 3.7) << worst;
    }
    before = worst;
  }
}

TEST(Steppers, NoAllocationAfterTheStart) {
  const Problem& p = problem();
  for (const std::string& name : stepper_names()) {
    if (name == "cvode") continue;
    SolverOptions solver;
    solver.method = name;
    System system(p.model, p.inputs);
    const auto stepper = make_stepper(system, solver);
    Motion m{p.start}, shown{p.start};
    ASSERT_EQ(stepper->start(m), Status::ok);
    ASSERT_EQ(stepper->step(1), Status::ok);
    NoAlloc guard;
    for (int k = 0; k < 10; ++k) {
      ASSERT_EQ(stepper->step(1), Status::ok);
      if (stepper->dense()) stepper->at(stepper->now().x.t, shown);
    }
  }
}

// The norm of quaternions drifts by rounding only, since steps are rotations.
TEST(Steppers, QuaternionsKeepTheirLength) {
  const Problem& p = problem();
  for (const char* name : {"rk4", "dopri5", "implicit"}) {
    SolverOptions solver = fixed(name, 1e-3);
    const Outcome out = run(p.model, p.inputs, solver, p.start, 2);
    for (int i = 1; i < p.model.body_count(); ++i) {
      const Joint& at = p.model.joints[i];
      if (position_count(at.kind) == speed_count(at.kind)) continue;
      EXPECT_NEAR(out.seen.q.back().segment<4>(at.q).norm(), 1, 1e-13) << name;
    }
  }
}

TEST(Steppers, TimesAreMetExactly) {
  const Problem& p = problem();
  for (const char* name : {"rk4", "dopri5", "implicit"}) {
    const Outcome out = run(p.model, p.inputs, fixed(name, 0.003), p.start, 0.25, 0.01);
    ASSERT_EQ(out.seen.t.size(), 26u) << name;
    for (int k = 0; k <= 25; ++k) EXPECT_EQ(out.seen.t[k], k == 25 ? 0.25 : k * 0.01) << name;
  }
}

TEST(Steppers, BadOptionsAreRefused) {
  const Problem& p = problem();
  System system(p.model, p.inputs);
  const auto refused = [&](auto change) {
    SolverOptions solver;
    change(solver);
    EXPECT_THROW((void)make_stepper(system, solver), InputError);
  };
  refused([](SolverOptions& o) { o.method = "euler"; });
  refused([](SolverOptions& o) { o.step = 0; });
  refused([](SolverOptions& o) { o.rtol = 0; });
  refused([](SolverOptions& o) { o.atol = -1; });
  refused([](SolverOptions& o) { o.rho_inf = 1.5; });
  refused([](SolverOptions& o) { o.passes = 0; });
  refused([](SolverOptions& o) { o.formula = "gear"; });
}

}  // namespace
}  // namespace limber::test
