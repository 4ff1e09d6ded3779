// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>
#include <utility>

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
  return T{} + s;
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

// sin and cos to about one unit in the last place: see sincos.hpp of spatial, here without branches.  n: quarter turns.
template <class T, class Bits>
LIMBER_KERNEL void sine_cosine(T x, Bits n, T k, T& sine, T& cosine) {
  constexpr double kHalfPi[3] = {1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21};
  const T r = ((x - k * kHalfPi[0]) - k * kHalfPi[1]) - k * kHalfPi[2], z = r * r;
  const T s_z = -1.98412698298579493134e-04 +
                z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10));
  const T s = r + r * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 + z * s_z));
  const T c_z = 2.48015872894767294178e-05 +
                z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
  const T c = (1.0 - 0.5 * z) + z * z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * c_z));
  const auto odd = (n & 1) != 0, down = (n & 2) != 0, back = ((n + 1) & 2) != 0;
  const T first = odd ? c : s, second = odd ? s : c;
  sine = down ? -first : first;
  cosine = back ? -second : second;
}
inline constexpr double kTwoOverPi = 0.63661977236758134308;
LIMBER_KERNEL void sine_cosine(double x, double& sine, double& cosine) {
#ifdef __CUDA_ARCH__  // a call of sincos would spill registers; fused, the reduction is as good for long turns
  const double k = rint(x * kTwoOverPi);
  sine_cosine(x, static_cast<long long>(k), k, sine, cosine);
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
  constexpr double kRound = 6755399441055744.0;  // 1.5 2^52
  const T shifted = x * kTwoOverPi + kRound, k = shifted - kRound;
  decltype(x < x) n;
  __builtin_memcpy(&n, &shifted, sizeof n);
  sine_cosine(x, n, k, sine, cosine);
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
  // S_n = sum (-x)^k / (2k + n)!: sinc = S1, a = S2, b = S3, and S_n = 1/n! - x S_(n+2); nothing cancels.
  constexpr double k4[] = {1.0 / 24,
                           -1.0 / 720,
                           1.0 / 40320,
                           -1.0 / 3628800,
                           1.0 / 479001600,
                           -1.0 / 87178291200.0,
                           1.0 / 20922789888000.0,
                           -1.0 / 6402373705728000.0,
                           1.0 / 2432902008176640000.0};
  constexpr double k5[] = {1.0 / 120,
                           -1.0 / 5040,
                           1.0 / 362880,
                           -1.0 / 39916800,
                           1.0 / 6227020800.0,
                           -1.0 / 1307674368000.0,
                           1.0 / 355687428096000.0,
                           -1.0 / 121645100408832000.0,
                           1.0 / 51090942171709440000.0};
  T s4 = spread<T>(k4[8]), s5 = spread<T>(k5[8]);
  LIMBER_UNROLL
  for (int k = 7; k >= 0; --k) {
    s4 = s4 * x + k4[k];
    s5 = s5 * x + k5[k];
  }
  const T s3 = 1.0 / 6 - x * s5, s2 = 0.5 - x * s4, s1 = 1.0 - x * s3;
  out.sinc = s1, out.a = s2, out.b = s3, out.da = s4 - 0.5 * s3, out.db = 1.5 * s5 - 0.5 * s4;
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
