// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scenario/run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "limber/control/attitude.hpp"
#include "limber/control/prepare.hpp"
#include "limber/linear/facts.hpp"
#include "limber/scenario/hints.hpp"

namespace limber {
namespace {

RecordingOptions recording_options(const Scenario& scenario, const RunOutputs& outputs) {
  RecordingOptions out;
  out.name = scenario.name;
  out.model_text = scenario.model_text;
  out.scenario_text = scenario.text;
  for (const Override& one : scenario.set) out.set.push_back(to_string(one));
  out.solver = solver_text(scenario.solver);
  out.nodes = scenario.record.nodes;
  out.energy = scenario.record.energy;
  out.records = record_count(scenario.run);
  out.flush_every = outputs.flush;
  out.never_overwrites = files_of(scenario);
  return out;
}

// Summary figures of all steps, for the report, which the records do not contain.
std::string figures_text(const Model& model, const RecordedRun& run) {
  const RunResult& result = run.result;
  std::string out;
  const auto number = [](double value) { return fmt::format("{:.4g}", value); };
  if (const LargestDeflection& most = result.validity.largest_deflection; most.value > 0)
    out += fmt::format("largest deflection\t{} m, {} at t = {} s\n", number(most.value), node_name(model, most.node),
                       number(most.t));
  out += fmt::format("energy balance\toff by {} J at most", number(result.energy_error));
  if (result.energy_scale > 0)
    out += fmt::format(", {} of the largest energy", number(result.energy_error / result.energy_scale));
  out += "\n";
  if (!run.shaping.empty()) out += "shaping\t" + run.shaping + "\n";
  for (const std::string& warning : warnings(model, result.validity)) out += "warning\t" + warning + "\n";
  for (const std::string& warning : run.warnings) out += "warning\t" + warning + "\n";
  return out;
}

}  // namespace

RunRecorder::RunRecorder(const Scenario& scenario, const RunOutputs& outputs, std::vector<ExternalChannel> channels,
                         std::string shaping)
    : outputs_(outputs) {
  in_scenario(scenario, [&] { check_run(scenario.run); });
  run_.shaping = std::move(shaping);
  if (!outputs.recording.empty()) {
    RecordingOptions options = recording_options(scenario, outputs);
    options.channels = std::move(channels);
    options.force = outputs.force;
    options.shaping = run_.shaping;
    recording_.emplace(*scenario.model, outputs.recording, std::move(options));
    run_.warning = recording_->warning();
  }
  if (!outputs.csv.empty()) csv_.emplace(*scenario.model, outputs.csv, scenario.record.energy, files_of(scenario));
}

void RunRecorder::record(const Record& record) {
  if (monitor_) monitor_->add(record.motion.x, record.kin, {});
  if (recording_) recording_->write(record);
  if (csv_) csv_->write(record);
  ++run_.records;
}

bool RunRecorder::go_on(double t, const StepCounts& /*counts*/) { return !outputs_.go_on || outputs_.go_on(t); }

RecordedRun RunRecorder::operator()(Simulation& simulation) {
  run_.equilibrium = simulation.equilibrium();
  run_.recording = outputs_.recording;
  run_.csv = outputs_.csv;
  const Scenario& scenario = simulation.scenario();
  const ControlLoop* loop = simulation.controller();
  if (loop != nullptr) run_.warnings = control_hints(scenario, *loop);
  if (simulation.attitude() != nullptr) {
    for (std::string& hint : attitude_hints(scenario, *simulation.attitude())) run_.warnings.push_back(std::move(hint));
  }
  if (loop == nullptr && scenario.control)
    monitor_.emplace(*scenario.model, driven_joints(scenario), prepare_control(scenario.control->options));
  try {
    const auto begin = std::chrono::steady_clock::now();
    run_.result = simulation.run(*this);
    run_.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (csv_) csv_->finish();
  } catch (const Error& e) {
    if (recording_) recording_->finish(std::string("failed: ") + e.what(), false);
    throw;
  }
  run_.tracking = simulation.tracking();
  if (monitor_) run_.tracking = monitor_->tracking();
  for (std::string& hint : run_hints(scenario, run_.result, run_.tracking)) run_.warnings.push_back(std::move(hint));
  if (recording_) {
    recording_->finish(ended_text(run_.result), run_.complete(), figures_text(simulation.model(), run_));
    run_.records = recording_->records();
  }
  if (run_.records == 0) run_.recording.clear();
  return run_;
}

RecordedRun record_run(const Scenario& scenario, const RunOutputs& outputs) {
  Simulation simulation(scenario);
  std::string shaping;
  if (const ControlLoop* loop = simulation.controller()) shaping = shaping_text(loop->controller().options().shaping);
  if (const AttitudeLoop* loop = simulation.attitude()) shaping = shaping_text(loop->options().shaping);
  RunRecorder recorder(scenario, outputs, simulation.control_channels(), std::move(shaping));
  return recorder(simulation);
}

DrivenJoints driven_joints(const Scenario& scenario) {
  const ControlOptions& control = scenario.control->options;
  return find_same_joints(*control.model, control.driven, *scenario.model);
}

std::vector<std::string> files_of(const Scenario& scenario) {
  std::vector<std::string> out;
  for (const std::string& file : {scenario.file, scenario.model_file})
    if (!file.empty()) out.push_back(file);
  return out;
}

std::string ended_text(const RunResult& result) {
  if (result.status != Status::ok)
    return "diverged: " + (result.failure.empty() ? std::string(to_string(result.status)) : result.failure);
  return result.interrupted ? "interrupted" : "finished";
}

std::string solver_text(const SolverOptions& solver) {
  std::string out = solver.method;
  if (solver.method == "cvode") out += ", " + solver.formula;
  if (solver.method == "rk4" || solver.method == "implicit")
    out += fmt::format(", step {:g} s", solver.step);
  else
    out += fmt::format(", rtol {:g}, atol {:g}", solver.rtol, solver.atol);
  if (solver.method == "implicit") out += fmt::format(", rho_inf {:g}", solver.rho_inf);
  return out + ", " + solver.algorithm;
}

}  // namespace limber
