// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/files/document.hpp"
#include "limber/scenario/simulation.hpp"

namespace limber {

// What a good file may still have wrong, one line each, with its place.  Nothing of it is an error.

// A model: turns (`rpy`) that look like degrees, damping ratios that look like percent.
std::vector<std::string> model_hints(const Document& document);
// A scenario and its model: the same, and angles of `initial` and waypoints that look like degrees.
std::vector<std::string> scenario_hints(const Scenario& scenario);
// A machine before it runs: a loop that is unstable, a motion that the run does not see the end of or that begins where
// the joints are not.
std::vector<std::string> control_hints(const Scenario& scenario, const ControlLoop& loop);
// The same with an attitude controller: slews beyond the limits of its wheels, feedback that is unstable.
std::vector<std::string> attitude_hints(const Scenario& scenario, const AttitudeLoop& loop);
// After a run: an error that grew, servos at their limits, a method that the machine is too stiff for.
std::vector<std::string> run_hints(const Scenario& scenario, const RunResult& result, const Tracking& tracking);

}  // namespace limber
