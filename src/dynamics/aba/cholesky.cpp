// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "elimination.hpp"

namespace limber {
namespace {

// D_f is G plus a sum of terms R^T g, R and g spatial columns (6 x n): Y^T (Gamma Y) of every attachment, and of a
// moving inboard attachment U^T (P_rf + P_rr U) + P_rf^T U.  R is kept by rows, modes in the lanes.
struct Terms {
  Vec4d* rows;  // (term x 6 x lanes)
  Spatial* g;   // (term x modes)
  int count = 0;
};

template <typename N>
LIMBER_INLINE void put_rows(const Spatial* columns, N n, Vec4d* rows) {
  const int lanes = lane_count(n);
  for_each(
      lane_count(n), LIMBER_EACH(c) {
        const Spatial* s = columns + c * kLanes;
        rows_of(s[0].ang, s[1].ang, s[2].ang, s[3].ang, rows + c, lanes);
        rows_of(s[0].lin, s[1].lin, s[2].lin, s[3].lin, rows + 3 * lanes + c, lanes);
      });
}

// mu = before + X^T Gamma Y, P += X^T Gamma X, and the term Y^T (Gamma Y).
template <typename N>
LIMBER_INLINE void add_attachment(const Mat6& Gamma, Vec4d l, const Spatial* Y, N n, const Spatial* before,
                                  Terms& terms, Spatial* mu, Mat6& P) {
  put_rows(Y, n, terms.rows + terms.count * 6 * lane_count(n));
  Spatial* g = terms.g + terms.count++ * n;
  for_each(
      n, LIMBER_EACH(k) {
        const Spatial wrench = Gamma * Y[k];
        g[k] = wrench;
        mu[k] = before[k] + wrench_from(l, wrench);
      });
  add(P, inertia_from(l, Gamma));
}

// H_f = [1 U^T]: mu = P_rf + P_rr U, and two terms.
void add_inboard_attachment(const Spatial* U, const Mat6& P, int n, Terms& terms, Spatial* mu) {
  const int lanes = lanes_for(n);
  put_rows(mu, n, terms.rows + terms.count * 6 * lanes);
  Spatial* first = terms.g + terms.count++ * n;
  put_rows(U, n, terms.rows + terms.count * 6 * lanes);
  Spatial* second = terms.g + terms.count++ * n;
  for (int k = 0; k < n; ++k) {
    mu[k] += P * U[k];
    first[k] = U[k];
    second[k] = mu[k];
  }
}

// A column over the modes: of a fixed number in registers, of any number in memory.
template <int N>
struct RegisterColumn {
  Vec4d lanes[lanes_for(N)];
  RegisterColumn(Size<N>, Vec4d*) {}
  Vec4d& operator[](int c) { return lanes[c]; }
  void put(Vec4d* memory, int first) {
    for_each(
        Size<lanes_for(N)>{}, LIMBER_EACH(c) {
          if (c >= first) memory[c] = lanes[c];
        });
  }
};
struct MemoryColumn {
  Vec4d* lanes;
  MemoryColumn(int, Vec4d* memory) : lanes(memory) {}
  Vec4d& operator[](int c) { return lanes[c]; }
  void put(Vec4d*, int) {}
};
template <int N>
LIMBER_INLINE RegisterColumn<N> make_column(Size<N> n, Vec4d* memory) {
  return {n, memory};
}
LIMBER_INLINE MemoryColumn make_column(int n, Vec4d* memory) { return {n, memory}; }

// Column j of D_f, less what the columns before it account for; y_j -= L_jk y_k beside it.  Returns the number on the
// diagonal before that.  Lanes above the diagonal are left alone.
template <typename N, typename J>
LIMBER_INLINE double compute_column(const Terms& terms, const double* G, N n, J j, const Vec4d* L, const double* d,
                                    Vec4d* column, Spatial* y) {
  const int lanes = lane_count(n), first = j / kLanes;
  auto acc = make_column(n, column);
  for_each(
      lane_count(n), LIMBER_EACH(c) {
        if (c >= first) acc[c] = load(G + (j * lanes + c) * kLanes);
      });
  for (int t = 0; t < terms.count; ++t) {
    const Vec4d* rows = terms.rows + t * 6 * lanes;
    const Spatial g = terms.g[t * n + j];
    for_each(
        lane_count(n), LIMBER_EACH(c) {
          if (c < first) return;
          for (int i = 0; i < 3; ++i) acc[c] += rows[i * lanes + c] * spread(g.ang[i]);
          for (int i = 0; i < 3; ++i) acc[c] += rows[(3 + i) * lanes + c] * spread(g.lin[i]);
        });
  }
  const double diagonal = acc[first][j % kLanes];
  Spatial y_j = y[j];
  for_each(
      j, LIMBER_EACH(k) {
        const Vec4d* previous = L + k * lanes;
        const Vec4d l = spread(reinterpret_cast<const double*>(previous)[j]), f = l * spread(d[k]);
        for_each(
            lane_count(n), LIMBER_EACH(c) {
              if (c >= first) acc[c] -= f * previous[c];
            });
        y_j = {y_j.ang - l * y[k].ang, y_j.lin - l * y[k].lin};
      });
  y[j] = y_j;
  acc.put(column, first);
  return diagonal;
}

// The lanes below number j of a column.
constexpr Vec4d kBelow[kLanes] = {{0, 1, 1, 1}, {0, 0, 1, 1}, {0, 0, 0, 1}, {0, 0, 0, 0}};

// D_f = L d L^T by columns, left-looking; L has zeros on its diagonal and, in the lane of it, above.  y = L^-1 mu^T.
template <typename N>
LIMBER_INLINE int factor(const Terms& terms, const double* G, N n, Vec4d* L, double* d, double* d_inverse, Spatial* y) {
  const int lanes = lane_count(n);
  int failure = -1;
  for_each(
      n, LIMBER_EACH(j) {
        Vec4d* column = L + j * lanes;
        const double diagonal = compute_column(terms, G, n, j, L, d, column, y);
        const double pivot = reinterpret_cast<const double*>(column)[j];
        if (!(pivot > kNoInertia * diagonal) && failure < 0) failure = j;
        d[j] = pivot;
        d_inverse[j] = 1 / pivot;
        const Vec4d inverse = spread(d_inverse[j]);
        const int first = j / kLanes;
        column[first] *= inverse * kBelow[j % kLanes];
        for_each(
            lane_count(n), LIMBER_EACH(c) {
              if (c > first) column[c] *= inverse;
            });
      });
  return failure;
}

// The terms of a moving inboard attachment may cancel G and those of the attachments: then what is left is rounding of
// these.
int find_cancelled(const Layout& layout, const Link& link, const AbaData& ws, const Terms& terms, const double* G) {
  const int n = link.n, width = kLanes * lanes_for(n);
  for (int j = 0; j < n; ++j) {
    double scale = G[j * width + j];
    for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
      scale += dot(ws.kin.columns[layout.attachments[h].columns + j], terms.g[(h - link.attachment_begin) * n + j]);
    }
    if (!(ws.cholesky.pivots[j] > kNoInertia * scale)) return j;
  }
  return -1;
}

// P -= y d^-1 y^T.
template <typename N>
LIMBER_INLINE void subtract_modes(N n, const double* d_inverse, const Spatial* y, Mat6& P) {
  Mat6Registers sum = Mat6Registers::from(P);
  for_each(
      n, LIMBER_EACH(k) { sum.add(y[k] * -d_inverse[k], y[k]); });
  sum.put(P);
}

template <typename N>
int factor_cholesky(N n, const Layout& layout, const Link& link, int i, AbaData& ws) {
  const Kinematics& kin = ws.kin;
  Spatial* y = &ws.cholesky.y[link.columns];
  const Spatial* mu = &kin.columns[link.columns];
  Mat6& P = ws.bodies[i].P;
  if (link.attachment_begin == link.attachment_end)
    for_each(
        n, LIMBER_EACH(k) { y[k] = mu[k]; });
  Terms terms{ws.cholesky.term_rows.data(), ws.cholesky.term_columns.data()};
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
    const Spatial* Y = &kin.columns[layout.attachments[h].columns];
    add_attachment(ws.attachments[h].Gamma, kin.attachments[h].l, Y, n, h == link.attachment_begin ? mu : y, terms, y,
                   P);
  }
  if (link.inboard >= 0) add_inboard_attachment(&kin.columns[link.inboard_columns], P, n, terms, y);
  double* d_inverse = &ws.cholesky.d_inverse[link.scalars];
  const double* G = modal_mass(link, i, ws);
  int failure =
      factor(terms, G, n, ws.cholesky.L.data() + ws.cholesky.factor_begin[i], ws.cholesky.pivots.data(), d_inverse, y);
  if (failure < 0 && link.inboard >= 0) failure = find_cancelled(layout, link, ws, terms, G);
  if (failure < 0) subtract_modes(n, d_inverse, y, P);
  return failure;
}

