// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/study/sweep.hpp"

namespace limber {

struct TuneReport {
  long evaluations = 0, failed = 0;
  long best = -1;              // run of the best one; -1: every run failed
  std::vector<double> values;  // (parameter) of the best
  double goal = 0;             // the result there
  std::string ended;           // reason of the end: "tolerance reached", "evaluations used up", "interrupted"
  double wall = 0;             // s
};

// Searches for the values of the parameters, within their bounds, for which the result named by `tune` is
// smallest (or largest), by NLopt.  The table holds every evaluation in order.  A run that fails counts as worse
// than all others.  Throws InputError: no `tune`, a parameter without bounds; FileError.
TuneReport tune(const Study& study, const SweepOptions& options);

}  // namespace limber
