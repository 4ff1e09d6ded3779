// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scenario/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "limber/files/detail/flow.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/files/model_file.hpp"
#include "limber/files/text_file.hpp"
#include "limber/files/urdf.hpp"
#include "limber/model/segments.hpp"
#include "limber/scenario/run.hpp"
#include "scenario/attitude_reader.hpp"
#include "scenario/control_reader.hpp"
#include "scenario/initial_reader.hpp"
#include "scenario/input_reader.hpp"
#include "scenario/solver_reader.hpp"

namespace limber {
namespace {

constexpr std::size_t kLongestName = 200;  // bytes, of a scenario
constexpr double kDefaultRecords = 1000;

void check_header(const Reader& root) {
  const bool map = root.is_map();
  if (map && !root.has("scenario") && (root.has("bodies") || root.has("joints")))
    root.fail_item("this is a model, not a scenario; a scenario has the keys scenario, model and duration");
  if (map && !root.has("scenario") && root.has("q"))
    root.fail_item("this is a state, not a scenario; a scenario has the keys scenario, model and duration");
  if (map) check_version(root);
  root.check_keys({"limber", "scenario", "model", "urdf", "gravity", "fidelity", "flexible", "closures", "initial",
                   "inputs", "solver", "duration", "record", "control"});
}

// Overrides values of the model.
void set_in_model(const DocumentNode*& model, Document& owner, const Overrides& set, Scenario& out) {
  for (Override& one : override_model(model, owner, set)) out.set.push_back(std::move(one));
}

// A model inside the scenario; its overrides are already applied, except those of a model converted from URDF.
void read_inline_model(const Reader& at, const std::string& folder, const Overrides& set, Scenario& out) {
  out.model_file = out.file;
  if (at.has("urdf")) {
    Document owner;
    owner.file = at.file();
    owner.root = expand_urdf(at, folder, owner);
    set_in_model(owner.root, owner, set, out);
    out.model = std::make_shared<const Model>(read_model(Reader(owner)));
    out.model_text = write_flow(*owner.root);
    return;
  }
  out.model = std::make_shared<const Model>(read_model(at));
  out.model_text = write_flow(at.node());
  if (!at.has("limber")) out.model_text.insert(1, "limber: 1, ");
}

// A URDF and replacements of its links, by keys of the scenario; `urdf` is the value with its name.
void read_robot(const Reader& root, const Reader& urdf, const std::string& folder, const Overrides& set,
                Scenario& out) {
  DocumentNode model;
  model.kind = DocumentNode::Kind::map;
  model.line = urdf.line();
  const auto& keys = root.node().keys;
  for (const std::string_view wanted : {"limber", "gravity", "fidelity", "flexible", "closures"}) {
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const auto* k) { return k->text == wanted; });
    if (key == keys.end()) continue;
    model.keys.push_back(*key);
    model.items.push_back(root.node().items[static_cast<std::size_t>(key - keys.begin())]);
  }
  DocumentNode name;
  name.kind = DocumentNode::Kind::scalar;
  name.text = "urdf";
  model.keys.push_back(&name);
  model.items.push_back(&urdf.node());
  Document owner;
  owner.file = root.file();
  owner.root = &model;
  owner.root = expand_urdf(Reader(owner), folder, owner);
  set_in_model(owner.root, owner, set, out);
  out.model = std::make_shared<const Model>(read_model(Reader(owner)));
  out.model_file = out.file;
  out.model_text = write_flow(*owner.root);
}

// Refuses keys that modify a URDF.
void refuse_overlay(const Reader& root) {
  for (const std::string_view key : {"gravity", "fidelity", "flexible", "closures"})
    if (const auto given = root.find(key)) given->fail("belongs in the model, unless that is a URDF; write it there");
}

std::string read_model_text(const Reader& at, const std::string& folder, Scenario& out) {
  const std::string name = at.one_line(kLongestPath);
  out.model_file = (std::filesystem::path(folder) / name).string();
  try {
    return read_text_file(out.model_file);
  } catch (const FileError& e) {
    std::error_code ignored;
    const bool missing = !std::filesystem::exists(out.model_file, ignored);
    at.fail_item(
        fmt::format("model {}{}", e.what(), missing ? "; write its path from the folder of the scenario" : ""));
  }
}

void read_model_file(const Reader& root, const Reader& at, const std::string& folder, const Overrides& set,
                     Scenario& out) {
  out.model_text = read_model_text(at, folder, out);
  if (is_urdf(out.model_text)) return read_robot(root, at, folder, set, out);
  refuse_overlay(root);
  Document document = parse_model_document(out.model_text, out.model_file);
  set_in_model(document.root, document, set, out);
  out.model = std::make_shared<const Model>(read_model(Reader(document)));
  // A recording contains the whole model as it was.
  if (document.written_out || !set.empty()) out.model_text = write_flow(*document.root);
}

// The key `model`: a file, or the model itself; or the key `urdf`.
void read_machine(const Reader& root, const std::string& folder, const Overrides& set, Scenario& out) {
  if (const auto urdf = root.find("urdf")) {
    if (const auto model = root.find("model")) model->fail("and urdf are both given; leave one out");
    return read_robot(root, *urdf, folder, set, out);
  }
  const Reader model = root.at("model", "model: arm.yaml");
  if (!model.is_map()) return read_model_file(root, model, folder, set, out);
  refuse_overlay(root);
  read_inline_model(model, folder, set, out);
}

