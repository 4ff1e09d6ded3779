// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "limber/simulate/archive.hpp"

namespace limber {

// The drive of one joint coordinate.  The inertia of its motor is the joint's armature in the model.
struct ServoOptions {
  double max_torque = std::numeric_limits<double>::infinity();       // at the joint
  double max_torque_rate = std::numeric_limits<double>::infinity();  // per second
  double bandwidth = 0;        // Hz of the torque loop, a first-order lag; 0: no lag
  double gear = 1;             // revolutions of the motor per revolution of the joint
  double torque_constant = 0;  // N m of the motor per A; 0: unknown, currents are then 0
};

// A, for a torque at the joint; 0 if the torque constant is unknown.
inline double motor_current(const ServoOptions& servo, double torque) {
  return servo.torque_constant > 0 ? torque / (servo.gear * servo.torque_constant) : 0;
}

// Converts commanded torques into acting ones: saturation, rate limit, lag.  Sampled with the controller.  The machine
// has servos, and the controller a model of them: it sends the command, not the output of the servo.
class Servos {
 public:
  Servos(std::vector<ServoOptions> options, double period);
  void reset();                  // torques and currents to zero
  void start(ConstVec torques);  // as if these had acted for a long time
  // Acting torques of the next period.
  void drive(ConstVec command, Vec torque);
  // Of the last drive: the command within the limits, which is sent to the servo, as a torque at the joint; and as a
  // current of the motor, A.
  const VectorXd& commands() const { return sent_; }
  const VectorXd& currents() const { return current_; }
  // Whether a limit was active in the last drive.
  bool saturated(int k) const { return saturated_[k] != 0; }
  std::span<const std::uint8_t> saturated() const { return saturated_; }  // of each
  void transfer(Archive& archive) { archive(torque_, sent_, current_, saturated_); }

 private:
  void send(std::size_t k, double torque);

  std::vector<ServoOptions> options_;
  double period_;
  VectorXd torque_, sent_, current_;
  std::vector<std::uint8_t> saturated_;
};

}  // namespace limber
