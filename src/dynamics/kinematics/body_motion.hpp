// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deformation.hpp"
#include "sweeps.hpp"

// What of the kinematics belongs to one body alone: the serial pass and the divide-and-conquer tree call the same.
namespace limber {

// The modes of a body out of the state, with their products where the model has them.
LIMBER_INLINE void copy_modes(const Layout& layout, const Link& link, const double* q, const double* v,
                              Kinematics& kin) {
  double* e = &kin.eta[link.scalars];
  double* e_rate = &kin.etadot[link.scalars];
  const double *eta = q + link.qm, *etadot = v + link.vm;
  with_size(link.n, [&](auto n) {
    for_each(
        n, LIMBER_EACH(k) {
          e[k] = eta[k];
          e_rate[k] = etadot[k];
        });
  });
  if (layout.stiffened) extend_coordinates(link, e, e_rate);
}

// The joint sits on a moving node d of the body: from the joint frame O on that node, which f holds on entry, to the
// body frame.  Writes the columns U and the hinge map of the body.
void from_inboard_attachment(const Layout& layout, const Link& link, LinkFrame& f, Kinematics& kin);

// Inertia and inertial forces of the undeformed parts: p_r = M_rr alpha + b_r.  theory §2.
LIMBER_INLINE void rigid_forces(LinkFrame& f, Vec4d s_rate, Spatial more) {
  const Vec4d w = f.V.ang;
  const Spatial alpha{f.a.ang, f.a.lin + cross(w, f.V.lin)};
  f.p = apply_inertia(f.m, f.s, f.J, alpha) + more;
  f.p.ang += cross(w, f.J * w);
  f.p.lin += cross(w, cross(w, f.s) + spread(2) * s_rate);
}

// s = S_0 + sum e_a S_a, and its rate.
LIMBER_INLINE Vec4d first_moment(const BodyConstants& constants, const double* e, const double* e_rate, Vec4d& s) {
  return with_size(constants.ne, [&](auto n) {
    Vec4d sum = constants.s, rate = zero();
    const Vec4d* S = constants.S.data();
    for_each(
        n, LIMBER_EACH(k) {
          sum += S[k] * spread(e[k]);
          rate += S[k] * spread(e_rate[k]);
        });
    s = sum;
    return rate;
  });
}

// The same of a body with modes, whose f.V and f.a are known: columns [F; S], J, s, p_r and p_f, and G where that
// depends on the state.
LIMBER_INLINE void deform(const Layout& layout, const Link& link, LinkFrame& f, Kinematics& kin,
                          ProductScratch& scratch, double* G) {
  const BodyConstants& constants = *link.constants;
  const Spatial alpha{f.a.ang, f.a.lin + cross(f.V.ang, f.V.lin)};
  Contraction sum;
  sum.columns = &kin.columns[link.columns];
  sum.p_f = &kin.p_f[link.scalars];
  if (layout.ruthless) {
    contract_undeformed(constants, f.V.ang, alpha, sum);
    rigid_forces(f, zero(), zero_spatial());
    return;
  }
  const double* e = &kin.eta[link.scalars];
  const double* e_rate = &kin.etadot[link.scalars];
  if (constants.ne > constants.n) {
    sum.columns = scratch.columns.data();
    sum.p_f = scratch.p.data();
  }
  contract(constants, e, e_rate, f.V.ang, alpha, sum);
  const Vec4d s_rate = first_moment(constants, e, e_rate, f.s);
  for (int j = 0; j < 3; ++j) f.J.c[j] = constants.J.c[j] + sum.J.c[j];
  Spatial more{sum.gyroscopic, zero()};
  if (constants.ne > constants.n) more += project_products(link, kin, scratch, G);
  rigid_forces(f, s_rate, more);
}

}  // namespace limber
