// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/control/controller.hpp"

namespace limber {

// Modes of x in balance with the inertial forces of the desired motion at x.t and with the weight.  driven: of `plant`.
void bend_as_desired(const ControlOptions& options, const DrivenJoints& driven, const Model& plant, State& x);

// The body of the controller's model that the desired motion bends most, at the points of the schedule.
struct Bending {
  double share = 0;  // displacement of a node over the extent of its body
  std::string body;
  double t = 0;
};
Bending find_bending(const ControlOptions& options);

}  // namespace limber
