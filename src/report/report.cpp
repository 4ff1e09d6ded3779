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

ReportFacts write_report(const std::string& path, const std::string& page, const ReportOptions& options) {
  ReportOptions guarded = options;
  guarded.never_overwrites.push_back(path);
  check_page(page, guarded.never_overwrites);
  const ReportFacts facts =
      is_table(path) ? write_table_report(path, page, guarded) : write_recording_report(path, page, guarded);
  options.progress(1);
  return facts;
}

}  // namespace limber
