// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scenario/ports.hpp"

#include <fmt/format.h>

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "limber/files/detail/text.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/segments.hpp"

namespace limber {
namespace {

using Words = std::vector<std::string>;

// Outputs that are channels.
class ChannelPorts {
 public:
  explicit ChannelPorts(const Model& model) : channels_(port_channels(model)), used_(channels_.size(), false) {
    for (std::size_t k = 0; k < channels_.size(); ++k) index_.emplace(channels_[k].path, k);
  }

  // The port `name` of the channel at `path`; nothing if there is no such channel.
  void add(const std::string& name, const std::string& path, PortKind kind, Port port, std::vector<Port>& out) {
    if (const auto found = index_.find(path); found != index_.end()) add(name, found->second, kind, port, out);
  }
  // The channels that are not ports yet, by their paths.
  void add_rest(std::vector<Port>& out) {
    for (std::size_t k = 0; k < channels_.size(); ++k)
      if (!used_[k] && channels_[k].columns > 0) add(channels_[k].path, k, PortKind::channel, {}, out);
  }

 private:
  void add(const std::string& name, std::size_t k, PortKind kind, Port port, std::vector<Port>& out) {
    const Channel& channel = channels_[k];
    used_[k] = true;
    port.name = name;
    port.kind = kind;
    if (port.components.empty()) port.components = channel.scalar ? Words{channel.path} : channel.names;
    for (int column = 0; column < channel.columns; ++column) port.units.push_back(channel.unit(column));
    port.channel = static_cast<int>(k);
    out.push_back(std::move(port));
  }

  std::vector<Channel> channels_;
  std::vector<bool> used_;
  std::unordered_map<std::string, std::size_t> index_;
};

// Position, velocity, torque and effort of a joint, or of its motor.
void add_drive(const std::string& name, const Port& at, PortKind input, ChannelPorts& channels,
               std::vector<Port>& out) {
  channels.add(name + "/position", "joints/" + name + "/position", PortKind::joint_position, at, out);
  channels.add(name + "/velocity", "joints/" + name + "/velocity", PortKind::joint_velocity, at, out);
  Port torque = at;
  torque.components = out.back().components;  // the names of the speeds
  channels.add(name + "/torque", "joints/" + name + "/torque", PortKind::joint_torque, torque, out);
  if (input != PortKind::joint_effort) return;
  Port effort = out.back();  // as the torque
  effort.name = name + "/effort";
  effort.kind = input;
  effort.direction = PortDirection::input;
  effort.channel = -1;
  out.push_back(std::move(effort));
}

void add_motion(const Model& model, int i, const Port& at, std::vector<Port>& out) {
  const Joint& joint = model.joints[i];
  Port port = at;
  port.name = joint.name + "/motion";
  port.kind = PortKind::joint_motion;
  port.direction = PortDirection::input;
  const Words units = position_units(joint.kind);
  for (std::size_t k = 0; k < units.size(); ++k) {
    const std::string& name = model.speeds[static_cast<std::size_t>(joint.v) + k];
    port.components.insert(port.components.end(), {name, name + ".velocity", name + ".acceleration"});
    port.units.insert(port.units.end(), {units[k], units[k] + "/s", units[k] + "/s^2"});
  }
  out.push_back(std::move(port));
}

void add_joint(const Model& model, int i, bool prescribed, ChannelPorts& channels, std::vector<Port>& out) {
  const Joint& joint = model.joints[i];
  if (speed_count(joint.kind) == 0) return;
  const Port at{.at = {i, kBodyFrame}, .q = joint.q, .v = joint.v};
  add_drive(joint.name, at, prescribed ? PortKind::joint_motion : PortKind::joint_effort, channels, out);
  if (prescribed) add_motion(model, i, at, out);
}

void add_motor(const Model& model, int i, ChannelPorts& channels, std::vector<Port>& out) {
  const MotorIndex motor = motor_index(model, i);
  if (motor.v < 0) return;
  const Port at{.at = {i, kBodyFrame}, .q = motor.q, .v = motor.v};
  add_drive(model.speeds[motor.v], at, PortKind::joint_effort, channels, out);
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

void add_body(const Model& model, int i, ChannelPorts& channels, std::vector<Port>& out) {
  const std::string& name = model.body_names[i];
  const Port at{.at = {i, kBodyFrame}};
  channels.add(name + "/modes", "bodies/" + name + "/modes", PortKind::body_modes, at, out);
  channels.add(name + "/mode_rates", "bodies/" + name + "/mode_rates", PortKind::body_rates, at, out);
}

}  // namespace

std::vector<Channel> port_channels(const Model& model) { return make_channels(model, {.parts = true}); }

std::vector<Port> list_ports(const Model& model, const std::vector<bool>& prescribed) {
  std::vector<Port> out;
  ChannelPorts channels(model);
  std::unordered_set<std::string_view> joints;
  for (const Joint& joint : model.joints) joints.insert(joint.name);
  const std::vector<NodeRef> nodes = visible_nodes(model);
  auto next = nodes.begin();
  for (int i = 1; i < model.body_count(); ++i) {
    add_joint(model, i, prescribed[static_cast<std::size_t>(i)], channels, out);
    add_motor(model, i, channels, out);
    const std::string& body = model.body_names[i];
    if (leads_segments(model, i)) {
      add_body(model, i, channels, out);
      if (!joints.contains(body)) add_node(body, {i, kBodyFrame}, out);
    }
    for (; next != nodes.end() && next->body == i; ++next)
      add_node(body + "." + model.body(i).nodes[static_cast<std::size_t>(next->node)].name, *next, out);
  }
  channels.add_rest(out);
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
