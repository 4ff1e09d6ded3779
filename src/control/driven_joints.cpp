// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/driven_joints.hpp"

#include <algorithm>

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

std::vector<std::string> units_of(const Model& model, const DrivenJoints& joints,
                                  std::vector<std::string> (*units)(JointKind)) {
  std::vector<std::string> out;
  for (const int joint : joints.joints) {
    const std::vector<std::string> own = units(model.joints[joint].kind);
    out.insert(out.end(), own.begin(), own.end());
  }
  return out;
}

}  // namespace limber
