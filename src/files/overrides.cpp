// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "files/document_path.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

using Kind = DocumentNode::Kind;

constexpr std::array<std::string_view, 6> kModelKeys = {"bodies", "joints", "closures", "gravity", "fidelity", "name"};
constexpr std::array<std::string_view, 6> kScenarioKeys = {"initial",  "inputs", "solver",
                                                           "duration", "record", "control"};
constexpr std::array<std::string_view, 5> kBodyForms = {"rigid", "beam", "plate", "modal", "points"};

bool is_among(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string_view head_of(std::string_view path) { return path.substr(0, path.find_first_of(".[")); }

// Removes "word." from the front.
bool take_prefix(std::string& path, std::string_view word) {
  if (!path.starts_with(word) || path.size() <= word.size() || path[word.size()] != '.') return false;
  path.erase(0, word.size() + 1);
  return true;
}

// The places below an item that a short path may refer to.
void find_below(const DocumentPath& at, std::string_view rest, std::vector<DocumentPath>& found) {
  if (auto there = at.walk(rest)) found.push_back(std::move(*there));
  for (const DocumentPath& child : at.children()) find_below(child, rest, found);
}

[[noreturn]] void fail_ambiguous(const Override& given, const std::vector<DocumentPath>& found) {
  std::vector<std::string> names;
  for (const DocumentPath& place : found) names.push_back(place.text());
  throw InputError(
      fmt::format("{}: the path has several meanings; write one of {}", given.path, join(views(names), 8)));
}

// The place of a key that is missing in a body.
DocumentPath body_form(const DocumentPath& item) {
  for (const DocumentPath& child : item.children()) {
    if (is_among(child.name(), kBodyForms) && child.node().kind == Kind::map) return child;
  }
  return item;
}

// Resolves a path below a body, a joint or a section of a scenario: the path itself, the only place below that matches,
// or a new key.
DocumentPath resolve_below(const Override& given, const DocumentPath& item, std::string_view rest) {
  if (auto exact = item.walk(rest)) return *exact;
  std::vector<DocumentPath> found;
  for (const DocumentPath& child : item.children()) find_below(child, rest, found);
  if (found.size() > 1) fail_ambiguous(given, found);
  if (found.size() == 1) return found[0];
  return body_form(item).add(rest, given.path);
}

// Names of all bodies, joints and closures.
std::vector<DocumentPath> named_items(const DocumentPath& root) {
  std::vector<DocumentPath> items;
  for (const std::string_view list : {"bodies", "joints", "closures"}) {
    const auto at = root.walk(list);
    if (!at) continue;
    for (DocumentPath& item : at->children()) {
      if (item.node().kind == Kind::map) items.push_back(std::move(item));
    }
  }
  return items;
}

DocumentPath resolve_model(const DocumentNode* top, const Override& given) {
  const DocumentPath root(top);
  const std::string_view path = given.path, head = head_of(path);
  if (is_among(head, kModelKeys)) return root.add(path, given.path);
  std::vector<DocumentPath> found;
  std::vector<std::string> names(kModelKeys.begin(), kModelKeys.end());
  names.insert(names.end(), kScenarioKeys.begin(), kScenarioKeys.end());
  names.emplace_back("scenario");
  for (const DocumentPath& item : named_items(root)) {
    if (item.name() == head) found.push_back(item);
    names.push_back(item.name());
  }
  if (found.empty())
    throw InputError(fmt::format("{}: there is no {};{} a path begins with the name of a body or joint, or with {}",
                                 given.path, show(head), suggest(head, views(names)), join(kModelKeys) + ", scenario"));
  if (found.size() > 1) fail_ambiguous(given, found);
  if (path.size() <= head.size() + 1 || path[head.size()] != '.')
    throw InputError(fmt::format("{}: a key is missing; write for example {}.mass", given.path, head));
  return resolve_below(given, found[0], path.substr(head.size() + 1));
}

DocumentPath resolve_scenario(const DocumentNode* top, const Override& given) {
  const DocumentPath root(top);
  const std::string_view path = given.path, head = head_of(path);
  const auto section = root.walk(head);
  if (!section || path.size() == head.size() || path[head.size()] != '.') return root.add(path, given.path);
  return resolve_below(given, *section, path.substr(head.size() + 1));
}

// A copy of the value, owned by the document.
const DocumentNode* copy_tree(const DocumentNode& from, int line, Document& owner) {
  DocumentNode& to = owner.nodes.emplace_back(from);
  to.line = line;
  for (auto* list : {&to.keys, &to.items}) {
    for (const DocumentNode*& child : *list) child = copy_tree(*child, line, owner);
  }
  return &to;
}

const DocumentNode* parse_value(const Override& given, int line, Document& owner) {
  try {
    const Document value = parse_document(given.value, given.path);
    return copy_tree(*value.root, line, owner);
  } catch (const InputError&) {
    throw InputError(fmt::format("{}: {} is not a value; write one as in the file, such as 5 or \"[0, 0, -9.81]\"",
                                 given.path, show(given.value)));
  }
}

template <class Resolve>
Overrides override_values(const DocumentNode*& root, Document& owner, const Overrides& given, const std::string& prefix,
                          Resolve resolve) {
  Overrides out;
  for (const Override& one : given) {
    const DocumentPath place = resolve(root, one);
    root = place.replace(parse_value(one, place.line(), owner), owner);
    out.push_back({prefix + place.text(), one.value});
  }
  return out;
}

}  // namespace

