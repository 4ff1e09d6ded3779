// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "beam_motion.hpp"

// Inward, a beam on one revolute joint, on processors: the steps of inward_beam (sweep.hpp) in another order, so that
// fewer numbers are written and read again.  A column of the elimination is made, eliminated and left before the next
// one; each block of the inertia is shifted, loses modes and hinge, and is rotated, before the next one is read.
namespace limber::LIMBER_BATCH_MACHINE {

// The body alone.  With the usual families B and C of its inertia have s and m alone: B[7], B[2], B[3] and C[0].
template <class T>
struct BeamAlone {
  Inertia<T> P;
  T own[2 * kBeamColumns], b[kBeamColumns];
  T lost[6];  // what modes that do not move the node take from the diagonal
  T B[9];     // of what the node carries, at the body's origin
};

// As beam_terms, in passes.  F, own: in memory.
template <class J, class T, class Fam>
LIMBER_KERNEL void sum_beam(const J& job, const BatchLink& link, Fam f, T* F, T* own, T* p_f, BodyTerms<T>& out) {
  BeamSums<T, Rows<T>> s;
  s.w = job.template view<kMotion>(link.motion, F), s.wd = s.w + 3, s.vd = s.w + 6;
  s.e = {job.q.at(link.qm), {}}, s.rate = {job.v.at(link.vm), {}};
  s.F = F, s.own = own, s.p_f = p_f;
  start_terms(job, link, out);
  copy<3>(out.s, s.s), copy<6>(out.J, s.J);
  add_modes<kShapePass>(job, link, f, s);
  copy<3>(s.s, out.s), copy<6>(s.J, out.J);
  read_again();
  clear<9>(s.N), clear<3>(s.s_rate);
  add_modes<kRatePass>(job, link, f, s);
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) s.w2[i] = s.w[i] + s.w[i];
  finish_sums(s, out);
  read_again();
  set_squares(s);
  add_modes<kForcePass>(job, link, f, s);
}

// Forces of the modes besides: external wrenches, elastic forces, those given.
template <class J, class T, class Fam>
LIMBER_RARE void load_beam(const J& job, const BatchLink& link, Fam f, T* scratch, T* b_f, T* p) {
  const auto n = f.count();
  Array<1, T, CountOf<Fam>> e(n, scratch), rate(n, scratch);
  read_modes(job, link, n, e.x, rate.x);
  subtract_loads(job, link, e.x, rate.x, b_f, p);
}

template <class J, class T, class Fam>
LIMBER_STEP void set_alone(const J& job, const BatchLink& link, Fam f, BeamAlone<T>& LIMBER_ALONE out) {
  T* scratch = job.scratch;
  const auto n = f.count();
  T *F = scratch, *own = F + 2 * n, *b_f = own + n;
  BodyTerms<T> terms;
  sum_beam(job, link, f, F, own, b_f, terms);
  copy<6>(terms.p, out.P.z);
  if (link.first_load < link.last_load) load_beam(job, link, f, b_f + n, b_f, out.P.z);
  const Rows<T> e = {job.q.at(link.qm), {}}, rate = {job.v.at(link.vm), {}};
  add_diagonal_elastic(job, link, n, e, rate, b_f);
  over(
      n, LIMBER_OVER(a) { b_f[a] -= job.u[link.vm + a]; });
  beam_columns(job, link, f, F, b_f, out.own, out.b);
  if constexpr (kIsUsual<Fam>) {
    copy<6>(terms.J, out.P.A);
    out.P.B[7] = terms.s[0], out.P.B[2] = terms.s[1], out.P.B[3] = terms.s[2], out.P.C[0] = terms.m;
  } else {
    T p[6];
    copy<6>(out.P.z, p);
    set_body(terms.m, terms.s, terms.J, out.P);
    copy<6>(p, out.P.z);
    beam_rest(job, link, f, F, b_f, out.own, out.b, out.lost, out.P);
  }
}

