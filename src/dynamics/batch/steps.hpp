// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calls.hpp"
#include "inverse.hpp"

// Fixed steps: the same definitions as src/simulate/rk4.cpp and implicit.cpp, without prescribed motions.
namespace limber::LIMBER_BATCH_MACHINE {

// ---- coordinates on their manifold (src/model/manifold.cpp) --------------------------------------------------------

// q exp(theta), theta in the body's own frame.
template <class T>
LIMBER_KERNEL void quaternion_turn(const T* q, const T* theta, T* out) {
  const T x = 0.25 * dot3(theta, theta);  // of half the angle
  Series<T> s;
  series(x, s);
  const T c = 1.0 - x * s.a;
  T u[3], v[3];
  for (int i = 0; i < 3; ++i) u[i] = 0.5 * s.sinc * theta[i];
  cross(q + 1, u, v);
  for (int i = 0; i < 3; ++i) v[i] += q[0] * u[i] + c * q[1 + i];
  out[0] = q[0] * c - dot3(q + 1, u);
  copy<3>(v, out + 1);
}

// theta + ...: the inverse of the right Jacobian times a.
LIMBER_KERNEL double jacobian_term(double x) {
  const double half = 0.5 * sqrt(x);
  return (1 - half * cos(half) / sin(half)) / x;
}
template <class T>
LIMBER_KERNEL void inverse_right_jacobian(const T* theta, const T* a, T* out) {
  constexpr double kSeries = 1e-2;
  const T x = dot3(theta, theta);
  T c = 1.0 / 12 + x * (1.0 / 720 + x * (1.0 / 30240 + x * (1.0 / 1209600 + x / 47900160.0)));
  if (any(x > spread<T>(kSeries)))
    c = x > spread<T>(kSeries) ? each(x, [](double t) LIMBER_LAMBDA { return jacobian_term(t); }) : c;
  T once[3], twice[3];
  cross(theta, a, once);
  cross(theta, once, twice);
  for (int i = 0; i < 3; ++i) out[i] = a[i] + 0.5 * once[i] + c * twice[i];
}

// Angles, slides and modes: each(place in q, place in v).
template <class Each>
LIMBER_KERNEL void for_plain(const BatchLink& link, Each each_one) {
  const bool quaternion = link.form == HingeForm::spherical || link.form == HingeForm::free;
  for (int k = 0; !quaternion && k < link.nr; ++k) each_one(link.q + k, link.v + k);
  for (int k = 0; k < link.n; ++k) each_one(link.qm + k, link.vm + k);
}

// out = q moved by dv: constant speeds dv for unit time.  Chart: a free joint's position adds instead.  out may be q.
template <bool Chart, class J, class T, class Step>
LIMBER_RARE void move_rows(const J& job, const OutRows<T>& q, Step dv, const OutRows<T>& out) {
  for (int i = 1; i < job.tables.bodies; ++i) {
    const BatchLink& link = job.link(i);
    for_plain(link, [&](int at_q, int at_v) LIMBER_LAMBDA { out.put(at_q, q[at_q] + dv(at_v)); });
    if (link.form != HingeForm::spherical && link.form != HingeForm::free) continue;
    T from[4], to[4], theta[3], slide[3], once[3], twice[3], R[9], moved[3];
    for (int k = 0; k < 4; ++k) from[k] = q[link.q + k];
    for (int k = 0; k < 3; ++k) theta[k] = dv(link.v + k);
    if (link.form == HingeForm::free) {
      for (int k = 0; k < 3; ++k) slide[k] = dv(link.v + 3 + k);
      if constexpr (!Chart) {
        Series<T> s;
        series(dot3(theta, theta), s);
        cross(theta, slide, once);
        cross(theta, once, twice);
        for (int k = 0; k < 3; ++k) moved[k] = slide[k] + s.a * once[k] + s.b * twice[k];
        quaternion_rotation(from, R);
        turn(R, moved, slide);
      }
      for (int k = 0; k < 3; ++k) out.put(link.q + 4 + k, q[link.q + 4 + k] + slide[k]);
    }
    quaternion_turn(from, theta, to);
    for (int k = 0; k < 4; ++k) out.put(link.q + k, to[k]);
  }
}

// dy/dt of the chart at the point q with the coordinates y.
template <class J, class T>
LIMBER_RARE void chart_rate(const J& job, const OutRows<T>& q, const OutRows<T>& y, const OutRows<T>& v,
                            const OutRows<T>& rate) {
  for (int i = 1; i < job.tables.bodies; ++i) {
    const BatchLink& link = job.link(i);
    for_plain(link, [&](int, int at_v) LIMBER_LAMBDA { rate.put(at_v, v[at_v]); });
    if (link.form != HingeForm::spherical && link.form != HingeForm::free) continue;
    T theta[3], w[3], out[3], from[4], R[9];
    for (int k = 0; k < 3; ++k) theta[k] = y[link.v + k], w[k] = v[link.v + k];
    inverse_right_jacobian(theta, w, out);
    for (int k = 0; k < 3; ++k) rate.put(link.v + k, out[k]);
    if (link.form == HingeForm::spherical) continue;
    for (int k = 0; k < 4; ++k) from[k] = q[link.q + k];
    for (int k = 0; k < 3; ++k) w[k] = v[link.v + 3 + k];
    quaternion_rotation(from, R);
    turn(R, w, out);
    for (int k = 0; k < 3; ++k) rate.put(link.v + 3 + k, out[k]);
  }
}

// ---- steps ----------------------------------------------------------------------------------------------------------

// tau = u + (c_D D + c_K K) a.
template <class J, class T>
LIMBER_RARE void implicit_forces(const J& job, const Rows<T>& u, const OutRows<T>& a, const OutRows<T>& tau) {
  for (int i = 1; i < job.tables.bodies; ++i) {
    const BatchLink& link = job.link(i);
    for (int k = 0; k < link.nr; ++k) tau.put(link.v + k, u[link.v + k] + link.added[k] * a[link.v + k]);
    if (link.n == 0) continue;
    const auto K = job.numbers(link.K_modes), D = job.numbers(link.D_modes);
    T kf = spread<T>(job.tables.c_K), df = spread<T>(job.tables.c_D);
    elastic_factors(job, link, kf, df);
    for (int c = 0; c < link.n; ++c) {
      T force = u[link.vm + c];
      if (link.elastic_diagonal) {
        force += (kf * K[c] + df * D[c]) * a[link.vm + c];
      } else {
        for (int b = 0; b < link.n; ++b) force += (kf * K[c * link.n + b] + df * D[c * link.n + b]) * a[link.vm + b];
      }
      tau.put(link.vm + c, force);
    }
  }
}

// One step of the generalized-alpha method.  [Chung, Hulbert 1993]; see implicit.cpp.  solve(job, rows): accelerations.
template <class J, class Solve>
LIMBER_RARE void implicit_step(J& job, Solve solve, const BatchStepping& s, const OutRows<typename J::T>& q,
                               const OutRows<typename J::T>& v, const OutRows<typename J::T>& a,
                               const OutRows<typename J::T>& A, const OutRows<typename J::T>& middle_q,
                               const OutRows<typename J::T>& middle_v, const OutRows<typename J::T>& tau,
                               const Rows<typename J::T>& u) {
  using T = typename J::T;
  const double share = 1 - s.af, h = s.h;
  const auto next = [&](int j) LIMBER_LAMBDA { return (A[j] - s.am * a[j]) / (1 - s.am); };
  const auto change = [&](int j) LIMBER_LAMBDA { return h * v[j] + h * h * ((0.5 - s.b) * a[j] + s.b * next(j)); };
  const auto speed = [&](int j) LIMBER_LAMBDA { return h * ((1 - s.g) * a[j] + s.g * next(j)); };
  for (int pass = 0; pass < s.passes; ++pass) {
    move_rows<false>(
        job, q, [&](int j) LIMBER_LAMBDA { return share * change(j); }, middle_q);
    for (int j = 0; j < job.tables.nv; ++j) middle_v.put(j, v[j] + share * speed(j));
    implicit_forces(job, u, A, tau);
    job.q.p = middle_q.p, job.v.p = middle_v.p, job.u.p = tau.p;
    solve(job, A);
  }
  move_rows<false>(job, q, change, q);
  for (int j = 0; j < job.tables.nv; ++j) {
    const T end = next(j);
    v.put(j, v[j] + speed(j));
    a.put(j, end);
  }
}

// One step of the classical method of order 4, on a chart around q.
template <class J, class Solve>
LIMBER_RARE void rk4_step(J& job, Solve solve, double h, const OutRows<typename J::T>& q,
                          const OutRows<typename J::T>& v, const OutRows<typename J::T>& stage_q,
                          const OutRows<typename J::T>* rows, const Rows<typename J::T>& u) {
  using T = typename J::T;
  const int nv = job.tables.nv;
  const OutRows<T>&y = rows[0], &stage_v = rows[1];  // then the slopes of y and of v, four of each
  constexpr double kNodes[] = {0, 0.5, 0.5, 1};
  job.u = u;
  for (int s = 0; s < 4; ++s) {
    for (int j = 0; j < nv; ++j) {
      y.put(j, s == 0 ? T{} : kNodes[s] * h * rows[2 + 2 * (s - 1)][j]);
      stage_v.put(j, s == 0 ? v[j] : v[j] + kNodes[s] * h * rows[3 + 2 * (s - 1)][j]);
    }
    move_rows<true>(
        job, q, [&](int j) LIMBER_LAMBDA { return y[j]; }, stage_q);
    job.q.p = stage_q.p, job.v.p = stage_v.p;
    solve(job, rows[3 + 2 * s]);
    chart_rate(job, stage_q, y, stage_v, rows[2 + 2 * s]);
  }
  const auto sum = [&](int first, int j) LIMBER_LAMBDA {
    return h / 6 * (rows[first][j] + 2.0 * rows[first + 2][j] + 2.0 * rows[first + 4][j] + rows[first + 6][j]);
  };
  move_rows<true>(
      job, q, [&](int j) LIMBER_LAMBDA { return sum(2, j); }, q);
  for (int j = 0; j < nv; ++j) v.put(j, v[j] + sum(3, j));
}

}  // namespace limber::LIMBER_BATCH_MACHINE
