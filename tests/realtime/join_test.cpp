// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A controller ends while its plant moves, and another takes over.
#include <gtest/gtest.h>

#include <memory>
#include <numbers>

#include "limber/realtime/executive.hpp"
#include "limber/realtime/plant.hpp"
#include "support/arm.hpp"
#include "support/no_alloc.hpp"

namespace limber::test {
namespace {

constexpr double kJoinRate = 1000, kJoinSlew = 8;

ControlOptions make_joining(const Model& model, const std::string& law) {
  ControlOptions out = make_slew(model, kJoinSlew);
  out.rate = kJoinRate;
  out.latency = 1;
  out.feed_forward = FeedForward::hybrid;
  if (law == "computed torque") out.computed_torque = TrackingOptions{0.5, 1};
  if (law == "correction") {
    out.correction = TrackingOptions{0.5, 1};
    out.feed_forward = FeedForward::none;
  }
  if (law == "pid") out.pid = make_pid(model, out.driven, make_zero_state(model), {0.02, 1});
  return out;
}

// A plant and its successive controllers, with the plant's time as the clock.
class Succession : public Sampler {
 public:
  Succession(const Model& m, const std::string& law, double hold)
      : model(m), driven(find_driven_joints(model, {})), options(make_joining(model, law)) {
    safety.hold = hold;
    limits = make_link_limits(model, driven, options, make_zero_state(model));
    limit_servos(limits, options);
    plant = std::make_unique<PlantEnd>(model, driven, limits, SensorOptions{}, period(), safety, 42,
                                       make_zero_state(model));
    sensors = std::make_unique<Sensors>(model, driven, SensorOptions{}, period());
    start_controller();
    before.setZero(driven.size());
  }
  void start_controller() {
    kill();
    controller = std::make_unique<Controller>(options);
    EXPECT_EQ(controller->start(make_zero_state(model)), Status::ok);
    executive = std::make_unique<Executive>(*controller, limits, safety, 1000);
  }
  void kill() {
    executive.reset();
    command.clear();
    cycles = 0;
  }
  double period() const override { return 1 / kJoinRate; }
  Status sample(const State& x, const Kinematics& kin, ConstVec vdot, Vec torques) override {
    if (at) at(x);
    if (!command.empty()) plant->take(command, x.t);
    plant->drive(x, x.t, torques);
    const std::span<const std::byte> measurement = plant->measure(sensors->read(x, kin, vdot), x.t);
    kept.assign(measurement.begin(), measurement.end());
    command.clear();
    if (executive) {
      executive->take(measurement, x.t);
      command = cycle(x.t);
    }
    for (int k = 0; k < driven.size(); ++k) {
      const double torque = torques[driven.v[k]] / limits.effort[k];
      if (executive && x.t > watched) largest_step = std::max(largest_step, std::abs(torque - before[k]));
      before[k] = torque;
      most_speed = std::max(most_speed, std::abs(x.v[driven.v[k]]) / limits.speed[k]);
      error = k == 0 ? 0 : error;
      const double wanted = options.desired[static_cast<std::size_t>(k)].at(x.t).value;
      error = std::max(error, std::abs(x.q[driven.q[k]] - wanted));
    }
    return Status::ok;
  }
  std::vector<std::byte> cycle(double t) {
    std::span<const std::byte> out;
    if (++cycles == 1) {  // the observer starts
      out = executive->cycle(t);
    } else {
      const NoAlloc guard;
      out = executive->cycle(t);
    }
    return {out.begin(), out.end()};
  }
  void run(double duration) {
    System system(model, {});
    RunListener none;
    const RunResult result = simulate(system, SolverOptions{}, {duration, 1}, make_zero_state(model), none, this);
    EXPECT_EQ(result.status, Status::ok) << result.failure;
  }