// Columns of the active coordinates at the node, one of them: g = P w of what the node carries, and w^T g of the
// columns up to it.
template <class T>
struct BeamTip {
  T a[9];             // turns
  double y[2], z[2];  // shifts
};
template <class A, class T>
LIMBER_KERNEL void read_tip(A head, const T* turn, BeamTip<T>& tip) {
  const T y = spread<T>(head[kBeamLy]), z = spread<T>(head[kBeamLz]), t = spread<T>(head[kBeamLt]);
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) {
    tip.a[i] = y * turn[3 * i + 2], tip.a[3 + i] = z * turn[3 * i + 1], tip.a[6 + i] = t * turn[3 * i];
  }
  tip.y[0] = head[kBeamLy + 1], tip.y[1] = head[kBeamLy + 2];
  tip.z[0] = head[kBeamLz + 1], tip.z[1] = head[kBeamLz + 2];
}
// w_c^T f.
template <class T>
LIMBER_KERNEL T along_tip(const BeamTip<T>& tip, int c, const T* f) {
  if (c == 0) return dot3(tip.a, f) + tip.y[0] * f[4];
  if (c == 1) return dot3(tip.a + 3, f) + tip.z[0] * f[5];
  if (c == 2) return dot3(tip.a + 6, f);
  return c == 3 ? tip.y[1] * f[4] : tip.z[1] * f[5];
}
// P w_c.
template <class T>
LIMBER_KERNEL void carry_tip(const BeamTip<T>& tip, int c, const Inertia<T>& P, T* g) {
  const T *B = P.B, *C = P.C;
  if (c < 3) apply_angular(P, tip.a + 3 * c, g);
  if (c == 2) return;
  const bool y = c % 3 == 0;
  const double shift = y ? tip.y[c / 3] : tip.z[c / 3];
  const T along[6] = {y ? B[1] : B[2], y ? B[4] : B[5], y ? B[7] : B[8],
                      y ? C[3] : C[4], y ? C[1] : C[5], y ? C[5] : C[2]};
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) g[i] = c < 3 ? g[i] + shift * along[i] : shift * along[i];
}

// Column c of the elimination less those before it.  D: its numbers on entry, the pivot in D[c] on return.
template <bool Tip, class T>
LIMBER_KERNEL void subtract_columns(int c, T* D, T* y, T& force, BeamColumns<T>& out) {
  over(
      Size<kBeamColumns>{}, LIMBER_OVER(i) {
        if (i >= c) return;
        if constexpr (Tip) {
          over(
              Size<kBeamColumns>{}, LIMBER_OVER(k) {
                if (k < i) D[i] -= out.D[kBeamColumns * k + i] * D[k];
              });
          const T L = D[i] * out.inverse[i];
          D[c] -= L * D[i];
          LIMBER_UNROLL
          for (int j = 0; j < 6; ++j) y[j] -= L * out.mu[6 * i + j];
          force -= L * out.b[i];
          out.D[kBeamColumns * i + c] = L;
        } else {
          out.D[kBeamColumns * i + c] = T{};
        }
      });
}

// The modes leave: y, b, L and inverses as of factor(); column by column.  Tip: something sits on the node.
template <bool Tip, class J, class T>
LIMBER_STEP void leave_modes(J& job, const BatchLink& link, const T* LIMBER_ALONE turn, const T* LIMBER_ALONE l,
                             const Inertia<T>& LIMBER_ALONE carried, const BeamAlone<T>& LIMBER_ALONE alone,
                             BeamColumns<T>& LIMBER_ALONE out) {
  constexpr Size<kBeamColumns> m{};
  const auto head = beam_head(job, link);
  BeamTip<T> tip;
  if constexpr (Tip) read_tip(head, turn, tip);
  auto good = T{} == T{};
  T margin[kBeamColumns];
  over(
      m, LIMBER_OVER(c) {
        T y[6], D[kBeamColumns], own[3], force = alone.b[c];
        beam_column(head, c, alone.own, own);
        if constexpr (Tip) {
          carry_tip(tip, c, carried, y);
          over(
              m, LIMBER_OVER(i) {
                if (i <= c) D[i] = along_tip(tip, i, y);
              });
          D[c] += 1.0;
          force += along_tip(tip, c, carried.z);
          add_cross(l, y + 3, y);
          add<3>(own, y);
          if (c != 2) y[3 + beam_axis(c)] += beam_S(head, c);
        } else {
          copy<3>(own, y), clear<3>(y + 3);
          if (c != 2) y[3 + beam_axis(c)] = spread<T>(beam_S(head, c));
        }
        const T before = D[c];
        subtract_columns<Tip>(c, D, y, force, out);
        const T inverse = Tip ? reciprocal(D[c]) : spread<T>(1.0);
        if constexpr (Tip) {
          margin[c] = D[c] - kNoInertia * before;
          good = good & (margin[c] > T{});
        }
        out.inverse[c] = inverse, out.b[c] = force;
        LIMBER_UNROLL
        for (int j = 0; j < 6; ++j) out.mu[6 * c + j] = y[j];
        read_again();
      });
  if constexpr (Tip) {
    if (__builtin_expect(any(good == 0), 0)) {
      T D[kBeamColumns * kBeamColumns], none[kBeamColumns];
      for (int c = 0; c < kBeamColumns; ++c) D[(kBeamColumns + 1) * c] = margin[c], none[c] = T{};
      note_failure(job, link, kBeamColumns, m, D, none);
    }
  }
}

