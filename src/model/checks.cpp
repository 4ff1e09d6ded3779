// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "checks.hpp"

#include <algorithm>
#include <cmath>

#include "limber/spatial/detail/text.hpp"

namespace limber::model_impl {

void refuse(const std::string& item, const std::string& name, const std::string& what) {
  throw InputError(item + " '" + name + "': " + what);
}

void check_item_name(const std::string& item, const std::string& name) {
  std::string fault = name_fault(name);
  if (fault.empty() && item != "closure") fault = reserved_fault(name);
  if (!fault.empty()) throw InputError(item + " " + show(name) + ": its name " + fault);
}

void check_order(const std::string& item, const std::string& name, Fidelity fidelity, const Body& body) {
  if (body.modes == 0) return;
  if (fidelity == Fidelity::stiffened && !body.second_order)
    refuse(item, name,
           "fidelity stiffened needs second-order shapes; make the body with second_order = true, or choose full");
  if (fidelity != Fidelity::stiffened && !body.pairs.empty())
    refuse(item, name,
           std::string("fidelity ") + to_string(fidelity) +
               " has no use for second-order shapes; make the body with second_order = false, or choose stiffened");
}

void check_node(const Model& model, const std::string& item, const std::string& name, NodeRef at) {
  if (at.body < 0 || at.body >= model.body_count()) refuse(item, name, "refers to a body that does not exist");
  const int nodes = static_cast<int>(model.body(at.body).nodes.size());
  if (at.node < kBodyFrame || at.node >= nodes) {
    refuse(item, name, "refers to a node that body '" + model.body_names[at.body] + "' does not have");
  }
}

void check_limit(const Joint& joint, double value, const char* what) {
  if (!(value >= 0) || !std::isfinite(value))
    refuse("joint", joint.name, std::string(what) + " must be a finite number, 0 (none) or more");
}

namespace {

Vector3d unit(const Vector3d& axis, const std::string& item, const std::string& name, const char* what) {
  const double length = axis.norm();
  if (!(length > 0) || !std::isfinite(length))
    refuse(item, name, std::string(what) + " has no direction; write three numbers that are not all zero");
  return axis / length;
}

}  // namespace

template <class Connection>
void set_unit_axes(Connection& of, const char* item) {
  const int axes = joint_traits(of.kind).axes;
  if (axes > 0) of.axis = unit(of.axis, item, of.name, "axis");
  if (axes < 2) return;
  of.axis2 = unit(of.axis2, item, of.name, "axis2");
  constexpr double kParallel = 1e-9;  // sine of the angle below which the two speeds are not distinguishable
  if (of.axis.cross(of.axis2).norm() < kParallel) {
    refuse(item, of.name,
           std::string("axis and axis2 are parallel; a ") + to_string(of.kind) + " joint needs two directions");
  }
}

template void set_unit_axes<Joint>(Joint&, const char*);
template void set_unit_axes<Closure>(Closure&, const char*);

void check_closure(Closure& closure) {
  check_item_name("closure", closure.name);
  if (joint_traits(closure.kind).closure_rows == nullptr)
    refuse("closure", closure.name, std::string("a ") + to_string(closure.kind) + " joint closes nothing");
  const Closure given = closure;
  set_unit_axes(closure, "closure");
  // Axes from files are unit vectors already; do not round twice.
  constexpr double kUnit = 4e-16;
  if (std::abs(given.axis.norm() - 1) <= kUnit) closure.axis = given.axis;
  if (std::abs(given.axis2.norm() - 1) <= kUnit) closure.axis2 = given.axis2;
}

NodeRef find_node(const std::string& path, const std::vector<std::string>& names, const std::string& prefix,
                  const std::function<std::pair<int, const Body*>(std::size_t)>& at) {
  const std::size_t dot = path.find('.');
  const std::string name = path.substr(0, dot);
  if (path == "world") return {};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    const auto known = views(names);
    throw InputError(prefix + show(name) + " is not a body;" + suggest(name, known) +
                     " bodies: " + (known.empty() ? "none" : join(known)));
  }
  const auto [number, body] = at(static_cast<std::size_t>(found - names.begin()));
  if (dot == std::string::npos) return {number, kBodyFrame};
  try {
    return {number, body->node_index(path.substr(dot + 1))};
  } catch (const InputError& e) {
    throw InputError(prefix + "body '" + name + "': " + e.what());
  }
}

}  // namespace limber::model_impl
