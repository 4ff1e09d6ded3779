// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "motion.hpp"

// Inward: one body leaves the recursion, its modes and its hinge in one elimination.  theory §5.
namespace limber::LIMBER_BATCH_MACHINE {

inline constexpr double kNoInertia = 1e-13;  // as in aba/elimination.hpp

// External wrenches on the nodes of a body leave its bias forces.
template <class J, class T>
LIMBER_RARE void subtract_loads(const J& job, const BatchLink& link, const T* e, const T* rate, T* p_f, T* p) {
  for (int i = link.first_load; i < link.last_load; ++i) {
    const BatchLoad& at = job.tables.loads[i];
    T given[6], f[6], R[9];
    for (int k = 0; k < 6; ++k) given[k] = job.loads[at.row + k];
    NodeFrame<T> d;
    if (at.node >= 0) compute_node(job, job.node(at.node), link.n, e, rate, d);
    if (at.world) {
      job.template get<9>(link.world, R);
      turn_back(R, given, f), turn_back(R, given + 3, f + 3);
    } else if (at.node >= 0) {
      turn(d.R, given, f), turn(d.R, given + 3, f + 3);
    } else {
      copy<6>(given, f);
    }
    for (int k = 0; k < 6; ++k) p[k] -= f[k];
    if (at.node < 0) continue;
    T moment[3];
    cross(d.l, f + 3, moment);
    for (int k = 0; k < 3; ++k) p[k] -= moment[k];
    for (int k = 0; k < link.n; ++k) {
      T column[6];
      node_column(job, job.node(at.node), link.n, k, e, d.A, column);
      p_f[k] -= dot6(column, f);
    }
  }
}

// External wrenches, and b = p_f + K eta + D etadot - u.
template <class J, class T, class N>
LIMBER_STEP void finish_forces(const J& job, const BatchLink& link, N n, const T* e, const T* rate, T* b,
                               Inertia<T>& P) {
  if (link.first_load < link.last_load) subtract_loads(job, link, e, rate, b, P.z);
  add_elastic(job, link, n, e, rate, b);
  over(
      n, LIMBER_OVER(a) { b[a] -= job.u[link.vm + a]; });
}

// Products of modes, theory §2, Geometric stiffening: columns and forces of the modes out of those of all shapes; what
// their centrifugal terms add to p_r.  mu: (6 per shape) on entry, of the modes on return.
template <class J, class T>
LIMBER_RARE void project_products(const J& job, const BatchLink& link, const T* e, const T* rate, T* mu, T* p, T* p_r) {
  const int n = link.n, ne = link.ne;
  const auto G = job.numbers(link.G);
  auto pairs = job.indices(link.mode_pairs);
  for (int k = n; k < ne; ++k) {
    const int a = pairs[2 * (k - n)], b = pairs[2 * (k - n) + 1];
    const T c = (a == b ? 1.0 : 2.0) * rate[a] * rate[b];
    add_times<6>(mu + 6 * k, c, p_r);
    for (int j = 0; j < ne; ++j) p[j] += G[k * ne + j] * c;
  }
  for (int k = n; k < ne; ++k) {
    const int a = pairs[2 * (k - n)], b = pairs[2 * (k - n) + 1];
    add_times<6>(mu + 6 * k, e[b], mu + 6 * a);
    p[a] += p[k] * e[b];
    if (a == b) continue;
    add_times<6>(mu + 6 * k, e[a], mu + 6 * b);
    p[b] += p[k] * e[a];
  }
}
// D = E^T G_e E, into an m x m matrix.
template <class J, class T>
LIMBER_RARE void project_mass(const J& job, const BatchLink& link, const T* e, T* wide, int m, T* D) {
  const int n = link.n, ne = link.ne;
  const auto G = job.numbers(link.G);
  auto pairs = job.indices(link.mode_pairs);
  for (int i = 0; i < ne; ++i) {  // G_e E
    T* row = wide + i * n;
    for (int j = 0; j < n; ++j) row[j] = spread<T>(G[i * ne + j]);
    for (int k = n; k < ne; ++k) {
      const int a = pairs[2 * (k - n)], b = pairs[2 * (k - n) + 1];
      row[a] += G[i * ne + k] * e[b];
      if (a != b) row[b] += G[i * ne + k] * e[a];
    }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) D[i * m + j] = wide[i * n + j];
  for (int k = n; k < ne; ++k) {
    const int a = pairs[2 * (k - n)], b = pairs[2 * (k - n) + 1];
    for (int j = 0; j < n; ++j) {
      D[a * m + j] += wide[k * n + j] * e[b];
      if (a != b) D[b * m + j] += wide[k * n + j] * e[a];
    }
  }
}

// What an implicit step adds, with factors of the items.
template <class J, class T>
LIMBER_RARE void add_implicit(const J& job, const BatchLink& link, int m, T* D) {
  if (job.tables.c_D == 0 && job.tables.c_K == 0) return;
  const auto K = job.numbers(link.K_modes), C = job.numbers(link.D_modes);
  T kf = spread<T>(job.tables.c_K), df = spread<T>(job.tables.c_D);
  elastic_factors(job, link, kf, df);
  for (int a = 0; a < link.n; ++a) {
    if (link.elastic_diagonal) {
      D[a * m + a] += kf * K[a] + df * C[a];
      continue;
    }
    for (int b = 0; b < link.n; ++b) D[a * m + b] += kf * K[a * link.n + b] + df * C[a * link.n + b];
  }
}

// The modal mass of the columns, into an m x m matrix.
template <class J, class T, class K, class M>
LIMBER_STEP void start_mass(const J& job, const BatchLink& link, K k, M m, const T* e, T* scratch, T* D) {
  if (link.active) {
    over(
        k, LIMBER_OVER(i) {
          over(
              k, LIMBER_OVER(j) { D[i * m + j] = spread<T>(i == j ? 1.0 : 0.0); });
        });
    return;
  }
  if constexpr (!kIsConstant<K>) {
    if (link.mass_varies) {
      project_mass(job, link, e, scratch, m, D);
      return add_implicit(job, link, m, D);
    }
  }
  const auto D_0 = job.numbers(link.D_0);
  over(
      k, LIMBER_OVER(i) {
        over(
            k, LIMBER_OVER(j) {
              if (j >= i) D[i * m + j] = spread<T>(D_0[i * k + j]);
            });
      });
  if (link.parameters >= 0) add_implicit(job, link, m, D);
}

// Active coordinates: the other modes leave the body.  theory §5.  lost: what they take from the diagonal.
template <class J, class T, class N, class K>
LIMBER_STEP void activate(const J& job, const BatchLink& link, N n, K k, const T* F, const T* b_f, T* mu, T* b,
                          Inertia<T>& P, T* lost) {
  const auto Q = job.numbers(link.T), weight = job.numbers(link.weight), S = job.numbers(link.S);
  const T before[6] = {P.A[0], P.A[1], P.A[2], P.C[0], P.C[1], P.C[2]};
  over(
      n, LIMBER_OVER(a) {
        const T column[6] = {F[3 * a],
                             F[3 * a + 1],
                             F[3 * a + 2],
                             spread<T>(S[3 * a]),
                             spread<T>(S[3 * a + 1]),
                             spread<T>(S[3 * a + 2])};
        T u[6];
        LIMBER_UNROLL
        for (int i = 0; i < 6; ++i) u[i] = weight[a] * column[i];
        subtract_outer(u, column, P);
        LIMBER_UNROLL
        for (int i = 0; i < 6; ++i) P.z[i] -= u[i] * b_f[a];
      });
  over(
      k, LIMBER_OVER(c) {
        T column[6] = {}, force = T{}, minus[6];
        const auto q = Q + c * link.n;
        over(
            n, LIMBER_OVER(a) {
              add_times<3>(F + 3 * a, q[a], column);
              LIMBER_UNROLL
              for (int i = 0; i < 3; ++i) column[3 + i] += q[a] * S[3 * a + i];
              force += q[a] * b_f[a];
            });
        LIMBER_UNROLL
        for (int i = 0; i < 6; ++i) {
          minus[i] = -column[i];
          mu[6 * c + i] = column[i];
          P.z[i] += column[i] * force;
        }
        b[c] = force;
        subtract_outer(minus, column, P);
      });
  const T after[6] = {P.A[0], P.A[1], P.A[2], P.C[0], P.C[1], P.C[2]};
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) lost[i] = before[i] - after[i];
}

