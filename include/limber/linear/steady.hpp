// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/linear/linearize.hpp"

namespace limber {

// What becomes of a point of linearisation that has speeds: A there is that of the machine only if it stays the same
// while the machine keeps moving at them.
struct PointMotion {
  bool moves = false;       // the point has speeds
  double change = 0;        // of A along the motion, relative to its size, in balanced coordinates
  double acceleration = 0;  // largest, at the point and along the motion
  bool has_constant_matrix() const { return change <= 1e-9; }
};
PointMotion check_motion(const Model& model, const LinearSystem& system, const LinearizeOptions& options);

// A machine with a rotor: a revolute joint that turns all the time.
struct RotorOptions {
  int rotor = -1;                    // the joint: index of the body that it carries
  bool free = false;                 // turned by a constant torque at this mean speed; else at this speed exactly
  std::vector<std::uint8_t> held;    // (body) other joints that stand still; empty: none
  VectorXd tau;                      // (nv) constant forces on speeds; empty: none
  std::vector<NodeWrench> wrenches;  // constant in their frames
};

// A motion that repeats itself after each turn of the rotor: trigonometric polynomials through an odd number of points,
// at equal times.
struct SteadyMotion {
  double speed = 0;     // of the rotor, mean, rad/s; not zero
  double torque = 0;    // constant, of a free rotor, beside options.tau
  int rotor_speed = 0;  // index of the rotor in v
  VectorXd start;       // (nq) around which deviations are counted
  MatrixXd deviations;  // (nv x points) in the chart around start, without the turning of the rotor
  MatrixXd speeds;      // (nv x points)
  int iterations = 0;

  double period() const;
  State at(const Model& model, double t) const;
};

// Newton's method on the motion at the points (Fourier collocation), with the exact derivatives along it.  More points
// are taken until the highest harmonics are nothing.  `start` tells where the other joints and modes begin to be looked
// for, and the angle of the rotor at t = 0; its speeds do not count.  guess: a motion near by, or null.
// Dense, O((nv points)^3).  Throws InputError: no rotor, closed chains; NumericalError: not found.
SteadyMotion find_steady_motion(const Model& model, const State& start, const RotorOptions& options, double speed,
                                const SteadyMotion* guess = nullptr);

}  // namespace limber
