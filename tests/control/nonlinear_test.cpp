// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loops that are stable by the linear criterion also stabilise the nonlinear plant: cells of the stability matrix, with
// an initial deviation of the joints unknown to the observer.  All cells: bench/control_table.
#include "limber/control/linear_loop.hpp"
#include "limber/control/prepare.hpp"
#include "limber/simulate/simulate.hpp"
#include "support/arm.hpp"
#include "support/chain_arm.hpp"

namespace limber::test {
namespace {

// Ideal sensors and servos; the controller starts with the joints at their desired positions.
class HeldArm : public Sampler {
 public:
  HeldArm(const Model& model, const ControlOptions& options) : controller_(options) {
    status_ = controller_.start(bent_chain(model));
    torques_.setZero(options.driven.size());
  }
  double period() const override { return controller_.period(); }
  Status sample(const State& x, const Kinematics& /*kin*/, ConstVec /*vdot*/, Vec torques) override {
    const DrivenJoints& driven = controller_.options().driven;
    if (status_ != Status::ok) return status_;
    y_.t = x.t;
    y_.q = driven.positions(x);
    y_.v = driven.speeds(x);
    status_ = controller_.update(y_, torques_);
    torques.setZero();
    for (int k = 0; k < driven.size(); ++k) torques[driven.v[k]] = torques_[k];
    return status_;
  }
  const ControlOptions& options() const { return controller_.options(); }

 private:
  Controller controller_;
  Measurement y_;
  VectorXd torques_;
  Status status_;
};

struct ArmCell {
  int links, modes;
  double rate, damping;
  const char* law;
  double away;  // rad, with alternating sign
};

class LateErrors : public RunListener {
 public:
  LateErrors(const DrivenJoints& driven, double from) : driven_(driven), from_(from) {}
  void record(const Record& record) override {
    const State& x = record.motion.x;
    for (const int q : driven_.q) {
      peak = std::max(peak, std::abs(x.q[q] - kBent));
      if (x.t >= from_) late = std::max(late, std::abs(x.q[q] - kBent));
    }
  }
  double peak = 0, late = 0;

 private:
  const DrivenJoints& driven_;
  double from_;
};

TEST(NonlinearArm, IsHeldWhereTheLinearLoopIsStable) {
  const ArmCell cells[] = {{10, 1, 100, 1, "lqr", 1e-4},      {10, 1, 100, 1, "lqr", 1e-3},
                           {10, 1, 100, 1, "tracking", 1e-4}, {10, 2, 250, 0, "lqr", 1e-3},
                           {10, 1, 50, 10, "tracking", 1e-3}, {2, 5, 100, 10, "lqr", 1e-2},
                           {2, 3, 250, 0, "tracking", 1e-2},  {1, 10, 50, 1, "lqr", 1e-2}};
  constexpr double kDuration = kSanitized ? 0.1 : 2;
  for (const ArmCell& c : cells) {
    const Model model = make_chain_arm(c.links, c.modes, c.damping);
    ControlOptions options;
    options.model = std::make_shared<const Model>(model);
    options.driven = find_driven_joints(*options.model, {});
    options.rate = c.rate;
    options.desired.assign(options.driven.v.size(), Signal(kBent));
    if (c.law == std::string("lqr"))
      options.lqr = LqrOptions{};
    else
      options.correction = TrackingOptions{};
    HeldArm loop(model, options);
    System system(model, {});
    SolverOptions solver;
    solver.method = "implicit";
    solver.step = std::min(0.1 / c.rate, 2e-4);
    State x = bent_chain(model);
    for (int k = 0; k < options.driven.size(); ++k) x.q[options.driven.q[k]] += k % 2 == 0 ? c.away : -c.away;
    LateErrors errors(options.driven, 0.75 * kDuration);
    const RunResult result = simulate(system, solver, {kDuration, 0.02}, x, errors, &loop);
    const std::string name = std::to_string(c.links) + " links, " + std::to_string(c.modes) + " modes, " +
                             std::to_string(c.rate) + " Hz, joint damping " + std::to_string(c.damping) + ", " + c.law;
    EXPECT_EQ(result.status, Status::ok) << name;
    EXPECT_LT(errors.peak, 20 * c.away) << name;
    EXPECT_LT(errors.late, (kSanitized ? 20 : 2) * c.away) << name;
  }
}

// Where high sensor weights in the observer amplify small deviations, the weights are reduced.
TEST(NonlinearArm, ItsObserverIsCalmed) {
  ControlOptions options;
  options.model = std::make_shared<const Model>(make_chain_arm(10, 1, 1));
  options.driven = find_driven_joints(*options.model, {});
  options.rate = 100;
  options.desired.assign(options.driven.v.size(), Signal(kBent));
  options.lqr = LqrOptions{};
  options = prepare_control(options);
  const double growth = compute_transient(*linearize_loop(*options.model, {}, options, 0)).growth;
  EXPECT_NEAR(growth, 875, 10);  // by SciPy, in the norm of the energy
  const ControlOptions settled = settle_loop(options);
  EXPECT_GT(settled.kalman.distrust, 1);
  EXPECT_LT(compute_transient(*linearize_loop(*options.model, {}, settled, 0)).growth, kMaxSettledTransient);
  // For a single link nothing changes.
  ControlOptions one = options;
  one.model = std::make_shared<const Model>(make_chain_arm(1, 2, 0));
  one.driven = find_driven_joints(*one.model, {});
  one.desired.assign(1, Signal(kBent));
  one.lqr = LqrOptions{};
  one.kalman = {};
  one.sensors = {};
  one.servos.clear();
  EXPECT_EQ(settle_loop(prepare_control(one)).kalman.distrust, 1);
}

}  // namespace
}  // namespace limber::test
