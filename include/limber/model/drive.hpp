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

// Holds the motor's shaft, or the joint, while it is engaged.
struct Brake {
  double torque = 0;         // of a brake that slips: N m at the motor, or N m or N at the joint
  double breakaway = 0;      // at which it begins to slip, not below
  bool at_joint = false;     // it sits on the joint, not on the motor's shaft
  double presliding = 1e-4;  // rad or m at the joint: how far a brake gives way before it slips
};

// What moves a joint of one coordinate: a motor whose rotor turns with the gear ratio.  The link that carries the motor
// includes the rotor's mass and transverse inertia.  theory §3, Drives.
struct Drive {
  double ratio = 1;              // n = motor angle / joint coordinate: 1, of a prismatic joint rad/m; may be negative
  double inertia = 0;            // J of the rotor about its own axis, kg m^2
  std::optional<Vector3d> axis;  // of the rotor, in the joint's frame on the parent: its spin acts on the parent, too
  double stiffness = 0;          // of the transmission, at the joint; 0: rigid, and the motor has no coordinate
  double damping = 0;            // of the transmission, at the joint
  double backlash = 0;           // free play of the elastic transmission in all, rad or m at the joint
  double efficiency = 1;         // of the gear, in both directions: above 0, at most 1
  std::optional<Motor> motor;
  std::optional<Brake> brake;

  bool elastic() const { return stiffness > 0; }
};

// Coordinate and speed of the motor of a joint with an elastic transmission; -1: it has none.  They come after those of
// all bodies, in the order of the joints, and are named "elbow.motor".
struct MotorIndex {
  int q = -1, v = -1;
};
MotorIndex motor_index(const Model& model, int joint);

// The machine with rigid gears without losses in the place of elastic transmissions: what a controller of the joints
// plans with.
bool has_elastic_drives(const Model& model);
Model with_rigid_drives(const Model& model);

// Least and largest torque (N m) of the motor at its speed (rad/s):
//   |i| <= current      |R i + k_e speed| <= voltage      torque = k_t i, |torque| <= curve(|speed|)
std::pair<double, double> motor_torque_range(const Drive& drive, double speed);

// What a current (A) or a voltage (V) of the motor makes at the speed (rad/s) of its shaft, N m; and back.
//   torque = k_t i      u = R i + k_e speed
double torque_of_current(const Motor& motor, double current);
double torque_of_voltage(const Motor& motor, double voltage, double speed);

// Where transmissions with backlash stand, for a person: "'elbow' in its backlash, 'wrist' on the upper flank of its
// backlash"; empty: none has any.
std::string backlash_text(const Model& model, const State& x);

// The motor angle that leaves the transmission without load, and its speed, in x.
void set_motor_at_rest(const Model& model, int joint, State& x);

}  // namespace limber
