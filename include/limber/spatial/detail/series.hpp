// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Power series of rotations, for a number or for numbers in a register, on every machine: code that uses them is
// compiled into its callers.
namespace limber::power_series {

#ifdef __CUDACC__
#define LIMBER_SERIES __host__ __device__ __forceinline__
#define LIMBER_SERIES_UNROLL _Pragma("unroll")
#else
#define LIMBER_SERIES inline __attribute__((always_inline))
#define LIMBER_SERIES_UNROLL _Pragma("GCC unroll 16")
#endif

inline constexpr double kTwoOverPi = 0.63661977236758134308;
inline constexpr double kRound = 6755399441055744.0;  // 1.5 2^52: adding it leaves the nearest integer in the low bits

// sin x and cos x to about one unit in the last place, for |x| < 1e5: x - k pi/2 in three parts of 33 bits, whose
// products with k are exact (Cody and Waite), then the polynomials of fdlibm's k_sin.c and k_cos.c.  n, k: quarter
// turns.
template <class T, class Bits>
LIMBER_SERIES void sincos(T x, Bits n, T k, T& sine, T& cosine) {
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
// The same with the quarter turns of x itself.
template <class Bits, class T>
LIMBER_SERIES void sincos_of(T x, T& sine, T& cosine) {
  const T shifted = x * kTwoOverPi + kRound, k = shifted - kRound;
  Bits n;
  __builtin_memcpy(&n, &shifted, sizeof n);
  sincos(x, n, k, sine, cosine);
}

// The coefficients of the exponential map and its left Jacobian at x = |theta|^2 <= 1, from `Terms` terms of
//   S_n = sum (-x)^k / (2k + n)!      sinc = S1, a = S2, b = S3      S_n = 1/n! - x S_(n+2): nothing cancels
// and the derivatives of a and b.  theory §2, Nodes.
template <int Terms, class T>
LIMBER_SERIES void turn(T x, T& sinc, T& a, T& b, T& da, T& db) {
  constexpr double k4[] = {1.0 / 24,
                           -1.0 / 720,
                           1.0 / 40320,
                           -1.0 / 3628800,
                           1.0 / 479001600,
                           -1.0 / 87178291200.0,
                           1.0 / 20922789888000.0,
                           -1.0 / 6402373705728000.0,
                           1.0 / 2432902008176640000.0,
                           -1.0 / 1124000727777607680000.0};
  constexpr double k5[] = {1.0 / 120,
                           -1.0 / 5040,
                           1.0 / 362880,
                           -1.0 / 39916800,
                           1.0 / 6227020800.0,
                           -1.0 / 1307674368000.0,
                           1.0 / 355687428096000.0,
                           -1.0 / 121645100408832000.0,
                           1.0 / 51090942171709440000.0,
                           -1.0 / 25852016738884976640000.0};
  T s4 = T{} + k4[Terms - 1], s5 = T{} + k5[Terms - 1];
  LIMBER_SERIES_UNROLL
  for (int k = Terms - 2; k >= 0; --k) {
    s4 = s4 * x + k4[k];
    s5 = s5 * x + k5[k];
  }
  b = 1.0 / 6 - x * s5;
  a = 0.5 - x * s4;
  sinc = 1.0 - x * b;
  da = s4 - 0.5 * b;
  db = 1.5 * s5 - 0.5 * s4;
}

}  // namespace limber::power_series
