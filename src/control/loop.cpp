// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/loop.hpp"

#include <algorithm>
#include <unordered_map>

#include "limber/control/linear_loop.hpp"
#include "limber/model/drive.hpp"

namespace limber {
namespace {

void check_same_kinds(const Model& plant, const DrivenJoints& driven, const ControlOptions& options) {
  for (std::size_t k = 0; k < driven.joints.size(); ++k) {
    const Joint& own = options.model->joints[options.driven.joints[k]];
    const Joint& there = plant.joints[driven.joints[k]];
    if (own.kind == there.kind) continue;
    throw InputError("joint '" + own.name + "' is " + to_string(own.kind) + " for the controller, but " +
                     to_string(there.kind) + " in the machine");
  }
}

}  // namespace

ControlLoop::ControlLoop(const Model& plant, SensorOptions sensors, ControlOptions options)
    : plant_(plant),
      driven_(find_same_joints(*options.model, options.driven, plant)),
      sensors_(plant, driven_, std::move(sensors), 1 / options.rate),
      controller_((check_same_kinds(plant, driven_, options), std::move(options))),
      servos_(controller_.options().servos, controller_.period()),
      tracking_(plant, driven_, controller_.options()) {
  torque_.setZero(driven_.size());
  command_ = acting_ = torque_;
}

Status ControlLoop::hold(const State& x, ConstVec torques) {
  started_ = true;
  for (int k = 0; k < driven_.size(); ++k) torque_[k] = torques[driven_.v[k]];
  State seen = x;
  for (const int joint : driven_.joints) {
    const MotorIndex motor = motor_index(plant_, joint);
    if (motor.v < 0) continue;
    const double ratio = plant_.joints[joint].drive->ratio;
    for (int k = 0; k < driven_.size(); ++k) {
      if (driven_.v[k] != plant_.joints[joint].v) continue;
      torque_[k] += ratio * torques[motor.v];
      // With a twisted transmission, an encoder on the motor does not measure the joint position.
      const bool on_link = sensors_.options().encoders[static_cast<std::size_t>(k)].on_link;
      if (!on_link) seen.q[driven_.q[k]] = x.q[motor.q] / ratio;
    }
  }
  command_ = torque_;
  servos_.start(torque_);
  return controller_.hold(translate_state(plant_, seen, *controller_.options().model), torque_);
}

Status ControlLoop::sample(const State& x, const Kinematics& kin, ConstVec vdot, Vec torques) {
  if (!started_) {
    started_ = true;
    const Model& model = *controller_.options().model;
    if (const Status status = controller_.start(translate_state(plant_, x, model)); status != Status::ok) return status;
  }
  acting_.swap(command_);  // with a latency, those of the last sample
  if (const Status status = controller_.update(sensors_.read(x, kin, vdot), command_); status != Status::ok) {
    return status;
  }
  servos_.drive(controller_.options().latency > 0 ? acting_ : command_, torque_);
  tracking_.add(x, kin, controller_.saturated());
  set_torques(torques);
  return Status::ok;
}

double ControlLoop::actuator_force(int element) const {
  const auto at = std::find(driven_.actuators.begin(), driven_.actuators.end(), element);
  return at == driven_.actuators.end() ? 0 : torque_[at - driven_.actuators.begin()];
}

Inputs with_actuators(Inputs inputs, const DrivenJoints& driven, std::function<const ActuatorForces*()> forces) {
  const std::string label = "the command of an actuator";
  for (const int element : driven.actuators) {
    if (element < 0) continue;
    const auto force = [element, forces](double) {
      const ActuatorForces* from = forces();
      return Jet{from == nullptr ? 0 : from->actuator_force(element), 0, 0};
    };
    inputs.elements.push_back({element, Signal::callback(force), label});
  }
  return inputs;
}

// Torques of a joint with an elastic drive act on its motor; forces of actuators are not included.
void ControlLoop::set_torques(Vec torques) const {
  torques.setZero();
  for (int k = 0; k < driven_.size(); ++k) {
    if (driven_.actuator(k) < 0) torques[driven_.v[k]] = torque_[k];
  }
  for (const int joint : driven_.joints) {
    const MotorIndex motor = motor_index(plant_, joint);
    if (motor.v < 0) continue;
    double& at_joint = torques[plant_.joints[joint].v];
    torques[motor.v] = at_joint / plant_.joints[joint].drive->ratio;
    at_joint = 0;
  }
}

std::vector<std::string> ControlLoop::warnings() const {
  return loop_warnings(plant_, sensors_.options(), controller_.options());
}

State translate_state(const Model& from, const State& x, const Model& to) {
  State out = make_zero_state(to);
  out.t = x.t;
  std::unordered_map<std::string, int> q, v;
  for (int k = 0; k < from.nq; ++k) q.emplace(from.coordinates[k], k);
  for (int k = 0; k < from.nv; ++k) v.emplace(from.speeds[k], k);
  for (int k = 0; k < to.nq; ++k) {
    if (const auto at = q.find(to.coordinates[k]); at != q.end()) out.q[k] = x.q[at->second];
  }
  for (int k = 0; k < to.nv; ++k) {
    if (const auto at = v.find(to.speeds[k]); at != v.end()) out.v[k] = x.v[at->second];
  }
  return out;
}

}  // namespace limber
