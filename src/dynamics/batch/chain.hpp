// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "chain_shelf.hpp"

// Forward dynamics of a chain with little memory, for one state per thread of a device: between the sweeps stay the
// forces of every body in its motion and the solution Z of its elimination; poses, nodes and inertias are computed
// again.  Numbers of the next body come while this one is worked on.  Bodies are beams of families F or rigid, joints
// revolute or fixed; BatchTables::chain says so.
namespace limber::LIMBER_BATCH_MACHINE {

// The pose of the child side of a revolute or fixed joint.
template <class J>
LIMBER_KERNEL auto chain_angle(const J& job, const BatchLink& link) {
  return link.nr == 1 ? job.q[link.q] : typename J::T{};
}
template <class T>
LIMBER_STEP void chain_pose(const BatchLink& link, T angle, T* R, T* p) {
  if (link.nr == 1) return at_angle(link.K, angle, link.on_node != 0, R, p);
  copy<9>(link.K[0], R);
  copy<3>(link.K[0] + 9, p);
}

// ---- outward: motion ---------------------------------------------------------------------------------------------

// Forces of a body at its motion: p_r, then b_f = p_f + K eta + D etadot - u of its modes.
template <class J, class F, class T>
LIMBER_KERNEL void chain_forces(const J& job, const BatchLink& link, F f, const Motion<T>& m, const T* e, const T* rate,
                                const T* push) {
  constexpr CountOf<F> n;
  T* scratch = nullptr;
  BodyTerms<T> terms;
  Array<2, T, CountOf<F>> columns(n, scratch);
  Array<1, T, CountOf<F>> b(n, scratch);
  if constexpr (n > 0) {
    beam_terms(job, link, f, e, rate, flat(m), columns.x, b.x, terms);
    add_diagonal_elastic(job, link, n, e, rate, b.x);
    over(
        n, LIMBER_OVER(a) { b[a] -= push[a]; });
    job.template put<n>(link.motion + 6, b.x);
  } else {
    const T none[3] = {};
    start_terms(job, link, terms);
    rigid_forces(m.w, m.wd, m.vd, none, none, terms);
  }
  job.template put<6>(link.motion, terms.p);
}

template <class F, class J, class B>
LIMBER_STEP void chain_motion(J& job, const BatchLink& link, int i, B f, Frame<typename J::T>& frame) {
  using T = typename J::T;
  using At = ShelfOf<F>;
  constexpr CountOf<B> n;
  T angle = T{}, speed = T{}, *scratch = nullptr;
  Array<1, T, CountOf<B>> e(n, scratch), rate(n, scratch), push(n, scratch);
  job.shelf.arrive();
  if (link.nr == 1) job.shelf.template get<1>(At::kAngle, &angle), job.shelf.template get<1>(At::kSpeed, &speed);
  job.shelf.template get<n>(At::kShape, e.x), job.shelf.template get<n>(At::kRate, rate.x);
  job.shelf.template get<n>(At::kPush, push.x);
  if (link.followed) fetch_motion<F>(job, job.link(i + 1));
  Motion<T> m;
  {
    T R[9], r[3];
    Hinge<T> hinge;
    read_frame(job, link, frame);
    chain_pose(link, angle, hinge.R, hinge.p);
    LIMBER_UNROLL
    for (int k = 0; k < 6; ++k) hinge.V[k] = link.H[0][k] * speed;
    across_joint(link, frame, hinge, R, r, m);
  }
  chain_forces(job, link, f, m, e.x, rate.x, push.x);
  if (!link.followed) return;
  if constexpr (n > 0) {
    if (link.first_node < link.last_node) {
      NodeFrame<T> d;
      move_beam_node(job, link, job.node(link.first_node), f, e.x, rate.x, d);
      return node_motion(m, d, frame);
    }
  }
  frame.motion = m;
}

// ---- inward ------------------------------------------------------------------------------------------------------

// The inertia of a beam and the columns of its modes: beam_terms of its shape.  Nothing here depends on how it moves,
// and compilers leave that out.
template <class J, class F, class T>
LIMBER_KERNEL void beam_shape(const J& job, const BatchLink& link, F f, const T* e, T* columns, BodyTerms<T>& out) {
  const T still[kMotion] = {};
  T forces[CountOf<F>::value];
  beam_terms(job, link, f, e, e, still, columns, forces, out);
}
// Likewise its node.
template <class J, class F, class T>
LIMBER_KERNEL void place_beam_node(const J& job, const BatchLink& link, F f, const T* e, NodeFrame<T>& out) {
  move_beam_node(job, link, job.node(link.first_node), f, e, e, out);
}

// What the body after hands over, into the basis of this one, at the node with rotation R or at its origin.
template <class F, class J, class T>
LIMBER_STEP void take_over(const J& job, const BatchLink& from, const T* R, Inertia<T>& out) {
  using At = ShelfOf<F>;
  Inertia<T> own;
  T pose[9], p[3], angle = T{};
  if (from.nr == 1) job.shelf.template get<1>(At::kAfter, &angle);
  chain_pose(from, angle, pose, p);
  job.shelf.template get<kInertia>(At::kHand, flat(own));
  if (R == nullptr) {
    rotate(pose, own, out);
  } else {
    T turned[9], at[3];
    multiply(R, pose, turned);
    rotate(turned, own, out);
    turn(R, p, at);
    copy<3>(at, p);
  }
  if (!from.on_node) shift(p, out);
}

// One body, in stages that leave their results on the shelf.  A device has not enough registers for all of them
// together; a compiler that saw them in one piece would work on them at the same time.
enum ChainStage { kStageCarried, kStageModes, kStageHinge };  // kChainStageCount of them

// What its node carries, at the node.
template <class F, class J>
LIMBER_STEP void stage_carried(J& job, const BatchLink& link, int i, F f) {
  using T = typename J::T;
  using At = ShelfOf<F>;
  NodeFrame<T> d;
  Inertia<T> carried;
  T e[CountOf<F>::value];
  job.shelf.template get<CountOf<F>::value>(At::kOwn, e);
  place_beam_node(job, link, f, e, d);
  job.shelf.template put<9>(At::kNode, d.A);
  job.shelf.template put<3>(At::kNode + 9, d.l);
  take_over<F>(job, job.link(i + 1), d.R, carried);
  job.shelf.template put<kInertia>(At::kHand, flat(carried));
}
// The modes leave what the body carries, block by block of the inertia on the shelf: P - y d^-1 y^T as in subtract_all.
// The blocks are read late, so that no registers hold them while the modes are factored.
template <class F, class J, class T>
LIMBER_KERNEL void leave_shelf(const J& job, const BeamColumns<T>& c) {
  using At = ShelfOf<F>;
  const auto& shelf = job.shelf;
  const auto symmetric = [&](int block, int at) LIMBER_LAMBDA {  // A or C, with their half of z
    const int wrench = At::kHand + 21 + at;
    T M[6], z[3];
    shelf.template again<6>(block, M), shelf.template again<3>(wrench, z);
    if (at == 0) shelf.template put<3>(At::kDiagonal, M);
    LIMBER_UNROLL
    for (int j = 0; j < kBeamColumns; ++j) {
      const T* v = c.mu + 6 * j + at;
      const T u0 = c.inverse[j] * v[0], u1 = c.inverse[j] * v[1], u2 = c.inverse[j] * v[2], x = c.b[j];
      M[0] -= u0 * v[0], M[3] -= u0 * v[1], M[4] -= u0 * v[2];
      M[1] -= u1 * v[1], M[5] -= u1 * v[2], M[2] -= u2 * v[2];
      z[0] -= u0 * x, z[1] -= u1 * x, z[2] -= u2 * x;
    }
    shelf.template put<6>(block, M), shelf.template put<3>(wrench, z);
  };
  symmetric(At::kHand, 0);
  symmetric(At::kHand + 15, 3);
  T B[9];
  shelf.template again<9>(At::kHand + 6, B);
  LIMBER_UNROLL
  for (int j = 0; j < kBeamColumns; ++j) {
    LIMBER_UNROLL
    for (int i = 0; i < 3; ++i) add_times<3>(c.mu + 6 * j + 3, -(c.inverse[j] * c.mu[6 * j + i]), B + 3 * i);
  }
  shelf.template put<9>(At::kHand + 6, B);
}
// The first body only turns about its hinge, and Z meets nothing but the axis: keep_solution with Z h in the place of
// Z.
template <class J, class T>
LIMBER_KERNEL void keep_first(const J& job, const BatchLink& link, BeamColumns<T>& c) {
  T turned[kBeamColumns];
  LIMBER_UNROLL
  for (int j = kBeamColumns - 1; j >= 0; --j) {
    T along = dot3(link.H[0], c.mu + 6 * j), force = c.inverse[j] * c.b[j];
    LIMBER_UNROLL
    for (int i = j + 1; i < kBeamColumns; ++i) {
      along -= c.D[j * kBeamColumns + i] * turned[i], force -= c.D[j * kBeamColumns + i] * c.b[i];
    }
    turned[j] = along, c.b[j] = force;
  }
  job.template put<kBeamColumns>(link.columns, turned);
  job.template put<kBeamColumns>(link.columns + 6 * kBeamColumns, c.b);
}
// Modes leave.
template <class F, class J>
LIMBER_STEP void stage_modes(J& job, const BatchLink& link, int i, F f) {
  using T = typename J::T;
  using At = ShelfOf<F>;
  constexpr Size<kBeamColumns> m{};
  constexpr int n = CountOf<F>::value;
  BeamColumns<T> c;
  T scale[kBeamColumns];
  {
    Inertia<T> P;
    if (link.first_node < link.last_node) {
      T A[9], l[3];
      job.shelf.template get<kInertia>(At::kHand, flat(P));
      job.shelf.template get<9>(At::kNode, A);
      job.shelf.template get<3>(At::kNode + 9, l);
      collect_beam(job, link, A, l, P, c);
      shift(l, P);
      job.shelf.template put<kInertia>(At::kHand, flat(P));
    } else {
      start_alone(c);
      clear(P);
      if (link.followed) take_over<F, J, T>(job, job.link(i + 1), nullptr, P);
      job.shelf.template put<kInertia>(At::kHand, flat(P));
    }
  }
  {
    T e[n], b_f[n], columns[2 * n], own[2 * kBeamColumns], b[kBeamColumns];
    BodyTerms<T> terms;
    job.shelf.template again<n>(At::kOwn, e), job.shelf.template again<n>(At::kForces, b_f);
    beam_shape(job, link, f, e, columns, terms);
    beam_columns(job, link, f, columns, b_f, own, b);
    add_columns(beam_head(job, link), own, b, c);
  }
  LIMBER_UNROLL
  for (int j = 0; j < kBeamColumns; ++j) scale[j] = kNoInertia * c.D[6 * j];
  factor(job, link, kBeamColumns, m, c.D, c.mu, c.b, static_cast<T*>(nullptr), c.inverse, scale);
  leave_shelf<F>(job, c);
  LIMBER_UNROLL
  for (int k = 0; k < 6 * kBeamColumns; ++k) c.mu[k] = c.inverse[k / 6] * c.mu[k];
  if (i == 1) return keep_first(job, link, c);
  if (link.first_node < link.last_node)
    keep_solution(job, link.columns, link.columns + 6 * kBeamColumns, m, c.D, c.inverse, c.mu, c.b);
}
// The body comes to what is left, and its hinge leaves; the numbers of the body before are fetched.
template <class F, class J, class B, class R>
LIMBER_STEP void stage_hinge(J& job, const BatchLink& link, int i, B f, R r) {
  using T = typename J::T;
  using At = ShelfOf<F>;
  constexpr int n = CountOf<B>::value;
  T diagonal[3], torque = T{};
  BodyTerms<T> terms;
  Inertia<T> P;
  if constexpr (n > 0) {
    T e[n], b_f[n], columns[2 * n];
    job.shelf.template get<n>(At::kOwn, e), job.shelf.template get<n>(At::kForces, b_f);
    if (i > 1) fetch_shape<F>(job, i - 1);
    job.shelf.template get<kInertia>(At::kHand, flat(P));
    job.shelf.template get<3>(At::kDiagonal, diagonal);
    beam_shape(job, link, f, e, columns, terms);
    if constexpr (!kIsUsual<B>) {  // modes that do not move the node
      T own[2 * kBeamColumns], b[kBeamColumns];
      beam_columns(job, link, f, columns, b_f, own, b);
      leave_others(job, link, f, columns, b_f, own, b, P);
    }
  } else {
    if (link.followed) {
      take_over<F, J, T>(job, job.link(i + 1), nullptr, P);
    } else {
      clear(P);
    }
    if (i > 1) fetch_shape<F>(job, i - 1);
    start_terms(job, link, terms);
    copy<3>(P.A, diagonal);
  }
  i > 1 ? job.shelf.arrive_early() : job.shelf.arrive();
  job.shelf.template get<6>(At::kWrench, terms.p);
  if (link.nr == 1) job.shelf.template get<1>(At::kTorque, &torque);
  if (i > 1) fetch_forces<F>(job, i - 1);
  add<3>(terms.J, diagonal);
  add_body(terms, P);
  if constexpr (r > 0) eliminate_axis(job, link, torque, diagonal, P);
  job.shelf.template put<kInertia>(At::kHand, flat(P));
}

template <class F, class J, class B, class R>
LIMBER_STEP void chain_inward(J& job, const BatchLink& link, int i, B f, R r) {
  job.shelf.arrive_early();
  if constexpr (CountOf<B>::value == 0) {
    stage_hinge<F>(job, link, i, f, r);
  } else {
    LIMBER_ONE_BY_ONE
    for (int stage = 0; stage < job.stages; ++stage) {
      if (stage == kStageCarried) {
        if (link.first_node < link.last_node) stage_carried<F>(job, link, i, f);
      } else if (stage == kStageModes) {
        stage_modes<F>(job, link, i, f);
      } else {
        stage_hinge<F>(job, link, i, f, r);
      }
    }
  }
}

// ---- outward: accelerations --------------------------------------------------------------------------------------

// The node that the next body sits on, its acceleration in the basis of the body before.
template <class T>
struct Carrier {
  T a[6], R[9];
};
// Numbers F and b of modes that do not move the node.
template <class T>
struct GivenColumns {
  const T *columns, *forces;
  LIMBER_KERNEL T F(int i) const { return columns[i]; }
  LIMBER_KERNEL T b(int i) const { return forces[i]; }
};

// A body that carries nothing: its active coordinates have mass 1, and Z are its own columns.
template <class J, class B, class T>
LIMBER_KERNEL void solve_last(const J& job, const BatchLink& link, B f, const T* columns, const T* b_f, const T* a,
                              T* x) {
  BeamColumns<T> c;
  T own[2 * kBeamColumns], b[kBeamColumns];
  start_alone(c);
  beam_columns(job, link, f, columns, b_f, own, b);
  add_columns(beam_head(job, link), own, b, c);
  LIMBER_UNROLL
  for (int j = 0; j < kBeamColumns; ++j) x[j] = -(c.b[j] + dot6(c.mu + 6 * j, a));
}
// turn: acceleration of the hinge.
template <class F, class J, class B, class Out>
LIMBER_KERNEL void outward_modes(J& job, const BatchLink& link, int i, B f, typename J::T turn, const typename J::T* a,
                                 Carrier<typename J::T>& from, const Out& out) {
  using T = typename J::T;
  using At = ShelfOf<F>;
  constexpr int n = CountOf<B>::value;
  T x[kBeamColumns], e[n], b_f[n], columns[2 * n];
  const bool first = i == 1, last = link.first_node == link.last_node;
  if (first) {
    T turned[kBeamColumns];
    job.shelf.template get<kBeamColumns>(At::kColumns, turned);
    job.shelf.template get<kBeamColumns>(At::kActive, x);
    LIMBER_UNROLL
    for (int j = 0; j < kBeamColumns; ++j) x[j] = -(x[j] + turned[j] * turn);
  } else if (!last) {
    job.shelf.template get<kBeamColumns>(At::kActive, x);
    LIMBER_UNROLL
    for (int j = 0; j < kBeamColumns; ++j) {
      T Z[6];
      job.shelf.template get<6>(At::kColumns + 6 * j, Z);
      x[j] = -(x[j] + dot6(Z, a));
    }
  }
  job.shelf.template get<n>(At::kBent, e);
  if (!kIsUsual<B> || last) job.shelf.template get<n>(At::kLeft, b_f);
  if (link.followed) fetch_outward<F>(job, i + 1);
  if (link.first_node < link.last_node) {
    NodeFrame<T> d;
    place_beam_node(job, link, f, e, d);
    move_by_modes(job, link, a, d.A, d.l, x, from.a);
    copy<9>(d.R, from.R);
  }
  if (!kIsUsual<B> || (last && !first)) {
    BodyTerms<T> terms;
    beam_shape(job, link, f, e, columns, terms);
  }
  if (last && !first) solve_last(job, link, f, columns, b_f, a, x);
  expand_beam(job, link, f, x, a, static_cast<T*>(nullptr), GivenColumns<T>{columns, b_f}, out);
}

template <class F, class J, class B, class R, class Out>
LIMBER_STEP void chain_outward(J& job, const BatchLink& link, int i, B f, R r, Carrier<typename J::T>& from,
                               const Out& out) {
  using T = typename J::T;
  using At = ShelfOf<F>;
  T pose[9], p[3], t[3], a[6], angle = T{};
  job.shelf.arrive();
  if constexpr (r > 0) job.shelf.template get<1>(At::kAngle, &angle);
  chain_pose(link, angle, pose, p);
  if (link.node >= 0) {  // into the basis of the node, then of the body
    T turned[6];
    turn_back(from.R, from.a, turned), turn_back(from.R, from.a + 3, turned + 3);
    copy<6>(turned, from.a);
  }
  copy<3>(from.a + 3, t);
  if (!link.on_node) add_cross(from.a, p, t);
  turn_back(pose, from.a, a), turn_back(pose, t, a + 3);
  T x = T{};
  if constexpr (r > 0) {
    job.shelf.template get<1>(At::kHingeX, &x);
    if (i > 1) {
      T Z[6];
      job.shelf.template get<6>(At::kHinge, Z);
      x += dot6(Z, a);
    }
    x = -x;
    out.put(link.v, x);
    add_times<3>(link.H[0], x, a);
  }
  copy<6>(a, from.a);
  if constexpr (CountOf<B>::value > 0) {
    outward_modes<F>(job, link, i, f, x, a, from, out);
  } else if (link.followed) {
    fetch_outward<F>(job, i + 1);
  }
}

// ---- the three sweeps --------------------------------------------------------------------------------------------

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

// What one leaves for the next is in the store, so that a device can start them one by one.
template <class F, class J>
LIMBER_STEP void chain_motions(J& job) {
  Frame<typename J::T> frame;
  fetch_motion<F>(job, job.link(1));
  for (int i = 1; i < job.tables.bodies; ++i) {
    const BatchLink& link = job.link(i);
    with_chain<F>(link, [&](auto f, auto) LIMBER_LAMBDA { chain_motion<F>(job, link, i, f, frame); });
  }
}
template <class F, class J>
LIMBER_STEP void chain_inwards(J& job) {
  fetch_shape<F>(job, job.tables.bodies - 1), fetch_forces<F>(job, job.tables.bodies - 1);
  for (int i = job.tables.bodies - 1; i > 0; --i) {
    const BatchLink& link = job.link(i);
    with_chain<F>(link, [&](auto f, auto r) LIMBER_LAMBDA { chain_inward<F>(job, link, i, f, r); });
  }
}
// out.put(j, x): acceleration x of speed j.
template <class F, class J, class Out>
LIMBER_STEP void chain_outwards(J& job, const Out& out) {
  Carrier<typename J::T> carrier;
  clear<6>(carrier.a);
  fetch_outward<F>(job, 1);
  for (int i = 1; i < job.tables.bodies; ++i) {
    const BatchLink& link = job.link(i);
    with_chain<F>(link, [&](auto f, auto r) LIMBER_LAMBDA { chain_outward<F>(job, link, i, f, r, carrier, out); });
  }
}
template <class F, class J, class Out>
LIMBER_STEP void chain_dynamics(J& job, const Out& out) {
  chain_motions<F>(job);
  chain_inwards<F>(job);
  chain_outwards<F>(job, out);
}

// The chains that there are kernels for.
using RigidChain = Families<Size<0>, Size<0>, Size<0>>;
using BeamChain = UsualFamilies;
using LongBeamChain = LongFamilies;

}  // namespace limber::LIMBER_BATCH_MACHINE
