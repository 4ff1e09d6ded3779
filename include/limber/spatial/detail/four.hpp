// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "limber/spatial/detail/sincos.hpp"
#include "limber/spatial/detail/vec4d.hpp"
#include "limber/spatial/rotation.hpp"

// Four bodies at once, one in each lane: vectors and matrices by their components.  A cross product takes six
// instructions for all four, where one body in a register takes five for itself.
namespace limber {

// The copies are written out: g++ copies larger structs of registers through memory, by halves of a register.
struct FourVectors {
  Vec4d x, y, z;
  FourVectors() = default;
  LIMBER_INLINE FourVectors(Vec4d a, Vec4d b, Vec4d c) : x(a), y(b), z(c) {}
  LIMBER_INLINE FourVectors(const FourVectors& v) : x(v.x), y(v.y), z(v.z) {}
  LIMBER_INLINE FourVectors& operator=(const FourVectors& v) { return x = v.x, y = v.y, z = v.z, *this; }
};
struct FourMatrices {
  FourVectors c[3];  // columns
  FourMatrices() = default;
  LIMBER_INLINE FourMatrices(const FourVectors& x, const FourVectors& y, const FourVectors& z) : c{x, y, z} {}
  LIMBER_INLINE FourMatrices(const FourMatrices& m) : c{m.c[0], m.c[1], m.c[2]} {}
  LIMBER_INLINE FourMatrices& operator=(const FourMatrices& m) {
    return c[0] = m.c[0], c[1] = m.c[1], c[2] = m.c[2], *this;
  }
};
struct FourSymmetric {
  Vec4d xx, yy, zz, xy, xz, yz;
  FourSymmetric() = default;
  LIMBER_INLINE FourSymmetric(Vec4d a, Vec4d b, Vec4d c, Vec4d d, Vec4d e, Vec4d f)
      : xx(a), yy(b), zz(c), xy(d), xz(e), yz(f) {}
  LIMBER_INLINE FourSymmetric(const FourSymmetric& m) : xx(m.xx), yy(m.yy), zz(m.zz), xy(m.xy), xz(m.xz), yz(m.yz) {}
  LIMBER_INLINE FourSymmetric& operator=(const FourSymmetric& m) {
    return xx = m.xx, yy = m.yy, zz = m.zz, xy = m.xy, xz = m.xz, yz = m.yz, *this;
  }
};
// Twists, wrenches or columns of modes.
struct FourSpatial {
  FourVectors ang, lin;
};

LIMBER_INLINE FourVectors operator+(const FourVectors& a, const FourVectors& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
LIMBER_INLINE FourVectors operator-(const FourVectors& a, const FourVectors& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
LIMBER_INLINE FourVectors operator*(const FourVectors& a, Vec4d s) { return {a.x * s, a.y * s, a.z * s}; }
// sum += a s.
LIMBER_INLINE void add(FourVectors& sum, const FourVectors& a, Vec4d s) {
  sum.x += a.x * s, sum.y += a.y * s, sum.z += a.z * s;
}
LIMBER_INLINE void add(FourVectors& sum, const FourVectors& a) { sum.x += a.x, sum.y += a.y, sum.z += a.z; }
LIMBER_INLINE Vec4d dot(const FourVectors& a, const FourVectors& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
LIMBER_INLINE FourVectors cross(const FourVectors& a, const FourVectors& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
LIMBER_INLINE FourVectors operator*(const FourMatrices& m, const FourVectors& v) {
  FourVectors out = m.c[0] * v.x;
  add(out, m.c[1], v.y);
  add(out, m.c[2], v.z);
  return out;
}
LIMBER_INLINE FourVectors operator*(const FourSymmetric& m, const FourVectors& v) {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}

// ---- to and from registers of single bodies -----------------------------------------------------------

// Rows become columns.
LIMBER_INLINE void transpose4(Vec4d a, Vec4d b, Vec4d c, Vec4d d, Vec4d* out) {
  const Vec4d ab02 = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab13 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Vec4d cd02 = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd13 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  out[0] = __builtin_shufflevector(ab02, cd02, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(ab13, cd13, 0, 1, 4, 5);
  out[2] = __builtin_shufflevector(ab02, cd02, 2, 3, 6, 7);
  out[3] = __builtin_shufflevector(ab13, cd13, 2, 3, 6, 7);
}

// at(lane): the register of the body in that lane.
#define LIMBER_LANE(lane) [&](int lane) __attribute__((always_inline))->Vec4d&
template <typename At>
LIMBER_INLINE FourVectors gather(At at) {
  Vec4d rows[3];
  rows_of(at(0), at(1), at(2), at(3), rows, 1);
  return {rows[0], rows[1], rows[2]};
}
template <typename At>
LIMBER_INLINE void scatter(Vec4d x, Vec4d y, Vec4d z, Vec4d w, At at) {
  Vec4d out[4];
  transpose4(x, y, z, w, out);
  at(0) = out[0], at(1) = out[1], at(2) = out[2], at(3) = out[3];
}
template <typename At>
LIMBER_INLINE void scatter(const FourVectors& v, At at) {
  Vec4d out[4];
  transpose3(v.x, v.y, v.z, out);
  at(0) = out[0], at(1) = out[1], at(2) = out[2], at(3) = out[3];
}
// Numbers of four bodies, each at its own address from at(lane) on: `count` of them, padded to whole registers.
template <typename At>
LIMBER_INLINE void gather_numbers(int count, At at, Vec4d* out) {
  const double *a = at(0), *b = at(1), *c = at(2), *d = at(3);
  for (int k = 0; k < count; k += kLanes) transpose4(load(a + k), load(b + k), load(c + k), load(d + k), out + k);
}
template <typename At>
LIMBER_INLINE void scatter_numbers(int count, const Vec4d* in, At at) {
  double *a = at(0), *b = at(1), *c = at(2), *d = at(3);
  for (int k = 0; k < count; k += kLanes) {
    Vec4d out[4];
    transpose4(in[k], in[k + 1], in[k + 2], in[k + 3], out);
    store(a + k, out[0]), store(b + k, out[1]), store(c + k, out[2]), store(d + k, out[3]);
  }
}

// ---- functions ----------------------------------------------------------------------------------------

// As sincos.
LIMBER_INLINE void sincos(Vec4d x, Vec4d& sine, Vec4d& cosine) {
  using Integers = long long __attribute__((vector_size(32)));
  power_series::sincos_of<Integers>(x, sine, cosine);
  if (dot(x, x) < 1e10) return;
  double numbers[kLanes];
  store(numbers, x);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (std::abs(numbers[lane]) < 1e5) continue;
    double of_one = 0, other = 0;
    sincos(numbers[lane], of_one, other);
    sine[lane] = of_one, cosine[lane] = other;
  }
}

// As RotationSeries, and the cosine.
struct FourRotationSeries {
  Vec4d cosine, sinc, a, b, da, db;
};
LIMBER_INLINE FourRotationSeries rotation_series(Vec4d x) {
  FourRotationSeries out;
  power_series::turn<8>(x, out.sinc, out.a, out.b, out.da, out.db);  // the terms left out are below 1e-18 of the sum
  out.cosine = 1 - x * out.a;
  if (sum(x) <= 1) return out;
  double numbers[kLanes];
  store(numbers, x);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!(numbers[lane] > 1)) continue;
    const RotationSeries one = rotation_series(numbers[lane]);
    out.cosine[lane] = std::cos(std::sqrt(numbers[lane]));
    out.sinc[lane] = one.sinc, out.a[lane] = one.a, out.b[lane] = one.b;
    out.da[lane] = one.da, out.db[lane] = one.db;
  }
  return out;
}

// once theta~ + twice theta theta^T, with `diagonal` on the diagonal.
LIMBER_INLINE FourMatrices turn_matrix(const FourVectors& t, Vec4d diagonal, Vec4d once, Vec4d twice) {
  const FourVectors o = t * once, w = t * twice;
  return {FourVectors{diagonal + w.x * t.x, w.x * t.y + o.z, w.x * t.z - o.y},
          FourVectors{w.y * t.x - o.z, diagonal + w.y * t.y, w.y * t.z + o.x},
          FourVectors{w.z * t.x + o.y, w.z * t.y - o.x, diagonal + w.z * t.z}};
}

}  // namespace limber
