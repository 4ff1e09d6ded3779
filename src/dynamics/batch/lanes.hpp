// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>
#include <utility>

#include "limber/spatial/detail/series.hpp"

// What a kernel computes with: T is a number, or one number of each of several states in a register.  The headers of
// the kernels are compiled once for each kind of machine, in a namespace of its own, and use nothing that is compiled
// elsewhere with other flags.
#ifdef __CUDACC__
#define LIMBER_KERNEL __host__ __device__ __forceinline__
#ifdef LIMBER_BATCH_PLAIN
#define LIMBER_STEP __host__ __device__ __noinline__  // where speed is not the point: a tenth of the code
#else
#define LIMBER_STEP __host__ __device__ __forceinline__
#endif
#define LIMBER_RARE __host__ __device__ inline
#define LIMBER_LAMBDA
#define LIMBER_UNROLL _Pragma("unroll")
#define LIMBER_ONE_BY_ONE _Pragma("unroll 1")
#else
#define LIMBER_KERNEL inline __attribute__((always_inline))
#define LIMBER_STEP __attribute__((noinline)) inline  // a function of its own: what it works on is in memory anyway
#define LIMBER_RARE __attribute__((noinline)) inline
#define LIMBER_LAMBDA __attribute__((always_inline))
#define LIMBER_UNROLL _Pragma("GCC unroll 9")
#define LIMBER_ONE_BY_ONE _Pragma("GCC unroll 1")
#endif
#define LIMBER_ALONE __restrict__
#define LIMBER_OVER(k) [&](auto k) LIMBER_LAMBDA

namespace limber::LIMBER_BATCH_MACHINE {

// ---- sizes: constants of the compiled code, or numbers -------------------------------------------------
template <int N>
using Size = std::integral_constant<int, N>;

template <int... I, typename Body>
LIMBER_KERNEL void unrolled(std::integer_sequence<int, I...>, Body&& body) {
  (body(Size<I>{}), ...);
}
template <int N, typename Body>
LIMBER_KERNEL void over(Size<N>, Body&& body) {
  unrolled(std::make_integer_sequence<int, N>{}, body);
}
template <typename Body>
LIMBER_KERNEL void over(int n, Body&& body) {
  for (int k = 0; k < n; ++k) body(k);
}
template <class N>
inline constexpr bool kIsConstant = !std::is_same_v<N, int>;
template <int A, int B>
LIMBER_KERNEL constexpr Size<A + B> sum_of(Size<A>, Size<B>) {
  return {};
}
LIMBER_KERNEL constexpr int sum_of(int a, int b) { return a + b; }

// ---- numbers --------------------------------------------------------------------------------------------
template <class T>
inline constexpr int kWidth = sizeof(T) / sizeof(double);

template <class T>
LIMBER_KERNEL T spread(double s) {
  return s - T{};  // T{} + s is not s where s is -0, and would be an addition
}
LIMBER_KERNEL double load_as(const double* p, double*) { return *p; }
template <class T>
LIMBER_KERNEL T load_as(const double* p, T*) {
  T x;
  __builtin_memcpy(&x, p, sizeof x);
  return x;
}
template <class T>
LIMBER_KERNEL T load(const double* p) {
  return load_as(p, static_cast<T*>(nullptr));
}
LIMBER_KERNEL void save(double* p, double x) { *p = x; }
template <class T>
LIMBER_KERNEL void save(double* p, T x) {
  __builtin_memcpy(p, &x, sizeof x);
}

// For each state by itself: functions that have no form in registers, and rare cases.
template <class Function>
LIMBER_KERNEL double each(double x, Function f) {
  return f(x);
}
template <class T, class Function>
LIMBER_KERNEL T each(T x, Function f) {
  double numbers[kWidth<T>];
  __builtin_memcpy(numbers, &x, sizeof x);
  for (int i = 0; i < kWidth<T>; ++i) numbers[i] = f(numbers[i]);
  __builtin_memcpy(&x, numbers, sizeof x);
  return x;
}
LIMBER_KERNEL bool any(bool condition) { return condition; }
template <class Mask>
LIMBER_KERNEL bool any(Mask mask) {
  long long bits[sizeof(Mask) / sizeof(long long)], all = 0;
  __builtin_memcpy(bits, &mask, sizeof mask);
  for (unsigned i = 0; i < sizeof(Mask) / sizeof(long long); ++i) all |= bits[i];
  return all != 0;
}
template <class T>
LIMBER_KERNEL T square_root(T x) {
  return each(x, [](double t) LIMBER_LAMBDA { return sqrt(t); });
}
// 1 / x.  A device: the hardware's 23 bits and two steps of Newton's method, without the call that subnormal numbers
// would need; their inverse is not finite.
LIMBER_KERNEL double reciprocal(double x) {
#ifdef __CUDA_ARCH__
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  y = fma(fma(-x, y, 1.0), y, y);
  return fma(fma(-x, y, 1.0), y, y);
#else
  return 1.0 / x;
#endif
}
template <class T>
LIMBER_KERNEL T reciprocal(T x) {
  return 1.0 / x;
}
template <class T>
LIMBER_KERNEL T larger(T a, T b) {
  return a > b ? a : b;
}

LIMBER_KERNEL void sine_cosine(double x, double& sine, double& cosine) {
#ifdef __CUDA_ARCH__  // a call of sincos would spill registers; fused, the reduction is as good for long turns
  const double k = rint(x * power_series::kTwoOverPi);
  power_series::sincos(x, static_cast<long long>(k), k, sine, cosine);
#else
  sine = sin(x);
  cosine = cos(x);
#endif
}
#ifndef __CUDACC__
template <class T>
LIMBER_KERNEL void sine_cosine(T x, T& sine, T& cosine) {
  if (__builtin_expect(any(x >= spread<T>(1e5)) || any(x <= spread<T>(-1e5)) || any(x != x), 0)) {
    sine = each(x, [](double t) { return sin(t); });
    cosine = each(x, [](double t) { return cos(t); });
    return;
  }
  power_series::sincos_of<decltype(x < x)>(x, sine, cosine);
}
#endif

// The coefficients of the exponential map and its left Jacobian at x = |theta|^2.  theory §2, Nodes.
template <class T>
struct Series {
  T sinc, a, b, da, db;
};
// Beyond the circle of the power series, one state.
LIMBER_KERNEL void closed_series(double x, double* out) {
  double s, c;
  const double t = sqrt(x);
  sine_cosine(t, s, c);
  const double sinc = s / t, a = (1 - c) / x, b = (t - s) / (x * t);
  out[0] = sinc, out[1] = a, out[2] = b, out[3] = (0.5 * sinc - a) / x, out[4] = (0.5 * a - 1.5 * b) / x;
}
template <class T>
LIMBER_KERNEL void series(T x, Series<T>& out) {
  power_series::turn<9>(x, out.sinc, out.a, out.b, out.da, out.db);
  if (__builtin_expect(any(x > spread<T>(1.0)), 0)) {
    const auto closed = [&](int which) LIMBER_LAMBDA {
      return each(x, [which](double t) LIMBER_LAMBDA {
        double numbers[5];
        closed_series(t, numbers);
        return numbers[which];
      });
    };
    const auto far = x > spread<T>(1.0);
    out.sinc = far ? closed(0) : out.sinc, out.a = far ? closed(1) : out.a, out.b = far ? closed(2) : out.b;
    out.da = far ? closed(3) : out.da, out.db = far ? closed(4) : out.db;
  }
}

}  // namespace limber::LIMBER_BATCH_MACHINE
