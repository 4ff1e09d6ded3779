// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "eliminate.hpp"

// Beams: bodies whose modes are bending in y, bending in z and torsion, in this order, with one moving node at most. Of
// two shapes of a beam one integral is not zero, of the column of a mode at the node two numbers; beam_tables.cpp
// verifies it, number by number.  At most five combinations of the modes move the node, the active coordinates of
// theory §5, in the order y1 z1 t y2 z2:
//   turn about z  = ly0 y1      turn about y  = lz0 z1      turn about x = lt t
//   shift along y = ly1 y1 + ly2 y2      shift along z = lz1 z1 + lz2 z2
namespace limber::LIMBER_BATCH_MACHINE {

// How many modes of each family: constants of the compiled code, or numbers.
template <class Y, class Z, class X>
struct Families {
  Y y;
  Z z;
  X t;
  LIMBER_KERNEL auto count() const { return sum_of(sum_of(y, z), t); }
};
using UsualFamilies = Families<Size<2>, Size<2>, Size<1>>;
using LongFamilies = Families<Size<4>, Size<4>, Size<2>>;
template <class F>
inline constexpr bool kIsUsual = std::is_same_v<F, UsualFamilies>;
template <class F>
using CountOf = std::remove_const_t<decltype(F{}.count())>;

// The body's numbers, those of a mode, and those of a mode with each of the modes.
template <class J>
LIMBER_KERNEL auto beam_head(const J& job, const BatchLink& link) {
  return job.numbers(link.beam);
}
template <class J>
LIMBER_KERNEL auto beam_mode(const J& job, const BatchLink& link, int a) {
  return job.numbers(link.beam) + (kBeamHead + kBeamMode * a);
}
template <class J, class F>
LIMBER_KERNEL auto beam_pairs(const J& job, const BatchLink& link, F f, int a) {
  return job.numbers(link.beam) + (kBeamHead + (kBeamMode + a) * f.count());
}

// Sum over the modes of one family.
template <class T, class A, class E, class N>
LIMBER_KERNEL T family_sum(A pairs, const E& x, int first, N count) {
  T sum = T{};
  over(
      count, LIMBER_OVER(j) { sum += pairs[first + j] * x[first + j]; });
  return sum;
}

// The node, as move_node.
template <class J, class T, class F>
LIMBER_STEP void move_beam_node(const J& job, const BatchLink& link, const BatchNode& node, F f,
                                const T* LIMBER_ALONE e, const T* LIMBER_ALONE rate, NodeFrame<T>& LIMBER_ALONE out) {
  T theta[3] = {}, theta_rate[3] = {};
  copy<3>(node.position, out.l);
  clear<3>(out.l_rate);
  clear<3>(out.l_bias);
  over(
      f.y, LIMBER_OVER(i) {
        const auto mode = beam_mode(job, link, i);
        theta[2] += mode[kBeamTurn] * e[i], theta_rate[2] += mode[kBeamTurn] * rate[i];
        out.l[1] += mode[kBeamShift] * e[i], out.l_rate[1] += mode[kBeamShift] * rate[i];
      });
  over(
      f.z, LIMBER_OVER(i) {
        const int a = f.y + i;
        const auto mode = beam_mode(job, link, a);
        theta[1] += mode[kBeamTurn] * e[a], theta_rate[1] += mode[kBeamTurn] * rate[a];
        out.l[2] += mode[kBeamShift] * e[a], out.l_rate[2] += mode[kBeamShift] * rate[a];
      });
  over(
      f.t, LIMBER_OVER(i) {
        const int a = f.y + f.z + i;
        const auto mode = beam_mode(job, link, a);
        theta[0] += mode[kBeamTurn] * e[a], theta_rate[0] += mode[kBeamTurn] * rate[a];
      });
  turn_node(node, theta, theta_rate, out);
}

template <class F>
struct BeamNode {
  F f;
  template <class J, class T, class N>
  LIMBER_KERNEL void operator()(const J& job, const BatchLink& link, const BatchNode& node, N, const T* e,
                                const T* rate, NodeFrame<T>& out) const {
    move_beam_node(job, link, node, f, e, rate, out);
  }
};

// What the sums over the modes of a beam need of its motion, and where they go.  N = (tr Cdot 1 - Cdot): C has the
// numbers of the pairs, of which one each is not zero.  E: where modes and their rates are read.
template <class T, class E = const T*>
struct BeamSums {
  const T *w, *wd, *vd;
  E e, rate;
  T xx, yy, zz, xy, xz, yz, w2[3];
  T J[6], s[3], N[9], s_rate[3];
  T *F, *own, *p_f;
};
// The sums in one pass, or in three with fewer numbers at a time; `own` is for these.
enum BeamPass { kShapePass = 1, kRatePass = 2, kForcePass = 4, kAllPasses = 7 };

// Of one mode: sums over its own family and over the two others.
template <class T>
struct ModePairs {
  T own, F0, F1;
};
template <int Pass, class T, class A, class E, class N, class N0, class N1>
LIMBER_KERNEL ModePairs<T> pairs_of(A pair, int a, int first, N count, int first0, N0 count0, int first1, N1 count1,
                                    BeamSums<T, E>& s) {
  if constexpr ((Pass & kShapePass) == 0) return {s.own[a], s.F[2 * a], s.F[2 * a + 1]};
  const ModePairs<T> sums = {family_sum<T>(pair, s.e, first, count), family_sum<T>(pair, s.e, first0, count0),
                             family_sum<T>(pair, s.e, first1, count1)};
  s.F[2 * a] = sums.F0, s.F[2 * a + 1] = sums.F1;
  if constexpr (Pass == kShapePass) s.own[a] = sums.own;
  return sums;
}

// Bending in y, one mode.  F: the two numbers of F_a that vary, in the order x y z; the third is kBeamF.
template <int Pass, class J, class T, class E, class Fam>
LIMBER_KERNEL void add_bending_y(const J& job, const BatchLink& link, Fam f, int a, BeamSums<T, E>& s) {
  const auto mode = beam_mode(job, link, a);
  const auto pair = beam_pairs(job, link, f, a);
  const int z0 = f.y, t0 = f.y + f.z;
  const auto [own, F0, F1] = pairs_of<Pass>(pair, a, 0, f.y, z0, f.z, t0, f.t, s);
  const T x = s.e[a], rest = x - own;
  if constexpr ((Pass & kForcePass) != 0) {
    const T F0_rate = family_sum<T>(pair, s.rate, z0, f.z), F1_rate = family_sum<T>(pair, s.rate, t0, f.t);
    s.p_f[a] = mode[kBeamF] * s.wd[2] + mode[kBeamS] * s.vd[1] - (s.xx + s.zz) * x + own * (s.xx - s.yy) -
               mode[kBeamH] * s.xy - F0 * (s.yz - s.wd[0]) + F1 * (s.xz + s.wd[1]) + F0_rate * s.w2[0] +
               F1_rate * s.w2[1];
  }
  if constexpr ((Pass & kShapePass) != 0) {
    T* I = s.J;
    I[0] += x * rest, I[1] += x * own, I[2] += x * x;
    I[3] += mode[kBeamH] * x, I[4] -= x * F1, I[5] += x * F0;
    s.s[1] += mode[kBeamS] * x;
  }
  if constexpr ((Pass & kRatePass) != 0) {
    const T v = s.rate[a];
    T* N = s.N;
    N[0] += v * rest, N[4] += v * own, N[8] += v * x;
    N[1] += mode[kBeamM1] * v, N[3] += mode[kBeamM2] * v, N[2] -= v * F1, N[5] += v * F0;
    s.s_rate[1] += mode[kBeamS] * v;
  }
}
template <int Pass, class J, class T, class E, class Fam>
LIMBER_KERNEL void add_bending_z(const J& job, const BatchLink& link, Fam f, int a, BeamSums<T, E>& s) {
  const auto mode = beam_mode(job, link, a);
  const auto pair = beam_pairs(job, link, f, a);
  const int z0 = f.y, t0 = f.y + f.z;
  const auto [own, F0, F2] = pairs_of<Pass>(pair, a, z0, f.z, 0, f.y, t0, f.t, s);
  const T x = s.e[a], rest = x - own;
  if constexpr ((Pass & kForcePass) != 0) {
    const T F0_rate = family_sum<T>(pair, s.rate, 0, f.y), F2_rate = family_sum<T>(pair, s.rate, t0, f.t);
    s.p_f[a] = mode[kBeamF] * s.wd[1] + mode[kBeamS] * s.vd[2] - (s.xx + s.yy) * x + own * (s.xx - s.zz) -
               mode[kBeamH] * s.xz + F0 * (s.yz + s.wd[0]) - F2 * (s.xy - s.wd[2]) + F0_rate * s.w2[0] +
               F2_rate * s.w2[2];
  }
  if constexpr ((Pass & kShapePass) != 0) {
    T* I = s.J;
    I[0] += x * rest, I[1] += x * x, I[2] += x * own;
    I[3] += x * F2, I[4] += mode[kBeamH] * x;
    s.s[2] += mode[kBeamS] * x;
  }
  if constexpr ((Pass & kRatePass) != 0) {
    const T v = s.rate[a];
    T* N = s.N;
    N[0] += v * rest, N[4] += v * x, N[8] += v * own;
    N[2] += mode[kBeamM2] * v, N[6] += mode[kBeamM1] * v, N[1] += v * F2, N[7] -= v * F0;
    s.s_rate[2] += mode[kBeamS] * v;
  }
}
template <int Pass, class J, class T, class E, class Fam>
LIMBER_KERNEL void add_torsion(const J& job, const BatchLink& link, Fam f, int a, BeamSums<T, E>& s) {
  const auto mode = beam_mode(job, link, a);
  const auto pair = beam_pairs(job, link, f, a);
  const int z0 = f.y, t0 = f.y + f.z;
  const auto [own, F1, F2] = pairs_of<Pass>(pair, a, t0, f.t, 0, f.y, z0, f.z, s);
  const T x = s.e[a], rest = x - own;
  if constexpr ((Pass & kForcePass) != 0) {
    const T F1_rate = family_sum<T>(pair, s.rate, 0, f.y), F2_rate = family_sum<T>(pair, s.rate, z0, f.z);
    s.p_f[a] = mode[kBeamF] * s.wd[0] - (s.xx + s.zz) * x + own * (s.zz - s.yy) - mode[kBeamH] * s.yz +
               F1 * (s.wd[1] - s.xz) + F2 * (s.wd[2] + s.xy) + F1_rate * s.w2[1] + F2_rate * s.w2[2];
  }
  if constexpr ((Pass & kShapePass) != 0) {
    T* I = s.J;
    I[0] += x * x, I[1] += x * own, I[2] += x * rest, I[5] += mode[kBeamH] * x;
  }
  if constexpr ((Pass & kRatePass) != 0) {
    const T v = s.rate[a];
    T* N = s.N;
    N[0] += v * x, N[4] += v * own, N[8] += v * rest;
    N[7] += mode[kBeamM2] * v, N[5] += mode[kBeamM1] * v, N[6] += v * F1, N[3] -= v * F2;
  }
}
template <int Pass, class J, class T, class E, class Fam>
LIMBER_KERNEL void add_modes(const J& job, const BatchLink& link, Fam f, BeamSums<T, E>& s) {
  over(
      f.y, LIMBER_OVER(i) { add_bending_y<Pass>(job, link, f, i, s); });
  over(
      f.z, LIMBER_OVER(i) { add_bending_z<Pass>(job, link, f, f.y + i, s); });
  over(
      f.t, LIMBER_OVER(i) { add_torsion<Pass>(job, link, f, f.y + f.z + i, s); });
}
template <class T, class E>
LIMBER_KERNEL void set_squares(BeamSums<T, E>& s) {
  const T* w = s.w;
  s.xx = w[0] * w[0], s.yy = w[1] * w[1], s.zz = w[2] * w[2];
  s.xy = w[0] * w[1], s.xz = w[0] * w[2], s.yz = w[1] * w[2];
}
// p_r, out of the sums.
template <class T, class E>
LIMBER_KERNEL void finish_sums(BeamSums<T, E>& s, BodyTerms<T>& out) {
  T gyroscopic[3];
  turn(s.N, s.w2, gyroscopic);
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) s.s_rate[i] += s.s_rate[i];
  add_rigid_forces(s.w, s.wd, s.vd, s.s_rate, gyroscopic, out);
}

