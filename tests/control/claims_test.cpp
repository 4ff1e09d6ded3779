// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The claims of [Pat] beyond the correction of joint accelerations: modes in the comparison, servo commands, and
// articulated-body quantities computed before the sensors are read.
#include <Eigen/LU>

#include "limber/control/correction.hpp"
#include "support/arm.hpp"
#include "support/close.hpp"
#include "support/engine.hpp"
#include "support/no_alloc.hpp"
#include "support/random.hpp"

namespace limber::test {
namespace {

// Two links with springs and dampers at their joints.
Model make_sprung_arm(double stiffness, double damping) {
  ModelBuilder builder("sprung");
  NodeRef at;
  for (int i = 0; i < 2; ++i) {
    BeamSpec beam;
    beam.length = 1 + i;
    beam.mass_per_length = 2;
    beam.EIz = 50;
    beam.modes = {3, 0, 0, 0};
    beam.damping = {0.01};
    Body body = make_beam_body(beam, false);
    body.name = "link" + std::to_string(i);
    const int tip = body.node_index("tip");
    const int child = builder.add_body(std::move(body));
    Joint joint;
    joint.name = "joint" + std::to_string(i);
    joint.kind = JointKind::revolute;
    joint.parent = at;
    joint.stiffness = VectorXd::Constant(1, stiffness);
    joint.damping = VectorXd::Constant(1, damping);
    joint.armature = VectorXd::Zero(1);
    builder.add_joint(joint, child);
    at = {child, tip};
  }
  return builder.build();
}

State random_state(const Model& model, Random& random) {
  State x = make_zero_state(model);
  x.q = random.vector(model.nq, 1e-5);  // small modal coordinates: accelerations that hardly deflect the midpoint
  x.v = random.vector(model.nv, 1e-3);
  for (int i = 1; i < model.body_count(); ++i) x.q[model.joints[i].q] = random.uniform(-0.01, 0.01);
  return x;
}

// The change minimises |e_J - y|^2_N + |e_F + B y|^2_Q, by the normal equations with dense matrices.  One joint is
// is not driven, so that its spring is among the weights.
TEST(ModalCorrection, IsTheWeightedLeastSquaresSolution) {
  const Model model = make_sprung_arm(20, 0.5);
  Random random(7);
  for (const std::vector<std::string>& names : {std::vector<std::string>{}, std::vector<std::string>{"joint0"}}) {
    const DrivenJoints driven = find_driven_joints(model, names);
    std::vector<int> others;
    for (int k = 0; k < model.nv; ++k) {
      if (std::find(driven.v.begin(), driven.v.end(), k) == driven.v.end()) others.push_back(k);
    }
    MatrixXd K = MatrixXd::Zero(model.nv, model.nv);
    for (int i = 1; i < model.body_count(); ++i) {
      K(model.joints[i].v, model.joints[i].v) = 20;
      K.block(model.first_mode(i), model.first_mode(i), 3, 3) = model.body(i).stiffness;
    }
    for (const double weight : {1e-4, 1e-2, 1.0}) {
      const State x = random_state(model, random);
      const MatrixXd M = Engine(model).mass(x), W = weight * K(others, others);
      const MatrixXd M_FF = M(others, others), M_FJ = M(others, driven.v), M_JJ = M(driven.v, driven.v);
      const MatrixXd B = M_FF.inverse() * M_FJ, N = M_JJ - M_FJ.transpose() * B;
      const MatrixXd Q = (M_FF.inverse() + W.inverse()).inverse();
      const VectorXd errors = random.vector(model.nv);
      const VectorXd e_J = errors(driven.v), e_F = errors(others);
      const VectorXd expected = (N + B.transpose() * Q * B).inverse() * (N * e_J - B.transpose() * Q * e_F);
      NaturalGain gain(model, driven, 0, weight);
      ASSERT_EQ(gain.set(x), Status::ok);
      VectorXd changes(driven.size());
      {
        const NoAlloc guard;
        gain.balance(errors, changes);
      }
      EXPECT_TRUE(is_close(changes, expected, 1e-9 * (1 + expected.norm()))) << "weight " << weight;
    }
  }
}

// In the metric of the kinetic energy of all accelerations, the driven joints get exactly their desired accelerations,
// for any desired modal accelerations (Gauss's principle): hence the other metric.
TEST(ModalCorrection, HasNoSayInTheMetricOfKineticEnergy) {
  const Model model = make_sprung_arm(0, 0);
  const DrivenJoints driven = find_driven_joints(model, {});
  Random random(8);
  const State x = random_state(model, random);
  const MatrixXd inverse = Engine(model).mass(x).inverse(), M = inverse.inverse();
  const MatrixXd by_torque = inverse(Eigen::all, driven.v);
  const VectorXd errors = random.vector(model.nv);
  const VectorXd torques = (by_torque.transpose() * M * by_torque).inverse() * (by_torque.transpose() * (M * errors));
  const VectorXd left = (errors - by_torque * torques)(driven.v);
  EXPECT_LT(left.norm(), 1e-10 * errors.norm());
}

// Dampers and springs of the driven joints are included in the gain: one correction suffices for any values.
TEST(ForceCorrection, TakesOneStepWithDampersAndSprings) {
  for (const double damping : {0.0, 10.0, 1000.0}) {
    const Model model = make_sprung_arm(1, damping);
    const DrivenJoints driven = find_driven_joints(model, {});
    Random random(9);
    const State x = random_state(model, random);
    ForceCorrection correct(model, driven, 1e-3, {1e-9, 10});
    ASSERT_EQ(correct.gain().set(x), Status::ok);
    VectorXd torques = VectorXd::Zero(2);
    for (int pass = 0; pass < 5; ++pass) (void)correct.accelerations().forward(x, torques);  // of the midpoint rule
    const Correction result = correct(x, Eigen::Vector2d(0.3, -0.2), torques);
    EXPECT_TRUE(result.converged) << damping << ": " << result.last;
    EXPECT_LE(result.count, 3) << damping;
  }
}

// Prepared at the same state, it equals the correction; near it, the error is of second order.
TEST(Pipelined, IsTheCorrectionToFirstOrder) {
  const Model model = make_sprung_arm(5, 0.5);
  const DrivenJoints driven = find_driven_joints(model, {});
  Random random(10);
  const State x = random_state(model, random);
  const VectorXd desired = Eigen::Vector2d(0.4, -0.7);
  const VectorXd q = random.vector(model.nq), v = random.vector(model.nv);
  double last = 0;
  for (const double size : {0.0, 1e-5, 2e-5}) {
    State expected = x;
    for (int i = 1; i < model.body_count(); ++i) {  // different modal coordinates
      for (int k = model.first_mode(i); k < model.first_mode(i) + 3; ++k) expected.q[k] += size * q[k];
    }
    ForceCorrection pipelined(model, driven, 1e-3), sensed(model, driven, 1e-3, {1e-12, 20});
    ASSERT_EQ(sensed.gain().set(x), Status::ok);
    VectorXd fast = VectorXd::Zero(2), slow = fast;
    sensed(x, desired, slow);
    const VectorXd before = 0.9 * slow;  // of the last sample
    for (int pass = 0; pass < 5; ++pass) ASSERT_EQ(pipelined.prepare(expected, before), Status::ok);
    pipelined.correct_prepared(x, desired, fast);
    const double off = (fast - slow).norm() / slow.norm();
    EXPECT_LT(off, 1e-6 + 20 * size);  // the midpoint belongs to other accelerations
    last = off;
  }
  EXPECT_GT(last, 0);
}

TEST(Pipelined, AllocatesNothingAndRespondsAsAWhole) {
  const Model arm = make_arm({.damping = 0.005});
  ControlOptions options = make_slew(arm);
  options.correction = TrackingOptions{};
  options.embodiment = Embodiment::pipelined;
  options.correcting.modes = 1;
  Controller whole(options), parts(options);
  for (Controller* one : {&whole, &parts}) ASSERT_EQ(one->start(make_zero_state(arm)), Status::ok);
  Measurement y;
  y.q = y.v = VectorXd::Zero(3);
  VectorXd a = VectorXd::Zero(3), b = a;
  ASSERT_EQ(whole.update(y, a), Status::ok);
  ASSERT_EQ(parts.update(y, b), Status::ok);
  const NoAlloc guard;
  for (int k = 0; k < 50; ++k) {
    y.q[0] += 1e-6;
    ASSERT_EQ(whole.update(y, a), Status::ok);
    ASSERT_EQ(parts.respond(y, b), Status::ok);
    ASSERT_EQ(parts.prepare(), Status::ok);
    ASSERT_EQ(a, b);
  }
}

TEST(Pipelined, FollowsAsTheSensedOne) {
  const Model arm = make_arm({.damping = 0.005});
  double largest[2] = {};
  for (const bool pipelined : {false, true}) {
    ControlOptions options = make_slew(arm, 10);
    options.correction = TrackingOptions{0.5, 1};
    options.embodiment = pipelined ? Embodiment::pipelined : Embodiment::sensed;
    const SlewResult result = run_slew(arm, options);
    ASSERT_EQ(result.run.status, Status::ok) << result.run.failure;
    largest[pipelined] = result.largest.maxCoeff();
  }
  if (kSanitized) return;
  EXPECT_LT(largest[1], 1.5 * largest[0]) << largest[0] << ", " << largest[1];
}

// Joints yield to the vibration, as the desired modal accelerations require for damping.
TEST(ModalCorrection, ReducesTheResidualVibrationFivefold) {
  const Model arm = make_arm();
  ControlOptions options = make_slew(arm);
  options.correction = TrackingOptions{0.5, 1};
  const double before = run_slew(arm, options).residual;
  options.correcting.modes = 1;
  options.correcting.modal_ratio = 0.3;
  const SlewResult result = run_slew(arm, options);
  EXPECT_EQ(result.run.status, Status::ok) << result.run.failure;
  if (kSanitized) return;
  EXPECT_LT(result.residual, before / 5) << before << " to " << result.residual;
}

// Commands are sent; the plant's servos make torques of them.
TEST(ServoCommand, IsNotTheTorqueAfterTheServo) {
  const Model arm = make_arm({.gravity = {0, -1, 0}});
  ControlOptions options = make_slew(arm);
  options.pid = make_pid(arm, options.driven, make_zero_state(arm), {0.02, 1});
  options.pid->gravity = true;
  ServoOptions servo;
  servo.bandwidth = 20;
  servo.gear = 50;
  servo.torque_constant = 0.2;
  servo.max_torque = 1e4;
  options.servos.assign(3, servo);
  Controller controller(options);
  ASSERT_EQ(controller.start(make_zero_state(arm)), Status::ok);
  Measurement y;
  y.q = y.v = VectorXd::Zero(3);
  VectorXd commands(3), torques(3);
  Servos machine(options.servos, controller.period());
  const double share = 1 - std::exp(-2 * std::numbers::pi * servo.bandwidth * controller.period());
  VectorXd acting = VectorXd::Zero(3);
  for (int k = 0; k < 5; ++k) {
    ASSERT_EQ(controller.update(y, commands), Status::ok);
    machine.drive(commands, torques);
    acting += share * (commands - acting);
    EXPECT_TRUE(is_close(torques, acting, 1e-12 * commands.norm()));
    EXPECT_TRUE(is_close(controller.currents(), commands / (50 * 0.2), 1e-12 * commands.norm()));
  }
  EXPECT_GT(commands[0], 2 * torques[0]);  // gravity compensation acts at once, while the servo lags
}

TEST(ModalCorrection, RefusesWhatDoesNotFit) {
  const Model arm = make_arm();
  const auto message = [&](auto change) -> std::string {
    ControlOptions options = make_slew(arm);
    options.correction = TrackingOptions{};
    change(options);
    try {
      check_control(options);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message([](ControlOptions& o) { o.correcting.modes = 1; }), "");
  EXPECT_NE(message([](ControlOptions& o) { o.correcting.modes = -1; }).find("0 or more"), std::string::npos);
  EXPECT_NE(message([](ControlOptions& o) {
              o.correcting.modes = 1;
              o.correcting.modal_ratio = 1;
            }).find("modal_ratio"),
            std::string::npos);
  EXPECT_NE(message([](ControlOptions& o) {
              o.correcting.modes = 1;
              o.damping = DampingOptions{};
            }).find("damped twice"),
            std::string::npos);
}

}  // namespace
}  // namespace limber::test
