// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Joint limits: none is penetrated undetected, and the energy balance closes.
#include <cstdlib>
#include <limits>
#include <random>

#include "fixtures.hpp"
#include "simulate/stop_events.hpp"

namespace limber::test {
namespace {

constexpr double kFree = std::numeric_limits<double>::infinity();
constexpr double kEarthGravity = 9.81;

// LIMBER_CASES sets the number of cases (scripts/stress).
int case_count(int usual) {
  const char* wish = std::getenv("LIMBER_CASES");
  return wish != nullptr ? std::atoi(wish) : usual;
}

// A mass on a vertical rail, or a pendulum of length 1 that hangs at q = 0.
Model make_thrown(bool pendulum, double mass, const JointStop& stop) {
  ModelBuilder builder("thrown");
  builder.gravity({0, 0, -kEarthGravity});
  RigidSpec spec;
  spec.mass = mass;
  spec.inertia = Matrix3d::Zero();
  if (pendulum) spec.com = {0, 0, -1};
  Joint way = joint("way", pendulum ? JointKind::revolute : JointKind::prismatic, kGround, kBodyFrame,
                    pendulum ? Vector3d::UnitY() : Vector3d::UnitZ());
  way.stop = stop;
  builder.add_joint(way, builder.add_body(named(make_rigid_body(spec), "mass")));
  return builder.build();
}

struct Seen : Kept {
  bool pushed = false;
  void record(const Record& r) override {
    Kept::record(r);
    pushed = pushed || r.stops[0] != 0;
  }
};

struct Throw {
  bool pendulum, hits;
  double speed, bound, contact, flight;
};

// Up to the top, slightly beyond the stop, which is at the fraction `share` of the path below the top; negative: above
// it.
Throw make_throw(bool pendulum, double speed, double share) {
  Throw out{pendulum, share > 0, speed, 0, 0, 0};
  if (!pendulum) {
    out.bound = (1 - share) * speed * speed / (2 * kEarthGravity);
    out.flight = 2 * speed / kEarthGravity;
    if (out.hits) out.contact = (speed - std::sqrt(speed * speed - 2 * kEarthGravity * out.bound)) / kEarthGravity;
    return out;
  }
  // sin(q / 2) = k sn(w t, k) with k = speed / 2 w.  [Whittaker, Analytical Dynamics, §44]
  const double w = std::sqrt(kEarthGravity), k = speed / (2 * w);
  out.bound = (1 - share) * 2 * std::asin(k);
  out.flight = 2 * std::comp_ellint_1(k) / w;
  if (out.hits) out.contact = std::ellint_1(k, std::asin(std::sin(out.bound / 2) / k)) / w;
  return out;
}

// Relative errors of the position at the top, of parabola and pendulum: throws that end closer to the stop are not
// distinguishable from a miss.
struct Method {
  const char* name;
  double step;  // relative to the duration
  double errors[2];
  double energy;  // relative error of the energy balance
};
constexpr Method kMethods[] = {{"dopri5", 0, {1e-12, 1e-9}, 1e-8},
                               {"rk4", 0.01, {1e-12, 1e-9}, 1e-3},
                               {"implicit", 2e-3, {1e-12, 3e-6}, 1e-4},
                               {"cvode", 0, {1e-9, 1e-7}, 1e-2}};

// Dissipation never decreases.  cvode does not control the error of its integral.
void expect_rising(const Kept& seen, const std::string& method) {
  const double allowed = method == "cvode" ? 1e-4 * (seen.kinetic[0] + seen.dissipated.back()) : 0;
  for (std::size_t i = 1; i < seen.dissipated.size(); ++i) {
    EXPECT_GE(seen.dissipated[i], seen.dissipated[i - 1] - allowed) << method << " at t = " << seen.t[i];
  }
}

}  // namespace

// Thrown such that the top is slightly beyond a stop, or slightly below it.
TEST(Stops, NoGrazingThrowMissesOne) {
  std::mt19937 dice(7);
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(dice); };
  int hits = 0;
  for (int k = 0, count = case_count(120); k < count; ++k) {
    const Method& method = kMethods[k % 4];
    const bool pendulum = k % 8 >= 4;
    const double error = method.errors[pendulum ? 1 : 0];
    const double share = std::pow(10, uniform(std::log10(10 * error), -1)) * (uniform(0, 1) < 0.8 ? 1 : -1);
    const Throw way = make_throw(pendulum, uniform(0.5, pendulum ? 5 : 20), share);
    SolverOptions solver;
    solver.method = method.name;
    solver.rtol = 1e-10;
    solver.atol = 1e-12;
    solver.step = (pendulum && method.step > 0 ? method.step : uniform(0.05, 0.7)) * way.flight;
    // A stop resolved by the steps.
    const double mass = uniform(0.1, 10), w = uniform(0.1, 0.5) / (method.step > 0 ? solver.step : 1e-3 * way.flight);
    const double damping = k % 3 == 0 ? 0 : uniform(0, 1) * 2 * mass * w;
    const Model model = make_thrown(pendulum, mass, {-kFree, way.bound, mass * w * w, damping});
    State start = make_zero_state(model);
    start.v[0] = way.speed;
    System system(model, {});
    Seen seen;
    const RunResult result = simulate(system, solver, {0.9 * way.flight, 0.003 * way.flight}, start, seen);
    const std::string what =
        std::to_string(k) + " " + method.name + (pendulum ? " pendulum" : " rail") + ", share " + std::to_string(share);
    ASSERT_EQ(result.status, Status::ok) << what;
    EXPECT_LT(result.energy_error, method.energy * 0.5 * mass * way.speed * way.speed) << what;
    if (way.hits) {
      ++hits;
      double nearest = kFree;  // a step ends at the contact
      for (const double t : seen.steps) nearest = std::min(nearest, std::abs(t - way.contact));
      // The error of the contact time is that of the position over the speed there.
      const double height = pendulum ? 2 * std::pow(std::sin(way.bound / 2), 2) : way.bound;
      const double rate = std::sqrt(way.speed * way.speed - 2 * kEarthGravity * height);
      EXPECT_LT(nearest, error * way.bound / rate + 1e-13 * way.flight) << what;
    } else {
      EXPECT_FALSE(seen.pushed) << what;
    }
    expect_rising(seen, method.name);
  }
  EXPECT_GT(hits, 0);
}

