// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/driven_joints.hpp"

#include <algorithm>

#include "limber/model/elements.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

bool can_be_driven(JointKind kind) { return joint_traits(kind).driven; }

// "revolute, prismatic, cylindrical and universal"
std::string driven_kinds() {
  std::vector<std::string> names;
  for (const JointKind kind : joint_kinds()) {
    if (can_be_driven(kind)) names.emplace_back(to_string(kind));
  }
  std::string out = names[0];
  for (std::size_t i = 1; i < names.size(); ++i) out += (i + 1 < names.size() ? ", " : " and ") + names[i];
  return out;
}

void add(const Model& model, int body, DrivenJoints& out) {
  const Joint& joint = model.joints[body];
  out.joints.push_back(body);
  out.mask[body] = 1;
  for (int k = 0; k < speed_count(joint.kind); ++k) {
    out.q.push_back(joint.q + k);
    out.v.push_back(joint.v + k);
    out.names.push_back(model.speeds[joint.v + k]);
  }
}

}  // namespace

DrivenJoints find_driven_joints(const Model& model, const std::vector<std::string>& joints) {
  DrivenJoints out;
  out.mask.assign(model.bodies.size(), 0);
  for (int i = 1; joints.empty() && i < model.body_count(); ++i) {
    if (can_be_driven(model.joints[i].kind)) add(model, i, out);
  }
  for (const std::string& name : joints) {
    const int body = model.find_joint(name);
    if (body < 0) throw InputError("model '" + model.name + "' has no joint '" + name + "'");
    if (out.mask[body] != 0) throw InputError("duplicate joint '" + name + "'; remove one");
    if (const JointKind kind = model.joints[body].kind; !can_be_driven(kind)) {
      throw InputError("joint '" + name + "' is " + to_string(kind) + "; a controller drives " + driven_kinds() +
                       " joints");
    }
    add(model, body, out);
  }
  if (out.size() == 0) throw InputError("model '" + model.name + "' has no joint that a controller can drive");
  return out;
}

void set_actuators(const Model& model, const std::vector<std::pair<std::string, std::string>>& actuators,
                   DrivenJoints& driven) {
  driven.actuators.assign(driven.v.size(), -1);
  for (const auto& [joint_name, name] : actuators) {
    const int joint = model.find_joint(joint_name);
    const auto at = std::find(driven.joints.begin(), driven.joints.end(), joint);
    if (joint < 0 || at == driven.joints.end())
      throw InputError("joint '" + joint_name + "' is not among the controlled joints; add it to them");
    if (speed_count(model.joints[joint].kind) != 1)
      throw InputError("joint '" + joint_name + "' has several coordinates; an actuator moves one");
    int element = -1;
    for (std::size_t i = 0; model.elements && i < model.elements->list.size(); ++i) {
      if (model.elements->list[i].name == name) element = static_cast<int>(i);
    }
    if (element < 0) throw InputError("model '" + model.name + "' has no element '" + name + "'");
    if (model.elements->list[static_cast<std::size_t>(element)].kind != ForceElement::Kind::actuator)
      throw InputError("element '" + name + "' takes no commands; give it the kind actuator");
    if (std::find(driven.actuators.begin(), driven.actuators.end(), element) != driven.actuators.end())
      throw InputError("actuator '" + name + "' moves two joints; give each its own");
    const auto k = std::find(driven.v.begin(), driven.v.end(), model.joints[joint].v) - driven.v.begin();
    if (driven.actuator(static_cast<int>(k)) >= 0)
      throw InputError("joint '" + joint_name + "' has two actuators; write one");
    driven.actuators[static_cast<std::size_t>(k)] = element;
  }
}

DrivenJoints find_same_joints(const Model& from, const DrivenJoints& driven, const Model& to) {
  std::vector<std::string> names;
  for (const int joint : driven.joints) names.push_back(from.joints[joint].name);
  DrivenJoints out = find_driven_joints(to, names);
  std::vector<std::pair<std::string, std::string>> actuators;
  int k = 0;
  for (const int joint : driven.joints) {
    if (driven.actuator(k) >= 0)
      actuators.emplace_back(from.joints[joint].name,
                             from.elements->list[static_cast<std::size_t>(driven.actuator(k))].name);
    k += speed_count(from.joints[joint].kind);
  }
  if (!actuators.empty()) set_actuators(to, actuators, out);
  return out;
}

std::vector<std::string> units_of(const Model& model, const DrivenJoints& joints,
                                  std::vector<std::string> (*units)(JointKind)) {
  std::vector<std::string> out;
  for (const int joint : joints.joints) {
    const std::vector<std::string> own = units(model.joints[joint].kind);
    out.insert(out.end(), own.begin(), own.end());
  }
  return out;
}

std::vector<std::string> input_units(const Model& model, const DrivenJoints& joints) {
  std::vector<std::string> out = units_of(model, joints, force_units);
  for (int k = 0; k < joints.size(); ++k) {
    const int element = joints.actuator(k);
    if (element < 0) continue;
    const int on = model.elements->list[static_cast<std::size_t>(element)].joint;
    out[static_cast<std::size_t>(k)] = on < 0 ? "N" : force_units(model.joints[on].kind)[0];
  }
  return out;
}

}  // namespace limber
