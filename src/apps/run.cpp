// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>

#include "apps/commands.hpp"
#include "apps/interrupt.hpp"
#include "apps/page.hpp"
#include "apps/progress.hpp"
#include "apps/scenario_parts.hpp"
#include "apps/terminal.hpp"
#include "limber/files/detail/text.hpp"

namespace limber::apps {
namespace {

struct RunCommand {
  std::string scenario, output;
  std::string algorithm;  // in place of the scenario's; empty: that one
  std::string csv;        // file; empty with `table`: beside the recording
  std::string page;       // file; empty with `report`: beside the recording
  bool table = false, report = false;
  bool json = false, quiet = false;
  double flush = 1;
};

constexpr const char* kExample = R"(Example:
  limber run examples/canadarm/scenario.yaml -o slew.h5
  limber run scenario.yaml --report
  limber run scenario.yaml --csv --json --algorithm denoc

Simulates the scenario and writes a recording (HDF5): states, poses and deflections of nodes, joint torques, energies,
momenta, and the texts of model and scenario. It can be read while the run goes on; a run that is killed leaves all but
its last second. Ctrl-C stops the run and keeps what there is; the exit code is then 1. --report makes the page of
`limber view` from the recording, however the run ended.)";

// ---- the run ---------------------------------------------------------------------------------------

// Writes the records and shows how far the run is.
class Recorder : public RunListener {
 public:
  Recorder(RecordingWriter& recording, std::optional<CsvWriter>& csv, Progress& progress, const ControlLoop* loop,
           Tracking& tracking)
      : recording_(recording), csv_(csv), progress_(progress), loop_(loop), tracking_(tracking) {}
  void record(const Record& record) override {
    recording_.write(record);
    if (csv_) csv_->write(record);
    if (loop_ != nullptr)
      add_tracking(loop_->plant_hinges(), loop_->controller().options().desired, record.motion.x, tracking_);
  }
  bool go_on(double t, const StepCounts& /*counts*/) override {
    progress_.update(t);
    return !stop_requested();
  }

