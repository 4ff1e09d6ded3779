// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "derivative_steps.hpp"
#include "limber/model/detail/rail.hpp"

// The section of a beam at a slider is a node whose pose depends on the modes and on s:  y = (eta, s), l(y), theta(y).
// Its unit motions [A theta_c; l_c], c = 0 ... n, depend on time and on all y.  theory §8, Sliders.
namespace limber {
namespace {

// A value and its first two time derivatives.
struct TimeJet {
  Vec4d x = zero(), d = zero(), dd = zero();

  TimeJet& operator+=(const TimeJet& o) {
    x += o.x;
    d += o.d;
    dd += o.dd;
    return *this;
  }
};

struct NumberJet {
  double x, d, dd;
};

TimeJet operator*(const TimeJet& a, const NumberJet& b) {
  return {a.x * spread(b.x), a.d * spread(b.x) + a.x * spread(b.d),
          a.dd * spread(b.x) + a.d * spread(2 * b.d) + a.x * spread(b.dd)};
}

// Shapes at s and their first four derivatives by s; beyond the ends of the beam the axis is extended as a straight
// line.
struct RailShape {
  Vec4d by_s[5];

  // Derivative k and its time derivatives along s(t).
  TimeJet jet(int k, const NumberJet& s) const {
    return {by_s[k], by_s[k + 1] * spread(s.d), by_s[k + 2] * spread(s.d * s.d) + by_s[k + 1] * spread(s.dd)};
  }
};

template <class Coefficient>
RailShape shape_on_rail(const NodeConstants* rail, const RailPlace& at, const Coefficient& coefficient) {
  const int powers = static_cast<int>(rail->position[2]);
  const NodeConstants* cell = rail + 1 + at.cell * powers;
  RailShape out{{zero(), zero(), zero(), zero(), zero()}};
  auto& d = out.by_s;  // derivatives by t, divided by k!
  for (int k = powers - 1; k >= 0; --k) {
    for (int j = 4; j > 0; --j) d[j] = d[j] * spread(at.t) + d[j - 1];
    d[0] = d[0] * spread(at.t) + coefficient(cell[k]);
  }
  double scale = 1;
  for (int j = 1; j < 5; ++j) d[j] = d[j] * spread(scale *= j * at.per_metre);
  if (at.beyond != 0) {
    d[0] += d[1] * spread(at.beyond);
    d[2] = d[3] = d[4] = zero();
  }
  return out;
}

// Rotation vector and position, with derivatives by s, from the shapes (translation, twist).
RailShape turn_shape(const RailShape& shape) {
  RailShape out{{zero(), zero(), zero(), zero(), zero()}};
  for (int k = 0; k < 4; ++k) out.by_s[k] = Vec4d{shape.by_s[k][3], -shape.by_s[k + 1][2], shape.by_s[k + 1][1], 0};
  return out;
}
RailShape place_shape(RailShape shape) {
  for (Vec4d& d : shape.by_s) d = Vec4d{d[0], d[1], d[2], 0};
  return shape;
}

// Sums over the modes.
struct SliderSums {
  TimeJet theta, theta_s, l, l_s;
  Vec4d theta_ss = zero(), l_ss = zero();
};

void add_mode(const NodeConstants* rail, const RailPlace& at, int a, const NumberJet& eta, const NumberJet& s,
              SliderSums& sums, SliderColumn& out) {
  const RailShape shape =
      shape_on_rail(rail, at, [a](const NodeConstants& c) { return c.gamma[static_cast<std::size_t>(a)]; });
  const RailShape turn = turn_shape(shape), place = place_shape(shape);
  const TimeJet lambda = turn.jet(0, s), gamma = place.jet(0, s);
  out = {lambda.x, lambda.d, lambda.dd, gamma.x, gamma.d, gamma.dd, turn.by_s[1], place.by_s[1]};
  sums.theta += lambda * eta;
  sums.theta_s += turn.jet(1, s) * eta;
  sums.theta_ss += turn.by_s[2] * spread(eta.x);
  sums.l += gamma * eta;
  sums.l_s += place.jet(1, s) * eta;
  sums.l_ss += place.by_s[2] * spread(eta.x);
}

// l += eta^T Xi(s) eta / 2.
void add_product(const RailShape& xi, const NumberJet& a, const NumberJet& b, const NumberJet& s, SliderSums& sums,
                 SliderColumn& column) {
  const TimeJet along = xi.jet(0, s) * b;
  column.gamma += along.x;
  column.gamma_rate += along.d;
  column.gamma_acc += along.dd;
  column.gamma_s += xi.by_s[1] * spread(b.x);
  const NumberJet half{0.5 * a.x, 0.5 * a.d, 0.5 * a.dd};
  sums.l += along * half;
  sums.l_s += xi.jet(1, s) * b * half;
  sums.l_ss += xi.by_s[2] * spread(b.x * half.x);
}

}  // namespace

MovingNode make_slider_node(const NodeConstants* rail, int n, const double* e, const double* e_rate,
                            const double* e_acc, const double (&place)[3], SliderColumn* columns, Vec4d* second) {
  const NumberJet s{place[0], place[1], place[2]};
  const RailPlace at = find_on_rail(*rail, s.x);
  SliderSums sums;
  sums.l = {Vec4d{s.x, 0, 0, 0}, Vec4d{s.d, 0, 0, 0}, Vec4d{s.dd, 0, 0, 0}};
  sums.l_s.x = Vec4d{1, 0, 0, 0};
  const auto eta = [&](int a) { return NumberJet{e[a], e_rate[a], e_acc[a]}; };
  for (int a = 0; a < n; ++a) add_mode(rail, at, a, eta(a), s, sums, columns[a]);
  const bool bends_twice = !rail->second.empty();
  for (int a = 0; bends_twice && a < n; ++a) {
    for (int b = 0; b < n; ++b) {
      const std::size_t pair = static_cast<std::size_t>(a) * n + b;
      const RailShape xi =
          place_shape(shape_on_rail(rail, at, [pair](const NodeConstants& c) { return c.second[pair]; }));
      add_product(xi, eta(a), eta(b), s, sums, columns[a]);
      second[pair] = xi.by_s[0];
    }
  }
  columns[n] = {sums.theta_s.x, sums.theta_s.d, sums.theta_s.dd, sums.l_s.x,
                sums.l_s.d,     sums.l_s.dd,    sums.theta_ss,   sums.l_ss};
  MovingNode out;
  out.constants = rail;
  out.n = n;
  out.columns = columns;
  out.second = bends_twice ? second : nullptr;
  out.theta = sums.theta.x, out.theta_rate = sums.theta.d, out.theta_acc = sums.theta.dd;
  out.l = sums.l.x, out.l_rate = sums.l.d, out.l_acc = sums.l.dd;
  set_turn_coefficients(out);
  return out;
}

}  // namespace limber
