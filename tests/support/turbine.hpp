// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numbers>

#include "limber/model/model.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber::test {

struct TurbineSpec {
  std::vector<double> blade_mass = {6, 6};  // per unit length, of each blade
  double blade_EI = 0;                      // 0: rigid blades
  double tower_EIy = 2e6, tower_EIz = 2.1e6;
  double damping = 0;
  double rotor_damping = 0;
  double gravity = 0;
  Fidelity fidelity = Fidelity::full;
};

inline Body make_blade(const TurbineSpec& spec, double mass_per_length) {
  const double length = 5, mass = mass_per_length * length;
  if (spec.blade_EI > 0) {
    BeamSpec beam;
    beam.length = length;
    beam.mass_per_length = mass_per_length;
    beam.EIy = 1.7 * spec.blade_EI, beam.EIz = spec.blade_EI;
    beam.modes = {1, 1, 0, 0};
    beam.damping = {spec.damping};
    return make_beam_body(beam, spec.fidelity == Fidelity::stiffened);
  }
  RigidSpec rigid;
  rigid.mass = mass;
  rigid.com = {length / 2, 0, 0};
  rigid.inertia = Vector3d(0, mass * length * length / 12, mass * length * length / 12).asDiagonal();
  return make_rigid_body(rigid);
}

// A tower with a mode in each direction, a nacelle, and a rotor about the world's x with blades in its plane.
inline Model make_turbine(const TurbineSpec& spec = {}) {
  constexpr double kHalf = std::numbers::pi / 2;
  const bool second = spec.fidelity == Fidelity::stiffened;
  ModelBuilder builder("turbine");
  builder.gravity({0, 0, -spec.gravity}).fidelity(spec.fidelity);
  const auto add = [&](const char* joint_name, JointKind kind, Body body, const std::string& name, NodeRef parent,
                       const Pose& origin, double damping = 0) {
    body.name = name;
    const int child = builder.add_body(std::move(body));
    Joint joint;
    joint.name = joint_name;
    joint.kind = kind;
    joint.axis = Vector3d::UnitX();
    joint.parent = parent;
    joint.origin = origin;
    joint.stiffness = joint.armature = VectorXd::Zero(speed_count(kind));
    joint.damping = VectorXd::Constant(speed_count(kind), damping);
    builder.add_joint(joint, child);
    return child;
  };
  BeamSpec tower;
  tower.length = 20;
  tower.mass_per_length = 20;
  tower.EIy = spec.tower_EIy, tower.EIz = spec.tower_EIz;
  tower.modes = {1, 1, 0, 0};
  tower.damping = {spec.damping};
  const Body tower_body = make_beam_body(tower, second);
  const int tip = tower_body.node_index("tip");
  const int base = add("base", JointKind::fixed, tower_body, "tower", {}, {rpy_rotation({0, -kHalf, 0}), {0, 0, 0}});
  RigidSpec nacelle;
  nacelle.mass = 150;
  nacelle.inertia = Vector3d(40, 40, 30).asDiagonal();
  const int top = add("yaw", JointKind::fixed, make_rigid_body(nacelle), "nacelle", {base, tip},
                      {rpy_rotation({0, kHalf, 0}), {0, 0, 0}});
  RigidSpec hub;
  hub.mass = 20;
  hub.inertia = Vector3d(2, 1.5, 1.5).asDiagonal();
  const int rotor = add("shaft", JointKind::revolute, make_rigid_body(hub), "hub", {top, kBodyFrame},
                        {Matrix3d::Identity(), {1, 0, 0}}, spec.rotor_damping);
  for (std::size_t b = 0; b < spec.blade_mass.size(); ++b) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(b) / static_cast<double>(spec.blade_mass.size());
    const Matrix3d out = exp_rotation(Vector3d::UnitX() * angle) * rpy_rotation({0, -kHalf, 0});
    const std::string name = "blade" + std::to_string(b + 1);
    const Body body = make_blade(spec, spec.blade_mass[b]);
    add(("root" + std::to_string(b + 1)).c_str(), JointKind::fixed, body, name, {rotor, kBodyFrame},
        {out, 0.3 * out.col(0)});
  }
  return builder.build();
}

}  // namespace limber::test