// As contract of body.hpp; motion: Motion.
template <class J, class T, class Fam>
LIMBER_STEP void beam_terms(const J& job, const BatchLink& link, Fam f, const T* LIMBER_ALONE e,
                            const T* LIMBER_ALONE rate, const T* LIMBER_ALONE motion, T* LIMBER_ALONE F,
                            T* LIMBER_ALONE p_f, BodyTerms<T>& LIMBER_ALONE out) {
  BeamSums<T> s;
  s.w = motion, s.wd = motion + 3, s.vd = motion + 6, s.e = e, s.rate = rate, s.F = F, s.p_f = p_f;
  set_squares(s);
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) s.w2[i] = s.w[i] + s.w[i];
  clear<9>(s.N), clear<3>(s.s_rate);
  start_terms(job, link, out);
  copy<3>(out.s, s.s), copy<6>(out.J, s.J);
  add_modes<kAllPasses>(job, link, f, s);
  copy<3>(s.s, out.s), copy<6>(s.J, out.J);
  finish_sums(s, out);
}

// A beam while its modes leave, in the order of the active coordinates.
template <class T>
struct BeamColumns {
  T mu[6 * kBeamColumns], b[kBeamColumns], D[kBeamColumns * kBeamColumns], inverse[kBeamColumns];
};
template <class T>
LIMBER_KERNEL void read_diagonal(const Inertia<T>& P, T* out) {
  copy<3>(P.A, out), copy<3>(P.C, out + 3);
}

