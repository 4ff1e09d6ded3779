// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "limber/model/model.hpp"

namespace limber {

// A motor, as far as it limits what the drive exerts.  Zero: no such limit.
struct Motor {
  double torque_constant = 0;                // N m/A
  double back_emf = 0;                       // V s/rad; in these units as large as the torque constant
  double resistance = 0;                     // ohm
  double current = 0, voltage = 0;           // largest ones, A and V
  std::vector<std::array<double, 2>> curve;  // speed (rad/s, rising from 0) and the largest torque there (N m)
};

// What moves a joint of one coordinate: a motor whose rotor turns with the gear ratio.  The link that carries the motor
// includes the rotor's mass and transverse inertia.  theory §3, Drives.
struct Drive {
  double ratio = 1;              // n = motor angle / joint coordinate: 1, of a prismatic joint rad/m; may be negative
  double inertia = 0;            // J of the rotor about its own axis, kg m^2
  std::optional<Vector3d> axis;  // of the rotor, in the joint's frame on the parent: its spin acts on the parent, too
  double stiffness = 0;          // of the transmission, at the joint; 0: rigid, and the motor has no coordinate
  double damping = 0;            // of the transmission, at the joint
  std::optional<Motor> motor;

  bool elastic() const { return stiffness > 0; }
};

// Coordinate and speed of the motor of a joint with an elastic transmission; -1: it has none.  They come after those of
// all bodies, in the order of the joints, and are named "elbow.motor".
struct MotorIndex {
  int q = -1, v = -1;
};
MotorIndex motor_index(const Model& model, int joint);

// The machine with rigid gears in the place of elastic transmissions: what a controller of the joints plans with.
bool has_elastic_drives(const Model& model);
Model with_rigid_drives(const Model& model);

// Least and largest torque (N m) of the motor at its speed (rad/s):
//   |i| <= current      |R i + k_e speed| <= voltage      torque = k_t i, |torque| <= curve(|speed|)
std::pair<double, double> motor_torque_range(const Drive& drive, double speed);

// The motor angle that leaves the transmission without load, and its speed, in x.
void set_motor_at_rest(const Model& model, int joint, State& x);

}  // namespace limber
