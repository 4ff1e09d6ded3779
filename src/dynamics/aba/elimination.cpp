// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "elimination.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {
namespace {

// ---- sizes --------------------------------------------------------------------------------------------
// Kernels are compiled for common sizes: K mode columns, the last Moving of which rotate no attachment, R hinge
// columns, C outboard attachments; -1: any number.  Pivot: revolute hinge with its axis through the body's origin.

template <int N>
LIMBER_INLINE auto size_of(int n) {
  if constexpr (N >= 0) {
    return Size<N>{};
  } else {
    return n;
  }
}
template <int K, int R>
LIMBER_INLINE auto total(Size<K>, Size<R>) {
  return Size<K + R>{};
}
LIMBER_INLINE int total(int k, int r) { return k + r; }
template <int M>
LIMBER_INLINE auto chunk_count(Size<M>, int) {
  return Size<lanes_for(M)>{};
}
LIMBER_INLINE int chunk_count(int, int chunks) { return chunks; }

// f(0) + f(1) + ...
template <int N, typename Term>
LIMBER_INLINE Vec4d sum_of(Size<N>, Term term) {
  if constexpr (N == 0) return zero();
  if constexpr (N == 1) return term(Size<0>{});
  if constexpr (N > 1) return sum_of(Size<N - 1>{}, term) + term(Size<N - 1>{});
}
template <typename Term>
LIMBER_INLINE Vec4d sum_of(int n, Term term) {
  Vec4d sum = zero();
  for (int h = 0; h < n; ++h) sum += term(h);
  return sum;
}

// A column of D: in registers if its size is fixed, otherwise in memory.
template <int C>
struct RegisterColumn {
  Vec4d chunk[C];
  Vec4d& operator[](int c) { return chunk[c]; }
  void put(Vec4d* memory) {
    for_each(
        Size<C>{}, LIMBER_EACH(c) { memory[c] = chunk[c]; });
  }
};
struct MemoryColumn {
  Vec4d* chunk;
  Vec4d& operator[](int c) { return chunk[c]; }
  void put(Vec4d*) {}
};
template <int C>
LIMBER_INLINE RegisterColumn<C> make_column(Size<C>, Vec4d*) {
  return {};
}
LIMBER_INLINE MemoryColumn make_column(int, Vec4d* memory) { return {memory}; }

// ---- inward -------------------------------------------------------------------------------------------

// `turns`, `moves`: false if the angular or linear part of a is zero.
LIMBER_INLINE Vec4d products(const Spatial& a, const Spatial& b, bool turns = true, bool moves = true) {
  if (!moves) return a.ang * b.ang;
  if (!turns) return a.lin * b.lin;
  return a.ang * b.ang + a.lin * b.lin;
}

LIMBER_INLINE const Spatial* columns_of(const BodyStep& step, int h, const AbaData& ws) {
  return h < 2 ? step.W[h] : &ws.W[step.outboard[h].columns];
}
LIMBER_INLINE const Spatial* kept_columns(const BodyStep& step, int h, const AbaData& ws) {
  return h < 2 ? step.kept_W[h] : &ws.W[step.outboard[h].columns];
}

// Left-looking factorisation D = L d L^T by columns, with y = L^-1 mu^T.
template <typename M, typename Chunks>
struct Factor {
  M m;
  Chunks chunks;
  Vec4d *D, *L;
  double* d_inverse;
  Spatial* y;
  int failure = -1;

