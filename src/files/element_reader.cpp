// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/element_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "files/names.hpp"
#include "limber/dynamics/kinematics.hpp"
#include "limber/files/detail/model_names.hpp"
#include "limber/files/detail/quantity.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/model/segments.hpp"
#include "limber/simulate/force_laws.hpp"

namespace limber {
namespace {

constexpr std::array<std::string_view, 4> kElementTypes = {"spring", "bushing", "rope", "actuator"};
constexpr std::array<std::string_view, 3> kInterpolations = {"linear", "cubic", "quintic"};

// Adds the place of the item to errors of the model's checks.
template <class Call>
auto at_place(const Reader& at, const Call& call) {
  try {
    return call();
  } catch (const InputError& e) {
    const std::string what = e.what(), item = at.item() + ": ";
    at.fail_item(what.starts_with(item) ? what.substr(item.size()) : what);
  }
}

// Whether a list begins with a number and not with the name of a node.
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
        if (const auto k = at.find("stiffness")) check_bushing_units(*k, "N m/rad", "N/m");
        if (const auto d = at.find("damping")) check_bushing_units(*d, "N m s/rad", "N s/m");
        e.K = at.at("stiffness", "stiffness: [10, 10, 10, 1e5, 1e5, 1e5]").square_or_diagonal(6);
        e.D = MatrixXd::Zero(6, 6);
        if (const auto damping = at.find("damping")) e.D = damping->square_or_diagonal(6);
    }
  }

 private:
  // Six numbers, or those of the diagonal; terms that couple rotations and displacements have no unit here.
  static void check_bushing_units(const Reader& at, const std::string& turn, const std::string& slide) {
    if (!at.is_list()) return;
    const std::vector<Reader> items = at.list();
    for (std::size_t i = 0; i < items.size() && i < 6; ++i) {
      const std::string& unit = i < 3 ? turn : slide;
      if (!items[i].is_list()) check_units(items[i], {unit});
      const std::vector<Reader> row = items[i].is_list() ? items[i].list() : std::vector<Reader>();
      for (std::size_t j = 0; j < row.size() && j < 6; ++j)
        check_units(row[j], {(i < 3) == (j < 3) ? unit : std::string("1")});
    }
  }

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
      check_line_units(at, {"N/m", "N s/m", "m", "N"});
      read_ends(at, e);
      return;
    }
    e.joint = names_.joint(*joint);
    const JointKind kind = model_.joints[e.joint].kind;
    if (position_count(kind) != 1)
      joint->fail(fmt::format("'{}' is {}; elements act on joints of one coordinate", model_.joints[e.joint].name,
                              to_string(kind)));
    check_line_units(at, {joint_units(kind, "stiffness")[0], joint_units(kind, "damping")[0],
                          joint_units(kind, "lower")[0], joint_units(kind, "effort")[0]});
  }

  // Units of stiffness, damping, the coordinate x, the force.
  static void check_line_units(const Reader& at, const std::array<std::string, 4>& units) {
    const auto check = [](const Reader& map, std::string_view key, const std::string& unit) {
      const auto given = map.find(key);
      if (given && given->is_scalar()) check_units(*given, {unit});
      const std::vector<Reader> items = given && given->is_list() ? given->list() : std::vector<Reader>();
      for (const Reader& item : items) check_units(item, {unit});
    };
    check(at, "stiffness", units[0]);
    check(at, "damping", units[1]);
    check(at, "rest", units[2]);
    check(at, "force", units[3]);
    const auto table = at.find("table");
    if (!table || !table->is_map()) return;
    check(*table, "x", units[2]);
    check(*table, "y", units[3]);
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
    check_line_units(at, {"N/m", "N s/m", "m", "N"});
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

// Pose of a node at zero coordinates, in the frame of its body or in world.
Pose node_at_rest(const Model& model, NodeRef at, bool in_world) {
  if (at.body == kGround) return {};
  if (!in_world) {
    if (at.node == kBodyFrame) return {};
    return {model.body(at.body).nodes[static_cast<std::size_t>(at.node)].rotation,
            undeformed_place(model, at).position};
  }
  KinematicsWorkspace kin(model);
  compute_kinematics(model, make_zero_state(model), kin);
  compute_world_poses(model, kin);
  return node_pose(model, kin, at);
}

// Rest positions of joint springs, key `rest:` of a joint.
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
    at.check_keys({"node", "xyz", "rpy", "frame"});
    if (const auto xyz = at.find("xyz")) end.at.p = xyz->vector3();
    if (const auto rpy = at.find("rpy")) end.at.R = rpy->rpy();
  }
  const Reader node = at.is_map() ? at.at("node", "node: boom.tip") : at;
  if (node.text() != "world") end.node = names.node(node);
  if (const auto frame = at.is_map() ? at.find("frame") : std::nullopt) {
    constexpr std::array<std::string_view, 3> kFrames = {"node", "body", "world"};
    const int given = frame->choice(kFrames);
    if (given > 0) end.at = inverse(node_at_rest(names.model(), end.node, given == 2)) * end.at;
  }
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
