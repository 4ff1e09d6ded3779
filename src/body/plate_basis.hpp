// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quadrature.hpp"

namespace limber::body_impl {

// Orthonormal polynomials on 0 ... 1 with a zero of order `at_0` and `at_1` at the ends (0: free, 1: value, 2: value
// and slope): s^p (1 - s)^q P_k^(2q, 2p)(2 s - 1), P Jacobi, int phi_j phi_k = delta_jk.  One row per s, one column per
// k, with first and second derivative.  [DLMF 18.3, 18.9.2]
struct PolynomialTable {
  MatrixR value, slope, curvature;
};
PolynomialTable orthonormal_polynomials(const VectorR& s, int at_0, int at_1, int count);

}  // namespace limber::body_impl
