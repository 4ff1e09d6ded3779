// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/recording_series.hpp"

#include <algorithm>

namespace limber {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kModal = "modal";  // whatever the shapes of the body make of it

bool is_slide(JointKind kind, int speed) {
  const bool last = kind == JointKind::cylindrical && speed == 1;
  const bool travel = kind == JointKind::free && speed >= 3;
  return kind == JointKind::prismatic || last || travel;
}

Texts speed_units(JointKind kind, const char* turn, const char* slide) {
  Texts out;
  for (int k = 0; k < speed_count(kind); ++k) out.emplace_back(is_slide(kind, k) ? slide : turn);
  return out;
}

Texts position_units(JointKind kind) {
  if (kind == JointKind::spherical) return {"1", "1", "1", "1"};
  if (kind == JointKind::free) return {"1", "1", "1", "1", "m", "m", "m"};
  return speed_units(kind, "rad", "m");
}

Series coordinates(const Model& model) {
  Series out{"q", true, model.nq, {}, model.coordinates};
  for (int i = 1; i < model.body_count(); ++i) {
    const Texts joint = position_units(model.joints[i].kind);
    out.units.insert(out.units.end(), joint.begin(), joint.end());
    out.units.insert(out.units.end(), model.body(i).modes, kModal);
  }
  return out;
}

Series speeds(const Model& model) {
  Series out{"v", true, model.nv, {}, model.speeds};
  for (int i = 1; i < model.body_count(); ++i) {
    const Texts joint = speed_units(model.joints[i].kind, "rad/s", "m/s");
    out.units.insert(out.units.end(), joint.begin(), joint.end());
    out.units.insert(out.units.end(), model.body(i).modes, std::string(kModal) + "/s");
  }
  return out;
}

std::string node_path(const Model& model, NodeRef node) {
  const std::string body = node.body == kGround ? "world" : model.body_names[node.body];
  return "nodes/" + (node.node == kBodyFrame ? body : body + "." + model.body(node.body).nodes[node.node].name) + "/";
}

// One word when all columns share it.
Texts force_units(JointKind kind) {
  Texts out = speed_units(kind, "N m", "N");
  if (std::all_of(out.begin(), out.end(), [&](const std::string& unit) { return unit == out[0]; })) out.resize(1);
  return out;
}

}  // namespace

std::vector<Series> make_series(const Model& model, const RecordingOptions& options) {
  std::vector<Series> out = {coordinates(model), speeds(model)};
  for (const NodeRef node : options.nodes) {
    const std::string path = node_path(model, node);
    out.push_back({path + "position", true, 3, {"m"}, {}});
    out.push_back({path + "rotation", true, 9, {"1"}, {}});
    out.push_back({path + "deflection", true, 3, {"m"}, {}});
  }
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    const int count = speed_count(joint.kind);
    if (count > 0) out.push_back({"joints/" + joint.name + "/torque", true, count, force_units(joint.kind), {}});
    if (joint.stop) out.push_back({"joints/" + joint.name + "/stop", true, 1, force_units(joint.kind), {}});
  }
  for (const Closure& closure : model.closures) {
    out.push_back({"closures/" + closure.name + "/force", true, 6, {"N m", "N m", "N m", "N", "N", "N"}, {}});
    out.push_back({"closures/" + closure.name + "/error", false, 1, {"m or rad"}, {}});
  }
  if (options.energy) {
    for (const char* name : {"kinetic", "elastic", "gravity", "springs", "work", "dissipated", "balance"})
      out.push_back({std::string("energy/") + name, false, 1, {"J"}, {}});
    out.push_back({"momentum/linear", true, 3, {"kg m/s"}, {}});
    out.push_back({"momentum/angular", true, 3, {"kg m^2/s"}, {}});
  }
  for (const ControlChannel& channel : options.channels) {
    out.push_back({channel.path, true, static_cast<int>(channel.names.size()), channel.units, channel.names});
  }
  out.push_back({"time", false, 1, {"s"}, {}});
  return out;
}

void fill_row(const Model& model, const RecordingOptions& options, const Record& record, double* row,
              LargestDeflection& largest) {
  const auto put = [&row](const auto& values) { row = std::copy_n(values.data(), values.size(), row); };
  const State& x = record.motion.x;
  put(x.q);
  put(x.v);
  for (const NodeRef node : options.nodes) {
    const Pose pose = node_pose(model, record.kin, node);
    const Body& body = model.body(node.body);
    Vector3 deflection = Vector3::Zero();
    if (node.node != kBodyFrame && body.modes > 0)
      deflection = (inverse(record.kin.world[node.body]) * pose).p - body.nodes[node.node].position;
    put(pose.p);
    put(Matrix3(pose.R.transpose()));  // columns of the transpose: rows
    put(deflection);
    if (deflection.norm() > largest.value) largest = {deflection.norm(), x.t, node};
  }
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    row = std::copy_n(record.torques.data() + joint.v, speed_count(joint.kind), row);
    if (joint.stop) *row++ = record.stops[joint.v];
  }
  for (std::size_t k = 0; k < model.closures.size(); ++k) {
    row = std::copy_n(record.closure_forces.data() + 6 * k, 6, row);
    *row++ = record.closure_errors[static_cast<Eigen::Index>(k)];
  }
  if (options.energy) {
    const Energy& e = record.energy;
    for (const double value :
         {e.kinetic, e.elastic, e.gravity, e.springs, record.motion.work, record.motion.dissipated, record.balance})
      *row++ = value;
    put(record.momentum.linear);
    put(record.momentum.angular);
  }
  for (const ControlChannel& channel : options.channels) put(*channel.values);
  *row = x.t;
}

}  // namespace limber
