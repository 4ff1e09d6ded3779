// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "limber/spatial/detail/vec4d.hpp"

namespace limber {

// sin and cos to about one unit in the last place, without a call: x - k pi/2 in three parts of 33 bits, whose products
// with k are exact (Cody and Waite), then the polynomials of fdlibm's k_sin.c and k_cos.c.  Beyond 1e5, NaN and
// infinity: libm.
LIMBER_INLINE void sincos(double x, double& sine, double& cosine) {
  if (!(std::abs(x) < 1e5)) {
    sine = std::sin(x);
    cosine = std::cos(x);
    return;
  }
  constexpr double kTwoOverPi = 0.63661977236758134308;
  constexpr double kHalfPi[3] = {1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21};
  constexpr double kRound = 6755399441055744.0;  // 1.5 2^52: adding it leaves the nearest integer in the low bits
  const double shifted = x * kTwoOverPi + kRound, k = shifted - kRound;
  long long n = 0;
  __builtin_memcpy(&n, &shifted, sizeof n);
  const double r = ((x - k * kHalfPi[0]) - k * kHalfPi[1]) - k * kHalfPi[2], z = r * r;
  const double s_z =
      -1.98412698298579493134e-04 +
      z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10));
  const double s = r + r * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 + z * s_z));
  const double c_z =
      2.48015872894767294178e-05 +
      z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11));
  const double c = (1 - 0.5 * z) + z * z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * c_z));
  const bool odd = (n & 1) != 0;
  const double first = odd ? c : s, second = odd ? s : c;
  sine = (n & 2) != 0 ? -first : first;
  cosine = ((n + 1) & 2) != 0 ? -second : second;
}

}  // namespace limber
