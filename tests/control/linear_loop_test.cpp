// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The linearised sampled loop agrees with the simulated loop, and its dominant pole is correct.
#include "limber/control/linear_loop.hpp"

#include <complex>

#include "limber/control/prepare.hpp"
#include "limber/simulate/simulate.hpp"
#include "support/arm.hpp"
#include "support/chain_arm.hpp"
#include "support/close.hpp"

namespace limber::test {
namespace {

struct LoopCase {
  const char* name;
  ControlOptions options;
  SensorOptions sensors;
};

std::vector<LoopCase> make_loops(const Model& arm) {
  ControlOptions stay;
  stay.model = std::make_shared<const Model>(arm);
  stay.driven = find_driven_joints(*stay.model, {});
  stay.desired.assign(3, Signal(0.2));
  std::vector<LoopCase> out;
  const auto add = [&](const char* name, auto change) {
    out.push_back({name, stay, {}});
    change(out.back());
    out.back().options.sensors = out.back().sensors;
  };
  const auto pid = [&](LoopCase& c) {
    c.options.pid = make_pid(arm, c.options.driven, make_zero_state(arm), {0.01, 1});
    c.options.pid->ki = 0.1 * c.options.pid->kp;
  };
  add("pid", pid);
  add("pid, servo, delay, held readings, no tachometer", [&](LoopCase& c) {
    pid(c);
    ServoOptions servo;
    servo.bandwidth = 30;
    c.options.servos.assign(3, servo);
    c.sensors.encoders.assign(3, {});
    c.sensors.encoders[1].tachometer = false;
    c.sensors.delay = 4;
    c.sensors.every = 3;
  });
  add("correction", [](LoopCase& c) { c.options.correction = TrackingOptions{2, 0.7}; });
  add("computed torque, damping", [](LoopCase& c) {
    c.options.computed_torque = TrackingOptions{2, 0.7};
    c.options.damping = DampingOptions{0.2};
  });
  add("lqr", [](LoopCase& c) { c.options.lqr = LqrOptions{}; });
  return out;
}

// States of the plant at the samples.
class SampleWatch : public RunListener {
 public:
  void record(const Record& record) override { states.push_back(record.motion.x); }
  std::vector<State> states;
};

TEST(LinearLoop, FollowsTheLoopThatRuns) {
  const Model arm = make_arm({.damping = 0.01});
  constexpr int kSamples = 60;
  constexpr double kSmall = 1e-6;
  for (const LoopCase& c : make_loops(arm)) {
    ControlLoop loop(arm, c.sensors, c.options);
    const auto linear = linearize_loop(arm, c.sensors, loop.controller().options(), 0);
    ASSERT_TRUE(linear) << c.name;
    State x = make_zero_state(arm);
    for (const int q : loop.driven_joints().q) x.q[q] = 0.2;
    ASSERT_EQ(loop.hold(x, VectorXd::Zero(arm.nv)), Status::ok) << c.name;
    const State rest = x;
    VectorXd z = VectorXd::Zero(linear->fresh.rows());
    for (int i = 1; i <= 3; ++i) {
      x.q[arm.first_mode_q(i)] += kSmall * i;
      z[arm.first_mode(i)] = kSmall * i;
    }
    System system(arm, {});
    SolverOptions solver;
    solver.rtol = 1e-11;
    solver.atol = 1e-16;
    SampleWatch watch;
    const RunResult run = simulate(system, solver, {kSamples * loop.period(), loop.period()}, x, watch, &loop);
    ASSERT_EQ(run.status, Status::ok) << run.failure;
    double largest = 0;
    for (int k = 0; k <= kSamples; ++k) {
      VectorXd actual(2 * arm.nv);
      const State& now = watch.states[static_cast<std::size_t>(k)];
      actual << now.q - rest.q, now.v;  // revolute joints only: q and v have the same order
      largest = std::max(largest, actual.cwiseAbs().maxCoeff());
      EXPECT_LT((z.head(2 * arm.nv) - actual).cwiseAbs().maxCoeff(), 2e-3 * largest) << c.name << ", sample " << k;
      z = linear->map(k) * z;
    }
  }
}

// One rigid joint: a double integrator.
struct Wheel {
  Model model;
  ControlOptions options;
};
Wheel make_wheel(double inertia, double kp, double kd) {
  ModelBuilder builder("wheel");
  RigidSpec rigid;
  rigid.mass = 1;
  rigid.inertia = inertia * Matrix3d::Identity();
  Body body = make_rigid_body(rigid);
  body.name = "disc";
  Joint joint;
  joint.name = "axle";
  joint.kind = JointKind::revolute;
  joint.stiffness = joint.damping = joint.armature = VectorXd::Zero(1);
  builder.add_joint(joint, builder.add_body(std::move(body)));
  Wheel out{builder.build(), {}};
  out.options.model = std::make_shared<const Model>(out.model);
  out.options.driven = find_driven_joints(*out.options.model, {});
  out.options.desired = {Signal(0.0)};
  out.options.pid = {VectorXd::Constant(1, kp), VectorXd::Constant(1, kd), VectorXd::Zero(1), false};
  return out;
}

// (z - 1)^2 + z^-delay ((kp T^2/2 + kd T) z + kp T^2/2 - kd T) / I = 0, derived by hand, relative to the size of its
// terms.
double characteristic(const LoopPole& pole, double inertia, double kp, double kd, double T, int delay) {
  const std::complex<double> z = std::exp(std::complex<double>(pole.growth, 2 * std::numbers::pi * pole.frequency) * T);
  const double p = kp * T * T / 2 / inertia, d = kd * T / inertia;
  const std::complex<double> left = (z - 1.0) * (z - 1.0), right = ((p + d) * z + p - d) * std::pow(z, -delay);
  return std::abs(left + right) / (std::abs(left) + std::abs(right));
}

TEST(LinearLoop, PolesOfASampledDoubleIntegrator) {
  constexpr double kInertia = 2, kT = 1e-3;
  struct {
    double kp, kd;
    int delay;
    bool stable;
  } const cases[] = {
      {200, 12, 0, true}, {200, 12, 20, true}, {200, 12, 145, false}, {200, 12, 200, false}, {200, 0, 0, false}};
  for (const auto& c : cases) {
    const Wheel wheel = make_wheel(kInertia, c.kp, c.kd);
    SensorOptions sensors;
    sensors.delay = c.delay;
    const ControlOptions options = prepare_control(wheel.options);
    const auto loop = linearize_loop(wheel.model, sensors, options, 0);
    ASSERT_TRUE(loop);
    const LoopPole pole = find_dominant_pole(*loop);
    EXPECT_EQ(pole.growth < 0, c.stable) << c.delay;
    EXPECT_LT(characteristic(pole, kInertia, c.kp, c.kd, kT, c.delay), 1e-5) << c.delay << ' ' << pole.growth;
    const bool told = !loop_warnings(wheel.model, sensors, options).empty();
    EXPECT_EQ(told, pole.growth > kUnstable) << c.delay;
  }
}

// Undamped and marginally stable: rounding must not change the verdict.
TEST(LinearLoop, TheUndampedArmIsNotCalledUnstable) {
  const Model arm = make_arm();
  ControlOptions options = make_slew(arm);
  options.correction = TrackingOptions{};
  const ControlOptions prepared = prepare_control(options);
  for (const double t : {0.0, 3.0, 11.0, 17.0, prepared.end}) {
    const auto loop = linearize_loop(arm, {}, prepared, t);
    ASSERT_TRUE(loop);
    EXPECT_LT(find_dominant_pole(*loop).growth, 0.2 * kUnstable) << t;
  }
}

// PD at the samples, written by hand.
class HandPd : public Sampler {
 public:
  explicit HandPd(const ControlOptions& options) : options_(options) {}
  double period() const override { return 1 / options_.rate; }
  Status sample(const State& x, const Kinematics& /*kin*/, ConstVec /*vdot*/, Vec torques) override {
    torques.setZero();
    for (int k = 0; k < options_.driven.size(); ++k) {
      const double error = kBent - x.q[options_.driven.q[k]], rate = -x.v[options_.driven.v[k]];
      torques[options_.driven.v[k]] = options_.pid->kp[k] * error + options_.pid->kd[k] * rate;
    }
    return Status::ok;
  }

