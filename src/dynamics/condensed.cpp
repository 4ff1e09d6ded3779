// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "elimination.hpp"

namespace limber {
namespace {

// Where b, a_h and Omega_hg stand in the gram of a body with c handles.
LIMBER_INLINE std::size_t gram_a(int h) { return 1 + static_cast<std::size_t>(h); }
LIMBER_INLINE std::size_t gram_omega(int c, int h, int g) { return 1 + static_cast<std::size_t>(c) + h * c + g; }

// X_bar^T w = X(l)^T w - a w.
LIMBER_INLINE Spatial x_bar_transposed(Lane l, const Mat6& a, Spatial w) { return wrench_from(l, w) - a * w; }

// Place of number j of a row of spatial vectors.
LIMBER_INLINE int place(int j) { return j / 3 * kLanes + j % 3; }

// Rows [A | B] of size 6c, 2c lanes each: B becomes A^-1 B.  Partial pivoting; A = 1 + Gamma Omega is never singular.
LIMBER_INLINE void solve_rows(Lane* rows, int c) {
  const int m = 6 * c, width = 4 * c, half = 2 * c;
  const auto number = [&](int r, int j) -> double { return reinterpret_cast<double*>(rows + r * width)[place(j)]; };
  for (int k = 0; k < m; ++k) {
    int pivot = k;
    for (int r = k + 1; r < m; ++r) {
      if (std::abs(number(r, k)) > std::abs(number(pivot, k))) pivot = r;
    }
    if (pivot != k) {
      for (int j = 0; j < width; ++j) std::swap(rows[pivot * width + j], rows[k * width + j]);
    }
    const double inverse = 1 / number(k, k);
    for (int r = k + 1; r < m; ++r) {
      const Lane s = spread(number(r, k) * inverse);
      for (int j = k / 3; j < width; ++j) rows[r * width + j] -= s * rows[k * width + j];
    }
    for (int j = half; j < width; ++j) rows[k * width + j] *= spread(inverse);
    // The row is kept with its pivot; the right side is already divided by it.
    const Lane s = spread(inverse);
    for (int j = k / 3; j < half; ++j) rows[k * width + j] *= s;
  }
  for (int k = m - 1; k > 0; --k) {
    for (int r = 0; r < k; ++r) {
      const Lane s = spread(number(r, k));
      for (int j = half; j < width; ++j) rows[r * width + j] -= s * rows[k * width + j];
    }
  }
}

// T = (1 + Gamma Omega)^-1 Gamma, all handles stacked; then P += X_bar^T T X_bar.
LIMBER_INLINE void add_children(const Link& link, int i, int c, AbaWorkspace& ws) {
  const Mat6* gram = &ws.gram[ws.gram_begin[i]];
  const int width = 4 * c;
  Lane* rows = ws.rows.data();
  for (int h = 0; h < c; ++h) {
    const Mat6& Gamma = ws.handles[link.handle_begin + h].Gamma;
    for (int r = 0; r < 6; ++r) {
      Lane* row = rows + (6 * h + r) * width;
      for (int g = 0; g < c; ++g) {
        const Spatial product = gram[gram_omega(c, g, h)] * Gamma.c[r];  // Omega_gh Gamma e_r
        row[2 * g] = product.ang;
        row[2 * g + 1] = product.lin;
        row[2 * (c + g)] = g == h ? Gamma.c[r].ang : zero();
        row[2 * (c + g) + 1] = g == h ? Gamma.c[r].lin : zero();
      }
      reinterpret_cast<double*>(row)[place(6 * h + r)] += 1;
    }
  }
  solve_rows(rows, c);
  Mat6* T = &ws.T[ws.T_begin[i]];
  Mat6& P = ws.bodies[i].P;
  for (int h = 0; h < c; ++h) {
    const Lane l = ws.kin.handles[link.handle_begin + h].l;
    const Mat6& a = gram[gram_a(h)];
    for (int r = 0; r < 6; ++r) {
      const Lane* row = rows + (6 * h + r) * width + 2 * c;
      Spatial N = zero_spatial();  // row (h, r) of T X_bar
      for (int g = 0; g < c; ++g) {
        const Spatial t{row[2 * g], row[2 * g + 1]};
        T[h * c + g].c[r] = t;
        N += x_bar_transposed(ws.kin.handles[link.handle_begin + g].l, gram[gram_a(g)], t);
      }
      Spatial unit = zero_spatial();
      (r < 3 ? unit.ang : unit.lin)[r % 3] = 1;
      add_outer(P, wrench_from(l, unit) - a.c[r], N);
    }
  }
}

// f_c = T (y - Omega z_c) + z_c: the wrenches of the children when the nodes would have the accelerations y alone.
LIMBER_INLINE void child_wrenches(const Link& link, int i, int c, const Spatial* y, AbaWorkspace& ws, Spatial* f) {
  const Mat6* gram = &ws.gram[ws.gram_begin[i]];
  const Mat6* T = &ws.T[ws.T_begin[i]];
  for (int h = 0; h < c; ++h) f[h] = ws.handles[link.handle_begin + h].z;
  for (int h = 0; h < c; ++h) {
    Spatial t = y[h];
    for (int g = 0; g < c; ++g) t -= gram[gram_omega(c, h, g)] * ws.handles[link.handle_begin + g].z;
    for (int g = 0; g < c; ++g) f[g] += T[h * c + g] * t;  // T is symmetric: block (g, h) = block (h, g)^T, by rows
  }
}

}  // namespace

void compute_gram(const Layout& layout, int i, AbaWorkspace& ws) {
  const Link& link = layout.links[i];
  const int n = link.n, c = link.handle_end - link.handle_begin;
  const Spatial* mu = &ws.kin.columns[link.columns];
  const double* inverse = link.shape->G_inverse.data();
  Mat6* gram = &ws.gram[ws.gram_begin[i]];
  const auto product = [&](const Spatial* left, const Spatial* right, Mat6& out) {
    out = Mat6{};
    for (int k = 0; k < n; ++k) add_outer(out, left[k] * inverse[k], right[k]);
  };
  product(mu, mu, gram[0]);
  for (int h = 0; h < c; ++h) {
    const Spatial* Y = &ws.kin.columns[layout.handles[link.handle_begin + h].columns];
    product(mu, Y, gram[gram_a(h)]);
    for (int g = 0; g < c; ++g) {
      product(&ws.kin.columns[layout.handles[link.handle_begin + g].columns], Y, gram[gram_omega(c, g, h)]);
    }
  }
}

void factor_condensed(const Layout& layout, int i, AbaWorkspace& ws) {
  const Link& link = layout.links[i];
  const int c = link.handle_end - link.handle_begin;
  if (!layout.ruthless) compute_gram(layout, i, ws);
  const Mat6& b = ws.gram[ws.gram_begin[i]];
  Mat6& P = ws.bodies[i].P;
  for (int j = 0; j < 6; ++j) P.c[j] -= b.c[j];
  if (c == 1) {
    add_children(link, i, 1, ws);
  } else if (c > 1) {
    add_children(link, i, c, ws);
  }
}

void reduce_condensed(const Layout& layout, int i, AbaWorkspace& ws) {
  const Link& link = layout.links[i];
  const int n = link.n, c = link.handle_end - link.handle_begin;
  const double* inverse = link.shape->G_inverse.data();
  double* e = &ws.e_f[link.scalars];
  Spatial& z = ws.bodies[i].z;
  for (int k = 0; k < n; ++k) e[k] *= inverse[k];
  z += times(&ws.kin.columns[link.columns], e, n);
  Spatial* y = ws.stack.data();
  for (int h = 0; h < c; ++h) y[h] = times(&ws.kin.columns[layout.handles[link.handle_begin + h].columns], e, n);
  Spatial* f = y + c;
  child_wrenches(link, i, c, y, ws, f);
  for (int h = 0; h < c; ++h) {
    z += x_bar_transposed(ws.kin.handles[link.handle_begin + h].l, ws.gram[ws.gram_begin[i] + gram_a(h)], f[h]);
  }
}

void expand_condensed(const Layout& layout, int i, AbaWorkspace& ws, double* etaddot) {
  const Link& link = layout.links[i];
  const int n = link.n, c = link.handle_end - link.handle_begin;
  const double* inverse = link.shape->G_inverse.data();
  const Spatial a = ws.bodies[i].a;
  double* s = &ws.e_f[link.scalars];  // Lambda (e_f - mu^T a): the modes without the children
  const Spatial* mu = &ws.kin.columns[link.columns];
  for (int k = 0; k < n; ++k) s[k] -= inverse[k] * dot(mu[k], a);
  Spatial* y = ws.stack.data();
  Spatial* f = y + c;
  for (int h = 0; h < c; ++h) {
    const Handle& handle = layout.handles[link.handle_begin + h];
    y[h] = twist_at(ws.kin.handles[link.handle_begin + h].l, a) + times(&ws.kin.columns[handle.columns], s, n);
  }
  child_wrenches(link, i, c, y, ws, f);
  for (int h = 0; h < c; ++h) {
    const Spatial* Y = &ws.kin.columns[layout.handles[link.handle_begin + h].columns];
    for (int k = 0; k < n; ++k) s[k] -= inverse[k] * dot(Y[k], f[h]);
  }
  for (int k = 0; k < n; ++k) etaddot[k] = s[k];
  for (int h = 0; h < c; ++h) {
    const int at = link.handle_begin + h;
    ws.handles[at].a = twist_at(ws.kin.handles[at].l, a) + times(&ws.kin.columns[layout.handles[at].columns], etaddot, n);
  }
}

}  // namespace limber
