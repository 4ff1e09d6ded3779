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
    if (link.first_node < link.last_node) return chain_node(job, link, f, d);
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
  chain_pose(job, link, pose, out.r);
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
  chain_pose(job, link, hinge.R, hinge.p);
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

// Ends of a body in its own basis, its modes gone: P - mu mu^T, X(l)^T - mu Y^T, Y Y^T, because the active coordinates
// have mass 1.  own, b: as of beam_columns.
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
  LIMBER_UNROLL
  for (int k = 0; k < 6; ++k) own_basis.Bt[7 * k] = spread<T>(1);
  T alone = T{};
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
    const T* l = d.l;  // X(l)^T
    own_basis.Bt[4] = -l[2], own_basis.Bt[5] = l[1], own_basis.Bt[9] = l[2];
    own_basis.Bt[11] = -l[0], own_basis.Bt[15] = -l[1], own_basis.Bt[16] = l[0];
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
    for (int c = 0; c < kBeamColumns; ++c)
      x[c] = -(b[c] + dot6(columns.mu + 6 * c, a) + dot6(Y + 6 * c, wrench));
    expand_beam(job, link, f, x, a, static_cast<T*>(nullptr), out);
  }
}

// ---- joints and pairs ----------------------------------------------------------------------------------------------

// Of the joint of a body once it has left: P h, Bt^T h, 1 / D, e.
struct HalvesJoint {
  enum Row { kPH = 0, kBH = 6, kInverse = 12, kForce = 13, kRows = 14 };
};

template <class T>
LIMBER_KERNEL T axis_scale(const Inertia<T>& P, const T* h) {
  return P.A[0] * (h[0] * h[0]) + P.A[1] * (h[1] * h[1]) + P.A[2] * (h[2] * h[2]);
}

// The joint that carries a part leaves, and its inboard end becomes the frame that the joint sits on.  theory §6.
template <class J, class T>
LIMBER_STEP void close_part(const J& job, const BatchLink& link, long i, const HalvesRows& body,
                            const HalvesRows& joint, Ends<T>& e, T& loss) {
  T h[3], p[3];
  body.template get<3>(HalvesBody::kAxis, i, h);
  body.template get<3>(HalvesBody::kOffset, i, p);
  if (link.nr == 1) {
    T PH[6], BH[6], alone;
    body.template get<1>(HalvesBody::kAlone, i, &alone);
    apply_angular(e.P, h, PH);
    LIMBER_UNROLL
    for (int j = 0; j < 6; ++j) BH[j] = h[0] * e.Bt[j] + h[1] * e.Bt[6 + j] + h[2] * e.Bt[12 + j];
    const T D = dot3(PH, h) + (link.armature[0] + link.added[0]), inverse = 1.0 / D;
    const T now = D > T{} ? (axis_scale(e.P, h) + alone) * inverse : spread<T>(1e300);
    loss = larger(loss, now);
    T force = job.u[link.v] - dot3(e.P.z, h);
    if (link.passive) force -= link.damping[0] * job.v[link.v] + link.stiffness[0] * job.q[link.q];
    const T x = inverse * force;
    T u[6], w[6];
    LIMBER_UNROLL
    for (int j = 0; j < 6; ++j) {
      u[j] = inverse * PH[j], w[j] = -inverse * BH[j];
      e.P.z[j] += PH[j] * x, e.Omega.z[j] += BH[j] * x;
    }
    subtract_outer(u, PH, e.P);
    subtract_outer(w, BH, e.Omega);
    outer_rows(PH, BH, -inverse, e.Bt);
    joint.template put<6>(HalvesJoint::kPH, i, PH);
    joint.template put<6>(HalvesJoint::kBH, i, BH);
    joint.template put<1>(HalvesJoint::kInverse, i, &inverse);
    joint.template put<1>(HalvesJoint::kForce, i, &force);
  }
  if (link.on_node) return;
  shift(p, e.P);
  LIMBER_UNROLL
  for (int j = 0; j < 6; ++j) {  // each column is a wrench
    const T f[3] = {e.Bt[18 + j], e.Bt[24 + j], e.Bt[30 + j]};
    e.Bt[j] += p[1] * f[2] - p[2] * f[1];
    e.Bt[6 + j] += p[2] * f[0] - p[0] * f[2];
    e.Bt[12 + j] += p[0] * f[1] - p[1] * f[0];
  }
}
// Outward: a at the inboard frame, then at the body; f: wrench at the outboard end of the part.
template <class J, class T>
LIMBER_STEP void enter_part(const J&, const BatchLink& link, long i, const HalvesRows& body, const HalvesRows& joint,
                            const T* f, T* a, const OutRows<T>& out) {
  T h[3], p[3];
  body.template get<3>(HalvesBody::kOffset, i, p);
  if (!link.on_node) add_cross(a, p, a + 3);
  if (link.nr != 1) return;
  T PH[6], BH[6], inverse, force;
  body.template get<3>(HalvesBody::kAxis, i, h);
  joint.template get<6>(HalvesJoint::kPH, i, PH);
  joint.template get<6>(HalvesJoint::kBH, i, BH);
  joint.template get<1>(HalvesJoint::kInverse, i, &inverse);
  joint.template get<1>(HalvesJoint::kForce, i, &force);
  const T x = inverse * (force - dot6(PH, a) - dot6(BH, f));
  out.put(link.v, x);
  add_times<3>(h, x, a);
}

