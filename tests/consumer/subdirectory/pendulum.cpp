// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Builds a model: a pendulum with one coordinate.
#include <cstdio>

#include "limber/model/model.hpp"

int main() {
  limber::RigidSpec spec;
  spec.mass = 3;
  spec.com = {0.5, 0, 0};
  spec.inertia = limber::Vector3d(0.1, 0.2, 0.2).asDiagonal();
  limber::Body body = limber::make_rigid_body(spec);
  body.name = "pendulum";
  limber::ModelBuilder builder("pendulum");
  limber::Joint joint;
  joint.name = "pivot";
  joint.kind = limber::JointKind::revolute;
  builder.add_joint(joint, builder.add_body(body));
  const limber::Model model = builder.build();
  std::printf("%d coordinate, %s\n", model.nq, model.coordinates[0].c_str());
  return model.nq == 1 && model.coordinates[0] == "pivot" ? 0 : 1;
}