// A maximum on a subinterval that samples would miss.
TEST(Stops, APolynomialIsBoundedBetweenSamples) {
  const double level = 1e-12;
  // 1e-9 - (x - 1/3)^2 is above zero for 6.3e-5 of the interval.
  Bernstein p{2, {1e-9 - 1.0 / 9, 1e-9 + 2.0 / 9, 1e-9 - 4.0 / 9}};
  EXPECT_NEAR(first_rise(p, 0, 1, level), 1.0 / 3 - std::sqrt(1e-9 - level), 1e-9);
  for (double& c : p.c) c -= 2e-9;
  EXPECT_EQ(first_rise(p, 0, 1, level), kFree);
  EXPECT_EQ(first_rise({3, {0, 0, 0, 0}}, 0, 1, level), kFree);
  EXPECT_EQ(first_rise({1, {2 * level, 0}}, 3, 4, level), 3);
}

// The spring is compressed from the beginning: the energy it releases is not negative dissipation.
TEST(Stops, AStartInsideOfOneHasItsEnergy) {
  const Model model = make_thrown(false, 2, {-kFree, -1, 1e4, 50});
  State start = make_zero_state(model);
  start.q[0] = -0.9;
  for (const char* method : {"dopri5", "rk4", "implicit", "cvode"}) {
    SolverOptions solver = fixed(method, 1e-4);
    solver.rtol = solver.atol = 1e-9;
    const Outcome out = run(model, {}, solver, start, 0.5, 0.001);
    EXPECT_NEAR(out.seen.potential[0], 50 - 2 * kEarthGravity * 0.9, 1e-9) << method;
    expect_rising(out.seen, method);
    EXPECT_LT(out.result.energy_error, 50 * (std::string(method) == "cvode" ? 1e-3 : 1e-5)) << method;
    ASSERT_EQ(out.result.notes.size(), 1u);
    EXPECT_NE(
        out.result.notes[0].find("joint 'way' starts 0.1 m beyond its upper limit of -1, where its stop holds 50 J"),
        std::string::npos)
        << out.result.notes[0];
  }
}

