// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Unit tests of the parts of a controller.
#include <numbers>

#include "limber/linear/riccati.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "support/arm.hpp"
#include "support/close.hpp"
#include "support/random.hpp"

namespace limber::test {
namespace {

constexpr Profile kProfiles[] = {Profile::trapezoid, Profile::quintic, Profile::cycloid};

TEST(Trajectory, MovesStartAndEndAtRestWithinTheirPeaks) {
  for (const Profile profile : kProfiles) {
    const Signal move = make_move(profile, 1, -2, 0.5, 4);
    EXPECT_DOUBLE_EQ(move.at(0).value, 1);
    EXPECT_DOUBLE_EQ(move.at(9).value, -2);
    EXPECT_NEAR(move.at(2.5).value, -0.5, 1e-12);
    const ProfilePeaks peak = peaks(profile);
    double speed = 0, acceleration = 0;
    for (int k = 0; k <= 4000; ++k) {
      const Jet jet = move.at(0.5 + 4 * (k + 0.5) / 4001);
      speed = std::max(speed, std::abs(jet.rate));
      acceleration = std::max(acceleration, std::abs(jet.acceleration));
    }
    EXPECT_NEAR(speed, 3 * peak.speed / 4, 1e-5);
    EXPECT_NEAR(acceleration, 3 * peak.acceleration / 16, 1e-5);
    if (profile == Profile::trapezoid) continue;
    EXPECT_NEAR(move.at(0.5, 1).acceleration, 0, 1e-12);
    EXPECT_NEAR(move.at(4.5, 4).acceleration, 0, 1e-9);
  }
}

TEST(Trajectory, PathsKeepTheLimitsAndMoveTogether) {
  const MoveLimits limits{Eigen::Vector2d(0.5, 0.1), Eigen::Vector2d(1, 1)};
  for (const Profile profile : kProfiles) {
    const JointPath path = make_path(profile, Eigen::Vector2d(0, 0), 1,
                                     {{Eigen::Vector2d(1, 0.5), 0, 2}, {Eigen::Vector2d(0, 1), 0, 0}}, limits);
    double top = 0;
    for (double t = 0; t < path.end + 1; t += 1e-3) {
      EXPECT_LE(std::abs(path.joints[0].at(t).rate), 0.5 * (1 + 1e-9));
      EXPECT_LE(std::abs(path.joints[1].at(t).rate), 0.1 * (1 + 1e-9));
      top = std::max(top, std::abs(path.joints[1].at(t).rate));
    }
    EXPECT_NEAR(top, 0.1, 1e-4);  // the slowest one is at its limit
    EXPECT_DOUBLE_EQ(path.joints[1].at(path.end + 1).value, 1);
  }
  EXPECT_THROW(make_path(Profile::quintic, Eigen::Vector2d(0, 0), 0, {{Eigen::Vector2d(1, 1), 0.1, 0}}, limits),
               InputError);
  EXPECT_THROW(make_path(Profile::quintic, Eigen::Vector2d(0, 0), 0, {{Eigen::Vector2d(1, 1), 0, 0}}, {}), InputError);
}

// The shortest move meets a limit and exceeds none.
TEST(Trajectory, TheShortestMoveKeepsItsLimits) {
  for (const Profile profile : kProfiles) {
    for (const double limit : {0.3, 2.0, 40.0}) {
      const double duration = shortest_duration(profile, -1.7, limit, 5);
      const Signal move = make_move(profile, 0, -1.7, 0, duration);
      double speed = 0, acceleration = 0;
      for (int k = 0; k < 4001; ++k) {
        const Jet jet = move.at(duration * (k + 0.5) / 4001);
        speed = std::max(speed, std::abs(jet.rate));
        acceleration = std::max(acceleration, std::abs(jet.acceleration));
      }
      EXPECT_LE(speed, limit * (1 + 1e-9));
      EXPECT_LE(acceleration, 5 * (1 + 1e-9));
      EXPECT_GT(std::max(speed / limit, acceleration / 5), 1 - 1e-5);
      // That of a path, whose trapezoids fit the limits, is not longer.
      EXPECT_LE(shortest_path_duration(profile, -1.7, limit, 5), duration);
    }
  }
}

TEST(Trajectory, RefusesNumbersWithoutSense) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  for (const Profile profile : kProfiles) {
    for (const double limit : {-1.0, 0.0, nan}) {
      EXPECT_THROW(shortest_duration(profile, 1, limit, 1), InputError);
      EXPECT_THROW(shortest_duration(profile, 1, 1, limit), InputError);
      EXPECT_THROW(shortest_path_duration(profile, 1, limit, 1), InputError);
      EXPECT_THROW(shortest_path_duration(profile, 1, 1, limit), InputError);
    }
    EXPECT_THROW(shortest_duration(profile, nan, 1, 1), InputError);
    EXPECT_THROW(make_move(profile, 0, nan, 0, 1), InputError);
    EXPECT_THROW(make_move(profile, 0, 1, 0, inf), InputError);
  }
}

TEST(Shaping, RefusesVibrationsWithoutSense) {
  const double nan = std::nan("");
  for (const double frequency : {-1.0, 0.0, nan}) {
    EXPECT_THROW(make_shaper(Shaper::zv, frequency, 0), InputError);
    EXPECT_THROW(residual_vibration({{0, 1}}, frequency, 0), InputError);
  }
  for (const double ratio : {1.0, -1.0, nan}) EXPECT_THROW(make_shaper(Shaper::zvd, 1, ratio), InputError);
  EXPECT_THROW(residual_vibration({}, 1, 0), InputError);
}

TEST(Shaping, ImpulsesLeaveNoVibration) {
  const double w = 3;
  for (const double ratio : {0.0, 0.02, 0.2}) {
    EXPECT_NEAR(residual_vibration(make_shaper(Shaper::zv, w, ratio), w, ratio), 0, 1e-14);
    EXPECT_NEAR(residual_vibration(make_shaper(Shaper::zvd, w, ratio), w, ratio), 0, 1e-14);
    // zvd: insensitive to first order; zv: not.
    EXPECT_LT(residual_vibration(make_shaper(Shaper::zvd, w, ratio), 1.01 * w, ratio), 1e-3);
    EXPECT_GT(residual_vibration(make_shaper(Shaper::zv, w, ratio), 1.01 * w, ratio), 5e-3);
  }
  EXPECT_NEAR(residual_vibration(make_shaper(Shaper::ei, w, 0), w, 0), kTolerated, 1e-12);
  const auto two = convolve(make_shaper(Shaper::zv, w, 0), make_shaper(Shaper::zv, 2.7 * w, 0));
  EXPECT_NEAR(residual_vibration(two, w, 0), 0, 1e-14);
  EXPECT_NEAR(residual_vibration(two, 2.7 * w, 0), 0, 1e-14);
}

TEST(Shaping, ShapedSignalsAreSumsOfEchoes) {
  const Signal move = make_move(Profile::cycloid, 0, 1, 0, 2);
  const auto shaper = make_shaper(Shaper::zvd, 4, 0.1);
  const Signal shaped = Signal::shaped(move, shaper);
  for (double t = -0.5; t < 5; t += 0.0371) {
    double value = 0, rate = 0, acceleration = 0;
    for (const Signal::Impulse& impulse : shaper) {
      const Jet jet = move.at(t - impulse.delay);
      value += impulse.weight * jet.value;
      rate += impulse.weight * jet.rate;
      acceleration += impulse.weight * jet.acceleration;
    }
    EXPECT_NEAR(shaped.at(t).value, value, 1e-13);
    EXPECT_NEAR(shaped.at(t).rate, rate, 1e-13);
    EXPECT_NEAR(shaped.at(t).acceleration, acceleration, 1e-12);
  }
  EXPECT_NEAR(shaped.at(9).value, 1, 1e-14);
}

// K x = w^2 M x with the driven joints locked: one clamped beam has the textbook roots.
TEST(Shaping, VibrationsOfTheHeldArm) {
  const Model arm = make_arm({.damping = 0.01});
  const DrivenJoints driven = find_driven_joints(arm, {});
  const auto held = compute_vibrations(arm, make_zero_state(arm), driven.mask);
  ASSERT_EQ(held.size(), 6u);
  for (std::size_t k = 1; k < held.size(); ++k) EXPECT_GT(held[k].frequency, held[k - 1].frequency);
  EXPECT_NEAR(held[0].frequency / (2 * std::numbers::pi), 0.1555, 1e-3);
  for (const int v : driven.v) EXPECT_EQ(held[0].shape[v], 0);
}

TEST(Riccati, MeetsItsEquationAndStabilises) {
  Random random(5);
  for (int k = 0; k < 20; ++k) {
    const int n = 2 + random.index(8), m = 1 + random.index(3);
    const MatrixXd A = random.matrix(n, n, 0.8), B = random.matrix(n, m), Q = MatrixXd::Identity(n, n),
                   R = random.positive(m, 0.5, 1);
    const auto X = solve_riccati(A, B, Q, R);
    ASSERT_TRUE(X.has_value());
    const MatrixXd S = R + B.transpose() * *X * B, K = Lu(S).solve(MatrixXd(B.transpose() * *X * A));
    const MatrixXd right = A.transpose() * *X * A - A.transpose() * *X * B * K + Q;
    EXPECT_TRUE(is_close(*X, right, 1e-9 * X->norm()));
    EXPECT_LT(eigenvalues_general(A - B * K).cwiseAbs().maxCoeff(), 1);
  }
  // Unstable, and not stabilisable.
  EXPECT_FALSE(solve_riccati(2 * MatrixXd::Identity(2, 2), Eigen::Vector2d(1, 0), MatrixXd::Identity(2, 2),
                             MatrixXd::Identity(1, 1)));
}

TEST(Servos, LimitTorqueAndRateAndLag) {
  ServoOptions servo;
  servo.max_torque = 10;
  servo.max_torque_rate = 1000;
  servo.gear = 50;
  servo.torque_constant = 0.1;
  Servos servos({servo}, 1e-3);
  VectorXd command = VectorXd::Constant(1, 100), torque(1);
  servos.drive(command, torque);
  EXPECT_DOUBLE_EQ(torque[0], 1);  // due to the rate
  EXPECT_TRUE(servos.saturated(0));
  for (int k = 0; k < 20; ++k) servos.drive(command, torque);
  EXPECT_DOUBLE_EQ(torque[0], 10);
  EXPECT_DOUBLE_EQ(servos.currents()[0], 2);
  ServoOptions lag;
  lag.bandwidth = 100;
  Servos slow({lag}, 1e-3);
  for (int k = 0; k < 3; ++k) slow.drive(command, torque);
  EXPECT_NEAR(torque[0], 100 * (1 - std::exp(-2 * std::numbers::pi * 0.3)), 1e-9);
  EXPECT_FALSE(slow.saturated(0));
}

TEST(Sensors, RoundDelayAndHold) {
  const Model arm = make_arm();
  const DrivenJoints driven = find_driven_joints(arm, {});
  SensorOptions options;
  options.encoders.assign(3, {});
  options.encoders[0].resolution = 0.1;
  options.delay = 2;
  Sensors sensors(arm, driven, options, 1e-3);
  RneaWorkspace ws(arm);
  State x = make_zero_state(arm);
  const auto read = [&](double q) {
    x.q[driven.q[0]] = q;
    compute_kinematics(arm, x, ws.kinematics());
    compute_world_poses(arm, ws.kinematics());
    return sensors.read(x, ws.kinematics(), VectorXd()).q[0];
  };
  EXPECT_DOUBLE_EQ(read(0.26), 0.3);
  EXPECT_DOUBLE_EQ(read(0.5), 0.3);
  EXPECT_DOUBLE_EQ(read(0.6), 0.3);
  EXPECT_DOUBLE_EQ(read(0.7), 0.5);
}

TEST(Sensors, AnAccelerometerAtRestFeelsTheWeight) {
  const Model arm = make_arm({.gravity = {0, -9.81, 0}});
  const DrivenJoints driven = find_driven_joints(arm, {});
  SensorOptions options;
  options.accelerometers.push_back({"tip", kArmTip, 0});
  Sensors sensors(arm, driven, options, 1e-3);
  RneaWorkspace ws(arm);
  State x = make_zero_state(arm);
  x.q[0] = std::numbers::pi / 2;
  compute_kinematics(arm, x, ws.kinematics());
  compute_world_poses(arm, ws.kinematics());
  const VectorXd rest = VectorXd::Zero(arm.nv);
  EXPECT_TRUE(is_close(Vector3d(sensors.read(x, ws.kinematics(), rest).acceleration), Vector3d(9.81, 0, 0), 1e-12));
}

// An estimator with a wrong initial state converges to the modes, from encoders alone and with more sensors.
TEST(Estimator, FindsTheModes) {
  const Model arm = make_arm({.damping = 0.01});
  ControlOptions options = make_slew(arm);
  const double period = 1e-3;
  for (int extra = 0; extra < 3; ++extra) {
    SensorOptions sensors;
    sensors.encoders.assign(3, {});
    if (extra == 1) sensors.strains.push_back(make_curvature_gauge(arm, {1, 0}, {1, 1}, 2));
    if (extra == 2) sensors.accelerometers.push_back({"tip", kArmTip, 0});
    Schedule phase, gains;
    const Predictor predictor = make_predictor(arm, options.driven, make_zero_state(arm), period);
    phase.add(0, predictor.phase);
    gains.add(0, compute_kalman_gain(arm, options.driven, sensors, predictor, options.kalman));
    Estimator estimator(arm, options.driven, sensors, phase, gains, period);
    State x = make_zero_state(arm);
    ASSERT_EQ(estimator.start(x), Status::ok);
    x.q[arm.first_mode_q(1)] = 0.2;
    System system(arm, {});
    SolverOptions solver;
    solver.method = "rk4";
    solver.step = period;
    const auto stepper = make_stepper(system, solver);
    ASSERT_EQ(stepper->start({x}), Status::ok);
    Sensors readings(arm, options.driven, sensors, period);
    VectorXd vdot = VectorXd::Zero(arm.nv);
    const VectorXd none = VectorXd::Zero(3);
    const double before = (estimator.state().q - x.q).norm();
    for (int k = 0; k < (kSanitized ? 100 : 5000); ++k) {
      const State& now = stepper->now().x;
      ASSERT_EQ(system.accelerate(now, vdot), Status::ok);
      ASSERT_EQ(estimator.correct(readings.read(now, system.compute_kinematics(now), vdot)), Status::ok);
      ASSERT_EQ(estimator.propagate(none), Status::ok);
      ASSERT_EQ(stepper->step((k + 1) * period), Status::ok);
    }
    if (kSanitized) continue;
    EXPECT_LT((estimator.state().q - stepper->now().x.q).norm(), 0.05 * before) << "with sensors " << extra;
  }
}

TEST(Gains, RefuseSensorsAndPeriodsWithoutSense) {
  const Model arm = make_arm({.damping = 0.01});
  const DrivenJoints driven = find_driven_joints(arm, {});
  const State x = make_zero_state(arm);
  const auto kalman = [&](const SensorOptions& sensors, const KalmanOptions& options = {}) {
    return compute_kalman_gain(arm, driven, sensors, x, options, 1e-2);
  };
  const auto refused = [&](const SensorOptions& sensors) {
    EXPECT_THROW(kalman(sensors), InputError) << sensors.delay << ", " << sensors.every;
    EXPECT_THROW(Sensors(arm, driven, sensors, 1e-2), InputError) << sensors.delay << ", " << sensors.every;
  };
  for (const int delay : {-3, -1, 1000000000}) refused({{}, {}, {}, delay, 1, 1});
  for (const int every : {-2, 0, 1000000000}) refused({{}, {}, {}, 0, every, 1});
  refused({{EncoderOptions()}, {}, {}, 0, 1, 1});
  KalmanOptions steps;
  steps.torque_steps.setOnes(1);
  EXPECT_THROW(kalman(SensorOptions(), steps), InputError);
  for (const double period : {-1.0, 0.0, std::nan("")})
    EXPECT_THROW(compute_lqr_gain(arm, driven, x, {}, period), InputError) << period;
}

}  // namespace
}  // namespace limber::test