// A hinge of one axis through the body's origin while it leaves.
template <class T>
struct AxisHinge {
  T h[3], y[6], b, inverse;
};
// P - y d^-1 y^T of one block, and the same of a wrench: one column.
template <class T>
LIMBER_KERNEL void leave_symmetric(const T* y, T inverse, T b, T* block, T* z) {
  const T u0 = inverse * y[0], u1 = inverse * y[1], u2 = inverse * y[2];
  block[0] -= u0 * y[0], block[3] -= u0 * y[1], block[4] -= u0 * y[2];
  block[1] -= u1 * y[1], block[5] -= u1 * y[2], block[2] -= u2 * y[2];
  z[0] -= u0 * b, z[1] -= u1 * b, z[2] -= u2 * b;
}
template <class T>
LIMBER_KERNEL void leave_square(const T* y, T inverse, T* block) {
  const T u0 = inverse * y[3], u1 = inverse * y[4], u2 = inverse * y[5];
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) block[3 * i] -= y[i] * u0, block[3 * i + 1] -= y[i] * u1, block[3 * i + 2] -= y[i] * u2;
}

// The hinge leaves the angular block.  diagonal: of the block with the modes.
template <class J, class T>
LIMBER_KERNEL void start_axis(J& job, const BatchLink& link, const T* diagonal, const T* A, const T* z,
                              AxisHinge<T>& out) {
  const T* h = out.h;
  apply_symmetric(A, h, out.y);
  const T pivot = dot3(out.y, h) + (link.armature[0] + link.added[0]);
  const T scale = diagonal[0] * (h[0] * h[0]) + diagonal[1] * (h[1] * h[1]) + diagonal[2] * (h[2] * h[2]);
  T b = dot3(z, h) - job.u[link.v];
  if (link.passive) b += link.damping[0] * job.v[link.v] + link.stiffness[0] * job.q[link.q];
  const T margin = pivot - kNoInertia * scale;
  if (__builtin_expect(any((margin > T{}) == 0), 0)) {
    const T at = margin, none = T{};
    note_failure(job, link, 0, Size<1>{}, &at, &none);
  }
  out.inverse = reciprocal(pivot), out.b = b;
  job.put(link.x, out.inverse * b);
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) job.put(link.Z + i, out.inverse * out.y[i]);
}

// B' = B + l~ C of shift().
template <class T>
LIMBER_KERNEL void shift_square(const T* l, const T* B, const T* C, T* out) {
  const T full[9] = {C[0], C[3], C[4], C[3], C[1], C[5], C[4], C[5], C[2]};
  LIMBER_UNROLL
  for (int j = 0; j < 3; ++j) {
    out[j] = B[j] + l[1] * full[6 + j] - l[2] * full[3 + j];
    out[3 + j] = B[3 + j] + l[2] * full[j] - l[0] * full[6 + j];
    out[6 + j] = B[6 + j] + l[0] * full[3 + j] - l[1] * full[j];
  }
}
// A' = A - B' l~ + (-B l~)^T.
template <class T>
LIMBER_KERNEL void shift_symmetric(const T* l, const T* B, const T* shifted, T* A) {
  const auto term = [&](const T* M, int row, int column) LIMBER_LAMBDA {  // (-M l~)(row, column)
    const int p = (column + 1) % 3, q = (column + 2) % 3;
    return M[3 * row + q] * l[p] - M[3 * row + p] * l[q];
  };
  A[0] += term(shifted, 0, 0) + term(B, 0, 0);
  A[1] += term(shifted, 1, 1) + term(B, 1, 1);
  A[2] += term(shifted, 2, 2) + term(B, 2, 2);
  A[3] += term(shifted, 0, 1) + term(B, 1, 0);
  A[4] += term(shifted, 0, 2) + term(B, 2, 0);
  A[5] += term(shifted, 1, 2) + term(B, 2, 1);
}
template <bool Usual, class T>
LIMBER_KERNEL void add_alone_square(const Inertia<T>& P, T* B) {
  if constexpr (Usual) {
    const T x = P.B[7], y = P.B[2], z = P.B[3];
    B[1] -= z, B[2] += y, B[3] += z, B[5] -= x, B[6] -= y, B[7] += x;
  } else {
    add<9>(P.B, B);
  }
}
template <bool Usual, class T>
LIMBER_KERNEL void add_alone_linear(const Inertia<T>& P, T* C) {
  C[0] += P.C[0], C[1] += P.C[Usual ? 0 : 1], C[2] += P.C[Usual ? 0 : 2];
  if constexpr (!Usual) C[3] += P.C[3], C[4] += P.C[4], C[5] += P.C[5];
}

