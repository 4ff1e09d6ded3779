// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The articulated-body recursion in the form of [JR] (63)-(64): the modes of a body are eliminated first, then its
// hinge, all in the bases of the bodies.  theory §6.  `u` are the given forces minus elastic and passive ones.
//
//   inward    P  = M + sum Gamma_h over the attachments, p likewise
//   modes     D_f = H_f P H_f^T = L d L^T    mu = [P_rf P_rr] H_f^T    e_f = u_f - H_f p    y = L^-1 mu^T
//             P_R = P_rr - y d^-1 y^T        z_R = p_r + y d^-1 L^-1 e_f
//   hinge     D_R = H^T P_R H + armature     e_R = u_r - H^T z_R
//             P+  = P_R - P_R H D_R^-1 (P_R H)^T      z+ = z_R + P_R H D_R^-1 e_R
//   outward   betadot = D_R^-1 (e_R - (P_R H)^T a)    a_R = a + H betadot
//             etaddot = L^-T d^-1 (L^-1 e_f - y^T a_R)      a_F = a_R + U etaddot
#include "limber/dynamics/detail/two_stage.hpp"

#include "dynamics/aba/elimination.hpp"

namespace limber {
namespace {

// ---- modes ------------------------------------------------------------------------------------------

// D_f is G plus a sum of terms R^T g of spatial columns (6 x n): Y^T (Gamma Y) of every attachment, and
// P_rf^T U + U^T (P_rf + P_rr U) of a moving inboard attachment.  R is stored by rows, modes in the lanes.
struct Terms {
  Vec4d* R;    // (term x 6 x lanes)
  Spatial* g;  // (term x modes)
  int count = 0;
};

// Begins a term and returns its g.
template <typename N>
LIMBER_INLINE Spatial* add_term(const Spatial* columns, N n, Terms& terms) {
  const int lanes = lane_count(n);
  Vec4d* rows = terms.R + terms.count * 6 * lanes;
  for_each(
      lane_count(n), LIMBER_EACH(c) {
        const Spatial* s = columns + c * kLanes;
        rows_of(s[0].ang, s[1].ang, s[2].ang, s[3].ang, rows + c, lanes);
        rows_of(s[0].lin, s[1].lin, s[2].lin, s[3].lin, rows + 3 * lanes + c, lanes);
      });
  return terms.g + terms.count++ * n;
}

// mu = before + X^T Gamma Y,  P += X^T Gamma X,  and the term Y^T (Gamma Y).
template <typename N>
LIMBER_INLINE void add_attachment(const Mat6& Gamma, Vec4d l, const Spatial* Y, N n, const Spatial* before,
                                  Terms& terms, Spatial* mu, Mat6& P) {
  Spatial* g = add_term(Y, n, terms);
  for_each(
      n, LIMBER_EACH(k) {
        const Spatial wrench = Gamma * Y[k];
        g[k] = wrench;
        mu[k] = before[k] + wrench_from(l, wrench);
      });
  add(P, inertia_from(l, Gamma));
}

// H_f^T = [1; U]: mu = P_rf + P_rr U, and two terms.
void add_inboard_attachment(const Spatial* U, const Mat6& P, int n, Terms& terms, Spatial* mu) {
  Spatial *first = add_term(mu, n, terms), *second = add_term(U, n, terms);
  for (int k = 0; k < n; ++k) {
    mu[k] += P * U[k];
    first[k] = U[k];
    second[k] = mu[k];
  }
}

// A column over the modes: in registers if its size is fixed, otherwise in memory.
template <int N>
struct ModesInRegisters {
  Vec4d lanes[lanes_for(N)];
  ModesInRegisters(Size<N>, Vec4d*) {}
  Vec4d& operator[](int c) { return lanes[c]; }
  void put(Vec4d* memory, int first) {
    for_each(
        Size<lanes_for(N)>{}, LIMBER_EACH(c) {
          if (c >= first) memory[c] = lanes[c];
        });
  }
};
struct ModesInMemory {
  Vec4d* lanes;
  ModesInMemory(int, Vec4d* memory) : lanes(memory) {}
  Vec4d& operator[](int c) { return lanes[c]; }
  void put(Vec4d*, int) {}
};
template <int N>
LIMBER_INLINE ModesInRegisters<N> hold_modes(Size<N> n, Vec4d* memory) {
  return {n, memory};
}
LIMBER_INLINE ModesInMemory hold_modes(int n, Vec4d* memory) { return {n, memory}; }

// Column j of D_f minus the contributions of preceding columns; also y_j -= L_jk y_k.  Returns D_jj.  Registers above
// the diagonal are not written.
template <typename N, typename J>
LIMBER_INLINE double compute_column(const Terms& terms, const double* G, N n, J j, const Vec4d* L, const double* d,
                                    Vec4d* column, Spatial* y) {
  const int lanes = lane_count(n), first = j / kLanes;
  auto sum = hold_modes(n, column);
  for_each(
      lane_count(n), LIMBER_EACH(c) {
        if (c >= first) sum[c] = load(G + (j * lanes + c) * kLanes);
      });
  for (int t = 0; t < terms.count; ++t) {
    const Vec4d* R = terms.R + t * 6 * lanes;
    const Spatial g = terms.g[t * n + j];
    for_each(
        lane_count(n), LIMBER_EACH(c) {
          if (c < first) return;
          for (int i = 0; i < 3; ++i) sum[c] += R[i * lanes + c] * spread(g.ang[i]);
          for (int i = 0; i < 3; ++i) sum[c] += R[(3 + i) * lanes + c] * spread(g.lin[i]);
        });
  }
  const double diagonal = sum[first][j % kLanes];
  Spatial y_j = y[j];
  for_each(
      j, LIMBER_EACH(k) {
        const Vec4d* previous = L + k * lanes;
        const Vec4d l = spread(reinterpret_cast<const double*>(previous)[j]), f = l * spread(d[k]);
        for_each(
            lane_count(n), LIMBER_EACH(c) {
              if (c >= first) sum[c] -= f * previous[c];
            });
        y_j = {y_j.ang - l * y[k].ang, y_j.lin - l * y[k].lin};
      });
  y[j] = y_j;
  sum.put(column, first);
  return diagonal;
}

// Masks for the lanes below the diagonal.
constexpr Vec4d kBelow[kLanes] = {{0, 1, 1, 1}, {0, 0, 1, 1}, {0, 0, 0, 1}, {0, 0, 0, 0}};

// Left-looking factorisation D_f = L d L^T by columns, and y = L^-1 mu^T.  L is stored with zeros on its diagonal and
// above it in the same register.  Returns the mode without inertia, or -1.
template <typename N>
LIMBER_INLINE int factor(const Terms& terms, const double* G, N n, Vec4d* L, double* d, double* d_inverse, Spatial* y) {
  const int lanes = lane_count(n);
  int failure = -1;
  for_each(
      n, LIMBER_EACH(j) {
        Vec4d* column = L + j * lanes;
        const double diagonal = compute_column(terms, G, n, j, L, d, column, y);
        d[j] = reinterpret_cast<const double*>(column)[j];
        if (!(d[j] > kNoInertia * diagonal) && failure < 0) failure = j;
        d_inverse[j] = 1 / d[j];
        const int first = j / kLanes;
        column[first] *= spread(d_inverse[j]) * kBelow[j % kLanes];
        for_each(
            lane_count(n), LIMBER_EACH(c) {
              if (c > first) column[c] *= spread(d_inverse[j]);
            });
      });
  return failure;
}

// The terms of a moving inboard attachment may cancel G and those of the attachments; a pivot that is only their
// rounding error counts as zero.  Returns the mode without inertia, or -1.
int find_cancelled(const Layout& layout, const Link& link, const TwoStageData& ws, const Terms& terms,
                   const double* G) {
  const int n = link.n, width = kLanes * lanes_for(n);
  for (int j = 0; j < n; ++j) {
    double scale = G[j * width + j];
    for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
      scale += dot(ws.kin.columns[layout.attachments[h].columns + j], terms.g[(h - link.attachment_begin) * n + j]);
    }
    if (!(ws.d[j] > kNoInertia * scale)) return j;
  }
  return -1;
}

// Writes P_R to body.P.  Returns the mode without inertia, or -1.
template <typename N>
int factor_mode_block(N n, const Layout& layout, const Link& link, int i, TwoStageData& ws) {
  const Kinematics& kin = ws.kin;
  Spatial* y = &ws.y[link.columns];
  const Spatial* mu = &kin.columns[link.columns];
  Mat6& P = ws.bodies[i].P;
  Terms terms{ws.R.data(), ws.g.data()};
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
    const Spatial* Y = &kin.columns[layout.attachments[h].columns];
    add_attachment(ws.attachments[h].Gamma, kin.attachments[h].l, Y, n, terms.count == 0 ? mu : y, terms, y, P);
  }
  if (terms.count == 0)
    for_each(
        n, LIMBER_EACH(k) { y[k] = mu[k]; });
  if (link.inboard >= 0) add_inboard_attachment(&kin.columns[link.inboard_columns], P, n, terms, y);
  double* d_inverse = &ws.d_inverse[link.scalars];
  const double* G = kin.modal_mass(link, static_cast<std::size_t>(i));
  int failure = factor(terms, G, n, &ws.L[ws.factor_begin[i]], ws.d.data(), d_inverse, y);
  if (failure < 0 && link.inboard >= 0) failure = find_cancelled(layout, link, ws, terms, G);
  Mat6Registers P_R = Mat6Registers::from(P);
  for_each(
      n, LIMBER_EACH(k) { P_R.add(y[k] * -d_inverse[k], y[k]); });
  P_R.put(P);
  return failure;
}