// Columns of the active coordinates: the two numbers of each that vary, and its force.
template <class J, class T, class Fam>
LIMBER_KERNEL void beam_columns(const J& job, const BatchLink& link, Fam f, const T* LIMBER_ALONE F,
                                const T* LIMBER_ALONE b_f, T* LIMBER_ALONE own, T* LIMBER_ALONE b) {
  // sums over a family, with row `q` of the combinations
  const auto combine = [&](int c, int first, auto count, int q) LIMBER_LAMBDA {
    T u = T{}, v = T{}, force = T{};
    over(
        count, LIMBER_OVER(i) {
          const int a = first + i;
          const double share = beam_mode(job, link, a)[q];
          u += share * F[2 * a], v += share * F[2 * a + 1], force += share * b_f[a];
        });
    own[2 * c] = u, own[2 * c + 1] = v, b[c] = force;
  };
  combine(0, 0, f.y, kBeamQ1), combine(3, 0, f.y, kBeamQ2);
  combine(1, f.y, f.z, kBeamQ1), combine(4, f.y, f.z, kBeamQ2);
  combine(2, f.y + f.z, f.t, kBeamQ1);
}
// Column c: F (3) out of the numbers that vary and the constant one, and the number of S along its axis, 1, 2 or none.
template <class A, class T>
LIMBER_KERNEL void beam_column(A head, int c, const T* own, T* F) {
  const T u = own[2 * c], v = own[2 * c + 1];
  const int family = c % 3, k = c / 3;
  const T constant = spread<T>(head[family == 0 ? kBeamFy + k : family == 1 ? kBeamFz + k : kBeamFt + 0]);
  F[0] = family == 2 ? constant : u;
  F[1] = family == 0 ? v : family == 1 ? constant : u;
  F[2] = family == 0 ? constant : v;
}
template <class A>
LIMBER_KERNEL double beam_S(A head, int c) {
  return c == 2 ? 0.0 : head[(c % 3 == 0 ? kBeamSy : kBeamSz) + c / 3];
}
LIMBER_KERNEL constexpr int beam_axis(int c) { return c == 2 ? 0 : 1 + c % 3; }