template <class T>
LIMBER_KERNEL void full_matrix(const Inertia<T>& P, T* M) {
  constexpr int kAt[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  LIMBER_UNROLL
  for (int i = 0; i < 9; ++i) {
    const int r = i / 3, c = i % 3;
    M[6 * r + c] = P.A[kAt[i]], M[21 + 6 * r + c] = P.C[kAt[i]];
    M[6 * r + 3 + c] = P.B[i], M[18 + 6 * c + r] = P.B[i];
  }
}

// P = sum l_j p_j l_j^T, the largest share of its diagonal first.  ([Higham] §10.3; split of dca_join.cpp.)  Columns
// without weight stay zero.
template <class T>
LIMBER_STEP void split_inertia(const T* P, T* l, T* p) {
  T left[6], least[6];
  LIMBER_UNROLL
  for (int j = 0; j < 6; ++j) left[j] = P[7 * j], least[j] = kNoInertia * left[j];
  LIMBER_UNROLL
  for (int count = 0; count < 6; ++count) {
    T share = T{}, chosen[6], column[6], pivot = T{}, floor = T{};
    int best = -1;
    LIMBER_UNROLL
    for (int j = 0; j < 6; ++j) {
      const bool better = left[j] > least[j] && left[j] > share * P[7 * j];
      share = better ? left[j] / P[7 * j] : share;
      best = better ? j : best;
    }
    LIMBER_UNROLL
    for (int j = 0; j < 6; ++j) {
      column[j] = T{};
      LIMBER_UNROLL
      for (int k = 0; k < 6; ++k) column[j] = best == k ? P[6 * k + j] : column[j];
      floor = best == j ? least[j] : floor;
    }
    LIMBER_UNROLL
    for (int k = 0; k < count; ++k) {
      chosen[k] = T{};
      LIMBER_UNROLL
      for (int j = 0; j < 6; ++j) chosen[k] = best == j ? l[6 * k + j] : chosen[k];
      const T factor = p[k] * chosen[k];
      LIMBER_UNROLL
      for (int j = 0; j < 6; ++j) column[j] -= factor * l[6 * k + j];
    }
    LIMBER_UNROLL
    for (int j = 0; j < 6; ++j) pivot = best == j ? column[j] : pivot;
    const bool good = best >= 0 && pivot > floor;
    const T inverse = good ? 1.0 / pivot : T{};
    p[count] = good ? pivot : T{};
    LIMBER_UNROLL
    for (int j = 0; j < 6; ++j) {
      l[6 * count + j] = inverse * column[j];
      left[j] = good && best != j ? left[j] - column[j] * l[6 * count + j] : T{};
    }
  }
}

// T = (P^-1 + Omega)^-1 = N d^-1 N^T:  S = p^-1 + l^T Omega l = C d C^T,  N = l C^-T.  d: its inverse.  theory §6.
template <class T>
LIMBER_STEP void factor_between(const Inertia<T>& P, const Inertia<T>& Omega, T* N, T* d) {
  T full[36], p[6], C[36], pivot[6];
  full_matrix(P, full);
  split_inertia(full, N, p);
  LIMBER_UNROLL
  for (int j = 0; j < 6; ++j) {
    T w[6], n[6];
    apply(Omega, N + 6 * j, w);  // l_j: the columns after j are still those of the split
    T own = dot6(N + 6 * j, w);
    copy<6>(N + 6 * j, n);
    // l_k^T Omega l_j of the columns before, out of N = l C^-T:  N_k^T w = sum over C of what is there
    LIMBER_UNROLL
    for (int k = 0; k < j; ++k) {
      const T s = dot6(N + 6 * k, w);  // = d_k C_jk
      C[6 * j + k] = s * d[k];
      LIMBER_UNROLL
      for (int c = 0; c < 6; ++c) n[c] -= C[6 * j + k] * N[6 * k + c];
      own -= C[6 * j + k] * s;
    }
    const bool there = p[j] > T{};
    pivot[j] = there ? 1.0 / p[j] + own : T{};
    d[j] = there ? 1.0 / pivot[j] : T{};
    copy<6>(n, N + 6 * j);
  }
}

template <class T>
LIMBER_KERNEL T trace_product(const Inertia<T>& P, const Inertia<T>& Omega) {  // product_size of dca_join.cpp
  return (P.A[0] + P.A[1] + P.A[2]) * (Omega.A[0] + Omega.A[1] + Omega.A[2]) +
         (P.C[0] + P.C[1] + P.C[2]) * (Omega.C[0] + Omega.C[1] + Omega.C[2]);
}
template <class T>
LIMBER_KERNEL void subtract_product(const Inertia<T>& M, const T* v, T* out) {  // out -= M v
  T x[6];
  apply(M, v, x);
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) out[i] -= x[i];
}

