// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/files/document.hpp"
#include "limber/scenario/simulation.hpp"

namespace limber {

// Likely mistakes in valid files, one line each, with their location.  They are not errors.

// In a model: angles (`rpy`) that look like degrees, damping ratios that look like percent.
std::vector<std::string> model_hints(const Document& document);
// In a scenario and its model: the same, and angles of `initial` and waypoints that look like degrees.
std::vector<std::string> scenario_hints(const Scenario& scenario);
// Before a run: an unstable loop, a desired motion that does not end within the run or does not begin at the position
// of the joints.
std::vector<std::string> control_hints(const Scenario& scenario, const ControlLoop& loop);
// The same with an attitude controller: slews beyond the limits of its wheels, unstable feedback.
std::vector<std::string> attitude_hints(const Scenario& scenario, const AttitudeLoop& loop);
// After a run: growing errors, servos at their limits, a machine too stiff for the method.
std::vector<std::string> run_hints(const Scenario& scenario, const RunResult& result, const Tracking& tracking);

}  // namespace limber