// Columns of an outboard node at the body's origin; they are kept.
template <class J, class T, class K>
LIMBER_STEP void node_columns(const J& job, const BatchLink& link, const BatchNode& node, K k, const T* LIMBER_ALONE e,
                              T* LIMBER_ALONE W) {
  T A[9], l[3];
  job.template get<9>(node.A, A);
  job.template get<3>(node.l, l);
  over(
      k, LIMBER_OVER(j) {
        T* column = W + 6 * j;
        if (link.active) {
          const auto own = job.numbers(node.active) + 6 * j;
          turn(A, own, column);
          copy<3>(own + 3, column + 3);
        } else {
          node_column(job, node, link.n, j, e, A, column);
        }
        add_cross(l, column, column + 3);
        if (link.inboard >= 0) {
          T U[6];
          job.template get<6>(link.U + 6 * j, U);
          add<6>(U, column);
        }
        job.template put<6>(node.W + 6 * j, column);
      });
}

// What one node carries meets the modes: mu, D and b of the columns, P and z.
template <class T, class K, class M>
LIMBER_STEP void collect(const Inertia<T>& LIMBER_ALONE carried, K k, M m, const T* LIMBER_ALONE W, T* LIMBER_ALONE mu,
                         T* LIMBER_ALONE b, T* LIMBER_ALONE D, Inertia<T>& LIMBER_ALONE P) {
  over(
      k, LIMBER_OVER(j) {
        T g[6];
        apply(carried, W + 6 * j, g);
        add<6>(g, mu + 6 * j);
        b[j] += dot6(W + 6 * j, carried.z);
        over(
            k, LIMBER_OVER(i) {
              if (i >= j) D[j * m + i] += dot6(W + 6 * i, g);
            });
      });
  add(carried, P);
}

