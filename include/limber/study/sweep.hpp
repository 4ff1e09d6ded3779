// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "limber/files/study_table.hpp"
#include "limber/study/sampling.hpp"

namespace limber {

// Called after every step of a run; false: stop.
using GoOn = std::function<bool()>;

// Checks a study against its scenario: paths, channels, components, frequencies.  Throws InputError: the first error;
// or if every trial run was refused.  Returns its table without results: texts, parameters, seeds, units.
StudyData prepare_study(const Study& study, const StudySamples& samples);

// One run with these values: simulates and reduces.  It shares nothing with other runs.  Errors in the
// values and failures of the run are in the row; a failure of the computer (memory, files) has the
// status "failed", after three attempts.  recording: a file for it; empty: none.  interrupted: `go_on` stopped it.
struct CaseResult {
  StudyRow row;
  bool interrupted = false;
  int lost = 0;  // attempts that failed
};
CaseResult run_case(const Study& study, const Overrides& values, const std::string& recording = {},
                    const GoOn& go_on = {});
// Run k of a study; `folder` for its recording, if it is kept.
CaseResult run_case(const Study& study, const StudySamples& samples, long run, const std::string& folder,
                    const GoOn& go_on = {});

// The executor of the runs of a sweep.
class Team {
 public:
  virtual ~Team() = default;
  using Work = std::function<CaseResult(long run)>;  // on any thread or machine
  struct Events {                                    // on one thread at a time
    std::function<void(long run)> begun;
    std::function<void(const CaseResult& result)> done;
  };
  // Returns when all are done, or when `go_on` returns false.
  virtual void run(const std::vector<long>& runs, const Work& work, const Events& events, const GoOn& go_on) = 0;
};

// All cores of this machine, by oneTBB.
class ThreadTeam : public Team {
 public:
  explicit ThreadTeam(int threads) : threads_(threads) {}  // 0: one per core
  void run(const std::vector<long>& runs, const Work& work, const Events& events, const GoOn& go_on) override;

 private:
  int threads_;
};

struct SweepProgress {
  long runs = 0, done = 0, before = 0;  // all; done; of these, before this sweep began
};

struct SweepOptions {
  std::string output;  // the table
  bool resume = false;
  std::vector<std::string> never_overwrites;
  GoOn go_on;
  std::function<void(const SweepProgress&)> progress;
  std::function<void(const std::string&)> note;  // a line about a run that was lost and repeated
};

struct SweepReport {
  long runs = 0, before = 0, ok = 0, diverged = 0, refused = 0, failed = 0;
  long lost = 0;                  // begun before and not finished
  double wall = 0, run_wall = 0;  // s: of the sweep; of its runs together
  bool complete = false;
};

// Does the runs that are missing in the table of a study, each once.  Throws InputError, FileError.
SweepReport sweep(const Study& study, const SweepOptions& options, Team& team);

// Folder of the kept recordings of a table: study.h5 -> study.runs.
std::string recordings_folder(const std::string& table);

}  // namespace limber
