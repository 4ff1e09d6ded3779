// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/spatial/types.hpp"

namespace limber {

// One table, src/model/joint_kind.cpp, holds all properties of the joint kinds; their kinematics are in
// src/model/joint.cpp.  Larger numbers are kinds that a program added with add_joint_kind.
enum class JointKind : int { fixed, revolute, prismatic, cylindrical, universal, spherical, free };

struct Joint;
struct Closure;

// One coordinate or one speed of a joint.
struct JointCoordinate {
  std::string suffix;  // of its name, e.g. "base.qw"; empty: the name of the joint alone
  std::string unit;    // rad, m or 1; for a speed, the unit of its integral
};

// One scalar constraint of a closure between the frames of its nodes a and b, in one of two forms:
//   place:  d . (p_b - p_a) = 0,   d fixed in a
//   align:  u . s = rest,          u fixed in a, s fixed in b
struct ClosureRow {
  int closure = 0;
  bool align = false;
  Vector3d u = Vector3d::Zero();  // d or u, in the frame of a
  Vector3d s = Vector3d::Zero();  // in the frame of b
  double rest = 0;
};

// The alignment that a closure enforces: none, of the axes, or of the whole frames of its two nodes.
enum class ClosureAlignment { none, axis, frame };

// A kind of joint.  theory §3.
struct JointTraits {
  std::string name;                        // in files
  std::vector<JointCoordinate> positions;  // in q
  std::vector<JointCoordinate> speeds;     // in v
  int axes = 0;                            // number of directions: none, axis, or axis and axis2
  bool quaternion = false;  // q begins with a unit quaternion (w, x, y, z), v with the angular velocity in O
  bool driven = false;      // a controller can drive it and a motion can be prescribed: speeds are rates of coordinates
  bool stops = false;       // it can have travel limits: one coordinate
  std::string drawn_as;     // the kind whose symbol the viewer draws: one of JointKind
  // Constraints of a cut joint of this kind; null: not available for closures.
  std::vector<ClosureRow> (*closure_rows)(const Closure& closure) = nullptr;
  ClosureAlignment alignment = ClosureAlignment::none;
  // The joint as a product of exponentials, X_J = exp(s_1 q_1) ... exp(s_n q_n): its unit twists s_k (angular first) in
  // the joint frame at q = 0.  Null: fixed, spherical, free.
  std::vector<Vector6> (*screws)(const Joint& joint) = nullptr;
};

// The entry of a kind; throws InputError for an unknown number.
const JointTraits& joint_traits(JointKind kind);
// All kinds, in the order of their numbers.
std::vector<JointKind> joint_kinds();
// Adds a kind whose pose is a product of exponentials, until the program ends; the entry is checked and copied.
// Models, files, pages and closures then accept it.  Call it before starting threads that use models.
JointKind add_joint_kind(JointTraits traits);

const char* to_string(JointKind kind);  // as in model files
int position_count(JointKind kind);     // coordinates in q: 4 for a quaternion
int speed_count(JointKind kind);        // speeds in v
// Units of the coordinates, speeds and generalised forces of a joint: rad or m, rad/s or m/s, N m or N.
std::vector<std::string> position_units(JointKind kind);
std::vector<std::string> speed_units(JointKind kind);
std::vector<std::string> force_units(JointKind kind);

}  // namespace limber