// The joint sits on a moving node: the terms of U.  P: of the body alone.
template <class J, class T>
LIMBER_RARE void collect_inboard(const J& job, const BatchLink& link, int m, T* scratch, T* mu, T* b, T* D,
                                 const Inertia<T>& P) {
  const int n = link.n;
  T *U = scratch, *own = scratch + 6 * n;
  for (int j = 0; j < 6 * n; ++j) U[j] = job.get(link.U + j), own[j] = mu[j];
  for (int j = 0; j < n; ++j) {
    T g[6];
    apply(P, U + 6 * j, g);
    add<6>(g, mu + 6 * j);
    b[j] += dot6(U + 6 * j, P.z);
    for (int i = j; i < n; ++i) D[j * m + i] += dot6(U + 6 * i, mu + 6 * j) + dot6(own + 6 * i, U + 6 * j);
  }
}

template <class T>
LIMBER_KERNEL T scale_of(const T* diagonal, const T* h) {
  T sum = T{};
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) sum += diagonal[i] * h[i] * h[i];
  return sum;
}

// mu = P H, and the hinge's rows of D.
template <class J, class T, class K, class R, class M>
LIMBER_STEP void collect_hinge(const J& job, const BatchLink& link, K k, R r, M m, const T* diagonal, T* mu, T* b, T* D,
                               T* scale, const Inertia<T>& P) {
  over(
      r, LIMBER_OVER(j) {
        T* column = mu + 6 * (k + j);
        const int at = k + j;
        if (link.centred) {
          const double* h = link.H[0];
          apply_angular(P, h, column);
          over(
              k, LIMBER_OVER(i) { D[i * m + at] = dot3(mu + 6 * i, h); });
          D[at * m + at] = dot3(column, h) + (link.armature[j] + link.added[j]);
          scale[at] =
              kNoInertia * (diagonal[0] * (h[0] * h[0]) + diagonal[1] * (h[1] * h[1]) + diagonal[2] * (h[2] * h[2]));
          b[at] = dot3(P.z, h) - job.u[link.v + j];
        } else {
          T h[6];
          if (link.hinge >= 0) {
            job.template get<6>(link.hinge + 6 * j, h);
          } else {
            copy<6>(link.H[j], h);
          }
          apply(P, h, column);
          for (int i = 0; i < at; ++i) D[i * m + at] = dot6(mu + 6 * i, h);
          D[at * m + at] = dot6(column, h) + (link.armature[j] + link.added[j]);
          scale[at] = kNoInertia * scale_of(diagonal, h);
          b[at] = dot6(P.z, h) - job.u[link.v + j];
        }
      });
  if (!link.passive) return;
  T force[6];
  passive_force(job, link, force);
  over(
      r, LIMBER_OVER(j) { b[k + j] += force[j]; });
}

