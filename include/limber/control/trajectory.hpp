// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/simulate/signal.hpp"

namespace limber {

// The profile of a move from rest to rest, s(x) from 0 to 1 over x from 0 to 1.
enum class Profile {
  trapezoid,  // constant acceleration, constant speed, constant deceleration: by the limits, otherwise a third each
  quintic,    // 10 x^3 - 15 x^4 + 6 x^5: no acceleration at its ends
  cycloid     // x - sin(2 pi x)/(2 pi), [MS] (44): no acceleration at its ends
};

// The largest |s'| and |s''|; of a trapezoid of thirds.
struct ProfilePeaks {
  double speed, acceleration;
};
ProfilePeaks peaks(Profile profile);  // of a profile over unit distance and time

// From one value to another in [begin, begin + duration], at rest before and after.
// A trapezoid accelerates for a third of the duration.
Signal make_move(Profile profile, double from, double to, double begin, double duration);

// The shortest duration of make_move within limits on speed and acceleration (infinite: none).
// Throws InputError: a distance that is not finite, or a limit that is not above 0.
double shortest_duration(Profile profile, double distance, double speed_limit, double acceleration_limit);
// The shortest duration of a move of make_path or AttitudePath, whose trapezoids fit the limits: the minimum of all
// motions within them, d/v + v/a, or 2 sqrt(d/a) if the speed limit is not reached; without a limit on acceleration,
// with thirds.
double shortest_path_duration(Profile profile, double distance, double speed_limit, double acceleration_limit);

// Joints through waypoints, at rest at each; all joints start and arrive together.
struct Waypoint {
  VectorXd q = {};      // (joints)
  double duration = 0;  // of the move to it; 0: the shortest within the limits
  double dwell = 0;     // time to hold there
};
struct MoveLimits {
  VectorXd speed = {}, acceleration = {};  // (joints); empty: none
};
struct JointPath {
  std::vector<Signal> joints;
  double end = 0;  // time at which the last waypoint is reached
};
// From `start` at time `begin`.  Throws InputError: sizes, a duration shorter than the limits allow, or neither
// duration nor limits.
JointPath make_path(Profile profile, const VectorXd& start, double begin, const std::vector<Waypoint>& waypoints,
                    const MoveLimits& limits);

}  // namespace limber
