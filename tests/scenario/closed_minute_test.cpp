// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The closed chains of the examples for a minute, with an explicit and an implicit method: the chains stay closed, the
// energy balance closes, and redundant constraints are reported once.
#include <gtest/gtest.h>

#include <algorithm>

#include "limber/scenario/scenario.hpp"

namespace limber::test {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr double kMinute = 3;  // s; sanitizers are slow
#else
constexpr double kMinute = 60;
#endif

struct Largest : RunListener {
  double closure_error = 0, closure_force = 0;
  void record(const Record& r) override {
    closure_error = std::max(closure_error, r.closure_errors.lpNorm<Eigen::Infinity>());
    closure_force = std::max(closure_force, r.closure_forces.lpNorm<Eigen::Infinity>());
  }
};

struct Minute {
  Largest seen;
  RunResult result;
};

Minute run_minute(const std::string& example, const SolverOptions& solver, double duration = kMinute) {
  Scenario scenario = read_scenario(std::string(LIMBER_SOURCE_DIR) + "/examples/" + example + "/scenario.yaml");
  System system(*scenario.model, scenario.inputs);
  Minute out;
  out.result = simulate(system, solver, {duration, 0.05}, scenario.initial, out.seen);
  EXPECT_EQ(out.result.status, Status::ok) << example << ": " << out.result.failure;
  EXPECT_NEAR(out.result.t, duration, 1e-9) << example;
  EXPECT_GT(out.seen.closure_force, 1) << example;
  EXPECT_LT(out.seen.closure_error, 1e-9) << example << " " << solver.method;
  const std::string name = example + "_" + solver.method;
  ::testing::Test::RecordProperty(name + "_error", std::to_string(1e12 * out.seen.closure_error) + "e-12");
  ::testing::Test::RecordProperty(name + "_balance",
                                  std::to_string(1e6 * out.result.energy_error / out.result.energy_scale) + "e-6");
  return out;
}

SolverOptions explicit_method(double rtol) {
  SolverOptions o;
  o.method = "dopri5";
  o.rtol = rtol;
  o.atol = 1e-3 * rtol;
  return o;
}
SolverOptions implicit_method(double step) {
  SolverOptions o;
  o.method = "implicit";
  o.step = step;
  return o;
}

// Number of `notes` that contain the text.
int count(const std::vector<std::string>& notes, const std::string& what) {
  int n = 0;
  for (const std::string& note : notes) n += note.find(what) != std::string::npos ? 1 : 0;
  return n;
}

// Energy balances: of the order of the method, relative to the largest energy or work; explicit methods follow the
// tolerance over a minute, implicit ones the square of the step times the excited frequencies.
TEST(ClosedMinute, FourBar) {
  const Minute explicitly = run_minute("four-bar", explicit_method(1e-7));
  EXPECT_LT(explicitly.result.energy_error, 1e-6 * explicitly.result.energy_scale);
  const Minute implicitly = run_minute("four-bar", implicit_method(5e-4));
  EXPECT_LT(implicitly.result.energy_error, 1e-3 * implicitly.result.energy_scale);
  for (const RunResult& result : {explicitly.result, implicitly.result}) {
    EXPECT_EQ(count(result.notes, "3 of 5 closure constraints are redundant"), 1);
  }
}

// Its axial mode keeps explicit steps short: a tenth of a minute.  A whole minute, run once: 9.9e-12.
TEST(ClosedMinute, SliderCrank) {
  const Minute explicitly = run_minute("slider-crank", explicit_method(1e-5), kMinute / 10);
  EXPECT_LT(explicitly.result.energy_error, 1e-4 * explicitly.result.energy_scale);
  const Minute implicitly = run_minute("slider-crank", implicit_method(2.5e-4));
  EXPECT_LT(implicitly.result.energy_error, 2e-2 * implicitly.result.energy_scale);
  EXPECT_EQ(count(implicitly.result.notes, "redundant"), 1);
}

// Implicit steps take twice the time of explicit ones: a tenth of a minute.  A whole minute, run once: 2.6e-13.
TEST(ClosedMinute, Stewart) {
  const Minute explicitly = run_minute("stewart", explicit_method(1e-5));
  EXPECT_LT(explicitly.result.energy_error, 1e-4 * explicitly.result.energy_scale);
  const Minute implicitly = run_minute("stewart", implicit_method(2e-3), kMinute / 10);
  EXPECT_LT(implicitly.result.energy_error, 1e-3 * implicitly.result.energy_scale);
  EXPECT_EQ(count(implicitly.result.notes, "redundant"), 0);
}

}  // namespace
}  // namespace limber::test