// J and the lower left of the inertia less sign weight F (F, S along `axis`)^T; z likewise.
template <class T>
LIMBER_KERNEL void subtract_mode(const T* F, T weight, double S, int axis, T force, Inertia<T>& P) {
  const T u[3] = {weight * F[0], weight * F[1], weight * F[2]};
  P.A[0] -= u[0] * F[0], P.A[1] -= u[1] * F[1], P.A[2] -= u[2] * F[2];
  P.A[3] -= u[0] * F[1], P.A[4] -= u[0] * F[2], P.A[5] -= u[1] * F[2];
  add_times<3>(u, -force, P.z);
  if (axis == 0) return;
  P.z[3 + axis] -= S * (weight * force);
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) P.B[3 * i + axis] -= S * u[i];
}
// The modes that do not move the node leave the body: M - mu weight mu^T + mu_active mu_active^T.
template <class J, class T, class Fam>
LIMBER_RARE void leave_others(const J& job, const BatchLink& link, Fam f, const T* F, const T* b_f, const T* own,
                              const T* b, Inertia<T>& P) {
  const auto head = beam_head(job, link);
  over(
      f.count(), LIMBER_OVER(a) {
        const auto mode = beam_mode(job, link, a);
        const T weight = spread<T>(mode[kBeamWeight]), constant = spread<T>(mode[kBeamF]), u = F[2 * a],
                v = F[2 * a + 1];
        const bool y = a < f.y, z = !y && a < f.y + f.z;
        const T column[3] = {y || z ? u : constant, y ? v : z ? constant : u, y ? constant : v};
        subtract_mode(column, weight, mode[kBeamS], y ? 1 : z ? 2 : 0, b_f[a], P);
      });
  LIMBER_UNROLL
  for (int c = 0; c < kBeamColumns; ++c) {
    T column[3];
    beam_column(head, c, own, column);
    subtract_mode(column, spread<T>(-1.0), beam_S(head, c), beam_axis(c), b[c], P);
  }
  P.C[1] -= spread<T>(head[kBeamRestY]);
  P.C[2] -= spread<T>(head[kBeamRestZ]);
}

