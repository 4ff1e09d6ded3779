// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/gains.hpp"
#include "limber/linear/linearize.hpp"

namespace limber {

// Linearised readings: y = C x + D u, in the order of the gains; u: torques on all speeds.
struct Readings {
  MatrixXd C, D;
  VectorXd noise;  // variances
};
// machine: linearised at rest at x.
Readings make_readings(const Model& model, const DrivenJoints& driven, const SensorOptions& sensors, const State& x,
                       const KalmanOptions& options, const LinearSystem& machine);

// Throws InputError: check_sensors, or torque_steps of another size.
void check_readings(const DrivenJoints& driven, const SensorOptions& sensors, const KalmanOptions& options);

}  // namespace limber
