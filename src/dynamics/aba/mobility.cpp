// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "mobility.hpp"

namespace limber {
namespace {

// Angular and linear parts exchanged: a mobility W transforms as an inertia does then, with -r in the place of r.
LIMBER_INLINE Mat6 exchanged(const Mat6& m) {
  return {{{m.c[3].lin, m.c[3].ang},
           {m.c[4].lin, m.c[4].ang},
           {m.c[5].lin, m.c[5].ang},
           {m.c[0].lin, m.c[0].ang},
           {m.c[1].lin, m.c[1].ang},
           {m.c[2].lin, m.c[2].ang}}};
}

// X(l).
LIMBER_INLINE Mat6 twist_matrix(Vec4d l) {
  Mat6 X;
  for (int r = 0; r < 6; ++r) X.c[r] = twist_at(l, unit_spatial(r));
  return X;
}

// D_f = L d L^T: with f = -L^-1 (Y + X(l) U)^T, a row for each mode, and y = L^-1 mu^T of the elimination,
//   own = f^T d^-1 f      through^T = X(l) + f^T d^-1 y
template <typename N>
void compute_passage_cholesky(N n, const Layout& layout, int i, int attachment, AbaData& ws, OperationalData& scratch,
                              Passage& out) {
  const Link& link = layout.links[i];
  const Kinematics& kin = ws.kin;
  Spatial* f = scratch.columns.data();
  const Vec4d l = attachment < 0 ? zero() : kin.attachments[attachment].l;
  const Spatial* Y = attachment < 0 ? nullptr : &kin.columns[layout.attachments[attachment].columns];
  const Spatial* U = link.inboard < 0 ? nullptr : &kin.columns[link.inboard_columns];
  for (int k = 0; k < n; ++k) {
    f[k] = Y == nullptr ? zero_spatial() : Y[k] * -1;
    if (U != nullptr) f[k] -= twist_at(l, U[k]);
  }
  const double* L = reinterpret_cast<const double*>(ws.cholesky.L.data() + ws.cholesky.factor_begin[i]);
  for (int k = 0; k < n; ++k) {
    const double* column = L + k * kLanes * lane_count(n);
    for (int j = k + 1; j < n; ++j) f[j] -= f[k] * column[j];
  }
  const double* d_inverse = &ws.cholesky.d_inverse[link.scalars];
  const Spatial* y = &ws.cholesky.y[link.columns];
  Mat6Registers own{};
  for (int k = 0; k < n; ++k) own.add(f[k] * d_inverse[k], f[k]);
  own.put(out.own);
  Mat6Registers through = Mat6Registers::from(twist_matrix(l));
  for (int k = 0; k < n; ++k) through.add(f[k] * d_inverse[k], y[k]);
  through.put(out.through_transposed);
}

// A unit wrench on attachment h leaves the wrenches f = (1 + Gamma Omega)^-1 (1 on h) at the attachments g, solved as
// in `expand` of condensed.cpp with one step of refinement:
//   own = Omega_hg f_g      through = X_bar_g^T f_g      summed over the attachments g
void compute_passage_condensed(const Layout& layout, int i, int attachment, AbaData& ws, Passage& out) {
  const Link& link = layout.links[i];
  const int c = link.attachment_end - link.attachment_begin, h = attachment - link.attachment_begin;
  const Mat6* gram = ws.condensed.gram.data() + ws.condensed.gram_begin[i];
  for (int g = 0; g < c; ++g) ws.attachments[link.attachment_begin + g].z = zero_spatial();
  Mat6 through;
  for (int r = 0; r < 6; ++r) {
    ws.attachments[attachment].z = unit_spatial(r);
    Spatial f[kMaxStack];
    solve_attachment_wrenches(layout, i, ws, f);
    out.own.c[r] = through.c[r] = zero_spatial();
    for (int g = 0; g < c; ++g) {
      out.own.c[r] += gram[gram_omega(c, h, g)] * f[g];
      through.c[r] += gram[gram_x(g)] * f[g];
    }
  }
  out.through_transposed = transpose(through);
}

}  // namespace

Passage compute_passage(const Layout& layout, int i, int attachment, AbaData& ws, OperationalData& scratch) {
  const Link& link = layout.links[i];
  Passage out;
  if (attachment < 0 && link.inboard < 0) {  // the modes do not feel it
    out.own = Mat6{};
    out.through_transposed = twist_matrix(zero());
  } else if (ws.is_condensed[i] != 0) {
    compute_passage_condensed(layout, i, attachment, ws, out);
  } else {
    with_size(link.n, [&](auto n) { compute_passage_cholesky(n, layout, i, attachment, ws, scratch, out); });
  }
  return out;
}

//   own + through^T W through
Mat6 pass_modes_outward(const Passage& passage, const Mat6& W) {
  const Mat6& T = passage.through_transposed;
  Mat6 TW;
  for (int r = 0; r < 6; ++r) TW.c[r] = T * W.c[r];
  Mat6Registers sum = Mat6Registers::from(passage.own);
  for (int r = 0; r < 6; ++r) sum.add(TW.c[r], T.c[r]);
  Mat6 out;
  sum.put(out);
  return out;
}

Mat6 cross_joint_outward(const LinkFrame& f, const Mat6& W) {
  return exchanged(rotate_inertia(f.Rt, f.R, inertia_from(-f.r, exchanged(W))));
}

// One hinge speed h: e = h^T z is left at the hinge, z+ = z - Ph D^-1 e goes on, so
//   W = h D^-1 h^T + (1 - Ph D^-1 h^T)^T W+ (1 - Ph D^-1 h^T) = W+ - h u^T - u h^T
//   w = W+ Ph D^-1      u = w - h D^-1 (1 + Ph.w) / 2
void pass_hinge_outward(const Link& link, const AbaData& ws, Mat6& W) {
  const Spatial* H = ws.kin.hinge_map(link);
  for (int k = link.nr - 1; k >= 0; --k) {
    const double D_inverse = ws.D_inverse[link.v + k];
    const Spatial PH = ws.PH[link.v + k];
    Mat6Registers sum = Mat6Registers::from(W);
    const Spatial w = sum.times(PH) * D_inverse;
    const Spatial u = w - H[k] * (D_inverse * (1 + dot(PH, w)) / 2);
    sum.subtract(H[k], u);
    sum.subtract(u, H[k]);
    sum.put(W);
  }
}

}  // namespace limber
