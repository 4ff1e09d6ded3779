// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "apps/commands.hpp"
#include "apps/json_writer.hpp"
#include "apps/page.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "limber/files/study_table.hpp"
#include "limber/report/study_report.hpp"

namespace limber::apps {
namespace {

struct ViewCommand {
  std::vector<std::string> recordings;
  std::string output;
  bool open = false, json = false, quiet = false;
};

constexpr const char* kViewExample = R"(Example:
  limber run examples/canadarm/controlled.yaml -o arm.h5
  limber view arm.h5 --open

Writes one HTML file that needs no network: the moving machine in 3D, plots beside it, a summary at the top. It can be
mailed and archived. Long recordings are thinned, keeping their extremes, and the page says so. Several recordings are
overlaid: their curves, the differences from the first, their machines. The table of a study becomes a page with all its
runs: parallel coordinates, scatter matrix, percentiles, sensitivities.)";

void write_differences(const std::vector<SignalDifference>& differences, JsonWriter& json) {
  json.key("differences");
  json.begin_list();
  for (const SignalDifference& one : differences) {
    json.begin_object();
    const std::pair<const char*, const std::string&> texts[] = {
        {"recording", one.recording}, {"group", one.group}, {"signal", one.signal}, {"unit", one.unit}};
    for (const auto& [key, text] : texts) {
      json.key(key);
      json.text(text);
    }
    json.key("largest");
    json.number(one.largest);
    json.end_object();
  }
  json.end_list();
}

void write_json(const std::string& page, const ReportFacts& facts) {
  JsonWriter json(stdout);
  const auto number = [&](const char* key, double value) {
    json.key(key);
    json.number(value);
  };
  json.begin_object();
  json.key("page");
  json.text(page);
  number("bytes", static_cast<double>(facts.bytes));
  number("records", static_cast<double>(facts.records));
  number("records_shown", static_cast<double>(facts.records_shown));
  number("pictures", static_cast<double>(facts.pictures));
  number("signals", static_cast<double>(facts.channels));
  number("signals_shown", static_cast<double>(facts.channels_shown));
  json.key("warnings");
  json.texts(facts.warnings);
  if (!facts.differences.empty()) write_differences(facts.differences, json);
  json.end_object();
  json.finish();
}

void write_statistics(const ResultStatistics& s, JsonWriter& json) {
  const std::pair<const char*, double> numbers[] = {{"mean", s.mean},   {"deviation", s.deviation},
                                                    {"least", s.least}, {"p5", s.p5},
                                                    {"p25", s.p25},     {"p50", s.p50},
                                                    {"p75", s.p75},     {"p95", s.p95},
                                                    {"p99", s.p99},     {"largest", s.largest}};
  for (const auto& [key, value] : numbers) {
    json.key(key);
    json.number(value);
  }
}

// By parameter name; nothing if there are no values.
void write_shares(const char* key, const std::vector<std::string>& names, const std::vector<double>& values,
                  JsonWriter& json) {
  if (values.empty()) return;
  json.key(key);
  json.begin_object();
  for (std::size_t k = 0; k < names.size(); ++k) {
    json.key(names[k]);
    json.number(values[k]);
  }
  json.end_object();
}

void write_study_json(const std::string& page, const StudyFacts& facts) {
  JsonWriter json(stdout);
  json.begin_object();
  json.key("page");
  json.text(page);
  const std::pair<const char*, double> counts[] = {{"bytes", static_cast<double>(facts.bytes)},
                                                   {"runs", static_cast<double>(facts.runs)},
                                                   {"done", static_cast<double>(facts.done)},
                                                   {"failed", static_cast<double>(facts.failed)},
                                                   {"recordings", static_cast<double>(facts.recordings)}};
  for (const auto& [key, value] : counts) {
    json.key(key);
    json.number(value);
  }
  json.key("results");
  json.begin_list();
  for (const ResultFacts& result : facts.results) {
    json.begin_object();
    json.key("name");
    json.text(result.name);
    json.key("unit");
    json.text(result.unit);
    json.key("runs");
    json.number(static_cast<double>(result.statistics.count));
    write_statistics(result.statistics, json);
    write_shares("standardised_regression", facts.parameters, result.sensitivity.regression, json);
    write_shares("sobol_first", facts.parameters, result.sensitivity.first, json);
    write_shares("sobol_total", facts.parameters, result.sensitivity.total, json);
    json.end_object();
  }
  json.end_list();
  json.end_object();
  json.finish();
}

void view_study(const ViewCommand& command, const std::string& page) {
  Progress progress("making the page", !command.quiet);
  const StudyFacts facts =
      write_study_report(command.recordings[0], page, {.progress = [&](double share) { progress.update(share); }});
  if (command.json)
    write_study_json(page, facts);
  else if (!command.quiet)
    write_output(fmt::format("{}, {:.1f} MB; {} of {} runs, {} failed\n", page, static_cast<double>(facts.bytes) / 1e6,
                             facts.done, facts.runs, facts.failed),
                 stdout);
}

void view_recordings(const ViewCommand& command, const std::string& page) {
  const ReportFacts facts = make_report(command.recordings, page, command.quiet);
  if (command.json)
    write_json(page, facts);
  else if (!command.quiet)
    write_output(page_text(page, facts) + "\n", stdout);
}

int run_view(const ViewCommand& command) {
  const std::string page = command.output.empty() ? page_beside(command.recordings) : command.output;
  const auto study = std::find_if(command.recordings.begin(), command.recordings.end(), &is_study_table);
  if (study != command.recordings.end() && command.recordings.size() > 1)
    throw InputError(fmt::format("{}: is a study; view it on its own", *study));
  if (study != command.recordings.end())
    view_study(command, page);
  else
    view_recordings(command, page);
  if (command.open) open_page(page);
  return 0;
}

}  // namespace

