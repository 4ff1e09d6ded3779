// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Bushings: springs and dampers that act on the rotation and displacement of frame b relative to frame a.
#include <cmath>

#include "frames.hpp"

namespace limber {
namespace {

// c(s) of the inverse left Jacobian 1 - a~/2 + c a~ a~, s = |a|^2 = f^2: c = 1/s - cot(f/2)/(2f).  [Sola] (146)
struct InverseSeries {
  double c, slope;
};
InverseSeries inverse_series(double s) {
  constexpr double kSmall = 0.05;  // series to s^4: 1e-13
  if (s < kSmall) {
    return {1.0 / 12 + s * (1.0 / 720 + s * (1.0 / 30240 + s * (1.0 / 1209600 + s / 47900160.0))),
            1.0 / 720 + s * (1.0 / 15120 + s * (1.0 / 403200 + s / 11975040.0))};
  }
  const double f = std::sqrt(s), sine = std::sin(0.5 * f), cot = std::cos(0.5 * f) / sine;
  return {1 / s - cot / (2 * f), -1 / (s * s) + 1 / (8 * s * sine * sine) + cot / (4 * f * s)};
}

Vector3d relative_turn(const Matrix3d& R) { return log_rotation(R); }
// R' = w~ R gives a' = (1 - a~/2 + c a~ a~) w.
Vector3<Dual> relative_turn(const Matrix3<Dual>& R) {
  Matrix3d value;
  for (int i = 0; i < 9; ++i) value(i / 3, i % 3) = R(i / 3, i % 3).value();
  const Vector3d a = log_rotation(value);
  const Matrix3d inverse = Matrix3d::Identity() - 0.5 * skew(a) + inverse_series(a.squaredNorm()).c * skew(a) * skew(a);
  Vector3<Dual> w;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;  // w_i = (R' R^T)_kj
    w[i] = Dual(0);
    for (int m = 0; m < 3; ++m) w[i].derivatives() += R(k, m).derivatives() * value(j, m);
  }
  return chained(w, a, inverse);
}

template <class S>
struct BushingState {
  Eigen::Matrix<S, 6, 1> x, xdot, Q;
  Eigen::Matrix<S, 12, 1> wrench;
};

// Q = -K x - D dx/dt with x = (a, u): rotation vector and displacement of b in frame a.  From the power Q . dx/dt:
//   da/dt = E w,  E = 1 - a~/2 + c a~ a~,  w = R_a^T (w_b - w_a)           torque on b: E^T Q_a
//   du/dt = R_a^T (v_b - v_a) - (R_a^T w_a) x u                            force on b: Q_u
template <class S>
BushingState<S> bushing(const BushingPart& part, const EndFrame<S>& a, const EndFrame<S>& b) {
  BushingState<S> out;
  Matrix3<S> R;
  for (int k = 0; k < 3; ++k) R.col(k) = turn_back(a.R, Vector3<S>(b.R.col(k)));
  const Vector3<S> theta = relative_turn(R), u = turn_back(a.R, Vector3<S>(b.p - a.p));
  const Vector3<S> w = turn_back(a.R, Vector3<S>(b.w - a.w));
  const S s = dot(theta, theta);
  const InverseSeries series = inverse_series(value_of(s));
  const S c = chained(s, series.c, series.slope);
  const auto inverse = [&](const Vector3<S>& y, double sign) {
    const Vector3<S> once = cross(theta, y);
    return Vector3<S>(y - times(S(0.5 * sign), once) + times(c, cross(theta, once)));
  };
  out.x << theta, u;
  const Vector3<S> thetadot = inverse(w, 1);
  const Vector3<S> udot = turn_back(a.R, Vector3<S>(b.v - a.v)) - cross(turn_back(a.R, a.w), u);
  out.xdot << thetadot, udot;
  for (int i = 0; i < 6; ++i) {
    out.Q[i] = S(0);
    for (int j = 0; j < 6; ++j) out.Q[i] -= S(part.K(i, j) * out.x[j]) + S(part.D(i, j) * out.xdot[j]);
  }
  const Vector3<S> Q_turn = out.Q.template head<3>(), Q_move = out.Q.template tail<3>();
  const Vector3<S> torque = turn(a.R, inverse(Q_turn, -1)), force = turn(a.R, Q_move);
  const Vector3<S> arm = b.p - a.p;
  const Vector3<S> back = -force, torque_a = -torque - cross(arm, force);
  out.wrench = node_wrenches(a, b, back, torque_a, force, torque);
  return out;
}

template <class S>
BushingState<S> at_state(const ElementLoads::Data& data, const BushingPart& part) {
  const auto a = make_end(data.node_of(part.a), data.velocity(part.a), part.a.at, false, S(0));
  const auto b = make_end(data.node_of(part.b), data.velocity(part.b), part.b.at, true, S(0));
  return bushing<S>(part, a, b);
}

}  // namespace

void compute_bushing(const ElementLoads::Data& data, BushingPart& part, Vector12& wrench) {
  const BushingState<double> now = at_state<double>(data, part);
  part.x = now.x;
  part.xdot = now.xdot;
  part.Q = now.Q;
  wrench = now.wrench;
}

void compute_bushing_tangent(const ElementLoads::Data& data, const BushingPart& part, Matrix12& by_pose,
                             Matrix12& by_velocity) {
  split(at_state<Dual>(data, part).wrench, by_pose, by_velocity);
}

}  // namespace limber
