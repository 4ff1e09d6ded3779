// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hinge.hpp"

// One body alone: its nodes, and its inertia and inertial forces.  theory §2.
namespace limber::LIMBER_BATCH_MACHINE {

// Modes of a body out of the state, with their products where it has them.
template <class J, class T, class N>
LIMBER_KERNEL void read_modes(const J& job, const BatchLink& link, N n, T* e, T* rate) {
  over(
      n, LIMBER_OVER(k) {
        e[k] = job.q[link.qm + k];
        rate[k] = job.v[link.vm + k];
      });
}
template <class J, class T>
LIMBER_RARE void read_products(const J& job, const BatchLink& link, T* e, T* rate) {
  auto pair = job.indices(link.mode_pairs);
  for (int k = link.n; k < link.ne; ++k, pair += 2) {
    const int a = pair[0], b = pair[1];
    e[k] = (a == b ? 0.5 : 1.0) * e[a] * e[b];
    rate[k] = a == b ? e[a] * rate[a] : e[a] * rate[b] + rate[a] * e[b];
  }
}

template <class T>
struct NodeFrame {
  T l[3], R[9], A[9];            // position, rotation, left Jacobian of the rotation vector
  T l_rate[3], l_bias[3];        // dl/dt and its second derivative at constant etadot
  T turn_rate[3], turn_bias[3];  // A dtheta/dt, (dA/dt) dtheta/dt
};

// diagonal 1 + once theta~ + twice theta theta^T, by rows.
template <class T>
LIMBER_KERNEL void turn_matrix(const T* t, T diagonal, T once, T twice, T* M) {
  const T x = twice * t[0], y = twice * t[1], z = twice * t[2];
  const T ox = once * t[0], oy = once * t[1], oz = once * t[2];
  M[0] = diagonal + x * t[0], M[4] = diagonal + y * t[1], M[8] = diagonal + z * t[2];
  const T xy = x * t[1], xz = x * t[2], yz = y * t[2];
  M[1] = xy - oz, M[3] = xy + oz, M[2] = xz + oy, M[6] = xz - oy, M[5] = yz - ox, M[7] = yz + ox;
}

// Rotations of a node by the rotation vector theta of its modes.  theory §2, Nodes.
template <class T>
LIMBER_KERNEL void turn_node(const BatchNode& node, const T* theta, const T* theta_rate, NodeFrame<T>& out) {
  const T x = dot3(theta, theta);
  Series<T> s;
  series(x, s);
  turn_matrix(theta, 1.0 - x * s.a, s.sinc, s.a, out.R);
  turn_matrix(theta, s.sinc, s.a, s.b, out.A);
  turn(out.A, theta_rate, out.turn_rate);
  T once[3], twice[3], third[3];
  cross(theta, theta_rate, once);
  cross(theta, once, twice);
  cross(theta_rate, once, third);
  const T two = 2.0 * dot3(theta, theta_rate), da = two * s.da, db = two * s.db;
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) out.turn_bias[i] = da * once[i] + db * twice[i] + s.b * third[i];
  if (!node.turned) return;
  T R[9];
  multiply(out.R, node.rotation, R);
  copy<9>(R, out.R);
}
template <class J, class T, class N>
LIMBER_STEP void move_node(const J& job, const BatchNode& node, N n, const T* LIMBER_ALONE e,
                           const T* LIMBER_ALONE rate, NodeFrame<T>& LIMBER_ALONE out) {
  const auto gamma = job.numbers(node.gamma), lambda = job.numbers(node.lambda);
  T theta[3] = {}, theta_rate[3] = {};
  copy<3>(node.position, out.l);
  clear<3>(out.l_rate);
  clear<3>(out.l_bias);
  over(
      n, LIMBER_OVER(k) {
        add_times<3>(lambda + 3 * k, e[k], theta);
        add_times<3>(lambda + 3 * k, rate[k], theta_rate);
        add_times<3>(gamma + 3 * k, e[k], out.l);
        add_times<3>(gamma + 3 * k, rate[k], out.l_rate);
      });
  turn_node(node, theta, theta_rate, out);
}
// Second order: l += eta^T Xi eta / 2 and what follows from it.
template <class J, class T>
LIMBER_RARE void bend_node(const J& job, const BatchNode& node, int n, const T* e, const T* rate, NodeFrame<T>& out) {
  auto second = job.numbers(node.second);
  for (int k = 0; k < n; ++k) {
    T turned[3] = {}, turned_rate[3] = {};
    for (int j = 0; j < n; ++j, second += 3) {
      add_times<3>(second, e[j], turned);
      add_times<3>(second, rate[j], turned_rate);
    }
    const T half = 0.5 * e[k];
    add_times<3>(turned, half, out.l);
    add_times<3>(turned, rate[k], out.l_rate);
    add_times<3>(turned_rate, rate[k], out.l_bias);
  }
}
// The node of the undeformed body at rest.
template <class T>
LIMBER_STEP void rest_node(const BatchNode& node, NodeFrame<T>& out) {
  copy<3>(node.position, out.l);
  copy<9>(node.rotation, out.R);
  clear<9>(out.A);
  out.A[0] = out.A[4] = out.A[8] = spread<T>(1);
  clear<3>(out.l_rate), clear<3>(out.l_bias), clear<3>(out.turn_rate), clear<3>(out.turn_bias);
}
template <class J, class T, class N>
LIMBER_KERNEL void compute_node(const J& job, const BatchNode& node, N n, const T* e, const T* rate,
                                NodeFrame<T>& out) {
  if (job.tables.ruthless || !node.moves) return rest_node(node, out);
  move_node(job, node, n, e, rate, out);
  if (node.second >= 0) bend_node(job, node, n, e, rate, out);
}
// Column k of Pi.
template <class J, class T>
LIMBER_KERNEL void node_column(const J& job, const BatchNode& node, int n, int k, const T* e, const T* A, T* column) {
  const auto gamma = job.numbers(node.gamma) + 3 * k, lambda = job.numbers(node.lambda) + 3 * k;
  turn(A, lambda, column);
  copy<3>(gamma, column + 3);
  if (node.second < 0 || job.tables.ruthless) return;
  const auto second = job.numbers(node.second) + static_cast<long>(3) * n * k;
  for (int j = 0; j < n; ++j) add_times<3>(second + 3 * j, e[j], column + 3);
}