// Overrides values of the scenario, and of a model inside it.
void set_in_scenario(Document& document, const SplitOverrides& set, Scenario& out) {
  out.set = override_scenario(document.root, document, set.scenario);
  const auto model = Reader(document).find("model");
  if (!set.machine.empty() && model && model->is_map() && !model->has("urdf")) {
    DocumentNode& root = document.nodes.emplace_back(*document.root);
    const DocumentNode*& inside = *std::find(root.items.begin(), root.items.end(), &model->node());
    set_in_model(inside, document, set.machine, out);
    document.root = &root;
  }
  if (!out.set.empty()) out.text = write_flow(*document.root);
}

void read_nodes(const Reader& nodes, const ModelNames& names, std::vector<NodeRef>& out) {
  std::set<std::pair<int, int>> taken;
  for (const Reader& entry : nodes.list()) {
    const NodeRef at = names.node(entry);
    if (at.node == kBodyFrame)
      entry.fail(fmt::format("'{0}' must be a node; write '{0}.' and the name of the node", entry.text()));
    if (!taken.insert({at.body, at.node}).second)
      entry.fail(fmt::format("'{}' is a duplicate; remove one", entry.text()));
    out.push_back(at);
  }
}

void read_record(const std::optional<Reader>& record, const ModelNames& names, Scenario& out) {
  const Model& model = *out.model;
  out.run.record_every = out.run.duration / kDefaultRecords;
  const auto nodes = record ? record->find("nodes") : std::nullopt;
  if (record) record->check_keys({"every", "nodes", "energy"});
  if (nodes && nodes->is_list()) {
    read_nodes(*nodes, names, out.record.nodes);
  } else {
    constexpr std::array<std::string_view, 2> kChoices = {"all", "none"};
    if (nodes && (!nodes->is_scalar() || !(nodes->text() == "all" || nodes->text() == "none")))
      nodes->fail("must be all, none, or a list such as [boom.tip]");
    const bool all = !nodes || nodes->choice(kChoices) == 0;
    if (all) out.record.nodes = visible_nodes(model);
  }
  if (!record) return;
  if (const auto energy = record->find("energy")) out.record.energy = energy->boolean();
  const auto every = record->find("every");
  if (!every) return;
  out.run.record_every = every->positive();
  if (const double records = out.run.duration / out.run.record_every; !(records <= kMaxRecords))
    every->fail(fmt::format("makes {:.3g} records, more than {}; write at least {:.3g}", records, kMaxRecords,
                            out.run.duration / kMaxRecords));
}

double read_duration(const Reader& duration) {
  const double seconds = duration.positive();
  if (seconds < kShortestDuration)
    duration.fail(fmt::format("must be at least {} s, but is {}", kShortestDuration, duration.text()));
  return seconds;
}

// Refuses step sizes that would take excessively many steps or not advance the time.
void check_steps(const Reader& root, const Scenario& scenario) {
  const bool fixed = scenario.solver.method == "rk4" || scenario.solver.method == "implicit";
  const double step = fixed ? scenario.solver.step : scenario.solver.max_step, steps = scenario.run.duration / step;
  if (!(steps > kMaxSteps)) return;
  const auto solver = root.find("solver");
  const auto given = solver ? solver->find(fixed ? "step" : "max_step") : std::nullopt;
  if (given)
    given->fail(fmt::format("makes {:.3g} steps, more than {:.0e}; write at least {:.3g}", steps, kMaxSteps,
                            scenario.run.duration / kMaxSteps));
  root.at("duration", "")
      .fail(fmt::format("makes {:.3g} steps of {} s, more than {:.0e}; write a longer solver.step", steps, step,
                        kMaxSteps));
}

}  // namespace

namespace {

Scenario read_parts(Document& document, std::string_view text, const std::string& folder, const SplitOverrides& set) {
  check_header(Reader(document));
  Scenario out;
  out.text = text;
  out.file = document.file;
  set_in_scenario(document, set, out);
  const Reader root(document);
  check_header(root);
  out.name = root.at("scenario", "scenario: slew").one_line(kLongestName);
  if (!root.has("urdf")) root.at("model", "model: arm.yaml");
  out.run.duration = read_duration(root.at("duration", "duration: 10"));
  read_machine(root, folder, set.machine, out);
  const ModelNames names(*out.model);
  if (const auto inputs = root.find("inputs")) out.inputs = read_inputs(*inputs, names);
  InitialState initial = read_initial(root.find("initial"), names, out.inputs);
  out.initial = std::move(initial.x);
  out.equilibrium = initial.equilibrium;
  out.kept = std::move(initial.keep);
  out.solver = read_solver(root.find("solver"), out.inputs);
  check_steps(root, out);
  read_record(root.find("record"), names, out);
  if (const auto control = root.find("control")) {
    const bool turns = control->is_map() && control->has("attitude");
    if (!turns || controls_joints(*control)) out.control = read_control(*control, out, folder, set.controller);
    if (turns) out.attitude = read_attitude(*control, out, folder, set.controller);
  }
  if (!set.controller.empty() && !out.control && !out.attitude)
    throw InputError(set.controller[0].path + ": the scenario has no control; add one, or remove control.model");
  for (const Override& one : set.controller) out.set.push_back({"scenario.control.model." + one.path, one.value});
  if (initial.hold)
    out.held = *initial.hold;
  else if (out.equilibrium && out.control)
    out.held = driven_joints(out).joints;
  return out;
}

}  // namespace

Scenario parse_scenario(std::string_view text, const std::string& name_for_messages, const std::string& folder,
                        const Overrides& set) {
  Document document = parse_document(text, name_for_messages);
  if (set.empty()) return read_parts(document, text, folder, {});
  try {
    return read_parts(document, text, folder, split_overrides(set, true));
  } catch (const InputError& e) {
    fail_with(e.what(), set);
  }
}

Scenario read_scenario(const std::string& path, const Overrides& set) {
  return parse_scenario(read_text_file(path), path, std::filesystem::path(path).parent_path().string(), set);
}

}  // namespace limber
