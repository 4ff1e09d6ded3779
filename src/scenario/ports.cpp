// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scenario/ports.hpp"

#include <fmt/format.h>

#include <string_view>
#include <unordered_set>

#include "limber/files/detail/text.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/segments.hpp"

namespace limber {
namespace {

using Words = std::vector<std::string>;

Words slice(const Words& all, int first, int count) { return {all.begin() + first, all.begin() + first + count}; }

void add_joint(const Model& model, int i, bool prescribed, std::vector<Port>& out) {
  const Joint& joint = model.joints[i];
  const int count = speed_count(joint.kind);
  if (count == 0) return;
  const Words q = slice(model.coordinates, joint.q, position_count(joint.kind)),
              v = slice(model.speeds, joint.v, count);
  const Words efforts = force_units(joint.kind);
  const NodeRef at{i, kBodyFrame};
  const auto add = [&](const char* what, PortKind kind, PortDirection direction, const Words& names,
                       const Words& units) {
    out.push_back({joint.name + what, kind, direction, names, units, at, joint.q, joint.v});
  };
  add("/position", PortKind::joint_position, PortDirection::output, q, position_units(joint.kind));
  add("/velocity", PortKind::joint_velocity, PortDirection::output, v, speed_units(joint.kind));
  add("/torque", PortKind::joint_torque, PortDirection::output, v, efforts);
  if (!prescribed) {
    add("/effort", PortKind::joint_effort, PortDirection::input, v, efforts);
    return;
  }
  Words names, units;
  for (int k = 0; k < count; ++k) {
    const std::string& name = v[static_cast<std::size_t>(k)];
    const std::string unit = position_units(joint.kind)[static_cast<std::size_t>(k)];
    names.insert(names.end(), {name, name + ".velocity", name + ".acceleration"});
    units.insert(units.end(), {unit, unit + "/s", unit + "/s^2"});
  }
  add("/motion", PortKind::joint_motion, PortDirection::input, names, units);
}

void add_motor(const Model& model, int i, std::vector<Port>& out) {
  const MotorIndex motor = motor_index(model, i);
  if (motor.v < 0) return;
  const std::string name = model.speeds[motor.v];
  const auto add = [&](const char* what, PortKind kind, PortDirection direction, const char* unit) {
    out.push_back({name + what, kind, direction, {name}, {unit}, {i, kBodyFrame}, motor.q, motor.v});
  };
  add("/position", PortKind::joint_position, PortDirection::output, "rad");
  add("/velocity", PortKind::joint_velocity, PortDirection::output, "rad/s");
  add("/torque", PortKind::joint_torque, PortDirection::output, "N m");
  add("/effort", PortKind::joint_effort, PortDirection::input, "N m");
}

void add_node(const std::string& name, NodeRef at, std::vector<Port>& out) {
  out.push_back({name + "/pose",
                 PortKind::node_pose,
                 PortDirection::output,
                 {"x", "y", "z", "qw", "qx", "qy", "qz"},
                 {"m", "m", "m", "1", "1", "1", "1"},
                 at});
  out.push_back({name + "/velocity",
                 PortKind::node_velocity,
                 PortDirection::output,
                 {"wx", "wy", "wz", "vx", "vy", "vz"},
                 {"rad/s", "rad/s", "rad/s", "m/s", "m/s", "m/s"},
                 at});
  out.push_back({name + "/force",
                 PortKind::node_force,
                 PortDirection::input,
                 {"tx", "ty", "tz", "fx", "fy", "fz"},
                 {"N m", "N m", "N m", "N", "N", "N"},
                 at});
}

void add_body(const Model& model, int i, std::vector<Port>& out) {
  const auto [q, v, n] = modes_of(model, i);
  if (n == 0) return;
  const Words names = slice(model.speeds, v, n);
  const auto units = static_cast<std::size_t>(n);
  out.push_back({model.body_names[i] + "/modes",
                 PortKind::body_modes,
                 PortDirection::output,
                 names,
                 Words(units, "1"),
                 {i, kBodyFrame}});
  out.push_back({model.body_names[i] + "/mode_rates",
                 PortKind::body_rates,
                 PortDirection::output,
                 names,
                 Words(units, "1/s"),
                 {i, kBodyFrame}});
}

}  // namespace

std::vector<Port> list_ports(const Model& model, const std::vector<bool>& prescribed) {
  std::vector<Port> out;
  std::unordered_set<std::string_view> joints;
  for (const Joint& joint : model.joints) joints.insert(joint.name);
  const std::vector<NodeRef> nodes = visible_nodes(model);
  auto next = nodes.begin();
  for (int i = 1; i < model.body_count(); ++i) {
    add_joint(model, i, prescribed[static_cast<std::size_t>(i)], out);
    add_motor(model, i, out);
    const std::string& body = model.body_names[i];
    if (leads_segments(model, i)) {
      add_body(model, i, out);
      if (!joints.contains(body)) add_node(body, {i, kBodyFrame}, out);
    }
    for (; next != nodes.end() && next->body == i; ++next)
      add_node(body + "." + model.body(i).nodes[static_cast<std::size_t>(next->node)].name, *next, out);
  }
  return out;
}

NodeRef find_node(const Model& model, const std::string& name) {
  if (const int body = model.find_body(name); body > kGround) return {body, kBodyFrame};
  Words known;
  for (const NodeRef at : visible_nodes(model)) {
    known.push_back(model.body_names[at.body] + "." +
                    model.body(at.body).nodes[static_cast<std::size_t>(at.node)].name);
    if (known.back() == name) return at;
  }
  throw InputError(fmt::format("model '{}' has no node {};{} nodes: {}", model.name, show(name),
                               suggest(name, views(known)), join(views(known), 8)));
}

}  // namespace limber
