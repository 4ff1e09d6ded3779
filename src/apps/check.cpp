// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "apps/commands.hpp"
#include "apps/json.hpp"
#include "apps/terminal.hpp"
#include "limber/files/modal_body_file.hpp"
#include "limber/files/model_file.hpp"
#include "limber/files/recorded_model.hpp"
#include "limber/files/state_file.hpp"
#include "limber/files/urdf.hpp"
#include "limber/model/segments.hpp"
#include "limber/scenario/hints.hpp"
#include "limber/scenario/learn.hpp"
#include "limber/simulate/static_check.hpp"
#include "limber/study/sweep.hpp"

namespace limber::apps {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  std::string model;  // the model of state files
  bool json = false, quiet = false;
  std::vector<std::string> set;
};

constexpr const char* kCheckExample = R"(Example:
  limber check arm.yaml slew.yaml
  limber check --model arm.yaml state.json

Prints one line per file: its contents, or its error and where it is. The exit code is 1 if any file has an error. Notes
say where a valid model leaves its assumptions: beams near their critical load, joints that slide far along a beam.)";

Json scenario_facts(const Scenario& scenario) {
  in_scenario(scenario, [&] { check_run(scenario.run); });
  const Simulation simulation(scenario);  // makes all checks of `limber run`
  std::vector<std::string> notes = scenario_hints(scenario);
  const auto add = [&](const std::vector<std::string>& more) { notes.insert(notes.end(), more.begin(), more.end()); };
  if (simulation.controller() != nullptr) add(control_hints(scenario, *simulation.controller()));
  if (simulation.attitude() != nullptr) add(attitude_hints(scenario, *simulation.attitude()));
  add(static_warnings(*scenario.model, scenario.initial));
  add(simulation.result().notes);  // changes made by assembly
  const Model& model = *scenario.model;
  return {{"kind", "scenario"},
          {"name", scenario.name},
          {"model", model.name.empty() ? scenario.model_file : model.name},
          {"bodies", count_bodies(model)},
          {"coordinates", model.nq},
          {"duration", scenario.run.duration},
          {"method", scenario.solver.method},
          {"algorithm", scenario.solver.algorithm},
          {"records", record_count(scenario.run)},
          {"notes", notes}};
}

Json recording_facts(const std::string& path) {
  const RecordingReader recording(path);
  const Model model = parse_recorded_model(recording);
  return {{"kind", "recording"},
          {"name", recording.name},
          {"model", model.name},
          {"bodies", count_bodies(model)},
          {"records", recording.records()},
          {"duration", recording.time().back() - recording.time().front()},
          {"complete", recording.complete}};
}

Json body_facts(const std::string& path) {
  const ModalBodyFile file = read_modal_body(path);
  return {{"kind", "modal body"},
          {"mass", file.body.mass},
          {"modes", file.body.modes},
          {"nodes", file.body.nodes.size()},
          {"notes", file.warnings}};
}

Json study_facts(const Study& study) {
  const StudySamples samples(study);
  const StudyData data = prepare_study(study, samples);
  return {{"kind", "study"},
          {"name", study.name},
          {"runs", samples.runs()},
          {"parameters", data.parameters.size()},
          {"results", data.results.size()}};
}

Json study_table_facts(const std::string& path) {
  const StudyData data = read_study_table(path);
  return {{"kind", "table of a study"},
          {"name", data.name},
          {"runs", data.runs()},
          {"done", data.done_count()},
          {"parameters", data.parameters.size()},
          {"results", data.results.size()},
          {"complete", data.complete}};
}

Json learned_facts(const Reader& root) {
  const LearnedFile file = read_learned(root);
  return {{"kind", "learned offsets"},
          {"joints", file.names},
          {"records", file.t.size()},
          {"duration", file.t[file.t.size() - 1] - file.t[0]},
          {"largest", file.largest}};
}