// What the node carries, at the node, meets the active coordinates.
template <class J, class T>
LIMBER_STEP void collect_beam(const J& job, const BatchLink& link, const T* LIMBER_ALONE A, const T* LIMBER_ALONE l,
                              const Inertia<T>& LIMBER_ALONE carried, BeamColumns<T>& LIMBER_ALONE out) {
  T* D = out.D;
  const auto head = beam_head(job, link);
  const T ly0 = spread<T>(head[kBeamLy]), lz0 = spread<T>(head[kBeamLz]), lt = spread<T>(head[kBeamLt]);
  const double ly1 = head[kBeamLy + 1], ly2 = head[kBeamLy + 2], lz1 = head[kBeamLz + 1], lz2 = head[kBeamLz + 2];
  const T a0[3] = {ly0 * A[2], ly0 * A[5], ly0 * A[8]}, a1[3] = {lz0 * A[1], lz0 * A[4], lz0 * A[7]},
          a2[3] = {lt * A[0], lt * A[3], lt * A[6]};
  const T *B = carried.B, *C = carried.C, *z = carried.z;
  T* g = out.mu;
  apply_angular(carried, a0, g);
  apply_angular(carried, a1, g + 6);
  apply_angular(carried, a2, g + 12);
  const T along_y[6] = {B[1], B[4], B[7], C[3], C[1], C[5]}, along_z[6] = {B[2], B[5], B[8], C[4], C[5], C[2]};
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) {
    g[i] += ly1 * along_y[i], g[6 + i] += lz1 * along_z[i];
    g[18 + i] = ly2 * along_y[i], g[24 + i] = lz2 * along_z[i];
  }
  D[24] = lz2 * g[29];
  LIMBER_UNROLL
  for (int c = 0; c < kBeamColumns; ++c) {
    const T* column = g + 6 * c;
    D[c] = dot3(a0, column) + ly1 * column[4];
    if (c > 0) D[5 + c] = dot3(a1, column) + lz1 * column[5];
    if (c > 1) D[10 + c] = dot3(a2, column);
    if (c > 2) D[15 + c] = ly2 * column[4];
    D[6 * c] += 1.0;
  }
  out.b[0] = dot3(a0, z) + ly1 * z[4], out.b[1] = dot3(a1, z) + lz1 * z[5], out.b[2] = dot3(a2, z);
  out.b[3] = ly2 * z[4], out.b[4] = lz2 * z[5];
  LIMBER_UNROLL
  for (int c = 0; c < kBeamColumns; ++c) add_cross(l, g + 6 * c + 3, g + 6 * c);
}

// Nothing on the node.
template <class T>
LIMBER_KERNEL void start_alone(BeamColumns<T>& out) {
  clear<30>(out.mu), clear<5>(out.b), clear<25>(out.D);
  LIMBER_UNROLL
  for (int c = 0; c < kBeamColumns; ++c) out.D[6 * c] = spread<T>(1.0);
}

// The body itself: what it adds to the columns and to the inertia.  The columns have the order y1 z1 t y2 z2, with
// zeros where bodies at rest have them.
template <class T>
LIMBER_KERNEL void add_body(const BodyTerms<T>& terms, Inertia<T>& P) {
  add<6>(terms.J, P.A), add<6>(terms.p, P.z);
  const T* s = terms.s;
  P.B[1] -= s[2], P.B[2] += s[1], P.B[3] += s[2], P.B[5] -= s[0], P.B[6] -= s[1], P.B[7] += s[0];
  P.C[0] += terms.m, P.C[1] += terms.m, P.C[2] += terms.m;
}
template <class A, class T>
LIMBER_KERNEL void add_columns(A head, const T* own, const T* b, BeamColumns<T>& out) {
  LIMBER_UNROLL
  for (int c = 0; c < kBeamColumns; ++c) {
    T column[3];
    beam_column(head, c, own, column);
    add<3>(column, out.mu + 6 * c);
    if (c != 2) out.mu[6 * c + 3 + beam_axis(c)] += beam_S(head, c);
    out.b[c] += b[c];
  }
}

