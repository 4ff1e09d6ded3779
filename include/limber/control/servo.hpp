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
  double gear = 1;             // turns of the motor per turn of the joint
  double torque_constant = 0;  // N m of the motor per A; 0: unknown, currents are then 0
};

// Turns commanded torques into acting ones: saturation, rate limit, lag.  Sampled with the controller.
class Servos {
 public:
  Servos(std::vector<ServoOptions> options, double period);
  void reset();                  // torques and currents to zero
  void start(ConstVec torques);  // as if these had acted until now
  // Acting torques of the next period.
  void drive(ConstVec command, Vec torque);
  // Motor currents of the last drive, A.
  const VectorXd& currents() const { return current_; }
  // Whether a limit was active in the last drive.
  bool saturated(int k) const { return saturated_[k] != 0; }
  std::span<const std::uint8_t> saturated() const { return saturated_; }  // of each
  void transfer(Archive& archive) { archive(torque_, current_, saturated_); }

 private:
  void set_current(std::size_t k);

  std::vector<ServoOptions> options_;
  double period_;
  VectorXd torque_, current_;
  std::vector<std::uint8_t> saturated_;
};

}  // namespace limber
