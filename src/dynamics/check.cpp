// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/check.hpp"

#include <cmath>
#include <utility>

#include "limber/dynamics/detail/aba.hpp"

namespace limber {
namespace {

// An arbitrary but reproducible configuration, without deformation.
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

// Owner of a coordinate: "joint 'elbow': " or "body 'boom': ".
std::string owner(const Model& model, int speed) {
  for (int i = model.body_count() - 1; i > 0; --i) {
    if (speed >= model.first_mode(i)) return "body '" + model.body_names[i] + "': ";
    if (speed >= model.joints[i].v) return "joint '" + model.joints[i].name + "': ";
  }
  return "";
}

// Returns -1 if the mass matrix is regular in some configuration, otherwise the speed without inertia.
int find_no_inertia(const Model& model) {
  constexpr int kTries = 3;
  AbaData ws(model);
  const VectorXd none = VectorXd::Zero(model.nv);
  VectorXd out(model.nv);
  for (int k = 0; k <= kTries; ++k) {
    if (solve_mass(model, k == 0 ? make_zero_state(model) : some_state(model, k), none, ws, out) == Status::ok)
      return -1;
  }
  return ws.failure;
}

// The same model with all masses scaled to 1, except zero ones.  Speeds without kinetic energy remain, but a body that
// is only light compared with its load has inertia.
Model with_equal_masses(const Model& model) {
  ModelBuilder out(model.name);
  out.fidelity(model.fidelity);
  for (int i = 1; i < model.body_count(); ++i) {
    Body body = model.body(i);
    body.name = model.body_names[i];
    if (const double mass = body.mass; mass > 0) {
      body.mass = 1;
      body.S /= mass;
      for (Matrix3d& c : body.C) c /= mass;
    }
    out.add_joint(model.joints[i], out.add_body(std::move(body)));
  }
  return out.build();
}

}  // namespace

void check_inertia(const Model& model) {
  const int light = find_no_inertia(model);
  if (light < 0) return;
  const int none = find_no_inertia(with_equal_masses(model)), speed = none < 0 ? light : none;
  const std::string what = owner(model, speed) + "coordinate '" + model.speeds[speed] + "' has ";
  if (none < 0) {
    throw InputError(what +
                     "less than 1e-13 of the inertia that moves with it, indistinguishable from rounding; give more "
                     "mass to its body or fewer modes, an armature to its joint, or make the joint fixed");
  }
  throw InputError(what +
                   "no inertia in any configuration, so that the mass matrix is singular; give mass or rotary inertia "
                   "to what it moves, an armature to its joint, or make the joint fixed");
}

}  // namespace limber
