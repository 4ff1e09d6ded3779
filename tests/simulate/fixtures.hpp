// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "limber/simulate/simulate.hpp"
#include "support/close.hpp"

namespace limber::test {

inline BeamSpec beam(double length, double stiffness, std::array<int, 4> modes, double damping = 0) {
  BeamSpec spec;
  spec.length = length;
  spec.mass_per_length = 2;
  spec.EIy = spec.EIz = stiffness;
  spec.EA = 1e3 * stiffness;
  spec.GJ = stiffness;
  spec.rotary_inertia_y = spec.rotary_inertia_z = 0.02;
  spec.modes = modes;
  spec.damping = {damping};
  return spec;
}

inline Body named(Body body, const char* name) {
  body.name = name;
  return body;
}

inline Joint joint(const char* name, JointKind kind, int parent, int node, const Vector3d& axis = Vector3d::UnitZ()) {
  Joint out;
  out.name = name;
  out.kind = kind;
  out.axis = axis;
  out.parent = {parent, node};
  const int n = speed_count(kind);
  out.stiffness = out.damping = out.armature = VectorXd::Zero(n);
  return out;
}

struct TreeSpec {
  double stiffness = 40;  // EI
  double damping = 0;     // ratio
  Fidelity fidelity = Fidelity::full;
  Vector3d gravity = Vector3d::Zero();
  JointKind base = JointKind::free;
  std::array<int, 4> modes{1, 1, 0, 0};
};

// A hub, a boom on a revolute joint, a mast on a spherical joint at its tip, and a rigid load on a universal joint.
inline Model make_tree(const TreeSpec& spec = {}) {
  ModelBuilder builder("tree");
  builder.gravity(spec.gravity).fidelity(spec.fidelity);
  const bool second = spec.fidelity == Fidelity::stiffened;
  RigidSpec hub;
  hub.mass = 5;
  hub.com = {0.1, 0, 0.05};
  hub.inertia = Vector3d(0.8, 1.0, 1.2).asDiagonal();
  RigidSpec load;
  load.mass = 1;
  load.com = {0, 0.2, 0.1};
  load.inertia = Vector3d(0.1, 0.15, 0.2).asDiagonal();
  const int a = builder.add_body(named(make_rigid_body(hub), "hub"));
  const int b =
      builder.add_body(named(make_beam_body(beam(1.5, spec.stiffness, spec.modes, spec.damping), second), "boom"));
  const int c =
      builder.add_body(named(make_beam_body(beam(1, spec.stiffness, spec.modes, spec.damping), second), "mast"));
  const int d = builder.add_body(named(make_rigid_body(load), "load"));
  const int tip = 1;  // nodes root, tip
  builder.add_joint(joint("base", spec.base, kGround, kBodyFrame), a);
  builder.add_joint(joint("hinge", JointKind::revolute, a, kBodyFrame, Vector3d(0, 0.6, 0.8)), b);
  builder.add_joint(joint("ball", JointKind::spherical, b, tip), c);
  Joint cross = joint("cross", JointKind::universal, c, tip, Vector3d::UnitY());
  cross.axis2 = Vector3d::UnitZ();
  builder.add_joint(cross, d);
  return builder.build();
}

// Rotating and deflected.
inline State make_state(const Model& model, double speed = 1) {
  State x = make_zero_state(model);
  for (int k = 0; k < model.nv; ++k) x.v[k] = speed * std::sin(1 + 2.3 * k);
  for (int i = 1; i < model.body_count(); ++i) {
    for (int k = 0; k < model.body(i).modes; ++k) x.q[model.first_mode_q(i) + k] = 0.05 * std::cos(1.0 + k + i);
    if (model.joints[i].kind == JointKind::revolute) x.q[model.joints[i].q] = 0.4;
    if (model.joints[i].kind == JointKind::universal) x.q[model.joints[i].q] = -0.7;
  }
  return x;
}

// Stores the records.
struct Kept : RunListener {
  std::vector<double> t, balance, kinetic, potential, work, dissipated;
  std::vector<VectorXd> q, v, torque, stop;
  std::vector<Momentum> momentum;
  std::vector<double> steps, closure_error;
  void record(const Record& r) override {
    t.push_back(r.motion.x.t);
    q.push_back(r.motion.x.q);
    v.push_back(r.motion.x.v);
    torque.push_back(r.torques);
    stop.push_back(r.stops);
    balance.push_back(r.balance);
    kinetic.push_back(r.energy.kinetic);
    potential.push_back(r.energy.potential());
    work.push_back(r.motion.work);
    dissipated.push_back(r.motion.dissipated);
    momentum.push_back(r.momentum);
    for (const double e : r.closure_errors) closure_error.push_back(e);
  }
  bool go_on(double time, const StepCounts&) override {
    steps.push_back(time);
    return true;
  }
};

struct Outcome {
  Kept seen;
  RunResult result;
};

inline Outcome run(const Model& model, const Inputs& inputs, const SolverOptions& solver, const State& start,
                   double duration, double every = 0) {
  System system(model, inputs, solver.algorithm);
  Outcome out;
  out.result = simulate(system, solver, {duration, every > 0 ? every : duration}, start, out.seen);
  EXPECT_EQ(out.result.status, Status::ok) << out.result.failure;
  return out;
}

inline SolverOptions tight() {
  SolverOptions o;
  o.method = "dopri5";
  o.rtol = 1e-12;
  o.atol = 1e-13;
  return o;
}

inline SolverOptions fixed(const char* method, double step) {
  SolverOptions o;
  o.method = method;
  o.step = step;
  return o;
}

// Distance of two states, invariant to the sign of quaternions.
inline double distance(const Model& model, const VectorXd& a, const VectorXd& b) {
  VectorXd difference = a - b;
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& at = model.joints[i];
    if (position_count(at.kind) == speed_count(at.kind)) continue;
    if (a.segment<4>(at.q).dot(b.segment<4>(at.q)) < 0)
      difference.segment<4>(at.q) = a.segment<4>(at.q) + b.segment<4>(at.q);
  }
  return difference.norm();
}

}  // namespace limber::test
