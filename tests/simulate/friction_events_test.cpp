// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Friction whose level varies comes to rest: its events are located, and advance time.
#include <random>

#include "one_joint.hpp"
#include "simulate/friction_forces.hpp"
#include "simulate/stop_events.hpp"
#include "support/repetitions.hpp"

namespace limber::test {
namespace {

// On a step of 1 ns, positions rounded to 1e-17 give no velocity; those of the ends do.
TEST(HermiteRate, IsNotDestroyedByRoundingOnShortSteps) {
  for (const double h : {1e-15, 1e-12, 1e-9}) {
    const double q = 0.16, v = -2e-7;
    const Bernstein rate = hermite_rate(h, q, q + h * v, v, 1.1 * v);
    for (int i = 0; i <= 3; ++i) EXPECT_NEAR(rate.c[i], v, 0.11 * std::abs(v)) << h << " " << i;
  }
  // q = t^3 on [0, 2]: 3 t^2 has the Bernstein coefficients 0, 0, 4, 12.
  const Bernstein rate = hermite_rate(2, 0, 8, 0, 12);
  EXPECT_NEAR(rate.c[1], 0, 1e-15);
  EXPECT_NEAR(rate.c[2], 4, 1e-15);
}

// a = t - 1 rises at 1; b = (t - 2)(t - 3) is above zero before 2 and after 3.
TEST(FirstRiseOfBoth, FindsTheFirstCommonTime) {
  const Bernstein a{2, {-1, 1, 3}}, b{2, {6, -4, 2}};  // on [0, 4]
  EXPECT_NEAR(first_rise_of_both(a, 0, b, 0, 0, 4), 1, 1e-14);
  EXPECT_NEAR(first_rise_of_both(a, 1.5, b, 0, 0, 4), 3, 1e-14);
  EXPECT_EQ(first_rise_of_both(a, 1.5, b, 2.5, 0, 4), std::numeric_limits<double>::infinity());
}

TEST(EventWatch, NoticesThatTimeStands) {
  EventWatch watch;
  watch.start(1e-9);
  for (int k = 0; k < EventWatch::kMost; ++k) EXPECT_FALSE(watch.stalls(5 + k * 1e-15));
  EXPECT_TRUE(watch.stalls(5));
  watch.start(1e-9);
  for (int k = 0; k < 3 * EventWatch::kMost; ++k) EXPECT_FALSE(watch.stalls(5 + k * 1e-12));
}

// A mass on a rail with friction and a lossy elastic gear.
struct Lossy {
  double mass = 6, coulomb = 9, rotor = 4e-5, ratio = 100, stiffness = 5000, damping = 1, efficiency = 0.9;
  double speed = 0.5, motor_speed = 50, torque = 0.05;
  Model model() const {
    OneJoint with;
    with.kind = JointKind::prismatic;
    with.inertia = mass;
    with.friction = JointFriction{};
    with.friction->coulomb = with.friction->breakaway = coulomb;
    with.drive = elastic(ratio, rotor, stiffness, damping);
    with.drive->efficiency = efficiency;
    return make_one_joint(with);
  }
  RunResult run(const SolverOptions& solver, Kept& kept) const {
    const Model one = model();
    State x = make_zero_state(one);
    x.v << speed, motor_speed;
    Inputs inputs;
    inputs.speeds.push_back(push(1, Signal::pieces({{1, Signal(torque)}, {0, Signal(0.0)}})));
    System system(one, inputs);
    return simulate(system, solver, {2, 0.5}, x, kept);
  }
};

TEST(LossyGears, ComeToRestAgainstFriction) {
  Kept reference;
  ASSERT_EQ(Lossy{}.run(method("dopri5"), reference).status, Status::ok);
  for (const auto& [name, step] : {std::pair{"implicit", 5e-4}, {"implicit", 1e-4}, {"rk4", 5e-4}, {"rk4", 2e-4}}) {
    Kept kept;
    const RunResult result = Lossy{}.run(method(name, step), kept);
    ASSERT_EQ(result.status, Status::ok) << result.failure;
    EXPECT_LT(result.counts.steps, 1.1 * 2 / step) << name;  // few steps end at events
    EXPECT_NEAR(kept.q.back()[0], reference.q.back()[0], 2e-6) << name;
  }
}

// The load of a gear at its limit goes: it slides without sticking again at once.
TEST(LossyGears, NoRunStalls) {
  std::mt19937 random(4);
  const auto among = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  for (int k = 0; k < repetitions(40, 6); ++k) {
    Lossy lossy;
    lossy.mass = among(1, 10);
    lossy.coulomb = among(1, 20);
    lossy.rotor = k % 2 == 0 ? 4e-5 : 4e-4;
    lossy.ratio = k % 3 == 0 ? 100 : 10;
    lossy.stiffness = 500 * std::pow(10, k % 4 / 1.5);
    lossy.damping = k % 5 == 0 ? 0 : among(0, 30);
    lossy.efficiency = among(0.5, 0.98);
    lossy.speed = among(-1, 1);
    lossy.motor_speed = among(-50, 50);
    lossy.torque = among(0, 0.1);
    for (const char* name : {"implicit", "rk4"}) {
      Kept kept;
      const RunResult result = lossy.run(method(name, 5e-4), kept);
      EXPECT_EQ(result.status, Status::ok) << k << name << ": " << result.failure;
      EXPECT_LT(result.counts.steps, 20000) << k << name;  // 4000, and those of an undamped rotor at its gear
    }
  }
}

// Tears the friction off its anchor after every step.
struct Tearing : Kept {
  System& system;
  explicit Tearing(System& torn) : system(torn) {}
  bool go_on(double t, const StepCounts&) override {
    if (t < 0.3) return true;
    FrictionContact& contact = system.friction()->contacts[0];
    contact.phase = FrictionContact::Phase::stick;
    contact.anchor = -1;
    return true;
  }
};

TEST(TimeLoop, EndsWhereEventsDoNotAdvanceTime) {
  OneJoint with;
  with.kind = JointKind::prismatic;
  with.friction = JointFriction{};
  with.friction->coulomb = with.friction->breakaway = 9;
  const Model model = make_one_joint(with);
  for (const char* name : {"implicit", "rk4"}) {
    System system(model, {});
    Tearing torn(system);
    const RunResult result = simulate(system, method(name), {1, 0.1}, make_zero_state(model), torn);
    EXPECT_EQ(result.status, Status::no_convergence) << name;
    EXPECT_EQ(result.failure.rfind("the motion does not get past t = 0.3", 0), 0u) << result.failure;
    EXPECT_NE(result.failure.find("the friction of joint 'elbow'"), std::string::npos) << result.failure;
    EXPECT_GE(torn.t.size(), 3u) << name;  // what was recorded is kept
  }
}

}  // namespace
}  // namespace limber::test
