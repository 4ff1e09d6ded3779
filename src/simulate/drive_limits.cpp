// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulate/drive_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

// Of the velocity limit: from here on the effort that would speed a joint up falls, to none at the limit.
constexpr double kTaper = 0.95;

}  // namespace

double DriveLimit::limited(double wanted, double rate) const {
  double out = wanted;
  if (drive) {
    const auto [least, most] = motor_torque_range(*drive, motor_turns * rate);
    const double torque = std::clamp(out / motor_turns, least, most);
    if (torque != out / motor_turns) out = torque * motor_turns;
  }
  if (effort > 0) out = std::clamp(out, -effort, effort);
  if (velocity > 0 && out * rate > 0)
    out *= std::clamp((velocity - std::abs(rate)) / ((1 - kTaper) * velocity), 0.0, 1.0);
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
        limit.effort /= ratio;
        limit.velocity *= ratio;
      }
      out->drives.push_back(limit);
    }
  }
  if (out->drives.empty()) return nullptr;
  return out;
}

void DriveLimits::apply(const State& x, VectorXd& tau) {
  for (DriveLimit& drive : drives) {
    const double wanted = tau[drive.v];
    if (!std::isfinite(wanted)) continue;
    tau[drive.v] = drive.limited(wanted, x.v[drive.v]);
    drive.cut = tau[drive.v] != wanted;
  }
}

void DriveLimits::count(double span) {
  for (DriveLimit& drive : drives) {
    if (!drive.cut) {
      drive.counted = false;
      continue;
    }
    if (!drive.counted) ++drive.spells;
    drive.counted = true;
    drive.seconds += span;
  }
}

std::vector<Saturation> DriveLimits::saturation(const Model& model) const {
  std::vector<Saturation> out;
  for (const DriveLimit& drive : drives) {
    if (drive.spells > 0) out.push_back({model.speeds[static_cast<std::size_t>(drive.v)], drive.spells, drive.seconds});
  }
  return out;
}

void DriveLimits::transfer(Archive& archive) {
  for (DriveLimit& drive : drives) archive(drive.cut, drive.counted, drive.spells, drive.seconds);
}

}  // namespace limber
