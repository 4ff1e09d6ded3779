// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/control/attitude.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr double kLowestRate = 1e-2, kHighestRate = 1e5;  // Hz

void check_sizes(const VectorXd& values, std::size_t n, bool above_zero, const char* name) {
  if (values.size() == 0) return;
  if (values.size() != static_cast<Eigen::Index>(n) || !values.allFinite())
    throw InputError(std::string(name) + " of the wheels needs one number for each of them, " + std::to_string(n));
  if (above_zero && !(values.minCoeff() > 0)) throw InputError(std::string(name) + " of a wheel must be above 0");
}

void check_wheels(const WheelOptions& wheels) {
  check_sizes(wheels.max_torque, wheels.joints.size(), true, "max_torque");
  check_sizes(wheels.max_speed, wheels.joints.size(), true, "max_speed");
  check_sizes(wheels.bias, wheels.joints.size(), false, "bias");
  if (wheels.bias.size() > 0 && wheels.joints.size() < 4)
    throw InputError("a bias of the wheels needs at least four wheels: three have no speeds without net momentum");
  if (!(wheels.bias_time > 0)) throw InputError("bias_time of the wheels must be above 0");
}

void check_thrusters(const AttitudeOptions& options) {
  const ThrusterSetOptions& set = options.thrusters;
  for (const ThrusterOptions& one : set.thrusters) {
    if (!(one.force > 0 && std::isfinite(one.force)))
      throw InputError("thruster '" + one.name + "' needs a force above 0");
    if (!(std::abs(one.direction.norm() - 1) < 1e-6))
      throw InputError("thruster '" + one.name + "' needs a direction of length 1");
  }
  if (set.thrusters.empty()) return;
  const bool alone = options.wheels.joints.empty();
  if (!alone && !(set.unload > 0))
    throw InputError(
        "wheels and thrusters act on the same body: with wheels, thrusters only unload them; write unload: 1");
  if (alone && set.unload > 0) throw InputError("unload applies only with wheels; remove it");
  if (set.modulation == Modulation::deadband && (!alone || !options.feedback))
    throw InputError("modulation: deadband switches on the attitude error: it needs feedback, and no wheels");
  if (!(set.deadband > 0 && set.hysteresis >= 0 && set.hysteresis < set.deadband))
    throw InputError("the deadband of thrusters must be above 0, and their hysteresis 0 or more and below it");
  if (!(set.period * options.rate >= 1 - 1e-9))
    throw InputError("the period of the thrusters' pulses must be at least that of the controller");
  if (!(set.minimum_pulse >= 0)) throw InputError("minimum_pulse must be 0 or more");
  if (set.modulation == Modulation::pulse_width && set.minimum_pulse > set.period)
    throw InputError("minimum_pulse is longer than the period of the pulses");
}

}  // namespace

void check_attitude(const AttitudeOptions& options) {
  if (!options.model) throw InputError("an attitude controller needs a model");
  const Model& model = *options.model;
  if (!model.closures.empty()) throw InputError("the model of a controller cannot have closures; give it one without");
  if (!(options.rate >= kLowestRate && options.rate <= kHighestRate))
    throw InputError("the rate must be between 0.01 and 100000 Hz");
  const int body = find_attitude_body(model, options.body);
  const std::vector<int> wheels = find_wheels(model, options.wheels.joints);
  for (const int i : wheels) {
    if (model.joints[i].parent.body != body)
      throw InputError("wheel '" + model.joints[i].name + "' must sit on body '" + options.body + "'");
  }
  if (wheels.empty() && options.thrusters.thrusters.empty())
    throw InputError("the body has no actuators; add wheels: {joints: [...]} or thrusters: {list: [...]}");
  check_wheels(options.wheels);
  check_thrusters(options);
  if (!options.feedback && options.feed_forward == FeedForward::none)
    throw InputError("there is neither feedback nor feed_forward; add feedback: {quaternion: {frequency: 0.05}}");
  if (options.feedback && (!(options.feedback->frequency > 0) || options.feedback->frequency > options.rate / 10))
    throw InputError("quaternion feedback needs a frequency above 0 and at most a tenth of the rate");
  if (options.feedback && !(options.feedback->ratio > 0))
    throw InputError("quaternion feedback needs a damping ratio above 0");
  const AttitudeSensorOptions& sensors = options.sensors;
  if (options.estimator && (!sensors.gyro || !sensors.star_tracker))
    throw InputError("the estimator needs a gyro and a star_tracker among the sensors");
  if (options.estimator && !(sensors.star_tracker->noise.minCoeff() > 0))
    throw InputError(
        "the estimator needs a star_tracker with noise above 0 about every axis, because its gain depends on it");
  if (options.estimator && !(options.estimator->bias > 0)) throw InputError("bias of the estimator must be above 0");
}

}  // namespace limber
