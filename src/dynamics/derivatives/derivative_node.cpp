// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "derivative_steps.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {
namespace {

// sum (-x)^k / (2k + n)!: S_n of rotation.cpp, for x <= 1.
double alternating_sum(double x, int n) {
  double term = 1, sum = 0;
  for (int i = 2; i <= n; ++i) term /= i;
  for (int k = 0; k < 12; ++k) {
    sum += term;
    term *= -x / ((2.0 * k + n + 1) * (2.0 * k + n + 2));
  }
  return sum;
}

// The second derivatives of a and b by x = |theta|^2.  With a = S_2, b = S_3, S_n' = (n S_(n+2) - S_(n+1)) / 2 and
// S_(n+2) = (1/n! - S_n) / x.
void second_derivatives(double x, const RotationSeries& c, double& dda, double& ddb) {
  double S4, S5, S6, S7;
  if (x > 1) {
    S4 = (1.0 / 2 - c.a) / x, S5 = (1.0 / 6 - c.b) / x;
    S6 = (1.0 / 24 - S4) / x, S7 = (1.0 / 120 - S5) / x;
  } else {
    S4 = alternating_sum(x, 4), S5 = alternating_sum(x, 5);
    S6 = alternating_sum(x, 6), S7 = alternating_sum(x, 7);
  }
  dda = 2 * S6 - 1.25 * S5 + 0.25 * S4;
  ddb = 3.75 * S7 - 1.75 * S6 + 0.25 * S5;
}

// k1 t x u + k2 t x (t x u).
Vec4d twice_crossed(double k1, double k2, Vec4d t, Vec4d u) {
  const Vec4d once = cross(t, u);
  return spread(k1) * once + spread(k2) * cross(t, once);
}

// s x (t x u) + t x (s x u).
Vec4d crossed_by_both(Vec4d s, Vec4d t, Vec4d u) { return cross(s, cross(t, u)) + cross(t, cross(s, u)); }

// A u, (dA/dt) u, (d2A/dt2) u with A = 1 + a theta~ + b theta~^2.
Vec4d jacobian(const MovingNode& m, Vec4d u) { return u + twice_crossed(m.a, m.b, m.theta, u); }
Vec4d jacobian_rate(const MovingNode& m, Vec4d u) {
  return twice_crossed(m.a_rate, m.b_rate, m.theta, u) + spread(m.a) * cross(m.theta_rate, u) +
         spread(m.b) * crossed_by_both(m.theta_rate, m.theta, u);
}
Vec4d jacobian_acc(const MovingNode& m, Vec4d u) {
  const Vec4d& t = m.theta_rate;
  return twice_crossed(m.a_acc, m.b_acc, m.theta, u) + spread(2 * m.a_rate) * cross(t, u) +
         spread(m.a) * cross(m.theta_acc, u) + spread(2 * m.b_rate) * crossed_by_both(t, m.theta, u) +
         spread(m.b) * (crossed_by_both(m.theta_acc, m.theta, u) + spread(2) * cross(t, cross(t, u)));
}
// (dA along d) u.
Vec4d jacobian_along(const MovingNode& m, Vec4d d, Vec4d u) {
  const double dx = 2 * dot(m.theta, d);
  return twice_crossed(m.da * dx, m.db * dx, m.theta, u) + spread(m.a) * cross(d, u) +
         spread(m.b) * crossed_by_both(d, m.theta, u);
}

// Row a of Xi, times y.
Vec4d bent(const MovingNode& m, int a, const double* y) {
  Vec4d sum = zero();
  if (m.constants->second.empty()) return sum;
  for (int j = 0; j < m.n; ++j) sum += m.constants->second[static_cast<std::size_t>(a) * m.n + j] * spread(y[j]);
  return sum;
}

}  // namespace

void set_turn_coefficients(MovingNode& m) {
  const double x = dot(m.theta, m.theta), x_rate = 2 * dot(m.theta, m.theta_rate);
  const double x_acc = 2 * (dot(m.theta_rate, m.theta_rate) + dot(m.theta, m.theta_acc));
  const RotationSeries c = rotation_series(x);
  double dda, ddb;
  second_derivatives(x, c, dda, ddb);
  m.a = c.a, m.b = c.b, m.da = c.da, m.db = c.db;
  m.a_rate = c.da * x_rate, m.b_rate = c.db * x_rate;
  m.a_acc = dda * x_rate * x_rate + c.da * x_acc;
  m.b_acc = ddb * x_rate * x_rate + c.db * x_acc;
}