  // Adds unknown j: its column of D and its mu.  A pivot not above `none` is a failure; a pivot below `least`, its
  // exact lower bound, is replaced by it.
  template <typename J, typename Column>
  LIMBER_INLINE void add(J j, Column& column, Spatial y_j, double none, double least) {
    for_each(
        j, LIMBER_EACH(k) {
          const Vec4d l = spread(reinterpret_cast<const double*>(L + k * chunks)[j]);
          for_each(
              chunks, LIMBER_EACH(c) {
                if (c >= j / kLanes) column[c] -= l * D[k * chunks + c];
              });
          y_j = {y_j.ang - l * y[k].ang, y_j.lin - l * y[k].lin};
        });
    y[j] = y_j;
    const double raw = column[j / kLanes][j % kLanes];
    const double pivot = raw < least ? least : raw;  // keeps NaN
    if (__builtin_expect(!(pivot > none), 0)) failure = failure < 0 ? int{j} : failure;
    d_inverse[j] = 1 / pivot;
    if (j + 1 == m) return;
    column.put(D + j * chunks);
    const Vec4d inverse = spread(d_inverse[j]);
    for_each(
        chunks, LIMBER_EACH(c) {
          if (c >= j / kLanes) L[j * chunks + c] = column[c] * inverse;
        });
  }
};

// Eliminates the modes.
//   mu = mu_0 + M U + sum Gamma W      D = D_0 + sum W^T (Gamma W) + U^T (mu_0 + M U) + mu_0^T U      below: H^T mu
template <int Moving, bool Pivot, typename K, typename R, typename C, typename Factors>
LIMBER_INLINE void eliminate_mode_columns(K k, R r, C carrying, const BodyStep& step, AbaData& ws, Factors& f) {
  const Inertia& M = *step.P;
  constexpr bool kAny = std::is_same_v<C, int>;
  const Spatial* U = kAny ? step.U : nullptr;
  Spatial* g = ws.g.data();
  Spatial g_one;
  Block Bt{};
  if (U != nullptr) Bt = transpose(M.B);
  const auto turns = [&](int column) __attribute__((always_inline)) { return column < k - Moving; };
  for_each(
      k, LIMBER_EACH(j) {
        Spatial m = step.mu[j];
        if (U != nullptr) m += times(M, Bt, U[j]);
        const Spatial without_load = m;
        for_each(
            carrying, LIMBER_EACH(h) {
              const CarriedInertia& carried = step.carried[h];
              Spatial& g_h = kAny ? g[h] : g_one;
              g_h = times(carried.Gamma, carried.Bt, columns_of(step, h, ws)[j], turns(j));
              m += g_h;
            });
        const auto term = [&](int row) __attribute__((always_inline)) {
          if (row < j) return zero();
          if (row >= k) return row < k + r ? products(step.H[row - k], m, true, !Pivot) : zero();
          const Vec4d sum = sum_of(
              carrying,
              LIMBER_EACH(h) { return products(columns_of(step, h, ws)[row], kAny ? g[h] : g_one, turns(row)); });
          return U != nullptr ? sum + products(U[row], without_load) + products(step.mu[row], U[j]) : sum;
        };
        auto column = make_column(f.chunks, f.D + j * f.chunks);
        const Vec4d* D_0 = step.D_0 + j * f.chunks;
        for_each(
            f.chunks, LIMBER_EACH(c) {
              if (c < j / kLanes) return;
              const int row = c * kLanes;
              column[c] = D_0[c] + sums(term(row), term(row + 1), term(row + 2), term(row + 3));
            });
        const double alone = reinterpret_cast<const double*>(D_0)[j], raw = column[j / kLanes][j % kLanes];
        f.add(j, column, m, (U != nullptr ? std::max(alone, raw) : raw) * step.no_mode, alone * step.bounded);
      });
}

// Scale of rounding errors in h^T P h.
template <bool Pivot = false>
LIMBER_INLINE double hinge_scale(const Inertia& P, const BodyStep& step, const AbaData& ws, const Spatial& h) {
  const double scale = Pivot ? sum(diagonal(P.A) * h.ang * h.ang) : inertia_scale(diagonal(P), h);
  if (!step.active) return scale;
  const ActiveModes& active = ws.active[step.i];
  return scale + active.lost_ang * dot(h.ang, h.ang) + (Pivot ? 0 : active.lost_lin * dot(h.lin, h.lin));
}

// Eliminates the hinge: mu = P H, D = D_0 + H^T mu.  `least` > 0: lower bound of the pivot of a single hinge, used if
// rounding errors of the load exceed it.
template <bool Pivot, typename K, typename R, typename Factors>
LIMBER_INLINE void eliminate_hinge_columns(K k, R r, const BodyStep& step, const Inertia& P, double least,
                                           const AbaData& ws, Factors& f) {
  const Block Bt = transpose(P.B);
  for_each(
      r, LIMBER_EACH(s) {
        const auto j = total(k, s);
        Spatial m = times(P, Bt, step.H[s], true, !Pivot);
        const double scale = hinge_scale<Pivot>(P, step, ws, step.H[s]);
        m.ang += with_last(zero(), spread(step.b[s]));
        auto column = make_column(f.chunks, f.D + j * f.chunks);
        const Vec4d* D_0 = step.D_0 + j * f.chunks;
        const auto term = [&](int row) __attribute__((always_inline)) {
          return row >= k && row < k + r ? products(step.H[row - k], m, true, !Pivot) : zero();
        };
        for_each(
            f.chunks, LIMBER_EACH(c) {
              if (c < j / kLanes) return;
              const int row = c * kLanes;
              column[c] = D_0[c] + sums(term(row), term(row + 1), term(row + 2), term(row + 3));
            });
        if (__builtin_expect(step.rotor != nullptr, 0)) m.ang += step.rotor->axis * spread(step.rotor->g);
        f.add(j, column, m, kNoInertia * (least > 0 ? least : scale), least);
      });
}

// P+ = P - y d^-1 y^T;  Z = L^-T d^-1 y overwrites y.
template <typename M, typename Chunks>
LIMBER_INLINE void subtract_unknowns(M m, Chunks chunks, const Vec4d* L, const double* d_inverse, Spatial* y,
                                     Inertia& P) {
  for_each(
      m, LIMBER_EACH(j) {
        const Vec4d inverse = spread(d_inverse[j]);
        const Spatial scaled{y[j].ang * inverse, y[j].lin * inverse};
        subtract_outer(P, scaled, y[j]);
        y[j] = scaled;
      });
  for_each(
      m, LIMBER_EACH(from_end) {
        const int j = m - 1 - from_end;
        Spatial z = y[j];
        for_each(
            from_end, LIMBER_EACH(back) {
              const int k = m - 1 - back;
              const Vec4d l = spread(reinterpret_cast<const double*>(L + j * chunks)[k]);
              z = {z.ang - l * y[k].ang, z.lin - l * y[k].lin};
            });
        if (from_end > 0) y[j] = z;
      });
}

// Pivot of a single hinge without the loads on the body's moving nodes, or 0 if it is only rounding error.  For bounded
// modes it is a lower bound of the pivot with loads.  theory §5, Heavy loads.
double own_inertia(const BodyStep& step, const AbaData& ws) {
  const Inertia& M = *step.P;
  const Spatial h = step.H[0];
  const double* D_0 = reinterpret_cast<const double*>(step.D_0);
  const auto mass = [&](int j) { return D_0[j * (kLanes * step.chunks + 1)]; };
  double inertia = dot(h, times(M, transpose(M.B), h)) + mass(step.k);
  for (int j = 0; j < step.k; ++j) inertia -= dot(step.mu[j], h) * dot(step.mu[j], h) / mass(j);
  return inertia > kNoInertia * hinge_scale(M, step, ws, h) ? inertia : 0;
}

// Adds the torque and the moment of inertia of a rotor at its parent; both are the same about any point.
void add_rotor(const RotorStep& rotor, Inertia& P) {
  const Vec4d along = rotor.axis * spread(-rotor.inertia);
  subtract(P.A, along, lane<0>(rotor.axis), lane<1>(rotor.axis), lane<2>(rotor.axis));
  add_wrench(P, {rotor.wrench, zero()});
}

// Shifts the articulated inertia to the parent's origin and adds it there.
LIMBER_INLINE void hand_over(const BodyStep& step, Inertia& P) {
  if (step.parent == nullptr) return;
  shift(step.frame->l, P);
  if (!step.opens) add(P, *step.parent);
  set(*step.parent, P);
  if (step.inboard != nullptr) step.inboard->Bt = transpose(P.B);
}

// A prescribed hinge: keeps P and z of the joint side; passes z + P H betadot to the parent.
void prescribe(const BodyStep& step, const double* given, Inertia& P, AbaData& ws) {
  set(ws.joint_P[step.i], P);
  step.body->z = wrench_of(P);
  add_wrench(P, times(P, transpose(P.B), times(step.H, given + step.v, step.link->nr)));
  if (step.rotor != nullptr) add_wrench(P, {step.rotor->axis * spread(step.rotor->g * given[step.v]), zero()});
}

int find_speed(const BodyStep& step, int unknown) {
  return unknown < step.k ? step.vm + unknown : step.v + unknown - step.k;
}

// `given`: accelerations of a prescribed hinge, or null.
template <int K, int R, int C, int Moving = 0, bool Pivot = false>
int eliminate_columns(const BodyStep& step, const double* given, double least, AbaData& ws) {
  const auto k = size_of<K>(step.k);
  const auto r = size_of<R>(given != nullptr ? 0 : step.r);
  const auto carrying = size_of<C>(step.carrying);
  const auto m = total(k, r);
  const auto chunks = chunk_count(m, step.chunks);
  Vec4d* L = ws.streams ? ws.body_L.data() : step.L;
  Spatial* Z = ws.streams ? ws.body_Z.data() : step.Z;
  double* d_inverse = ws.streams ? ws.body_d_inverse.data() : step.d_inverse;
  Factor<decltype(m), decltype(chunks)> f{m, chunks, ws.D.data(), L, d_inverse, Z};
  eliminate_mode_columns<Moving, Pivot>(k, r, carrying, step, ws, f);
  Inertia P;
  set(P, *step.P);
  for_each(
      carrying, LIMBER_EACH(h) { add(P, step.carried[h].Gamma); });
  eliminate_hinge_columns<Pivot>(k, r, step, P, least, ws, f);
  if (__builtin_expect(f.failure >= 0, 0)) {
    ws.failure_is_number = !std::isnan(d_inverse[f.failure]);
    const double own = f.failure == k && r == 1 && step.bounded > 0 && least == 0 ? own_inertia(step, ws) : 0;
    return own > 0 ? eliminate_columns<-1, -1, -1>(step, given, own, ws) : find_speed(step, f.failure);
  }
  subtract_unknowns(m, chunks, L, d_inverse, Z, P);
  if (__builtin_expect(ws.streams, 0)) {
    stream(L, static_cast<std::size_t>(m) * chunks, step.L);
    stream(d_inverse, static_cast<std::size_t>(chunks) * kLanes, step.d_inverse);
    stream(Z, m, step.Z);
    for (int h = 0; h < std::min<int>(carrying, 2); ++h) {
      if (step.W[h] != step.kept_W[h]) stream(step.W[h], k, step.kept_W[h]);
    }
  }
  if (R < 0 && given != nullptr) prescribe(step, given, P, ws);
  if (__builtin_expect(step.rotor != nullptr, 0)) add_rotor(*step.rotor, P);
  hand_over(step, P);
  return -1;
}

// ---- outward ------------------------------------------------------------------------------------------

// x = -Z a - D^-1 b; D^-1 b is in the fourth lane of Z.
template <int K, int R, int C, bool Pivot = false>
void accelerate_columns(const BodyStep& step, AbaData& ws, double* vdot) {
  const auto k = size_of<K>(step.k);
  const bool prescribed = R < 0 && ws.prescribed[step.i] != 0;
  const auto r = size_of<R>(prescribed ? 0 : step.r);
  const auto carrying = size_of<C>(step.carrying);
  const auto m = total(k, r);
  Spatial a = twist_at(step.frame->l, *step.inboard_a);
  if (prescribed) a += times(step.H, vdot + step.v, step.r);
  double* x = step.x;
  const Spatial with_one{a.ang + Vec4d{0, 0, 0, 1}, a.lin};
  const auto term = [&](int row) __attribute__((always_inline)) {
    return row < m ? products(step.Z[row], with_one) : zero();
  };
  double* etaddot = vdot + step.vm;
  for_each(
      chunk_count(m, step.chunks), LIMBER_EACH(c) {
        const int row = c * kLanes;
        if (row + 1 == m) {
          x[row] = -sum(term(row));
        } else {
          const Vec4d four = -sums(term(row), term(row + 1), term(row + 2), term(row + 3));
          store(x + row, four);
          if (row + kLanes <= k && !step.active) store(etaddot + row, four);
        }
      });
  for_each(
      r, LIMBER_EACH(j) {
        vdot[step.v + j] = x[k + j];
        a.ang += step.H[j].ang * spread(x[k + j]);
        if (!Pivot) a.lin += step.H[j].lin * spread(x[k + j]);
      });
  for_each(
      carrying, LIMBER_EACH(h) { step.outboard_a[h] = a + times(kept_columns(step, h, ws), x, k); });
  if (C < 0 && step.U != nullptr) a += times(step.U, x, k);
  step.body->a = a;
  if (step.active) return;  // expand_group writes etaddot
  for (int j = k - k % kLanes; j < k; ++j) etaddot[j] = x[j];
}

template <int K, int R, int C, int Moving = 0, bool Pivot = false>
void set_kernels(BodyStep& step) {
  step.eliminate = eliminate_columns<K, R, C, Moving, Pivot>;
  step.accelerate = accelerate_columns<K, R, C, Pivot>;
}

template <int C, bool Pivot, int... K>
void choose_for_modes(BodyStep& step, std::integer_sequence<int, K...>) {
  ((step.k == K ? set_kernels<K, 1, C, 0, Pivot>(step) : void()), ...);
}
template <int C>
void choose_for_hinge(BodyStep& step) {
  const auto numbers = std::make_integer_sequence<int, kFewModes + 1>{};
  step.link->pivots ? choose_for_modes<C, true>(step, numbers) : choose_for_modes<C, false>(step, numbers);
}

}  // namespace