// Contents of a valid file.
Json check_file(const std::string& path, const Model* model, const Overrides& set) {
  if (!set.empty() && is_hdf5(path)) throw InputError(path + ": has no values to set; leave --set out");
  if (is_modal_body(path)) return body_facts(path);
  if (is_study_table(path)) return study_table_facts(path);
  if (is_hdf5(path)) return recording_facts(path);  // only for plain files: a pipe can be read once only
  const std::string text = read_argument(path), name = name_of_argument(path);
  Document document = is_urdf(text) ? parse_model_document(text, name) : parse_document(text, name);
  const Reader given(document);
  if (given.is_map() && given.has("urdf") && !given.has("scenario")) document = parse_model_document(text, name);
  const Reader root(document);
  const bool map = root.is_map();
  if (map && root.has("study")) {
    if (!set.empty()) root.fail_item("is a study, whose values are its parameters; leave --set out");
    return study_facts(parse_study(text, name, std::filesystem::path(path).parent_path().string()));
  }
  if (map && root.has("scenario"))
    return scenario_facts(parse_scenario(text, name, std::filesystem::path(path).parent_path().string(), set));
  if (map && root.has("learned")) return learned_facts(root);
  if (map && root.has("q") && !root.has("limber")) {
    if (model == nullptr) root.fail_item("is a state; name its model with --model MODEL");
    const StateFile state = read_state(root, *model);
    return {{"kind", "state"}, {"coordinates", state.q.size()}};
  }
  const Model read = set.empty() ? read_model(root) : parse_model(text, name, set);
  std::vector<std::string> notes = model_hints(document);
  for (std::string& note : static_warnings(read, make_zero_state(read))) notes.push_back(std::move(note));
  return {{"kind", "model"},        {"name", read.name}, {"bodies", read.body_count() - 1},
          {"coordinates", read.nq}, {"speeds", read.nv}, {"closures", read.closures.size()},
          {"notes", notes}};
}

std::string plural(const Json& count, const char* one, const char* many) {
  return fmt::format("{} {}", count.get<long>(), count.get<long>() == 1 ? one : many);
}

std::string summary(const Json& facts) {
  std::string text = facts["kind"].get<std::string>();
  if (text == "scenario")
    return fmt::format("scenario, model {}, {:.9g} s, {}", fit(facts["model"].get<std::string>(), 200),
                       facts["duration"].get<double>(), facts["method"].get<std::string>());
  if (text.ends_with("study"))
    return fmt::format("{}, {}, {}, {}{}", text, plural(facts["runs"], "run", "runs"),
                       plural(facts["parameters"], "parameter", "parameters"),
                       plural(facts["results"], "result", "results"),
                       facts.value("complete", true) ? "" : ", not complete");
  if (text == "modal body")
    return fmt::format("modal body, {:.6g} kg, {}, {}", facts["mass"].get<double>(),
                       plural(facts["modes"], "mode", "modes"), plural(facts["nodes"], "node", "nodes"));
  if (text == "learned offsets")
    return fmt::format("learned offsets, {}, {:.9g} s, {:.3g} rad or m at most",
                       plural(facts["joints"].size(), "coordinate", "coordinates"), facts["duration"].get<double>(),
                       facts["largest"].get<double>());
  if (text == "recording")
    return fmt::format("recording, model {}, {}, {:.9g} s{}", fit(facts["model"].get<std::string>(), 200),
                       plural(facts["records"], "record", "records"), facts["duration"].get<double>(),
                       facts["complete"].get<bool>() ? "" : ", not complete");
  if (facts.contains("bodies")) text += ", " + plural(facts["bodies"], "body", "bodies");
  text += ", " + plural(facts["coordinates"], "coordinate", "coordinates");
  if (facts.value("closures", 0) > 0) text += ", " + plural(facts["closures"], "closure", "closures");
  return text;
}

// Contents of a valid file, and warnings.
std::string good_text(const std::string& file, const Json& facts) {
  std::string out = fmt::format("{}: ok ({})\n", file, summary(facts));
  for (const auto& note : facts.value("notes", Json::array()))
    out += fmt::format("{}: note: {}\n", file, note.get<std::string>());
  return out;
}

int run_check(const CheckOptions& options) {
  std::optional<Model> model;
  if (!options.model.empty()) model = read_model_argument(options.model);
  const Overrides set = parse_overrides(options.set);
  Json all = Json::array();
  bool good = true;
  for (const std::string& file : options.files) {
    Json entry = {{"file", file}, {"ok", true}};
    try {
      const Json facts = check_file(file, model ? &*model : nullptr, set);
      entry.update(facts);
      if (!options.json && !options.quiet) write_output(good_text(fit(name_of_argument(file), 1000), facts), stdout);
    } catch (const Error& e) {
      good = false;
      entry["ok"] = false;
      entry["error"] = e.what();
      if (!options.json) write_output(fmt::format("{}\n", e.what()), stderr);
    }
    all.push_back(entry);
  }
  if (options.json) write_output(all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", stdout);
  return good ? 0 : 1;
}

}  // namespace

void add_check(CLI::App& program, Action& action) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* command = program.add_subcommand("check", "validate files and locate their errors");
  command
      ->add_option("FILE", options->files,
                   "models, scenarios, states, recordings, learned offsets; '-': standard input")
      ->required();
  command->add_option("--model", options->model, "the model of state files")->type_name("MODEL");
  command->add_flag("--json", options->json, "print a JSON list, one object per file");
  command->add_flag("-q,--quiet", options->quiet, "print only errors");
  add_set(*command, options->set);
  command->footer(kCheckExample);
  command->callback([options, &action] { action = [options] { return run_check(*options); }; });
}

}  // namespace limber::apps
