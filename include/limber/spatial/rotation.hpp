// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/spatial/types.hpp"

namespace limber {

// The coefficients of the exponential map and its left Jacobian at x = |theta|^2.  theory §2, Nodes.
struct RotationSeries {
  double sinc;  // sin|t| / |t|
  double a;     // (1 - cos|t|) / |t|^2
  double b;     // (|t| - sin|t|) / |t|^3
  double da;    // d a / d x
  double db;    // d b / d x
};
RotationSeries rotation_series(double x);  // x = |t|^2

inline Matrix3d skew(const Vector3d& a) {  // a~: a~ b = a x b
  Matrix3d m;
  m << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return m;
}

// A unit vector perpendicular to a nonzero axis.
Vector3d perpendicular(const Vector3d& axis);
// Rotation by the vector theta.
Matrix3d exp_rotation(const Vector3d& theta);
// The rotation vector of R, |theta| <= pi.
Vector3d log_rotation(const Matrix3d& R);
// The change of the rotation vector theta when the frame rotates by a, expressed in its own basis: the inverse right
// Jacobian, a + (theta x a)/2 + c theta x (theta x a), c = (1 - |theta|/2 cot(|theta|/2)) / |theta|^2.
Vector3d inverse_right_jacobian(const Vector3d& theta, const Vector3d& a);
// Fixed-axis roll, pitch, yaw (URDF): Rz(yaw) Ry(pitch) Rx(roll).
Matrix3d rpy_rotation(const Vector3d& rpy);

// Quaternions are (w, x, y, z).  The rotation of q / |q|.
Matrix3d quaternion_rotation(const double* q);
// The rotation vector of q / |q|, |theta| <= pi.
Vector3d quaternion_log(const double* q);
// q * exp(theta): the quaternion after a rotation by theta, expressed in the body's own frame.
void quaternion_turn(const double* q, const Vector3d& theta, double* out);

}  // namespace limber