  Model model;
  DrivenJoints driven;
  ControlOptions options;
  SafetyOptions safety;
  LinkLimits limits;
  std::unique_ptr<PlantEnd> plant;
  std::unique_ptr<Sensors> sensors;
  std::unique_ptr<Controller> controller;
  std::unique_ptr<Executive> executive;
  std::function<void(const State&)> at;
  std::vector<std::byte> command, kept;
  int cycles = 0;           // of this controller
  VectorXd before;          // (driven coordinate) torque relative to its limit
  double watched = 0.1;     // s, start of the monitoring
  double largest_step = 0;  // of torques relative to their limits, in a period
  double most_speed = 0;    // relative to its limit
  double error = 0;         // rad, at the last sample
};

bool is_time(const State& x, double t) { return std::abs(x.t - t) < 0.25 / kJoinRate; }

// Held all the time, or braked to rest in between: torques do not jump, and the plant reaches its desired motion.
TEST(Join, TakesOverWithoutAJump) {
  for (const char* law : {"computed torque", "correction", "pid"}) {
    for (const double hold : {1.5, 0.02}) {
      const std::string which = std::string(law) + ", hold " + std::to_string(hold);
      // With motor inertia the arm can be controlled by a PID loop.
      const Model arm = make_arm({.damping = 0.02, .armature = law == std::string("pid") ? 10.0 : 0.0});
      Succession undisturbed(arm, law, hold);
      undisturbed.run(2);
      Succession two(arm, law, hold);
      bool braked = false, joined = false;
      double jump = 0;
      two.at = [&](const State& x) {
        if (is_time(x, 2)) two.kill();
        if (is_time(x, 2.5)) two.start_controller();
        braked = braked || two.plant->braking();
        if (!joined && two.executive && x.t > 2.5 && !two.executive->listening()) {
          joined = true;
          jump = (two.executive->torques().cwiseQuotient(two.limits.effort) - two.before).cwiseAbs().maxCoeff();
          two.watched = x.t;
          two.largest_step = 0;
        }
      };
      two.run(kJoinSlew + 2);
      EXPECT_TRUE(joined) << which;
      EXPECT_EQ(braked, hold < 0.5) << which;
      EXPECT_EQ(two.executive->stopped(), StopReason::none) << which << to_string(two.executive->stopped());
      EXPECT_TRUE(two.executive->joined());
      EXPECT_FALSE(two.plant->braking()) << which << two.plant->failure();
      EXPECT_EQ(two.plant->joined(), 1);
      EXPECT_LT(jump, 1e-12) << which;  // the first command is the present torque
      EXPECT_LT(two.largest_step, 0.01) << which << " undisturbed " << undisturbed.largest_step;
      EXPECT_LE(two.most_speed, PlantEnd::kSpeedShare) << which;
      // A PID loop of 0.02 Hz has not converged yet.
      if (law != std::string("pid")) {
        EXPECT_LT(two.error, 2e-2) << which;
      }
    }
  }
}

// Brakes closed for lack of commands do not open for the controller that was silent.
TEST(Join, OneThatWasCutOffDoesNotComeBack) {
  Succession two(make_arm({.damping = 0.02}), "computed torque", 0.02);
  std::unique_ptr<Executive> away;
  two.at = [&](const State& x) {
    if (is_time(x, 1)) away = std::move(two.executive);
    if (is_time(x, 1.01)) two.command.clear();
    if (is_time(x, 1.1)) two.executive = std::move(away);
  };
  two.run(1.3);
  EXPECT_TRUE(two.plant->braking());
  EXPECT_NE(two.executive->stopped(), StopReason::none);
  EXPECT_EQ(two.plant->joined(), 0);
}

// Brakes closed for another reason do not open for any controller.
TEST(Join, BrakesThatAreClosedForGoodStayClosed) {
  Succession two(make_arm({.damping = 0.02}), "computed torque", 0.02);
  two.at = [&](const State& x) {
    if (!is_time(x, 1)) return;
    Packet packet;
    ASSERT_EQ(decode_packet(two.command, packet), PacketFault::none);
    packet.entries[0].a = std::numeric_limits<double>::quiet_NaN();
    PacketBytes bytes;
    two.command.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(encode_packet(packet, bytes)));
    EXPECT_EQ(two.plant->take(two.command, x.t), PacketFault::not_finite);
    two.start_controller();
  };
  two.run(1.5);
  EXPECT_TRUE(two.plant->braking());
  EXPECT_EQ(two.executive->stopped(), StopReason::machine);
  EXPECT_TRUE(two.executive->over(1.5));  // it never commanded: there is nothing to release
}

// Replayed measurements: a controller that accepts them reports that its commands are not received.
TEST(Join, RecordedMeasurementsAreNoMachine) {
  std::vector<std::vector<std::byte>> recorded;
  Succession first(make_arm({.damping = 0.02}), "computed torque", 0.02);
  first.at = [&](const State&) { recorded.push_back(first.kept); };
  first.run(0.3);
  Controller controller(first.options);
  ASSERT_EQ(controller.start(make_zero_state(first.model)), Status::ok);
  Executive executive(controller, first.limits, first.safety, 123456);
  double t = 0;
  for (std::size_t k = 1; k < recorded.size() && executive.stopped() == StopReason::none; ++k, t += 1 / kJoinRate) {
    executive.take(recorded[k], t);
    executive.cycle(t);
  }
  EXPECT_EQ(executive.stopped(), StopReason::unheard);
  EXPECT_NEAR(t, 2 * first.safety.hold, 3 / kJoinRate);
}

// ---- the handover alone ----------------------------------------------------------------------------

TEST(Handover, BeginsWhereTheMachineIsAndEndsAtTheDesiredMotion) {
  const Model model = make_arm();
  const DrivenJoints driven = find_driven_joints(model, {});
  const Vector3d offset(0.1, -0.2, 0.3), rate(0.02, 0.01, -0.03), torques(5, -6, 7);
  Handover handover(3);
  State x = make_zero_state(model);
  handover.add_motion(driven, x);
  EXPECT_EQ(x.q.norm(), 0);
  handover.begin(4, offset, rate, torques, 2, 0.5);
  const auto motion = [&](double t) {
    State out = make_zero_state(model);
    out.t = t;
    handover.add_motion(driven, out);
    return out;
  };
  EXPECT_EQ(driven.positions(motion(4)), offset);
  EXPECT_EQ(driven.speeds(motion(4)), rate);
  EXPECT_LT(motion(6 - 1e-3).q.norm(), 1e-8);
  EXPECT_LT(motion(6 - 1e-3).v.norm(), 1e-5);
  EXPECT_EQ(motion(6).q.norm() + motion(7).v.norm(), 0);
  for (const double t : {4.3, 5.0, 5.9}) {  // speeds and accelerations are consistent with the positions
    constexpr double h = 1e-5;
    const VectorXd v = (motion(t + h).q - motion(t - h).q) / (2 * h), a = (motion(t + h).v - motion(t - h).v) / (2 * h);
    Vector3d found = Vector3d::Zero();
    handover.add_accelerations(t, found);
    EXPECT_LT((v(driven.v) - driven.speeds(motion(t))).norm(), 1e-9);
    EXPECT_LT((a(driven.v) - found).norm(), 1e-9);
  }
  VectorXd command = Vector3d(1, 1, 1);
  EXPECT_TRUE(handover.add_torques(4, command));
  EXPECT_EQ(command, torques);
  command = Vector3d(1, 1, 1);
  EXPECT_FALSE(handover.add_torques(4.25, command));
  EXPECT_LT((command - (0.5 * torques + Vector3d(0.5, 0.5, 0.5))).norm(), 1e-12);
  command = Vector3d(1, 1, 1);
  handover.add_torques(4.5, command);
  EXPECT_EQ(command, Vector3d(1, 1, 1));
}

}  // namespace
}  // namespace limber::test
