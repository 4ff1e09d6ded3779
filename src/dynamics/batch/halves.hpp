// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "chain.hpp"

// Forward dynamics of one chain by divide and conquer, for as many threads as there are bodies: the steps on one body,
// one joint, one pair of parts.  theory §6, with all ends in the basis of the world and with classical accelerations.
// halves_plan.hpp says in which order.  Chains as those of chain.hpp.
namespace limber::LIMBER_BATCH_MACHINE {

// A frame as seen from another, in that one's basis: place, rotation, velocity and acceleration of its origin, angular
// velocity and its rate.  From the world it is the motion itself, with gravity as an acceleration.
template <class T>
struct Relative {
  T R[9], w[3], wd[3], a[3], r[3], v[3];
};
inline constexpr int kRelative = 24;

// second as seen from the frame that first is seen from.  [Book] relative motion: rates of a vector in a turning basis.
template <class T>
LIMBER_STEP void compose(const Relative<T>& first, const Relative<T>& second, Relative<T>& out) {
  T x[3], xv[3], u[3], t[3];
  multiply(first.R, second.R, out.R);
  turn(first.R, second.r, x);
  turn(first.R, second.v, xv);
  turn(first.R, second.w, u);
  turn(first.R, second.wd, out.wd);
  turn(first.R, second.a, out.a);
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) {
    out.w[i] = first.w[i] + u[i], out.wd[i] += first.wd[i], out.a[i] += first.a[i];
    out.r[i] = first.r[i] + x[i], out.v[i] = first.v[i] + xv[i];
    t[i] = xv[i] + xv[i];
  }
  add_cross(first.w, u, out.wd);
  add_cross(first.wd, x, out.a);
  add_cross(first.w, x, out.v);
  add_cross(first.w, x, t);
  add_cross(first.w, t, out.a);
}

// Both ends of a part: f_in = P a + Bt f + z, a_out = Bt^T a - Omega f + y.  z stands beside P, y beside Omega.
template <class T>
struct Ends {
  Inertia<T> P, Omega;
  T Bt[36];  // by rows
};
inline constexpr int kEnds = 90;

// Numbers of all parts: number k of part p at k * stride + p.
struct HalvesRows {
  double* p = nullptr;
  long stride = 0;
  template <int N>
  LIMBER_KERNEL void get(int row, long part, double* out) const {
    LIMBER_UNROLL
    for (int i = 0; i < N; ++i) out[i] = p[(row + i) * stride + part];
  }
  template <int N>
  LIMBER_KERNEL void put(int row, long part, const double* x) const {
    LIMBER_UNROLL
    for (int i = 0; i < N; ++i) p[(row + i) * stride + part] = x[i];
  }
};

template <class T>
LIMBER_KERNEL void times_transposed(const T* M, const T* v, T* out) {  // M^T v
  LIMBER_UNROLL
  for (int j = 0; j < 6; ++j) {
    out[j] = T{};
    LIMBER_UNROLL
    for (int i = 0; i < 6; ++i) out[j] += M[6 * i + j] * v[i];
  }
}
template <class T>
LIMBER_KERNEL void times_general(const T* M, const T* v, T* out) {  // M v
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) out[i] = dot6(M + 6 * i, v);
}

// ---- one body ----------------------------------------------------------------------------------------------------

// Columns at the node, of the active coordinates, in the order of BeamColumns.
template <class A, class T>
LIMBER_KERNEL void node_directions(A head, const T* Jacobian, T* Y) {
  clear<30>(Y);
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) {
    Y[i] = head[kBeamLy] * Jacobian[3 * i + 2];
    Y[6 + i] = head[kBeamLz] * Jacobian[3 * i + 1];
    Y[12 + i] = head[kBeamLt] * Jacobian[3 * i];
  }
  Y[4] += head[kBeamLy + 1], Y[22] += head[kBeamLy + 2];
  Y[11] += head[kBeamLz + 1], Y[29] += head[kBeamLz + 2];
}

template <class J, class F, class T>
LIMBER_STEP void place_node(const J& job, const BatchLink& link, F f, NodeFrame<T>& d) {
  if constexpr (CountOf<F>::value > 0) {
    if (link.first_node < link.last_node) {
      const CountOf<F> n;
      T* scratch = nullptr;
      Array<1, T, CountOf<F>> e(n, scratch), rate(n, scratch);
      read_modes(job, link, n, e.x, rate.x);
      return move_beam_node(job, link, job.node(link.first_node), f, e.x, rate.x, d);
    }
  }
  clear<9>(d.R), clear<9>(d.A), clear<3>(d.l), clear<3>(d.l_rate), clear<3>(d.l_bias);
  clear<3>(d.turn_rate), clear<3>(d.turn_bias);
  d.R[0] = d.R[4] = d.R[8] = spread<T>(1);
}

