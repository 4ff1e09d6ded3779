// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "limber/spatial/types.hpp"

namespace limber::test {

// The same numbers on every computer: only the engine is from the standard library, since its output is specified by
// the standard; that of the distributions is not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // In [0, 1).
  double unit() { return std::ldexp(static_cast<double>(engine_() >> 11), -53); }
  double uniform(double low, double high) { return low + (high - low) * unit(); }
  // In 0 ... n - 1.
  int index(int n) { return static_cast<int>(unit() * n); }
  bool chance(double p) { return unit() < p; }
  // Box-Muller method, one of the two numbers.
  double normal() { return std::sqrt(-2 * std::log(1 - unit())) * std::cos(2 * std::numbers::pi * unit()); }

  VectorXd vector(int n, double scale = 1) {
    VectorXd x(n);
    for (double& e : x) e = scale * normal();
    return x;
  }
  Vector3d vector3(double scale = 1) { return vector(3, scale); }
  MatrixXd matrix(int rows, int cols, double scale = 1) {
    MatrixXd a(rows, cols);
    for (int j = 0; j < cols; ++j) a.col(j) = vector(rows, scale);
    return a;
  }
  // Symmetric, with eigenvalues of at least `least`.
  MatrixXd positive(int n, double least, double scale) {
    const MatrixXd a = matrix(n, n);
    return scale * (a * a.transpose()) / std::max(n, 1) + least * MatrixXd::Identity(n, n);
  }
  Vector3d direction() { return vector3().normalized(); }
  // Unit quaternion (w x y z), uniform over all rotations.
  Eigen::Vector4d quaternion() { return vector(4).normalized(); }
  Matrix3d rotation();

 private:
  std::mt19937_64 engine_;
};

// Rotation matrix of a unit quaternion (w x y z).
inline Matrix3d rotation_of(const Eigen::Vector4d& q) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  Matrix3d R;
  R << w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),  //
      2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),   //
      2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z;
  return R;
}

inline Matrix3d Random::rotation() { return rotation_of(quaternion()); }

}  // namespace limber::test
