// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "limber/control/trajectory.hpp"

namespace limber {

// The attitude of a body, with its rate and acceleration.
struct Attitude {
  Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();           // of the body in world
  Vector3d rate = Vector3d::Zero(), acceleration = Vector3d::Zero();  // rad/s, rad/s^2, in the body's axes
};

// The target of a slew: an attitude in world, by the shortest rotation, or a rotation about an axis of the body.
struct AttitudeWaypoint {
  std::optional<Eigen::Quaterniond> quaternion;  // q and -q are the same attitude
  Vector3d axis = Vector3d::UnitZ();             // in the body axes, if there is no quaternion
  bool axis_in_world = false;                    // in the frame of the attitude instead
  double angle = 0;                              // rad about the axis; may exceed pi
  double duration = 0;                           // of the slew; 0: the shortest within the limits
  double dwell = 0;                              // s to hold there
};

// Limits of the rate of a slew; infinite: no limit.
struct SlewLimits {
  double speed = std::numeric_limits<double>::infinity();         // rad/s
  double acceleration = std::numeric_limits<double>::infinity();  // rad/s^2
};

// A rotation about one axis, fixed in the body and in world: an eigen-axis slew.
struct Slew {
  double begin = 0, end = 0;
  Eigen::Quaterniond from;
  Vector3d axis;  // unit length, in the body's axes
  double angle;   // rad, total
  Signal turned;  // rad about the axis, from 0 to angle
};

// The desired attitude: eigen-axis slews from waypoint to waypoint, at rest at each.
class AttitudePath {
 public:
  AttitudePath() = default;  // holds the attitude
  // From `start` at time `begin`; each slew is shaped by `shaper` (make_shaper), and takes longer accordingly.  Throws
  // InputError: numbers that are not finite, a slew without duration and limits, or shorter than the limits allow.
  AttitudePath(Profile profile, const Eigen::Quaterniond& start, double begin,
               const std::vector<AttitudeWaypoint>& waypoints, const SlewLimits& limits,
               const std::vector<Signal::Impulse>& shaper = {{0, 1}});
  Attitude at(double t) const;                                           // no allocation
  double end() const { return slews_.empty() ? 0 : slews_.back().end; }  // s: comes to rest
  const std::vector<Slew>& slews() const { return slews_; }              // in their order

 private:
  Eigen::Quaterniond start_ = Eigen::Quaterniond::Identity();
  std::vector<Slew> slews_;
};

// The rotation vector from one attitude to another, in the axes of the first: |angle| <= pi, for either sign of
// the quaternions.
Vector3d attitude_error(const Eigen::Quaterniond& from, const Eigen::Quaterniond& to);

}  // namespace limber
