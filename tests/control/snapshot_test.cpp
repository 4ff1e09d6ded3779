// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A control loop restored from a snapshot continues bitwise like the original, under every law.
#include "limber/simulate/archive.hpp"
#include "support/arm.hpp"
#include "support/close.hpp"

namespace limber::test {
namespace {

struct Case {
  std::string name;
  ControlOptions options;
  SensorOptions sensors;
};

SensorOptions noisy_sensors(const Model& arm) {
  SensorOptions out;
  EncoderOptions encoder;
  encoder.resolution = 1e-5;
  encoder.noise = 1e-5;
  encoder.tachometer = false;
  out.encoders.assign(3, encoder);
  out.strains.push_back(make_curvature_gauge(arm, {1, 0}, {1, 1}, 2));
  out.strains[0].noise = 1e-7;
  out.accelerometers.push_back({"tip", kArmTip, 1e-3});
  out.delay = 2;
  out.every = 3;
  return out;
}

// Pipelined with modes, and adapted.
void add_claims(const ControlOptions& plain, std::vector<Case>& out) {
  for (const int latency : {0, 1}) {
    out.push_back({"correction pipelined, with modes", plain, {}});
    ControlOptions& options = out.back().options;
    options.correction = TrackingOptions{};
    options.embodiment = Embodiment::pipelined;
    options.correcting.modes = 1;
    options.latency = latency;
  }
  out.push_back({"correction, adapted stiffness", plain, {}});
  out.back().options.correction = TrackingOptions{};
  out.back().options.adaptation.emplace().stiffness = true;
}

std::vector<Case> make_cases(const Model& arm) {
  const ControlOptions plain = make_slew(arm, 3);
  std::vector<Case> out;
  const auto add = [&](const char* name, auto change, SensorOptions sensors = {}) {
    out.push_back({name, plain, std::move(sensors)});
    change(out.back().options);
  };
  add("pid", [&](ControlOptions& o) {
    o.pid = make_pid(arm, o.driven, make_zero_state(arm), {0.02, 1});
    o.pid->ki = 0.1 * o.pid->kp;
    o.pid->gravity = true;
    ServoOptions servo;
    servo.max_torque = 200;
    servo.max_torque_rate = 1e4;
    servo.bandwidth = 50;
    servo.torque_constant = 0.1;
    o.servos.assign(3, servo);
  });
  add("hybrid", [](ControlOptions& o) { o.feed_forward = FeedForward::hybrid; });
  for (const int latency : {0, 1}) {
    for (const bool collocated : {false, true}) {
      add("correction sensed", [&](ControlOptions& o) {
        o.correction = TrackingOptions{0.5, 1, 0, collocated};
        o.latency = latency;
      });
    }
    add("correction propagated", [&](ControlOptions& o) {
      o.correction = TrackingOptions{};
      o.embodiment = Embodiment::propagated;
      o.latency = latency;
    });
  }
  add_claims(plain, out);
  add("computed torque, damping, shaping", [](ControlOptions& o) {
    o.computed_torque = TrackingOptions{};
    o.damping = DampingOptions{0.3};
    o.shaping = ShapingOptions{};
  });
  const SensorOptions noisy = noisy_sensors(arm);
  add(
      "pid, noise, delay",
      [&](ControlOptions& o) {
        o.pid = make_pid(arm, o.driven, make_zero_state(arm), {0.02, 1});
        o.sensors = noisy;
      },
      noisy);
  SensorOptions prompt = noisy;  // the observer requires current readings
  prompt.delay = 0;
  prompt.every = 1;
  prompt.accelerometers.clear();
  add(
      "lqr, noise",
      [&](ControlOptions& o) {
        o.feed_forward = FeedForward::hybrid;
        o.lqr = LqrOptions{};
        o.sensors = prompt;
      },
      prompt);
  return out;
}

std::vector<std::byte> save(ControlLoop& loop) {
  Archive archive;
  loop.transfer(archive);
  return archive.bytes();
}

void restore(ControlLoop& loop, const std::vector<std::byte>& saved) {
  Archive archive(saved);
  loop.transfer(archive);
  if (!archive.at_end()) throw InputError("something is left");
}

// A plant with steps of the loop's period.
class Plant {
 public:
  Plant(const Model& model, double period) : system_(model, {}), period_(period) {
    SolverOptions solver;
    solver.method = "implicit";
    solver.step = period;
    stepper_ = make_stepper(system_, solver);
    motion_.x = make_zero_state(model);
    EXPECT_EQ(stepper_->start(motion_), Status::ok);
    vdot_ = torques = VectorXd::Zero(model.nv);
    again = torques;
  }
  // Torques of both loops at this state.
  void sample(ControlLoop& loop, Vec out) {
    const State& x = stepper_->now().x;
    ASSERT_EQ(system_.accelerate(x, vdot_), Status::ok);
    ASSERT_EQ(loop.sample(x, system_.compute_kinematics(x), vdot_, out), Status::ok) << loop.failure();
  }
  void step() {
    system_.set_control_torques(torques);
    ASSERT_EQ(stepper_->release(stepper_->now()), Status::ok);
    ASSERT_EQ(stepper_->step(++count_ * period_), Status::ok);
  }

