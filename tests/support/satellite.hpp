// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <memory>
#include <numbers>

#include "limber/control/attitude.hpp"
#include "support/no_alloc.hpp"

namespace limber::test {

inline constexpr double kWheelInertia = 0.05;  // kg m^2, about its axis

struct SatelliteSpec {
  bool panels = true;
  int wheels = 4;
  double EI = 400, damping = 0.002;
  int modes = 2;
  bool thrusters = false;
};

inline Joint satellite_joint(std::string name, JointKind kind, int body) {
  Joint joint;
  joint.name = std::move(name);
  joint.kind = kind;
  joint.parent = {body, kBodyFrame};
  joint.stiffness = joint.damping = joint.armature = VectorXd::Zero(speed_count(kind));
  return joint;
}

// A hub with reaction wheels, the first three along its axes, or four in a pyramid; and two panels along y.
inline Model make_satellite(const SatelliteSpec& spec = {}) {
  ModelBuilder builder("satellite");
  RigidSpec hub;
  hub.mass = 200;
  hub.inertia << 80, 3, -2, 3, 60, 4, -2, 4, 90;
  for (int k = 0; spec.thrusters && k < 6; ++k) {  // arms of 1 m along an axis
    Node node;
    node.name = "n" + std::to_string(k);
    node.position = (k % 2 == 0 ? 1 : -1) * Vector3d::Unit(k / 2);
    node.translation.resize(3, 0);
    node.turn.resize(3, 0);
    hub.nodes.push_back(node);
  }
  Body body = make_rigid_body(hub);
  body.name = "hub";
  const int base = builder.add_body(std::move(body));
  builder.add_joint(satellite_joint("base", JointKind::free, kGround), base);
  for (int k = 0; k < spec.wheels; ++k) {
    RigidSpec rotor;
    rotor.mass = 2;
    rotor.inertia = Vector3d(0.5 * kWheelInertia, 0.5 * kWheelInertia, kWheelInertia).asDiagonal();
    Body wheel = make_rigid_body(rotor);
    wheel.name = "rotor" + std::to_string(k + 1);
    Joint joint = satellite_joint("wheel" + std::to_string(k + 1), JointKind::revolute, base);
    const Vector3d slanted(std::cos(k * std::numbers::pi / 2), std::sin(k * std::numbers::pi / 2), 1 / std::sqrt(2.0));
    const Vector3d axis = spec.wheels == 4 ? Vector3d(slanted.normalized()) : Vector3d::Unit(k);
    joint.origin.R = Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), axis).toRotationMatrix();
    joint.origin.p = 0.2 * axis;
    builder.add_joint(joint, builder.add_body(std::move(wheel)));
  }
  for (int k = 0; spec.panels && k < 2; ++k) {
    BeamSpec beam;
    beam.length = 5;
    beam.mass_per_length = 2;
    beam.EIy = spec.EI;
    beam.EIz = 10 * spec.EI;
    beam.modes = {spec.modes, spec.modes, 0, 0};
    beam.damping = {spec.damping};
    Body panel = make_beam_body(beam, false);
    panel.name = "panel" + std::to_string(k + 1);
    Joint joint = satellite_joint("mount" + std::to_string(k + 1), JointKind::fixed, base);
    joint.origin.R = Eigen::AngleAxisd((k == 0 ? 0.5 : -0.5) * std::numbers::pi, Vector3d::UnitZ()).toRotationMatrix();
    joint.origin.p = Vector3d(0, k == 0 ? 0.6 : -0.6, 0.1);
    builder.add_joint(joint, builder.add_body(std::move(panel)));
  }
  return builder.build();
}

// A slew of 60 degrees about an oblique axis.
inline AttitudeOptions make_slew_options(const Model& model, int wheels = 4) {
  AttitudeOptions out;
  out.model = std::make_shared<const Model>(model);
  out.body = "hub";
  out.rate = 20;
  AttitudeWaypoint to;
  to.axis = Vector3d(0.3, 0.1, 1);
  to.angle = std::numbers::pi / 3;
  to.duration = 30;
  out.waypoints = {to};
  for (int k = 0; k < wheels; ++k) out.wheels.joints.push_back("wheel" + std::to_string(k + 1));
  return out;
}

struct AttitudeRun {
  RunResult result;
  Tracking tracking;
  double momentum = 0;  // largest change of the angular momentum, N m s
  State end;
};

class MomentumWatch : public RunListener {
 public:
  void record(const Record& record) override {
    if (!first) first = record.momentum.angular;
    most = std::max(most, (record.momentum.angular - *first).norm());
    last = record.motion.x;
  }
  std::optional<Vector3d> first;
  double most = 0;
  State last;
};

inline AttitudeRun run_attitude(const Model& model, AttitudeLoop& loop, const State& start, double duration,
                                double rtol = 1e-9) {
  Inputs inputs;
  inputs.laws = loop.wrench_laws();
  System system(model, inputs);
  SolverOptions solver;
  solver.rtol = rtol;
  solver.atol = 1e-3 * rtol;
  MomentumWatch watch;
  AttitudeRun out;
  out.result = simulate(system, solver, {duration, 0.1}, start, watch, &loop);
  out.tracking = loop.tracking();
  out.momentum = watch.most;
  out.end = watch.last;
  return out;
}

}  // namespace limber::test