template <typename N>
void reduce_cholesky(N n, const Layout& layout, const Link& link, int i, AbaData& ws) {
  const Kinematics& kin = ws.kin;
  const int lanes = lane_count(n);
  Spatial z = ws.bodies[i].z;
  double* e = &ws.e_f[link.scalars];
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
    const Spatial z_h = ws.attachments[h].z;
    add_times_transposed(&kin.columns[layout.attachments[h].columns], z_h * -1, n, e);
    z += wrench_from(kin.attachments[h].l, z_h);
  }
  if (link.inboard >= 0) add_times_transposed(&kin.columns[link.inboard_columns], z * -1, n, e);
  const Vec4d* L = ws.cholesky.L.data() + ws.cholesky.factor_begin[i];
  const double* d_inverse = &ws.cholesky.d_inverse[link.scalars];
  const Spatial* y = &ws.cholesky.y[link.columns];
  Vec4d* in_memory = reinterpret_cast<Vec4d*>(e);
  auto e_column = make_column(n, in_memory);
  for_each(
      lane_count(n), LIMBER_EACH(c) { e_column[c] = in_memory[c]; });
  for_each(
      n, LIMBER_EACH(k) {
        const Vec4d e_k = spread(e_column[k / kLanes][k % kLanes]), scaled = e_k * spread(d_inverse[k]);
        for_each(
            lane_count(n), LIMBER_EACH(c) {
              if (c >= k / kLanes) e_column[c] -= e_k * L[k * lanes + c];
            });
        z = {z.ang + y[k].ang * scaled, z.lin + y[k].lin * scaled};
      });
  e_column.put(in_memory, 0);
  ws.bodies[i].z = z;
}

