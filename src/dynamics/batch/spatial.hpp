// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes.hpp"

// Vectors, rotations and symmetric 6x6 matrices of T in plain arrays.  A second template parameter is a constant's
// type.
namespace limber::LIMBER_BATCH_MACHINE {

template <int N, class A, class B>
LIMBER_KERNEL void copy(A a, B* out) {
  LIMBER_UNROLL
  for (int i = 0; i < N; ++i) out[i] = a[i] - B{};
}
template <int N, class T>
LIMBER_KERNEL void clear(T* out) {
  LIMBER_UNROLL
  for (int i = 0; i < N; ++i) out[i] = T{};
}
template <int N, class A, class T>
LIMBER_KERNEL void add(A a, T* out) {
  LIMBER_UNROLL
  for (int i = 0; i < N; ++i) out[i] += a[i];
}
// out += a x.
template <int N, class A, class X, class T>
LIMBER_KERNEL void add_times(A a, X x, T* out) {
  LIMBER_UNROLL
  for (int i = 0; i < N; ++i) out[i] += x * a[i];
}
template <class A, class B>
LIMBER_KERNEL auto dot3(A a, B b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class A, class B>
LIMBER_KERNEL auto dot6(A a, B b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}
// out += a x b.
template <class A, class B, class T>
LIMBER_KERNEL void add_cross(A a, B b, T* out) {
  out[0] += a[1] * b[2] - a[2] * b[1];
  out[1] += a[2] * b[0] - a[0] * b[2];
  out[2] += a[0] * b[1] - a[1] * b[0];
}
template <class A, class B, class T>
LIMBER_KERNEL void cross(A a, B b, T* out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}
// R v and R^T v, R by rows.
template <class A, class B, class T>
LIMBER_KERNEL void turn(A R, B v, T* out) {
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) out[i] = R[3 * i] * v[0] + R[3 * i + 1] * v[1] + R[3 * i + 2] * v[2];
}
template <class A, class B, class T>
LIMBER_KERNEL void turn_back(A R, B v, T* out) {
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) out[i] = R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2];
}
template <class A, class B, class T>
LIMBER_KERNEL void multiply(A a, B b, T* out) {
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) {
    LIMBER_UNROLL
    for (int j = 0; j < 3; ++j) out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
  }
}
// a b^T.
template <class A, class B, class T>
LIMBER_KERNEL void multiply_transposed(A a, B b, T* out) {
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) {
    LIMBER_UNROLL
    for (int j = 0; j < 3; ++j) out[3 * i + j] = dot3(a + 3 * i, b + 3 * j);
  }
}
// Symmetric 3x3: xx yy zz xy xz yz.
template <class A, class B, class T>
LIMBER_KERNEL void apply_symmetric(A J, B v, T* out) {
  out[0] = J[0] * v[0] + J[3] * v[1] + J[4] * v[2];
  out[1] = J[3] * v[0] + J[1] * v[1] + J[5] * v[2];
  out[2] = J[4] * v[0] + J[5] * v[1] + J[2] * v[2];
}
// R J R^T.
template <class T>
LIMBER_KERNEL void rotate_symmetric(const T* R, const T* J, T* out) {
  T M[9];
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) apply_symmetric(J, R + 3 * i, M + 3 * i);
  out[0] = dot3(M, R), out[1] = dot3(M + 3, R + 3), out[2] = dot3(M + 6, R + 6);
  out[3] = dot3(M, R + 3), out[4] = dot3(M, R + 6), out[5] = dot3(M + 3, R + 6);
}

// An inertia [A B; B^T C] and a wrench z beside it.
template <class T>
struct Inertia {
  T A[6], B[9], C[6], z[6];
};
inline constexpr int kInertia = 27;

// All numbers of a struct of arrays, in order.
template <template <class> class Struct, class T>
LIMBER_KERNEL T* flat(Struct<T>& s) {
  return reinterpret_cast<T*>(&s);
}
template <template <class> class Struct, class T>
LIMBER_KERNEL const T* flat(const Struct<T>& s) {
  return reinterpret_cast<const T*>(&s);
}