Override parse_override(std::string_view text) {
  const std::size_t equals = text.find('=');
  const auto trim = [](std::string_view word) {
    const std::size_t first = word.find_first_not_of(' '), last = word.find_last_not_of(' ');
    return std::string(first == std::string_view::npos ? "" : word.substr(first, last - first + 1));
  };
  Override out{trim(text.substr(0, equals)), equals == std::string_view::npos ? "" : trim(text.substr(equals + 1))};
  if (equals == std::string_view::npos || out.path.empty() || out.value.empty())
    throw InputError(fmt::format("--set {}: write PATH=VALUE, for example load.mass=5", show(text)));
  return out;
}

Overrides parse_overrides(const std::vector<std::string>& texts) {
  Overrides out;
  for (const std::string& text : texts) {
    Override one = parse_override(text);
    for (const Override& other : out) {
      if (other.path == one.path) throw InputError(fmt::format("--set {}: given twice; leave one out", one.path));
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::string to_string(const Override& given) { return given.path + "=" + given.value; }

SplitOverrides split_overrides(const Overrides& given, bool is_scenario) {
  SplitOverrides out;
  for (const Override& one : given) {
    Override rest = one;
    const bool named = take_prefix(rest.path, "scenario");
    const bool scenario = named || is_among(head_of(rest.path), kScenarioKeys);
    if (scenario && !is_scenario)
      throw InputError(
          fmt::format("{}: a model alone has no scenario; name a scenario in place of the model", one.path));
    if (take_prefix(rest.path, "control.model")) {
      out.controller.push_back(std::move(rest));
    } else if (take_prefix(rest.path, "model") || !scenario) {
      out.machine.push_back(std::move(rest));
    } else {
      out.scenario.push_back(std::move(rest));
    }
  }
  return out;
}

Overrides override_model(const DocumentNode*& root, Document& owner, const Overrides& given) {
  return override_values(root, owner, given, "", resolve_model);
}

Overrides override_scenario(const DocumentNode*& root, Document& owner, const Overrides& given) {
  return override_values(root, owner, given, "scenario.", resolve_scenario);
}

void fail_with(const std::string& what, const Overrides& given) {
  std::vector<std::string> texts;
  for (const Override& one : given) {
    if (one.path.ends_with(what.substr(0, what.find(": ")))) throw InputError(what);
    texts.push_back(to_string(one));
  }
  throw InputError(fmt::format("{}; with {}", what, join(views(texts), 8)));
}

}  // namespace limber
