// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/detail/aba.hpp"

// Articulated inertias with a wrench in the fourth lanes.  Results are written in place, because g++ copies structs of
// registers through memory.
namespace limber {

// Component k of a vector in all lanes.
template <int K>
LIMBER_INLINE Vec4d lane(Vec4d a) {
  return __builtin_shufflevector(a, a, K, K, K, K);
}
// (a0, a1, a2, w3).
LIMBER_INLINE Vec4d with_last(Vec4d a, Vec4d w) { return __builtin_shufflevector(a, w, 0, 1, 2, 7); }
LIMBER_INLINE Vec4d without_last(Vec4d a) { return with_last(a, zero()); }

LIMBER_INLINE Block transpose(const Block& m) {
  Vec4d t[4];
  transpose3(m.x, m.y, m.z, t);
  return {t[0], t[1], t[2]};
}
LIMBER_INLINE void set(Block& m, const Block& other) { m.x = other.x, m.y = other.y, m.z = other.z; }
LIMBER_INLINE void add(Block& m, const Block& other) { m.x += other.x, m.y += other.y, m.z += other.z; }
// m -= u w^T.
LIMBER_INLINE void subtract(Block& m, Vec4d u, Vec4d w0, Vec4d w1, Vec4d w2) {
  m.x -= u * w0, m.y -= u * w1, m.z -= u * w2;
}
// m w; each component of w in all lanes.
LIMBER_INLINE Vec4d times(const Block& m, Vec4d w0, Vec4d w1, Vec4d w2) { return m.x * w0 + m.y * w1 + m.z * w2; }

LIMBER_INLINE void set(Inertia& P, const Inertia& other) { set(P.A, other.A), set(P.B, other.B), set(P.C, other.C); }
LIMBER_INLINE void add(Inertia& P, const Inertia& other) { add(P.A, other.A), add(P.B, other.B), add(P.C, other.C); }

// [J, s~; -s~, m 1] with the wrench p.
LIMBER_INLINE void set_inertia(double m, Vec4d s, const Mat3& J, Spatial p, Inertia& P) {
  P.A = {with_last(J.c[0], lane<0>(p.ang)), with_last(J.c[1], lane<1>(p.ang)), with_last(J.c[2], lane<2>(p.ang))};
  const Vec4d x = __builtin_shufflevector(s, s, 3, 2, 1, 3) * Vec4d{1, 1, -1, 1};  // (0, z, -y)
  const Vec4d y = __builtin_shufflevector(s, s, 2, 3, 0, 3) * Vec4d{-1, 1, 1, 1};  // (-z, 0, x)
  const Vec4d z = __builtin_shufflevector(s, s, 1, 0, 3, 3) * Vec4d{1, -1, 1, 1};  // (y, -x, 0)
  P.B = {with_last(x, lane<0>(p.lin)), with_last(y, lane<1>(p.lin)), with_last(z, lane<2>(p.lin))};
  const Vec4d masses = spread(m);
  P.C = {__builtin_shufflevector(masses, zero(), 0, 5, 6, 7), __builtin_shufflevector(masses, zero(), 4, 1, 6, 7),
         __builtin_shufflevector(masses, zero(), 4, 5, 2, 7)};
}

// P v, with z . v in the fourth lane of the angular part.  Bt = B^T.  `turns`, `moves`: false if the angular or linear
// part of v is zero.
LIMBER_INLINE Spatial times(const Inertia& P, const Block& Bt, const Spatial& v, bool turns = true, bool moves = true) {
  if (!moves) {
    const Vec4d a0 = spread(v.ang[0]), a1 = spread(v.ang[1]), a2 = spread(v.ang[2]);
    return {times(P.A, a0, a1, a2), times(Bt, a0, a1, a2)};
  }
  if (!turns) {
    const Vec4d l0 = spread(v.lin[0]), l1 = spread(v.lin[1]), l2 = spread(v.lin[2]);
    return {times(P.B, l0, l1, l2), times(P.C, l0, l1, l2)};
  }
  const Vec4d a0 = spread(v.ang[0]), a1 = spread(v.ang[1]), a2 = spread(v.ang[2]);
  const Vec4d l0 = spread(v.lin[0]), l1 = spread(v.lin[1]), l2 = spread(v.lin[2]);
  Vec4d ang = P.A.x * a0, lin = Bt.x * a0;
  ang += P.A.y * a1, lin += Bt.y * a1;
  ang += P.A.z * a2, lin += Bt.z * a2;
  ang += P.B.x * l0, lin += P.C.x * l0;
  ang += P.B.y * l1, lin += P.C.y * l1;
  ang += P.B.z * l2, lin += P.C.z * l2;
  return {ang, lin};
}

// P -= u w^T with u = s w.  With b in the fourth lane of u and w, also z -= w (s b).
LIMBER_INLINE void subtract_outer(Inertia& P, const Spatial& u, const Spatial& w) {
  subtract(P.A, u.ang, spread(w.ang[0]), spread(w.ang[1]), spread(w.ang[2]));
  const Vec4d l0 = spread(w.lin[0]), l1 = spread(w.lin[1]), l2 = spread(w.lin[2]);
  subtract(P.B, u.ang, l0, l1, l2);
  subtract(P.C, u.lin, l0, l1, l2);
}

// R m R^T; the fourth lanes hold a row vector z^T, which becomes z^T R^T.
LIMBER_INLINE void rotate(const Mat3& R, Block& m) {
  const auto column = [&](Vec4d v) __attribute__((always_inline)) {
    return with_last(R.c[0] * lane<0>(v) + R.c[1] * lane<1>(v) + R.c[2] * lane<2>(v), v);
  };
  const Vec4d x = times(m, spread(R.c[0][0]), spread(R.c[1][0]), spread(R.c[2][0]));
  const Vec4d y = times(m, spread(R.c[0][1]), spread(R.c[1][1]), spread(R.c[2][1]));
  const Vec4d z = times(m, spread(R.c[0][2]), spread(R.c[1][2]), spread(R.c[2][2]));
  m.x = column(x), m.y = column(y), m.z = column(z);
}
// blkdiag(R) P blkdiag(R)^T.
LIMBER_INLINE void rotate(const Mat3& R, Inertia& P) { rotate(R, P.A), rotate(R, P.B), rotate(R, P.C); }

// Copies one triangle to the other.
LIMBER_INLINE void symmetrise(Block& m) {
  const Vec4d pairs = __builtin_shufflevector(m.x, m.y, 0, 4, 2, 6),
              swapped = __builtin_shufflevector(m.x, m.x, 1, 0, 3, 2);
  m.y = __builtin_shufflevector(m.y, swapped, 4, 1, 2, 3);
  m.z = __builtin_shufflevector(m.z, __builtin_shufflevector(pairs, pairs, 2, 3, 2, 3), 4, 5, 2, 3);
}

// X(l)^T P X(l): shifts an inertia from the point l to the origin.  Makes A and C exactly symmetric, because the
// recursion does not damp a skew part.
//   T = A/2 - (B + l~ C/2) l~      A' = T + T^T      B' = B + l~ C
LIMBER_INLINE void shift(Vec4d l, Inertia& P) {
  const Vec4d x = lane<0>(l), y = lane<1>(l), z = lane<2>(l), half_l = l * spread(0.5);
  const Vec4d half{0.5, 0.5, 0.5, 1};  // does not halve the wrench
  const Block K{cross(half_l, P.C.x), cross(half_l, P.C.y), cross(half_l, P.C.z)};
  Block& B = P.B;
  add(B, K);
  const Block T{P.A.x * half + y * B.z - z * B.y, P.A.y * half + z * B.x - x * B.z, P.A.z * half + x * B.y - y * B.x};
  const Block Tt = transpose(T);
  P.A.x = T.x + Tt.x, P.A.y = T.y + Tt.y, P.A.z = T.z + Tt.z;
  add(B, K);
  symmetrise(P.C);
}

LIMBER_INLINE Spatial wrench_of(const Inertia& P) {
  return {Vec4d{P.A.x[3], P.A.y[3], P.A.z[3], 0}, Vec4d{P.B.x[3], P.B.y[3], P.B.z[3], 0}};
}
LIMBER_INLINE void add_wrench(Inertia& P, const Spatial& f) {
  P.A.x[3] += f.ang[0], P.A.y[3] += f.ang[1], P.A.z[3] += f.ang[2];
  P.B.x[3] += f.lin[0], P.B.y[3] += f.lin[1], P.B.z[3] += f.lin[2];
}

// The diagonal; the fourth lane is undefined.
LIMBER_INLINE Vec4d diagonal(const Block& m) {
  return __builtin_shufflevector(__builtin_shufflevector(m.x, m.y, 0, 5, 2, 3), m.z, 0, 1, 6, 3);
}
LIMBER_INLINE Spatial diagonal(const Inertia& P) { return {diagonal(P.A), diagonal(P.C)}; }

}  // namespace limber
