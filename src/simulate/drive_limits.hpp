// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "limber/model/drive.hpp"
#include "limber/simulate/archive.hpp"
#include "limber/simulate/system.hpp"

namespace limber {

// The joint (body) whose motor moves a speed: its own, or that of a joint with a rigid gear; -1: none.
int motor_joint(const Model& model, int speed);
// c_D times what the back-EMF of motors under voltage adds to the damping of their speeds.
void add_back_emf(const Model& model, const Inputs& inputs, double c_D, VectorXd& added);

// The limits of one drive: what it can exert at a speed.
struct DriveLimit {
  int joint = 0, v = 0;                // v: of the motor, where the transmission is elastic, else of the joint
  double motor_turns = 1;              // motor speed over that of v
  double effort = 0, velocity = 0;     // on v; 0: none
  std::shared_ptr<const Drive> drive;  // whose motor has limits, or null
  bool on_motor = false;               // v is that of a motor
  // How often and how long it was beyond a limit.
  struct Spells {
    bool now = false, counted = false;  // at the last call of apply, of count
    long times = 0;
    double seconds = 0;
    void count(double span);
  };
  Spells cut, fast;  // of its effort; of its velocity, which is not changed
  // Its motor is known, so that torque inputs are what it exerts; else they are loads, and controllers alone are cut.
  bool whole() const { return drive != nullptr || on_motor; }
  // What acts of a wanted effort.
  double limited(double wanted, double rate) const;
};

struct DriveLimits {
  std::vector<DriveLimit> drives;

  // Null: no joint has limits that act.  `prescribed`: (body) joints whose motion is, which are not cut.
  static std::unique_ptr<DriveLimits> make(const Model& model, const std::vector<std::uint8_t>& prescribed);
  // `whole`: all torques, of the drives whose motors are known; else those of controllers, of the others.
  void apply(bool whole, const State& x, VectorXd& tau);
  // Into the counts: what the last call of apply cut, for a time `span`.
  void count(double span);
  std::vector<Saturation> saturation(const Model& model) const;
  void transfer(Archive& archive);
};

}  // namespace limber
