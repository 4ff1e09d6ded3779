// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweep.hpp"

// Forward dynamics of a chain with little memory, for one state per thread of a device: between the sweeps stay the
// motion of every body and the solution Z of its elimination; poses and nodes are computed again.  Bodies are beams of
// families F or rigid, joints revolute or fixed; BatchTables::chain says so.
namespace limber::LIMBER_BATCH_MACHINE {

// The pose of the child side of a revolute or fixed joint.
template <class J, class T>
LIMBER_STEP void chain_pose(const J& job, const BatchLink& link, T* R, T* p) {
  if (link.nr == 1) return at_angle(link.K, job.q[link.q], link.on_node != 0, R, p);
  copy<9>(link.K[0], R);
  copy<3>(link.K[0] + 9, p);
}

template <class J, class F, class T>
LIMBER_STEP void chain_node(const J& job, const BatchLink& link, F f, NodeFrame<T>& out) {
  const CountOf<F> n;
  T* scratch = nullptr;
  Array<1, T, CountOf<F>> e(n, scratch), rate(n, scratch);
  read_modes(job, link, n, e.x, rate.x);
  move_beam_node(job, link, job.node(link.first_node), f, e.x, rate.x, out);
}

template <class J, class F>
LIMBER_STEP void chain_motion(J& job, const BatchLink& link, F f, Frame<typename J::T>& frame) {
  using T = typename J::T;
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
  if constexpr (CountOf<F>::value > 0) {
    if (link.first_node < link.last_node) {
      NodeFrame<T> d;
      chain_node(job, link, f, d);
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

// Into the basis of the body, at the node of a beam or at its origin.
template <class T>
LIMBER_STEP void take_over(const BatchLink& from, const T* R, Hand<T>& hand) {
  const Inertia<T> own = hand.P;
  if (R == nullptr) {
    rotate(hand.R, own, hand.P);
  } else {
    T turned[9], p[3];
    multiply(R, hand.R, turned);
    rotate(turned, own, hand.P);
    if (!from.on_node) {
      turn(R, hand.p, p);
      copy<3>(p, hand.p);
    }
  }
  if (!from.on_node) shift(hand.p, hand.P);
}

template <class J, class F, class R>
LIMBER_STEP void chain_inward(J& job, const BatchLink& link, int i, F f, R r, Hand<typename J::T>& hand) {
  using T = typename J::T;
  T *scratch = job.scratch, diagonal[6];
  Inertia<T> P;
  if constexpr (CountOf<F>::value > 0) {
    BeamColumns<T> buffer;
    BeamColumns<T>& columns = *reinterpret_cast<BeamColumns<T>*>(job.place(link.columns, flat(buffer)));
    const CountOf<F> n;
    if (link.first_node < link.last_node) {
      NodeFrame<T> d;
      chain_node(job, link, f, d);
      take_over(job.link(i + 1), d.R, hand);
      collect_beam(job, link, d.A, d.l, hand.P, columns, P);
    } else {
      start_alone(columns, P);
    }
    {
      Array<1, T, CountOf<F>> e(n, scratch), rate(n, scratch);
      read_modes(job, link, n, e.x, rate.x);
      add_beam(job, link, f, scratch, e.x, rate.x, columns, diagonal, P);
    }
    condense_beam(job, link, columns, diagonal, P);
  } else {
    T none[1] = {};
    start_body(job, link, Size<0>{}, none, none, none, none, P);
  }
  if (link.followed && job.link(i + 1).node < 0) {
    take_over<T>(job.link(i + 1), nullptr, hand);
    add(hand.P, P);
  }
  if constexpr (CountOf<F>::value == 0) read_diagonal(P, diagonal);
  eliminate_hinge(job, link, r, scratch, diagonal, P);
  hand.P = P;
  chain_pose(job, link, hand.R, hand.p);
}

// The node that the next body sits on, its acceleration in the basis of the body before.
template <class T>
struct Carrier {
  T a[6], R[9];
};

template <class J, class F, class R>
LIMBER_STEP void chain_outward(J& job, const BatchLink& link, F f, R r, Carrier<typename J::T>& from,
                               const OutRows<typename J::T>& out) {
  using T = typename J::T;
  T pose[9], p[3], t[3], a[6];
  chain_pose(job, link, pose, p);
  if (link.node >= 0) {  // into the basis of the node, then of the body
    T turned[6];
    turn_back(from.R, from.a, turned), turn_back(from.R, from.a + 3, turned + 3);
    copy<6>(turned, from.a);
  }
  copy<3>(from.a + 3, t);
  if (!link.on_node) add_cross(from.a, p, t);
  turn_back(pose, from.a, a), turn_back(pose, t, a + 3);
  over(
      r, LIMBER_OVER(j) {
        T Z[6];
        const T x = -(job.get(link.x + j) + dot6(job.template view<6>(link.Z + 6 * j, Z), a));
        out.put(link.v + j, x);
        add_times<3>(link.H[0], x, a);
      });
  copy<6>(a, from.a);
  if constexpr (CountOf<F>::value > 0) {
    NodeFrame<T> d;
    if (link.first_node < link.last_node) chain_node(job, link, f, d);
    outward_beam(job, link, f, a, d.A, d.l, from.a, out);
    copy<9>(d.R, from.R);
  }
}

// Sizes of a body of the chain: all that occur are constants.
template <class F, class Kernel>
LIMBER_KERNEL void with_chain(const BatchLink& link, Kernel kernel) {
  if constexpr (CountOf<F>::value > 0) {
    if (link.n > 0) return kernel(F{}, Size<1>{});
  }
  constexpr Families<Size<0>, Size<0>, Size<0>> none{};
  if (link.nr == 1) return kernel(none, Size<1>{});
  kernel(none, Size<0>{});
}

template <class F, class J>
LIMBER_STEP void chain_dynamics(J& job, const OutRows<typename J::T>& out) {
  using T = typename J::T;
  {
    Frame<T> frame;
    for (int i = 1; i < job.tables.bodies; ++i) {
      const BatchLink& link = job.link(i);
      with_chain<F>(link, [&](auto f, auto) LIMBER_LAMBDA { chain_motion(job, link, f, frame); });
    }
  }
  {
    Hand<T> hand;
    for (int i = job.tables.bodies - 1; i > 0; --i) {
      const BatchLink& link = job.link(i);
      with_chain<F>(link, [&](auto f, auto r) LIMBER_LAMBDA { chain_inward(job, link, i, f, r, hand); });
    }
  }
  Carrier<T> carrier;
  clear<6>(carrier.a);
  for (int i = 1; i < job.tables.bodies; ++i) {
    const BatchLink& link = job.link(i);
    with_chain<F>(link, [&](auto f, auto r) LIMBER_LAMBDA { chain_outward(job, link, f, r, carrier, out); });
  }
}

// The chains that there are kernels for.
using RigidChain = Families<Size<0>, Size<0>, Size<0>>;
using BeamChain = UsualFamilies;
using LongBeamChain = Families<Size<4>, Size<4>, Size<2>>;

}  // namespace limber::LIMBER_BATCH_MACHINE
