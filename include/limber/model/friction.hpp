// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "limber/model/model.hpp"

namespace limber {

// Friction from the force that the bearing of a joint carries across its axis: C and S grow with it.
struct LoadFriction {
  double coefficient = 0;  // of sliding
  double breakaway = 0;    // of sticking, not below
  double radius = 0;       // of the bearing of a joint that turns, m; 0: the joint slides
};

// Friction of a joint of one coordinate.  theory §3, Friction.
//   sliding   F = (C + (S - C) exp(-(v / v_s)^2)) sign(v) + viscous v
//   sticking  F = k (q - anchor) + damping v + viscous v, k = S / presliding, until it exceeds S
struct JointFriction {
  double viscous = 0;        // N m s/rad or N s/m
  double coulomb = 0;        // C, N m or N
  double breakaway = 0;      // S, not below C
  double stribeck = 0;       // v_s, rad/s or m/s; 0: C holds as soon as the joint slides
  double presliding = 1e-4;  // rad or m: how far a joint that sticks moves before it slides
  double damping = -1;       // of a joint that sticks, N m s/rad or N s/m; below 0: critical
  std::optional<LoadFriction> load;

  bool dry() const { return breakaway > 0 || load; }
};

// Dry friction against a joint that slides with this speed, along it: (C + (S - C) exp(-(v / v_s)^2)) sign(v).
double sliding_friction(const JointFriction& friction, double rate);

}  // namespace limber