// What the body does alone: its terms, the columns F of its modes and their forces b_f.  Loaded: there may be external
// wrenches.
template <bool Loaded, class J, class Fam, class T>
LIMBER_KERNEL void beam_forces(const J& job, const BatchLink& link, Fam f, const T* e, const T* rate, T* F, T* b_f,
                               BodyTerms<T>& terms) {
  const auto n = f.count();
  T motion[kMotion];
  beam_terms(job, link, f, e, rate, job.template view<kMotion>(link.motion, motion), F, b_f, terms);
  if constexpr (Loaded) {
    if (link.first_load < link.last_load) subtract_loads(job, link, e, rate, b_f, terms.p);
  }
  add_diagonal_elastic(job, link, n, e, rate, b_f);
  over(
      n, LIMBER_OVER(a) { b_f[a] -= job.u[link.vm + a]; });
}
// Modes that do not move the node leave P, and what the outward sweep needs of them is kept.  lost: what they take from
// the diagonal of P.
template <class J, class Fam, class T>
LIMBER_KERNEL void beam_rest(const J& job, const BatchLink& link, Fam f, const T* F, const T* b_f, const T* own,
                             const T* b, T* lost, Inertia<T>& P) {
  T after[6];
  read_diagonal(P, lost);
  leave_others(job, link, f, F, b_f, own, b, P);
  read_diagonal(P, after);
  for (int i = 0; i < 6; ++i) lost[i] -= after[i];
  over(
      f.count(), LIMBER_OVER(a) {
        job.put(link.F + 2 * a, F[2 * a]), job.put(link.F + 2 * a + 1, F[2 * a + 1]);
        job.put(link.b + a, b_f[a]);
      });
}
// Both, added to P; own and b as of beam_columns.
template <bool Loaded, class J, class Fam, class T>
LIMBER_KERNEL void beam_alone(const J& job, const BatchLink& link, Fam f, T* scratch, const T* e, const T* rate, T* own,
                              T* b, T* lost, Inertia<T>& P) {
  const auto n = f.count();
  Array<1, T, CountOf<Fam>> b_f(n, scratch);
  Array<2, T, CountOf<Fam>> F(n, scratch);
  BodyTerms<T> terms;
  beam_forces<Loaded>(job, link, f, e, rate, F.x, b_f.x, terms);
  add_body(terms, P);
  beam_columns(job, link, f, F.x, b_f.x, own, b);
  if constexpr (kIsUsual<Fam>) {
    clear<6>(lost);
  } else {
    beam_rest(job, link, f, F.x, b_f.x, own, b, lost, P);
  }
}

// The modes leave.  diagonal: what other modes took from that of P on entry, all of it with the modes on return.
template <class J, class T>
LIMBER_KERNEL void condense_beam(J& job, const BatchLink& link, BeamColumns<T>& c, T* diagonal, Inertia<T>& P) {
  constexpr Size<kBeamColumns> m{};
  T scale[kBeamColumns], now[6];
  LIMBER_UNROLL
  for (int j = 0; j < kBeamColumns; ++j) scale[j] = kNoInertia * c.D[6 * j];
  read_diagonal(P, now);
  add<6>(now, diagonal);
  if constexpr (kStoreIsNear) {
    T u[6 * kBeamColumns];
    factor(job, link, kBeamColumns, m, c.D, c.mu, c.b, u, c.inverse, scale);
    subtract_all(m, static_cast<const T*>(u), c.mu, c.b, P);
  } else {
    factor(job, link, kBeamColumns, m, c.D, c.mu, c.b, static_cast<T*>(nullptr), c.inverse, scale);
    subtract_all(m, Scaled<T>{c.mu, c.inverse}, c.mu, c.b, P);
    LIMBER_UNROLL
    for (int i = 0; i < 6 * kBeamColumns; ++i) c.mu[i] = c.inverse[i / 6] * c.mu[i];
    keep_solution(job, link.columns, link.columns + 6 * kBeamColumns, m, c.D, c.inverse, c.mu, c.b);
  }
}

}  // namespace limber::LIMBER_BATCH_MACHINE
