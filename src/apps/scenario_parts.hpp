// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "apps/summary.hpp"

namespace limber::apps {

// What the commands that run scenarios share.
Scenario read_scenario_argument(const std::string& path);  // "-": standard input
RecordingOptions recording_options(const Scenario& scenario, double flush_every);
// Names that must not be written to.
std::vector<std::string> files_of(const Scenario& scenario);
// The scenario's name with another end, here.
std::string output_name(const std::string& scenario, const std::string& end);

// Runs what throws InputError without a file, and adds the scenario's.
template <class Action>
auto in_scenario(const Scenario& scenario, Action action) {
  try {
    return action();
  } catch (const InputError& e) {
    throw InputError(scenario.file + ": " + e.what());
  }
}

// How the joints of a controller follow.
void begin_tracking(const DrivenJoints& hinges, Tracking& tracking);
void add_tracking(const DrivenJoints& hinges, const std::vector<Signal>& desired, const State& x, Tracking& tracking);

}  // namespace limber::apps
