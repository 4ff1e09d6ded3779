// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/kinematics/sweeps.hpp"
#include "limber/dynamics/detail/aba.hpp"

// The modes of one body leave the articulated-body recursion, in one of two ways (theory §5).  Each way has three
// steps: `factor` (inertias, inward), `reduce` (forces, inward) and `expand` (accelerations, outward).
namespace limber {

// Inertia that counts as none: what rounding leaves of the terms that make it up.
inline constexpr double kNoInertia = 1e-13;

// The diagonal of P weighted with h^2: what rounding in h^T P h is measured against.
LIMBER_INLINE double inertia_scale(const Mat6& P, Spatial h) {
  const Vec4d ang{P.c[0].ang[0], P.c[1].ang[1], P.c[2].ang[2], 0}, lin{P.c[3].lin[0], P.c[4].lin[1], P.c[5].lin[2], 0};
  return sum(ang * h.ang * h.ang + lin * h.lin * h.lin);
}

// Modal mass of a body, rows padded to whole lanes, and its inverse where it is diagonal: those of the body, or with
// the stiffness and damping of an implicit step added.
inline const double* modal_mass(const Link& link, int i, const AbaData& ws) {
  if (ws.implicit.active && !link.constants->G_rows.empty()) return ws.implicit.G_added[i].data();
  return ws.kin.modal_mass(link, static_cast<std::size_t>(i));
}
inline const double* modal_mass_inverse(const Link& link, int i, const AbaData& ws) {
  return ws.implicit.active ? ws.implicit.G_inverse[i].data() : link.constants->G_inverse.data();
}

// A wrench on one body decays on its way through many others, some components sooner than others; subnormal numbers
// cost a hundred times as much as normal ones.  So components are flushed to zero before they become subnormal.
LIMBER_INLINE Vec4d flush_subnormals(Vec4d x) {
  constexpr double kTiny = 1e-200;
  return x < spread(kTiny) && x > spread(-kTiny) ? x * zero() : x;  // NaN stays
}
LIMBER_INLINE void flush_subnormals(Spatial& z) { z = {flush_subnormals(z.ang), flush_subnormals(z.lin)}; }

// The two halves of solve_factored, between which wrenches on bodies may be added to z and e_f.
void start_solve(const Model& model, ConstVec f, AbaData& ws);
void finish_solve(const Model& model, AbaData& ws, Vec out);

// ---- Cholesky: D_f = G + sum Y^T Gamma Y (+ terms of U) is factored.  [JR] (63); O(n^3) with a small constant.

// P_R into body.P.  Returns the mode without inertia, or -1.
int factor_cholesky(const Layout& layout, int i, AbaData& ws);
// ws.e_f of the body holds u_f - p_f on entry; z_R into body.z.
void reduce_cholesky(const Layout& layout, int i, AbaData& ws);
// body.a holds that of the joint side on entry, of the body frame on return; etaddot and the attachments'
// accelerations.
void expand_cholesky(const Layout& layout, int i, AbaData& ws, double* etaddot);

// ---- Condensed: G is diagonal and the joint sits on the body frame; the children are added to the body alone by a
// system of the size of their nodes, 6c.  theory §5, Linear in the number of modes; O(n).

// Where b, X_bar_h^T and Omega_hg stand in the gram of a body with c attachments.
LIMBER_INLINE std::size_t gram_x(int h) { return 1 + static_cast<std::size_t>(h); }
LIMBER_INLINE std::size_t gram_omega(int c, int h, int g) { return 1 + static_cast<std::size_t>(c) + h * c + g; }
// b, X_bar and Omega of the body at the state of the kinematics.
void compute_gram(const Layout& layout, int i, AbaData& ws);
// False: what the body carries is too heavy beside its modal masses, and nothing is changed; Cholesky serves then.
bool factor_condensed(const Layout& layout, int i, AbaData& ws);
void reduce_condensed(const Layout& layout, int i, AbaData& ws);
void expand_condensed(const Layout& layout, int i, AbaData& ws, double* etaddot);
// Wrenches f of the children with bias wrenches z when the joint side rests and no modal force acts:
//   f = z - Gamma Omega f
void solve_attachment_wrenches(const Layout& layout, int i, AbaData& ws, Spatial* f);
// log det D_f, D_f = G + Y^T Gamma Y: the pivots themselves are never made.
double log_det_condensed(const Layout& layout, int i, const AbaData& ws);

}  // namespace limber
