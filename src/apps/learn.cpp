// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scenario/learn.hpp"

#include <fmt/format.h>

#include "apps/commands.hpp"
#include "apps/interrupt.hpp"
#include "apps/json_writer.hpp"
#include "apps/progress.hpp"
#include "apps/scenario_parts.hpp"
#include "apps/terminal.hpp"
#include "limber/files/detail/output.hpp"

namespace limber::apps {
namespace {

struct LearnCommand {
  std::string scenario, output;
  LearningOptions options;
  bool json = false, quiet = false;
};

constexpr const char* kLearnExample = R"(Example:
  limber learn examples/canadarm/learned.yaml --runs 5 -o learned.json

Repeats the move of a scenario with a controller and learns a correction of the reference motion from the tracking errors
of each repetition (iterative learning control). The scenario uses the file as `control: {learned: learned.json}`. Errors
up to the frequency --cutoff are learned; keep it within the bandwidth of the law. Ctrl-C keeps what was learned so far.)";

bool is_learned(const std::string& path) { return OutputKind::starts_with(path, "{\"limber\": 1, \"learned\""); }

void print(const LearnCommand& command, const LearnedMove& move) {
  if (command.json) {
    JsonWriter json(stdout);
    json.begin_object();
    json.key("rms");
    json.numbers(Eigen::Map<const VectorXd>(move.rms.data(), std::ssize(move.rms)));
    json.key("largest");
    json.numbers(Eigen::Map<const VectorXd>(move.largest.data(), std::ssize(move.largest)));
    json.key("residual");
    json.numbers(Eigen::Map<const VectorXd>(move.residual.data(), std::ssize(move.residual)));
    json.key("file");
    json.text(command.output);
    json.end_object();
    return json.finish();
  }
  std::string out = "run   joint error, rms   largest    residual (m)\n";
  for (std::size_t k = 0; k < move.rms.size(); ++k) {
    out += fmt::format("{:<5} {:<18.3g} {:<10.3g} {:.3g}\n", k + 1, move.rms[k], move.largest[k], move.residual[k]);
  }
  write_output(out + fmt::format("offsets of the last run: {}\n", command.output), stdout);
}

int learn_scenario(LearnCommand command) {
  const Scenario scenario = read_scenario_argument(command.scenario);
  if (command.output.empty()) command.output = output_name(command.scenario, "-learned.json");
  const OutputKind kind{"a file of `limber learn`", is_learned};
  check_output(command.output, files_of(scenario), kind);
  std::optional<StopOnSignal> stop(std::in_place);
  Progress progress(scenario.run.duration * command.options.runs, !command.quiet);
  const LearnedMove move = learn(scenario, command.options, [&](int run, double share) {
    progress.update(scenario.run.duration * (run + share));
    return !stop_requested();
  });
  const bool complete = std::ssize(move.rms) == command.options.runs;
  if (move.rms.empty()) {
    write_output(fmt::format("{}: interrupted before anything was learned\n", name_of_argument(command.scenario)),
                 stderr);
    return 1;
  }
  write_whole_file(command.output, kind, files_of(scenario), learned_text(scenario, move));
  progress.erase();
  if (!command.quiet) print(command, move);
  return complete ? 0 : 1;
}

}  // namespace

void add_learn(CLI::App& program, Action& action) {
  const auto command = std::make_shared<LearnCommand>();
  CLI::App* sub =
      program.add_subcommand("learn", "iterative learning: repeat a controlled move and correct its reference");
  sub->add_option("SCENARIO", command->scenario, "scenario file (YAML or JSON) with control; '-': standard input")
      ->required();
  sub->add_option("-o,--output", command->output,
                  "what was learned (default: the scenario's name with -learned.json, here)")
      ->type_name("FILE");
  sub->add_option("--runs", command->options.runs, "repetitions (default 5)")
      ->type_name("COUNT")
      ->check(CLI::Range(1, 1000).description(""));
  sub->add_option("--cutoff", command->options.cutoff, "errors up to this frequency are learned (default 0.5)")
      ->type_name("HZ");
  sub->add_flag("--json", command->json, "print the errors as JSON");
  sub->add_flag("-q,--quiet", command->quiet, "print nothing but errors");
  sub->footer(kLearnExample);
  sub->callback([command, &action] { action = [command] { return learn_scenario(*command); }; });
}

}  // namespace limber::apps
