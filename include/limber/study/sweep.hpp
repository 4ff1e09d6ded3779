// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "limber/files/study_table.hpp"
#include "limber/study/sampling.hpp"

namespace limber {

// Asked after every step of a run; false: stop here.
using GoOn = std::function<bool()>;

// Checks a study against its scenario: paths, channels, components, frequencies.  Throws InputError: the first fault;
// every value of the trial runs refused.  Returns its table without results: texts, parameters, seeds, units.
StudyData prepare_study(const Study& study, const StudySamples& samples);

// One run with these values: simulates and reduces.  Nothing of it is shared with other runs.  What is wrong with the
// values, or goes wrong underway, is in the row; what is wrong with the machine it runs on (memory, files) is the
// status "failed", after three attempts.  recording: a file for it; empty: none.  interrupted: `go_on` stopped it.
struct CaseResult {
  StudyRow row;
  bool interrupted = false;
  int lost = 0;  // attempts that failed
};
CaseResult run_case(const Study& study, const Overrides& values, const std::string& recording = {},
                    const GoOn& go_on = {});
// Run k of a study; `folder` for its recording, where one is to be kept.
CaseResult run_case(const Study& study, const StudySamples& samples, long run, const std::string& folder,
                    const GoOn& go_on = {});

// Who does the runs of a sweep.
class Team {
 public:
  virtual ~Team() = default;
  using Work = std::function<CaseResult(long run)>;  // on any thread or machine
  struct Events {                                    // on one thread at a time
    std::function<void(long run)> begun;
    std::function<void(const CaseResult& result)> done;
  };
  // Returns when all are done, or `go_on` says no.
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

// Does the runs of a study that its table does not have, each once.  Throws InputError, FileError.
SweepReport sweep(const Study& study, const SweepOptions& options, Team& team);

// Folder of the kept recordings of a table: study.h5 -> study.runs.
std::string recordings_folder(const std::string& table);

}  // namespace limber