// Which pivots are too small: the first of them names the speed, as in aba.
template <class J, class T, class M>
LIMBER_STEP void note_failure(J& job, const BatchLink& link, int k, M m, const T* D, const T* scale) {
  over(
      m, LIMBER_OVER(j) {
        const T pivot = D[j * m + j], none = spread<T>(-1.0), one = spread<T>(1.0);
        const T index = spread<T>(j < k ? link.vm + j : link.v + j - k);
        const T bad = pivot > scale[j] ? T{} : one;
        const T fresh = job.failure == none ? bad : T{};
        job.broken = pivot != pivot ? larger(job.broken, fresh) : job.broken;
        job.failure = fresh == one ? index : job.failure;
      });
}

// u = d^-1 y of an elimination: beside y, or computed where it is needed, which takes fewer registers.
template <class T>
struct Scaled {
  const T *y, *inverse;
  LIMBER_KERNEL T operator[](int i) const { return inverse[i / 6] * y[i]; }
};

// P - y d^-1 y^T, block by block, so that their numbers stay in registers; y b likewise.
template <class T, class U, class M>
LIMBER_STEP void subtract_all(M m, U u, const T* LIMBER_ALONE y, const T* LIMBER_ALONE b, Inertia<T>& LIMBER_ALONE P) {
  const auto symmetric = [&](T* block, T* wrench, int at) LIMBER_LAMBDA {
    T J[6], z[3];
    copy<6>(block, J), copy<3>(wrench, z);
    over(
        m, LIMBER_OVER(j) {
          const T* v = y + 6 * j + at;
          const T u0 = u[6 * j + at], u1 = u[6 * j + at + 1], u2 = u[6 * j + at + 2], x = b[j];
          J[0] -= u0 * v[0], J[3] -= u0 * v[1], J[4] -= u0 * v[2];
          J[1] -= u1 * v[1], J[5] -= u1 * v[2], J[2] -= u2 * v[2];
          z[0] -= u0 * x, z[1] -= u1 * x, z[2] -= u2 * x;
        });
    copy<6>(J, block), copy<3>(z, wrench);
  };
  symmetric(P.A, P.z, 0);
  symmetric(P.C, P.z + 3, 3);
  T B[9];
  copy<9>(P.B, B);
  over(
      m, LIMBER_OVER(j) {
        const T y0 = y[6 * j + 3], y1 = y[6 * j + 4], y2 = y[6 * j + 5];
        LIMBER_UNROLL
        for (int i = 0; i < 3; ++i) {
          const T x = u[6 * j + i];
          B[3 * i] -= x * y0, B[3 * i + 1] -= x * y1, B[3 * i + 2] -= x * y2;
        }
      });
  copy<9>(B, P.B);
}

