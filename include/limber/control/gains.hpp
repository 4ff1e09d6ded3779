// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/sensors.hpp"

namespace limber {

// Kalman filter: standard deviations of white noise.  `least_...`: lower bounds, for sensors that are exact.
struct KalmanOptions {
  double acceleration = 0.01;  // process noise on every coordinate: rad/s^2, m/s^2 or per modal unit
  double least_position = 1e-6, least_speed = 1e-5;
  double least_strain = 1e-9, least_acceleration = 1e-3;
};

// Linear-quadratic regulator: deviations of equal weight (Bryson's rule).
struct LqrOptions {
  double position = 1e-3, speed = 1e-2;  // error of a joint: rad, rad/s
  double torque = 100;                   // Nm beside the feed-forward
  double vibration = 1e-3;               // J of elastic and kinetic energy in the modes
};

// x = (dq, dv), q along the directions of speeds; the readings y = (q, v where there are tachometers, strains, specific
// forces) in this order.  Both gains are for the machine at rest at x, sampled with the period and held torques.
// Throws InputError when the machine is not detectable from the sensors, or not stabilizable by the driven joints.
MatrixXd compute_kalman_gain(const Model& model, const DrivenJoints& driven, const SensorOptions& sensors,
                             const State& x, const KalmanOptions& options, double period);  // (2 nv x readings)
MatrixXd compute_lqr_gain(const Model& model, const DrivenJoints& driven, const State& x, const LqrOptions& options,
                          double period);  // (driven coordinates x 2 nv)

// Gain schedule along a motion, linear in time between its points.
class Schedule {
 public:
  void add(double t, MatrixXd gain);             // times rise
  const MatrixXd& at(double t);                  // no allocation; must not be empty
  bool empty() const { return gains_.empty(); }  // no points

 private:
  std::vector<double> times_;
  std::vector<MatrixXd> gains_;
  MatrixXd now_;
};

}  // namespace limber
