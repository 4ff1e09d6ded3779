// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "limber/simulate/archive.hpp"

namespace limber {

// An on-off thruster that pushes its node along a direction of the node's axes.
struct ThrusterOptions {
  std::string name, node;
  Vector3d direction = Vector3d::UnitX();  // of the force on the node; unit length
  double force = 1;                        // N
};

enum class Modulation {
  pulse_width,  // one pulse in each modulation period, of a length proportional to the torque
  deadband      // about each axis full thrust while the error, with its rate, is beyond a dead zone: a Schmitt trigger
};

struct ThrusterSetOptions {
  std::vector<ThrusterOptions> thrusters;
  Modulation modulation = Modulation::pulse_width;
  double period = 1;         // s of pulse width modulation
  double minimum_pulse = 0;  // s: shorter ones are not fired; valves switch at samples
  double deadband = 0.01;    // rad
  double hysteresis = 0;     // rad: thrust ends this far inside the dead zone
  double unload = 0;         // N m s: momentum of the wheels above which thrusters unload them; 0: never
};

// Thruster modulation: from commanded torques to valves.
class Thrusters {
 public:
  // wrench (6 x thruster): torque about the center of mass and force of each at full thrust, in the body's axes.
  // Throws InputError: an axis about which they give no torque.
  Thrusters(const ThrusterSetOptions& options, const Eigen::Ref<const Matrix6X>& wrench, double period);
  int size() const { return static_cast<int>(wrench_.cols()); }  // number of thrusters
  void restart();                                                // all valves closed
  // T: N m, the commanded mean; error: rad, of each axis, with its rate (deadband).  False: limited.  No allocation.
  bool fire(const Vector3d& T, const Vector3d& error);
  const VectorXd& forces() const { return force_; }  // (thruster) N, until the next sample
  Vector3d delivered() const;                        // N m on the body, until the next sample
  long pulses() const { return pulses_; }            // fired so far, of all thrusters
  // To or from an archive.
  void transfer(Archive& archive) { archive(force_, duty_, sample_, on_, axis_, on_for_, pulses_); }

 private:
  bool modulate(const Vector3d& T);
  void trigger(const Vector3d& error);

  ThrusterSetOptions options_;
  Matrix6X wrench_;
  MatrixXd table_;  // (thruster x 6) duty for a torque of 1 N m about +x, -x, +y, ...
  VectorXd force_, duty_;
  int cycle_, least_;  // samples of a modulation period, of the shortest pulse
  long sample_ = 0, pulses_ = 0;
  std::vector<int> on_;             // (thruster) remaining samples of its pulse
  std::vector<int> axis_, on_for_;  // (axis) -1, 0, 1: direction of thrust; samples it has been on
};

}  // namespace limber
