// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "beam_roots.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace limber::body_impl {
namespace {

constexpr Real kPi = std::numbers::pi_v<Real>;
constexpr Real kRootEps = std::numeric_limits<Real>::epsilon();
constexpr Real kSmallBeta = 3;  // below: Krylov functions by series; above: sines and decaying exponentials

// Krylov-Duncan functions K_j(z) = sum_m z^(4m+j) / (4m+j)!, j = 0 ... 3; K_j' = K_{j-1}, K_0' = K_3.
// Free of the cancellation in (cosh - cos) and (sinh - sin) for small z.
std::array<Real, 4> krylov(Real z) {
  std::array<Real, 4> K{};
  Real term = 1;
  for (int n = 0; n < 60; ++n) {
    K[n % 4] += term;
    term *= z / (n + 1);
    if (n % 4 == 3 && term < kRootEps / 16) break;
  }
  return K;
}

using Derivatives = std::array<Real, 4>;  // phi^(d) / beta^d, d = 0 ... 3

// The two solutions at s of phi'''' = beta^4 phi with the boundary conditions of the root.
struct SolutionPair {
  Derivatives first, second;
};

// Small beta: two of the four Krylov functions.
SolutionPair series_pair(BeamRoot root, Real z) {
  const auto K = krylov(z);
  const auto from = [&](int j) { return Derivatives{K[j], K[(j + 3) % 4], K[(j + 2) % 4], K[(j + 1) % 4]}; };
  switch (root) {
    case BeamRoot::clamped:
      return {from(2), from(3)};
    case BeamRoot::pinned:
      return {from(1), from(3)};
    default:
      return {from(0), from(1)};
  }
}

// Large beta: A cos + B sin + C e^{-beta s} + D e^{-beta (1-s)}, with (A, B, C, D) from the conditions at the root.
SolutionPair wave_pair(BeamRoot root, Real beta, Real s) {
  const Real c = std::cos(beta * s), si = std::sin(beta * s);
  const Real in = std::exp(-beta * s), out = std::exp(-beta * (1 - s)), e = std::exp(-beta);
  const auto sum = [&](Real A, Real B, Real C, Real D) {
    return Derivatives{A * c + B * si + (C * in + D * out), -A * si + B * c + (D * out - C * in),
                       -A * c - B * si + (C * in + D * out), A * si - B * c + (D * out - C * in)};
  };
  switch (root) {
    case BeamRoot::clamped:
      return {sum(-1, 1, 1, 0), sum(-e, -e, 0, 1)};
    case BeamRoot::pinned:
      return {sum(0, 1, 0, 0), sum(0, 0, -e, 1)};
    default:
      return {sum(1, -1, 1, 0), sum(e, e, 0, 1)};
  }
}

SolutionPair solution_pair(BeamRoot root, Real beta, Real s) {
  return beta < kSmallBeta ? series_pair(root, beta * s) : wave_pair(root, beta, s);
}

// The two boundary conditions at the tip, as rows in the coefficients of the two solutions.
struct TipRows {
  Real a1, a2;  // displacement fixed, or shear balanced
  Real b1, b2;  // slope fixed, or moment balanced
  Real det() const { return a1 * b2 - a2 * b1; }
};

TipRows held_rows(const SolutionPair& p) { return {p.first[0], p.second[0], p.first[1], p.second[1]}; }

// Residual tip force -(phi''' + beta mass phi) and moment phi'' - beta^3 inertia phi', scaled to stay of order 1.
TipRows loaded_rows(const SolutionPair& p, const BeamTip& tip, Real beta) {
  const Real mu = beta * tip.mass, j = beta * beta * beta * tip.inertia;
  const Real a = 1 / (1 + mu), b = 1 / (1 + j);
  const auto force = [&](const Derivatives& f) { return -a * (f[3] + mu * f[0]); };
  const auto moment = [&](const Derivatives& f) { return b * (f[2] - j * f[1]); };
  return {force(p.first), force(p.second), moment(p.first), moment(p.second)};
}

// Number of roots below beta of the beam with clamped tip: one in every (m pi, (m+1) pi), m >= 1 (m >= 0 for a free
// root); the sign of det tells on which side of that root beta lies.
int count_held(BeamRoot root, Real beta, Real det) {
  const int m = static_cast<int>(std::floor(beta / kPi));
  const bool from_zero = root == BeamRoot::free;
  if (m == 0 && !from_zero) return 0;
  const bool start = (m % 2 == 0) == from_zero;  // sign of det at m pi
  const bool passed = (det > 0) != start;
  return (from_zero ? m : m - 1) + (passed ? 1 : 0);
}

// Data of the root search at beta: the number of roots below it, and the function that vanishes at the roots.
struct Probe {
  int below;
  Real residual;
};

// Count of Wittrick & Williams (1971): roots with the tip clamped, plus the negative eigenvalues of the (2 x 2) dynamic
// stiffness K of the tip, K = loaded held^-1.  Includes rigid-body motions.
Probe probe(BeamRoot root, const BeamTip& tip, Real beta) {
  const SolutionPair pair = solution_pair(root, beta, 1);
  const TipRows held = held_rows(pair);
  const Real g = held.det();
  const int base = count_held(root, beta, g);
  if (tip.clamped) return {base, g};
  const TipRows loaded = loaded_rows(pair, tip, beta);
  const Real f = loaded.det();
  const Real k11 = loaded.a1 * held.b2 - loaded.a2 * held.b1;  // K_11 det(held)
  const bool one_negative = (f > 0) != (g > 0);
  const int negative = one_negative ? 1 : ((k11 > 0) != (g > 0) ? 2 : 0);
  return {base + negative, f};
}

// Root of f in (lo, hi) by Ridders' method, to full precision; f(lo) f(hi) < 0.
template <class F>
Real refine(F f, Real lo, Real hi, Real f_lo, Real f_hi) {
  for (int pass = 0; pass < 100 && hi - lo > 2 * kRootEps * hi; ++pass) {
    const Real mid = lo + (hi - lo) / 2;
    const Real f_mid = f(mid);
    const Real scale = std::sqrt(f_mid * f_mid - f_lo * f_hi);
    if (f_mid == 0 || scale == 0) return mid;
    Real next = mid + (mid - lo) * (f_lo > f_hi ? f_mid : -f_mid) / scale;
    if (!(next > lo && next < hi)) next = mid;
    const Real f_next = f(next);
    if (f_next == 0) return next;
    // Keep the shortest interval with a change of sign.
    const Real before = hi - lo;
    const auto tighten = [&](Real x, Real fx) {
      if (x <= lo || x >= hi) return;
      ((fx > 0) == (f_lo > 0) ? lo : hi) = x;
      ((fx > 0) == (f_lo > 0) ? f_lo : f_hi) = fx;
    };
    tighten(mid, f_mid);
    tighten(next, f_next);
    if (hi - lo == before) break;
    // Once `next` has converged, one evaluation on its other side closes the bracket.
    const Real step = 4 * kRootEps * next;
    if (next == lo || next == hi) {
      const Real other = next == lo ? next + step : next - step;
      tighten(other, f(other));
    }
  }
  return lo + (hi - lo) / 2;
}

}  // namespace