// D = L d L^T, L in the place of the upper triangle; y = L^-1 mu^T in the place of mu, b likewise; u = d^-1 y unless
// null, and the inverses of d.
template <class J, class T, class M>
LIMBER_STEP void factor(J& job, const BatchLink& link, int k, M m, T* LIMBER_ALONE D, T* LIMBER_ALONE mu,
                        T* LIMBER_ALONE b, T* LIMBER_ALONE u, T* LIMBER_ALONE inverse, const T* LIMBER_ALONE scale) {
  auto good = T{} == T{};
  over(
      m, LIMBER_OVER(j) {
        // column j, from the columns before
        T y[6], force = b[j];
        copy<6>(mu + 6 * j, y);
        over(
            j, LIMBER_OVER(i) {
              const T l = D[i * m + j];
              LIMBER_UNROLL
              for (int c = 0; c < 6; ++c) y[c] -= l * mu[6 * i + c];
              force -= l * b[i];
            });
        const T pivot = D[j * m + j];
        good = good & (pivot > scale[j]);
        const T over_pivot = reciprocal(pivot);
        inverse[j] = over_pivot;
        b[j] = force;
        LIMBER_UNROLL
        for (int c = 0; c < 6; ++c) {
          mu[6 * j + c] = y[c];
          if (u != nullptr) u[6 * j + c] = over_pivot * y[c];
        }
        over(
            m, LIMBER_OVER(i) {
              if (i <= j) return;
              const T l = D[j * m + i] * over_pivot;
              over(
                  m, LIMBER_OVER(t) {
                    if (t >= i) D[i * m + t] -= l * D[j * m + t];
                  });
              D[j * m + i] = l;
            });
      });
  if (__builtin_expect(any(good == 0), 0)) note_failure(job, link, k, m, D, scale);
}

// Z = L^-T u and L^-T d^-1 b in the place of u and b, kept at Z and x of the store.
template <class J, class T, class M>
LIMBER_STEP void keep_solution(const J& job, int Z, int x, M m, const T* LIMBER_ALONE D, const T* LIMBER_ALONE inverse,
                               T* LIMBER_ALONE u, T* LIMBER_ALONE b) {
  over(
      m, LIMBER_OVER(from_end) {
        const int j = m - 1 - from_end;
        T z[6], force = inverse[j] * b[j];
        copy<6>(u + 6 * j, z);
        over(
            m, LIMBER_OVER(i) {
              if (i <= j) return;
              const T l = D[j * m + i];
              LIMBER_UNROLL
              for (int c = 0; c < 6; ++c) z[c] -= l * u[6 * i + c];
              force -= l * b[i];
            });
        copy<6>(z, u + 6 * j);
        b[j] = force;
        job.template put<6>(Z + 6 * j, z);
        save(job.at(x, j), force);
      });
}

// The hinge of a body whose modes have left, where it is one axis through the body's origin.  diagonal: of the inertia
// with the modes (the first three numbers); torque: that acts on the hinge.
template <class J, class T>
LIMBER_STEP void eliminate_axis(J& job, const BatchLink& link, T torque, const T* LIMBER_ALONE diagonal,
                                Inertia<T>& LIMBER_ALONE P) {
  const T h[3] = {spread<T>(link.H[0][0]), spread<T>(link.H[0][1]), spread<T>(link.H[0][2])};
  T y[6], buffer[6];
  T* Z = job.place(link.Z, buffer);
  apply_angular(P, h, y);
  const T pivot = dot3(y, h) + (link.armature[0] + link.added[0]);
  const T scale =
      kNoInertia * (diagonal[0] * (h[0] * h[0]) + diagonal[1] * (h[1] * h[1]) + diagonal[2] * (h[2] * h[2]));
  T b = dot3(P.z, h) - torque;
  if (link.passive) b += link.damping[0] * job.v[link.v] + link.stiffness[0] * job.q[link.q];
  if (__builtin_expect(any((pivot > scale) == 0), 0)) note_failure(job, link, 0, Size<1>{}, &pivot, &scale);
  const T inverse = reciprocal(pivot);
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) Z[i] = inverse * y[i];
  LIMBER_UNROLL
  for (int i = 0; i < 6; ++i) P.z[i] -= Z[i] * b;
  subtract_outer(Z, y, P);
  job.template keep<6>(link.Z, Z);
  job.put(link.x, inverse * b);
}

}  // namespace limber::LIMBER_BATCH_MACHINE
