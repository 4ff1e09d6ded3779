// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/element_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "files/names.hpp"
#include "limber/files/detail/model_names.hpp"
#include "limber/files/detail/quantity.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/simulate/force_laws.hpp"

namespace limber {
namespace {

constexpr std::array<std::string_view, 4> kElementTypes = {"spring", "bushing", "rope", "actuator"};
constexpr std::array<std::string_view, 3> kInterpolations = {"linear", "cubic", "quintic"};

// What the checks of the model say, at the place of the item.
template <class Call>
auto at_place(const Reader& at, const Call& call) {
  try {
    return call();
  } catch (const InputError& e) {
    const std::string what = e.what(), item = at.item() + ": ";
    at.fail_item(what.starts_with(item) ? what.substr(item.size()) : what);
  }
}

// The first of three numbers, not the name of a node.
bool begins_number(const Reader& at) {
  return at.is_scalar() && !at.text().empty() &&
         std::string_view("0123456789+-.").find(at.text()[0]) != std::string_view::npos;
}

class ElementReader {
 public:
  ElementReader(const Model& model, std::vector<ForceElement>& known) : model_(model), known_(known), names_(model) {}

  void read(const Reader& at, ForceElement& e) {
    e.kind = static_cast<ForceElement::Kind>(at.at("type", "type: spring").choice(kElementTypes));
    switch (e.kind) {
      case ForceElement::Kind::spring:
        at.check_keys({"name", "type", "a", "b", "joint", "stiffness", "damping", "length", "rest", "table", "force"});
        read_place(at, e);
        at.one_of({"stiffness", "table", "force"});
        read_line(at, e);
        break;
      case ForceElement::Kind::actuator:
        at.check_keys({"name", "type", "a", "b", "joint", "force"});
        read_place(at, e);
        read_law(at, e);
        break;
      case ForceElement::Kind::rope:
        at.check_keys({"name", "type", "a", "b", "over", "stiffness", "EA", "damping", "length"});
        read_rope(at, e);
        break;
      case ForceElement::Kind::bushing:
        at.check_keys({"name", "type", "a", "b", "stiffness", "damping"});
        read_ends(at, e);
        e.K = at.at("stiffness", "stiffness: [10, 10, 10, 1e5, 1e5, 1e5]").square_or_diagonal(6);
        e.D = MatrixXd::Zero(6, 6);
        if (const auto damping = at.find("damping")) e.D = damping->square_or_diagonal(6);
    }
  }

 private:
  void read_ends(const Reader& at, ForceElement& e) {
    e.a = read_element_end(at.at("a", "a: world"), names_);
    e.b = read_element_end(at.at("b", "b: boom.tip"), names_);
  }

  // Two ends, or a joint.
  void read_place(const Reader& at, ForceElement& e) {
    const auto joint = at.find("joint");
    for (const std::string_view key : {"a", "b", "length"}) {
      const auto given = at.find(key);
      if (joint && given) given->fail("belongs to an element between nodes; remove it, or the joint");
    }
    if (!joint) {
      if (const auto rest = at.find("rest")) rest->fail("belongs to an element on a joint; write length");
      read_ends(at, e);
      return;
    }
    e.joint = names_.joint(*joint);
    const JointKind kind = model_.joints[e.joint].kind;
    if (position_count(kind) != 1)
      joint->fail(fmt::format("'{}' is {}; elements act on joints of one coordinate", model_.joints[e.joint].name,
                              to_string(kind)));
    for (const std::string_view key : {"stiffness", "damping"})
      if (const auto given = at.find(key)) check_units(*given, joint_units(kind, key));
    if (const auto rest = at.find("rest")) check_units(*rest, joint_units(kind, "lower"));
  }

  void read_line(const Reader& at, ForceElement& e) {
    const auto stiffness = at.find("stiffness");
    if (stiffness) e.stiffness = stiffness->not_negative();
    if (const auto damping = at.find("damping")) e.damping = damping->not_negative();
    for (const std::string_view key : {"length", "rest"}) {
      const auto given = at.find(key);
      if (!given) continue;
      if (!stiffness) given->fail("belongs to a stiffness; a table or an expression has its own zero");
      e.length = key == "length" ? given->not_negative() : given->number();
    }
    if (const auto table = at.find("table")) read_table(*table, e);
    if (at.has("force")) read_law(at, e);
  }

