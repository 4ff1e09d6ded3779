// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/energy.hpp"

#include "limber/dynamics/detail/rnea.hpp"
#include "limber/model/drive.hpp"
#include "sweeps.hpp"

namespace limber {
namespace {

// x^T M x; M by rows with this `stride`, or only its diagonal.
double quadratic_form(bool diagonal, int n, const double* M, int stride, const double* x) {
  double sum = 0;
  for (int a = 0; a < n; ++a) {
    if (diagonal) {
      sum += M[a * stride] * x[a] * x[a];
      continue;
    }
    for (int b = 0; b < n; ++b) sum += x[a] * M[a * stride + b] * x[b];
  }
  return sum;
}

double modal_product(const BodyConstants& constants, const double* G, const double* rate) {
  const bool diagonal = constants.mass_diagonal();
  return quadratic_form(diagonal, constants.n, G, kLanes * lanes_for(constants.n) + (diagonal ? 1 : 0), rate);
}

double elastic_energy(const BodyConstants& constants, const double* eta) {
  const bool diagonal = constants.elastic_diagonal;
  return 0.5 * quadratic_form(diagonal, constants.n, constants.K.data(), diagonal ? 1 : constants.n, eta);
}

// 2 T of the bodies, the armatures and the motors: V . M_rr V + 2 V . mu^T etadot + etadot^T G etadot of each body,
// with the twists V consistent with the mass matrix, which in `ruthless` differ from those of kin.  theory §4.
double twice_kinetic(const Layout& layout, const Kinematics& kin, const double* v, const LinearSweep* sweep) {
  double sum = 0;
  for_motors(layout, [&](const Link& link, int, int m) { sum += link.motor.inertia * v[m] * v[m]; });
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    const LinkFrame& f = kin.links[i];
    const Spatial V = sweep != nullptr ? sweep->a[i] : f.V;
    for (int k = 0; k < link.nr; ++k) sum += link.armature[k] * v[link.v + k] * v[link.v + k];
    Spatial momentum = apply_inertia(f.m, f.s, f.J, V);
    if (link.n > 0) {
      const double* rate = v + link.vm;
      momentum += times(&kin.columns[link.columns], rate, link.n) * 2;
      sum += modal_product(*link.constants, kin.modal_mass(link, i), rate);
    }
    sum += dot(V, momentum);
  }
  return sum;
}

// 2 T of spinning rotors without J theta'^2: J (w^2 + 2 w theta'), w the angular velocity of the carrier about their
// axis.
double twice_spin(const Layout& layout, const Kinematics& kin, const double* v, const LinearSweep& sweep) {
  double sum = 0;
  for (const int i : layout.rotors) {
    const Link& link = layout.links[i];
    const Spatial& on = link.attachment >= 0 ? sweep.attachment_a[link.attachment] : sweep.a[link.parent];
    const double w = dot(rotor_frame(link, kin).axis, on.ang);
    sum += link.rotor.inertia * w * (w + 2 * rotor_ratio(link) * v[rotor_speed(link)]);
  }
  return sum;
}

double kinetic_energy(const Layout& layout, const double* v, RneaData& ws) {
  if (!layout.ruthless && layout.rotors.empty()) return 0.5 * twice_kinetic(layout, ws.kin, v, nullptr);
  outward_accelerations(layout, ws.kin, v, ws.sweep);
  return 0.5 * (twice_kinetic(layout, ws.kin, v, &ws.sweep) + twice_spin(layout, ws.kin, v, ws.sweep));
}

// Angular momentum of rotors mounted on the ground.  The sweeps omit them, because they act on no moving body.
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
  update_kinematics(model, x, ws.kin);
  energy.kinetic = kinetic_energy(layout, x.v.data(), ws);
  energy.gravity = -total_mass(model) * model.gravity.dot(compute_center_of_mass(model, ws.kin));
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    if (link.passive) energy.springs += spring_energy(link, &x.q[link.q]);
    if (link.n > 0) energy.elastic += elastic_energy(*link.constants, &x.q[link.qm]);
  }
  return energy;
}

// With speeds in place of accelerations, the wrench on the ground is the momentum about the world origin.
Momentum compute_momentum(const Model& model, const State& x, RneaData& ws) {
  update_kinematics(model, x, ws.kin);
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
