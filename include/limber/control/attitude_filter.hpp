// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/control/attitude_sensors.hpp"

namespace limber {

struct AttitudeFilterOptions {
  double bias = 1e-3;  // rad/s, standard deviation of the gyro's bias before anything is known of it
};

// Attitude and gyro bias from gyro and star tracker: the multiplicative extended Kalman filter.  [Lefferts, Markley,
// Shuster 1982].  The gyro moves the attitude, the star tracker corrects attitude and bias; errors are small turns in
// the body's axes.  A late reading of the stars is compared with the attitude of its time, and its correction turned to
// now.  With a late gyro the filter runs that much behind; the attitude of now goes on from there with its last rate.
class AttitudeFilter {
 public:
  AttitudeFilter(const GyroOptions& gyro, const StarTrackerOptions& stars, const AttitudeFilterOptions& options,
                 double period);
  void restart();  // as new
  // One sample.  The first sets the attitude.  No allocation.
  void update(const AttitudeReading& reading);
  const Eigen::Quaterniond& attitude() const { return now_; }              // of the body in world
  Vector3d rate() const { return rate_; }                                  // rad/s: of the gyro less its bias
  const Vector3d& bias() const { return bias_; }                           // rad/s
  const Matrix6& covariance() const { return P_; }                         // of turn (rad) and bias (rad/s) errors
  const Vector3d& innovation() const { return innovation_; }               // rad, of the last reading of the stars
  const Matrix3d& innovation_covariance() const { return innovation_P_; }  // rad^2
  void transfer(Archive& archive);                                         // all that the next samples depend on

 private:
  void predict(const Vector3d& rate);
  void correct(const Eigen::Quaterniond& stars);

  GyroOptions gyro_;
  StarTrackerOptions stars_;
  AttitudeFilterOptions options_;
  double period_;
  struct Stars {
    Eigen::Quaterniond attitude = Eigen::Quaterniond::Identity();
    bool fresh = false;
  };
  Eigen::Quaterniond attitude_, now_;  // at the time of the gyro's reading; now
  Vector3d bias_, rate_, innovation_;
  Matrix3d innovation_P_;
  Matrix6 P_;
  std::vector<Eigen::Quaterniond> past_;  // attitudes of the last samples
  std::vector<Stars> early_;              // readings of stars that the gyro is behind
  long samples_ = 0;
};

}  // namespace limber
