// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "halves.hpp"

// Divide and conquer: joints and pairs of parts.  Loops over the six columns stay loops: a device runs this once per
// thread, and would wait for the instructions of a longer code.
namespace limber::LIMBER_BATCH_MACHINE {

// Of the joint of a body once it has left: P h, Bt^T h, 1 / D, e.
struct HalvesJoint {
  enum Row { kPH = 0, kBH = 6, kInverse = 12, kForce = 13, kRows = 14 };
};

template <class T>
LIMBER_KERNEL T axis_scale(const Inertia<T>& P, const T* h) {
  return P.A[0] * (h[0] * h[0]) + P.A[1] * (h[1] * h[1]) + P.A[2] * (h[2] * h[2]);
}

// The joint that carries a part leaves, and its inboard end becomes the frame that the joint sits on.  theory §6.
// Keep: the numbers of the joint stay for the outward sweep.
template <bool Keep, class J, class T>
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
    if constexpr (Keep) {
      joint.template put<6>(HalvesJoint::kPH, i, PH);
      joint.template put<6>(HalvesJoint::kBH, i, BH);
      joint.template put<1>(HalvesJoint::kInverse, i, &inverse);
      joint.template put<1>(HalvesJoint::kForce, i, &force);
    }
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
  T left[6], least[6], part[6];  // part: 1 / P_jj
  LIMBER_UNROLL
  for (int j = 0; j < 6; ++j) left[j] = P[7 * j], least[j] = kNoInertia * left[j], part[j] = 1.0 / left[j];
  LIMBER_ONE_BY_ONE
  for (int count = 0; count < 6; ++count) {
    T share = T{}, chosen[6], column[6], pivot = T{}, floor = T{};
    int best = -1;
    LIMBER_UNROLL
    for (int j = 0; j < 6; ++j) {
      const bool better = left[j] > least[j] && left[j] * part[j] > share;
      share = better ? left[j] * part[j] : share;
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
  T full[36], p[6], C[36];
  full_matrix(P, full);
  split_inertia(full, N, p);
  LIMBER_ONE_BY_ONE
  for (int j = 0; j < 6; ++j) {
    T w[6], n[6];
    apply(Omega, N + 6 * j, w);  // l_j: the columns after j are still those of the split
    T own = dot6(N + 6 * j, w);
    copy<6>(N + 6 * j, n);
    // l_k^T Omega l_j of the columns before, out of N = l C^-T:  N_k^T w = sum over C of what is there
    LIMBER_ONE_BY_ONE
    for (int k = 0; k < j; ++k) {
      const T s = dot6(N + 6 * k, w);  // = d_k C_jk
      C[6 * j + k] = s * d[k];
      LIMBER_UNROLL
      for (int c = 0; c < 6; ++c) n[c] -= C[6 * j + k] * N[6 * k + c];
      own -= C[6 * j + k] * s;
    }
    d[j] = p[j] > T{} ? p[j] / (1.0 + p[j] * own) : T{};  // 1 / (1 / p + own)
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

// V = Bt_B^T Omega_A, by rows; Bt_A Bt_B and Omega_B + V Bt_B.
template <class T>
LIMBER_STEP void start_outboard(const Ends<T>& A, const Ends<T>& B, T* V, Ends<T>& out) {
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) {
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
  for (int i = 0; i < 6; ++i) {
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
}

// What of a pair is computed: a device gives each to a thread of its own, which needs fewer registers and less time.
enum class JoinPart : int { all, inboard, across, outboard };  // P and T, Bt, Omega
inline constexpr int kJoinParts = 3;

// A pair out of its parts A and B, B closed; between: T.  theory §6.
template <JoinPart Part, class T>
LIMBER_STEP void join_ends(const Ends<T>& A, const Ends<T>& B, Ends<T>& out, Inertia<T>& between) {
  constexpr bool kP = Part == JoinPart::all || Part == JoinPart::inboard;
  constexpr bool kBt = Part == JoinPart::all || Part == JoinPart::across;
  constexpr bool kOmega = Part == JoinPart::all || Part == JoinPart::outboard;
  T N[36], d[6], V[36], t[6], f[6];
  factor_between(B.P, A.Omega, N, d);
  out.P = A.P;
  clear(between);
  // f_c = z_B + T (y_A - Omega_A z_B)
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) t[i] = A.Omega.z[i], f[i] = B.P.z[i];
  subtract_product(A.Omega, B.P.z, t);
  start_outboard(A, B, V, out);
  LIMBER_ONE_BY_ONE
  for (int j = 0; j < 6; ++j) {
    T g[6], h[6], u[6];
    const T* n = N + 6 * j;
    times_general(A.Bt, n, g);
    times_general(V, n, h);
    const T x = d[j] * dot6(n, t);
    LIMBER_UNROLL
    for (int i = 0; i < 6; ++i) u[i] = -d[j] * g[i], f[i] += n[i] * x;
    if constexpr (kP) subtract_outer(u, g, out.P);
    if constexpr (kBt) outer_rows(g, h, -d[j], out.Bt);
    LIMBER_UNROLL
    for (int i = 0; i < 6; ++i) u[i] = d[j] * h[i];
    if constexpr (kOmega) subtract_outer(u, h, out.Omega);
    LIMBER_UNROLL
    for (int i = 0; i < 6; ++i) u[i] = -d[j] * n[i];
    if constexpr (kP) subtract_outer(u, n, between);
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
