// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/model/joint_kind.hpp"

#include <algorithm>
#include <deque>

#include "limber/model/model.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {
namespace {

using Rows = std::vector<ClosureRow>;
using Screws = std::vector<Vector6>;

// ---- closure rows: the constrained relative motions of a loop joint.  theory §3 ----------------------

ClosureRow place(const Vector3d& d) { return {0, false, d, Vector3d::Zero(), 0}; }
ClosureRow align(const Vector3d& u, const Vector3d& s, double rest = 0) { return {0, true, u, s, rest}; }

void place_all(Rows& rows) {
  for (int k = 0; k < 3; ++k) rows.push_back(place(Vector3d::Unit(k)));
}

// Near alignment these three are rotations about x, y and z.
void align_all(Rows& rows) {
  for (int k = 0; k < 3; ++k) rows.push_back(align(Vector3d::Unit(k), Vector3d::Unit((k + 1) % 3)));
}

void place_across(const Vector3d& axis, Rows& rows) {
  const Vector3d y = perpendicular(axis), z = axis.cross(y);
  rows.push_back(place(y));
  rows.push_back(place(z));
}

void align_axis(const Vector3d& axis, Rows& rows) {
  const Vector3d y = perpendicular(axis), z = axis.cross(y);
  rows.push_back(align(y, axis));
  rows.push_back(align(z, axis));
}

Rows fixed_rows(const Closure&) {
  Rows rows;
  place_all(rows);
  align_all(rows);
  return rows;
}

Rows revolute_rows(const Closure& closure) {
  Rows rows;
  place_all(rows);
  align_axis(closure.axis, rows);
  return rows;
}

Rows prismatic_rows(const Closure& closure) {
  Rows rows;
  place_across(closure.axis, rows);
  align_all(rows);
  return rows;
}

Rows cylindrical_rows(const Closure& closure) {
  Rows rows;
  place_across(closure.axis, rows);
  align_axis(closure.axis, rows);
  return rows;
}

Rows universal_rows(const Closure& closure) {
  Rows rows;
  place_all(rows);
  rows.push_back(align(closure.axis, closure.axis2, closure.axis.dot(closure.axis2)));
  return rows;
}

Rows spherical_rows(const Closure&) {
  Rows rows;
  place_all(rows);
  return rows;
}

// ---- twists of the joints that are products of exponentials --------------------------------------

Vector6 rotation_about(const Vector3d& axis) { return (Vector6() << axis, Vector3d::Zero()).finished(); }
Vector6 translation_along(const Vector3d& axis) { return (Vector6() << Vector3d::Zero(), axis).finished(); }

Screws revolute_screws(const Joint& joint) { return {rotation_about(joint.axis)}; }
Screws prismatic_screws(const Joint& joint) { return {translation_along(joint.axis)}; }
Screws cylindrical_screws(const Joint& joint) { return {rotation_about(joint.axis), translation_along(joint.axis)}; }
// Along the axis of the undeformed beam; the joint itself follows the deformed one.
Screws slider_screws(const Joint&) { return {translation_along(Vector3d::UnitX())}; }
Screws universal_screws(const Joint& joint) { return {rotation_about(joint.axis), rotation_about(joint.axis2)}; }

// ---- the table --------------------------------------------------------------------------------------

using Coordinates = std::vector<JointCoordinate>;

JointTraits immovable(const char* name) {
  JointTraits out;
  out.name = out.drawn_as = name;
  return out;
}

// A product of exponentials, whose speeds are the rates of its coordinates.
JointTraits movable(const char* name, const Coordinates& coordinates, int axes, Screws (*screws)(const Joint&)) {
  JointTraits out = immovable(name);
  out.positions = out.speeds = coordinates;
  out.axes = axes;
  out.driven = true;
  out.stops = coordinates.size() == 1;
  out.screws = screws;
  return out;
}

JointTraits rotating(const char* name, const Coordinates& position, const Coordinates& velocity) {
  JointTraits out = immovable(name);
  out.positions = {{"qw", "1"}, {"qx", "1"}, {"qy", "1"}, {"qz", "1"}};
  out.speeds = {{"wx", "rad"}, {"wy", "rad"}, {"wz", "rad"}};
  out.positions.insert(out.positions.end(), position.begin(), position.end());
  out.speeds.insert(out.speeds.end(), velocity.begin(), velocity.end());
  out.quaternion = true;
  return out;
}

JointTraits drawn(JointTraits out, const char* as) {
  out.drawn_as = as;
  return out;
}

JointTraits with_closure(JointTraits out, Rows (*rows)(const Closure&), ClosureAlignment alignment) {
  out.closure_rows = rows;
  out.alignment = alignment;
  return out;
}

// In the order of JointKind, then kSlider.  A deque: addresses stay valid when kinds are added.
std::deque<JointTraits>& table() {
  using enum ClosureAlignment;
  static std::deque<JointTraits> kinds = {
      with_closure(immovable("fixed"), fixed_rows, frame),
      with_closure(movable("revolute", {{"", "rad"}}, 1, revolute_screws), revolute_rows, axis),
      with_closure(movable("prismatic", {{"", "m"}}, 1, prismatic_screws), prismatic_rows, frame),
      with_closure(movable("cylindrical", {{"angle", "rad"}, {"slide", "m"}}, 1, cylindrical_screws), cylindrical_rows,
                   axis),
      with_closure(movable("universal", {{"angle1", "rad"}, {"angle2", "rad"}}, 2, universal_screws), universal_rows,
                   none),
      with_closure(rotating("spherical", {}, {}), spherical_rows, none),
      rotating("free", {{"x", "m"}, {"y", "m"}, {"z", "m"}}, {{"vx", "m"}, {"vy", "m"}, {"vz", "m"}}),
      drawn(movable("slider", {{"", "m"}}, 0, slider_screws), "prismatic"),
  };
  return kinds;
}

[[noreturn]] void refuse(const JointTraits& traits, const std::string& what) {
  throw InputError("joint kind '" + traits.name + "': " + what);
}

void check_traits(const JointTraits& traits) {
  if (const std::string fault = name_fault(traits.name); !fault.empty()) refuse(traits, "its name " + fault);
  const auto named = [&](const std::string& name) {
    const auto& kinds = table();
    return std::any_of(kinds.begin(), kinds.end(), [&](const JointTraits& kind) { return kind.name == name; });
  };
  if (named(traits.name)) refuse(traits, "a joint kind of this name exists; choose another");
  if (traits.quaternion || traits.screws == nullptr)
    refuse(traits, "has no screws; give the function that makes one unit twist per coordinate");
  const std::size_t n = traits.speeds.size();
  if (n < 1 || n > 6 || traits.positions.size() != n) refuse(traits, "give one to six coordinates, and as many speeds");
  for (const auto* list : {&traits.positions, &traits.speeds}) {
    for (const JointCoordinate& c : *list) {
      if (c.unit != "rad" && c.unit != "m") refuse(traits, "a coordinate has the unit '" + c.unit + "'; give rad or m");
      if (n > 1 && !name_fault(c.suffix).empty()) refuse(traits, "give every coordinate a suffix of its name");
    }
  }
  if (traits.axes < 0 || traits.axes > 2) refuse(traits, "axes is not 0, 1 or 2");
  if (traits.stops && n != 1) refuse(traits, "only a kind with one coordinate can have stops");
  if (!named(traits.drawn_as)) refuse(traits, "drawn_as is not a kind; give for example revolute");
}

std::vector<std::string> units(const std::vector<JointCoordinate>& list, const char* rotation,
                               const char* translation) {
  std::vector<std::string> out;
  for (const JointCoordinate& c : list)
    out.emplace_back(c.unit == "rad" ? rotation : c.unit == "m" ? translation : "1");
  return out;
}

}  // namespace