// Number by number: compilers copy and clear large structs by slow instructions.
template <class T>
LIMBER_KERNEL void copy(const Inertia<T>& P, Inertia<T>& out) {
  copy<6>(P.A, out.A), copy<9>(P.B, out.B), copy<6>(P.C, out.C), copy<6>(P.z, out.z);
}
template <class T>
LIMBER_KERNEL void clear(Inertia<T>& P) {
  clear<6>(P.A), clear<9>(P.B), clear<6>(P.C), clear<6>(P.z);
}
template <class T>
LIMBER_KERNEL void add(const Inertia<T>& P, Inertia<T>& out) {
  add<6>(P.A, out.A), add<9>(P.B, out.B), add<6>(P.C, out.C), add<6>(P.z, out.z);
}
// [J s~; -s~ m 1].
template <class T, class M>
LIMBER_KERNEL void set_body(const M& m, const T* s, const T* J, Inertia<T>& P) {
  copy<6>(J, P.A);
  P.B[0] = P.B[4] = P.B[8] = T{};
  P.B[1] = -s[2], P.B[2] = s[1], P.B[3] = s[2], P.B[5] = -s[0], P.B[6] = -s[1], P.B[7] = s[0];
  P.C[0] = P.C[1] = P.C[2] = m - T{};
  P.C[3] = P.C[4] = P.C[5] = T{};
}
// P v.
template <class T, class V>
LIMBER_KERNEL void apply(const Inertia<T>& P, V v, T* out) {
  T more[3];
  apply_symmetric(P.A, v, out);
  turn(P.B, v + 3, more);
  add<3>(more, out);
  apply_symmetric(P.C, v + 3, out + 3);
  turn_back(P.B, v, more);
  add<3>(more, out + 3);
}
// P [v; 0].
template <class T, class V>
LIMBER_KERNEL void apply_angular(const Inertia<T>& P, V v, T* out) {
  apply_symmetric(P.A, v, out);
  turn_back(P.B, v, out + 3);
}
// P += sign u y^T, symmetric.
template <class T>
LIMBER_KERNEL void subtract_outer(const T* u, const T* y, Inertia<T>& P) {
  P.A[0] -= u[0] * y[0], P.A[1] -= u[1] * y[1], P.A[2] -= u[2] * y[2];
  P.A[3] -= u[0] * y[1], P.A[4] -= u[0] * y[2], P.A[5] -= u[1] * y[2];
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) {
    LIMBER_UNROLL
    for (int j = 0; j < 3; ++j) P.B[3 * i + j] -= u[i] * y[3 + j];
  }
  P.C[0] -= u[3] * y[3], P.C[1] -= u[4] * y[4], P.C[2] -= u[5] * y[5];
  P.C[3] -= u[3] * y[4], P.C[4] -= u[3] * y[5], P.C[5] -= u[4] * y[5];
}
// Into the basis that R turns to.
template <class T>
LIMBER_KERNEL void rotate(const T* LIMBER_ALONE R, const Inertia<T>& LIMBER_ALONE P, Inertia<T>& LIMBER_ALONE out) {
  T M[9];
  rotate_symmetric(R, P.A, out.A);
  rotate_symmetric(R, P.C, out.C);
  multiply(R, P.B, M);
  multiply_transposed(M, R, out.B);
  turn(R, P.z, out.z), turn(R, P.z + 3, out.z + 3);
}
// X(l)^T P X(l), from the point l to the origin:  B' = B + l~ C,  A' = A - B' l~ + (-B l~)^T.
template <class T>
LIMBER_KERNEL void shift(const T* l, Inertia<T>& P) {
  T* C = P.C;
  const T full[9] = {C[0], C[3], C[4], C[3], C[1], C[5], C[4], C[5], C[2]};
  T sum[9];  // B + B'
  T* B = P.B;
  LIMBER_UNROLL
  for (int j = 0; j < 3; ++j) {
    const T b0 = B[j] + l[1] * full[6 + j] - l[2] * full[3 + j], b1 = B[3 + j] + l[2] * full[j] - l[0] * full[6 + j],
            b2 = B[6 + j] + l[0] * full[3 + j] - l[1] * full[j];
    sum[j] = B[j], sum[3 + j] = B[3 + j], sum[6 + j] = B[6 + j];
    B[j] = b0, B[3 + j] = b1, B[6 + j] = b2;
  }
  // (-M l~)(row, column)
  const auto term = [&](const T* M, int row, int column) LIMBER_LAMBDA {
    const int p = (column + 1) % 3, q = (column + 2) % 3;
    return M[3 * row + q] * l[p] - M[3 * row + p] * l[q];
  };
  P.A[0] += term(B, 0, 0) + term(sum, 0, 0);
  P.A[1] += term(B, 1, 1) + term(sum, 1, 1);
  P.A[2] += term(B, 2, 2) + term(sum, 2, 2);
  P.A[3] += term(B, 0, 1) + term(sum, 1, 0);
  P.A[4] += term(B, 0, 2) + term(sum, 2, 0);
  P.A[5] += term(B, 1, 2) + term(sum, 2, 1);
  add_cross(l, P.z + 3, P.z);
}

}  // namespace limber::LIMBER_BATCH_MACHINE
