// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/report/run.hpp"

#include <array>

namespace limber {
namespace {

void check_different(const RunOutputs& outputs) {
  const std::array names = {&outputs.recording, &outputs.csv, &outputs.report};
  for (std::size_t a = 0; a < names.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (!names[a]->empty() && *names[a] == *names[b])
        throw InputError(*names[a] + ": is named for two outputs; give each a file of its own");
}

}  // namespace

RunReport run(const Scenario& scenario, const RunOutputs& outputs) {
  check_different(outputs);
  if (!outputs.report.empty()) {
    if (outputs.recording.empty()) throw InputError("a page needs a recording; name one, too");
    check_report(outputs.report, files_of(scenario));
  }
  RunReport out;
  static_cast<RecordedRun&>(out) = record_run(scenario, outputs);
  if (outputs.report.empty() || out.records == 0) return out;
  ReportOptions options;
  options.never_overwrites = files_of(scenario);
  options.model = scenario.model;
  if (outputs.page_progress) options.progress = outputs.page_progress;
  try {
    out.page_facts = write_report(out.recording, outputs.report, options);
    out.page = outputs.report;
  } catch (const Error& e) {
    out.page_failure = e.what();
  }
  return out;
}

}  // namespace limber
