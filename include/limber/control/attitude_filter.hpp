// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/control/attitude_sensors.hpp"

namespace limber {

struct AttitudeFilterOptions {
  double bias = 1e-3;  // rad/s, initial standard deviation of the gyro bias
};

// Attitude and gyro bias from gyro and star tracker: the multiplicative extended Kalman filter.  [Lefferts, Markley,
// Shuster 1982].  The gyro propagates the attitude, the star tracker corrects attitude and bias; errors are small
// rotations in the body axes.  A delayed star reading is compared with the attitude at its time, and its correction
// rotated to the present.  With a delayed gyro the filter lags by the delay; the present attitude is extrapolated at
// the last rate.
class AttitudeFilter {
 public:
  AttitudeFilter(const GyroOptions& gyro, const StarTrackerOptions& stars, const AttitudeFilterOptions& options,
                 double period);
  void restart();  // as new
  // Processes one sample.  The first sets the attitude.  No allocation.
  void update(const AttitudeReading& reading);
  const Eigen::Quaterniond& attitude() const { return now_; }              // of the body in world
  Vector3d rate() const { return rate_; }                                  // rad/s: gyro reading minus its bias
  const Vector3d& bias() const { return bias_; }                           // rad/s
  const Matrix6& covariance() const { return P_; }                         // of rotation (rad) and bias (rad/s) errors
  const Vector3d& innovation() const { return innovation_; }               // rad, of the last star reading
  const Matrix3d& innovation_covariance() const { return innovation_P_; }  // rad^2
  void transfer(Archive& archive);                                         // everything that later samples depend on

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
  Eigen::Quaterniond attitude_, now_;  // at the time of the gyro reading; at present
  Vector3d bias_, rate_, innovation_;
  Matrix3d innovation_P_;
  Matrix6 P_;
  std::vector<Eigen::Quaterniond> past_;  // attitudes of the last samples
  std::vector<Stars> early_;              // star readings that are newer than the gyro reading
  long samples_ = 0;
};

}  // namespace limber
