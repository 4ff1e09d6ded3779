// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Consistency of the attitude filter: its covariance matches its errors.
#include "limber/control/attitude_filter.hpp"

#include <random>

#include "limber/control/attitude_path.hpp"
#include "limber/spatial/rotation.hpp"
#include "support/close.hpp"
#include "support/satellite.hpp"

namespace limber::test {
namespace {

// Runs the filter on a body with the angular velocity w(t), with the noise given to the filter.
struct FilterRun {
  double nees = 0, nis = 0;         // normalized squares of errors (6) and innovations (3), means
  Vector3d lag = Vector3d::Zero();  // correlation of successive innovations
  int innovations = 0;
  Vector6 error;  // at the end
  Matrix6 P;
};

FilterRun run_filter(unsigned seed, int delay, double bias_walk) {
  const double T = 0.1, bias = 2e-4;
  GyroOptions gyro;
  gyro.noise.setConstant(2e-5);
  gyro.bias_walk.setConstant(bias_walk);
  StarTrackerOptions stars;
  stars.noise << 5e-5, 8e-5, 3e-4;
  stars.every = 10;
  stars.delay = delay;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 3; ++k) gyro.bias[k] = bias * normal(random);
  const Model model = make_satellite({.panels = false, .wheels = 0});
  AttitudeSensorOptions options;
  options.gyro = gyro;
  options.star_tracker = stars;
  options.seed = seed + 1000;
  AttitudeSensors sensors(model, 1, options, T);
  AttitudeFilter filter(gyro, stars, {bias}, T);
  KinematicsWorkspace kin(model);
  State x = make_zero_state(model);
  FilterRun out;
  Vector3d last = Vector3d::Zero();
  int count = 0;
  for (int k = 0; k < 3000; ++k) {
    const Vector3d rate(0.02 * std::sin(0.05 * k * T), 0.01, -0.015 * std::cos(0.03 * k * T));
    VectorXd q = x.q.head<4>();
    if (k > 0) quaternion_turn(q.data(), T * rate, x.q.data());
    x.v.head<3>() = rate;
    compute_kinematics(model, x, kin);
    compute_world_poses(model, kin);
    const AttitudeReading& reading = sensors.read(x, kin, VectorXd());
    filter.update(reading);
    const Eigen::Quaterniond truth(x.q[0], x.q[1], x.q[2], x.q[3]);
    out.error << attitude_error(filter.attitude(), truth), sensors.bias() - filter.bias();
    out.P = filter.covariance();
    if (k > 200 && k % 100 == 50) {
      out.nees += out.error.dot(out.P.inverse() * out.error);
      ++count;
    }
    if (!reading.fresh || k < 200) continue;
    const Matrix3d root = filter.innovation_covariance().llt().matrixL();
    const Vector3d white = root.inverse() * filter.innovation();
    out.nis += white.squaredNorm();
    if (out.innovations > 0) out.lag += white.cwiseProduct(last);
    last = white;
    ++out.innovations;
  }
  out.nees /= count;
  out.nis /= out.innovations;
  out.lag /= out.innovations;
  return out;
}

TEST(AttitudeFilter, ErrorsAndInnovationsAreAsLargeAsItSaysAndWhite) {
  constexpr int kRuns = 40;
  double nees = 0, nis = 0;
  Vector3d lag = Vector3d::Zero();
  int innovations = 0;
  for (unsigned seed = 1; seed <= kRuns; ++seed) {
    const FilterRun run = run_filter(seed, 0, 1e-6);
    // Only at the end of a run: runs are independent, times within a run are not.
    nees += run.error.dot(run.P.inverse() * run.error) / kRuns;
    nis += run.nis / kRuns;
    lag += run.lag / kRuns;
    innovations += run.innovations;
  }
  // Chi-square of 6 and 3 degrees: means 6 and 3, variances 12 and 6 over the number of draws; 4 standard deviations.
  EXPECT_NEAR(nees, 6, 4 * std::sqrt(12.0 / kRuns));
  EXPECT_NEAR(nis, 3, 4 * std::sqrt(6.0 / innovations));
  EXPECT_LT(lag.cwiseAbs().maxCoeff(), 4 / std::sqrt(double(innovations)));
}

TEST(AttitudeFilter, FindsTheBiasAndBeatsTheStarTracker) {
  constexpr int kSome = 10;
  double bias = 0, turn = 0;
  for (unsigned seed = 1; seed <= kSome; ++seed) {
    const FilterRun run = run_filter(seed, 0, 0);
    turn += run.error.head<3>().squaredNorm() / kSome;
    bias += run.error.tail<3>().squaredNorm() / kSome;
    EXPECT_LT(run.P(2, 2), 0.05 * 3e-4 * 3e-4);
  }
  EXPECT_LT(std::sqrt(bias), 2e-6);  // of 2e-4 rad/s
  EXPECT_LT(std::sqrt(turn), 1e-4);  // the stars: 3e-4 rad
}

TEST(AttitudeFilter, KnowsLateReadingsOfTheStars) {
  constexpr int kLate = 20;
  double nees = 0, plain = 0;
  for (unsigned seed = 1; seed <= kLate; ++seed) {
    const FilterRun run = run_filter(seed, 4, 1e-6), prompt = run_filter(seed, 0, 1e-6);
    nees += run.error.dot(run.P.inverse() * run.error) / kLate;
    plain += prompt.error.head<3>().norm() / kLate;
  }
  EXPECT_NEAR(nees, 6, 4 * std::sqrt(12.0 / kLate));
  EXPECT_LT(plain, 1e-4);
}

// With a delayed gyro: exact at constant angular velocity, off by a (d T)^2 / 2 and similar terms at the angular
// acceleration a.
TEST(AttitudeFilter, KnowsTheDelayOfTheGyro) {
  const double T = 0.05;
  const Model model = make_satellite({.panels = false, .wheels = 0});
  for (const int late_stars : {0, 3, 6, 9}) {
    for (const double acceleration : {0.0, 1e-3}) {
      AttitudeSensorOptions options;
      options.gyro.emplace();
      options.gyro->delay = 6;
      options.star_tracker.emplace();
      options.star_tracker->delay = late_stars;
      options.star_tracker->every = 4;
      StarTrackerOptions believed = *options.star_tracker;
      believed.noise.setConstant(1e-4);
      AttitudeSensors sensors(model, 1, options, T);
      AttitudeFilter filter(*options.gyro, believed, {1e-3}, T);
      KinematicsWorkspace kin(model);
      State x = make_zero_state(model);
      double most = 0;
      for (int k = 0; k < 400; ++k) {
        const Vector3d rate(0.02 + acceleration * k * T, 0, 0);
        VectorXd q = x.q.head<4>();
        if (k > 0) quaternion_turn(q.data(), T * rate, x.q.data());
        x.v.head<3>() = rate;
        compute_kinematics(model, x, kin);
        compute_world_poses(model, kin);
        filter.update(sensors.read(x, kin, VectorXd()));
        const Eigen::Quaterniond truth(x.q[0], x.q[1], x.q[2], x.q[3]);
        if (k > 20) most = std::max(most, attitude_error(filter.attitude(), truth).norm());
      }
      const double behind = options.gyro->delay * T;
      if (acceleration == 0) {
        EXPECT_LT(most, 1e-10) << late_stars;
      }
      EXPECT_LT(most, 1e-10 + 0.7 * acceleration * behind * behind) << late_stars;
    }
  }
}

TEST(AttitudeSensors, HaveNoiseBiasWalkMisalignmentAndDelay) {
  const Model model = make_satellite({.panels = false, .wheels = 0});
  State x = make_zero_state(model);
  KinematicsWorkspace kin(model);
  compute_kinematics(model, x, kin);
  compute_world_poses(model, kin);
  AttitudeSensorOptions options;
  options.gyro =
      GyroOptions{.noise = Vector3d(1e-3, 0, 0), .bias = Vector3d(0, 1e-2, 0), .bias_walk = Vector3d(0, 0, 1e-3)};
  options.star_tracker = StarTrackerOptions{.misalignment = Vector3d(0, 0, 0.1)};
  AttitudeSensors sensors(model, 1, options, 0.1);
  double squares = 0, walked = 0;
  constexpr int kReadings = 4000;
  Vector3d last = Vector3d::Zero();
  for (int k = 0; k < kReadings; ++k) {
    const AttitudeReading& reading = sensors.read(x, kin, VectorXd());
    squares += reading.rate[0] * reading.rate[0] / kReadings;
    EXPECT_DOUBLE_EQ(reading.rate[1], 1e-2);
    walked += (sensors.bias() - last).tail<1>().squaredNorm() / kReadings;
    last = sensors.bias();
    EXPECT_LT((attitude_error(Eigen::Quaterniond::Identity(), reading.attitude) - Vector3d(0, 0, 0.1)).norm(), 1e-12);
  }
  EXPECT_NEAR(squares, 1e-6, 1e-6 * 5 * std::sqrt(2.0 / kReadings));
  EXPECT_NEAR(walked, 1e-6 * 0.1, 1e-7 * 5 * std::sqrt(2.0 / kReadings));
  // Delayed and infrequent readings.
  options.gyro = GyroOptions{.delay = 2};
  options.star_tracker = StarTrackerOptions{.delay = 3, .every = 5};
  AttitudeSensors late(model, 1, options, 0.1);
  int fresh = 0;
  for (int k = 0; k <= 23; ++k) {
    const VectorXd q = x.q.head<4>();
    const double rate = 0.01 * k;
    if (k > 0) quaternion_turn(q.data(), Vector3d(0, 0, 0.1 * rate), x.q.data());
    x.v[2] = rate;
    compute_kinematics(model, x, kin);
    compute_world_poses(model, kin);
    const AttitudeReading& reading = late.read(x, kin, VectorXd());
    EXPECT_NEAR(reading.rate[2], 0.01 * std::max(0, k - 2), 1e-12) << k;
    fresh += reading.fresh ? 1 : 0;
    EXPECT_EQ(reading.fresh, k == 0 || (k > 3 && (k - 3) % 5 == 0)) << k;
  }
  EXPECT_EQ(fresh, 5);
}

}  // namespace
}  // namespace limber::test
