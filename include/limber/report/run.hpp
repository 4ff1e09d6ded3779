// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/report/report.hpp"
#include "limber/scenario/run.hpp"

namespace limber {

struct RunReport : RecordedRun {
  std::string page;          // the HTML file; empty: none
  ReportFacts page_facts;    // its content
  std::string page_failure;  // the reason if a requested page could not be made
};

// Does what `limber run` does: simulates the scenario to its end, writes the files of `outputs`, returns the results.
// A run that fails numerically, or is stopped, keeps its records: see result.  It is here, and not in room `scenario`,
// because it makes pages.  Throws InputError for errors in the scenario, FileError for files that cannot be
// written.
RunReport run(const Scenario& scenario, const RunOutputs& outputs = {});

}  // namespace limber
