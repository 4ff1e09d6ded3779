// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/control/controller.hpp"

namespace limber {

// What the driven joints may do on the wire: never infinite.  docs/real-time.md, Limits.
struct LinkLimits {
  static constexpr double kEffortMargin = 2, kSpeedMargin = 4;  // of derived limits
  static constexpr double kBrakingTime = 0.2;                   // s, of the brakes that they count on
  VectorXd effort;                                              // (driven coordinate) N m or N
  VectorXd speed;                                               // (driven coordinate) rad/s or m/s
  VectorXd release;      // (driven coordinate) speed that links bent by `effort` give the joint when brakes take over
  bool derived = false;  // at least one follows from the desired motion
};

// Those of the machine's joints, else of the controller's model; where neither has one, they follow from the desired
// motion of the controller's model:
//   effort  = kEffortMargin times the largest torque of inverse dynamics along the motion, with rigid and with flexible
//             bodies, or of the joint's own inertia times the largest desired acceleration of a joint of its kind;
//   speed   = kSpeedMargin times the largest desired speed of a joint of its kind, and at least
//   release = 2.5 effort / c, c of the brakes; 0 where nothing bends.  A load that is let go swings to twice its static
//             value (response to an ideal step: Craig and Kurdila, Fundamentals of Structural Dynamics, chapter 5).
// Kinds are turning and sliding.  start: of the controller's model.  Throws InputError where nothing follows: no motion
// of that kind.
LinkLimits make_link_limits(const Model& machine, const DrivenJoints& driven, const ControlOptions& control,
                            const State& start);

// "shoulder 220 N m, 0.21 rad/s; ...".
std::string limits_text(const LinkLimits& limits, const Model& model, const DrivenJoints& driven);
// Joints whose limits do not fit together: `release` is above `speed`.  One line, or "".
std::string release_text(const LinkLimits& limits, const Model& model, const DrivenJoints& driven);

// Servos that know the limits, so that the observer does, too.
void limit_servos(const LinkLimits& limits, ControlOptions& control);

// (driven coordinate) c of brakes -c v that would stop each joint within `time` if nothing bent; at most `share` of
// what a torque held for a period can brake: the natural inertia over the period.  Throws InputError.
VectorXd make_braking_gains(const Model& model, const DrivenJoints& driven, const State& x, double time, double period,
                            double share);

}  // namespace limber
