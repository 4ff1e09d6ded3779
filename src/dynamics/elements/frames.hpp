// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Two nodes and the element ends on them, for double or dual numbers.  Dual numbers carry derivatives by the poses and
// velocities of the nodes (forward-mode differentiation), so that a force is written once and yields its exact tangent.
#pragma once

#include <Eigen/Core>
#include <unsupported/Eigen/AutoDiff>

#include "parts.hpp"

namespace limber {

using Dual =
    Eigen::AutoDiffScalar<Eigen::Matrix<double, 24, 1>>;  // by rotation and position of a and b, velocities of a and b
template <class S>
using Vector3 = Eigen::Matrix<S, 3, 1>;
template <class S>
using Matrix3 = Eigen::Matrix<S, 3, 3>;

inline double value_of(double x) { return x; }
inline double value_of(const Dual& x) { return x.value(); }
template <class S>
Vector3d value_of(const Vector3<S>& a) {
  return {value_of(a[0]), value_of(a[1]), value_of(a[2])};
}

// Chain rule: g(x) with the slope dg/dx.
inline double chained(double, double g, double) { return g; }
inline Dual chained(const Dual& x, double g, double slope) { return Dual(g, slope * x.derivatives()); }

// Chain rule: g(x) with the Jacobian J.
inline Vector3d chained(const Vector3d&, const Vector3d& g, const Matrix3d&) { return g; }
inline Vector3<Dual> chained(const Vector3<Dual>& x, const Vector3d& g, const Matrix3d& J) {
  Vector3<Dual> out;
  for (int i = 0; i < 3; ++i) {
    out[i] = Dual(g[i]);
    out[i].derivatives() = J(i, 0) * x[0].derivatives() + J(i, 1) * x[1].derivatives() + J(i, 2) * x[2].derivatives();
  }
  return out;
}

template <class S>
Vector3<S> cross(const Vector3<S>& a, const Vector3<S>& b) {
  return Vector3<S>(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}
template <class S>
S dot(const Vector3<S>& a, const Vector3<S>& b) {
  return S(a[0] * b[0]) + S(a[1] * b[1]) + S(a[2] * b[2]);
}
template <class S>
Vector3<S> times(const S& c, const Vector3<S>& a) {
  return Vector3<S>(c * a[0], c * a[1], c * a[2]);
}
template <class S>
Vector3<S> turn(const Matrix3<S>& R, const Vector3<S>& a) {
  Vector3<S> out;
  for (int i = 0; i < 3; ++i) out[i] = S(R(i, 0) * a[0]) + S(R(i, 1) * a[1]) + S(R(i, 2) * a[2]);
  return out;
}
template <class S>
Vector3<S> turn_back(const Matrix3<S>& R, const Vector3<S>& a) {
  Vector3<S> out;
  for (int i = 0; i < 3; ++i) out[i] = S(R(0, i) * a[0]) + S(R(1, i) * a[1]) + S(R(2, i) * a[2]);
  return out;
}

// The frame of an end and its twist, in world.
template <class S>
struct EndFrame {
  Vector3<S> arm;  // from the node to the end
  Matrix3<S> R;
  Vector3<S> p, w, v;
};

// Seeds the derivatives by the components of a, from index `first`.
inline void seed(Vector3<Dual>& a, int first) {
  for (int i = 0; i < 3; ++i) a[i] = Dual(a[i].value(), 24, first + i);
}

inline EndFrame<double> make_end(const Pose& node, const Vector6& V, const Pose& at, bool, double) {
  const Vector3d arm = node.R * at.p, w = V.head<3>();
  return {arm, node.R * at.R, node.p + arm, w, V.tail<3>() + w.cross(arm)};
}
inline EndFrame<Dual> make_end(const Pose& node, const Vector6& V, const Pose& at, bool second, const Dual&) {
  const int first = second ? 6 : 0;
  const auto lift = [](const auto& m) { return m.template cast<Dual>().eval(); };
  Vector3<Dual> small = lift(Vector3d::Zero().eval()), p = lift(node.p), w = lift(Vector3d(V.head<3>())),
                v = lift(Vector3d(V.tail<3>()));
  seed(small, first);
  seed(p, first + 3);
  seed(w, 12 + first);
  seed(v, 12 + first + 3);
  // (1 + small~) a: exact first derivatives.
  const auto turned = [&](const Vector3d& a) {
    const Vector3<Dual> b = lift(a);
    return Vector3<Dual>(b + cross(small, b));
  };
  EndFrame<Dual> out;
  out.arm = turned(node.R * at.p);
  const Matrix3d R = node.R * at.R;
  for (int k = 0; k < 3; ++k) out.R.col(k) = turned(R.col(k));
  out.p = p + out.arm;
  out.w = w;
  out.v = v + cross(w, out.arm);
  return out;
}

// Forces and torques at the ends as wrenches on the nodes.
template <class S>
Eigen::Matrix<S, 12, 1> node_wrenches(const EndFrame<S>& a, const EndFrame<S>& b, const Vector3<S>& on_a,
                                      const Vector3<S>& torque_a, const Vector3<S>& on_b, const Vector3<S>& torque_b) {
  Eigen::Matrix<S, 12, 1> out;
  out.template segment<3>(0) = torque_a + cross(a.arm, on_a);
  out.template segment<3>(3) = on_a;
  out.template segment<3>(6) = torque_b + cross(b.arm, on_b);
  out.template segment<3>(9) = on_b;
  return out;
}

inline void split(const Eigen::Matrix<Dual, 12, 1>& w, Matrix12& by_pose, Matrix12& by_velocity) {
  for (int i = 0; i < 12; ++i) {
    by_pose.row(i) = w[i].derivatives().head<12>().transpose();
    by_velocity.row(i) = w[i].derivatives().tail<12>().transpose();
  }
}

}  // namespace limber
