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

// One body of the inward sweep, in stages that leave their results on the shelf.  A device has not enough registers for
// all of them together; a compiler that saw them in one piece would work on them at the same time.
enum ChainStage { kStageAlone, kStageCarried, kStageModes, kStageHinge };  // kChainStageCount of them
template <class F>
struct ShelfOf {
  static constexpr int kHand = 0;                // (27) what the body after hands over
  static constexpr int kOwn = kHand + kInertia;  // the body alone: BodyTerms, or an inertia
  static constexpr int kOwnCount = kIsUsual<F> ? kBodyTerms : kInertia;
  static constexpr int kColumns = kOwn + kOwnCount;            // (10) its columns
  static constexpr int kForces = kColumns + 2 * kBeamColumns;  // (5)
  static constexpr int kNode = kForces + kBeamColumns;         // (12) A and l of its node
  static constexpr int kDiagonal = kNode;                      // (6) once the modes have left
  static constexpr int kLost = kNode + 12;                     // (6) with more modes than columns
  static constexpr int kCount = CountOf<F>::value == 0 ? kInertia : kLost + (kIsUsual<F> ? 0 : 6);
};
inline constexpr int kHand = 0;

// What the body after hands over, into the basis of this one, at the node with rotation R or at its origin.
template <class J, class T>
LIMBER_STEP void take_over(const J& job, const BatchLink& from, const T* R, Inertia<T>& out) {
  Inertia<T> own;
  T pose[9], p[3];
  chain_pose(job, from, pose, p);
  job.shelf.template get<kInertia>(kHand, flat(own));
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

// The body alone.
template <class J, class F>
LIMBER_STEP void stage_alone(J& job, const BatchLink& link, F f) {
  using T = typename J::T;
  using At = ShelfOf<F>;
  T *scratch = job.scratch, own[2 * kBeamColumns], b[kBeamColumns];
  const CountOf<F> n;
  BodyTerms<T> terms;
  Array<1, T, CountOf<F>> e(n, scratch), rate(n, scratch), b_f(n, scratch);
  Array<2, T, CountOf<F>> columns(n, scratch);
  read_modes(job, link, n, e.x, rate.x);
  beam_forces<false>(job, link, f, e.x, rate.x, columns.x, b_f.x, terms);
  beam_columns(job, link, f, columns.x, b_f.x, own, b);
  if constexpr (kIsUsual<F>) {
    job.shelf.template put<kBodyTerms>(At::kOwn, flat(terms));
  } else {
    Inertia<T> P;
    T lost[6];
    clear(P);
    add_body(terms, P);
    beam_rest(job, link, f, columns.x, b_f.x, own, b, lost, P);
    job.shelf.template put<kInertia>(At::kOwn, flat(P));
    job.shelf.template put<6>(At::kLost, lost);
  }
  job.shelf.template put<2 * kBeamColumns>(At::kColumns, own);
  job.shelf.template put<kBeamColumns>(At::kForces, b);
}
// What its node carries, at the body's origin.
template <class J, class F>
LIMBER_STEP void stage_carried(J& job, const BatchLink& link, int i, F f) {
  using T = typename J::T;
  using At = ShelfOf<F>;
  NodeFrame<T> d;
  Inertia<T> carried;
  chain_node(job, link, f, d);
  job.shelf.template put<9>(At::kNode, d.A);
  job.shelf.template put<3>(At::kNode + 9, d.l);
  take_over(job, job.link(i + 1), d.R, carried);
  shift(d.l, carried);
  job.shelf.template put<kInertia>(kHand, flat(carried));
}
// collect_beam with what the node carries at the body's origin: directions W of the active coordinates there.
template <class J, class T>
LIMBER_KERNEL void collect_at_origin(const J& job, const BatchLink& link, const T* A, const T* l,
                                     const Inertia<T>& carried, BeamColumns<T>& out) {
  const auto head = beam_head(job, link);
  const T ly0 = spread<T>(head[kBeamLy]), lz0 = spread<T>(head[kBeamLz]), lt = spread<T>(head[kBeamLt]);
  const double ly1 = head[kBeamLy + 1], ly2 = head[kBeamLy + 2], lz1 = head[kBeamLz + 1], lz2 = head[kBeamLz + 2];
  T W[18];
  LIMBER_UNROLL
  for (int k = 0; k < 3; ++k) {
    const T scale = k == 0 ? ly0 : k == 1 ? lz0 : lt;
    T* w = W + 6 * k;
    LIMBER_UNROLL
    for (int r = 0; r < 3; ++r) w[r] = scale * A[3 * r + 2 - k];
    cross(l, w, w + 3);
  }
  W[4] += ly1, W[11] += lz1;
  T *g = out.mu, *D = out.D;
  const T *B = carried.B, *C = carried.C, *z = carried.z;
  LIMBER_UNROLL
  for (int k = 0; k < 3; ++k) apply(carried, W + 6 * k, g + 6 * k), out.b[k] = dot6(W + 6 * k, z);
  const T along_y[6] = {B[1], B[4], B[7], C[3], C[1], C[5]}, along_z[6] = {B[2], B[5], B[8], C[4], C[5], C[2]};
  LIMBER_UNROLL
  for (int r = 0; r < 6; ++r) g[18 + r] = ly2 * along_y[r], g[24 + r] = lz2 * along_z[r];
  out.b[3] = ly2 * z[4], out.b[4] = lz2 * z[5];
  LIMBER_UNROLL
  for (int c = 0; c < kBeamColumns; ++c) {
    const T* column = g + 6 * c;
    LIMBER_UNROLL
    for (int k = 0; k < 3; ++k) {
      if (k <= c) D[5 * k + c] = dot6(W + 6 * k, column);
    }
    if (c > 2) D[15 + c] = ly2 * column[4];
    if (c > 3) D[24] = lz2 * column[5];
    D[6 * c] += 1.0;
  }
}
// The body comes to what it carries, block by block of the inertia on the shelf, and its modes leave it: P - y d^-1 y^T
// as in subtract_all.  The blocks are read late, so that no registers hold them while the modes are factored. diagonal:
// of P with the modes.
template <class J, class F, class T>
LIMBER_KERNEL void leave_shelf(const J& job, F, const BeamColumns<T>& c, T* diagonal) {
  using At = ShelfOf<F>;
  const auto& shelf = job.shelf;
  const auto symmetric = [&](int block, int at) LIMBER_LAMBDA {  // A or C, with their half of z
    const int wrench = kHand + 21 + at;
    T M[6], z[3], own[6], own_z[3];
    shelf.template again<6>(block, M), shelf.template again<3>(wrench, z);
    if constexpr (kIsUsual<F>) {
      shelf.template again<3>(At::kOwn + 10 + at, own_z);  // p of BodyTerms, J, m
      if (at == 0) {
        shelf.template again<6>(At::kOwn + 4, own);
      } else {
        clear<6>(own);
        shelf.template again<1>(At::kOwn, own);
        own[1] = own[2] = own[0];
      }
      copy<3>(M, diagonal + at);
    } else {
      shelf.template again<6>(At::kOwn + block - kHand, own), shelf.template again<3>(At::kOwn + 21 + at, own_z);
      shelf.template again<3>(At::kLost + at, diagonal + at);
      add<3>(M, diagonal + at);
    }
    add<3>(own, diagonal + at);
    add<6>(own, M), add<3>(own_z, z);
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
  symmetric(kHand, 0);
  symmetric(kHand + 15, 3);
  T B[9];
  shelf.template again<9>(kHand + 6, B);
  if constexpr (kIsUsual<F>) {
    T s[3];
    shelf.template again<3>(At::kOwn + 1, s);
    B[1] -= s[2], B[2] += s[1], B[3] += s[2], B[5] -= s[0], B[6] -= s[1], B[7] += s[0];
  } else {
    T own[9];
    shelf.template again<9>(At::kOwn + 6, own);
    add<9>(own, B);
  }
  LIMBER_UNROLL
  for (int j = 0; j < kBeamColumns; ++j) {
    LIMBER_UNROLL
    for (int i = 0; i < 3; ++i) add_times<3>(c.mu + 6 * j + 3, -(c.inverse[j] * c.mu[6 * j + i]), B + 3 * i);
  }
  shelf.template put<9>(kHand + 6, B);
}
// Modes leave.
template <class J, class F>
LIMBER_STEP void stage_modes(J& job, const BatchLink& link, int i, F f) {
  using T = typename J::T;
  using At = ShelfOf<F>;
  constexpr Size<kBeamColumns> m{};
  BeamColumns<T> buffer;
  BeamColumns<T>& c = *reinterpret_cast<BeamColumns<T>*>(job.place(link.columns, flat(buffer)));
  T diagonal[6], scale[kBeamColumns];
  {
    Inertia<T> P;
    T own[2 * kBeamColumns], b[kBeamColumns];
    if (link.first_node < link.last_node) {
      T A[9], l[3];
      job.shelf.template get<kInertia>(kHand, flat(P));
      job.shelf.template get<9>(At::kNode, A);
      job.shelf.template get<3>(At::kNode + 9, l);
      collect_at_origin(job, link, A, l, P, c);
    } else {
      start_alone(c);
      clear(P);
      if (link.followed) take_over<J, T>(job, job.link(i + 1), nullptr, P);
      job.shelf.template put<kInertia>(kHand, flat(P));
    }
    job.shelf.template get<2 * kBeamColumns>(At::kColumns, own);
    job.shelf.template get<kBeamColumns>(At::kForces, b);
    add_columns(beam_head(job, link), own, b, c);
  }
  LIMBER_UNROLL
  for (int j = 0; j < kBeamColumns; ++j) scale[j] = kNoInertia * c.D[6 * j];
  factor(job, link, kBeamColumns, m, c.D, c.mu, c.b, static_cast<T*>(nullptr), c.inverse, scale);
  leave_shelf(job, f, c, diagonal);
  job.shelf.template put<6>(At::kDiagonal, diagonal);
  if constexpr (!kStoreIsNear) {
    LIMBER_UNROLL
    for (int k = 0; k < 6 * kBeamColumns; ++k) c.mu[k] = c.inverse[k / 6] * c.mu[k];
    keep_solution(job, link.columns, link.columns + 6 * kBeamColumns, m, c.D, c.inverse, c.mu, c.b);
  }
}
// The hinge leaves.
template <class J, class F, class R>
LIMBER_STEP void stage_hinge(J& job, const BatchLink& link, F, R r) {
  using T = typename J::T;
  T diagonal[6];
  Inertia<T> P;
  job.shelf.template get<kInertia>(kHand, flat(P));
  job.shelf.template get<6>(ShelfOf<F>::kDiagonal, diagonal);
  eliminate_hinge(job, link, r, job.scratch, diagonal, P);
  job.shelf.template put<kInertia>(kHand, flat(P));
}
template <class J, class R>
LIMBER_STEP void rigid_inward(J& job, const BatchLink& link, int i, R r) {
  using T = typename J::T;
  T *scratch = job.scratch, diagonal[6], none[1] = {};
  Inertia<T> P;
  start_body(job, link, Size<0>{}, none, none, none, none, P);
  if (link.followed) {
    Inertia<T> carried;
    take_over<J, T>(job, job.link(i + 1), nullptr, carried);
    add(carried, P);
  }
  read_diagonal(P, diagonal);
  eliminate_hinge(job, link, r, scratch, diagonal, P);
  job.shelf.template put<kInertia>(kHand, flat(P));
}

template <class J, class F, class R>
LIMBER_STEP void chain_inward(J& job, const BatchLink& link, int i, F f, R r) {
  if constexpr (CountOf<F>::value == 0) {
    rigid_inward(job, link, i, r);
  } else {
    LIMBER_ONE_BY_ONE
    for (int stage = 0; stage < job.stages; ++stage) {
      if (stage == kStageAlone) {
        stage_alone(job, link, f);
      } else if (stage == kStageCarried) {
        if (link.first_node < link.last_node) stage_carried(job, link, i, f);
      } else if (stage == kStageModes) {
        stage_modes(job, link, i, f);
      } else {
        stage_hinge(job, link, f, r);
      }
    }
  }
}

// The node that the next body sits on, its acceleration in the basis of the body before.
template <class T>
struct Carrier {
  T a[6], R[9];
};

template <class J, class F, class R, class Out>
LIMBER_STEP void chain_outward(J& job, const BatchLink& link, F f, R r, Carrier<typename J::T>& from, const Out& out) {
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

// The three sweeps.  What one leaves for the next is in the store, so that a device can start them one by one.
template <class F, class J>
LIMBER_STEP void chain_motions(J& job) {
  Frame<typename J::T> frame;
  for (int i = 1; i < job.tables.bodies; ++i) {
    const BatchLink& link = job.link(i);
    with_chain<F>(link, [&](auto f, auto) LIMBER_LAMBDA { chain_motion(job, link, f, frame); });
  }
}
template <class F, class J>
LIMBER_STEP void chain_inwards(J& job) {
  for (int i = job.tables.bodies - 1; i > 0; --i) {
    const BatchLink& link = job.link(i);
    with_chain<F>(link, [&](auto f, auto r) LIMBER_LAMBDA { chain_inward(job, link, i, f, r); });
  }
}
// out.put(j, x): acceleration x of speed j.
template <class F, class J, class Out>
LIMBER_STEP void chain_outwards(J& job, const Out& out) {
  Carrier<typename J::T> carrier;
  clear<6>(carrier.a);
  for (int i = 1; i < job.tables.bodies; ++i) {
    const BatchLink& link = job.link(i);
    with_chain<F>(link, [&](auto f, auto r) LIMBER_LAMBDA { chain_outward(job, link, f, r, carrier, out); });
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
using LongBeamChain = Families<Size<4>, Size<4>, Size<2>>;

}  // namespace limber::LIMBER_BATCH_MACHINE
