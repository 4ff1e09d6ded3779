// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "limber/spatial/types.hpp"

namespace limber {

// The drive of one joint coordinate.  The inertia of its motor is the joint's armature in the model.
struct ServoOptions {
  double max_torque = std::numeric_limits<double>::infinity();       // at the joint
  double max_torque_rate = std::numeric_limits<double>::infinity();  // per second
  double bandwidth = 0;        // Hz of the torque loop, a first-order lag; 0: none
  double gear = 1;             // turns of the motor per turn of the joint
  double torque_constant = 0;  // Nm of the motor per A; 0: no current is told
};

// Turns commanded torques into those that act.  Sampled with the controller.
class Servos {
 public:
  Servos(std::vector<ServoOptions> options, double period);
  void reset();
  // The torques of the next period.
  void drive(ConstVec command, Vec torque);
  // Of the last drive, in A; zero where the torque constant is not known.
  const VectorX& currents() const { return current_; }
  // Whether the last drive gave less than was asked for.
  bool saturated(int k) const { return saturated_[k] != 0; }

 private:
  std::vector<ServoOptions> options_;
  double period_;
  VectorX torque_, current_;
  std::vector<char> saturated_;
};

}  // namespace limber