// Writes z_R to body.z and L^-1 e_f to e_f, which holds u_f - p_f on entry.
template <typename N>
void reduce_modes(N n, const Layout& layout, const Link& link, int i, TwoStageData& ws) {
  const Kinematics& kin = ws.kin;
  Spatial z = ws.bodies[i].z;
  double* e = &ws.e_f[link.scalars];
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
    const Spatial z_h = ws.attachments[h].z;
    add_times_transposed(&kin.columns[layout.attachments[h].columns], z_h * -1, n, e);
    z += wrench_from(kin.attachments[h].l, z_h);
  }
  if (link.inboard >= 0) add_times_transposed(&kin.columns[link.inboard_columns], z * -1, n, e);
  const int lanes = lane_count(n);
  const Vec4d* L = &ws.L[ws.factor_begin[i]];
  const double* d_inverse = &ws.d_inverse[link.scalars];
  const Spatial* y = &ws.y[link.columns];
  Vec4d* in_memory = reinterpret_cast<Vec4d*>(e);
  auto column = hold_modes(n, in_memory);
  for_each(
      lane_count(n), LIMBER_EACH(c) { column[c] = in_memory[c]; });
  for_each(
      n, LIMBER_EACH(k) {
        const Vec4d e_k = spread(column[k / kLanes][k % kLanes]), scaled = e_k * spread(d_inverse[k]);
        for_each(
            lane_count(n), LIMBER_EACH(c) {
              if (c >= k / kLanes) column[c] -= e_k * L[k * lanes + c];
            });
        z = {z.ang + y[k].ang * scaled, z.lin + y[k].lin * scaled};
      });
  column.put(in_memory, 0);
  ws.bodies[i].z = z;
}

