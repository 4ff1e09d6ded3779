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
// Adds c_D times the damping of the speeds by the back-EMF of motors under voltage.
void add_back_emf(const Model& model, const Inputs& inputs, double c_D, VectorXd& added);

// The limits of one drive: the effort available at a speed.
struct DriveLimit {
  int joint = 0, v = 0;                // speed index of the motor if the transmission is elastic, else of the joint
  double motor_turns = 1;              // motor speed over the speed v
  double effort = 0, velocity = 0;     // on v; 0: none
  std::shared_ptr<const Drive> drive;  // whose motor has limits, or null
  bool on_motor = false;               // v is that of a motor
  // Number and duration of the intervals beyond a limit.
  struct Spells {
    bool now = false, counted = false;  // at the last call of apply, of count
    long times = 0;
    double seconds = 0;
    void count(double span);
  };
  Spells cut, fast;  // of effort, which is clipped; of velocity, which is not changed
  // Its motor is modelled, so that all torque inputs are the motor's; else they are loads, and only controllers are
  // clipped.
  bool whole() const { return drive != nullptr || on_motor; }
  // The effort that acts when `wanted` is commanded.
  double limited(double wanted, double rate) const;
};

struct DriveLimits {
  std::vector<DriveLimit> drives;

  // Null: no joint has effective limits.  `prescribed`: (body) joints with prescribed motion, which are not clipped.
  static std::unique_ptr<DriveLimits> make(const Model& model, const std::vector<std::uint8_t>& prescribed);
  // `whole`: all torques, of the drives with modelled motors; else those of controllers, of the other drives.
  void apply(bool whole, const State& x, VectorXd& tau);
  // Adds the saturation of the last call of apply to the counts, over a time `span`.
  void count(double span);
  std::vector<Saturation> saturation(const Model& model) const;
  void transfer(Archive& archive);
};

}  // namespace limber
