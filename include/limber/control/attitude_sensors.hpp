// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "limber/dynamics/kinematics.hpp"
#include "limber/simulate/archive.hpp"

namespace limber {

// Three gyros on a body, in its axes.  A reading is the mean rate since the previous one, like that of a
// rate-integrating gyro.
struct GyroOptions {
  Vector3d noise = Vector3d::Zero();         // rad/s, standard deviation of a reading
  Vector3d bias = Vector3d::Zero();          // rad/s, at the start
  Vector3d bias_walk = Vector3d::Zero();     // rad/s per root of a second: random walk of the bias
  Vector3d misalignment = Vector3d::Zero();  // rad: rotation vector of its axes in the body axes, not known
  int delay = 0;                             // samples until a reading arrives
};

// Reads the attitude in world.
struct StarTrackerOptions {
  Vector3d noise = Vector3d::Zero();         // rad about each axis, standard deviation
  Vector3d misalignment = Vector3d::Zero();  // rad, as for the gyro
  int delay = 0;                             // samples until a reading arrives
  int every = 1;                             // samples between readings
};

// Specific force (acceleration minus gravity) at a node, in its axes; together with a gyro, an IMU.
struct ImuAccelerometerOptions {
  std::string node;
  Vector3d noise = Vector3d::Zero(), bias = Vector3d::Zero();  // m/s^2
};

// Without a gyro or star tracker the rate or the attitude is known exactly.
struct AttitudeSensorOptions {
  std::optional<GyroOptions> gyro;
  std::optional<StarTrackerOptions> star_tracker;
  std::optional<ImuAccelerometerOptions> accelerometer;
  unsigned seed = 1;
};

// The readings that arrive at one sample.
struct AttitudeReading {
  Vector3d rate = Vector3d::Zero();  // rad/s
  Eigen::Quaterniond attitude = Eigen::Quaterniond::Identity();
  bool fresh = true;                           // the attitude is new; otherwise the previous one
  Vector3d specific_force = Vector3d::Zero();  // m/s^2
};

// Simulated attitude sensors of a body.  Only the constructor allocates.
class AttitudeSensors {
 public:
  AttitudeSensors(const Model& plant, int body, AttitudeSensorOptions options, double period);
  bool wants_accelerations() const { return options_.accelerometer.has_value(); }  // vdot in read
  void restart();                                                                  // as new
  // kin: of x, with poses in world.
  const AttitudeReading& read(const State& x, const Kinematics& kin, ConstVec vdot);
  const Vector3d& bias() const { return bias_; }  // true bias of the gyro at present
  void transfer(Archive& archive);                // everything that later readings depend on

 private:
  Vector3d noise(const Vector3d& deviation);
  Vector3d read_gyro(const Matrix3d& R, const Vector3d& rate);
  Eigen::Quaterniond read_stars(const Matrix3d& R);

  const Model& plant_;
  int body_;
  AttitudeSensorOptions options_;
  NodeRef accelerometer_;
  double period_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  Vector3d bias_;
  Matrix3d last_;                          // attitude at the previous reading
  std::vector<Vector3d> rates_;            // delayed
  std::vector<Eigen::Quaterniond> stars_;  // delayed
  AttitudeReading out_;
  long reads_ = 0;
};

}  // namespace limber
