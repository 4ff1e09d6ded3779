// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/linear/linearize.hpp"

namespace limber {

// The motion through an operating point with speeds: its A is valid beyond an instant only if it stays constant
// while the machine keeps moving.
struct PointMotion {
  bool moves = false;       // the point has speeds
  double change = 0;        // of A along the motion, relative to its norm, in balanced coordinates
  double acceleration = 0;  // largest, at the point and along the motion
  bool has_constant_matrix() const { return change <= 1e-9; }
};
PointMotion check_motion(const Model& model, const LinearSystem& system, const LinearizeOptions& options);

// A machine with a rotor: a revolute joint that rotates continuously.
struct RotorOptions {
  int rotor = -1;                    // the joint: index of the body that it carries
  bool free = false;                 // driven by a constant torque at this mean speed; otherwise at exactly this speed
  std::vector<std::uint8_t> held;    // (body) other joints held at rest; empty: none
  VectorXd tau;                      // (nv) constant forces on speeds; empty: none
  std::vector<NodeWrench> wrenches;  // constant in their frames
};

// A motion that is periodic with the revolution of the rotor: trigonometric polynomials through an odd number of
// points, at equal times.
struct SteadyMotion {
  double speed = 0;     // of the rotor, mean, rad/s; not zero
  double torque = 0;    // constant, of a free rotor, in addition to options.tau
  int rotor_speed = 0;  // index of the rotor in v
  VectorXd start;       // (nq) reference of the deviations
  MatrixXd deviations;  // (nv x points) in the chart around start, without the rotation of the rotor
  MatrixXd speeds;      // (nv x points)
  int iterations = 0;

  double period() const;
  State at(const Model& model, double t) const;
};

// Newton's method on the motion at the points (Fourier collocation), with the exact derivatives along it.  More points
// are added until the highest harmonics vanish.  `start` gives the initial guess of the other joints and modes,
// and the angle of the rotor at t = 0; its speeds are ignored.  guess: a nearby motion, or null.
// Dense, O((nv points)^3).  Throws InputError: no rotor, closed chains; NumericalError: not found.
SteadyMotion find_steady_motion(const Model& model, const State& start, const RotorOptions& options, double speed,
                                const SteadyMotion* guess = nullptr);

}  // namespace limber