std::string page_beside(const std::vector<std::string>& recordings) {
  std::filesystem::path out(recordings[0]);
  out.replace_extension();
  for (std::size_t k = 1; k < recordings.size(); ++k)
    out += "+" + std::filesystem::path(recordings[k]).filename().replace_extension().string();
  return out.string() + ".html";
}

ReportFacts make_report(const std::vector<std::string>& recordings, const std::string& page, bool quiet) {
  Progress progress("making the page", !quiet);
  const ReportOptions options = {.progress = [&](double share) { progress.update(share); }};
  return recordings.size() == 1 ? write_report(recordings[0], page, options)
                                : write_overlay_report(recordings, page, options);
}

std::string page_text(const std::string& page, const ReportFacts& facts) {
  std::string out = fmt::format("{}, {:.1f} MB", page, static_cast<double>(facts.bytes) / 1e6);
  if (facts.records_shown < facts.records)
    out += fmt::format("; {} records plotted by {}, extremes kept", facts.records, facts.records_shown);
  if (facts.channels_shown < facts.channels)
    out += fmt::format("; {} of {} signals", facts.channels_shown, facts.channels);
  return out;
}

void open_page(const std::string& page) {
  const char* opener = "xdg-open";
  const std::string path = std::filesystem::absolute(page).string();
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr)
      _exit(1);
    execlp(opener, opener, path.c_str(), static_cast<char*>(nullptr));
    _exit(1);
  }
  // A browser that keeps running has started; one that cannot start exits soon.
  constexpr int kNaps = 100;
  int state = 0;
  bool ended = child < 0;
  for (int nap = 0; !ended && nap < kNaps; ++nap) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ended = waitpid(child, &state, WNOHANG) != 0;
  }
  if (child < 0 || (ended && (!WIFEXITED(state) || WEXITSTATUS(state) != 0)))
    throw InputError(fmt::format("{}: was written, but {} could not open it; open it in a browser", page, opener));
}

void add_view(CLI::App& program, Action& action) {
  const auto command = std::make_shared<ViewCommand>();
  CLI::App* sub = program.add_subcommand("view", "make an HTML page of a recording, of several, or of a study");
  sub->add_option("RECORDING", command->recordings,
                  "a file written by `limber run`, `limber plant` or `limber sweep`, or a text table (CSV); several "
                  "recordings are overlaid")
      ->required();
  sub->add_option("-o,--output", command->output, "the page (default: beside the recording, with .html)")
      ->type_name("FILE");
  sub->add_flag("--open", command->open, "open the page in the browser");
  sub->add_flag("--json", command->json, "print the contents of the page as JSON");
  sub->add_flag("-q,--quiet", command->quiet, "print nothing but errors");
  sub->footer(kViewExample);
  sub->callback([command, &action] { action = [command] { return run_view(*command); }; });
}

}  // namespace limber::apps
