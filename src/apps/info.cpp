// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/info.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "apps/body_info.hpp"
#include "apps/commands.hpp"
#include "apps/terminal.hpp"
#include "limber/files/model_file.hpp"
#include "limber/files/recording_reader.hpp"
#include "limber/files/state_file.hpp"
#include "limber/report/report.hpp"

namespace limber::apps {
namespace {

struct InfoOptions {
  std::string model, state, report;
  bool json = false, all = false;
  std::vector<std::string> set;
};

constexpr const char* kInfoExample = R"(Example:
  limber info examples/canadarm/model.yaml
  limber info --json examples/canadarm/model.yaml
  limber info examples/canadarm/model.yaml --report modes.html

Shows the tree of bodies and joints, the order of the coordinates, masses, the modes of each body with frequency,
damping and effective masses, and the natural frequencies of the whole machine at its zero state or at --at. --report
also writes a page with animated mode shapes of each body and of the machine.)";

// A single modal body; its page shows it as a model of one body.
int run_body_info(const InfoOptions& options) {
  if (!options.state.empty())
    throw InputError(fmt::format("{}: a modal body has no state; leave --at out", options.model));
  if (!options.set.empty())
    throw InputError(fmt::format("{}: a modal body has no values to set; leave --set out", options.model));
  const ModalBodyFile file = read_modal_body(options.model);
  if (!options.report.empty()) {
    const std::string path = std::filesystem::absolute(options.model).string(), text = body_model_text(path);
    const Model model = parse_model(text, options.model);
    write_mode_report(model, compute_facts(model, make_zero_state(model), "the zero state"), options.report,
                      {.never_overwrites = {options.model}, .file = options.model, .model_text = text});
  }
  write_output(options.json ? body_info_json(file) : body_info_text(file, options.all), stdout);
  return 0;
}

int run_info(const InfoOptions& options) {
  if (is_hdf5(options.model)) return run_body_info(options);
  std::string text = read_argument(options.model);
  const Overrides set = parse_overrides(options.set);
  const Model model = parse_model(text, name_of_argument(options.model), set);
  if (!set.empty()) text = overridden_model_text(text, name_of_argument(options.model), set);
  State x = make_zero_state(model);
  std::vector<std::string> never;
  for (const std::string& file : {options.model, options.state})
    if (!file.empty() && file != "-") never.push_back(file);
  if (!options.state.empty()) x.q = read_state(options.state, model).q;
  if (!options.report.empty()) check_report(options.report, never);
  const ModelFacts facts = compute_facts(model, x, options.state.empty() ? "the zero state" : options.state);
  std::string shown = options.json ? info_json(model, facts) : info_text(model, facts, options.all);
  if (!options.report.empty()) {
    const ReportFacts page = write_mode_report(model, facts, options.report,
                                               {.never_overwrites = never, .file = options.model, .model_text = text});
    if (!options.json) shown += fmt::format("\nPage  {}, {} modes\n", options.report, page.pictures);
  }
  write_output(shown, stdout);
  return 0;
}

}  // namespace

void add_info(CLI::App& program, Action& action) {
  const auto options = std::make_shared<InfoOptions>();
  CLI::App* command = program.add_subcommand("info", "show a model: tree, coordinates, masses, modes, frequencies");
  command->add_option("MODEL", options->model, "model file (YAML or JSON) or modal body; '-': standard input")
      ->required();
  command->add_flag("--json", options->json, "print JSON");
  command->add_flag("--all", options->all, "show everything, however long");
  command->add_option("--report", options->report, "also write a page with the mode shapes")->type_name("FILE");
  command->add_option("--at", options->state, "state file: the configuration (default: the zero state)")
      ->type_name("STATE");
  add_set(*command, options->set);
  command->footer(kInfoExample);
  command->callback([options, &action] { action = [options] { return run_info(*options); }; });
}

}  // namespace limber::apps
