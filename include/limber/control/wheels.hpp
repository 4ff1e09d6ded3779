// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/model/model.hpp"

namespace limber {

// The rotational inertia of a body with rigid bodies and locked joints, except for wheels: the angular
// acceleration a and the rate w of the body, in its own axes, obey
//   S a + w x (J w + H Omega) + B u = T,    u: torques on the wheels, Omega: their speeds, T: torque from outside,
// with the translation free.  theory §4, the mass matrix with the other speeds eliminated.
struct AttitudeInertia {
  Matrix3d S, J;   // kg m^2: wheels free; wheels locked, about the center of mass
  MatrixXd B, H;   // (3 x wheel) effect of a wheel torque on the body; kg m^2, momentum per wheel speed
  VectorXd axial;  // (wheel) kg m^2: inertia of the rotor about its axis
};

// Index of a body whose attitude can be controlled: one connected to the world by a free or spherical joint on its
// own frame.  Throws InputError.
int find_attitude_body(const Model& model, const std::string& body);
// wheels: joints of rotors, by name.  Throws InputError: not a revolute joint.
std::vector<int> find_wheels(const Model& model, const std::vector<std::string>& wheels);
// At a state x, about the axes of the body.  Dense, O(nv^3).
AttitudeInertia compute_attitude_inertia(const Model& model, const State& x, int body, const std::vector<int>& wheels);

// Reaction wheels: revolute joints of rotors.
struct WheelOptions {
  std::vector<std::string> joints;
  VectorXd max_torque, max_speed;  // (wheel) N m, rad/s; empty: none
  VectorXd bias;  // (wheel) rad/s, bias speeds of redundant wheels, as far as they have no net momentum; empty: 0
  double bias_time = 100;  // s: time constant of the approach to the bias
};

// Allocates a torque on the body to wheels: u = -B^+ T, of minimum norm, plus a null motion of redundant
// wheels towards their bias speeds.  Limits: all torques are scaled equally, to keep the direction; a wheel that
// would exceed its speed limit after the period is brought to its limit.
class Wheels {
 public:
  // Throws InputError: wheels whose axes do not span three dimensions.
  Wheels(const WheelOptions& options, const AttitudeInertia& inertia, double period);
  int size() const { return static_cast<int>(B_.cols()); }  // number of wheels
  // feed_forward (wheel): wheel torques added to those for the torque T on the body.  False: limited.  No allocation.
  bool allocate(const Vector3d& T, ConstVec feed_forward, ConstVec speeds);
  const VectorXd& torques() const { return u_; }        // (wheel) N m
  Vector3d delivered() const { return -B_ * u_; }       // N m on the body
  const MatrixXd& inverse() const { return inverse_; }  // (wheel x 3) B^+

 private:
  WheelOptions options_;
  MatrixXd B_, inverse_, null_;
  VectorXd axial_, u_, wish_;
  double period_;
};

}  // namespace limber
