// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/scenario_parts.hpp"

#include <cmath>
#include <filesystem>

#include "apps/commands.hpp"

namespace limber::apps {

Scenario read_scenario_argument(const std::string& path) {
  if (path != "-") return read_scenario(path);
  return parse_scenario(read_argument(path), name_of_argument(path), "");
}

RecordingOptions recording_options(const Scenario& scenario, double flush_every) {
  RecordingOptions out;
  out.name = scenario.name;
  out.model_text = scenario.model_text;
  out.scenario_text = scenario.text;
  out.solver = solver_text(scenario.solver);
  out.nodes = scenario.record.nodes;
  out.energy = scenario.record.energy;
  out.records = record_count(scenario.run);
  out.flush_every = flush_every;
  out.never_overwrites = files_of(scenario);
  return out;
}

std::vector<std::string> files_of(const Scenario& scenario) {
  std::vector<std::string> out;
  for (const std::string& file : {scenario.file, scenario.model_file})
    if (!file.empty()) out.push_back(file);
  return out;
}

std::string output_name(const std::string& scenario, const std::string& end) {
  if (scenario == "-") return "scenario" + end;
  return std::filesystem::path(scenario).stem().string() + end;
}

void begin_tracking(const DrivenJoints& hinges, Tracking& tracking) {
  tracking.names = hinges.names;
  tracking.squares.setZero(hinges.size());
  tracking.largest = tracking.squares;
}

void add_tracking(const DrivenJoints& hinges, const std::vector<Signal>& desired, const State& x, Tracking& tracking) {
  for (int k = 0; k < hinges.size(); ++k) {
    const double error = x.q[hinges.q[k]] - desired[static_cast<std::size_t>(k)].at(x.t).value;
    tracking.squares[k] += error * error;
    tracking.largest[k] = std::max(tracking.largest[k], std::abs(error));
  }
  ++tracking.records;
}

}  // namespace limber::apps
