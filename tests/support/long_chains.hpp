// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "limber/model/model.hpp"

// Chains for which devices have special kernels.
namespace limber::test {

// Links on revolute joints, at the node or beside it; every third is rigid if `mixed`; a load fixed to the last.
inline Model long_chain(int links, const std::array<int, 4>& modes, bool beside, bool mixed) {
  BeamSpec beam;
  beam.length = 0.8, beam.mass_per_length = 2, beam.EIy = 800, beam.EIz = 500, beam.GJ = 600;
  beam.rotary_inertia_y = 1e-3, beam.rotary_inertia_z = 2e-3, beam.modes = modes, beam.damping = {0.01};
  RigidSpec spec;
  spec.mass = 1.5, spec.com = {0.3, 0.02, -0.01}, spec.inertia = Vector3d(0.05, 0.1, 0.12).asDiagonal();
  const bool flexible = modes[0] + modes[1] > 0;
  ModelBuilder builder("chain");
  builder.gravity({0.3, -2, -9.81});
  std::string parent = "world";
  for (int i = 1; i <= links; ++i) {
    const bool rigid = !flexible || (mixed && i % 3 == 0);
    Body body = rigid ? make_rigid_body(spec) : make_beam_body(beam, false);
    body.name = "link" + std::to_string(i);
    builder.add_body(body);
    Joint joint;
    joint.name = "joint" + std::to_string(i);
    joint.kind = JointKind::revolute;
    joint.axis = Vector3d(0.1 * (i % 7), 1, i % 2).normalized();
    if (beside || rigid || i % 3 == 1) joint.origin.p = Vector3d(0.1, -0.05 * (i % 3), 0.02);
    joint.armature = VectorXd::Constant(1, i % 2 == 0 ? 0.05 : 0.0);
    joint.damping = VectorXd::Constant(1, 0.2), joint.stiffness = VectorXd::Constant(1, i % 4 == 0 ? 3.0 : 0.0);
    builder.add_joint(joint, parent, body.name);
    parent = rigid ? body.name : body.name + ".tip";
  }
  Body load = make_rigid_body(spec);
  load.name = "load";
  builder.add_body(load);
  Joint grip;
  grip.name = "grip";
  grip.kind = JointKind::fixed;
  grip.origin.p = {0.05, 0, 0};
  builder.add_joint(grip, parent, "load");
  return builder.build();
}

}  // namespace limber::test
