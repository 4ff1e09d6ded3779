// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/control/controller.hpp"

namespace limber {

// Sets the modes of x in static balance with gravity and the inertial forces of the desired motion at x.t.  driven: of
// `plant`.
void bend_as_desired(const ControlOptions& options, const DrivenJoints& driven, const Model& plant, State& x);

// The body of the controller's model with the largest deflection in the desired motion, at the schedule points.
struct Bending {
  double share = 0;  // displacement of a node relative to the size of its body
  std::string body;
  double t = 0;
};
Bending find_bending(const ControlOptions& options);

}  // namespace limber