template <typename N>
void expand_cholesky(N n, const Layout& layout, const Link& link, int i, AbaData& ws, double* etaddot) {
  const Kinematics& kin = ws.kin;
  const int lanes = lane_count(n);
  Spatial a = ws.bodies[i].a;
  double* t = &ws.e_f[link.scalars];  // becomes etaddot
  const Vec4d* L = ws.cholesky.L.data() + ws.cholesky.factor_begin[i];
  const double* d_inverse = &ws.cholesky.d_inverse[link.scalars];
  const Spatial* y = &ws.cholesky.y[link.columns];
  for_each(
      lane_count(n), LIMBER_EACH(c) {
        store(t + c * kLanes, load(d_inverse + c * kLanes) * (load(t + c * kLanes) - four_dots(y + c * kLanes, a)));
      });
  for_each(
      n, LIMBER_EACH(from_end) {
        const int k = n - 1 - from_end;
        Vec4d known = zero();
        for_each(
            lane_count(n), LIMBER_EACH(c) {
              if (c >= k / kLanes) known += L[k * lanes + c] * load(t + c * kLanes);
            });
        etaddot[k] = t[k] -= sum(known);
      });
  if (link.inboard >= 0) a += times(&kin.columns[link.inboard_columns], t, n);
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
    ws.attachments[h].a = twist_at(kin.attachments[h].l, a) + times(&kin.columns[layout.attachments[h].columns], t, n);
  }
  ws.bodies[i].a = a;
}

}  // namespace

int factor_cholesky(const Layout& layout, int i, AbaData& ws) {
  const Link& link = layout.links[i];
  return with_size(link.n, [&](auto n) { return factor_cholesky(n, layout, link, i, ws); });
}

void reduce_cholesky(const Layout& layout, int i, AbaData& ws) {
  const Link& link = layout.links[i];
  with_size(link.n, [&](auto n) { reduce_cholesky(n, layout, link, i, ws); });
}

void expand_cholesky(const Layout& layout, int i, AbaData& ws, double* etaddot) {
  const Link& link = layout.links[i];
  with_size(link.n, [&](auto n) { expand_cholesky(n, layout, link, i, ws, etaddot); });
}

}  // namespace limber
