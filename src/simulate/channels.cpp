// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/channels.hpp"

#include <algorithm>

#include "limber/model/contacts.hpp"
#include "limber/model/detail/layout.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/elements.hpp"
#include "limber/model/friction.hpp"
#include "limber/model/segments.hpp"

namespace limber {
namespace {

using Texts = std::vector<std::string>;
using Channels = std::vector<Channel>;

constexpr const char* kModal = "modal";  // the unit depends on the shapes of the body
constexpr const char* kModalRate = "modal/s";

// One entry if all columns share it.
Texts shared(Texts units) {
  if (std::all_of(units.begin(), units.end(), [&](const std::string& unit) { return unit == units[0]; }))
    units.resize(1);
  return units;
}

double* put(double* out, ConstVec values) { return std::copy_n(values.data(), values.size(), out); }

// ---- rows of each kind -------------------------------------------------------------------------------

// A row whose columns are axes.
void add_axes(std::string path, int columns, Texts units, Channel::Getter get, Channels& out) {
  Texts names;
  for (int k = 0; k < columns; ++k) names.push_back(axis_name(path, columns, k));
  out.push_back({std::move(path), columns, std::move(units), std::move(names), false, false, std::move(get)});
}

void add_scalar(std::string path, const char* unit, Channel::Getter get, Channels& out) {
  out.push_back({std::move(path), 1, {unit}, {""}, false, true, std::move(get)});
}

void add_named(std::string path, Texts names, Texts units, Channel::Getter get, Channels& out) {
  const int columns = static_cast<int>(names.size());
  out.push_back({std::move(path), columns, std::move(units), std::move(names), true, false, std::move(get)});
}

// ---- the table ---------------------------------------------------------------------------------------

void add_state(const Model& model, Channels& out) {
  Texts q, v;
  const auto append = [](Texts& to, const Texts& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (int i = 1; i < model.body_count(); ++i) {
    append(q, position_units(model.joints[i].kind));
    append(v, speed_units(model.joints[i].kind));
    q.insert(q.end(), model.body(i).modes, kModal);
    v.insert(v.end(), model.body(i).modes, kModalRate);
  }
  for (std::size_t k = q.size(); k < model.coordinates.size(); ++k) q.emplace_back("rad");  // motors
  for (std::size_t k = v.size(); k < model.speeds.size(); ++k) v.emplace_back("rad/s");
  add_named(
      "q", model.coordinates, q, [](const Record& r, double* to) { put(to, r.motion.x.q); }, out);
  add_named(
      "v", model.speeds, v, [](const Record& r, double* to) { put(to, r.motion.x.v); }, out);
}

// Names and values of a part of the state.
void add_part(const std::string& path, const Texts& names, bool speeds, int first, const Texts& units, Channels& out) {
  const int count = static_cast<int>(units.size());
  if (count == 0) return;
  const auto get = [=](const Record& r, double* to) {
    put(to, (speeds ? r.motion.x.v : r.motion.x.q).segment(first, count));
  };
  add_named(path, {names.begin() + first, names.begin() + first + count}, units, get, out);
}

void add_parts(const Model& model, Channels& out) {
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    const std::string at = "joints/" + joint.name, body = "bodies/" + model.body_names[i];
    const ModeRange own = modes_of(model, i);
    const auto modes = static_cast<std::size_t>(own.count);
    add_part(at + "/position", model.coordinates, false, joint.q, position_units(joint.kind), out);
    add_part(at + "/velocity", model.speeds, true, joint.v, speed_units(joint.kind), out);
    if (const MotorIndex motor = motor_index(model, i); motor.v >= 0) {
      add_part(at + ".motor/position", model.coordinates, false, motor.q, {"rad"}, out);
      add_part(at + ".motor/velocity", model.speeds, true, motor.v, {"rad/s"}, out);
    }
    if (!leads_segments(model, i)) continue;
    add_part(body + "/modes", model.coordinates, false, own.q, Texts(modes, kModal), out);
    add_part(body + "/mode_rates", model.speeds, true, own.v, Texts(modes, kModalRate), out);
  }
}

// Relative to the undeformed position of the node, in the body frame.
Vector3d deflection(const Model& model, const Kinematics& kin, NodeRef node, const UndeformedPlace& place) {
  if (node.node == kBodyFrame || model.body(node.body).modes == 0) return Vector3d::Zero();
  return (inverse(body_pose(kin, place.body)) * node_pose(model, kin, node)).p - place.position;
}

void add_node(const Model& model, NodeRef node, Channels& out) {
  const Model* m = &model;
  const auto position = [=](const Record& r, double* to) { put(to, node_pose(*m, r.kin, node).p); };
  const auto rotation = [=](const Record& r, double* to) {
    const Matrix3d rows = node_pose(*m, r.kin, node).R.transpose();  // rows of the transpose
    std::copy_n(rows.data(), 9, to);
  };
  const UndeformedPlace place = undeformed_place(model, node);
  const auto deflected = [=](const Record& r, double* to) { put(to, deflection(*m, r.kin, node, place)); };
  add_axes(node_channel(model, node, "position"), 3, {"m"}, position, out);
  add_axes(node_channel(model, node, "rotation"), 9, {"1"}, rotation, out);
  add_axes(node_channel(model, node, "deflection"), 3, {"m"}, deflected, out);
}

// Deformation and torque of the transmission between a motor and its joint.
void add_motor(const Model& model, int i, Channels& out) {
  const Joint& joint = model.joints[i];
  const MotorIndex motor = motor_index(model, i);
  if (motor.v < 0) return;
  const Link* link = &model.layout->links[i];
  const auto torque = [=](const Record& r, double* to) { *to = r.torques[motor.v]; };
  const auto passed = [=](const Record& r, double* to) {
    *to = link->motor.torque(&r.motion.x.q[link->q], &r.motion.x.v[link->v]);
  };
  add_axes("joints/" + joint.name + ".motor/torque", 1, {"N m"}, torque, out);
  add_axes("joints/" + joint.name + "/transmission", 1, shared(force_units(joint.kind)), passed, out);
}

// Current and voltage of its motor, force of its brake, loss of its gear.
void add_drive(const Model& model, int i, Channels& out) {
  const Joint& joint = model.joints[i];
  if (!joint.drive) return;
  const Drive& drive = *joint.drive;
  const MotorIndex motor = motor_index(model, i);
  const bool elastic = motor.v >= 0;
  const std::string path = "joints/" + joint.name;
  const Texts units = shared(force_units(joint.kind));
  const int v = elastic ? motor.v : joint.v;
  if (drive.motor && drive.motor->torque_constant > 0) {
    const Motor of = *drive.motor;
    const double turns = elastic ? 1 : drive.ratio;
    const auto current = [=](const Record& r) { return r.torques[v] / turns / of.torque_constant; };
    add_axes(
        path + ".motor/current", 1, {"A"}, [=](const Record& r, double* to) { *to = current(r); }, out);
    const auto voltage = [=](const Record& r, double* to) {
      *to = of.resistance * current(r) + of.back_emf * turns * r.motion.x.v[v];
    };
    if (of.resistance > 0) add_axes(path + ".motor/voltage", 1, {"V"}, voltage, out);
  }
  const int nv = model.nv, bodies = model.body_count();
  const auto brake = [=](const Record& r, double* to) { *to = r.friction[nv + i]; };
  if (drive.brake && elastic && !drive.brake->at_joint) {
    add_axes(path + ".motor/brake", 1, {"N m"}, brake, out);
  } else if (drive.brake) {
    add_axes(path + "/brake", 1, units, brake, out);
  }
  const auto gear = [=](const Record& r, double* to) { *to = r.friction[nv + bodies + i]; };
  if (drive.efficiency < 1) add_axes(path + "/gear", 1, units, gear, out);
}

void add_joint(const Joint& joint, Channels& out) {
  const int v = joint.v, count = speed_count(joint.kind);
  const Texts units = shared(force_units(joint.kind));
  const auto torque = [=](const Record& r, double* to) { put(to, r.torques.segment(v, count)); };
  const auto stop = [=](const Record& r, double* to) { *to = r.stops[v]; };
  if (count > 0) add_axes("joints/" + joint.name + "/torque", count, units, torque, out);
  const auto friction = [=](const Record& r, double* to) { *to = r.friction[v]; };
  if (joint.friction && joint.friction->dry()) add_axes("joints/" + joint.name + "/friction", 1, units, friction, out);
  if (joint.stop) add_axes("joints/" + joint.name + "/stop", 1, units, stop, out);
}

void add_closure(const Closure& closure, Eigen::Index k, Channels& out) {
  const auto force = [=](const Record& r, double* to) { put(to, r.closure_forces.segment<6>(6 * k)); };
  const auto error = [=](const Record& r, double* to) { *to = r.closure_errors[k]; };
  add_axes("closures/" + closure.name + "/force", 6, {"N m", "N m", "N m", "N", "N", "N"}, force, out);
  add_scalar("closures/" + closure.name + "/error", "m or rad", error, out);
}

// In the order of System::element_values: lengths, then bushings, then contacts.
void add_elements(const Model& model, Channels& out) {
  Eigen::Index next = 0;
  const auto add = [&](const std::string& path, int columns, Texts units) {
    const auto get = [at = next, columns](const Record& r, double* to) { put(to, r.elements.segment(at, columns)); };
    if (columns == 1) {
      add_scalar(path, units[0].c_str(), get, out);
    } else {
      add_axes(path, columns, std::move(units), get, out);
    }
    next += columns;
  };
  const Texts turns = {"rad", "rad", "rad", "m", "m", "m"}, wrench = {"N m", "N m", "N m", "N", "N", "N"};
  const std::vector<ForceElement> none;
  const auto& list = model.elements ? model.elements->list : none;
  for (const ForceElement& e : list) {
    if (e.kind == ForceElement::Kind::bushing) continue;
    const std::string path = "elements/" + e.name;
    const JointKind joint = e.joint >= 0 ? model.joints[e.joint].kind : JointKind::prismatic;
    add(path + "/length", 1, position_units(joint));
    add(path + "/rate", 1, speed_units(joint));
    add(path + (e.kind == ForceElement::Kind::rope ? "/tension" : "/force"), 1, force_units(joint));
  }
  for (const ForceElement& e : list) {
    if (e.kind != ForceElement::Kind::bushing) continue;
    add("elements/" + e.name + "/displacement", 6, turns);
    add("elements/" + e.name + "/force", 6, wrench);
  }
  if (!model.contacts) return;
  for (const Contact& c : model.contacts->list) {
    const std::string path = "contacts/" + c.name;
    add(path + "/depth", 1, {"m"});
    add(path + "/normal", 1, {"N"});
    add(path + "/force", 3, {"N"});
    add(path + "/point", 3, {"m"});
  }
}

void add_energies(Channels& out) {
  using Value = double (*)(const Record&);
  const std::pair<const char*, Value> energies[] = {
      {"energy/kinetic", [](const Record& r) { return r.energy.kinetic; }},
      {"energy/elastic", [](const Record& r) { return r.energy.elastic; }},
      {"energy/gravity", [](const Record& r) { return r.energy.gravity; }},
      {"energy/springs", [](const Record& r) { return r.energy.springs; }},
      {"energy/work", [](const Record& r) { return r.motion.work; }},
      {"energy/dissipated", [](const Record& r) { return r.motion.dissipated; }},
      {"energy/balance", [](const Record& r) { return r.balance; }},
  };
  for (const auto& [path, value] : energies)
    add_scalar(
        path, "J", [value = value](const Record& r, double* to) { *to = value(r); }, out);
  const auto linear = [](const Record& r, double* to) { put(to, r.momentum.linear); };
  const auto angular = [](const Record& r, double* to) { put(to, r.momentum.angular); };
  add_axes("momentum/linear", 3, {"kg m/s"}, linear, out);
  add_axes("momentum/angular", 3, {"kg m^2/s"}, angular, out);
}

}  // namespace

std::vector<Channel> make_channels(const Model& model, const ChannelOptions& options) {
  Channels out;
  add_scalar(
      "time", "s", [](const Record& r, double* to) { *to = r.motion.x.t; }, out);
  add_state(model, out);
  if (options.parts) add_parts(model, out);
  for (const NodeRef node : options.nodes) add_node(model, node, out);
  for (int i = 1; i < model.body_count(); ++i) {
    add_joint(model.joints[i], out);
    add_motor(model, i, out);
    add_drive(model, i, out);
  }
  for (std::size_t k = 0; k < model.closures.size(); ++k)
    add_closure(model.closures[k], static_cast<Eigen::Index>(k), out);
  add_elements(model, out);
  if (options.energy) add_energies(out);
  for (const ExternalChannel& e : options.external) {
    const auto get = [values = e.values](const Record&, double* to) { put(to, *values); };
    add_named(e.path, e.names, e.units, get, out);
  }
  return out;
}

const Channel* find_channel(std::span<const Channel> channels, std::string_view path) {
  const auto at = std::find_if(channels.begin(), channels.end(), [&](const Channel& c) { return c.path == path; });
  return at == channels.end() ? nullptr : &*at;
}

int total_columns(std::span<const Channel> channels) {
  int out = 0;
  for (const Channel& channel : channels) out += channel.columns;
  return out;
}

void fill_row(std::span<const Channel> channels, const Record& record, double* row) {
  for (const Channel& channel : channels) {
    channel.get(record, row);
    row += channel.columns;
  }
}

std::string node_channel(const Model& model, NodeRef node, std::string_view quantity) {
  std::string out = "nodes/" + (node.body == kGround ? "world" : model.body_names[node.body]);
  if (node.node != kBodyFrame) out += "." + model.body(node.body).nodes[node.node].name;
  return out.append("/").append(quantity);
}

std::string axis_name(std::string_view path, int columns, int column) {
  static constexpr const char* kAxes[] = {"x", "y", "z"};
  static constexpr const char* kWrench[] = {"torque x", "torque y", "torque z", "force x", "force y", "force z"};
  static constexpr std::string_view kInSpace[] = {"nodes/",    "momentum/", "joints/",
                                                  "closures/", "elements/", "contacts/"};
  if (columns == 1) return "";
  const bool in_space = std::any_of(std::begin(kInSpace), std::end(kInSpace),
                                    [&](std::string_view start) { return path.starts_with(start); });
  if (in_space && columns == 3) return kAxes[column];
  if (in_space && columns == 6) return kWrench[column];
  return std::to_string(column + 1);
}

}  // namespace limber
