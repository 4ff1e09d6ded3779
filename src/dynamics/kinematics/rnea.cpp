// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/rnea.hpp"

#include "sweeps.hpp"

namespace limber {

void outward_accelerations(const Layout& layout, const Kinematics& kin, const double* a, LinearSweep& sweep) {
  sweep.a[0] = zero_spatial();
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    Spatial& out = sweep.a[i];
    out = across(kin.links[i], link.attachment >= 0 ? sweep.attachment_a[link.attachment] : sweep.a[link.parent]);
    const Spatial* H = kin.hinge_map(link);
    for (int k = 0; k < link.nr; ++k) out += H[k] * a[link.v + k];
    if (link.inboard >= 0) out += times(&kin.columns[link.inboard_columns], a + link.vm, link.n);
    for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
      sweep.attachment_a[h] =
          twist_at(kin.attachments[h].l, out) + times(&kin.columns[layout.attachments[h].columns], a + link.vm, link.n);
      sweep.attachment_f[h] = zero_spatial();
    }
  }
}

namespace {

// f = M_m (etaddot, alpha) of every body.
void body_forces(const Layout& layout, const Kinematics& kin, const double* a, LinearSweep& sweep) {
  sweep.f[0] = zero_spatial();
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    const LinkFrame& f = kin.links[i];
    sweep.f[i] = apply_inertia(f.m, f.s, f.J, sweep.a[i]);
    if (link.n == 0) continue;
    const Spatial* mu = &kin.columns[link.columns];
    double* modal = &sweep.f_modal[link.scalars];
    sweep.f[i] += times(mu, a + link.vm, link.n);
    times_transposed(mu, sweep.a[i], link.n, modal);
    add_modal_mass(*link.constants, kin.modal_mass(link, i), a + link.vm, modal);
  }
}

// The rotor of joint i: its torque, and the wrench on its carrier.  Bias: including the terms of the bias motion.
Spatial rotor_force(const Link& link, const Kinematics& kin, const double* a, const LinearSweep& sweep, bool bias,
                    double* tau) {
  const RotorFrame rotor = rotor_frame(link, kin);
  const Spatial& on = link.attachment >= 0 ? sweep.attachment_a[link.attachment] : sweep.a[link.parent];
  const int speed = rotor_speed(link);
  const double J = link.rotor.inertia, ratio = rotor_ratio(link);
  const double carried = J * dot(rotor.axis, bias ? on.ang + rotor.wdot : on.ang);
  tau[speed] += ratio * carried;
  Vec4d torque = rotor.axis * spread(J * ratio * a[speed] + carried);
  if (bias) torque += cross(rotor.w, rotor.axis) * spread(rotor.spin);
  return {torque, zero()};
}

// Wrenches inward, [JR] (45): tau_r = H^T f_r, tau_f = f_f + U^T f_r; the parent's node receives Z^T f_r.
void inward_forces(const Layout& layout, const Kinematics& kin, const double* a, bool bias, LinearSweep& sweep,
                   double* tau) {
  for_motors(layout, [&](const Link& link, int, int m) { tau[m] = link.motor.inertia * a[m]; });
  for (std::size_t i = layout.links.size() - 1; i > 0; --i) {
    const Link& link = layout.links[i];
    Spatial& f = sweep.f[i];
    double* modal = &sweep.f_modal[link.scalars];
    for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
      f += wrench_from(kin.attachments[h].l, sweep.attachment_f[h]);
      add_times_transposed(&kin.columns[layout.attachments[h].columns], sweep.attachment_f[h], link.n, modal);
    }
    if (link.inboard >= 0) add_times_transposed(&kin.columns[link.inboard_columns], f, link.n, modal);
    for (int k = 0; k < link.n; ++k) tau[link.vm + k] = modal[k];
    const Spatial* H = kin.hinge_map(link);
    for (int k = 0; k < link.nr; ++k) tau[link.v + k] = dot(H[k], f) + link.armature[k] * a[link.v + k];
    Spatial& on = link.attachment >= 0 ? sweep.attachment_f[link.attachment] : sweep.f[link.parent];
    on += back_across(kin.links[i], f);
    if (link.rotor.spins) on += rotor_force(link, kin, a, sweep, bias, tau);
  }
}

// K eta + D etadot and the joints' springs and dampers.
void add_elastic_forces(const Layout& layout, const Kinematics& kin, double* tau) {
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    if (link.n > 0) {
      add_elastic_force(*link.constants, &kin.eta[link.scalars], &kin.etadot[link.scalars], tau + link.vm);
    }
    if (!link.passive) continue;
    double passive[6] = {};
    add_passive_force(link, &kin.q[link.q], &kin.v[link.v], passive);
    for (int k = 0; k < link.nr; ++k) tau[link.v + k] -= passive[k];
  }
  for_motors(layout, [&](const Link& link, int, int m) { tau[m] -= motor_reaction(link, kin.q.data(), kin.v.data()); });
}

}  // namespace

RneaData::RneaData(const Model& model) : kin(model), sweep(model), product(VectorXd::Zero(model.nv)) {}

LinearSweep::LinearSweep(const Model& model) {
  const Layout& layout = *model.layout;
  a.resize(layout.links.size());
  f = a;
  attachment_a.resize(layout.attachments.size());
  attachment_f = attachment_a;
  f_modal.assign(layout.scalars, 0);
}

void multiply_mass(const Model& model, const Kinematics& kin, ConstVec a, LinearSweep& sweep, Vec out) {
  const Layout& layout = *model.layout;
  outward_accelerations(layout, kin, a.data(), sweep);
  body_forces(layout, kin, a.data(), sweep);
  inward_forces(layout, kin, a.data(), false, sweep, out.data());
}

void multiply_mass(const Model& model, const State& x, ConstVec a, RneaData& ws, Vec out) {
  check_sizes(model, x, a, out);
  compute_kinematics(model, x, ws.kin);
  multiply_mass(model, ws.kin, a, ws.sweep, out);
}

void compute_joint_forces(const Model& model, const Kinematics& kin, ConstVec vdot, LinearSweep& sweep, Vec tau) {
  const Layout& layout = *model.layout;
  outward_accelerations(layout, kin, vdot.data(), sweep);
  body_forces(layout, kin, vdot.data(), sweep);
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    sweep.f[i] += kin.links[i].p;
    for (int k = 0; k < link.n; ++k) sweep.f_modal[link.scalars + k] += kin.p_f[link.scalars + k];
  }
  inward_forces(layout, kin, vdot.data(), true, sweep, tau.data());
}

void rnea(const Model& model, const State& x, ConstVec vdot, std::span<const NodeWrench> wrenches, RneaData& ws,
          Vec tau) {
  check_sizes(model, x, vdot, tau);
  compute_bias(model, x, wrenches, ws.kin);
  compute_joint_forces(model, ws.kin, vdot, ws.sweep, tau);
  add_elastic_forces(*model.layout, ws.kin, tau.data());
}

}  // namespace limber
