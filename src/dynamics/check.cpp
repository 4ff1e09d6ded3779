// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/check.hpp"

#include <cmath>

#include "limber/dynamics/detail/aba.hpp"

namespace limber {
namespace {

// Some configuration, the same one on every machine; modes undeformed.
State some_state(const Model& model, int k) {
  State x = make_zero_state(model);
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    const int count = position_count(joint.kind);
    for (int j = 0; j < count; ++j) x.q[joint.q + j] = std::sin(1.0 + 1.7 * (joint.q + j) + 2.3 * k);
    if (count != speed_count(joint.kind)) x.q.segment<4>(joint.q).normalize();
  }
  return x;
}

// "joint 'elbow': " or "body 'boom': ", whose coordinate it is.
std::string owner(const Model& model, int speed) {
  for (int i = model.body_count() - 1; i > 0; --i) {
    if (speed >= model.first_mode(i)) return "body '" + model.body_names[i] + "': ";
    if (speed >= model.joints[i].v) return "joint '" + model.joints[i].name + "': ";
  }
  return "";
}

}  // namespace

void check_inertia(const Model& model) {
  constexpr int kTries = 3;
  AbaData ws(model);
  VectorXd none = VectorXd::Zero(model.nv), out(model.nv);
  int failure = -1;
  for (int k = 0; k <= kTries; ++k) {
    if (solve_mass(model, k == 0 ? make_zero_state(model) : some_state(model, k), none, ws, out) == Status::ok) return;
    failure = ws.failure;
  }
  throw InputError(owner(model, failure) + "coordinate '" + (failure < 0 ? "?" : model.speeds[failure]) +
                   "' has no inertia in any configuration, so that the mass matrix is singular; give mass or rotary "
                   "inertia to what it moves, an armature to its joint, or make the joint fixed");
}

}  // namespace limber