const JointTraits& joint_traits(JointKind kind) {
  const auto& kinds = table();
  const auto at = static_cast<std::size_t>(kind);
  if (at >= kinds.size()) throw InputError("joint kind " + std::to_string(static_cast<int>(kind)) + " does not exist");
  return kinds[at];
}

std::vector<JointKind> joint_kinds() {
  std::vector<JointKind> kinds(table().size());
  for (std::size_t k = 0; k < kinds.size(); ++k) kinds[k] = static_cast<JointKind>(k);
  return kinds;
}

JointKind add_joint_kind(JointTraits traits) {
  check_traits(traits);
  table().push_back(std::move(traits));
  return static_cast<JointKind>(table().size() - 1);
}

const char* to_string(JointKind kind) { return joint_traits(kind).name.c_str(); }
int speed_count(JointKind kind) { return static_cast<int>(joint_traits(kind).speeds.size()); }
int position_count(JointKind kind) { return static_cast<int>(joint_traits(kind).positions.size()); }

std::vector<std::string> position_units(JointKind kind) { return units(joint_traits(kind).positions, "rad", "m"); }
std::vector<std::string> speed_units(JointKind kind) { return units(joint_traits(kind).speeds, "rad/s", "m/s"); }
std::vector<std::string> force_units(JointKind kind) { return units(joint_traits(kind).speeds, "N m", "N"); }

}  // namespace limber
