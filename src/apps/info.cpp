// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/commands.hpp"
#include "apps/facts.hpp"
#include "apps/terminal.hpp"

namespace limber::apps {
namespace {

struct InfoOptions {
  std::string model;
  bool json = false, all = false;
};

constexpr const char* kExample = R"(Example:
  limber info examples/canadarm/model.yaml
  limber info --json examples/canadarm/model.yaml

Shows the tree of bodies and joints, the order of the coordinates, masses, the modes of each body with frequency,
damping and effective masses, and the natural frequencies of the whole machine at its zero state.)";

int run(const InfoOptions& options) {
  const Model model = read_model_argument(options.model);
  const ModelFacts facts = compute_facts(model);
  write_output(options.json ? info_json(model, facts) : info_text(model, facts, options.all), stdout);
  return 0;
}

}  // namespace

void add_info(CLI::App& program, Action& action) {
  const auto options = std::make_shared<InfoOptions>();
  CLI::App* command = program.add_subcommand("info", "show a model: tree, coordinates, masses, modes, frequencies");
  command->add_option("MODEL", options->model, "model file (YAML or JSON); '-': standard input")->required();
  command->add_flag("--json", options->json, "print JSON");
  command->add_flag("--all", options->all, "show everything, however long");
  command->footer(kExample);
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace limber::apps
