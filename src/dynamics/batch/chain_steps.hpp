// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calls.hpp"
#include "chain.hpp"

// Steps of a chain of chain.hpp, whose coordinates simply add: the same methods as in steps.hpp.  Each acceleration
// that the outward sweep finds moves its own coordinate at once to where the next evaluation is, so that nothing but
// the states of the two is read and written.
namespace limber::LIMBER_BATCH_MACHINE {

// What follows an evaluation: another one of this step, the first of the next step, nothing.
enum class StepEnd : int { none, step, all };
LIMBER_KERNEL StepEnd step_end(bool last_of_step, bool last_step) {
  return !last_of_step ? StepEnd::none : last_step ? StepEnd::all : StepEnd::step;
}

template <class T>
struct StepRows {
  OutRows<T> q, v, a, A;                     // the state, and those of the implicit method: as in BatchStepping
  OutRows<T> at_q, at_v, tau, sum_q, sum_v;  // of the next evaluation; tau: of the implicit method, sums: of rk4
  Rows<T> u;                                 // forces of the next evaluation
};

// The generalized-alpha method.  gains: c_D D + c_K K of each speed.
template <class T, class Gains>
struct ImplicitOut {
  StepRows<T> rows;
  Gains gains;
  double h, share, own, other, b, g;  // next = other A - own a
  double b_old, g_old;
  StepEnd end;

  LIMBER_KERNEL ImplicitOut(const StepRows<T>& r, Gains k, const BatchStepping& s, StepEnd e)
      : rows(r),
        gains(k),
        h(s.h),
        share(1 - s.af),
        own(s.am / (1 - s.am)),
        other(1 / (1 - s.am)),
        b(s.h * s.h * s.b),
        g(s.h * s.g),
        b_old(s.h * s.h * (0.5 - s.b)),
        g_old(s.h * (1 - s.g)),
        end(e) {}
  LIMBER_KERNEL void put(int j, T A) const {
    T q = rows.q[j], v = rows.v[j], a = rows.a[j], next = other * A - own * a;
    T change = h * v + (b_old * a + b * next), faster = g_old * a + g * next;
    if (end != StepEnd::none) {
      q += change, v += faster, a = next;
      rows.q.put(j, q), rows.v.put(j, v), rows.a.put(j, a);
      if (end == StepEnd::all) return rows.A.put(j, A);
      next = other * A - own * a;
      change = h * v + (b_old * a + b * next), faster = g_old * a + g * next;
    }
    rows.at_q.put(j, q + share * change), rows.at_v.put(j, v + share * faster);
    rows.tau.put(j, rows.u[j] + gains[j] * A);
  }
};
template <class T, class Gains>
ImplicitOut(const StepRows<T>&, Gains, const BatchStepping&, StepEnd) -> ImplicitOut<T, Gains>;

// The classical method of order 4, stage 0 to 3.
inline constexpr int kRungeStages = 4;
template <class T>
struct RungeOut {
  StepRows<T> rows;
  double h;
  int stage;
  StepEnd end;

  LIMBER_KERNEL void put(int j, T a) const {
    T q = rows.q[j], v = rows.v[j];
    const T speed = rows.at_v[j];
    if (end == StepEnd::none) {
      const double next = stage == 2 ? h : 0.5 * h, weight = stage == 0 ? 1 : 2;
      T sum_q = weight * speed, sum_v = weight * a;
      if (stage > 0) sum_q += rows.sum_q[j], sum_v += rows.sum_v[j];
      rows.sum_q.put(j, sum_q), rows.sum_v.put(j, sum_v);
      rows.at_q.put(j, q + next * speed), rows.at_v.put(j, v + next * a);
      return;
    }
    q += h / 6 * (rows.sum_q[j] + speed), v += h / 6 * (rows.sum_v[j] + a);
    rows.q.put(j, q), rows.v.put(j, v);
    if (end == StepEnd::step) rows.at_q.put(j, q), rows.at_v.put(j, v);
  }
};

// Where the first evaluation is.
template <class J, class T>
LIMBER_KERNEL void start_steps(const J& job, bool implicit, const BatchStepping& s, const StepRows<T>& rows) {
  const ImplicitOut out(rows, job.numbers(job.tables.gains), s, StepEnd::none);
  for (int j = 0; j < job.tables.nv; ++j) {
    if (implicit) {
      out.put(j, rows.A[j]);
    } else {
      rows.at_q.put(j, rows.q[j]), rows.at_v.put(j, rows.v[j]);
    }
  }
}

// All steps of one state.
template <class F, class J, class T>
LIMBER_RARE void chain_steps(J& job, bool implicit, const BatchStepping& s, const StepRows<T>& rows) {
  const int count = implicit ? s.passes : kRungeStages;
  start_steps(job, implicit, s, rows);
  job.q.p = rows.at_q.p, job.v.p = rows.at_v.p, job.u.p = implicit ? rows.tau.p : rows.u.p;
  for (int step = 0; step < s.steps; ++step) {
    for (int k = 0; k < count; ++k) {
      const StepEnd end = step_end(k + 1 == count, step + 1 == s.steps);
      if (implicit) {
        chain_dynamics<F>(job, ImplicitOut(rows, job.numbers(job.tables.gains), s, end));
      } else {
        chain_dynamics<F>(job, RungeOut<T>{rows, s.h, k, end});
      }
    }
  }
}

}  // namespace limber::LIMBER_BATCH_MACHINE
