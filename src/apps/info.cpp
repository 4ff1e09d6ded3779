// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/info.hpp"

#include <fmt/format.h>

#include "apps/commands.hpp"
#include "apps/terminal.hpp"
#include "limber/files/state_file.hpp"
#include "limber/report/report.hpp"

namespace limber::apps {
namespace {

struct InfoOptions {
  std::string model, state, report;
  bool json = false, all = false;
};

constexpr const char* kExample = R"(Example:
  limber info examples/canadarm/model.yaml
  limber info --json examples/canadarm/model.yaml
  limber info examples/canadarm/model.yaml --report modes.html

Shows the tree of bodies and joints, the order of the coordinates, masses, the modes of each body with frequency,
damping and effective masses, and the natural frequencies of the whole machine at its zero state. --report also writes
a page with the mode shapes of each body and of the machine, moving.)";

// The page of mode shapes.
void write_modes(const InfoOptions& options, const Model& model) {
  const std::string file = name_of_argument(options.model);
  try {
    State x = find_rest(model);
    if (!options.state.empty()) x.q = read_state(options.state, model).q;
    std::vector<std::string> never;
    if (options.model != "-") never.push_back(options.model);
    const ReportFacts facts = write_mode_report(model, x, options.report, {never});
    if (!options.json) write_output(fmt::format("page      {}, {} modes\n", options.report, facts.pictures), stdout);
  } catch (const InputError& e) {
    const std::string what = e.what();
    const bool named = what.starts_with(options.report) || (!options.state.empty() && what.starts_with(options.state));
    throw InputError(named ? what : file + ": " + what);
  }
}

int run(const InfoOptions& options) {
  if (!options.state.empty() && options.report.empty())
    throw InputError("limber info: --at is the configuration of --report; name a page");
  const Model model = read_model_argument(options.model);
  if (!options.report.empty()) check_report(options.report, {options.model});
  const ModelFacts facts = compute_facts(model);
  write_output(options.json ? info_json(model, facts) : info_text(model, facts, options.all), stdout);
  if (!options.report.empty()) write_modes(options, model);
  return 0;
}

}  // namespace

void add_info(CLI::App& program, Action& action) {
  const auto options = std::make_shared<InfoOptions>();
  CLI::App* command = program.add_subcommand("info", "show a model: tree, coordinates, masses, modes, frequencies");
  command->add_option("MODEL", options->model, "model file (YAML or JSON); '-': standard input")->required();
  command->add_flag("--json", options->json, "print JSON");
  command->add_flag("--all", options->all, "show everything, however long");
  command->add_option("--report", options->report, "also write a page with the mode shapes")->type_name("FILE");
  command->add_option("--at", options->state, "state file: the configuration of --report (default: zero)")
      ->type_name("STATE");
  command->footer(kExample);
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace limber::apps
