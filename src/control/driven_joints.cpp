// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/driven_joints.hpp"

#include <algorithm>

#include "limber/spatial/status.hpp"

namespace limber {
namespace {

bool can_be_driven(JointKind kind) {
  return kind == JointKind::revolute || kind == JointKind::prismatic || kind == JointKind::cylindrical ||
         kind == JointKind::universal;
}

void add(const Model& model, int body, DrivenJoints& out) {
  const Joint& joint = model.joints[body];
  out.joints.push_back(body);
  out.held[body] = 1;
  for (int k = 0; k < speed_count(joint.kind); ++k) {
    out.q.push_back(joint.q + k);
    out.v.push_back(joint.v + k);
    out.names.push_back(model.speeds[joint.v + k]);
  }
}

}  // namespace

DrivenJoints find_hinges(const Model& model, const std::vector<std::string>& joints) {
  DrivenJoints out;
  out.held.assign(model.bodies.size(), 0);
  for (int i = 1; joints.empty() && i < model.body_count(); ++i) {
    if (can_be_driven(model.joints[i].kind)) add(model, i, out);
  }
  for (const std::string& name : joints) {
    const int body = model.find_joint(name);
    if (body < 0) throw InputError("model '" + model.name + "' has no joint '" + name + "'");
    if (out.held[body] != 0) throw InputError("joint '" + name + "' stands twice");
    if (const JointKind kind = model.joints[body].kind; !can_be_driven(kind)) {
      throw InputError("joint '" + name + "' is " + to_string(kind) +
                       "; a controller drives revolute, prismatic, cylindrical and universal joints");
    }
    add(model, body, out);
  }
  if (out.size() == 0) throw InputError("model '" + model.name + "' has no joint that a controller can drive");
  return out;
}

}  // namespace limber
