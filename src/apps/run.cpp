// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <optional>

#include "apps/commands.hpp"
#include "apps/interrupt.hpp"
#include "apps/page.hpp"
#include "apps/progress.hpp"
#include "apps/scenario_parts.hpp"
#include "apps/terminal.hpp"
#include "limber/files/detail/output.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/scenario/hints.hpp"

namespace limber::apps {
namespace {

struct RunCommand {
  std::string scenario, output;
  std::string algorithm;  // overrides that of the scenario; empty: the scenario's
  std::string csv;        // file; empty with `table`: name derived from the recording
  std::string page;       // file; empty with `report`: name derived from the recording
  bool table = false, report = false, force = false;
  bool json = false, quiet = false;
  double flush = 1;
  std::vector<std::string> set;
};

constexpr const char* kRunExample = R"(Example:
  limber run examples/canadarm/scenario.yaml -o slew.h5
  limber run scenario.yaml --report
  limber run scenario.yaml --csv --json --algorithm denoc
  limber run scenario.yaml --set load.mass=5 --set control.rate=500

Simulates the scenario and writes a recording (HDF5): states, poses and deflections of nodes, joint torques, energies,
momenta, and the text of model and scenario. It can be read during the run; a run that is killed loses at most its last
second. Ctrl-C stops the run and keeps the recording; the exit code is then 1. --report makes the page of `limber view`
from the recording, however the run ended. --set overrides a value of model or scenario by its path; the value is checked
like the file and stored in the recording (docs/studies.md).)";

// --algorithm, if given.  System refuses what the algorithm does not support.
void choose_algorithm(const RunCommand& command, Scenario& scenario) {
  if (command.algorithm.empty()) return;
  if (command.algorithm != "aba" && scenario.solver.method == "implicit")
    throw InputError(fmt::format("{}: method implicit needs the algorithm aba; leave out --algorithm {}",
                                 name_of_argument(command.scenario), command.algorithm));
  scenario.solver.algorithm = command.algorithm;
}

// Upper bound of the size of the table.
double table_bytes(const Scenario& scenario) {
  constexpr double kCell = 25, kEnergies = 7;  // -1.2345678901234567e-100 and a comma
  const double columns = 1 + scenario.model->nq + scenario.model->nv + (scenario.record.energy ? kEnergies : 0);
  return kCell * columns * static_cast<double>(record_count(scenario.run));
}

// Name of a second output: as given, or that of the recording with another extension.
std::string beside(const RunCommand& command, const std::string& named, const char* end, const char* what) {
  namespace fs = std::filesystem;
  const std::string path = named.empty() ? fs::path(command.output).replace_extension(end).string() : named;
  std::error_code first, second;  // errors are reported when the file is opened
  const bool same = fs::weakly_canonical(path, first) == fs::weakly_canonical(command.output, second);
  if (same && !first && !second)
    throw InputError(fmt::format("{}: is the recording; name another file for the {}", path, what));
  return path;
}

RunReport simulate_scenario(const RunCommand& command, const Scenario& scenario) {
  std::optional<StopOnSignal> stop;
  stop.emplace();
  Progress progress(scenario.run.duration, !command.quiet);
  Progress page_progress("making the page", !command.quiet);
  RunOutputs outputs{.recording = command.output,
                     .csv = command.csv,
                     .report = command.page,
                     .flush = command.flush,
                     .force = command.force};
  outputs.go_on = [&](double t) {
    progress.update(t);
    return !stop_requested();
  };
  outputs.page_progress = [&](double share) {
    stop.reset();  // from here on Ctrl-C ends the program
    progress.erase();
    page_progress.update(share);
  };
  if (!command.csv.empty() && !command.force) check_room(command.csv, table_bytes(scenario));
  return limber::run(scenario, outputs);
}

int run_scenario(RunCommand command) {
  if (!(command.flush >= 0) || !std::isfinite(command.flush))
    throw InputError("limber run: --flush must be 0 s or more");
  Scenario scenario = read_scenario_argument(command.scenario, command.set);
  choose_algorithm(command, scenario);
  if (command.output.empty()) command.output = output_name(command.scenario, ".h5");
  if (command.report) command.page = beside(command, command.page, ".html", "page");
  if (command.table) command.csv = beside(command, command.csv, ".csv", "table");
  for (const std::string& hint : scenario_hints(scenario)) write_output("warning: " + hint + "\n", stderr);
  const RunReport report = simulate_scenario(command, scenario);
  if (command.json)
    write_summary_json(scenario, report);
  else if (!command.quiet)
    write_output(summary_text(scenario, report), stdout);
  std::string notes;
  if (!report.warning.empty()) notes += "warning: " + report.warning + "\n";
  for (const std::string& warning : warnings(*scenario.model, report.result.validity))
    notes += "warning: " + warning + "\n";
  for (const std::string& warning : report.warnings) notes += "warning: " + warning + "\n";
  const RunResult& result = report.result;
  for (const std::string& note : result.notes) notes += command.quiet ? "" : "note: " + note + "\n";
  const std::string file = name_of_argument(command.scenario);
  const std::string kept = report.records > 0 ? "; " + report.recording + " holds the records up to there" : "";
  if (result.status != Status::ok)
    notes += fmt::format("{}: {}{}\n", file, result.failure.empty() ? to_string(result.status) : result.failure, kept);
  else if (result.interrupted)
    notes += fmt::format("{}: interrupted at t = {:.6g} s{}\n", file, result.t, kept);
  if (!report.page_failure.empty()) notes += report.page_failure + "\n";
  if (!notes.empty()) write_output(notes, stderr);
  return report.complete() && report.page_failure.empty() ? 0 : 1;
}

}  // namespace

void add_run(CLI::App& program, Action& action) {
  const auto command = std::make_shared<RunCommand>();
  CLI::App* sub = program.add_subcommand("run", "simulate a scenario; writes a recording, prints a summary");
  sub->add_option("SCENARIO", command->scenario, "scenario file (YAML or JSON); '-': standard input");
  sub->add_option("-o,--output", command->output, "the recording (default: the scenario's name with .h5, here)")
      ->type_name("FILE");
  const std::vector<std::string> names = forward_dynamics_names();
  sub->add_option("--algorithm", command->algorithm,
                  fmt::format("instead of the scenario's algorithm: {}", fmt::join(names, ", ")))
      ->type_name("NAME")
      ->check(CLI::IsMember(names).description(""));
  CLI::Option* csv =
      sub->add_option("--csv", command->csv, "also write a text table (CSV; default: beside the recording)")
          ->type_name("FILE")
          ->expected(0, 1);
  CLI::Option* page =
      sub->add_option("--report", command->page, "also make an HTML page (default: beside the recording)")
          ->type_name("FILE")
          ->expected(0, 1);
  add_set(*sub, command->set);
  sub->add_option("--flush", command->flush, "interval between writes to disk (default 1)")->type_name("SECONDS");
  sub->add_flag("--force", command->force, "start even if the disk has too little space for the whole run");
  sub->add_flag("--json", command->json, "print the summary as JSON");
  sub->add_flag("-q,--quiet", command->quiet, "print nothing but warnings and errors");
  sub->footer(kRunExample);
  sub->callback([command, csv, page, &action] {
    command->table = csv->count() > 0;
    command->report = page->count() > 0;
    // An option with an optional value may have taken the scenario argument that follows it.
    for (std::string* taken : {&command->page, &command->csv})
      if (command->scenario.empty()) command->scenario.swap(*taken);
    if (command->scenario.empty()) throw CLI::RequiredError("SCENARIO");
    action = [command] { return run_scenario(*command); };
  });
}

}  // namespace limber::apps
