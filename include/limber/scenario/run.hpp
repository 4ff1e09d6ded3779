// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>

#include "limber/files/recording.hpp"
#include "limber/scenario/simulation.hpp"

namespace limber {

// What a run leaves behind, beside its report.
struct RunOutputs {
  std::string recording = {};                            // HDF5, docs/recording-format.md; empty: none
  std::string csv = {};                                  // a table in text; empty: none
  std::string report = {};                               // an HTML page, made from the recording; empty: none
  double flush = 1;                                      // s between writes to the disk
  bool force = false;                                    // start even if the disk has too little space for all records
  std::function<bool(double t)> go_on = {};              // asked after every step; false: stop here
  std::function<void(double share)> page_progress = {};  // 0 ... 1
};

// What there is to say about a run.
struct RecordedRun {
  RunResult result;
  std::optional<Equilibrium> equilibrium;
  double wall = 0;             // s
  std::string recording, csv;  // files; empty: none
  std::string warning;         // about the room on the disk; empty: there is enough
  long records = 0;
  Tracking tracking;                  // of a controller
  std::string shaping;                // what its desired motion is shaped for, in words; empty: nothing
  std::vector<std::string> warnings;  // before and after the run: control_hints, run_hints
  bool complete() const { return result.status == Status::ok && !result.interrupted; }  // to its end, without failure
};

// Writes the records of a run.  Throws InputError and FileError "FILE: ...".
class RunRecorder : public RunListener {
 public:
  // channels: of a controller, beside those of the machine; shaping: in words.
  RunRecorder(const Scenario& scenario, const RunOutputs& outputs, std::vector<ExternalChannel> channels,
              std::string shaping = {});
  // To the end; a run that fails is reported in the result and keeps what was recorded.
  RecordedRun operator()(Simulation& simulation);

  void record(const Record& record) override;
  bool go_on(double t, const StepCounts& counts) override;

 private:
  RunOutputs outputs_;
  std::optional<RecordingWriter> recording_;
  std::optional<CsvWriter> csv_;
  std::optional<TrackingMonitor> monitor_;  // at records: of a controller elsewhere
  RecordedRun run_;
};

// Runs and records a scenario; run() in limber/report/run.hpp makes the page, too.
RecordedRun record_run(const Scenario& scenario, const RunOutputs& outputs = {});

// The driven joints of the scenario's controller, in its machine.
DrivenJoints driven_joints(const Scenario& scenario);
// Files that the scenario was read from, which must not be written to.
std::vector<std::string> files_of(const Scenario& scenario);
// "finished", "interrupted", "diverged: ...".
std::string ended_text(const RunResult& result);
// "dopri5, rtol 1e-09, atol 1e-12, aba".
std::string solver_text(const SolverOptions& solver);

}  // namespace limber