// A pair out of its parts A and B, B closed; between: T.  theory §6.
template <class T>
LIMBER_STEP void join_ends(const Ends<T>& A, const Ends<T>& B, Ends<T>& out, Inertia<T>& between) {
  T N[36], d[6], V[36], t[6], f[6];
  factor_between(B.P, A.Omega, N, d);
  out.P = A.P;
  clear(between);
  // f_c = z_B + T (y_A - Omega_A z_B)
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) t[i] = A.Omega.z[i], f[i] = B.P.z[i];
  subtract_product(A.Omega, B.P.z, t);
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) {  // V = Bt_B^T Omega_A, by rows
    const T column[6] = {B.Bt[i], B.Bt[6 + i], B.Bt[12 + i], B.Bt[18 + i], B.Bt[24 + i], B.Bt[30 + i]};
    apply(A.Omega, column, V + 6 * i);
  }
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) {
    LIMBER_UNROLL
    for (int j = 0; j < 6; ++j) {
      T sum = T{};
      LIMBER_UNROLL
      for (int k = 0; k < 6; ++k) sum += A.Bt[6 * i + k] * B.Bt[6 * k + j];
      out.Bt[6 * i + j] = sum;
    }
  }
  out.Omega = B.Omega;
  constexpr int kAt[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) {  // Omega_B + V Bt_B
    LIMBER_UNROLL
    for (int j = 0; j < 6; ++j) {
      if (i > j && !(i < 3 && j >= 3)) continue;
      T sum = T{};
      LIMBER_UNROLL
      for (int k = 0; k < 6; ++k) sum += V[6 * i + k] * B.Bt[6 * k + j];
      if (j < 3) out.Omega.A[kAt[i][j]] += sum;
      if (i >= 3) out.Omega.C[kAt[i - 3][j - 3]] += sum;
      if (i < 3 && j >= 3) out.Omega.B[3 * i + j - 3] += sum;
    }
  }
  LIMBER_UNROLL
  for (int j = 0; j < 6; ++j) {
    T g[6], h[6], u[6];
    const T* n = N + 6 * j;
    times_general(A.Bt, n, g);
    times_general(V, n, h);
    const T x = d[j] * dot6(n, t);
    LIMBER_UNROLL
    for (int i = 0; i < 6; ++i) u[i] = -d[j] * g[i], f[i] += n[i] * x;
    subtract_outer(u, g, out.P);
    outer_rows(g, h, -d[j], out.Bt);
    LIMBER_UNROLL
    for (int i = 0; i < 6; ++i) u[i] = d[j] * h[i];
    subtract_outer(u, h, out.Omega);
    LIMBER_UNROLL
    for (int i = 0; i < 6; ++i) u[i] = -d[j] * n[i];
    subtract_outer(u, n, between);
  }
  T more[6];
  times_general(A.Bt, f, more);
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) out.P.z[i] = A.P.z[i] + more[i], t[i] = A.Omega.z[i];
  subtract_product(A.Omega, f, t);
  times_transposed(B.Bt, t, more);
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) out.Omega.z[i] = B.Omega.z[i] + more[i];
}

}  // namespace limber::LIMBER_BATCH_MACHINE
