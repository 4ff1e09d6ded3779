// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "apps/commands.hpp"
#include "apps/interrupt.hpp"
#include "apps/progress.hpp"
#include "apps/sweep_run.hpp"
#include "apps/terminal.hpp"
#include "limber/study/tune.hpp"

namespace limber::apps {
namespace {

constexpr const char* kSweepExample = R"(Example:
  limber sweep examples/canadarm/payload.yaml -o payload.h5
  limber sweep study.yaml --resume
  mpirun -n 64 limber sweep study.yaml -o study.h5

Runs the scenario of a study once for every combination of its parameters and writes one table (HDF5): parameters,
results, status, message, seed and wall time of every run, saved as soon as the run ends. A run that diverges is a
result. After an interruption, --resume runs the missing cases; the numbers are the same on any number of threads and
processes. docs/studies.md describes the keys of a study and the layout of the table.)";

constexpr const char* kTuneExample = R"(Example:
  limber tune study.yaml -o tune.h5

Searches the parameters of a study, within their ranges, for the minimum of the result named by its key `tune`:
tune: {minimise: tip, method: nelder-mead, evaluations: 200}. The table holds every run of the search.)";

// Rank and size from the environment of mpirun or srun; size 1: no MPI.
struct MpiPlace {
  int rank = 0, size = 1;
};

MpiPlace mpi_place() {
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}, {"PMIX_RANK", "SLURM_NTASKS"}};
  for (const auto& [rank, size] : kNames) {
    const char *own = std::getenv(rank), *all = std::getenv(size);
    if (own != nullptr && all != nullptr) return {std::atoi(own), std::max(1, std::atoi(all))};
  }
  return {};
}

// Replaces this process by the MPI version of the program: docs/decisions/0026-studies.md.
int become_mpi(const SweepCommand& command, const MpiPlace& place) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = (own.parent_path() / "limber-mpi").string();
  std::vector<std::string> arguments = mpi_arguments(command);
  arguments.insert(arguments.begin(), program);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  if (place.rank != 0) return 1;  // a single message is enough
  throw InputError(
      fmt::format("limber sweep: this program was built without MPI ({}: {}); install libopenmpi-dev and "
                  "build again, or leave mpirun out",
                  program, std::strerror(errno)));
}

int run_command(SweepCommand command) {
  if (command.output.empty()) command.output = study_output(command.study, ".h5");
  if (command.threads < 0) throw InputError("limber sweep: --threads must be at least 1");
  const MpiPlace place = mpi_place();
  if (place.size > 1) {
    if (command.threads > 1)
      throw InputError("limber sweep: under mpirun every process does one run at a time; leave --threads out");
    return become_mpi(command, place);
  }
  const Study study = read_study(command.study);
  ThreadTeam team(command.threads);
  const std::string workers = command.threads > 0
                                  ? fmt::format("on {} thread{}", command.threads, command.threads == 1 ? "" : "s")
                                  : "on all cores";
  return run_sweep(command, study, team, workers);
}

std::string tune_text(const SweepCommand& command, const Study& study, const TuneReport& report) {
  const std::string& goal = study.results[study.tune->goal].name;
  std::string out =
      fmt::format("{}  {} evaluations in {}, {} failed: {}\n\n", style_for(stdout).bold(fit(study.name, 60)),
                  report.evaluations, duration_text(report.wall), report.failed, report.ended);
  if (report.best < 0) return out + "  every run failed\n";
  for (std::size_t k = 0; k < report.values.size(); ++k)
    out += fmt::format("  {} = {:.9g}\n", study.parameters[k].path, report.values[k]);
  return out + fmt::format("  {} = {:.9g}, run {}\n\nTable  {}\n", goal, report.goal, report.best, command.output);
}

std::string tune_json(const SweepCommand& command, const Study& study, const TuneReport& report) {
  std::string values;
  for (std::size_t k = 0; k < report.values.size(); ++k)
    values += fmt::format("{}\n    \"{}\": {}", k > 0 ? "," : "", study.parameters[k].path, report.values[k]);
  return fmt::format(
      "{{\n  \"table\": \"{}\",\n  \"evaluations\": {},\n  \"failed\": {},\n  \"ended\": \"{}\",\n  \"best\": {},\n"
      "  \"goal\": {},\n  \"values\": {{{}\n  }}\n}}\n",
      command.output, report.evaluations, report.failed, report.ended, report.best, report.goal, values);
}

int run_tune(SweepCommand command) {
  if (command.output.empty()) command.output = study_output(command.study, ".h5");
  const Study study = read_study(command.study);
  const StopOnSignal stop;
  Progress progress("", !command.quiet);
  SweepOptions options;
  options.output = command.output;
  options.never_overwrites = {command.study, study.scenario_file};
  options.go_on = [] { return !stop_requested(); };
  options.progress = [&](const SweepProgress& at) {
    progress.update(static_cast<double>(at.done) / static_cast<double>(at.runs),
                    fmt::format("{} of {} evaluations", at.done, at.runs));
  };
  const TuneReport report = tune(study, options);
  progress.erase();
  if (command.json)
    write_output(tune_json(command, study, report), stdout);
  else if (!command.quiet)
    write_output(tune_text(command, study, report), stdout);
  return report.best >= 0 && report.ended != "interrupted" ? 0 : 1;
}

void add_common(CLI::App& sub, SweepCommand& command, const char* table) {
  sub.add_option("STUDY", command.study, "study file (YAML or JSON)")->required();
  sub.add_option("-o,--output", command.output, table)->type_name("FILE");
  sub.add_flag("--json", command.json, "print the summary as JSON");
  sub.add_flag("-q,--quiet", command.quiet, "print nothing but errors");
}

}  // namespace

void add_sweep(CLI::App& program, Action& action) {
  const auto command = std::make_shared<SweepCommand>();
  CLI::App* sub =
      program.add_subcommand("sweep", "run a study: many runs with varied parameters, on all cores or machines");
  add_common(*sub, *command, "the table (default: the study's name with .h5, here)");
  sub->add_flag("--resume", command->resume, "continue an existing table");
  sub->add_option("--threads", command->threads, "number of concurrent runs (default: the number of cores)")
      ->type_name("N");
  sub->footer(kSweepExample);
  sub->callback([command, &action] { action = [command] { return run_command(*command); }; });
}

void add_tune(CLI::App& program, Action& action) {
  const auto command = std::make_shared<SweepCommand>();
  CLI::App* sub = program.add_subcommand("tune", "search for the parameters of a study that minimise a result");
  add_common(*sub, *command, "the table of the search (default: the study's name with .h5, here)");
  sub->footer(kTuneExample);
  sub->callback([command, &action] { action = [command] { return run_tune(*command); }; });
}

}  // namespace limber::apps