std::vector<Real> beam_roots(BeamRoot root, const BeamTip& tip, int count) {
  int rigid = 0;
  if (!tip.clamped && root == BeamRoot::pinned) rigid = 1;
  if (!tip.clamped && root == BeamRoot::free) rigid = 2;
  std::vector<Real> roots;
  Real lo = 0;
  Probe at_lo{rigid, 0};
  for (int k = rigid + 1; k <= rigid + count; ++k) {
    Real hi = lo + kPi;
    Probe at_hi = probe(root, tip, hi);
    for (; at_hi.below < k; at_hi = probe(root, tip, hi)) {
      lo = hi;
      at_lo = at_hi;
      hi += kPi;
    }
    // Bisect until root k is isolated, or two roots agree to full precision.
    while ((lo == 0 || at_lo.below != k - 1 || at_hi.below != k) && hi - lo > kRootEps * hi) {
      const Real mid = lo + (hi - lo) / 2;
      const Probe at_mid = probe(root, tip, mid);
      (at_mid.below < k ? lo : hi) = mid;
      (at_mid.below < k ? at_lo : at_hi) = at_mid;
    }
    const bool alone = (at_lo.residual > 0) != (at_hi.residual > 0);
    const auto residual = [&](Real beta) { return probe(root, tip, beta).residual; };
    roots.push_back(alone ? refine(residual, lo, hi, at_lo.residual, at_hi.residual) : lo + (hi - lo) / 2);
    if (at_hi.below == k) {
      lo = hi;
      at_lo = at_hi;
    }
  }
  return roots;
}

BeamShape::BeamShape(BeamRoot root, const BeamTip& tip, Real beta) : root_(root), beta_(beta) {
  const SolutionPair pair = solution_pair(root, beta, 1);
  const TipRows rows = tip.clamped ? held_rows(pair) : loaded_rows(pair, tip, beta);
  const bool use_a = std::hypot(rows.a1, rows.a2) > std::hypot(rows.b1, rows.b2);
  first_ = use_a ? -rows.a2 : -rows.b2;
  second_ = use_a ? rows.a1 : rows.b1;
}

std::array<Real, 4> BeamShape::at(Real s) const {
  const SolutionPair pair = solution_pair(root_, beta_, s);
  std::array<Real, 4> phi;
  for (int d = 0; d < 4; ++d) phi[d] = first_ * pair.first[d] + second_ * pair.second[d];
  return phi;
}

std::vector<Real> bar_roots(bool root_free, Real load, int count) {
  std::vector<Real> roots;
  for (int k = 1; k <= count; ++k) {
    // phi'(1) / gamma = gamma load phi(1); exactly one root in each half wave.
    const Real lo = (root_free ? k - 0.5L : k - 1.0L) * kPi, hi = lo + kPi / 2;
    const auto f = [&](Real g) {
      const Real c = std::cos(g), s = std::sin(g);
      return root_free ? s + g * load * c : c - g * load * s;
    };
    const Real sign = k % 2 == 1 ? 1 : -1;  // of f at lo, where the load has no effect
    roots.push_back(load == 0 ? hi : refine(f, lo, hi, sign, -sign * hi * load));
  }
  return roots;
}

}  // namespace limber::body_impl
