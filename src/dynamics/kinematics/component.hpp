// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/spatial/detail/vec4d.hpp"

namespace limber {

// The half of a spatial vector that contains component r (0 ... 5, angular first), at index r % 3.  A function, because
// g++ 12 with the undefined-behaviour sanitizer selects the wrong component in (r < 3 ? s.ang : s.lin)[r % 3].
LIMBER_INLINE Vec4d& half(Spatial& s, int r) { return r < 3 ? s.ang : s.lin; }
LIMBER_INLINE const Vec4d& half(const Spatial& s, int r) { return r < 3 ? s.ang : s.lin; }

}  // namespace limber
