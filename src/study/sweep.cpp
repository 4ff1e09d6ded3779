// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/study/sweep.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <filesystem>

#include "limber/files/detail/flow.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

using SweepClock = std::chrono::steady_clock;

// The text without comments and line breaks, for comparison.
std::string meaning(const std::string& text) {
  try {
    return write_flow(*parse_document(text, "text").root);
  } catch (const InputError&) {
    return text;
  }
}

bool same_numbers(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

// Checks that the table belongs to this study: same files, same values.
void check_same(const std::string& path, const StudyData& there, const StudyData& wanted) {
  const auto fail = [&](std::string_view what) {
    throw FileError(
        fmt::format("{}: {} since this table was begun; remove --resume and name another output", path, what));
  };
  if (meaning(there.study_text) != meaning(wanted.study_text)) fail("the study has changed");
  if (meaning(there.scenario_text) != meaning(wanted.scenario_text)) fail("the scenario has changed");
  if (meaning(there.model_text) != meaning(wanted.model_text)) fail("the model has changed");
  bool same = there.parameters.size() == wanted.parameters.size() && there.results.size() == wanted.results.size();
  for (std::size_t k = 0; same && k < wanted.parameters.size(); ++k)
    same = there.parameters[k].name == wanted.parameters[k].name &&
           same_numbers(there.parameters[k].values, wanted.parameters[k].values) &&
           there.parameters[k].words == wanted.parameters[k].words;
  for (std::size_t k = 0; same && k < wanted.results.size(); ++k)
    same = there.results[k].name == wanted.results[k].name;
  if (!same) fail("the values of its runs have changed");
}

void count_status(const std::string& status, SweepReport& report) {
  if (status == "ok") ++report.ok;
  if (status == "diverged") ++report.diverged;
  if (status == "refused") ++report.refused;
  if (status == "failed") ++report.failed;
}

// Opens the table and finds the remaining runs, if it exists already.
StudyTableWriter open_table(const SweepOptions& options, const StudyData& data, SweepReport& report,
                            std::vector<long>& left) {
  std::error_code ignored;
  const bool resume = options.resume && std::filesystem::exists(options.output, ignored);
  const StudyData there = resume ? read_study_table(options.output) : StudyData();
  if (resume) check_same(options.output, there, data);
  for (long run = 0; run < data.runs(); ++run) {
    if (!resume || !there.done(run)) {
      left.push_back(run);
      if (resume && !there.status[static_cast<std::size_t>(run)].empty()) ++report.lost;
      continue;
    }
    ++report.before;
    count_status(there.status[static_cast<std::size_t>(run)], report);
  }
  if (resume) return {options.output, data};
  return {options.output, data, options.never_overwrites};
}

}  // namespace

std::string recordings_folder(const std::string& table) {
  return std::filesystem::path(table).replace_extension(".runs").string();
}

SweepReport sweep(const Study& study, const SweepOptions& options, Team& team) {
  const auto begin = SweepClock::now();
  const StudySamples samples(study);
  StudyData data = prepare_study(study, samples);
  const std::string folder = recordings_folder(options.output);
  data.recordings = std::filesystem::path(folder).filename().string();
  SweepReport report;
  report.runs = samples.runs();
  std::vector<long> left;
  StudyTableWriter table = open_table(options, data, report, left);
  if (report.lost > 0 && options.note)
    options.note(fmt::format("{} run{} begun before and not finished; repeated", report.lost,
                             report.lost == 1 ? " was" : "s were"));
  const long before = report.before;
  long done = before;
  const Team::Work work = [&](long run) { return run_case(study, samples, run, folder, options.go_on); };
  const Team::Events events{
      [&](long run) { table.begin(run); },
      [&](const CaseResult& result) {
        if (result.interrupted) return;
        table.write(result.row);
        report.run_wall += result.row.wall;
        count_status(result.row.status, report);
        ++done;
        if (result.lost > 0 && options.note)
          options.note(fmt::format("run {} was lost {} time{} ({}), {}", result.row.index, result.lost,
                                   result.lost == 1 ? "" : "s", result.row.message,
                                   result.row.status == "failed" ? "and given up" : "and repeated"));
        if (options.progress) options.progress({report.runs, done, before});
      }};
  team.run(left, work, events, options.go_on);
  report.complete = done == report.runs;
  table.finish(report.complete);
  report.wall = std::chrono::duration<double>(SweepClock::now() - begin).count();
  return report;
}

}  // namespace limber
