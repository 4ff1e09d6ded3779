// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/spatial/lanes.hpp"

namespace limber {

// The half of a spatial vector that component r (0 ... 5, angular first) is in; it is there at r % 3.  A function,
// because g++ 12 with the undefined-behaviour sanitizer takes (r < 3 ? s.ang : s.lin)[r % 3] for another component.
LIMBER_INLINE Lane& half(Spatial& s, int r) { return r < 3 ? s.ang : s.lin; }
LIMBER_INLINE const Lane& half(const Spatial& s, int r) { return r < 3 ? s.ang : s.lin; }

}  // namespace limber
