// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/report/report.hpp"

#include "limber/files/recording_reader.hpp"
#include "report/page.hpp"
#include "report/plots.hpp"

namespace limber {

void check_report(const std::string& page, const std::vector<std::string>& never_overwrites) {
  check_page(page, never_overwrites);
}

RecordedPage make_recorded_page(const std::string& path, const ReportOptions& options, double room) {
  return is_table(path) ? make_table_page(path, options, room) : make_recording_page(path, options, room);
}

ReportFacts write_report(const std::string& path, const std::string& page, const ReportOptions& options) {
  ReportOptions guarded = options;
  guarded.never_overwrites.push_back(path);
  check_page(page, guarded.never_overwrites);
  RecordedPage made = make_recorded_page(path, guarded);
  made.facts.bytes = write_page(made.page, page, guarded.never_overwrites);
  options.progress(1);
  return made.facts;
}

}  // namespace limber