// Without event detection: the energy of an inactive stop is missing in the balance, not dissipated.
TEST(Stops, AContactThatIsMissedShowsInTheLedger) {
  const Model model = make_thrown(false, 2, {-kFree, 1, 1e4, 0});
  System system(model, {});
  Motion m{make_zero_state(model)};
  m.x.v[0] = 10;
  const double before = system.energy(m.x).kinetic + system.energy(m.x).potential();
  const auto stepper = make_stepper(system, fixed("rk4", 1e-2));
  ASSERT_EQ(stepper->start(m), Status::ok);
  while (stepper->now().x.q[0] < 1.2) ASSERT_EQ(stepper->step(1), Status::ok);
  const Motion& now = stepper->now();
  const Energy energy = system.energy(now.x);
  const double depth = now.x.q[0] - 1;
  EXPECT_NEAR(energy.kinetic + energy.potential() - before - now.work + now.dissipated, 0.5e4 * depth * depth, 1e-9);
  EXPECT_EQ(now.dissipated, 0);
}

// A prescribed motion through a stop: its work supplies the energy of spring and damper.
TEST(Stops, PrescribedMotionsMeetThem) {
  const Model model = make_thrown(false, 2, {-0.999, 0.999, 1e4, 30});
  Inputs inputs;
  inputs.motions.push_back({1, {Signal::expression("sin(7*t)")}, "motion"});
  // Time beyond each stop, and the dissipation: c int v^2 during contact, and the recoil of the spring.
  const double in = std::asin(0.999) / 7;
  for (const char* method : {"dopri5", "rk4", "implicit", "cvode"}) {
    SolverOptions solver = fixed(method, 2e-3);
    solver.max_step = 2e-3;  // no other bound: all coordinates are prescribed
    const Outcome out = run(model, inputs, solver, make_zero_state(model), 5, 0.001);
    double nearest = kFree;
    for (const double t : out.seen.steps) nearest = std::min(nearest, std::abs(t - in));
    EXPECT_LT(nearest, 1e-7) << method;
    EXPECT_GT(out.seen.dissipated.back(), 0) << method;
    expect_rising(out.seen, method);
    EXPECT_LT(out.result.energy_error, (std::string(method) == "cvode" ? 2e-2 : 1e-4) * out.seen.kinetic[0]) << method;
  }
}

// Separates faster than the damped spring can follow, is pushed back, and meets the spring at its current position.
TEST(Stops, ARecoilingSpringCanBeMetAgain) {
  const Model model = make_thrown(false, 2, {-kFree, 0, 200, 120});  // overdamped
  Inputs inputs;
  inputs.speeds.push_back({0, Signal::expression("20 + 160*sin(30*t)"), "push"});
  for (const char* method : {"dopri5", "rk4", "implicit", "cvode"}) {
    SolverOptions solver = fixed(method, 1e-4);
    solver.rtol = solver.atol = 1e-10;
    const Outcome out = run(model, inputs, solver, make_zero_state(model), 3, 0.001);
    int recoils = 0;
    for (std::size_t i = 1; i < out.seen.t.size(); ++i) {
      EXPECT_LE(out.seen.stop[i][0], 1e-9) << method;
      recoils += static_cast<int>(out.seen.q[i][0] > 1e-9 && out.seen.stop[i][0] == 0);
    }
    expect_rising(out.seen, method);
    EXPECT_GT(recoils, 10) << method;
    EXPECT_LT(out.result.energy_error, (std::string(method) == "cvode" ? 1e-5 : 1e-6) * out.seen.dissipated.back())
        << method;
  }
}

// Steps that do not resolve the impact may lose energy, but must not gain any.
TEST(Stops, ImplicitStepsGainNothingFromStiffOnes) {
  const double height = 0.5, energy = kEarthGravity * height;
  for (const double rho : {1.0, 0.9, 0.5, 0.0}) {
    for (const double damping : {0.0, 1e2, 1e4, 1e6}) {
      for (const double stiffness : {1e6, 1e9, 1e12}) {
        const Model model = make_thrown(false, 1, {0, kFree, stiffness, damping});
        State x = make_zero_state(model);
        x.q[0] = height;
        SolverOptions solver = fixed("implicit", 0.01);
        solver.rho_inf = rho;
        const Outcome out = run(model, {}, solver, x, 2, 0.01);
        double most = 0;
        for (std::size_t i = 0; i < out.seen.t.size(); ++i)
          most = std::max(most, out.seen.kinetic[i] + out.seen.potential[i]);
        EXPECT_LT(most, energy * (1 + 1e-6)) << rho << " " << damping << " " << stiffness;
      }
    }
  }
}

}  // namespace limber::test
