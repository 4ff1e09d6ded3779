// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/energy.hpp"

#include "limber/dynamics/detail/rnea.hpp"
#include "limber/model/drive.hpp"
#include "sweeps.hpp"

namespace limber {

// Kinetic energy v^T M v / 2 and momentum come from one product with the mass matrix: the wrench that arrives at the
// ground, when speeds stand in for accelerations, is the momentum about the world origin.

namespace {

// Rotors on the world act on nothing that moves: the sweeps leave them out.
Vector3d grounded_spin(const Model& model, const State& x) {
  Vector3d spin = Vector3d::Zero();
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    if (!joint.drive || !joint.drive->axis || joint.parent.body != kGround) continue;
    const int motor = motor_index(model, i).v;
    const double turn = motor >= 0 ? x.v[motor] : joint.drive->ratio * x.v[joint.v];
    spin += joint.drive->inertia * turn * (joint.origin.R * *joint.drive->axis);
  }
  return spin;
}

}  // namespace

Energy compute_energy(const Model& model, const State& x, RneaData& ws) {
  const Layout& layout = *model.layout;
  Energy energy;
  compute_kinematics(model, x, ws.kin);
  compute_world_poses(model, ws.kin);
  multiply_mass(model, ws.kin, x.v, ws.sweep, ws.product);
  energy.kinetic = 0.5 * x.v.dot(ws.product);
  energy.gravity = -total_mass(model) * model.gravity.dot(compute_center_of_mass(model, ws.kin));
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    if (link.passive) energy.springs += spring_energy(link, &x.q[link.q]);
    if (link.n == 0) continue;
    const auto eta = x.q.segment(link.qm, link.n);
    energy.elastic += 0.5 * eta.dot(model.body(static_cast<int>(i)).stiffness.lazyProduct(eta));
  }
  return energy;
}

Momentum compute_momentum(const Model& model, const State& x, RneaData& ws) {
  compute_kinematics(model, x, ws.kin);
  compute_world_poses(model, ws.kin);  // for what follows with this workspace
  multiply_mass(model, ws.kin, x.v, ws.sweep, ws.product);
  return {to_vector(ws.sweep.f[0].lin), to_vector(ws.sweep.f[0].ang) + grounded_spin(model, x)};
}

double total_mass(const Model& model) {
  double mass = 0;
  for (const auto& body : model.bodies) mass += body->mass;
  return mass;
}

Vector3d compute_center_of_mass(const Model& model, const Kinematics& kin) {
  Vector3d moment = Vector3d::Zero();
  for (int i = 1; i < model.body_count(); ++i) {
    const LinkFrame& f = kin.links[i];
    moment += kin.world[i].R * to_vector(f.s) + f.m * kin.world[i].p;
  }
  return moment / total_mass(model);
}

}  // namespace limber
