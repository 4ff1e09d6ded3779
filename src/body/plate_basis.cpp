// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "plate_basis.hpp"

#include <cmath>

namespace limber::body_impl {
namespace {

// P_k^(a, b)(x), k < count, and derivatives in x: the recurrence of [DLMF 18.9.2], differentiated.
PolynomialTable jacobi(const VectorR& x, Real a, Real b, int count) {
  PolynomialTable t;
  t.value.setZero(x.size(), count);
  t.slope = t.curvature = t.value;
  t.value.col(0).setOnes();
  if (count > 1) {
    t.value.col(1) = (a + 1) + (a + b + 2) / 2 * (x.array() - 1);
    t.slope.col(1).setConstant((a + b + 2) / 2);
  }
  for (int k = 2; k < count; ++k) {
    const Real n = k, c = 2 * n + a + b, scale = 2 * n * (n + a + b) * (c - 2);
    const Real A = (c - 1) * c * (c - 2) / scale, B = (c - 1) * (a * a - b * b) / scale;
    const Real C = 2 * (n + a - 1) * (n + b - 1) * c / scale;
    const VectorR line = (A * x.array() + B).matrix();
    t.value.col(k) = line.cwiseProduct(t.value.col(k - 1)) - C * t.value.col(k - 2);
    t.slope.col(k) = line.cwiseProduct(t.slope.col(k - 1)) + A * t.value.col(k - 1) - C * t.slope.col(k - 2);
    t.curvature.col(k) =
        line.cwiseProduct(t.curvature.col(k - 1)) + 2 * A * t.slope.col(k - 1) - C * t.curvature.col(k - 2);
  }
  return t;
}

// Times s^p (1 - s)^q, by the product rule; derivatives in s.
PolynomialTable held(const VectorR& s, int p, int q, int count) {
  const PolynomialTable P = jacobi((2 * s.array() - 1).matrix(), 2 * q, 2 * p, count);
  const auto power = [](Real x, int n) { return n < 0 ? Real{0} : n == 0 ? Real{1} : std::pow(x, n); };
  PolynomialTable t{MatrixR(s.size(), count), MatrixR(s.size(), count), MatrixR(s.size(), count)};
  for (Eigen::Index i = 0; i < s.size(); ++i) {
    const Real x = s(i), y = 1 - x;
    const Real f = power(x, p), f1 = p * power(x, p - 1), f2 = p * (p - 1) * power(x, p - 2);
    const Real g = power(y, q), g1 = -q * power(y, q - 1), g2 = q * (q - 1) * power(y, q - 2);
    const Real b = f * g, b1 = f1 * g + f * g1, b2 = f2 * g + 2 * f1 * g1 + f * g2;
    t.value.row(i) = b * P.value.row(i);
    t.slope.row(i) = b1 * P.value.row(i) + 2 * b * P.slope.row(i);
    t.curvature.row(i) = b2 * P.value.row(i) + 4 * b1 * P.slope.row(i) + 4 * b * P.curvature.row(i);
  }
  return t;
}

}  // namespace

PolynomialTable orthonormal_polynomials(const VectorR& s, int at_0, int at_1, int count) {
  const GaussRule& rule = gauss_rule(count + at_0 + at_1 + 1);
  const VectorR norm = (rule.w.transpose() * held(rule.x, at_0, at_1, count).value.cwiseAbs2()).cwiseSqrt();
  PolynomialTable t = held(s, at_0, at_1, count);
  for (MatrixR* m : {&t.value, &t.slope, &t.curvature}) *m = *m * norm.cwiseInverse().asDiagonal();
  return t;
}

}  // namespace limber::body_impl