// What the body hands over, in the basis of its parent, block by block.  hand: what its node carries, on entry.
template <bool Tip, bool Usual, class J, class T>
LIMBER_STEP void leave_body(J& job, const BatchLink& link, const T* LIMBER_ALONE l, const T* LIMBER_ALONE R,
                            BeamAlone<T>& LIMBER_ALONE alone, const BeamColumns<T>& LIMBER_ALONE c,
                            Inertia<T>& LIMBER_ALONE hand) {
  constexpr Size<kBeamColumns> m{};
  const T* y = c.mu;
  AxisHinge<T> hinge;
  T z[3];
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) hinge.h[i] = spread<T>(link.H[0][i]);
  if constexpr (Tip) {
    shift_square(l, hand.B, hand.C, alone.B);
  } else {
    clear<9>(alone.B);
  }
  read_again();
  {
    T A[6], diagonal[3];
    copy<6>(alone.P.A, A), copy<3>(alone.P.z, z);
    if constexpr (Tip) {
      add<6>(hand.A, A), add<3>(hand.z, z);
      shift_symmetric(l, hand.B, alone.B, A);
      add_cross(l, hand.z + 3, z);
    }
    LIMBER_UNROLL
    for (int i = 0; i < 3; ++i) diagonal[i] = Usual ? A[i] : A[i] + alone.lost[i];
    over(
        m, LIMBER_OVER(j) { leave_symmetric(y + 6 * j, c.inverse[j], c.b[j], A, z); });
    start_axis(job, link, diagonal, A, z, hinge);
    leave_symmetric(hinge.y, hinge.inverse, hinge.b, A, z);
    if (link.parent != 0) rotate_symmetric(R, A, hand.A);
  }
  read_again();
  T B[9];
  copy<9>(alone.B, B);
  add_alone_square<Usual>(alone.P, B);
  over(
      m, LIMBER_OVER(j) { leave_square(y + 6 * j, c.inverse[j], B); });
  turn_back(B, hinge.h, hinge.y + 3);
  LIMBER_UNROLL
  for (int i = 3; i < 6; ++i) job.put(link.Z + i, hinge.inverse * hinge.y[i]);
  if (link.parent == 0) return;
  leave_square(hinge.y, hinge.inverse, B);
  T M[9], C[6], force[3];
  multiply(R, B, M);
  multiply_transposed(M, R, hand.B);
  read_again();
  if constexpr (Tip) {
    copy<6>(hand.C, C), copy<3>(hand.z + 3, force);
  } else {
    clear<6>(C), clear<3>(force);
  }
  add_alone_linear<Usual>(alone.P, C);
  add<3>(alone.P.z + 3, force);
  over(
      m, LIMBER_OVER(j) { leave_symmetric(y + 6 * j + 3, c.inverse[j], c.b[j], C, force); });
  leave_symmetric(hinge.y + 3, hinge.inverse, hinge.b, C, force);
  rotate_symmetric(R, C, hand.C);
  turn(R, z, hand.z), turn(R, force, hand.z + 3);
}

// One body; hand: what the body after handed over, and what this one does.
template <bool Tip, class J, class Fam, class T>
LIMBER_KERNEL void leave_beam(J& job, const BatchLink& link, Fam f, const BatchNode& node, Inertia<T>& hand) {
  BeamAlone<T> alone;
  BeamColumns<T> buffer;
  auto& columns = *reinterpret_cast<BeamColumns<T>*>(job.place(link.columns, flat(buffer)));
  const auto at = [&](int place) LIMBER_LAMBDA { return job.template view<1>(place, flat(buffer)); };
  const T *turn = Tip ? at(node.A) : nullptr, *l = Tip ? at(node.l) : nullptr;
  set_alone(job, link, f, alone);
  leave_modes<Tip>(job, link, turn, l, hand, alone, columns);
  leave_body<Tip, kIsUsual<Fam>>(job, link, l, at(link.R), alone, columns, hand);
}

}  // namespace limber::LIMBER_BATCH_MACHINE
