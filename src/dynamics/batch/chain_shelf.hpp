// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweep.hpp"

// Where a chain's kernels (chain.hpp) put numbers aside, and which numbers of a body come there while another one is
// worked on.
namespace limber::LIMBER_BATCH_MACHINE {

// Places on the shelf; what comes from the store at even ones.
template <class F>
struct ShelfOf {
  static constexpr int kModes = CountOf<F>::value;
  // outward, motion: (1, 1, n, n, n)
  static constexpr int kAngle = 0, kSpeed = 1, kShape = 2, kRate = kShape + kModes, kPush = kRate + kModes;
  static constexpr int kMotionCount = kPush + kModes;
  // inward: (27) what the body after hands over, (9, 3) A and l of the node, (3) diagonal once the modes have left
  static constexpr int kHand = 0, kNode = even(kHand + kInertia), kDiagonal = kNode;
  // (n) e, the angle of the body after, (6) p, (n) b_f, the torque of the hinge
  static constexpr int kOwn = kNode + (kModes > 0 ? 12 : 0), kAfter = kOwn + kModes;
  static constexpr int kWrench = even(kAfter + 1), kForces = kWrench + 6;
  static constexpr int kTorque = kForces + kModes, kInwardCount = kTorque + 1;
  // outward: the angle, (30, 5) Z and x of the modes, x and (6) Z of the hinge, (n) e, (n) b_f of modes that move no
  // node
  static constexpr int kColumns = even(kAngle + 1), kActive = kColumns + (kModes > 0 ? 6 * kBeamColumns : 0);
  static constexpr int kHingeX = kActive + (kModes > 0 ? kBeamColumns : 0), kHinge = even(kHingeX + 1);
  static constexpr int kBent = kHinge + 6, kLeft = even(kBent + kModes);
  static constexpr int kOutwardCount = kLeft + kModes;
  static constexpr int kCounts[3] = {even(kMotionCount), even(kInwardCount), even(kOutwardCount)};  // of each sweep
};

// Numbers of a body on their way to the shelf: n rows, or n numbers of the store.
template <class J, class N>
LIMBER_KERNEL void fetch_rows(const J& job, int to, const Rows<typename J::T>& rows, int first, N n) {
  over(
      n, LIMBER_OVER(k) { job.shelf.fetch(to + k, rows.at(first + k)); });
}
template <int N, class J>
LIMBER_KERNEL void fetch_stored(const J& job, int to, long even) {
  by_pairs<N>(
      job.store, 0, [&](const double*, int k) LIMBER_LAMBDA { job.shelf.fetch_pair(to + k, job.at(even, k)); },
      [&](const double*, int k) LIMBER_LAMBDA { job.shelf.fetch(to + k, job.at(even, k)); });
}

// For motion.
template <class F, class J>
LIMBER_KERNEL void fetch_motion(const J& job, const BatchLink& link) {
  using At = ShelfOf<F>;
  constexpr CountOf<F> n;
  if (link.nr == 1) job.shelf.fetch(At::kAngle, job.q.at(link.q)), job.shelf.fetch(At::kSpeed, job.v.at(link.v));
  if (n == 0 || link.n == 0) return;
  fetch_rows(job, At::kShape, job.q, link.qm, n);
  fetch_rows(job, At::kRate, job.v, link.vm, n);
  fetch_rows(job, At::kPush, job.u, link.vm, n);
}

// For the inward sweep: what a body needs first, its shape, and what it needs last.
template <class F, class J>
LIMBER_KERNEL void fetch_shape(const J& job, int i) {
  using At = ShelfOf<F>;
  constexpr CountOf<F> n;
  const BatchLink& link = job.link(i);
  if (link.followed && job.link(i + 1).nr == 1) job.shelf.fetch(At::kAfter, job.q.at(job.link(i + 1).q));
  if (n > 0 && link.n > 0) {
    fetch_rows(job, At::kOwn, job.q, link.qm, n);
    fetch_stored<n>(job, At::kForces, link.motion + 6);
  }
  job.shelf.close();
}
template <class F, class J>
LIMBER_KERNEL void fetch_forces(const J& job, int i) {
  using At = ShelfOf<F>;
  const BatchLink& link = job.link(i);
  fetch_stored<6>(job, At::kWrench, link.motion);
  if (link.nr == 1) job.shelf.fetch(At::kTorque, job.u.at(link.v));
  job.shelf.close();
}

// For accelerations.  Of the first body keep_first has left less; what carries nothing has left its forces alone.
template <class F, class J>
LIMBER_KERNEL void fetch_outward(const J& job, int i) {
  using At = ShelfOf<F>;
  constexpr CountOf<F> n;
  const BatchLink& link = job.link(i);
  const bool first = i == 1, last = link.first_node == link.last_node;
  if (link.nr == 1) {
    job.shelf.fetch(At::kAngle, job.q.at(link.q));
    job.shelf.fetch(At::kHingeX, job.at(link.x));
    if (!first) fetch_stored<6>(job, At::kHinge, link.Z);
  }
  if (n == 0 || link.n == 0) return;
  if (first) {
    fetch_stored<kBeamColumns>(job, At::kColumns, link.columns);
  } else if (!last) {
    fetch_stored<6 * kBeamColumns>(job, At::kColumns, link.columns);
  }
  if (first || !last) fetch_stored<kBeamColumns>(job, At::kActive, link.columns + 6 * kBeamColumns);
  fetch_rows(job, At::kBent, job.q, link.qm, n);
  if (!kIsUsual<F> || last) fetch_stored<n>(job, At::kLeft, link.motion + 6);
}

}  // namespace limber::LIMBER_BATCH_MACHINE
