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
  std::string ended;           // why the search ended: "tolerance reached", "evaluations used up", "interrupted"
  double wall = 0;             // s
};

// Looks for the values of the parameters, within their bounds, where the result that the study's `tune` names is
// smallest (or largest), by NLopt.  The table has every evaluation, in their order.  A run that fails counts as worse
// than all others.  Throws InputError: no `tune`, a parameter without bounds; FileError.
TuneReport tune(const Study& study, const SweepOptions& options);

}  // namespace limber
