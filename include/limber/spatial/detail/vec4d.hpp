// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>

#include "limber/spatial/types.hpp"

// The kernels under the recursions: 3-vectors in the four lanes of a register (the fourth is zero), spatial
// vectors as two of them, 6x6 matrices as six columns.  theory §1 fixes the letters.
namespace limber {

#define LIMBER_INLINE inline __attribute__((always_inline))

inline constexpr int kLanes = 4;
using Vec4d = double __attribute__((vector_size(32)));
inline constexpr std::size_t kRegisterBytes = 32;  // alignment, whatever the instruction set and Eigen's own

constexpr int lanes_for(int n) { return (n + kLanes - 1) / kLanes; }

LIMBER_INLINE Vec4d spread(double s) { return Vec4d{s, s, s, s}; }
LIMBER_INLINE Vec4d zero() { return Vec4d{0, 0, 0, 0}; }
LIMBER_INLINE Vec4d load(const double* p) {
  Vec4d a;
  __builtin_memcpy(&a, p, sizeof a);
  return a;
}
LIMBER_INLINE void store(double* p, Vec4d a) { __builtin_memcpy(p, &a, sizeof a); }
LIMBER_INLINE Vec4d to_vec4d(const Vector3d& a) { return Vec4d{a[0], a[1], a[2], 0}; }
LIMBER_INLINE Vector3d to_vector(Vec4d a) { return Vector3d(a[0], a[1], a[2]); }

LIMBER_INLINE Vec4d cross(Vec4d a, Vec4d b) {
  const Vec4d t = a * __builtin_shufflevector(b, b, 1, 2, 0, 3) - __builtin_shufflevector(a, a, 1, 2, 0, 3) * b;
  return __builtin_shufflevector(t, t, 1, 2, 0, 3);
}

// Sums over the lanes of four vectors, as the lanes of one.
LIMBER_INLINE Vec4d sums(Vec4d a, Vec4d b, Vec4d c, Vec4d d) {
  const Vec4d ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Vec4d cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

LIMBER_INLINE double sum(Vec4d a) { return (a[0] + a[2]) + (a[1] + a[3]); }
LIMBER_INLINE double dot(Vec4d a, Vec4d b) { return sum(a * b); }

// Rows (x, y, z) over four items become four items (x, y, z, 0).
LIMBER_INLINE void transpose3(Vec4d x, Vec4d y, Vec4d z, Vec4d* out) {
  const Vec4d o = zero();
  const Vec4d xy02 = __builtin_shufflevector(x, y, 0, 4, 2, 6), xy13 = __builtin_shufflevector(x, y, 1, 5, 3, 7);
  const Vec4d zo02 = __builtin_shufflevector(z, o, 0, 4, 2, 6), zo13 = __builtin_shufflevector(z, o, 1, 5, 3, 7);
  out[0] = __builtin_shufflevector(xy02, zo02, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(xy13, zo13, 0, 1, 4, 5);
  out[2] = __builtin_shufflevector(xy02, zo02, 2, 3, 6, 7);
  out[3] = __builtin_shufflevector(xy13, zo13, 2, 3, 6, 7);
}

// The inverse: four items (x, y, z, *) become rows over them, `stride` apart.
LIMBER_INLINE void rows_of(Vec4d a, Vec4d b, Vec4d c, Vec4d d, Vec4d* out, int stride) {
  const Vec4d ab02 = __builtin_shufflevector(a, b, 0, 4, 2, 6), cd02 = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  const Vec4d ab13 = __builtin_shufflevector(a, b, 1, 5, 3, 7), cd13 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  out[0] = __builtin_shufflevector(ab02, cd02, 0, 1, 4, 5);
  out[stride] = __builtin_shufflevector(ab13, cd13, 0, 1, 4, 5);
  out[2 * stride] = __builtin_shufflevector(ab02, cd02, 2, 3, 6, 7);
}

// Numbers that start on the boundary of a register.
template <typename T>
struct RegisterAllocator {
  using value_type = T;
  RegisterAllocator() = default;
  template <typename U>
  RegisterAllocator(const RegisterAllocator<U>&) {}  // NOLINT(google-explicit-constructor)
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{kRegisterBytes}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{kRegisterBytes}); }
  friend bool operator==(const RegisterAllocator&, const RegisterAllocator&) { return true; }
};
using Vec4dAllocator = RegisterAllocator<double>;

// A 3x3 matrix by columns.
struct alignas(kRegisterBytes) Mat3 {
  Vec4d c[3];
};

LIMBER_INLINE Vec4d operator*(const Mat3& m, Vec4d v) {
  return m.c[0] * spread(v[0]) + m.c[1] * spread(v[1]) + m.c[2] * spread(v[2]);
}
LIMBER_INLINE Mat3 operator*(const Mat3& a, const Mat3& b) { return {{a * b.c[0], a * b.c[1], a * b.c[2]}}; }
LIMBER_INLINE Mat3 transpose(const Mat3& m) {
  Vec4d t[4];
  transpose3(m.c[0], m.c[1], m.c[2], t);  // item i: component i of the three columns
  return {{t[0], t[1], t[2]}};
}
inline Mat3 pack(const Matrix3d& m) { return {{to_vec4d(m.col(0)), to_vec4d(m.col(1)), to_vec4d(m.col(2))}}; }
inline Matrix3d to_matrix(const Mat3& m) {
  Matrix3d out;
  for (int j = 0; j < 3; ++j) out.col(j) = to_vector(m.c[j]);
  return out;
}

// A twist or a wrench: angular part, linear part.
struct alignas(kRegisterBytes) Spatial {
  Vec4d ang, lin;
};

LIMBER_INLINE Spatial operator+(Spatial a, Spatial b) { return {a.ang + b.ang, a.lin + b.lin}; }
LIMBER_INLINE Spatial operator-(Spatial a, Spatial b) { return {a.ang - b.ang, a.lin - b.lin}; }
LIMBER_INLINE Spatial operator*(Spatial a, double s) { return {a.ang * spread(s), a.lin * spread(s)}; }
LIMBER_INLINE Spatial& operator+=(Spatial& a, Spatial b) { return a = a + b; }
LIMBER_INLINE Spatial& operator-=(Spatial& a, Spatial b) { return a = a - b; }
LIMBER_INLINE double dot(Spatial a, Spatial b) { return sum(a.ang * b.ang + a.lin * b.lin); }
LIMBER_INLINE Spatial zero_spatial() { return {zero(), zero()}; }
inline Spatial to_spatial(const Vector6& a) { return {to_vec4d(a.head<3>()), to_vec4d(a.tail<3>())}; }
inline Vector6 to_vector(const Spatial& a) {
  Vector6 out;
  for (int i = 0; i < 3; ++i) {
    out[i] = a.ang[i];
    out[3 + i] = a.lin[i];
  }
  return out;
}

// X(l): a twist at a frame's origin, seen at the point l.  theory §1.
LIMBER_INLINE Spatial twist_at(Vec4d l, Spatial V) { return {V.ang, V.lin + cross(V.ang, l)}; }
// X(l)^T: a wrench at the point l, brought to the origin.
LIMBER_INLINE Spatial wrench_from(Vec4d l, Spatial f) { return {f.ang + cross(l, f.lin), f.lin}; }
// V x W: the rate of change of a twist W that is fixed in a frame moving with V.
LIMBER_INLINE Spatial cross_twist(Spatial V, Spatial W) {
  return {cross(V.ang, W.ang), cross(V.lin, W.ang) + cross(V.ang, W.lin)};
}

// A symmetric 6x6 matrix by columns.
struct Mat6 {
  Spatial c[6];
};

LIMBER_INLINE Spatial operator*(const Mat6& m, Spatial v) {
  Spatial out = m.c[0] * v.ang[0];
  out += m.c[1] * v.ang[1];
  out += m.c[2] * v.ang[2];
  out += m.c[3] * v.lin[0];
  out += m.c[4] * v.lin[1];
  out += m.c[5] * v.lin[2];
  return out;
}

// m += u w^T (u = s w keeps it symmetric).
LIMBER_INLINE void add_outer(Mat6& m, Spatial u, Spatial w) {
  for (int j = 0; j < 3; ++j) {
    m.c[j] += u * w.ang[j];
    m.c[3 + j] += u * w.lin[j];
  }
}
LIMBER_INLINE void subtract_outer(Mat6& m, Spatial u, Spatial w) {
  for (int j = 0; j < 3; ++j) {
    m.c[j] -= u * w.ang[j];
    m.c[3 + j] -= u * w.lin[j];
  }
}
LIMBER_INLINE void add(Mat6& m, const Mat6& other) {
  for (int j = 0; j < 6; ++j) m.c[j] += other.c[j];
}

// A 6x6 matrix in twelve registers, while outer products are added to it.  Named, because compilers keep arrays of this
// size in memory.
struct Mat6Registers {
  Vec4d a0, a1, a2, a3, a4, a5, l0, l1, l2, l3, l4, l5;