// Computes etaddot, body.a, which holds a_R on entry, and the accelerations of the attachments.
template <typename N>
void accelerate_modes(N n, const Layout& layout, const Link& link, int i, TwoStageData& ws, double* etaddot) {
  const Kinematics& kin = ws.kin;
  const int lanes = lane_count(n);
  Spatial a = ws.bodies[i].a;
  double* t = &ws.e_f[link.scalars];
  const Vec4d* L = &ws.L[ws.factor_begin[i]];
  const double* d_inverse = &ws.d_inverse[link.scalars];
  const Spatial* y = &ws.y[link.columns];
  for_each(
      lane_count(n), LIMBER_EACH(c) {
        store(t + c * kLanes, load(d_inverse + c * kLanes) * (load(t + c * kLanes) - four_dots(y + c * kLanes, a)));
      });
  for_each(
      n, LIMBER_EACH(from_end) {
        const int k = n - 1 - from_end;
        Vec4d known = zero();
        for_each(
            lane_count(n), LIMBER_EACH(c) {
              if (c >= k / kLanes) known += L[k * lanes + c] * load(t + c * kLanes);
            });
        etaddot[k] = t[k] -= sum(known);
      });
  if (link.inboard >= 0) a += times(&kin.columns[link.inboard_columns], t, n);
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
    ws.attachments[h].a = twist_at(kin.attachments[h].l, a) + times(&kin.columns[layout.attachments[h].columns], t, n);
  }
  ws.bodies[i].a = a;
}