 private:
  RecordingWriter& recording_;
  std::optional<CsvWriter>& csv_;
  Progress& progress_;
  const ControlLoop* loop_;
  Tracking& tracking_;
};

// The controller of a scenario, if it has one.
std::unique_ptr<ControlLoop> make_loop(const Scenario& scenario, Tracking& tracking) {
  if (!scenario.control) return nullptr;
  auto loop = std::make_unique<ControlLoop>(*scenario.model, scenario.control->sensors, scenario.control->options);
  begin_tracking(loop->plant_hinges(), tracking);
  return loop;
}

// --algorithm, where given.  What else an algorithm cannot do, System refuses.
void choose_algorithm(const RunCommand& command, Scenario& scenario) {
  if (command.algorithm.empty()) return;
  if (command.algorithm != "aba" && scenario.solver.method == "implicit")
    throw InputError(fmt::format("{}: method implicit needs the algorithm aba; leave out --algorithm {}",
                                 name_of_argument(command.scenario), command.algorithm));
  scenario.solver.algorithm = command.algorithm;
}

// A second output: the one that was named, or that with another end beside the recording.
std::string beside(const RunCommand& command, const std::string& named, const char* end, const char* what) {
  namespace fs = std::filesystem;
  const std::string path = named.empty() ? fs::path(command.output).replace_extension(end).string() : named;
  if (fs::weakly_canonical(path) == fs::weakly_canonical(command.output))
    throw InputError(fmt::format("{}: is the recording; name another file for the {}", path, what));
  return path;
}

// The page of the recording; what went wrong, when it did, as a line.
std::string add_page(const RunCommand& command, RunReport& report) {
  if (!command.report || report.records == 0) return "";
  try {
    const ReportFacts facts = make_report(report.recording, command.page, files_of(report.scenario), command.quiet);
    report.page = command.page;
    report.page_text = page_text(command.page, facts);
    return "";
  } catch (const InputError& e) {
    return std::string(e.what()) + "\n";
  }
}

RunReport simulate_scenario(const RunCommand& command, const Scenario& scenario) {
  const Model& model = *scenario.model;
  RunReport report{scenario, {}, {}, 0, command.output, "", 0, {}};
  const std::vector<std::string> never = files_of(scenario);
  System system = in_scenario(scenario, [&] { return System(model, scenario.inputs, scenario.solver.algorithm); });
  const std::unique_ptr<ControlLoop> loop = in_scenario(scenario, [&] { return make_loop(scenario, report.tracking); });
  State start = scenario.initial;
  in_scenario(scenario, [&] {
    if (scenario.equilibrium) {
      report.equilibrium = find_equilibrium(model, scenario.inputs, start);
      start = report.equilibrium->x;
    }
    system.select_interval(0);
    system.assemble(start);
  });
  RecordingOptions options = recording_options(scenario, command.flush);
  if (loop) options.channels = loop->controller().channels();
  RecordingWriter recording(model, command.output, std::move(options));
  std::optional<CsvWriter> csv;
  if (command.table) {
    report.csv = beside(command, command.csv, ".csv", "table");
    csv.emplace(model, report.csv, scenario.record.energy, never);
  }
  try {
    const StopOnSignal stop;
    Progress progress(scenario.run.duration, !command.quiet);
    Recorder recorder(recording, csv, progress, loop.get(), report.tracking);
    const auto begin = std::chrono::steady_clock::now();
    report.result = simulate(system, scenario.solver, scenario.run, start, recorder, loop.get());
    report.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (csv) csv->finish();
  } catch (const InputError& e) {
    recording.finish(std::string("failed: ") + e.what(), false);
    throw;
  }
  const bool complete = report.result.status == Status::ok && !report.result.interrupted;
  recording.finish(ended_text(report.result), complete);
  report.records = recording.records();
  if (report.records == 0) report.recording.clear();
  report.deflection = recording.largest_deflection();
  return report;
}

int run(RunCommand command) {
  if (!(command.flush >= 0) || !std::isfinite(command.flush))
    throw InputError("limber run: --flush wants seconds, 0 or more");
  Scenario scenario = read_scenario_argument(command.scenario);
  choose_algorithm(command, scenario);
  if (command.output.empty()) command.output = output_name(command.scenario, ".h5");
  if (command.report) {
    command.page = beside(command, command.page, ".html", "page");
    check_report(command.page, files_of(scenario));
  }
  RunReport report = simulate_scenario(command, scenario);
  const std::string page_failure = add_page(command, report);
  if (command.json)
    write_summary_json(report);
  else if (!command.quiet)
    write_output(summary_text(report), stdout);
  std::string notes;
  for (const std::string& warning : warnings(*scenario.model, report.result.validity))
    notes += "warning: " + warning + "\n";
  const RunResult& result = report.result;
  if (!result.note.empty() && !command.quiet) notes += "note: " + result.note + "\n";
  const std::string file = name_of_argument(command.scenario);
  const std::string kept = report.records > 0 ? "; " + report.recording + " holds everything up to there" : "";
  if (result.status != Status::ok)
    notes += fmt::format("{}: {}{}\n", file, result.failure.empty() ? to_string(result.status) : result.failure, kept);
  else if (result.interrupted)
    notes += fmt::format("{}: interrupted at t = {:.6g} s{}\n", file, result.t, kept);
  notes += page_failure;
  if (!notes.empty()) write_output(notes, stderr);
  return result.status == Status::ok && !result.interrupted && page_failure.empty() ? 0 : 1;
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
                  fmt::format("in place of the scenario's: {}", fmt::join(names, ", ")))
      ->type_name("NAME")
      ->check(CLI::IsMember(names).description(""));
  CLI::Option* csv =
      sub->add_option("--csv", command->csv, "also write a table in text (default: beside the recording)")
          ->type_name("FILE")
          ->expected(0, 1);
  CLI::Option* page =
      sub->add_option("--report", command->page, "also make an HTML page (default: beside the recording)")
          ->type_name("FILE")
          ->expected(0, 1);
  sub->add_option("--flush", command->flush, "write to disk about every so many seconds (default 1)")
      ->type_name("SECONDS");
  sub->add_flag("--json", command->json, "print the summary as JSON");
  sub->add_flag("-q,--quiet", command->quiet, "print nothing but warnings and errors");
  sub->footer(kExample);
  sub->callback([command, csv, page, &action] {
    command->table = csv->count() > 0;
    command->report = page->count() > 0;
    // An option whose value may be left out has taken the scenario behind it.
    for (std::string* taken : {&command->page, &command->csv})
      if (command->scenario.empty()) command->scenario.swap(*taken);
    if (command->scenario.empty()) throw CLI::RequiredError("SCENARIO");
    action = [command] { return run(*command); };
  });
}

}  // namespace limber::apps
