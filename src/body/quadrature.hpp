// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace limber::body_impl {

// Beam integrals are evaluated in long double and rounded once, at the end.
using Real = long double;
using VectorR = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using MatrixR = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

// Gauss-Legendre rule on 0 ... 1.
struct GaussRule {
  VectorR x;  // rising
  VectorR w;
};

// The rule with `points` points.  Cached per count; thread-safe.
const GaussRule& gauss_rule(int points);

// Weights of the integral from 0 to the points of gauss_rule(points): row i integrates from 0 to x_i.
// Exact for polynomials of degree < points.  Cached per count; thread-safe.
const MatrixR& running_weights(int points);

// The same from 0 to arbitrary upper limits (one row each).
MatrixR running_weights(int points, const VectorR& ends);

// P_k(2 x - 1), k = 0 ... count - 1, one row per x, with first and second derivative in x.
struct LegendreTable {
  MatrixR value, slope, curvature;
};
LegendreTable legendre(const VectorR& x, int count);

}  // namespace limber::body_impl