  VectorXd torques, again;  // (nv)

 private:
  System system_;
  double period_;
  std::unique_ptr<Stepper> stepper_;
  Motion motion_;
  VectorXd vdot_;
  long count_ = 0;
};

TEST(ControlSnapshot, ARestoredLoopGoesOnBitByBit) {
  const Model arm = make_arm({.damping = 0.005, .gravity = {0, -0.2, 0}});
  for (Case& c : make_cases(arm)) {
    ControlLoop loop(arm, c.sensors, c.options), other(arm, c.sensors, c.options), fresh(arm, c.sensors, c.options);
    Plant plant(arm, loop.period());
    for (int k = 0; k < (kSanitized ? 50 : 500); ++k) {
      plant.sample(loop, plant.torques);
      plant.step();
    }
    restore(other, save(loop));
    const auto left = loop.controller().channels(), right = other.controller().channels();
    for (int k = 0; k < 50; ++k) {
      plant.sample(loop, plant.torques);
      plant.sample(other, plant.again);
      ASSERT_EQ(plant.torques, plant.again) << c.name << ", sample " << k;
      for (std::size_t j = 0; j < left.size(); ++j) {
        ASSERT_EQ(*left[j].values, *right[j].values) << c.name << ", " << left[j].path;
      }
      plant.step();
    }
    // A loop that was not restored differs: there was state to restore.
    plant.sample(loop, plant.torques);
    plant.sample(fresh, plant.again);
    EXPECT_NE(plant.torques, plant.again) << c.name;
  }
}

// The same object, restored to an earlier state, repeats itself.
TEST(ControlSnapshot, ALoopTakenBackRepeatsItself) {
  const Model arm = make_arm({.damping = 0.005});
  ControlOptions options = make_slew(arm, 3);
  options.correction = TrackingOptions{};
  const SensorOptions noisy = noisy_sensors(arm);
  options.sensors = noisy;
  ControlLoop loop(arm, noisy, options);
  Plant plant(arm, loop.period());
  for (int k = 0; k < 20; ++k) {
    plant.sample(loop, plant.torques);
    plant.step();
  }
  const auto saved = save(loop);
  plant.sample(loop, plant.torques);
  restore(loop, saved);
  plant.sample(loop, plant.again);
  EXPECT_EQ(plant.torques, plant.again);
  EXPECT_FALSE(plant.torques.isZero(0));
}

TEST(ControlSnapshot, AnotherControllerRefusesIt) {
  const Model arm = make_arm();
  ControlOptions options = make_slew(arm);
  ControlLoop loop(arm, {}, options);
  options.correction = TrackingOptions{};
  ControlLoop other(arm, {}, options);
  EXPECT_THROW(restore(other, save(loop)), InputError);
}

}  // namespace
}  // namespace limber::test