// A body at a state: M_m and b_m of theory §2 at given motion, without elastic forces.
template <class T>
struct BodyTerms {
  T m, s[3], J[6];
  T p[6];  // p_r
};
inline constexpr int kBodyTerms = 16;

// Sums over the shapes of one mode a: tr C_a 1 - sym C_a, ax(C_a), ax(C'_a).
template <class T>
struct ModeSums {
  T I[6], F[3], rate[3];
};
template <class A, class T>
LIMBER_KERNEL void add_pair(PairForm form, A c, T e, T rate, ModeSums<T>& s) {
  const auto along = [&](int k) LIMBER_LAMBDA {
    s.I[5 - k] += e * c[5 - k];
    s.F[k] += e * c[6 + k];
    s.rate[k] += rate * c[6 + k];
  };
  switch (form) {
    case PairForm::none:
      return;
    case PairForm::diagonal:
      return add_times<3>(c, e, s.I);
    case PairForm::x:
      return along(0);
    case PairForm::y:
      return along(1);
    case PairForm::z:
      return along(2);
    case PairForm::any:
      add_times<6>(c, e, s.I);
      add_times<3>(c + 6, e, s.F);
      add_times<3>(c + 6, rate, s.rate);
  }
}

// Constants of a body, or its own numbers of each item.
template <class J, class T>
LIMBER_KERNEL void start_terms(const J& job, const BatchLink& link, BodyTerms<T>& out) {
  if (link.parameters >= 0) {
    const long row = link.parameters;
    out.m = job.parameters[row];
    LIMBER_UNROLL
    for (int i = 0; i < 3; ++i) out.s[i] = job.parameters[row + 1 + i];
    LIMBER_UNROLL
    for (int i = 0; i < 6; ++i) out.J[i] = job.parameters[row + 4 + i];
    return;
  }
  out.m = spread<T>(link.m);
  copy<3>(link.s, out.s);
  copy<6>(link.J, out.J);
}

// p_r = M_rr alpha + b_r.  s_rate2: twice the rate of s; more: what modes add to the torque.
template <class T>
LIMBER_KERNEL void add_rigid_forces(const T* w, const T* wd, const T* vd, const T* s_rate2, const T* more,
                                    BodyTerms<T>& out) {
  T Jw[3], x[3];
  apply_symmetric(out.J, w, Jw);
  apply_symmetric(out.J, wd, out.p);
  add<3>(more, out.p);
  add_cross(out.s, vd, out.p);
  add_cross(w, Jw, out.p);
  copy<3>(s_rate2, x);
  add_cross(w, out.s, x);
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) out.p[3 + i] = out.m * vd[i];
  add_cross(wd, out.s, out.p + 3);
  add_cross(w, x, out.p + 3);
}
template <class T>
LIMBER_STEP void rigid_forces(const T* w, const T* wd, const T* vd, const T* s_rate2, const T* more,
                              BodyTerms<T>& out) {
  add_rigid_forces(w, wd, vd, s_rate2, more, out);
}