// Kernels for common sizes.
void choose_step_kernels(int moving, BodyStep& step) {
  set_kernels<-1, -1, -1>(step);
  if (step.r != 1 || step.U != nullptr) return;
  if (step.carrying == 0) choose_for_hinge<0>(step);
  if (step.carrying != 1) return;
  choose_for_hinge<1>(step);
  if (!step.link->pivots) return;  // beams: two bending coordinates in each plane, torsion; then axial
  if (step.k == 5 && moving >= 2) set_kernels<5, 1, 1, 2, true>(step);
  if (step.k == 6 && moving >= 3) set_kernels<6, 1, 1, 3, true>(step);
}

int eliminate_any(const BodyStep& step, const double* given, AbaData& ws) {
  return eliminate_columns<-1, -1, -1>(step, given, 0, ws);
}
void accelerate_any(const BodyStep& step, AbaData& ws, double* vdot) { accelerate_columns<-1, -1, -1>(step, ws, vdot); }

void solve_unknowns(const Unknowns& u, int count, const AbaData& ws, const double* b, double* x) {
  const double* L = reinterpret_cast<const double*>(&ws.L[u.D]);
  const int width = kLanes * u.chunks;
  for (int j = 0; j < count; ++j) x[j] = b[j];
  for (int k = 0; k < count; ++k) {
    for (int j = k + 1; j < count; ++j) x[j] -= L[k * width + j] * x[k];
  }
  for (int k = count - 1; k >= 0; --k) {
    x[k] *= ws.d_inverse[u.begin + k];
    for (int j = k + 1; j < count; ++j) x[k] -= L[k * width + j] * x[j];
  }
}

