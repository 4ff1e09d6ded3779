// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>

#include "limber/files/recording.hpp"
#include "limber/scenario/simulation.hpp"

namespace limber {

// The output files of a run.
struct RunOutputs {
  std::string recording = {};                            // HDF5, docs/recording-format.md; empty: none
  std::string csv = {};                                  // a text table; empty: none
  std::string report = {};                               // an HTML page, made from the recording; empty: none
  double flush = 1;                                      // s between writes to the disk
  bool force = false;                                    // start even if the disk has too little space for all records
  std::function<bool(double t)> go_on = {};              // called after every step; false: stop
  std::function<void(double share)> page_progress = {};  // 0 ... 1
};

// The results of a run.
struct RecordedRun {
  RunResult result;
  std::optional<Equilibrium> equilibrium;
  double wall = 0;             // s
  std::string recording, csv;  // files; empty: none
  std::string warning;         // about disk space; empty: there is enough
  long records = 0;
  Tracking tracking;                  // of a controller
  std::string shaping;                // the shaped vibrations of its desired motion, as text; empty: none
  std::vector<std::string> warnings;  // before and after the run: control_hints, run_hints
  bool complete() const { return result.status == Status::ok && !result.interrupted; }  // to its end, without failure
};

// Writes the records of a run.  Throws InputError and FileError "FILE: ...".
class RunRecorder : public RunListener {
 public:
  // channels: of a controller, added to those of the machine; shaping: as text.
  RunRecorder(const Scenario& scenario, const RunOutputs& outputs, std::vector<ExternalChannel> channels,
              std::string shaping = {});
  // Runs to the end; a failure is reported in the result, and the records are kept.
  RecordedRun operator()(Simulation& simulation);

  void record(const Record& record) override;
  bool go_on(double t, const StepCounts& counts) override;

 private:
  RunOutputs outputs_;
  std::optional<RecordingWriter> recording_;
  std::optional<CsvWriter> csv_;
  std::optional<TrackingMonitor> monitor_;  // at records: for a controller in another process
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
