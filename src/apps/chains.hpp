// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>

#include "limber/model/model.hpp"

// The models that are timed, for `limber bench` and for bench/.  Header only, to be shared by both.
namespace limber::apps {

// chain: each body on the tip of the previous one.  tree: binary, each body carries two on its tip.
enum class Topology { chain, tree };
inline const char* to_string(Topology topology) { return topology == Topology::chain ? "chain" : "tree"; }

struct ChainSpec {
  Topology topology = Topology::chain;
  int bodies = 10;
  int modes = 0;  // per body: every fifth torsion, the others alternately bending in y and z; 0: rigid
  Fidelity fidelity = Fidelity::full;
  Elimination elimination = Elimination::automatic;
};

// One link of the arm: a tube of 1 m and 2 kg.
inline BeamSpec link_beam(int modes) {
  BeamSpec beam;
  beam.length = 1;
  beam.mass_per_length = 2;
  beam.EIy = beam.EIz = 800;
  beam.GJ = 600;
  beam.rotary_inertia_y = beam.rotary_inertia_z = 1e-3;
  const int torsion = modes / 5, bending = modes - torsion;
  beam.modes = {(bending + 1) / 2, bending / 2, 0, torsion};
  beam.damping = {0.01};
  return beam;
}

// Revolute joints whose axes alternate between z and y.
inline Model make_chain(const ChainSpec& spec) {
  if (spec.bodies < 1 || spec.modes < 0) throw InputError("a chain has 1 body or more, and 0 modes or more per body");
  Body body = make_beam_body(link_beam(spec.modes), spec.fidelity == Fidelity::stiffened);
  const int tip = body.node_index("tip");
  ModelBuilder builder(to_string(spec.topology));
  builder.gravity({0, 0, -9.81}).fidelity(spec.fidelity).elimination(spec.elimination);
  for (int i = 1; i <= spec.bodies; ++i) {
    body.name = "link" + std::to_string(i);
    const int child = builder.add_body(body);
    const int parent = spec.topology == Topology::chain ? i - 1 : i / 2;
    Joint joint;
    joint.name = "joint" + std::to_string(i);
    joint.kind = JointKind::revolute;
    joint.axis = i % 2 == 1 ? Vector3d::UnitZ() : Vector3d::UnitY();
    if (parent > 0) joint.parent = {parent, tip};
    builder.add_joint(std::move(joint), child);
  }
  return builder.build();
}

// A state of a model in motion, with forces and accelerations; deterministic.
struct Sample {
  State x;
  VectorXd tau, vdot;
};
inline Sample make_sample(const Model& model) {
  std::mt19937 random(1);
  const auto between = [&](double least, double most) { return least + (most - least) * random() / 4294967295.0; };
  Sample s{make_zero_state(model), VectorXd::Zero(model.nv), VectorXd::Zero(model.nv)};
  constexpr double kDeflection = 0.01;  // modes are mass-normalised: centimetres at the tip
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    s.x.q[joint.q] = between(-0.5, 0.5);
    s.x.v[joint.v] = between(-1, 1);
    s.tau[joint.v] = between(-5, 5);
    for (int a = 0; a < model.body(i).modes; ++a) {
      s.x.q[model.first_mode_q(i) + a] = kDeflection * between(-1, 1);
      s.x.v[model.first_mode(i) + a] = kDeflection * between(-1, 1);
    }
  }
  for (double& value : s.vdot) value = between(-1, 1);
  return s;
}

}  // namespace limber::apps
