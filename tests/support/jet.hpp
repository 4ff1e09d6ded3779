// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <type_traits>

namespace limber::test {

// The brute-force reference uses the longest real type, so that its own error is negligible compared with eps.
using Real = long double;
using RVec3 = Eigen::Matrix<Real, 3, 1>;
using RMat3 = Eigen::Matrix<Real, 3, 3>;
using RVec = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using RMat = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

// A quantity along a curve: value, first and second derivative in time.  T is a number, a vector or a matrix.
template <class T>
struct Jet {
  T x, d, dd;
};

// Value type of an Eigen expression or a number.
template <class E>
auto plain(const E& e) {
  if constexpr (std::is_arithmetic_v<E>) {
    return e;
  } else {
    return e.eval();
  }
}

template <class T>
Jet<T> operator+(const Jet<T>& a, const Jet<T>& b) {
  return {a.x + b.x, a.d + b.d, a.dd + b.dd};
}
template <class T>
Jet<T> operator-(const Jet<T>& a) {
  return {-a.x, -a.d, -a.dd};
}

// Leibniz: holds for every product that is linear in both factors.
template <class A, class B>
auto operator*(const Jet<A>& a, const Jet<B>& b) {
  using T = decltype(plain(a.x * b.x));
  return Jet<T>{plain(a.x * b.x), plain(a.d * b.x + a.x * b.d), plain(a.dd * b.x + 2 * (a.d * b.d) + a.x * b.dd)};
}

// A linear map of the quantity.
template <class T, class Map>
auto apply(const Map& map, const Jet<T>& a) {
  using U = decltype(plain(map(a.x)));
  return Jet<U>{plain(map(a.x)), plain(map(a.d)), plain(map(a.dd))};
}

inline Jet<RMat3> transpose(const Jet<RMat3>& a) { return {a.x.transpose(), a.d.transpose(), a.dd.transpose()}; }

inline RMat3 skew(const RVec3& w) {
  RMat3 m;
  m << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
  return m;
}

// Stumpff functions c_k(s) = 1/k! - s/(k+2)! + s^2/(k+4)! - ...: c_0 = cos sqrt s, c_1 = sin sqrt s / sqrt s.
// c_k' = (k c_(k+2) - c_(k+1)) / 2.
inline Real stumpff(int k, Real s) {
  Real factorial = 1;
  for (int i = 2; i <= k; ++i) factorial *= static_cast<Real>(i);
  if (s < 1) {
    Real term = 1 / factorial, sum = term;
    for (int j = 1; j < 20; ++j) {
      term *= -s / static_cast<Real>((2 * j + k - 1) * (2 * j + k));
      sum += term;
    }
    return sum;
  }
  if (k == 0) return std::cos(std::sqrt(s));
  if (k == 1) return std::sin(std::sqrt(s)) / std::sqrt(s);
  return (static_cast<Real>(k * (k - 1)) / factorial - stumpff(k - 2, s)) / s;
}

inline Real stumpff_slope(int k, Real s) { return (static_cast<Real>(k) * stumpff(k + 2, s) - stumpff(k + 1, s)) / 2; }
inline Real stumpff_second(int k, Real s) {
  return (static_cast<Real>(k) * stumpff_slope(k + 2, s) - stumpff_slope(k + 1, s)) / 2;
}

inline Jet<Real> stumpff(int k, const Jet<Real>& s) {
  const Real slope = stumpff_slope(k, s.x);
  return {stumpff(k, s.x), slope * s.d, slope * s.dd + stumpff_second(k, s.x) * s.d * s.d};
}

// exp of the rotation vector u: 1 + c_1 u~ + c_2 u~^2 at |u|^2.
inline Jet<RMat3> rotation_by(const Jet<RVec3>& u) {
  const Jet<RMat3> U = apply([](const RVec3& x) { return skew(x); }, u);
  const Jet<Real> s{u.x.dot(u.x), 2 * u.x.dot(u.d), 2 * (u.d.dot(u.d) + u.x.dot(u.dd))};
  const Jet<RMat3> one{RMat3::Identity(), RMat3::Zero(), RMat3::Zero()};
  return one + stumpff(1, s) * U + stumpff(2, s) * (U * U);
}

}  // namespace limber::test
