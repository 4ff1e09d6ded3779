// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "limber/linear/analysis.hpp"

namespace limber {

// x' = A(t) x with A(t + period) = A(t).
struct PeriodicSystem {
  double period = 0;
  std::function<void(double t, MatrixXd& A)> state_matrix;
};

// Transition matrices over equal parts of a period: x(t_{k+1}) = parts[k] x(t_k).
struct Transition {
  std::vector<MatrixXd> parts;
  int steps = 0;     // in each part
  double error = 0;  // of a part, relative to its largest entry, in balanced coordinates; estimated
};

// By Magnus' series to sixth order (Blanes, Casas, Oteo, Ros: The Magnus expansion and some of its applications,
// Physics Reports 470, 2009), exact where A is constant; steps are halved until two results differ by less than
// `tolerance`. Throws NumericalError if kMaxMagnusSteps do not reach 1e4 times the tolerance.
inline constexpr int kMaxMagnusSteps = 1 << 14;  // of a period
Transition compute_transition(const PeriodicSystem& system, int parts, double tolerance = 1e-11);

// Floquet's solutions x(t) = exp(lambda t) p(t), p periodic.  exp(lambda period) are the eigenvalues of the product of
// the parts, the Floquet multipliers; Im(lambda) is known up to multiples of 2 pi / period, here within half of it.
struct FloquetSolutions {
  double period = 0;
  VectorXcd exponents;             // 1/s
  std::vector<MatrixXcd> vectors;  // (part) columns: p at the beginning of each
};

// Eigenvalues and vectors of a product of many matrices.  Solutions that decay at very different rates are separated
// before the product is formed, so that a multiplier of 1e-100 is as accurate as one of 1 (orthogonal iteration along
// the period, then periodic Sylvester equations; Watkins: Product eigenvalue problems, SIAM Review 47, 2005).
FloquetSolutions compute_floquet(const std::vector<MatrixXd>& parts, double period);

}  // namespace limber
