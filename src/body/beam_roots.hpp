// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "quadrature.hpp"

namespace limber::body_impl {

// Eigenvalues and eigenfunctions of uniform Euler-Bernoulli beams and bars on s = x/L = 0 ... 1.  theory §7.
//   beam:  phi'''' = beta^4 phi         omega = beta^2 sqrt(EI / rho A L^4)
//   bar:   phi''   = -gamma^2 phi       omega = gamma sqrt(EA / rho A L^2), the same for a shaft

enum class BeamRoot { clamped, pinned, free };

struct BeamTip {
  bool clamped = false;
  Real mass = 0;     // over rho A L       tip free with a load: phi''' = -beta^4 mass phi
  Real inertia = 0;  // over rho A L^3                           phi''  =  beta^4 inertia phi'
};

// The first `count` roots beta > 0, rising, to full precision; rigid-body motions (beta = 0) are excluded.  No root can
// be missed, however heavy the load: roots are counted, not searched for by scanning.
std::vector<Real> beam_roots(BeamRoot root, const BeamTip& tip, int count);

// phi^(d) / beta^d, d = 0 ... 3, of the eigenfunction that belongs to a root, at s.  Overflow-safe.
class BeamShape {
 public:
  BeamShape(BeamRoot root, const BeamTip& tip, Real beta);
  std::array<Real, 4> at(Real s) const;

 private:
  BeamRoot root_;
  Real beta_;
  Real first_, second_;  // coefficients of the two solutions that satisfy the conditions at the root
};

// The first `count` roots gamma > 0.  Root fixed: phi = sin(gamma s); root free: phi = cos(gamma s).
// Tip load relative to that of the whole bar: phi'(1) = gamma^2 load phi(1).
std::vector<Real> bar_roots(bool root_free, Real load, int count);

}  // namespace limber::body_impl
