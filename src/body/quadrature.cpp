// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "quadrature.hpp"

#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>

#include "limber/spatial/status.hpp"

namespace limber::body_impl {
namespace {

// P_n(t) and P_{n-1}(t) by the three-term recurrence.
struct Legendre {
  Real last, before;
};

Legendre legendre_pair(int n, Real t) {
  Real before = 0, last = 1;
  for (int k = 0; k < n; ++k) {
    const Real next = ((2 * k + 1) * t * last - k * before) / (k + 1);
    before = last;
    last = next;
  }
  return {last, before};
}

// Newton's method from the asymptotic estimate of each root; weights 2 / ((1 - t^2) P_n'^2).  [Abramowitz & Stegun
// 25.4.29]
GaussRule make_gauss_rule(int n) {
  GaussRule rule{VectorR(n), VectorR(n)};
  for (int i = 0; i < (n + 1) / 2; ++i) {
    Real t = (2 * i + 1 == n) ? 0 : std::cos(std::numbers::pi_v<Real> * (i + 0.75L) / (n + 0.5L));
    Real slope = 0;
    for (int pass = 0; pass < 6; ++pass) {
      const auto [p, before] = legendre_pair(n, t);
      slope = n * (before - t * p) / (1 - t * t);
      t -= p / slope;
    }
    const auto [p, before] = legendre_pair(n, t);
    slope = n * (before - t * p) / (1 - t * t);
    const Real w = 1 / ((1 - t * t) * slope * slope);
    rule.x(i) = (1 - t) / 2;
    rule.x(n - 1 - i) = (1 + t) / 2;
    rule.w(i) = rule.w(n - 1 - i) = w;
  }
  return rule;
}

// Cache of one value per count, made on first use; addresses are stable.
template <class T>
class Shelf {
 public:
  template <class Make>
  const T& get(int count, Make make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto& slot = slots_[count];
    if (!slot) slot = std::make_unique<const T>(make());
    return *slot;
  }

 private:
  std::mutex mutex_;
  std::map<int, std::unique_ptr<const T>> slots_;
};

}  // namespace

const GaussRule& gauss_rule(int points) {
  LIMBER_ASSERT(points > 0);
  static Shelf<GaussRule> shelf;
  return shelf.get(points, [&] { return make_gauss_rule(points); });
}

const MatrixR& running_weights(int points) {
  static Shelf<MatrixR> shelf;
  const GaussRule& rule = gauss_rule(points);
  return shelf.get(points, [&] { return running_weights(points, rule.x); });
}

// f is expanded in Legendre polynomials, whose integrals are known (t = 2x - 1):
//   f = sum_k c_k P_k,   c_k = (2k+1) sum_j w_j P_k(t_j) f_j,   (2k+1) int_{-1}^t P_k = P_{k+1}(t) - P_{k-1}(t)
MatrixR running_weights(int points, const VectorR& ends) {
  const GaussRule& rule = gauss_rule(points);
  const MatrixR at_points = legendre(rule.x, points).value;
  const MatrixR at_ends = legendre(ends, points + 1).value;
  MatrixR primitive(ends.size(), points);
  primitive.col(0) = at_ends.col(1).array() + 1;
  for (int k = 1; k < points; ++k) primitive.col(k) = at_ends.col(k + 1) - at_ends.col(k - 1);
  const MatrixR weighted = rule.w.asDiagonal() * at_points;
  return 0.5L * (primitive * weighted.transpose());
}

LegendreTable legendre(const VectorR& x, int count) {
  const VectorR t = 2 * x.array() - 1;
  const Eigen::Index rows = x.size();
  LegendreTable table{MatrixR::Zero(rows, count), MatrixR::Zero(rows, count), MatrixR::Zero(rows, count)};
  auto& [P, dP, ddP] = table;
  if (count > 0) P.col(0).setOnes();
  if (count > 1) P.col(1) = t;
  if (count > 1) dP.col(1).setConstant(2);
  for (int k = 1; k + 1 < count; ++k) {
    P.col(k + 1) = ((2 * k + 1) * t.cwiseProduct(P.col(k)) - k * P.col(k - 1)) / (k + 1);
    // dP_{k+1}/dt = dP_{k-1}/dt + (2k+1) P_k, and dt/dx = 2.
    dP.col(k + 1) = dP.col(k - 1) + 2 * (2 * k + 1) * P.col(k);
    ddP.col(k + 1) = ddP.col(k - 1) + 2 * (2 * k + 1) * dP.col(k);
  }
  return table;
}

}  // namespace limber::body_impl
