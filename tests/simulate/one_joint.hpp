// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// One body on one joint, with a drive, friction and limits.
#pragma once

#include "fixtures.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/friction.hpp"

namespace limber::test {

struct OneJoint {
  JointKind kind = JointKind::revolute;
  double inertia = 2, stiffness = 0, damping = 0;  // inertia: for a slider, its mass
  double mass = 1;                                 // of a rotating one
  std::optional<Drive> drive;
  std::optional<JointFriction> friction;
  double effort = 0, velocity = 0;
  Vector3d gravity = Vector3d::Zero();
  Matrix3d tilt = Matrix3d::Identity();
  Vector3d com = Vector3d::Zero();
};

inline Model make_one_joint(const OneJoint& with) {
  ModelBuilder builder("one");
  builder.gravity(with.gravity);
  RigidSpec spec;
  spec.mass = with.kind == JointKind::prismatic ? with.inertia : with.mass;
  spec.inertia = with.inertia * Matrix3d::Identity();
  spec.com = with.com;
  const Vector3d axis = with.kind == JointKind::prismatic ? Vector3d::UnitX() : Vector3d::UnitZ();
  Joint one = joint("elbow", with.kind, kGround, kBodyFrame, axis);
  one.origin.R = with.tilt;
  one.stiffness = VectorXd::Constant(1, with.stiffness);
  one.damping = VectorXd::Constant(1, with.damping);
  one.effort_limit = with.effort;
  one.velocity_limit = with.velocity;
  if (with.drive) one.drive = std::make_shared<const Drive>(*with.drive);
  if (with.friction) one.friction = std::make_shared<const JointFriction>(*with.friction);
  builder.add_joint(one, builder.add_body(named(make_rigid_body(spec), "link")));
  return builder.build();
}

inline Drive elastic(double ratio, double inertia, double stiffness, double damping = 0) {
  Drive out;
  out.ratio = ratio;
  out.inertia = inertia;
  out.stiffness = stiffness;
  out.damping = damping;
  return out;
}

inline SolverOptions method(const char* name, double step = 1e-3) {
  SolverOptions out;
  out.method = name;
  out.step = step;
  out.rtol = 1e-10;
  out.atol = 1e-13;
  return out;
}

inline SpeedInput push(int speed, Signal force) { return {speed, std::move(force), "push"}; }

inline double relative_error(const RunResult& result) { return result.energy_error / result.energy_scale; }

}  // namespace limber::test
