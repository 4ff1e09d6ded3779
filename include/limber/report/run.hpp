// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/report/report.hpp"
#include "limber/scenario/run.hpp"

namespace limber {

struct RunReport : RecordedRun {
  std::string page;          // the HTML file; empty: none
  ReportFacts page_facts;    // what is in it
  std::string page_failure;  // why there is none although one was asked for
};

// What `limber run` does: simulates the scenario to its end, writes what `outputs` names, tells how it went.  A run
// that fails numerically, or is stopped, keeps what was recorded: see result.  Here, and not in room `scenario`,
// because it makes pages.  Throws InputError for what is wrong with the scenario, FileError for files that cannot be
// written.
RunReport run(const Scenario& scenario, const RunOutputs& outputs = {});

}  // namespace limber
