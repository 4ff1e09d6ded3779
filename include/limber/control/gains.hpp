// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/sensors.hpp"

namespace limber {

// What the filter believes.  White noise, as standard deviations; sensors that are exact count with the `least` ones.
struct KalmanOptions {
  double acceleration = 0.01;  // of every coordinate, unknown to the model: rad/s^2, m/s^2 or per modal unit
  double least_position = 1e-6, least_speed = 1e-5;
  double least_strain = 1e-9, least_acceleration = 1e-3;
};

// What the regulator weighs: each of these is worth as much as the others.
struct LqrOptions {
  double position = 1e-3, speed = 1e-2;  // error of a hinge: rad, rad/s
  double torque = 100;                   // Nm beside the feed-forward
  double vibration = 1e-3;               // J of elastic and kinetic energy in the modes
};

// x = (dq, dv), q along the directions of speeds; the readings y = (q, v where there are tachometers, strains, specific
// forces) in this order.  Both gains are for the machine at rest at x, sampled with the period and held torques.
// Throws InputError: something that does not come to rest by itself is out of sight or out of reach.
MatrixX compute_kalman_gain(const Model& model, const DrivenJoints& hinges, const SensorOptions& sensors,
                            const State& x, const KalmanOptions& options, double period);  // (2 nv x readings)
MatrixX compute_lqr_gain(const Model& model, const DrivenJoints& hinges, const State& x, const LqrOptions& options,
                         double period);  // (hinge coordinates x 2 nv)

// Gains along a motion, straight lines in time between them.
class Schedule {
 public:
  void add(double t, MatrixX gain);  // times rise
  const MatrixX& at(double t);       // no allocation; there must be one
  bool empty() const { return gains_.empty(); }

 private:
  std::vector<double> times_;
  std::vector<MatrixX> gains_;
  MatrixX now_;
};

}  // namespace limber
