// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/servo.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace limber {

Servos::Servos(std::vector<ServoOptions> options, double period) : options_(std::move(options)), period_(period) {
  torque_.setZero(static_cast<Eigen::Index>(options_.size()));
  sent_ = current_ = torque_;
  saturated_.assign(options_.size(), 0);
}

void Servos::reset() {
  torque_.setZero();
  sent_.setZero();
  current_.setZero();
  saturated_.assign(options_.size(), 0);
}

void Servos::start(ConstVec torques) {
  reset();
  torque_ = torques;
  for (std::size_t k = 0; k < options_.size(); ++k) send(k, torques[static_cast<Eigen::Index>(k)]);
}

void Servos::send(std::size_t k, double torque) {
  sent_[k] = torque;
  current_[k] = motor_current(options_[k], torque);
}

void Servos::drive(ConstVec command, Vec torque) {
  for (std::size_t k = 0; k < options_.size(); ++k) {
    const ServoOptions& servo = options_[k];
    const double step = servo.max_torque_rate * period_;
    const double wanted = std::clamp(command[k], -servo.max_torque, servo.max_torque);
    const double reached = std::clamp(wanted, torque_[k] - step, torque_[k] + step);
    saturated_[k] = reached != command[k] ? 1 : 0;
    const double share = servo.bandwidth > 0 ? 1 - std::exp(-2 * std::numbers::pi * servo.bandwidth * period_) : 1;
    torque_[k] = share == 1 ? reached : torque_[k] + share * (reached - torque_[k]);
    send(k, reached);
    torque[k] = torque_[k];
  }
}

}  // namespace limber
