// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "limber/model/model.hpp"

namespace limber {

// Load-dependent friction: C and S grow with the force that the bearing of a joint carries across its axis.
struct LoadFriction {
  double coefficient = 0;  // of sliding
  double breakaway = 0;    // of sticking; at least `coefficient`
  double radius = 0;       // of the bearing of a revolute joint, m; 0: prismatic
};

// Friction of a joint with one coordinate.  theory §3, Friction.
//   sliding   F = (C + (S - C) exp(-(v / v_s)^2)) sign(v) + viscous v
//   sticking  F = k (q - anchor) + damping v + viscous v, k = S / presliding, until it exceeds S
struct JointFriction {
  double viscous = 0;        // N m s/rad or N s/m
  double coulomb = 0;        // C, N m or N
  double breakaway = 0;      // S, at least C
  double stribeck = 0;       // v_s, rad/s or m/s; 0: C as soon as the joint slides
  double presliding = 1e-4;  // rad or m: displacement while sticking before it slides
  double damping = -1;       // while sticking, N m s/rad or N s/m; negative: critical
  std::optional<LoadFriction> load;

  bool dry() const { return breakaway > 0 || load; }
};

// Dry friction at this sliding speed: (C + (S - C) exp(-(v / v_s)^2)) sign(v).
double sliding_friction(const JointFriction& friction, double rate);

}  // namespace limber
