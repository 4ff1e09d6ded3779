// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/simulate/channels.hpp"

namespace limber {

enum class PortKind {
  joint_position,  // <joint>/position   its coordinates in q
  joint_velocity,  // <joint>/velocity   its speeds in v
  joint_effort,    // <joint>/effort     torques or forces, added to those of inputs and controller
  joint_torque,    // <joint>/torque     all that act on it, or that its prescribed motion needs
  joint_motion,    // <joint>/motion     of a prescribed one: position, velocity, acceleration, coordinate by coordinate
  node_pose,       // <node>/pose        position and quaternion (w, x, y, z) in world
  node_velocity,   // <node>/velocity    angular and linear velocity in world
  node_force,      // <node>/force       torque and force given, in world, about the node
  body_modes,      // <body>/modes       modal coordinates
  body_rates,      // <body>/mode_rates  and their rates
  channel,         // by its path: every other channel of a recording, e.g. energy/kinetic, closures/<name>/force
};

enum class PortDirection { input, output };

// One or more values of a simulation, by name.  A node is "body.node", or "body" for the frame of the body.
struct Port {
  std::string name = {};
  PortKind kind = PortKind::joint_position;
  PortDirection direction = PortDirection::output;
  std::vector<std::string> components = {};  // "shoulder", "base.qw"; "x", "y", "z"
  std::vector<std::string> units = {};       // one for each
  NodeRef at = {};                           // the node, or the body that the joint carries
  int q = -1, v = -1;  // first coordinate and speed of a joint, or of its motor: "elbow.motor/position"
  int channel = -1;    // index in port_channels, whose names, units and values are its own; -1: none
  int size() const { return static_cast<int>(components.size()); }  // number of components
};

// The channels that ports read: those of recordings, with parts of the state, without nodes.
std::vector<Channel> port_channels(const Model& model);
// The ports of a machine; `prescribed` (body): joints with prescribed motion.
std::vector<Port> list_ports(const Model& model, const std::vector<bool>& prescribed);

// The node "body.node", or "body" for the frame of the body.  Throws InputError for an unknown name.
NodeRef find_node(const Model& model, const std::string& name);

}  // namespace limber
