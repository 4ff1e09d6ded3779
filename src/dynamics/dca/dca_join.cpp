// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Divide and conquer: joints and pairs of parts.
#include <algorithm>
#include <limits>

#include "dca_steps.hpp"

namespace limber {
namespace {

LIMBER_INLINE double component_of(const Spatial& s, int j) { return j < 3 ? s.ang[j] : s.lin[j - 3]; }

// P = sum l_j p_j l_j^T with diagonal pivoting, largest pivot relative to its diagonal entry first: P is semidefinite,
// and a small pivot before a large one would lose digits ([Higham] Accuracy and Stability, §10.3).  Zero pivots are
// omitted.  Returns the number of columns.
LIMBER_INLINE int split(const Mat6& P, Spatial* l, double* p) {
  double left[6], least[6];
  for (int j = 0; j < 6; ++j) {
    left[j] = component_of(P.c[j], j);
    least[j] = kNoInertia * left[j];
  }
  for (int count = 0; count < 6; ++count) {
    int best = -1;
    double share = 0;
    for (int j = 0; j < 6; ++j) {
      if (!(left[j] > least[j]) || !(left[j] > share * component_of(P.c[j], j))) continue;
      share = left[j] / component_of(P.c[j], j);
      best = j;
    }
    if (best < 0) return count;
    Spatial column = P.c[best];
    for (int k = 0; k < count; ++k) column -= l[k] * (p[k] * component_of(l[k], best));
    p[count] = component_of(column, best);
    if (!(p[count] > least[best])) return count;
    l[count] = column * (1 / p[count]);
    for (int j = 0; j < 6; ++j) left[j] -= component_of(column, j) * component_of(l[count], j);
    left[best] = 0;
  }
  return 6;
}

// T = (P^-1 + Omega)^-1 = N d^-1 N^T without an inverse of P, which is singular inboard of a hinge.  With P = l p l^T:
//   S = p^-1 + l^T Omega l = C d C^T      N = l C^-T
// The only subtractions are those of Cholesky steps, so that T is as accurate as P and Omega.
void factor_between(const Mat6& P, const Mat6& Omega, Spatial* N, double* d_inverse) {
  Spatial l[6];
  double p[6], C[6][6], d[6];
  const int count = split(P, l, p);
  for (int j = 0; j < count; ++j) {
    const Spatial w = Omega * l[j];
    Spatial n = l[j];
    for (int k = 0; k < j; ++k) {
      double s = dot(l[k], w);
      for (int m = 0; m < k; ++m) s -= C[j][m] * d[m] * C[k][m];
      C[j][k] = s * d_inverse[k];
      n -= N[k] * C[j][k];
    }
    d[j] = 1 / p[j] + dot(l[j], w);
    for (int k = 0; k < j; ++k) d[j] -= C[j][k] * C[j][k] * d[k];
    d_inverse[j] = 1 / d[j];
    N[j] = n;
  }
  for (int j = count; j < 8; ++j) d_inverse[j] = 0;
  for (int j = count; j < 6; ++j) N[j] = zero_spatial();
}

// The size of the terms of P Omega before cancellation: sum over the diagonal blocks of tr(P) tr(Omega).
double product_size(const Mat6& P, const Mat6& Omega) {
  const auto ang = [](const Mat6& m) { return m.c[0].ang[0] + m.c[1].ang[1] + m.c[2].ang[2]; };
  const auto lin = [](const Mat6& m) { return m.c[3].lin[0] + m.c[4].lin[1] + m.c[5].lin[2]; };
  return ang(P) * ang(Omega) + lin(P) * lin(Omega);
}

// T v.
LIMBER_INLINE Spatial times_T(const DcaEnds& joined, Spatial v) {
  const Vec4d first = four_dots(joined.P.c, v) * load(joined.d_inverse);
  const double c4 = dot(joined.P.c[4], v) * joined.d_inverse[4], c5 = dot(joined.P.c[5], v) * joined.d_inverse[5];
  Spatial out = joined.P.c[0] * first[0];
  for (int j = 1; j < 4; ++j) out += joined.P.c[j] * first[j];
  return out + joined.P.c[4] * c4 + joined.P.c[5] * c5;
}

// Bt_A (1 - T Omega) Bt_B, Omega_B + B_B (Omega - Omega T Omega) B_B^T.  g: Bt_A N.
void join_outboard(const DcaEnds& A, const DcaEnds& B, const Mat6& g, Mat6& Bt, Mat6& Omega) {
  const Mat6 B_B = transpose6(B.Bt);
  Mat6 V, h;
  for (int j = 0; j < 6; ++j) V.c[j] = B_B * A.Omega.c[j];
  for (int j = 0; j < 6; ++j) h.c[j] = V * B.P.c[j];
  Mat6 product;
  for (int j = 0; j < 6; ++j) product.c[j] = A.Bt * B.Bt.c[j];
  Mat6Registers sum = Mat6Registers::from(product);
  for (int j = 0; j < 6; ++j) sum.add(g.c[j] * -B.d_inverse[j], h.c[j]);
  sum.put(Bt);
  for (int j = 0; j < 6; ++j) product.c[j] = B.Omega.c[j] + V * B.Bt.c[j];
  sum = Mat6Registers::from(product);
  for (int j = 0; j < 6; ++j) sum.add(h.c[j] * -B.d_inverse[j], h.c[j]);
  sum.put(Omega);
}

// The inboard half is one rigid body whose frame is its outboard end: motion and wrenches pass unchanged.
void join_on_rigid(const DcaEnds& A, const DcaEnds& B, bool open, DcaEnds& out) {
  out.P = A.P;
  add(out.P, B.P);
  out.z = A.z + B.z;
  if (!open) return;
  out.Bt = B.Bt;
  out.Omega = B.Omega;
  out.y = B.y;
}

// Eliminates hinge speeds one after the other, as in aba, and adds their compliance to the outboard end.
void eliminate_hinge(const DcaJob& job, const Link& link, int i, bool open, DcaEnds& ends) {
  DcaData& ws = job.ws;
  const LinkFrame& f = job.kin().links[i];
  const Spatial* H = job.kin().hinge_map(link);
  double* e = ws.e.data() + link.v;
  for (int k = 0; k < link.nr; ++k) e[k] = job.u[link.v + k];
  if (link.passive) add_passive_force(link, job.q + link.q, job.v + link.v, e);
  double scale[6], loss = 0;
  const Mat6 alone = body_inertia(f.m, f.s, f.J);
  for (int k = 0; k < link.nr; ++k) scale[k] = inertia_scale(ends.P, H[k]) + inertia_scale(alone, H[k]);
  for (int k = 0; k < link.nr; ++k) {
    const Spatial PH = ends.P * H[k];
    const double D = dot(H[k], PH) + link.armature[k];
    const double inverse = 1 / D;
    loss = std::max(loss, D > 0 ? scale[k] * inverse : std::numeric_limits<double>::infinity());
    e[k] -= dot(H[k], ends.z);
    ws.PH[link.v + k] = PH;
    ws.D_inverse[link.v + k] = inverse;
    ends.z += PH * (inverse * e[k]);
    Mat6Registers sum = Mat6Registers::from(ends.P);
    sum.add(PH * -inverse, PH);
    sum.put(ends.P);
    if (!open) continue;
    const Spatial BH = transposed_times(ends.Bt, H[k]);
    ws.BH[link.v + k] = BH;
    ends.y += BH * (inverse * e[k]);
    sum = Mat6Registers::from(ends.Bt);
    sum.add(PH * -inverse, BH);
    sum.put(ends.Bt);
    sum = Mat6Registers::from(ends.Omega);
    sum.add(BH * inverse, BH);
    sum.put(ends.Omega);
  }
  ends.loss = std::max(ends.loss, loss);
}

}  // namespace

void close_joint(const DcaJob& job, int p) {
  const DcaPart& part = job.ws.tree.parts[p];
  DcaEnds& ends = job.ws.ends[p];
  if (!(ends.loss <= kMaxLoss)) return;
  const int i = part.first;
  const Link& link = job.layout.links[i];
  const LinkFrame& f = job.kin().links[i];
  if (job.is_prescribed(i)) {
    const Spatial given = times(job.kin().hinge_map(link), job.vdot + link.v, link.nr);
    ends.z += ends.P * given;
    if (part.open) ends.y += transposed_times(ends.Bt, given);
  } else {
    eliminate_hinge(job, link, i, part.open, ends);
  }
  ends.P = back_across(f, ends.P);
  ends.z = back_across(f, ends.z);
  if (!part.open) return;
  for (int j = 0; j < 6; ++j) ends.Bt.c[j] = back_across(f, ends.Bt.c[j]);
}

//   f_between = T (B_A a + y_A) + (1 - T Omega_A) (z_B + B_B^T f)          theory §6
void join_parts(const DcaJob& job, int p) {
  const DcaPart& part = job.ws.tree.parts[p];
  DcaEnds& out = job.ws.ends[p];
  const DcaEnds& A = job.ws.ends[part.left];
  DcaEnds& B = job.ws.ends[part.right];
  out.loss = std::max(A.loss, B.loss);
  if (!(out.loss <= kMaxLoss)) return;
  if (job.ws.tree.parts[part.left].rigid) return join_on_rigid(A, B, part.open, out);
  out.loss = std::max(out.loss, product_size(B.P, A.Omega));
  if (!(out.loss <= kMaxLoss)) return;
  Mat6 N;
  factor_between(B.P, A.Omega, N.c, B.d_inverse);
  B.P = N;
  Mat6 g;
  for (int j = 0; j < 6; ++j) g.c[j] = A.Bt * N.c[j];
  Mat6Registers sum = Mat6Registers::from(A.P);
  for (int j = 0; j < 6; ++j) sum.add(g.c[j] * B.d_inverse[j], g.c[j]);
  sum.put(out.P);
  const Spatial f_c = B.z + times_T(B, A.y - A.Omega * B.z);
  out.z = A.z + A.Bt * f_c;
  if (!part.open) return;
  out.y = B.y + transposed_times(B.Bt, A.y - A.Omega * f_c);
  join_outboard(A, B, g, out.Bt, out.Omega);
}

void part_ends(const DcaJob& job, int p, Spatial f, Spatial& f_between, Spatial& a_between) {
  const DcaPart& part = job.ws.tree.parts[p];
  const DcaEnds& A = job.ws.ends[part.left];
  const DcaEnds& B = job.ws.ends[part.right];
  const Spatial a = job.ws.a[part.first];
  const Spatial w = part.open ? B.z + B.Bt * f : B.z;
  if (job.ws.tree.parts[part.left].rigid) {
    f_between = B.P * a + w;
    a_between = a;
    return;
  }
  const Spatial t = transposed_times(A.Bt, a) + A.y;
  f_between = w + times_T(B, t - A.Omega * w);
  a_between = t - A.Omega * f_between;
}

void enter_joint(const DcaJob& job, int p, Spatial a_inboard, Spatial f_inboard, Spatial f) {
  DcaData& ws = job.ws;
  const DcaPart& part = ws.tree.parts[p];
  const int i = part.first;
  const Link& link = job.layout.links[i];
  const LinkFrame& frame = job.kin().links[i];
  const Spatial* H = job.kin().hinge_map(link);
  Spatial a = across(frame, a_inboard);
  const bool given = job.is_prescribed(i);
  for (int k = link.nr - 1; k >= 0; --k) {
    double& betadot = job.vdot[link.v + k];
    if (!given) {
      double e = ws.e[link.v + k] - dot(ws.PH[link.v + k], a);
      if (part.open) e -= dot(ws.BH[link.v + k], f);
      betadot = ws.D_inverse[link.v + k] * e;
    }
    a += H[k] * betadot;
  }
  ws.a[i] = a;
  if (!given || job.tau_out == nullptr) return;
  // The torque required by the prescribed motion: H^T times the wrench, in the body's frame.
  const Vec4d force = frame.Rt * f_inboard.lin;
  const Spatial f_R{frame.Rt * (f_inboard.ang - cross(frame.r, f_inboard.lin)), force};
  double passive[6] = {};
  if (link.passive) add_passive_force(link, job.q + link.q, job.v + link.v, passive);
  for (int k = 0; k < link.nr; ++k) {
    job.tau_out[link.v + k] = dot(H[k], f_R) + link.armature[k] * job.vdot[link.v + k] - passive[k];
  }
}

}  // namespace limber