MovingNode make_moving_node(const NodeConstants* constants, int n, const double* e, const double* e_rate,
                            const double* e_acc) {
  MovingNode m;
  if (constants == nullptr) return m;
  m.constants = constants;
  m.n = n;
  m.e = e, m.e_rate = e_rate, m.e_acc = e_acc;
  m.l = constants->position;
  for (int k = 0; k < n; ++k) {
    m.theta += constants->lambda[k] * spread(e[k]);
    m.theta_rate += constants->lambda[k] * spread(e_rate[k]);
    m.theta_acc += constants->lambda[k] * spread(e_acc[k]);
    // l = l0 + gamma eta + eta^T Xi eta / 2.
    const Vec4d turned = bent(m, k, e), gamma = constants->gamma[k] + turned;
    m.l += (constants->gamma[k] + turned * spread(0.5)) * spread(e[k]);
    m.l_rate += gamma * spread(e_rate[k]);
    m.l_acc += gamma * spread(e_acc[k]) + bent(m, k, e_rate) * spread(e_rate[k]);
  }
  set_turn_coefficients(m);
  return m;
}

// t = A dtheta/dt is the angular velocity of the node relative to its body.
void place_node(Spatial V, Spatial A, MovingNode& node) {
  RelativeMotion& m = node.motion;
  const Vec4d t = jacobian(node, node.theta_rate);
  const Vec4d t_rate = jacobian(node, node.theta_acc) + jacobian_rate(node, node.theta_rate);
  m.V_in = twist_at(node.l, V);
  m.A_in = twist_at(node.l, A);
  m.W = {t, node.l_rate};
  m.W_rate = Spatial{t_rate, node.l_acc} - rotate_by(t, m.W);  // in the moving frame of the node
  m.V = m.V_in + m.W;
  m.A = m.A_in + cross_twist(m.V, m.W) + m.W_rate;
}

NodeColumn node_column(const MovingNode& node, int mode) {
  if (node.columns != nullptr) {
    const SliderColumn& c = node.columns[mode];
    return {
        {jacobian(node, c.lambda), c.gamma},
        {jacobian_rate(node, c.lambda) + jacobian(node, c.lambda_rate), c.gamma_rate},
        {jacobian_acc(node, c.lambda) + spread(2) * jacobian_rate(node, c.lambda_rate) + jacobian(node, c.lambda_acc),
         c.gamma_acc}};
  }
  const Vec4d lambda = node.constants->lambda[mode];
  return {{jacobian(node, lambda), node.constants->gamma[mode] + bent(node, mode, node.e)},
          {jacobian_rate(node, lambda), bent(node, mode, node.e_rate)},
          {jacobian_acc(node, lambda), bent(node, mode, node.e_acc)}};
}

Spatial column_slope(const MovingNode& node, int a, int c) {
  if (node.columns != nullptr) {
    const SliderColumn &of = node.columns[a], &along = node.columns[c];
    Spatial out{jacobian_along(node, along.lambda, of.lambda), zero()};
    if (a < node.n && c < node.n) {
      if (node.second != nullptr) out.lin = node.second[static_cast<std::size_t>(a) * node.n + c];
      return out;
    }
    const SliderColumn& by_s = a < node.n ? of : along;  // mixed derivatives commute
    return {out.ang + jacobian(node, by_s.lambda_s), by_s.gamma_s};
  }
  const NodeConstants& constants = *node.constants;
  const Vec4d second = constants.second.empty() ? zero() : constants.second[static_cast<std::size_t>(a) * node.n + c];
  return {jacobian_along(node, constants.lambda[c], constants.lambda[a]), second};
}

RelativeSlope node_slope(const MovingNode& node, int c, bool rate) {
  const NodeColumn column = node_column(node, c);
  const Vec4d t = node.motion.W.ang;
  const Vec4d t_rate = node.motion.W_rate.ang;  // t x t = 0: the same in the frames of the node and of the body
  const Spatial s_rate = column.Y_rate - rotate_by(t, column.Y);
  const Spatial s_acc = column.Y_acc - rotate_by(t_rate, column.Y) - rotate_by(t, column.Y_rate) * 2 +
                        rotate_by(t, rotate_by(t, column.Y));
  return coordinate_slope(node.motion, column.Y, s_rate, s_acc, rate);
}

// U = -X(-l) Y = {-Y_w, Y_w x l - Y_v}.
NodeColumn inboard_column(const MovingNode& node, int mode) {
  const auto [Y, Y1, Y2] = node_column(node, mode);
  return {
      {-Y.ang, cross(Y.ang, node.l) - Y.lin},
      {-Y1.ang, cross(Y1.ang, node.l) + cross(Y.ang, node.l_rate) - Y1.lin},
      {-Y2.ang, cross(Y2.ang, node.l) + spread(2) * cross(Y1.ang, node.l_rate) + cross(Y.ang, node.l_acc) - Y2.lin}};
}

Spatial inboard_column_slope(const MovingNode& node, int a, int c) {
  const Spatial dY = column_slope(node, a, c);
  const Vec4d dl = node_column(node, c).Y.lin, turn = node_column(node, a).Y.ang;
  return {-dY.ang, cross(dY.ang, node.l) + cross(turn, dl) - dY.lin};
}

}  // namespace limber
