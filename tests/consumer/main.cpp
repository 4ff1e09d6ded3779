// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A user of an installed limber, compiled without limber's own flags: a pendulum that is let go while it lies level.
#include <cmath>
#include <cstdio>

#include "limber/dynamics/forward.hpp"

int main() {
  const double mass = 3, length = 0.5, inertia = 0.2, g = 9.81;
  limber::RigidSpec spec;
  spec.mass = mass;
  spec.com = {length, 0, 0};
  spec.inertia = limber::Vector3(0.1, inertia, inertia).asDiagonal();
  limber::Body body = limber::make_rigid_body(spec);
  body.name = "pendulum";

  limber::ModelBuilder builder("consumer");
  builder.gravity({0, -g, 0});
  limber::Joint joint;
  joint.name = "pivot";
  joint.kind = limber::JointKind::revolute;
  builder.add_joint(joint, builder.add_body(body));
  const limber::Model model = builder.build();

  const limber::State x = limber::make_zero_state(model);
  const limber::VectorX tau = limber::VectorX::Zero(model.nv);
  limber::VectorX vdot(model.nv);
  const auto dynamics = limber::make_forward_dynamics(model, "aba");
  const limber::Status status = (*dynamics)(x, {tau, {}}, vdot);

  const double expected = -mass * g * length / (inertia + mass * length * length);
  std::printf("%s: acceleration %.17g, expected %.17g\n", limber::to_string(status), vdot[0], expected);
  return status == limber::Status::ok && std::abs(vdot[0] - expected) < 1e-12 ? 0 : 1;
}
