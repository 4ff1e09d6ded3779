// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "beam_inward.hpp"
#include "beam_outward.hpp"

// Forward dynamics: three sweeps over the bodies.  theory §5.
namespace limber::LIMBER_BATCH_MACHINE {

// Usual sizes are constants of the compiled code, but where speed is not the point.
#ifdef LIMBER_BATCH_PLAIN
inline constexpr bool kConstantSizes = false;
#else
inline constexpr bool kConstantSizes = true;
#endif

template <class Kernel>
LIMBER_KERNEL void with_modes(int n, Kernel kernel) {
  if constexpr (kConstantSizes) {
    if (n == 0) return kernel(Size<0>{});
    if (n == 4) return kernel(Size<4>{});
    if (n == 5) return kernel(Size<5>{});
  }
  return kernel(n);
}
// And those of one elimination: modes, modal columns and hinge columns.
template <class Kernel>
LIMBER_KERNEL void with_columns(const BatchLink& link, Kernel kernel) {
  const int r = link.prescribed ? 0 : link.nr;
  if constexpr (kConstantSizes) {
    if (r == 1 && !link.mass_varies && link.inboard < 0) {
      if (link.n == 0) return kernel(Size<0>{}, Size<0>{}, Size<1>{});
      if (link.n == 4 && link.k == 4) return kernel(Size<4>{}, Size<4>{}, Size<1>{});
      if (link.n == 5 && link.k == 5) return kernel(Size<5>{}, Size<5>{}, Size<1>{});
      if (link.k == 5) return kernel(link.n, Size<5>{}, Size<1>{});
      if (link.k == 6) return kernel(link.n, Size<6>{}, Size<1>{});
    }
  }
  kernel(link.n, link.k, r);
}

// The families of a beam.
template <class Kernel>
LIMBER_KERNEL void with_families(const BatchLink& link, Kernel kernel) {
  const int* f = link.families;
  if (link.usual) return kernel(UsualFamilies{});
  if constexpr (kConstantSizes) {
    if (f[0] == 4 && f[1] == 4 && f[2] == 2) return kernel(LongFamilies{});
  }
  kernel(Families<int, int, int>{f[0], f[1], f[2]});
}

template <class Kernel>
LIMBER_KERNEL void with_beam(const BatchLink& link, Kernel kernel) {
  const int r = link.prescribed ? 0 : link.nr;
  with_families(link, [&](auto f) LIMBER_LAMBDA {
    if constexpr (kConstantSizes) {
      if (r == 1) return kernel(f, Size<1>{});
    }
    kernel(f, r);
  });
}

// What the body's motion does alone: inertia with the bias wrench, F (3 per mode) or, with products, mu (6 per mode),
// and b = p_f + K eta + D etadot - u.
template <class J, class T, class N>
LIMBER_STEP void start_body(const J& job, const BatchLink& link, N n, T* e, T* rate, T* F, T* b, Inertia<T>& P) {
  Motion<T> m;
  BodyTerms<T> terms;
  job.template get<kMotion>(link.motion, flat(m));
  contract(job, link, n, e, rate, m.w, m.wd, m.vd, F, b, terms);
  set_body(terms.m, terms.s, terms.J, P);
  copy<6>(terms.p, P.z);
}
// The same with products of modes: columns of all shapes, projected.
template <class J, class T>
LIMBER_RARE void start_stiffened(const J& job, const BatchLink& link, T* e, T* rate, T* mu, T* b, T* scratch,
                                 Inertia<T>& P) {
  read_products(job, link, e, rate);
  T* F = scratch;
  start_body(job, link, link.ne, e, rate, F, b, P);
  const auto S = job.numbers(link.S);
  for (int a = 0; a < link.ne; ++a) copy<3>(F + 3 * a, mu + 6 * a), copy<3>(S + 3 * a, mu + 6 * a + 3);
  project_products(job, link, e, rate, mu, b, P.z);
}

// What the body's frame carries, which moves with it: handed over by the body that follows, or kept.
template <class J, class T>
LIMBER_STEP void add_rigidly_carried(const J& job, const BatchLink& link, int i, const Inertia<T>& hand,
                                     Inertia<T>& P) {
  if (link.followed && job.link(i + 1).node < 0) return add(hand, P);
  if (link.inertia < 0) return;
  Inertia<T> carried;
  job.template get<kInertia>(link.inertia, flat(carried));
  add(carried, P);
}
// And what its moving nodes carry.
template <class J, class T, class K, class M>
LIMBER_STEP void collect_carried(const J& job, const BatchLink& link, K k, M m, const T* e, T* scratch, T* mu, T* b,
                                 T* D, const Inertia<T>& hand, Inertia<T>& P) {
  Array<6, T, std::remove_const_t<decltype(k)>> W(k, scratch);
  for (int h = link.first_node; h < link.last_node; ++h) {
    node_columns(job, link, job.node(h), k, e, W.x);
    if (link.followed) {
      collect(hand, k, m, W.x, mu, b, D, P);
    } else {
      Inertia<T> carried;
      job.template get<kInertia>(job.node(h).inertia, flat(carried));
      collect(carried, k, m, W.x, mu, b, D, P);
    }
  }
}

// To the parent's origin or to its node, in its basis.  pass_on: it has this basis.
template <class J, class T>
LIMBER_KERNEL void pass_on(const J& job, const BatchLink& link, Inertia<T>& hand) {
  T r[3];
  if (!link.on_node) shift(job.template view<3>(link.r, r), hand);
  if (link.follows) return;
  const int into = link.node >= 0 ? job.node(link.node).inertia : job.link(link.parent).inertia;
  if (!link.opens) {
    Inertia<T> others;
    job.template get<kInertia>(into, flat(others));
    add(others, hand);
  }
  job.template put<kInertia>(into, flat(hand));
}
template <class J, class T>
LIMBER_STEP void hand_over(const J& job, const BatchLink& link, const Inertia<T>& P, Inertia<T>& hand) {
  if (link.parent == 0) return;
  T R[9];
  rotate(job.template view<9>(link.R, R), P, hand);
  pass_on(job, link, hand);
}

// A prescribed hinge: P and z of its joint side are kept; the parent feels z + P H betadot.
template <class J, class T>
LIMBER_RARE void prescribe(const J& job, const BatchLink& link, Inertia<T>& P) {
  job.template put<kInertia>(link.joint, flat(P));
  T a[6] = {}, f[6];
  for (int k = 0; k < link.nr; ++k) {
    for (int i = 0; i < 6; ++i)
      a[i] += (link.hinge >= 0 ? job.get(link.hinge + 6 * k + i) : spread<T>(link.H[k][i])) * job.given[link.v + k];
  }
  apply(P, a, f);
  add<6>(f, P.z);
}

// The elimination of one body; e, F and b_f of its modes.
template <class J, class T, class N, class K, class R>
LIMBER_STEP void eliminate(J& job, const BatchLink& link, int i, N n, K k, R r, T* scratch, const T* e, const T* F,
                           const T* b_f, Inertia<T>& P, Inertia<T>& hand) {
  const auto m = sum_of(k, r);
  Array<6, T, std::remove_const_t<decltype(m)>> mu(m, scratch);
  Array<1, T, std::remove_const_t<decltype(m)>> b(m, scratch);
  Square<T, std::remove_const_t<decltype(m)>> D(m, scratch);
  Array<1, T, std::remove_const_t<decltype(m)>> scale(m, scratch);
  Array<1, T, std::remove_const_t<decltype(m)>> inverse(m, scratch);
  Array<6, T, std::remove_const_t<decltype(m)>> u(m, scratch);
  T lost[6] = {};
  start_mass(job, link, k, m, e, scratch, D.x);
  if (link.active) {
    activate(job, link, n, k, F, b_f, mu.x, b.x, P, lost);
  } else {
    const auto S = job.numbers(link.S);
    over(
        k, LIMBER_OVER(j) {
          b[j] = b_f[j];
          if constexpr (!kIsConstant<K>) {
            if (link.mass_varies) return copy<6>(F + 6 * j, mu.x + 6 * j);
          }
          copy<3>(F + 3 * j, mu.x + 6 * j);
          copy<3>(S + 3 * j, mu.x + 6 * j + 3);
        });
  }
  over(
      k, LIMBER_OVER(j) { scale[j] = D[j * m + j]; });
  add_rigidly_carried(job, link, i, hand, P);
  if (link.inboard >= 0) collect_inboard(job, link, m, scratch, mu.x, b.x, D.x, P);
  collect_carried(job, link, k, m, e, scratch, mu.x, b.x, D.x, hand, P);
  over(
      k, LIMBER_OVER(j) { scale[j] = kNoInertia * larger(scale[j], D[j * m + j]); });
  const T diagonal[6] = {P.A[0] + lost[0], P.A[1] + lost[1], P.A[2] + lost[2],
                         P.C[0] + lost[3], P.C[1] + lost[4], P.C[2] + lost[5]};
  collect_hinge(job, link, k, r, m, diagonal, mu.x, b.x, D.x, scale.x, P);
  factor(job, link, k, m, D.x, mu.x, b.x, u.x, inverse.x, scale.x);
  subtract_all(m, static_cast<const T*>(u.x), mu.x, b.x, P);
  keep_solution(job, link.Z, link.x, m, D.x, inverse.x, u.x, b.x);
  if (link.prescribed) prescribe(job, link, P);
  hand_over(job, link, P, hand);
}

// The hinge of a body whose modes have left.  diagonal: of the inertia with the modes.
template <class J, class T, class R>
LIMBER_KERNEL void eliminate_hinge(J& job, const BatchLink& link, R r, T* scratch, const T* diagonal, Inertia<T>& P) {
  if constexpr (kIsConstant<R>) {
    if (link.centred) return eliminate_axis(job, link, job.u[link.v], diagonal, P);
  }
  Array<6, T, R> mu(r, scratch), u(r, scratch);
  Array<1, T, R> b(r, scratch), scale(r, scratch), inverse(r, scratch);
  Square<T, R> D(r, scratch);
  collect_hinge(job, link, Size<0>{}, r, r, diagonal, mu.x, b.x, D.x, scale.x, P);
  factor(job, link, 0, r, D.x, mu.x, b.x, u.x, inverse.x, scale.x);
  subtract_all(r, static_cast<const T*>(u.x), mu.x, b.x, P);
  keep_solution(job, link.Z, link.x, r, D.x, inverse.x, u.x, b.x);
}

// beam_inward.hpp applies.
template <class J>
LIMBER_KERNEL bool leaves_by_blocks(const J& job, const BatchLink& link, int i) {
  return link.centred && !link.prescribed && link.inertia < 0 && !(link.followed && job.link(i + 1).node < 0);
}
template <class J, class F>
LIMBER_STEP void inward_by_blocks(J& job, const BatchLink& link, F f, Inertia<typename J::T>& hand) {
  if (link.first_node < link.last_node) {
    const BatchNode& node = job.node(link.first_node);
    if (!link.followed) job.template get<kInertia>(node.inertia, flat(hand));
    leave_beam<true>(job, link, f, node, hand);
  } else {
    leave_beam<false>(job, link, f, job.node(0), hand);
  }
  if (link.parent != 0) pass_on(job, link, hand);
}

// Inward, one beam.
template <class J, class F, class R>
LIMBER_STEP void inward_beam(J& job, const BatchLink& link, int i, F f, R r, Inertia<typename J::T>& hand) {
  using T = typename J::T;
  T* scratch = job.scratch;
  const auto n = f.count();
  Inertia<T> P;
  BeamColumns<T> buffer;
  BeamColumns<T>& columns = *reinterpret_cast<BeamColumns<T>*>(job.place(link.columns, flat(buffer)));
  T diagonal[6];
  if (link.first_node < link.last_node) {
    const BatchNode& node = job.node(link.first_node);
    T A[9], l[3];
    if (!link.followed) job.template get<kInertia>(node.inertia, flat(hand));
    const T* at = job.template view<3>(node.l, l);
    collect_beam(job, link, job.template view<9>(node.A, A), at, hand, columns);
    copy(hand, P);
    shift(at, P);
  } else {
    start_alone(columns);
    clear(P);
  }
  {
    Array<1, T, CountOf<F>> e(n, scratch), rate(n, scratch);
    read_modes(job, link, n, e.x, rate.x);
    T own[2 * kBeamColumns], b[kBeamColumns];
    beam_alone<true>(job, link, f, scratch, e.x, rate.x, own, b, diagonal, P);
    add_columns(beam_head(job, link), own, b, columns);
  }
  add_rigidly_carried(job, link, i, hand, P);
  condense_beam(job, link, columns, diagonal, P);
  eliminate_hinge(job, link, r, scratch, diagonal, P);
  if (link.prescribed) prescribe(job, link, P);
  hand_over(job, link, P, hand);
}

// Inward, one body.
template <class J, class N, class K, class R>
LIMBER_STEP void inward_body(J& job, const BatchLink& link, int i, N n, K k, R r, Inertia<typename J::T>& hand) {
  using T = typename J::T;
  T* scratch = job.scratch;
  Inertia<T> P;
  if constexpr (!kIsConstant<K>) {
    if (link.mass_varies) {
      Array<1, T, int> e(link.ne, scratch);
      Array<1, T, int> rate(link.ne, scratch);
      Array<1, T, int> b(link.ne, scratch);
      Array<6, T, int> mu(link.ne, scratch);
      read_modes(job, link, link.n, e.x, rate.x);
      start_stiffened(job, link, e.x, rate.x, mu.x, b.x, scratch, P);
      finish_forces(job, link, link.n, e.x, rate.x, b.x, P);
      eliminate(job, link, i, link.n, k, r, scratch, e.x, mu.x, b.x, P, hand);
      return;
    }
  }
  Array<1, T, std::remove_const_t<decltype(n)>> e(n, scratch);
  Array<1, T, std::remove_const_t<decltype(n)>> rate(n, scratch);
  Array<1, T, std::remove_const_t<decltype(n)>> b(n, scratch);
  Array<3, T, std::remove_const_t<decltype(n)>> F(n, scratch);
  read_modes(job, link, n, e.x, rate.x);
  start_body(job, link, n, e.x, rate.x, F.x, b.x, P);
  finish_forces(job, link, n, e.x, rate.x, b.x, P);
  if (link.active) {
    for (int a = 0; a < 3 * n; ++a) job.put(link.F + a, F[a]);
    for (int a = 0; a < n; ++a) job.put(link.b + a, b[a]);
  }
  eliminate(job, link, i, n, k, r, scratch, e.x, F.x, b.x, P, hand);
}

// All modes out of the active ones and the acceleration of the frame.
//   r = b + mu^T a      etaddot = T (x + T^T r) - Lambda r
template <class J, class T, class K>
LIMBER_RARE void expand(const J& job, const BatchLink& link, K k, const T* x, const T* a, T* r, const OutRows<T>& out) {
  const int n = link.n;
  const auto Q = job.numbers(link.T), weight = job.numbers(link.weight), S = job.numbers(link.S);
  for (int c = 0; c < n; ++c) {
    r[c] = job.get(link.b + c) + dot3(S + 3 * c, a + 3);
    for (int i = 0; i < 3; ++i) r[c] += job.get(link.F + 3 * c + i) * a[i];
    r[n + c] = -weight[c] * r[c];
  }
  for (int j = 0; j < k; ++j) {
    T along = x[j];
    for (int c = 0; c < n; ++c) along += Q[j * n + c] * r[c];
    for (int c = 0; c < n; ++c) r[n + c] += Q[j * n + c] * along;
  }
  for (int c = 0; c < n; ++c) out.put(link.vm + c, r[n + c]);
}

// The torque that a prescribed joint needs: H^T (P a + z) with its armature, spring and damper.
template <class J, class T>
LIMBER_RARE void needed_torque(const J& job, const BatchLink& link, const T* a, const OutRows<T>& out) {
  Inertia<T> P;
  T f[6], force[6];
  job.template get<kInertia>(link.joint, flat(P));
  apply(P, a, f);
  add<6>(P.z, f);
  passive_force(job, link, force);
  for (int k = 0; k < link.nr; ++k) {
    T tau = link.armature[k] * job.given[link.v + k] + force[k];
    for (int i = 0; i < 6; ++i)
      tau += (link.hinge >= 0 ? job.get(link.hinge + 6 * k + i) : spread<T>(link.H[k][i])) * f[i];
    out.put(link.v + k, tau);
  }
}

template <class J, class T>
LIMBER_KERNEL void read_acceleration(const J& job, const BatchLink& link, T* a) {
  if (link.follows) return;
  if (link.parent == 0) return clear<6>(a);
  job.template get<6>(link.node >= 0 ? job.node(link.node).a : job.link(link.parent).a, a);
}

// H x of the hinge.
template <class J, class T>
LIMBER_KERNEL void add_hinge(const J& job, const BatchLink& link, int j, T x, T* a) {
  if (link.centred) return add_times<3>(link.H[0], x, a);
  if (link.hinge < 0) return add_times<6>(link.H[j], x, a);
  T h[6];
  job.template get<6>(link.hinge + 6 * j, h);
  add_times<6>(h, x, a);
}

// Outward, the joint; a: acceleration of the inboard frame, b: of the body's.  x: of the k modal columns, then of the
// hinge.
template <class J, class T, class M, class R>
LIMBER_KERNEL void outward_joint(J& job, const BatchLink& link, int k, M m, R r, T* a, T* b, T* x,
                                 const OutRows<T>& out) {
  T turned[9], l[3], t[3];
  read_acceleration(job, link, a);
  const T* R_body = job.template view<9>(link.R, turned);
  copy<3>(a + 3, t);
  if (!link.on_node) add_cross(a, job.template view<3>(link.r, l), t);
  turn_back(R_body, a, b), turn_back(R_body, t, b + 3);
  for (int j = 0; link.prescribed && j < link.nr; ++j) add_hinge(job, link, j, job.given[link.v + j], b);
  if (link.prescribed) needed_torque(job, link, b, job.needed);
  over(
      m, LIMBER_OVER(j) {
        T buffer[6];
        const T* Z = job.template view<6>(link.Z + 6 * j, buffer);
        x[j] = -((job.get(link.x + j) + dot3(Z, b)) + dot3(Z + 3, b + 3));
      });
  over(
      r, LIMBER_OVER(j) {
        out.put(link.v + j, x[k + j]);
        add_hinge(job, link, j, x[k + j], b);
      });
  for (int j = 0; link.prescribed && j < link.nr; ++j) out.put(link.v + j, job.given[link.v + j]);
}

// Outward, one body; a: acceleration of the inboard frame, then of what the next body follows.
template <class J, class K, class R>
LIMBER_STEP void outward_body(J& job, const BatchLink& link, int i, K k, R r, typename J::T* a,
                              const OutRows<typename J::T>& out) {
  using T = typename J::T;
  T* scratch = job.scratch;
  const auto m = sum_of(k, r);
  Array<1, T, std::remove_const_t<decltype(m)>> x(m, scratch);
  T b[6];
  outward_joint(job, link, k, m, r, a, b, x.x, out);
  for (int h = link.first_node; h < link.last_node; ++h) {
    copy<6>(b, a);
    over(
        k, LIMBER_OVER(j) {
          T W[6];
          job.template get<6>(job.node(h).W + 6 * j, W);
          add_times<6>(W, x[j], a);
        });
    if (link.keeps) job.template put<6>(job.node(h).a, a);
  }
  for (int j = 0; link.inboard >= 0 && j < link.n; ++j) {
    T U[6];
    job.template get<6>(link.U + 6 * j, U);
    add_times<6>(U, x[j], b);
  }
  if (link.keeps) job.template put<6>(link.a, b);
  if (link.followed && job.link(i + 1).node < 0) copy<6>(b, a);
  if (link.active) return expand(job, link, k, x.x, b, scratch, out);
  over(
      k, LIMBER_OVER(j) { out.put(link.vm + j, x[j]); });
}

// The same, one beam.
template <class J, class F, class R>
LIMBER_STEP void outward_beam_body(J& job, const BatchLink& link, int i, F f, R r, typename J::T* a,
                                   const OutRows<typename J::T>& out) {
  using T = typename J::T;
  T* scratch = job.scratch;
  Array<1, T, R> x(r, scratch);
  T b[6], A[9], l[3];
  outward_joint(job, link, 0, r, r, a, b, x.x, out);
  const bool moves = link.first_node < link.last_node;
  const BatchNode& node = job.node(moves ? link.first_node : 0);
  T modes[kBeamColumns];
  solve_beam(job, link, b, modes);
  if (moves) move_by_modes(job, link, b, job.template view<9>(node.A, A), job.template view<3>(node.l, l), modes, a);
  expand_beam(job, link, f, modes, b, scratch, StoredColumns<J>{job, link}, out);
  if (link.keeps && moves) job.template put<6>(job.node(link.first_node).a, a);
  if (link.keeps) job.template put<6>(link.a, b);
  if (link.followed && job.link(i + 1).node < 0) copy<6>(b, a);
}

// All bodies.  A body's sizes choose its code.
template <class J>
LIMBER_RARE void forward_dynamics(J& job, const OutRows<typename J::T>& out) {
  using T = typename J::T;
  Frame<T> frame;
  for (int i = 1; i < job.tables.bodies; ++i) {
    const BatchLink& link = job.link(i);
    if (link.beam >= 0) {
      with_families(link, [&](auto f) LIMBER_LAMBDA {
        if constexpr (kStoreIsNear && kConstantSizes) {
          if (link.centred) return move_beam(job, link, f, frame);
        }
        move_body<false>(job, link, f.count(), BeamNode<decltype(f)>{f}, frame);
      });
      continue;
    }
    with_modes(
        link.n, LIMBER_OVER(n) { move_body<false>(job, link, n, AnyNode{}, frame); });
  }
  Inertia<T> hand;
  for (int i = job.tables.bodies - 1; i > 0; --i) {
    const BatchLink& link = job.link(i);
    if (link.beam >= 0) {
      with_beam(link, [&](auto f, auto r) LIMBER_LAMBDA {
        if constexpr (kStoreIsNear && kIsConstant<decltype(r)>) {
          if (leaves_by_blocks(job, link, i)) return inward_by_blocks(job, link, f, hand);
        }
        inward_beam(job, link, i, f, r, hand);
      });
      continue;
    }
    with_columns(link, [&](auto n, auto k, auto r) LIMBER_LAMBDA { inward_body(job, link, i, n, k, r, hand); });
  }
  T a[6];
  for (int i = 1; i < job.tables.bodies; ++i) {
    const BatchLink& link = job.link(i);
    if (link.beam >= 0) {
      with_beam(link, [&](auto f, auto r) LIMBER_LAMBDA { outward_beam_body(job, link, i, f, r, a, out); });
      continue;
    }
    with_columns(link, [&](auto, auto k, auto r) LIMBER_LAMBDA { outward_body(job, link, i, k, r, a, out); });
  }
}

}  // namespace limber::LIMBER_BATCH_MACHINE
