// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/spatial/types.hpp"

namespace limber {

// The spline of odd degree through the points, not-a-knot at its ends: column k holds the coefficients of (t - t_k)^j
// between t_k and t_(k+1).  With fewer points than degree + 1, the interpolating polynomial.  Times rise; throws
// InputError if their gaps are too uneven for double precision.
// [de Boor, A Practical Guide to Splines, ch. XIII]; O(points).
MatrixXd compute_spline(const VectorXd& t, const VectorXd& y, int degree);

}  // namespace limber