// ---- hinges -----------------------------------------------------------------------------------------

// Scale of each hinge pivot, from P before the elimination of the modes, which rounds at that scale.
LIMBER_INLINE void hinge_scales(const Link& link, const Spatial* H, const TwoStageData& ws, const Mat6& P,
                                double* scale) {
  for (int k = 0; k < link.nr; ++k) {
    scale[k] = inertia_scale(P, H[k]);
    for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
      scale[k] += inertia_scale(ws.attachments[h].Gamma, twist_at(ws.kin.attachments[h].l, H[k]));
    }
  }
}

// Eliminates the speeds one after the other, which is equivalent to a block elimination.  Returns the speed without
// inertia, or -1.
LIMBER_INLINE int factor_hinge(const Link& link, const Spatial* H, const double* scale, Mat6& P, TwoStageData& ws) {
  for (int k = 0; k < link.nr; ++k) {
    const Spatial PH = P * H[k];
    const double D = dot(H[k], PH) + link.armature[k];
    if (!(D > kNoInertia * scale[k])) return k;
    ws.PH[link.v + k] = PH;
    ws.D_inverse[link.v + k] = 1 / D;
    Mat6Registers sum = Mat6Registers::from(P);
    sum.add(PH * (-1 / D), PH);
    sum.put(P);
  }
  return -1;
}

// ---- sweeps -----------------------------------------------------------------------------------------

// P, p and u of the body alone.
void start_body(const Link& link, int i, const double* u, TwoStageData& ws) {
  const LinkFrame& f = ws.kin.links[i];
  ws.bodies[i].P = body_inertia(f.m, f.s, f.J);
  ws.bodies[i].z = f.p;
  for (int k = link.v; k < link.v + link.nr; ++k) ws.e_R[k] = u[k];
  if (link.passive) add_passive_force(link, &ws.kin.q[link.q], &ws.kin.v[link.v], &ws.e_R[link.v]);
  if (link.n == 0) return;
  double* e = &ws.e_f[link.scalars];
  const double* p = &ws.kin.p_f[link.scalars];
  with_size(link.n, [&](auto n) {
    store(e + (lane_count(n) - 1) * kLanes, zero());  // the padding
    for_each(
        n, LIMBER_EACH(k) { e[k] = p[k]; });
    add_elastic_force(*link.constants, &ws.kin.eta[link.scalars], &ws.kin.etadot[link.scalars], e);
    for_each(
        n, LIMBER_EACH(k) { e[k] = u[link.vm + k] - e[k]; });
  });
}

// Inward: inertias.  Returns the speed without inertia, or -1.
int inward_inertia(const Layout& layout, int i, TwoStageData& ws) {
  const Link& link = layout.links[i];
  const Spatial* H = ws.kin.hinge_map(link);
  double scale[6];
  hinge_scales(link, H, ws, ws.bodies[i].P, scale);
  if (link.n > 0) {
    const int k = with_size(link.n, [&](auto n) { return factor_mode_block(n, layout, link, i, ws); });
    if (k >= 0) return link.vm + k;
  }
  Mat6 P = ws.bodies[i].P;
  if (const int k = factor_hinge(link, H, scale, P, ws); k >= 0) return link.v + k;
  if (link.parent == kGround) return -1;
  const Mat6 on_inboard = back_across(ws.kin.links[i], P);
  if (link.attachment < 0) {
    add(ws.bodies[link.parent].P, on_inboard);
  } else if (link.opens_attachment) {
    ws.attachments[link.attachment].Gamma = on_inboard;
  } else {
    add(ws.attachments[link.attachment].Gamma, on_inboard);
  }
  return -1;
}