// The frame where the next body sits as seen from the one where this body sits.
template <class J, class F, class T>
LIMBER_STEP void relative_motion(const J& job, const BatchLink& link, F f, Relative<T>& out) {
  T pose[9], t[3], R[9];
  NodeFrame<T> d;
  Motion<T> m;
  Frame<T> at;
  chain_pose(link, chain_angle(job, link), pose, out.r);
  const T speed = link.nr == 1 ? job.v[link.v] : T{};
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) m.w[i] = link.H[0][i] * speed;
  clear<3>(m.wd), clear<3>(m.vd);
  place_node(job, link, f, d);
  node_motion(m, d, at);
  multiply(pose, d.R, R);
  copy<9>(R, out.R);
  turn(pose, d.l, t);
  add<3>(t, out.r);
  copy<3>(d.l_rate, t);
  add_cross(m.w, d.l, t);
  turn(pose, t, out.v);
  turn(pose, at.motion.w, out.w), turn(pose, at.motion.wd, out.wd), turn(pose, at.motion.vd, out.a);
}

// What the joint of a body is in world: rotation of the body (9), axis (3), its origin from the inboard frame (3), the
// inertia of the body alone about the axis (1).
struct HalvesBody {
  enum Row { kRotation = 0, kAxis = 9, kOffset = 12, kAlone = 15, kOwn = 16, kForces = 26, kJacobian = 31, kRows = 40 };
};

// The motion of a body, kept for the sums over its shapes, and its joint.
template <class J, class T>
LIMBER_STEP void enter_body(const J& job, const BatchLink& link, const Relative<T>& inboard, T* rotation, T* offset) {
  T R[9], r[3];
  Hinge<T> hinge;
  Frame<T> from;
  Motion<T> m;
  clear<9>(from.R);
  from.R[0] = from.R[4] = from.R[8] = spread<T>(1);
  turn_back(inboard.R, inboard.w, from.motion.w);
  turn_back(inboard.R, inboard.wd, from.motion.wd);
  turn_back(inboard.R, inboard.a, from.motion.vd);
  chain_pose(link, chain_angle(job, link), hinge.R, hinge.p);
  const T speed = link.nr == 1 ? job.v[link.v] : T{};
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) hinge.V[i] = link.H[0][i] * speed;
  across_joint(link, from, hinge, R, r, m);
  job.template put<kMotion>(link.motion, flat(m));
  multiply(inboard.R, hinge.R, rotation);
  turn(inboard.R, r, offset);
}

template <class T>
LIMBER_KERNEL void outer_rows(const T* a, const T* b, T factor, T* M) {  // M += factor a b^T
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) {
    const T x = factor * a[i];
    LIMBER_UNROLL
    for (int j = 0; j < 6; ++j) M[6 * i + j] += x * b[j];
  }
}
// Blocks of a 6x6 matrix into the basis that R turns to.
template <class T>
LIMBER_KERNEL void rotate_general(const T* R, const T* M, T* out) {
  LIMBER_UNROLL
  for (int block = 0; block < 4; ++block) {
    const int at = 18 * (block / 2) + 3 * (block % 2);
    T B[9], half[9], turned[9];
    LIMBER_UNROLL
    for (int i = 0; i < 9; ++i) B[i] = M[at + 6 * (i / 3) + i % 3];
    multiply(R, B, half);
    multiply_transposed(half, R, turned);
    LIMBER_UNROLL
    for (int i = 0; i < 9; ++i) out[at + 6 * (i / 3) + i % 3] = turned[i];
  }
}

// M += X(l)^T.  In the basis of the world, after all turns: a turned identity is R R^T, 1 to rounding alone, and a
// product of it over all bodies of a long chain would lose a digit for each factor of 100 bodies.
template <class T>
LIMBER_KERNEL void add_transport(const T* l, T* M) {
  LIMBER_UNROLL
  for (int k = 0; k < 6; ++k) M[7 * k] += 1.0;
  M[4] -= l[2], M[5] += l[1], M[9] += l[2], M[11] -= l[0], M[15] -= l[1], M[16] += l[0];
}

