// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/body/body.hpp"
#include "limber/model/model.hpp"

namespace limber::test {

inline constexpr double kBent = 0.3;  // rad, of each joint

// An arm of equal links in the plane, 1 m, 2 kg and 200 N m^2 each, with bending modes of 1 % damping.
inline Model make_chain_arm(int links, int modes, double joint_damping) {
  ModelBuilder builder("chain");
  NodeRef at;
  for (int i = 0; i < links; ++i) {
    BeamSpec beam;
    beam.length = 1;
    beam.mass_per_length = 2;
    beam.EIz = 200;
    beam.modes = {modes, 0, 0, 0};
    beam.damping = {0.01};
    Body body = make_beam_body(beam, false);
    body.name = "link" + std::to_string(i + 1);
    const int tip = body.node_index("tip");
    const int child = builder.add_body(std::move(body));
    Joint joint;
    joint.name = "joint" + std::to_string(i + 1);
    joint.kind = JointKind::revolute;
    joint.parent = at;
    joint.stiffness = joint.armature = VectorXd::Zero(1);
    joint.damping = VectorXd::Constant(1, joint_damping);
    builder.add_joint(joint, child);
    at = {child, tip};
  }
  return builder.build();
}

inline State bent_chain(const Model& model) {
  State x = make_zero_state(model);
  for (int i = 1; i < model.body_count(); ++i) x.q[model.joints[i].q] = kBent;
  return x;
}

}  // namespace limber::test
