// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulate/drive_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {

int motor_joint(const Model& model, int speed) {
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    if (!joint.drive || !joint.drive->motor) continue;
    const int motor = motor_index(model, i).v;
    if (speed == (motor >= 0 ? motor : joint.v)) return i;
  }
  return -1;
}

double force_of_command(const Model& model, const SpeedInput& input, double value, double rate) {
  if (input.command == DriveCommand::force) return value;
  const int i = motor_joint(model, input.speed);
  const Drive& drive = *model.joints[i].drive;
  const double turns = motor_index(model, i).v >= 0 ? 1 : drive.ratio;
  if (input.command == DriveCommand::current) return turns * torque_of_current(*drive.motor, value);
  return turns * torque_of_voltage(*drive.motor, value, turns * rate);
}

void add_back_emf(const Model& model, const Inputs& inputs, double c_D, VectorXd& added) {
  for (const SpeedInput& input : inputs.speeds) {
    if (input.command != DriveCommand::voltage) continue;
    const int i = motor_joint(model, input.speed);
    const Drive& drive = *model.joints[i].drive;
    const double turns = motor_index(model, i).v >= 0 ? 1 : drive.ratio;
    added[input.speed] +=
        c_D * turns * turns * drive.motor->torque_constant * drive.motor->back_emf / drive.motor->resistance;
  }
}

double DriveLimit::limited(double wanted, double rate) const {
  double out = wanted;
  if (drive) {
    const auto [least, most] = motor_torque_range(*drive, motor_turns * rate);
    const double torque = std::clamp(out / motor_turns, least, most);
    if (torque != out / motor_turns) out = torque * motor_turns;
  }
  if (effort > 0) out = std::clamp(out, -effort, effort);
  return out;
}

std::unique_ptr<DriveLimits> DriveLimits::make(const Model& model, const std::vector<std::uint8_t>& prescribed) {
  auto out = std::make_unique<DriveLimits>();
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    const bool motor = joint.drive && joint.drive->motor;
    if (prescribed[static_cast<std::size_t>(i)] != 0) continue;
    if (joint.effort_limit == 0 && joint.velocity_limit == 0 && !motor) continue;
    const double ratio = joint.drive ? std::abs(joint.drive->ratio) : 1;
    for (int k = 0; k < speed_count(joint.kind); ++k) {
      DriveLimit limit;
      limit.joint = i;
      limit.v = joint.v + k;
      limit.motor_turns = joint.drive ? joint.drive->ratio : 1;
      limit.effort = joint.effort_limit;
      limit.velocity = joint.velocity_limit;
      if (motor) limit.drive = joint.drive;
      if (const MotorIndex index = motor_index(model, i); index.v >= 0) {
        limit.v = index.v;
        limit.motor_turns = 1;
        limit.on_motor = true;
        limit.effort /= ratio;
        limit.velocity *= ratio;
      }
      out->drives.push_back(limit);
    }
  }
  if (out->drives.empty()) return nullptr;
  return out;
}

void DriveLimits::apply(bool whole, const State& x, VectorXd& tau) {
  for (DriveLimit& drive : drives) {
    if (drive.whole() != whole) continue;
    const double wanted = tau[drive.v];
    if (!std::isfinite(wanted)) continue;
    tau[drive.v] = drive.limited(wanted, x.v[drive.v]);
    drive.cut.now = tau[drive.v] != wanted;
    drive.fast.now = drive.velocity > 0 && std::abs(x.v[drive.v]) > drive.velocity;
  }
}

void DriveLimit::Spells::count(double span) {
  if (now) {
    times += counted ? 0 : 1;
    seconds += span;
  }
  counted = now;
}

void DriveLimits::count(double span) {
  for (DriveLimit& drive : drives) {
    drive.cut.count(span);
    drive.fast.count(span);
  }
}

std::vector<Saturation> DriveLimits::saturation(const Model& model) const {
  std::vector<Saturation> out;
  for (const DriveLimit& drive : drives) {
    const std::string& name = model.speeds[static_cast<std::size_t>(drive.v)];
    if (drive.cut.times > 0) out.push_back({name, drive.cut.times, drive.cut.seconds});
    if (drive.fast.times > 0) out.push_back({name + " velocity", drive.fast.times, drive.fast.seconds});
  }
  return out;
}

void DriveLimits::transfer(Archive& archive) {
  for (DriveLimit& drive : drives) {
    for (DriveLimit::Spells* of : {&drive.cut, &drive.fast}) archive(of->now, of->counted, of->times, of->seconds);
  }
}

}  // namespace limber
