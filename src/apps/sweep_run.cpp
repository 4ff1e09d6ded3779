// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "apps/interrupt.hpp"
#include "apps/json.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"

namespace limber::apps {
namespace {

// Mean, deviation and extremes of a result over the runs with a value.
struct Statistics {
  long count = 0;
  double mean = 0, deviation = 0, least = 0, most = 0;
};

Statistics statistics_of(const std::vector<double>& values) {
  Statistics out;
  double squares = 0;
  for (const double x : values) {
    if (!std::isfinite(x)) continue;
    ++out.count;
    const double change = x - out.mean;
    out.mean += change / static_cast<double>(out.count);
    squares += change * (x - out.mean);
    out.least = out.count == 1 ? x : std::min(out.least, x);
    out.most = out.count == 1 ? x : std::max(out.most, x);
  }
  out.deviation = out.count > 1 ? std::sqrt(squares / static_cast<double>(out.count - 1)) : 0;
  return out;
}

std::string sweep_text(const SweepCommand& command, const SweepReport& report, const StudyData& data,
                       const std::string& workers) {
  const Style style = style_for(stdout);
  std::string out = fmt::format("{}  {} runs: {} ok", style.bold(fit(data.name, 60)), report.runs, report.ok);
  for (const auto& [count, word] :
       {std::pair{report.diverged, "diverged"}, {report.refused, "refused"}, {report.failed, "failed"}}) {
    if (count > 0) out += fmt::format(", {} {}", count, word);
  }
  const long now = report.ok + report.diverged + report.refused + report.failed - report.before;
  out += fmt::format("\n{} of them now, {} in {}", now, workers, duration_text(report.wall));
  if (now > 0) out += fmt::format(", {} each", duration_text(report.run_wall / static_cast<double>(now)));
  out += "\n\n";
  Table table;
  table.column("result").column("unit");
  for (const char* title : {"least", "mean", "deviation", "most", "runs"}) table.column(title, Table::Align::right);
  for (const StudyColumn& column : data.results) {
    const Statistics s = statistics_of(column.values);
    const bool any = s.count > 0;
    table.row({column.name, column.unit, any ? short_number(s.least) : "–", any ? short_number(s.mean) : "–",
               any ? short_number(s.deviation) : "–", any ? short_number(s.most) : "–", std::to_string(s.count)});
  }
  constexpr std::size_t kMaxRows = 40;
  return out + table.render(style, kMaxRows, "results") + fmt::format("\nTable  {}\n", command.output);
}

Json sweep_json(const SweepCommand& command, const SweepReport& report, const StudyData& data) {
  Json results = Json::array();
  for (const StudyColumn& column : data.results) {
    const Statistics s = statistics_of(column.values);
    Json entry = {{"name", column.name}, {"unit", column.unit}, {"runs", s.count}};
    if (s.count > 0) entry.update({{"mean", s.mean}, {"deviation", s.deviation}, {"min", s.least}, {"max", s.most}});
    results.push_back(std::move(entry));
  }
  return {{"study", data.name},
          {"table", command.output},
          {"runs", report.runs},
          {"before", report.before},
          {"ok", report.ok},
          {"diverged", report.diverged},
          {"refused", report.refused},
          {"failed", report.failed},
          {"complete", report.complete},
          {"wall", report.wall},
          {"run_wall", report.run_wall},
          {"results", results}};
}

}  // namespace

std::string study_output(const std::string& study, const std::string& end) {
  return std::filesystem::path(study).stem().string() + end;
}

int run_sweep(const SweepCommand& command, const Study& study, Team& team, const std::string& workers) {
  const StopOnSignal stop;
  Progress progress("", !command.quiet);
  SweepOptions options;
  options.output = command.output;
  options.resume = command.resume;
  options.never_overwrites = {command.study, study.scenario_file};
  options.go_on = [] { return !stop_requested(); };
  options.progress = [&](const SweepProgress& at) {
    const auto runs = static_cast<double>(std::max(1L, at.runs - at.before));
    progress.update(static_cast<double>(at.done - at.before) / runs, fmt::format("{} of {} runs", at.done, at.runs));
  };
  options.note = [&](const std::string& line) {
    progress.erase();
    write_output(fmt::format("{}: {}\n", command.output, line), stderr);
  };
  const SweepReport report = sweep(study, options, team);
  progress.erase();
  const StudyData data = read_study_table(command.output);
  if (command.json)
    write_output(sweep_json(command, report, data).dump(2, ' ', false, Json::error_handler_t::replace) + "\n", stdout);
  else if (!command.quiet)
    write_output(sweep_text(command, report, data, workers), stdout);
  if (report.complete) return 0;
  write_output(fmt::format("{}: interrupted with {} of {} runs done; continue with --resume\n", command.output,
                           data.done_count(), report.runs),
               stderr);
  return 1;
}

std::vector<std::string> mpi_arguments(const SweepCommand& command) {
  std::vector<std::string> out = {command.study, command.output};
  if (command.resume) out.emplace_back("--resume");
  if (command.json) out.emplace_back("--json");
  if (command.quiet) out.emplace_back("--quiet");
  return out;
}

SweepCommand parse_mpi_arguments(const std::vector<std::string>& arguments) {
  const auto has = [&](const char* word) {
    return std::find(arguments.begin() + 2, arguments.end(), word) != arguments.end();
  };
  SweepCommand out;
  out.study = arguments.at(0);
  out.output = arguments.at(1);
  out.resume = has("--resume");
  out.json = has("--json");
  out.quiet = has("--quiet");
  return out;
}

}  // namespace limber::apps
