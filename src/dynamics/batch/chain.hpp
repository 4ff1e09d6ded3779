// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweep.hpp"

// Forward dynamics of a chain of equal sizes with little memory, for one state per thread of a device: between the
// sweeps stay the motion of every body and the solution Z of its elimination; poses and nodes are computed again.
// Bodies have N modes or none, revolute joints or fixed ones; BatchTables::chain says so.
namespace limber::LIMBER_BATCH_MACHINE {

// The pose of the child side of a revolute or fixed joint.
template <class J, class T>
LIMBER_STEP void chain_pose(const J& job, const BatchLink& link, T* R, T* p) {
  if (link.nr == 1) return at_angle(link.K, job.q[link.q], R, p);
  copy<9>(link.K[0], R);
  copy<3>(link.K[0] + 9, p);
}

template <class J, class N>
LIMBER_STEP void chain_motion(J& job, const BatchLink& link, N n, Frame<typename J::T>& frame) {
  using T = typename J::T;
  T* scratch = nullptr;
  Array<1, T, N> e(n, scratch), rate(n, scratch);
  read_modes(job, link, n, e.x, rate.x);
  Motion<T> m;
  {
    T R[9], r[3];
    Hinge<T> hinge;
    read_frame(job, link, frame);
    chain_pose(job, link, hinge.R, hinge.p);
    const T speed = link.nr == 1 ? job.v[link.v] : T{};
    LIMBER_UNROLL
    for (int i = 0; i < 6; ++i) hinge.V[i] = link.H[0][i] * speed;
    across_joint(link, frame, hinge, R, r, m);
  }
  job.template put<kMotion>(link.motion, flat(m));
  if (!link.followed) return;
  if constexpr (N::value > 0) {
    if (link.first_node < link.last_node) {
      NodeFrame<T> d;
      move_node(job, job.node(link.first_node), n, e.x, rate.x, d);
      return node_motion(m, d, frame);
    }
  }
  frame.motion = m;
}

// What a body hands to the one before: inertia and wrench in its own basis, and the pose of its joint.
template <class T>
struct Hand {
  Inertia<T> P;
  T R[9], p[3];
};

// b = p_f + K eta + D etadot - u.
template <class J, class T, class N>
LIMBER_STEP void chain_forces(const J& job, const BatchLink& link, N n, const T* e, const T* rate, T* b) {
  const auto K = job.numbers(link.K_modes), D = job.numbers(link.D_modes);
  T kf = spread<T>(1), df = kf;
  if (link.parameters >= 0) {
    kf = job.parameters[link.parameters + kRigidRows];
    df = job.parameters[link.parameters + kRigidRows + 1];
  }
  over(
      n, LIMBER_OVER(a) { b[a] += kf * (K[a] * e[a]) + df * (D[a] * rate[a]) - job.u[link.vm + a]; });
}
// The modal mass with what an implicit step adds to it: diagonal.
template <class J, class T, class K, class M>
LIMBER_STEP void chain_mass(const J& job, const BatchLink& link, K k, M m, T* D) {
  const auto D_0 = job.numbers(link.D_0), S = job.numbers(link.K_modes), C = job.numbers(link.D_modes);
  T kf = T{}, df = T{};  // D_0 has it where all items share it
  if (link.parameters >= 0) {
    kf = job.tables.c_K * job.parameters[link.parameters + kRigidRows];
    df = job.tables.c_D * job.parameters[link.parameters + kRigidRows + 1];
  }
  over(
      k, LIMBER_OVER(i) {
        over(
            k, LIMBER_OVER(j) {
              if (j > i) D[i * m + j] = T{};
            });
        D[i * m + i] = D_0[i * k + i] + kf * S[i] + df * C[i];
      });
}

// What the body carries, brought to its origin; meets the modes where it sits on a moving node.
template <class J, class T, class N, class M>
LIMBER_STEP void chain_collect(const J& job, int i, N n, M m, const T* e, const T* rate, Hand<T>& hand, T* mu, T* b,
                               T* D, Inertia<T>& P) {
  const BatchLink& next = job.link(i + 1);
  T R[9], r[3];
  if constexpr (N::value > 0) {
    if (next.node >= 0) {
      const BatchNode& node = job.node(next.node);
      NodeFrame<T> d;
      move_node(job, node, n, e, rate, d);
      multiply(d.R, hand.R, R);
      turn(d.R, hand.p, r);
      add<3>(d.l, r);
      rotate(R, hand.P);
      shift(r, hand.P);
      T W[6 * N::value];
      over(
          n, LIMBER_OVER(j) {
            turn(d.A, job.numbers(node.lambda) + 3 * j, W + 6 * j);
            copy<3>(job.numbers(node.gamma) + 3 * j, W + 6 * j + 3);
            add_cross(d.l, W + 6 * j, W + 6 * j + 3);
          });
      return collect(hand.P, n, m, W, mu, b, D, P);
    }
  }
  copy<9>(hand.R, R);
  copy<3>(hand.p, r);
  rotate(R, hand.P);
  shift(r, hand.P);
  add(hand.P, P);
}

template <class J, class N, class R>
LIMBER_STEP void chain_inward(J& job, const BatchLink& link, int i, N n, R r, Hand<typename J::T>& hand) {
  using T = typename J::T;
  constexpr int kColumns = N::value + R::value;
  const Size<kColumns> m;
  T* scratch = nullptr;
  Array<6, T, Size<kColumns>> mu(m, scratch);
  Array<1, T, Size<kColumns>> b(m, scratch), scale(m, scratch), inverse(m, scratch);
  Square<T, Size<kColumns>> D(m, scratch);
  Inertia<T> P;
  {
    Array<1, T, N> e(n, scratch), rate(n, scratch);
    Array<3, T, N> F(n, scratch);
    read_modes(job, link, n, e.x, rate.x);
    start_body(job, link, n, e.x, rate.x, F.x, b.x, P);
    chain_forces(job, link, n, e.x, rate.x, b.x);
    chain_mass(job, link, n, m, D.x);
    over(
        n, LIMBER_OVER(j) {
          copy<3>(F.x + 3 * j, mu.x + 6 * j);
          copy<3>(job.numbers(link.S) + 3 * j, mu.x + 6 * j + 3);
          scale[j] = D[j * m + j];
        });
    if (link.followed) chain_collect(job, i, n, m, e.x, rate.x, hand, mu.x, b.x, D.x, P);
  }
  over(
      n, LIMBER_OVER(j) { scale[j] = kNoInertia * larger(scale[j], D[j * m + j]); });
  over(
      r, LIMBER_OVER(j) {
        const double* h = link.H[0];
        T* column = mu.x + 6 * (n + j);
        apply_angular(P, h, column);
        over(
            n, LIMBER_OVER(a) { D[a * m + n] = dot3(mu.x + 6 * a, h); });
        D[n * m + n] = dot3(column, h) + (link.armature[0] + link.added[0]);
        scale[n] = kNoInertia * (P.A[0] * (h[0] * h[0]) + P.A[1] * (h[1] * h[1]) + P.A[2] * (h[2] * h[2]));
        b[n] = dot3(P.z, h) - job.u[link.v] + link.stiffness[0] * job.q[link.q] + link.damping[0] * job.v[link.v];
      });
  factor(job, link, n, m, D.x, mu.x, b.x, inverse.x, scale.x);
  subtract_all(m, inverse.x, mu.x, b.x, P);
  keep_solution(job, link, m, D.x, inverse.x, mu.x, b.x);
  hand.P = P;
  chain_pose(job, link, hand.R, hand.p);
}

// The node that the next body sits on, and its acceleration at the origin of its body.
template <class T>
struct Carrier {
  T a[6], R[9], l[3];
};

template <class J, class N, class R>
LIMBER_STEP void chain_outward(J& job, const BatchLink& link, N n, R r, Carrier<typename J::T>& from,
                               const OutRows<typename J::T>& out) {
  using T = typename J::T;
  constexpr int kColumns = N::value + R::value;
  T pose[9], p[3], t[3], a[6], x[kColumns > 0 ? kColumns : 1];
  chain_pose(job, link, pose, p);
  if (link.node >= 0) {
    // into the basis of the node, then of the body
    T turned[6];
    copy<3>(from.a + 3, t);
    add_cross(from.a, from.l, t);
    turn_back(from.R, from.a, turned), turn_back(from.R, t, turned + 3);
    copy<6>(turned, from.a);
  }
  copy<3>(from.a + 3, t);
  add_cross(from.a, p, t);
  turn_back(pose, from.a, a), turn_back(pose, t, a + 3);
  over(
      Size<kColumns>{}, LIMBER_OVER(j) {
        T Z[6];
        job.template get<6>(link.Z + 6 * j, Z);
        x[j] = -(job.get(link.x + j) + dot6(Z, a));
      });
  over(
      r, LIMBER_OVER(j) {
        out.put(link.v + j, x[n + j]);
        add_times<3>(link.H[0], x[n + j], a);
      });
  over(
      n, LIMBER_OVER(j) { out.put(link.vm + j, x[j]); });
  copy<6>(a, from.a);
  if constexpr (N::value > 0) {
    if (!link.followed || link.first_node == link.last_node) return;
    const BatchNode& node = job.node(link.first_node);
    T* scratch = nullptr;
    Array<1, T, N> e(n, scratch), rate(n, scratch);
    read_modes(job, link, n, e.x, rate.x);
    NodeFrame<T> d;
    move_node(job, node, n, e.x, rate.x, d);
    T theta[3] = {}, slide[3] = {}, ang[3];
    over(
        n, LIMBER_OVER(j) {
          add_times<3>(job.numbers(node.lambda) + 3 * j, x[j], theta);
          add_times<3>(job.numbers(node.gamma) + 3 * j, x[j], slide);
        });
    turn(d.A, theta, ang);
    add_cross(d.l, ang, slide);
    add<3>(ang, from.a), add<3>(slide, from.a + 3);
    copy<9>(d.R, from.R), copy<3>(d.l, from.l);
  }
}

// Sizes of a body of the chain: all that occur are constants.
template <int N, class Kernel>
LIMBER_KERNEL void with_chain(const BatchLink& link, Kernel kernel) {
  if constexpr (N > 0) {
    if (link.n == N) return kernel(Size<N>{}, Size<1>{});
  }
  if (link.nr == 1) return kernel(Size<0>{}, Size<1>{});
  kernel(Size<0>{}, Size<0>{});
}

template <int N, class J>
LIMBER_STEP void chain_dynamics(J& job, const OutRows<typename J::T>& out) {
  using T = typename J::T;
  {
    Frame<T> frame;
    for (int i = 1; i < job.tables.bodies; ++i) {
      const BatchLink& link = job.link(i);
      with_chain<N>(link, [&](auto n, auto) LIMBER_LAMBDA { chain_motion(job, link, n, frame); });
    }
  }
  {
    Hand<T> hand;
    for (int i = job.tables.bodies - 1; i > 0; --i) {
      const BatchLink& link = job.link(i);
      with_chain<N>(link, [&](auto n, auto r) LIMBER_LAMBDA { chain_inward(job, link, i, n, r, hand); });
    }
  }
  Carrier<T> carrier;
  clear<6>(carrier.a);
  for (int i = 1; i < job.tables.bodies; ++i) {
    const BatchLink& link = job.link(i);
    with_chain<N>(link, [&](auto n, auto r) LIMBER_LAMBDA { chain_outward(job, link, n, r, carrier, out); });
  }
}

}  // namespace limber::LIMBER_BATCH_MACHINE
