// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A controlled arm that starts at rest under gravity stays at rest, under every law.
#include "limber/control/static_hold.hpp"
#include "support/arm.hpp"
#include "support/close.hpp"

namespace limber::test {
namespace {

const Vector3d kPut(0.3, -0.5, 0.4);  // rad
constexpr double kWatch = 0.2;        // s

struct Law {
  const char* name;
  void (*choose)(const Model&, ControlOptions&);
};

void add_pid(const Model& arm, ControlOptions& o, double ki, bool gravity) {
  o.pid = make_pid(arm, o.driven, make_zero_state(arm), {0.01, 1});
  o.pid->ki = ki * o.pid->kp;
  o.pid->gravity = gravity;
}

const Law kLaws[] = {
    {"none", [](const Model&, ControlOptions&) {}},
    {"rigid", [](const Model&, ControlOptions& o) { o.feed_forward = FeedForward::rigid; }},
    {"hybrid", [](const Model&, ControlOptions& o) { o.feed_forward = FeedForward::hybrid; }},
    {"pd", [](const Model& arm, ControlOptions& o) { add_pid(arm, o, 0, false); }},
    {"pid", [](const Model& arm, ControlOptions& o) { add_pid(arm, o, 0.1, false); }},
    {"pid, gravity", [](const Model& arm, ControlOptions& o) { add_pid(arm, o, 0.1, true); }},
    {"pid, rigid",
     [](const Model& arm, ControlOptions& o) {
       o.feed_forward = FeedForward::rigid;
       add_pid(arm, o, 0.1, false);
     }},
    {"correction", [](const Model&, ControlOptions& o) { o.correction = TrackingOptions{}; }},
    {"correction, propagated",
     [](const Model&, ControlOptions& o) {
       o.correction = TrackingOptions{};
       o.embodiment = Embodiment::propagated;
     }},
    {"correction, integral",
     [](const Model& arm, ControlOptions& o) {
       o.correction = TrackingOptions{};
       add_pid(arm, o, 0.1, false);
       o.pid->kp.setZero();
       o.pid->kd.setZero();
     }},
    {"computed torque, damping",
     [](const Model&, ControlOptions& o) {
       o.computed_torque = TrackingOptions{};
       o.damping = DampingOptions{0.3};
     }},
    {"lqr", [](const Model&, ControlOptions& o) { o.lqr = LqrOptions{}; }},
    {"lqr, hybrid",
     [](const Model&, ControlOptions& o) {
       o.feed_forward = FeedForward::hybrid;
       o.lqr = LqrOptions{};
     }},
};

// Largest deviation of joints and torques from their initial values.
class Stillness : public RunListener {
 public:
  Stillness(const ControlLoop& loop, State start, VectorXd torques)
      : loop_(loop), start_(std::move(start)), torques_(std::move(torques)) {}
  void record(const Record& record) override {
    const DrivenJoints& driven = loop_.driven_joints();
    moved = std::max(moved, (driven.positions(record.motion.x) - driven.positions(start_)).cwiseAbs().maxCoeff());
    bent = std::max(bent, (record.motion.x.q - start_.q).cwiseAbs().maxCoeff());
    jump = std::max(jump, (record.torques(driven.v) - torques_).cwiseAbs().maxCoeff());
  }
  double moved = 0, bent = 0, jump = 0;

