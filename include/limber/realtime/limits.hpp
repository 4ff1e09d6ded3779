// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/control/controller.hpp"

namespace limber {

// Limits of the driven joints on the link, always finite.  docs/real-time.md, Limits.
struct LinkLimits {
  static constexpr double kEffortMargin = 2, kSpeedMargin = 4;  // of derived limits
  static constexpr double kBrakingTime = 0.2;                   // s, assumed for the brakes
  VectorXd effort;                                              // (driven coordinate) N m or N
  VectorXd speed;                                               // (driven coordinate) rad/s or m/s
  VectorXd release;  // (driven coordinate) joint speed from the release of links bent by `effort` when brakes take over
  bool derived = false;  // at least one follows from the desired motion
};

// Those of the machine's joints, otherwise of the controller's model; if neither has one, they follow from the desired
// motion of the controller's model:
//   effort  = kEffortMargin times the largest torque of inverse dynamics along the motion, with rigid and with flexible
//             bodies, or of the joint's own inertia times the largest desired acceleration of a joint of its kind;
//   speed   = kSpeedMargin times the largest desired speed of a joint of its kind, and at least
//   release = 2.5 effort / c, c of the brakes; 0 for rigid bodies.  A suddenly released load overshoots to twice its
//             static value (response to an ideal step: Craig and Kurdila, Fundamentals of Structural Dynamics,
//             chapter 5).
// Kinds are rotation and translation.  start: of the controller's model.  Throws InputError if no limit follows: no
// motion of that kind.
LinkLimits make_link_limits(const Model& machine, const DrivenJoints& driven, const ControlOptions& control,
                            const State& start);

// "shoulder 220 N m, 0.21 rad/s; ...".
std::string limits_text(const LinkLimits& limits, const Model& model, const DrivenJoints& driven);
// Joints with inconsistent limits: `release` is above `speed`.  One line, or "".
std::string release_text(const LinkLimits& limits, const Model& model, const DrivenJoints& driven);

// Applies the limits to the servos, and so to the observer.
void limit_servos(const LinkLimits& limits, ControlOptions& control);

// (driven coordinate) c of brakes -c v that would stop each joint of the rigid machine within `time`; at most `share`
// of the stability limit of a torque held for a period: the natural inertia over the period.  Throws InputError.
VectorXd make_braking_gains(const Model& model, const DrivenJoints& driven, const State& x, double time, double period,
                            double share);

}  // namespace limber
