// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "limber/spatial/detail/series.hpp"
#include "limber/spatial/detail/vec4d.hpp"

namespace limber {

// sin and cos to about one unit in the last place, without a call.  Beyond 1e5, NaN and infinity: libm.
LIMBER_INLINE void sincos(double x, double& sine, double& cosine) {
  if (std::abs(x) < 1e5) return power_series::sincos_of<long long>(x, sine, cosine);
  sine = std::sin(x);
  cosine = std::cos(x);
}

}  // namespace limber
