// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/spatial/rotation.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cmath>

#include "limber/spatial/detail/series.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
RotationSeries rotation_series(double x) {
  if (!(x > 1)) {
    RotationSeries out;
    power_series::turn<10>(x, out.sinc, out.a, out.b, out.da, out.db);
    return out;
  }
  const double t = std::sqrt(x), s = std::sin(t), c = std::cos(t);
  const double sinc = s / t, a = (1 - c) / x, b = (t - s) / (x * t);
  return {sinc, a, b, (0.5 * sinc - a) / x, (0.5 * a - 1.5 * b) / x};
}

Vector3d perpendicular(const Vector3d& axis) {
  Vector3d::Index k = 0;
  axis.cwiseAbs().minCoeff(&k);
  return axis.cross(Vector3d::Unit(k)).normalized();
}

Matrix3d exp_rotation(const Vector3d& theta) {
  const RotationSeries k = rotation_series(theta.squaredNorm());
  const Matrix3d t = skew(theta);
  return Matrix3d::Identity() + k.sinc * t + k.a * (t * t);
}

Vector3d log_rotation(const Matrix3d& R) {
  // Branch on the largest of the four squared quaternion components, to avoid division by a small number.
  const double squares[4] = {1 + R(0, 0) + R(1, 1) + R(2, 2), 1 + R(0, 0) - R(1, 1) - R(2, 2),
                             1 - R(0, 0) + R(1, 1) - R(2, 2), 1 - R(0, 0) - R(1, 1) + R(2, 2)};
  int k = 0;
  for (int i = 1; i < 4; ++i) {
    if (squares[i] > squares[k]) k = i;
  }
  const double x = R(2, 1) - R(1, 2), y = R(0, 2) - R(2, 0), z = R(1, 0) - R(0, 1);
  const double xy = R(0, 1) + R(1, 0), xz = R(0, 2) + R(2, 0), yz = R(1, 2) + R(2, 1);
  const double rows[4][4] = {
      {squares[0], x, y, z}, {x, squares[1], xy, xz}, {y, xy, squares[2], yz}, {z, xz, yz, squares[3]}};
  return quaternion_log(rows[k]);
}

Matrix3d rpy_rotation(const Vector3d& rpy) {
  return exp_rotation(Vector3d(0, 0, rpy[2])) * exp_rotation(Vector3d(0, rpy[1], 0)) *
         exp_rotation(Vector3d(rpy[0], 0, 0));
}

Matrix3d quaternion_rotation(const double* q) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double k = 2 / (w * w + x * x + y * y + z * z);
  Matrix3d R;
  R << 1 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y),  //
      k * (x * y + w * z), 1 - k * (x * x + z * z), k * (y * z - w * x),   //
      k * (x * z - w * y), k * (y * z + w * x), 1 - k * (x * x + y * y);
  return R;
}

Vector3d quaternion_log(const double* q) {
  const double sign = q[0] < 0 ? -1 : 1;
  const double w = sign * q[0];
  const Vector3d u = sign * Vector3d(q[1], q[2], q[3]);
  const double s = u.norm();
  if (s == 0) return Vector3d::Zero();
  return (2 * std::atan2(s, w) / s) * u;
}

void quaternion_turn(const double* q, const Vector3d& theta, double* out) {
  const double half = 0.5 * theta.norm();
  const double c = std::cos(half);
  const Vector3d u = 0.5 * rotation_series(half * half).sinc * theta;
  const Vector3d qv(q[1], q[2], q[3]);
  const Vector3d v = q[0] * u + c * qv + qv.cross(u);
  out[0] = q[0] * c - qv.dot(u);
  for (int i = 0; i < 3; ++i) out[1 + i] = v[i];
}

Vector3d inverse_right_jacobian(const Vector3d& theta, const Vector3d& a) {
  const double x = theta.squaredNorm();
  constexpr double kSeries = 1e-2;  // the next term of the series is below 1e-16 there
  double c = 1.0 / 12 + x * (1.0 / 720 + x * (1.0 / 30240 + x * (1.0 / 1209600 + x / 47900160)));
  if (x > kSeries) {
    const double half = 0.5 * std::sqrt(x);
    c = (1 - half * std::cos(half) / std::sin(half)) / x;
  }
  return a + 0.5 * theta.cross(a) + c * theta.cross(theta.cross(a));
}

const char* to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::singular_mass:
      return "singular mass matrix";
    case Status::not_finite:
      return "a number is not finite";
    case Status::no_convergence:
      return "no convergence";
    case Status::singular_closure:
      return "singular closures";
  }
  return "unknown";
}

}  // namespace limber
