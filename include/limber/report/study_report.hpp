// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/report/report.hpp"
#include "limber/report/sensitivity.hpp"

namespace limber {

// Statistics of the finite values.  Percentiles as everywhere in limber: the smallest value with at least that share of
// the values at or below it.  Without values, not a number.
struct ResultStatistics {
  long count = 0;
  double mean = 0, deviation = 0;  // with n - 1
  double least = 0, p5 = 0, p25 = 0, p50 = 0, p75 = 0, p95 = 0, p99 = 0, largest = 0;
};
ResultStatistics compute_statistics(std::span<const double> values);

struct ResultFacts {
  std::string name, unit;
  ResultStatistics statistics;
  Sensitivity sensitivity;
};

// The content of the page of a study.
struct StudyFacts {
  std::size_t bytes = 0;                // of the file
  long runs = 0, done = 0, failed = 0;  // failed: done, and not "ok"
  long recordings = 0;                  // included in the page
  std::vector<std::string> parameters;
  std::vector<ResultFacts> results;
};

// Writes the table of a study, finished or not, as one HTML file: docs/viewer.md, "Studies".  Throws FileError
// "FILE: ..." if it is not such a table or cannot be written; no file is left in that case.
StudyFacts write_study_report(const std::string& table, const std::string& page, const ReportOptions& options = {});

}  // namespace limber