  void read_table(const Reader& at, ForceElement& e) {
    at.check_keys({"x", "y", "interpolate"});
    const VectorXd x = at.at("x", "x: [0.1, 0.2, 0.3]").numbers();
    const VectorXd y = at.at("y", "y: [10, 0, -20]").numbers();
    const auto interpolate = at.find("interpolate");
    const auto kind = static_cast<Interpolation>(interpolate ? interpolate->choice(kInterpolations) : 0);
    for (Eigen::Index k = 1; k < x.size(); ++k)
      if (!(x[k] > x[k - 1])) at.at("x", "").fail("must rise from each value to the next");
    if (x.size() != y.size())
      at.at("y", "").fail(fmt::format("has {} values, but x has {}; write one for each", y.size(), x.size()));
    e.law = at_place(at, [&] { return std::make_shared<TableLaw>(x, y, kind); });
  }

  void read_law(const Reader& at, ForceElement& e) {
    const auto force = at.find("force");
    if (!force) return;
    if (!force->is_scalar()) force->fail("must be a number or an expression in x, v and t; tables belong to scenarios");
    const auto constant = parse_quantity(force->text());
    const std::string text = constant ? fmt::format("{}", force->number()) : force->text();
    std::vector<std::string> names = {"x", "v"};
    for (const std::string& name : names_in_expression(text)) {
      try {
        e.channels.push_back(find_state_channel(model_, known_, name));
      } catch (const InputError& error) {
        force->fail(fmt::format("is wrong: {}", error.what()));
      }
      names.push_back(name);
    }
    try {
      e.law = std::make_shared<ExpressionLaw>(text, names);
    } catch (const InputError& error) {
      force->fail(fmt::format("is wrong: {}", error.what()));
    }
  }

  void read_rope(const Reader& at, ForceElement& e) {
    read_ends(at, e);
    if (const auto over = at.find("over")) {
      // One point, or a list of them.
      const bool one = !over->is_list() || (over->length(100) > 0 && begins_number(over->list()[0]));
      if (one) e.over.push_back(read_element_end(*over, names_));
      for (const Reader& point : one ? std::vector<Reader>() : over->list())
        e.over.push_back(read_element_end(point, names_));
    }
    e.length = at.at("length", "length: 3").positive();
    const double given = at.at(at.one_of({"stiffness", "EA"}), "").positive();
    e.stiffness = at.has("EA") ? given / e.length : given;
    if (const auto damping = at.find("damping")) e.damping = damping->not_negative();
  }

  const Model& model_;
  const std::vector<ForceElement>& known_;
  ModelNames names_;
};

// Rest positions of joint springs, `rest:` of a joint.
void read_rests(const Reader& root, const Model& model, std::vector<JointRest>& out) {
  const auto joints = root.find("joints");
  for (const Reader& entry : joints ? joints->list() : std::vector<Reader>()) {
    const auto rest = entry.find("rest");
    if (!rest) continue;
    const int joint = model.find_joint(entry.at("name", "").text());
    const Reader at = entry.in(fmt::format("joint '{}'", model.joints[joint].name));
    const Reader value = at.at("rest", "");
    const JointKind kind = model.joints[joint].kind;
    if (speed_count(kind) == 0 || position_count(kind) != speed_count(kind))
      value.fail(fmt::format("has no meaning for type {}; remove it", to_string(kind)));
    if (!at.has("stiffness")) value.fail("belongs to a spring; write stiffness beside it, or remove it");
    check_units(value, joint_units(kind, "lower"));
    out.push_back({joint, value.number_or_numbers(speed_count(kind))});
  }
}

}  // namespace

ElementEnd read_element_end(const Reader& at, const ModelNames& names) {
  ElementEnd end;
  if (at.is_list()) {
    end.at.p = at.vector3();
    return end;
  }
  if (at.is_map()) {
    at.check_keys({"node", "xyz", "rpy"});
    if (const auto xyz = at.find("xyz")) end.at.p = xyz->vector3();
    if (const auto rpy = at.find("rpy")) end.at.R = rpy->rpy();
  }
  const Reader node = at.is_map() ? at.at("node", "node: boom.tip") : at;
  if (node.text() != "world") end.node = names.node(node);
  return end;
}

std::shared_ptr<const ForceElements> read_elements(const Reader& root, const Model& model) {
  auto out = std::make_shared<ForceElements>();
  read_rests(root, model, out->rests);
  const auto list = root.find("elements");
  Names names;
  ElementReader reader(model, out->list);
  for (const Reader& entry : list ? list->list() : std::vector<Reader>()) {
    ForceElement element;
    element.name = names.take(entry, "name: strut");
    const Reader at = entry.in(fmt::format("element '{}'", element.name));
    reader.read(at, element);
    at_place(at, [&] { check_elements(model, {{element}, {}}); });
    out->list.push_back(std::move(element));
  }
  if (out->list.empty() && out->rests.empty()) return nullptr;
  return out;
}

}  // namespace limber