  LIMBER_INLINE static Mat6Registers from(const Mat6& m) {
    return {m.c[0].ang, m.c[1].ang, m.c[2].ang, m.c[3].ang, m.c[4].ang, m.c[5].ang,
            m.c[0].lin, m.c[1].lin, m.c[2].lin, m.c[3].lin, m.c[4].lin, m.c[5].lin};
  }
  LIMBER_INLINE void put(Mat6& m) const {
    m.c[0] = {a0, l0};
    m.c[1] = {a1, l1};
    m.c[2] = {a2, l2};
    m.c[3] = {a3, l3};
    m.c[4] = {a4, l4};
    m.c[5] = {a5, l5};
  }
  // += u w^T.
  LIMBER_INLINE void add(Spatial u, const Spatial& w) {
    const Vec4d w0 = spread(w.ang[0]), w1 = spread(w.ang[1]), w2 = spread(w.ang[2]);
    a0 += u.ang * w0, l0 += u.lin * w0;
    a1 += u.ang * w1, l1 += u.lin * w1;
    a2 += u.ang * w2, l2 += u.lin * w2;
    const Vec4d w3 = spread(w.lin[0]), w4 = spread(w.lin[1]), w5 = spread(w.lin[2]);
    a3 += u.ang * w3, l3 += u.lin * w3;
    a4 += u.ang * w4, l4 += u.lin * w4;
    a5 += u.ang * w5, l5 += u.lin * w5;
  }
  LIMBER_INLINE void subtract(Spatial u, const Spatial& w) { add({-u.ang, -u.lin}, w); }
  LIMBER_INLINE Spatial times(const Spatial& w) const {
    const Vec4d w0 = spread(w.ang[0]), w1 = spread(w.ang[1]), w2 = spread(w.ang[2]);
    const Vec4d w3 = spread(w.lin[0]), w4 = spread(w.lin[1]), w5 = spread(w.lin[2]);
    return {(a0 * w0 + a1 * w1 + a2 * w2) + (a3 * w3 + a4 * w4 + a5 * w5),
            (l0 * w0 + l1 * w1 + l2 * w2) + (l3 * w3 + l4 * w4 + l5 * w5)};
  }
};

// The inertia [J, s~; -s~, m 1] of a body.  theory §2.
LIMBER_INLINE Mat6 body_inertia(double m, Vec4d s, const Mat3& J) {
  const double x = s[0], y = s[1], z = s[2];
  return {{{J.c[0], Vec4d{0, -z, y, 0}},
           {J.c[1], Vec4d{z, 0, -x, 0}},
           {J.c[2], Vec4d{-y, x, 0, 0}},
           {Vec4d{0, z, -y, 0}, Vec4d{m, 0, 0, 0}},
           {Vec4d{-z, 0, x, 0}, Vec4d{0, m, 0, 0}},
           {Vec4d{y, -x, 0, 0}, Vec4d{0, 0, m, 0}}}};
}

// Its product with an acceleration, without building it.
LIMBER_INLINE Spatial apply_inertia(double m, Vec4d s, const Mat3& J, Spatial a) {
  return {J * a.ang + cross(s, a.lin), a.lin * spread(m) + cross(a.ang, s)};
}

// X(l)^T P X(l): an inertia at the point l, brought to the origin.
//   C' = C     B' = B + l~ C     A' = A + l~ B'^T + (l~ B^T)^T        P = [A, B; B^T, C]
LIMBER_INLINE Mat6 inertia_from(Vec4d l, const Mat6& P) {
  Mat6 out;
  Mat3 B, Bt, lBt;  // B' ; its transpose; l~ B^T
  for (int j = 0; j < 3; ++j) {
    B.c[j] = P.c[3 + j].ang + cross(l, P.c[3 + j].lin);
    lBt.c[j] = cross(l, P.c[j].lin);
  }
  Bt = transpose(B);
  const Mat3 Blt = transpose(lBt);
  for (int j = 0; j < 3; ++j) {
    out.c[j] = {P.c[j].ang + cross(l, Bt.c[j]) + Blt.c[j], Bt.c[j]};
    out.c[3 + j] = {B.c[j], P.c[3 + j].lin};
  }
  return out;
}

// blkdiag(R) P blkdiag(R)^T.
LIMBER_INLINE Mat6 rotate_inertia(const Mat3& R, const Mat3& Rt, const Mat6& P) {
  const Mat3 A{{P.c[0].ang, P.c[1].ang, P.c[2].ang}};
  const Mat3 B{{P.c[3].ang, P.c[4].ang, P.c[5].ang}};
  const Mat3 C{{P.c[3].lin, P.c[4].lin, P.c[5].lin}};
  const Mat3 A2 = (R * A) * Rt, B2 = (R * B) * Rt, C2 = (R * C) * Rt, Bt = transpose(B2);
  Mat6 out;
  for (int j = 0; j < 3; ++j) {
    out.c[j] = {A2.c[j], Bt.c[j]};
    out.c[3 + j] = {B2.c[j], C2.c[j]};
  }
  return out;
}

}  // namespace limber