 private:
  const ControlOptions& options_;
};

// The linearised loop is that computed by the solver: the plant near rest, with 1 and 3 steps per period.
TEST(LinearLoop, ImplicitStepsAreThoseOfTheSolver) {
  constexpr double kSmall = 1e-9;
  constexpr int kSamples = 12;
  constexpr double kRate = 250,
                   kTime = kSamples /
                           kRate;  // the phase of the fastest vibrations changes by more than a radian per period
  const Model arm = make_chain_arm(2, 3, 0.1);
  ControlOptions options;
  options.model = std::make_shared<const Model>(arm);
  options.driven = find_driven_joints(*options.model, {});
  options.rate = kRate;
  options.desired.assign(options.driven.v.size(), Signal(kBent));
  options.pid = {VectorXd::Constant(2, 0.5), VectorXd::Constant(2, 0.02), VectorXd::Zero(2), false};
  const ControlOptions prepared = prepare_control(options);
  for (const double rho : {1.0, 0.8, 0.0}) {
    for (const int parts : {1, 3}) {
      const ImplicitSteps steps{1 / options.rate / parts, rho};
      const auto loop = linearize_loop(arm, {}, prepared, 0, PlantShape::straight, steps);
      ASSERT_TRUE(loop);
      VectorXd z = VectorXd::Zero(loop->fresh.cols());
      State x = bent_chain(arm);
      for (int k = 0; k < arm.nv; ++k) x.q[k] += z[k] = kSmall * std::sin(1.0 + k);
      System system(arm, {});
      HandPd pd(prepared);
      if (rho < 1) {  // the method has accelerations of its own, initially those of the plant
        VectorXd torques = VectorXd::Zero(arm.nv), vdot = torques;
        ASSERT_EQ(pd.sample(x, system.compute_kinematics(x), vdot, torques), Status::ok);
        system.set_control_torques(torques);
        ASSERT_EQ(system.accelerate(x, vdot), Status::ok);
        z.segment(2 * arm.nv, arm.nv) = vdot;
      }
      for (int k = 0; k < kSamples; ++k) z = (loop->fresh * z).eval();
      SolverOptions solver;
      solver.method = "implicit";
      solver.step = steps.step;
      solver.rho_inf = rho;
      struct Last : RunListener {
        void record(const Record& record) override { x = record.motion.x; }
        State x;
      } last;
      const RunResult result = simulate(system, solver, {kTime, kTime}, x, last, &pd);
      ASSERT_EQ(result.status, Status::ok) << result.failure;
      VectorXd found(2 * arm.nv);
      found << last.x.q - bent_chain(arm).q, last.x.v;
      const VectorXd expected = z.head(2 * arm.nv);
      for (const auto part : {Eigen::seqN(0, arm.nv), Eigen::seqN(arm.nv, arm.nv)}) {
        const VectorXd off = found(part) - expected(part);
        EXPECT_LT(off.norm(), 1e-5 * expected(part).norm()) << rho << ' ' << parts;
      }
    }
  }
}

}  // namespace
}  // namespace limber::test
