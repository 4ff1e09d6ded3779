// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/document_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "limber/files/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

using Kind = DocumentNode::Kind;

constexpr std::array<std::string_view, 3> kAxes = {"x", "y", "z"};
constexpr std::array<std::string_view, 6> kInertia = {"xx", "yy", "zz", "xy", "xz", "yz"};

// The name of an item of a list; empty: only its index.
std::string item_name(const DocumentNode& item) {
  if (item.kind != Kind::map) return "";
  for (const std::string_view key : {"name", "joint", "node"}) {
    for (std::size_t k = 0; k < item.keys.size(); ++k) {
      if (item.keys[k]->text == key && item.items[k]->kind == Kind::scalar) return item.items[k]->text;
    }
  }
  return "";
}

// Names of the components of a numeric list; empty: none.
std::span<const std::string_view> number_names(const DocumentNode& list) {
  const bool numbers =
      std::all_of(list.items.begin(), list.items.end(), [](const auto* x) { return x->kind == Kind::scalar; });
  if (numbers && list.items.size() == kAxes.size()) return kAxes;
  if (numbers && list.items.size() == kInertia.size()) return kInertia;
  return {};
}

// Removes `word`, and a following dot, from the front, if the first word is this one.
bool take(std::string_view& rest, std::string_view word) {
  if (word.empty() || !rest.starts_with(word)) return false;
  if (rest.size() > word.size() && rest[word.size()] != '.' && rest[word.size()] != '[') return false;
  rest.remove_prefix(word.size());
  if (rest.starts_with('.')) rest.remove_prefix(1);
  return true;
}

// Removes "[2]" from the front.
std::optional<std::size_t> take_number(std::string_view& rest) {
  if (!rest.starts_with('[')) return std::nullopt;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), number);
  if (error != std::errc() || end == rest.data() + rest.size() || *end != ']') return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end + 1 - rest.data()));
  if (rest.starts_with('.')) rest.remove_prefix(1);
  return number;
}

}  // namespace

std::string DocumentPath::text() const {
  std::string out;
  for (std::size_t k = 1; k < steps_.size(); ++k) {
    if (steps_[k].numbered)
      out += fmt::format("[{}]", steps_[k].place);
    else
      out += (out.empty() ? "" : ".") + steps_[k].name;
  }
  return out;
}

int DocumentPath::line() const {
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    if (step->node != nullptr) return step->node->line;
  }
  return 1;
}

DocumentPath DocumentPath::below(std::size_t place, std::string name, bool numbered) const {
  DocumentPath out = *this;
  out.steps_.push_back({node().items[place], place, std::move(name), numbered});
  return out;
}

std::vector<DocumentPath> DocumentPath::children() const {
  std::vector<DocumentPath> out;
  const DocumentNode& here = node();
  for (std::size_t k = 0; k < here.items.size(); ++k) {
    const std::string name = here.kind == Kind::map ? here.keys[k]->text : item_name(*here.items[k]);
    out.push_back(below(k, name, here.kind == Kind::list && name.empty()));
  }
  return out;
}

std::optional<DocumentPath> DocumentPath::step(std::string_view& rest) const {
  if (steps_.back().node == nullptr) return std::nullopt;
  const DocumentNode& here = node();
  if (here.kind == Kind::map) {
    for (std::size_t k = 0; k < here.keys.size(); ++k) {
      if (take(rest, here.keys[k]->text)) return below(k, here.keys[k]->text);
    }
    return std::nullopt;
  }
  if (here.kind != Kind::list) return std::nullopt;
  std::string_view behind = rest;
  if (const auto number = take_number(behind)) {
    if (*number >= here.items.size()) return std::nullopt;
    rest = behind;
    return below(*number, "", true);
  }
  const auto names = number_names(here);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (take(rest, names[k])) return below(k, std::string(names[k]));
  }
  std::optional<DocumentPath> found;
  std::string_view left = rest;
  for (std::size_t k = 0; k < here.items.size(); ++k) {
    behind = rest;
    if (!take(behind, item_name(*here.items[k]))) continue;
    if (found)
      throw InputError(fmt::format("{}.{}: fits {}[{}] and {}[{}]; write the number", text(), rest, text(),
                                   found->steps_.back().place, text(), k));
    found = below(k, item_name(*here.items[k]));
    left = behind;
  }
  rest = left;
  return found;
}

std::optional<DocumentPath> DocumentPath::walk(std::string_view rest) const {
  DocumentPath at = *this;
  while (!rest.empty()) {
    const auto next = at.step(rest);
    if (!next) return std::nullopt;
    at = *next;
  }
  return at;
}

// The reason why the path ends here.
std::string DocumentPath::fault(std::string_view rest) const {
  const DocumentNode& here = node();
  const std::string where = steps_.size() == 1 ? "the file" : text();
  if (here.kind == Kind::scalar) return fmt::format("{} is {} and has nothing below it", where, show(here.text));
  if (here.kind == Kind::list && rest.starts_with('[')) {
    const std::size_t count = here.items.size();
    if (count == 0) return fmt::format("{} is an empty list", where);
    const std::string last = count > 1 ? fmt::format(" to {}[{}]", where, count - 1) : "";
    return fmt::format("{} is a list of {}: write {}[0]{}, not {}", where, count, where, last,
                       show(rest.substr(0, rest.find(']') + 1)));
  }
  std::vector<std::string> names;
  for (const DocumentNode* item : here.items) {
    if (std::string name = item_name(*item); !name.empty()) names.push_back(std::move(name));
  }
  for (const std::string_view name : number_names(here)) names.emplace_back(name);
  const std::string_view word = rest.substr(0, rest.find('.'));
  if (names.empty())
    return fmt::format("{} is a list of {} without names; write {}[0] to {}[{}]", where, here.items.size(), where,
                       where, here.items.empty() ? 0 : here.items.size() - 1);
  return fmt::format("{} has no {};{} it has {}", where, show(word), suggest(word, views(names)),
                     join(views(names), 12));
}

DocumentPath DocumentPath::add(std::string_view rest, const std::string& shown) const {
  DocumentPath at = *this;
  while (!rest.empty()) {
    const auto next = at.step(rest);
    if (!next) break;
    at = *next;
  }
  if (rest.empty()) return at;
  const Kind kind = at.node().kind;
  if (kind != Kind::map && kind != Kind::null) throw InputError(fmt::format("{}: {}", shown, at.fault(rest)));
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('.'), rest.size());
    const std::string key(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!name_fault(key).empty() || key.find_first_of("[]") != std::string::npos)
      throw InputError(fmt::format("{}: {} is not a key; write names with dots between them", shown, show(key)));
    at.steps_.push_back({nullptr, 0, key, false});
  }
  return at;
}

const DocumentNode* DocumentPath::replace(const DocumentNode* value, Document& owner) const {
  for (std::size_t k = steps_.size() - 1; k > 0; --k) {
    const DocumentNode* above = steps_[k - 1].node;
    DocumentNode& copy = owner.nodes.emplace_back(above != nullptr ? *above : DocumentNode());
    if (above == nullptr || above->kind == Kind::null) {
      copy = DocumentNode();
      copy.kind = Kind::map;
      copy.complete = true;
      copy.line = line();
    }
    if (steps_[k].node != nullptr) {
      copy.items[steps_[k].place] = value;
    } else {
      DocumentNode& key = owner.nodes.emplace_back();
      key.kind = Kind::scalar;
      key.complete = true;
      key.line = copy.line;
      key.text = steps_[k].name;
      copy.keys.push_back(&key);
      copy.items.push_back(value);
    }
    value = &copy;
  }
  return value;
}

}  // namespace limber