// F (3 per mode) and p_f of the modes (and products), J, s and p_r.
template <class J, class T, class N>
LIMBER_STEP void contract(const J& job, const BatchLink& link, N ne, const T* LIMBER_ALONE e,
                          const T* LIMBER_ALONE rate, const T* LIMBER_ALONE w, const T* LIMBER_ALONE wd,
                          const T* LIMBER_ALONE vd, T* LIMBER_ALONE F, T* LIMBER_ALONE p_f,
                          BodyTerms<T>& LIMBER_ALONE out) {
  const auto first = job.numbers(link.first_pairs), S = job.numbers(link.S);
  const T ww[6] = {w[0] * w[0], w[1] * w[1], w[2] * w[2], 2.0 * w[0] * w[1], 2.0 * w[0] * w[2], 2.0 * w[1] * w[2]};
  const T w2[3] = {w[0] + w[0], w[1] + w[1], w[2] + w[2]};
  T J_rate[6] = {}, F_rate[3] = {}, s_rate[3] = {};
  start_terms(job, link, out);
  const bool still = job.tables.ruthless != 0;
  over(
      ne, LIMBER_OVER(a) {
        ModeSums<T> s;
        const auto c = first + 9 * a;
        copy<6>(c, s.I);
        copy<3>(c + 6, s.F);
        clear<3>(s.rate);
        const T speed = rate[a], place = e[a];
        if (!still) {
          const auto pairs = job.numbers(link.pairs) + 9 * a * ne;
          auto forms = job.indices(link.forms + a * ne);
          over(
              ne, LIMBER_OVER(b) { add_pair(static_cast<PairForm>(forms[b]), pairs + 9 * b, e[b], rate[b], s); });
          add_times<6>(s.I, speed, J_rate);
          add_times<3>(s.F, speed, F_rate);
          LIMBER_UNROLL
          for (int i = 0; i < 6; ++i) out.J[i] += place * (c[i] + s.I[i]);
          add_times<3>(S + 3 * a, place, out.s);
          add_times<3>(S + 3 * a, speed, s_rate);
        }
        p_f[a] = dot3(w2, s.rate) + dot3(s.F, wd) + dot3(S + 3 * a, vd) - dot6(s.I, ww);
        copy<3>(s.F, F + 3 * a);
      });
  // 2 (tr Cdot w - Cdot w) = 2 J_rate w + w x F_rate
  T gyroscopic[3];
  apply_symmetric(J_rate, w2, gyroscopic);
  add_cross(w, F_rate, gyroscopic);
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) s_rate[i] += s_rate[i];
  rigid_forces(w, wd, vd, s_rate, gyroscopic, out);
}

// Factors of the stiffness and damping of a body's modes: those of the item.
template <class J, class T>
LIMBER_KERNEL void elastic_factors(const J& job, const BatchLink& link, T& kf, T& df) {
  if (link.parameters < 0) return;
  kf = kf * job.parameters[link.parameters + kRigidRows];
  df = df * job.parameters[link.parameters + kRigidRows + 1];
}
// b += K eta + D etadot.
template <class J, class T, class N, class E>
LIMBER_KERNEL void add_diagonal_elastic(const J& job, const BatchLink& link, N n, const E& e, const E& rate, T* b) {
  const auto K = job.numbers(link.K_modes), D = job.numbers(link.D_modes);
  if (link.parameters < 0) {
    over(
        n, LIMBER_OVER(a) { b[a] += K[a] * e[a] + D[a] * rate[a]; });
    return;
  }
  T kf = spread<T>(1), df = kf;
  elastic_factors(job, link, kf, df);
  over(
      n, LIMBER_OVER(a) { b[a] += kf * (K[a] * e[a]) + df * (D[a] * rate[a]); });
}
template <class J, class T, class N>
LIMBER_KERNEL void add_elastic(const J& job, const BatchLink& link, N n, const T* e, const T* rate, T* b) {
  if (link.elastic_diagonal) return add_diagonal_elastic(job, link, n, e, rate, b);
  const auto K = job.numbers(link.K_modes), D = job.numbers(link.D_modes);
  T kf = spread<T>(1), df = kf;
  elastic_factors(job, link, kf, df);
  for (int a = 0; a < link.n; ++a) {
    T stiff = T{}, damp = T{};
    for (int c = 0; c < link.n; ++c) stiff += K[a * link.n + c] * e[c], damp += D[a * link.n + c] * rate[c];
    b[a] += kf * stiff + df * damp;
  }
}

}  // namespace limber::LIMBER_BATCH_MACHINE