 private:
  const ControlLoop& loop_;
  State start_;
  VectorXd torques_;
};

struct Machine {
  Model plant, believed;
  SensorOptions sensors;
  std::vector<ServoOptions> servos;
};

Stillness stay(const Machine& machine, const Law& law) {
  ControlOptions options;
  options.model = std::make_shared<const Model>(machine.believed);
  options.driven = find_driven_joints(*options.model, {});
  for (const double q : kPut) options.desired.emplace_back(q);
  options.sensors = machine.sensors;
  options.servos = machine.servos;
  law.choose(machine.believed, options);
  ControlLoop loop(machine.plant, machine.sensors, options);
  State x = make_zero_state(machine.plant);
  for (int k = 0; k < 3; ++k) x.q[loop.driven_joints().q[k]] = kPut[k];
  const StaticHold hold = find_static_hold(machine.plant, {}, x, loop.driven_joints().joints);
  const VectorXd torques = hold.torques(loop.driven_joints().v);
  EXPECT_GT(torques.cwiseAbs().minCoeff(), 10);  // gravity torques are significant
  EXPECT_EQ(loop.hold(hold.equilibrium.x, hold.torques), Status::ok) << loop.failure();
  System system(machine.plant, {});
  system.set_control_torques(hold.torques);
  SolverOptions solver;
  solver.rtol = 1e-10;
  solver.atol = 1e-13;
  Stillness still(loop, hold.equilibrium.x, torques);
  const RunResult result =
      simulate(system, solver, {kSanitized ? 0.01 : kWatch, 0.001}, hold.equilibrium.x, still, &loop);
  EXPECT_EQ(result.status, Status::ok) << law.name << ": " << result.failure;
  return still;
}

Model make_heavy_arm(double EI = 1e5, double payload = 50) {
  return make_arm({.EI = EI, .damping = 0.01, .payload = payload, .gravity = {0, -1, 0}});
}

SensorOptions make_gauges(const Model& arm) {
  SensorOptions out;
  out.encoders.assign(3, {});
  out.encoders[1].tachometer = false;
  out.strains.push_back(make_curvature_gauge(arm, {1, 0}, {1, 1}, 2));
  out.accelerometers.push_back({"tip", kArmTip, 0});
  return out;
}

std::vector<ServoOptions> make_slow_servos() {
  ServoOptions servo;
  servo.max_torque = 1e4;
  servo.max_torque_rate = 1e5;
  servo.bandwidth = 20;
  return {3, servo};
}

// Torques are about 3000 N m, joint angles 0.5 rad: only rounding, amplified by the laws, remains.
constexpr double kStillTorque = 1e-7, kStill = 1e-11;

TEST(StaticStart, NothingMovesUnderAnyLaw) {
  const Model arm = make_heavy_arm();
  for (const Law& law : kLaws) {
    const Stillness ideal = stay({arm, arm, {}, {}}, law);
    EXPECT_LT(ideal.moved, kStill) << law.name;
    EXPECT_LT(ideal.jump, kStillTorque) << law.name;
  }
}

TEST(StaticStart, NothingMovesWithServosAndGauges) {
  const Model arm = make_heavy_arm();
  for (const Law& law : kLaws) {
    const Stillness still = stay({arm, arm, make_gauges(arm), make_slow_servos()}, law);
    EXPECT_LT(still.moved, kStill) << law.name;
    EXPECT_LT(still.jump, kStillTorque) << law.name;
  }
}

// With encoders alone the controller's own static balance is sufficient, whatever the plant weighs.
TEST(StaticStart, NothingMovesWithAWrongModel) {
  const Model arm = make_heavy_arm(), plant = make_heavy_arm(0.8e5, 60);
  for (const Law& law : kLaws) {
    const Stillness still = stay({plant, arm, {}, make_slow_servos()}, law);
    EXPECT_LT(still.moved, kStill) << law.name;
    EXPECT_LT(still.jump, kStillTorque) << law.name;
  }
}

// Encoders with finite resolution: the joint moves by less than a count.
TEST(StaticStart, CountsMoveItByLessThanACount) {
  const Model arm = make_heavy_arm();
  constexpr double kCount = 1e-5;
  SensorOptions sensors;
  sensors.encoders.assign(3, {});
  for (EncoderOptions& encoder : sensors.encoders) encoder.resolution = kCount;
  for (const Law& law : kLaws) {
    const Stillness still = stay({arm, arm, sensors, {}}, law);
    EXPECT_LT(still.moved, kCount) << law.name;
  }
}

TEST(StaticStart, AServoThatCannotHoldIsRefused) {
  const Model arm = make_heavy_arm();
  std::vector<ServoOptions> weak(3);
  weak[1].max_torque = 1;
  EXPECT_THROW(stay({arm, arm, {}, weak}, kLaws[0]), InputError);
}

// Without a static start it falls.
TEST(StaticStart, ElseItFalls) {
  const Model arm = make_heavy_arm();
  ControlOptions options = make_slew(arm);
  options.pid = make_pid(arm, options.driven, make_zero_state(arm), {0.01, 1});
  ControlLoop loop(arm, {}, options);
  System system(arm, {});
  Stillness still(loop, make_zero_state(arm), VectorXd::Zero(3));
  const RunResult result = simulate(system, {}, {kSanitized ? 0.01 : kWatch, 0.01}, make_zero_state(arm), still, &loop);
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_GT(still.moved, 1e-6);
}

}  // namespace
}  // namespace limber::test