//   b' = b + U^T z + sum W^T z_h,  H^T (z + sum z_h)      z+ = z + sum z_h - Z^T b'
void reduce(const Layout& layout, int i, AbaData& ws) {
  const Link& link = layout.links[i];
  const Unknowns& u = ws.unknowns[i];
  if (u.active) start_active_forces(layout, i, ws);
  Spatial z = ws.bodies[i].z;
  double* b = &ws.b[u.begin];
  for (int k = 0; link.inboard >= 0 && k < u.modes; ++k) b[k] += dot(ws.U[link.inboard_columns + k], z);
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
    const Spatial* W = &ws.W[layout.attachments[h].columns];
    for (int k = 0; k < u.modes; ++k) b[k] += dot(W[k], ws.attachments[h].z);
    z += ws.attachments[h].z;
  }
  const int r = ws.prescribed[i] != 0 ? 0 : link.nr, count = u.modes + r;
  for (int k = 0; k < r; ++k) b[u.modes + k] = ws.hinge_b[u.hinge + k] + dot(ws.H[u.hinge + k], z);
  for (int k = 0; k < count; ++k) z -= ws.Z[u.begin + k] * b[k];
  ws.bodies[i].z = {without_last(z.ang), z.lin};
  double* x = &ws.x[u.begin];
  solve_unknowns(u, count, ws, b, x);
  for (int k = 0; k < count; ++k) ws.Z[u.begin + k].ang[3] = x[k];
}

}  // namespace limber
