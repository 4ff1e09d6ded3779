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

// A motor and its limits.  Zero: no such limit.
struct Motor {
  double torque_constant = 0;                // N m/A
  double back_emf = 0;                       // V s/rad; in SI units equal to the torque constant
  double resistance = 0;                     // ohm
  double current = 0, voltage = 0;           // maximum values, A and V
  std::vector<std::array<double, 2>> curve;  // speed (rad/s, increasing from 0) and the maximum torque there (N m)
};

// A brake on the motor shaft, or on the joint.
struct Brake {
  double torque = 0;         // while slipping: N m at the motor, or N m or N at the joint
  double breakaway = 0;      // at which it begins to slip; at least `torque`
  bool at_joint = false;     // on the joint, not on the motor shaft
  double presliding = 1e-4;  // rad or m at the joint: displacement before it slips
};

// The drive of a joint with one coordinate: motor, gear and transmission.  The link that carries the motor
// includes the rotor's mass and transverse inertia.  theory §3, Drives.
struct Drive {
  double ratio = 1;              // n = motor angle / joint coordinate: 1, of a prismatic joint rad/m; may be negative
  double inertia = 0;            // J of the rotor about its own axis, kg m^2
  std::optional<Vector3d> axis;  // of the rotor, in the joint frame on the parent: its spin then acts on the parent
  double stiffness = 0;          // of the transmission, at the joint; 0: rigid, and the motor has no coordinate
  double damping = 0;            // of the transmission, at the joint
  double backlash = 0;           // total free play of the elastic transmission, rad or m at the joint
  double efficiency = 1;         // of the gear, in both directions: above 0, at most 1
  std::optional<Motor> motor;
  std::optional<Brake> brake;

  bool elastic() const { return stiffness > 0; }
};

// Coordinate and speed of the motor of a joint with an elastic transmission; -1: none.  They follow those of
// all bodies, in the order of the joints, and are named "elbow.motor".
struct MotorIndex {
  int q = -1, v = -1;
};
MotorIndex motor_index(const Model& model, int joint);

// The machine with rigid, lossless gears instead of elastic transmissions: the planning model of joint
// controllers.
bool has_elastic_drives(const Model& model);
Model with_rigid_drives(const Model& model);

// Minimum and maximum torque (N m) of the motor at its speed (rad/s):
//   |i| <= current      |R i + k_e speed| <= voltage      torque = k_t i, |torque| <= curve(|speed|)
std::pair<double, double> motor_torque_range(const Drive& drive, double speed);

// Motor torque (N m) of a current (A), or of a voltage (V) at the speed (rad/s) of its shaft.
//   torque = k_t i      u = R i + k_e speed
double torque_of_current(const Motor& motor, double current);
double torque_of_voltage(const Motor& motor, double voltage, double speed);

// The positions of transmissions with backlash as text: "'elbow' in its backlash, 'wrist' on the upper flank of its
// backlash"; empty: no transmission has backlash.
std::string backlash_text(const Model& model, const State& x);

// Sets the motor angle for which the transmission carries no load, and the corresponding speed, in x.
void set_motor_at_rest(const Model& model, int joint, State& x);

}  // namespace limber