// Ends of a body in its own basis, its modes gone: P - mu mu^T, X(l)^T - mu Y^T without X, Y Y^T, because the active
// coordinates have mass 1.  own, b: as of beam_columns.
template <class A, class T>
LIMBER_STEP void leave_modes(A head, const T* own, const T* b, const T* Jacobian, Ends<T>& out) {
  BeamColumns<T> columns;
  T Y[6 * kBeamColumns];
  start_alone(columns);
  add_columns(head, own, b, columns);
  node_directions(head, Jacobian, Y);
  LIMBER_UNROLL
  for (int c = 0; c < kBeamColumns; ++c) {
    const T *mu = columns.mu + 6 * c, *y = Y + 6 * c;
    T minus[6];
    LIMBER_UNROLL
    for (int i = 0; i < 6; ++i) {
      minus[i] = -y[i];
      out.P.z[i] -= mu[i] * b[c], out.Omega.z[i] -= y[i] * b[c];
    }
    subtract_outer(mu, mu, out.P);
    subtract_outer(minus, y, out.Omega);
    outer_rows(mu, y, spread<T>(-1.0), out.Bt);
  }
}

template <class J, class F>
LIMBER_STEP void body_ends(J& job, const BatchLink& link, long i, F f, const HalvesRows& body,
                           Ends<typename J::T>& ends) {
  using T = typename J::T;
  using Row = HalvesBody;
  T rotation[9], axis[3], h[3];
  Inertia<T> P;
  Ends<T> own_basis;
  body.template get<9>(Row::kRotation, i, rotation);
  clear(P), clear(own_basis.Omega), clear<36>(own_basis.Bt);
  T alone = T{}, l[3] = {};
  copy<3>(link.H[0], h);
  if constexpr (CountOf<F>::value > 0) {
    const CountOf<F> n;
    T *scratch = nullptr, own[2 * kBeamColumns], b[kBeamColumns], lost[6];
    Array<1, T, CountOf<F>> e(n, scratch), rate(n, scratch);
    NodeFrame<T> d;
    read_modes(job, link, n, e.x, rate.x);
    beam_alone<false>(job, link, f, scratch, e.x, rate.x, own, b, lost, P);
    LIMBER_UNROLL
    for (int k = 0; k < 3; ++k) alone += (P.A[k] + lost[k]) * (h[k] * h[k]);
    place_node(job, link, f, d);
    own_basis.P = P;
    turn(rotation, d.l, l);
    leave_modes(beam_head(job, link), own, b, d.A, own_basis);
    body.template put<2 * kBeamColumns>(Row::kOwn, i, own);
    body.template put<kBeamColumns>(Row::kForces, i, b);
    body.template put<9>(Row::kJacobian, i, d.A);
  } else {
    T none[1] = {};
    start_body(job, link, Size<0>{}, none, none, none, none, own_basis.P);
    LIMBER_UNROLL
    for (int k = 0; k < 3; ++k) alone += own_basis.P.A[k] * (h[k] * h[k]);
  }
  rotate(rotation, own_basis.P, ends.P);
  rotate(rotation, own_basis.Omega, ends.Omega);
  rotate_general(rotation, own_basis.Bt, ends.Bt);
  add_transport(l, ends.Bt);
  turn(rotation, h, axis);
  body.template put<3>(Row::kAxis, i, axis);
  body.template put<1>(Row::kAlone, i, &alone);
}

// Accelerations of the modes, from that of the body and the wrench at its node.
template <class J, class F>
LIMBER_STEP void expand_part(const J& job, const BatchLink& link, long i, F f, const HalvesRows& body,
                             const typename J::T* a_world, const typename J::T* f_world,
                             const OutRows<typename J::T>& out) {
  using T = typename J::T;
  using Row = HalvesBody;
  if constexpr (CountOf<F>::value > 0) {
    T rotation[9], a[6], wrench[6], own[2 * kBeamColumns], b[kBeamColumns], Jacobian[9], Y[30], x[kBeamColumns];
    BeamColumns<T> columns;
    body.template get<9>(Row::kRotation, i, rotation);
    body.template get<2 * kBeamColumns>(Row::kOwn, i, own);
    body.template get<kBeamColumns>(Row::kForces, i, b);
    body.template get<9>(Row::kJacobian, i, Jacobian);
    turn_back(rotation, a_world, a), turn_back(rotation, a_world + 3, a + 3);
    turn_back(rotation, f_world, wrench), turn_back(rotation, f_world + 3, wrench + 3);
    start_alone(columns);
    add_columns(beam_head(job, link), own, b, columns);
    node_directions(beam_head(job, link), Jacobian, Y);
    LIMBER_UNROLL
    for (int c = 0; c < kBeamColumns; ++c) x[c] = -(b[c] + dot6(columns.mu + 6 * c, a) + dot6(Y + 6 * c, wrench));
    expand_beam(job, link, f, x, a, static_cast<T*>(nullptr), StoredColumns<J>{job, link}, out);
  }
}

}  // namespace limber::LIMBER_BATCH_MACHINE