// Inward: bias wrenches.
void inward_force(const Layout& layout, int i, TwoStageData& ws) {
  const Link& link = layout.links[i];
  if (link.n > 0) with_size(link.n, [&](auto n) { reduce_modes(n, layout, link, i, ws); });
  Spatial z = ws.bodies[i].z;
  const Spatial* H = ws.kin.hinge_map(link);
  for (int k = link.v; k < link.v + link.nr; ++k) {
    ws.e_R[k] -= dot(H[k - link.v], z);
    z += ws.PH[k] * (ws.D_inverse[k] * ws.e_R[k]);
  }
  if (link.parent == kGround) return;
  const Spatial on_inboard = back_across(ws.kin.links[i], z);
  if (link.attachment < 0) {
    ws.bodies[link.parent].z += on_inboard;
  } else if (link.opens_attachment) {
    ws.attachments[link.attachment].z = on_inboard;
  } else {
    ws.attachments[link.attachment].z += on_inboard;
  }
}

// Outward: accelerations, hinge speeds in reverse order of elimination.
void outward_acceleration(const Layout& layout, int i, TwoStageData& ws, double* vdot) {
  const Link& link = layout.links[i];
  Spatial a =
      across(ws.kin.links[i], link.attachment >= 0 ? ws.attachments[link.attachment].a : ws.bodies[link.parent].a);
  const Spatial* H = ws.kin.hinge_map(link);
  for (int k = link.nr - 1; k >= 0; --k) {
    vdot[link.v + k] = ws.D_inverse[link.v + k] * (ws.e_R[link.v + k] - dot(ws.PH[link.v + k], a));
    a += H[k] * vdot[link.v + k];
  }
  ws.bodies[i].a = a;
  if (link.n > 0) with_size(link.n, [&](auto n) { accelerate_modes(n, layout, link, i, ws, vdot + link.vm); });
}

}  // namespace

TwoStageData::TwoStageData(const Model& model) : kin(model) {
  refuse_rotors(model, "two_stage");
  const Layout& layout = *model.layout;
  bodies.resize(layout.links.size());
  attachments.resize(layout.attachments.size());
  e_f.assign(layout.scalars, 0);
  d_inverse = e_f;
  y.assign(layout.columns, zero_spatial());
  for (const Link& link : layout.links) {
    factor_begin.push_back(L.size());
    L.resize(L.size() + static_cast<std::size_t>(link.n) * lanes_for(link.n), zero());
  }
  PH.assign(model.nv, zero_spatial());
  D_inverse.assign(model.nv, 0);
  e_R = D_inverse;
  // Terms of D_f: one per outboard attachment, two for the inboard one.
  const std::size_t terms = static_cast<std::size_t>(layout.max_attachments) + 2;
  R.resize(terms * 6 * lanes_for(layout.max_modes));
  g.resize(terms * layout.max_modes);
  d.assign(layout.max_modes, 0);
}

Status two_stage(const Model& model, const State& x, const Forces& forces, TwoStageData& ws, Vec vdot) {
  check_sizes(model, x, forces.tau, vdot);
  const Layout& layout = *model.layout;
  const int count = static_cast<int>(layout.links.size());
  ws.failure = -1;
  compute_bias(model, x, forces.wrenches, ws.kin);
  for (int i = 1; i < count; ++i) start_body(layout.links[i], i, forces.tau.data(), ws);
  for (int i = count - 1; i > 0; --i) {
    ws.failure = inward_inertia(layout, i, ws);
    if (ws.failure >= 0) return x.q.allFinite() ? Status::singular_mass : Status::not_finite;
    inward_force(layout, i, ws);
  }
  ws.bodies[0].a = zero_spatial();
  for (int i = 1; i < count; ++i) outward_acceleration(layout, i, ws, vdot.data());
  for_motors(layout, [&](const Link& link, int, int m) {
    vdot[m] = (forces.tau[m] + motor_reaction(link, x.q.data(), x.v.data())) / link.motor.inertia;
  });
  return is_finite(vdot) ? Status::ok : Status::not_finite;
}

}  // namespace limber
