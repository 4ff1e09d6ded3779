// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "elimination.hpp"

// Active coordinates.  With the modal mass G = diag and Lambda = G^-1, orthonormal combinations xi = Lambda^(-1/2) eta
// are turned so that the first k of them, x, span all rows of the outboard attachments' columns: k <= 6 per attachment.
// The others move no attachment, so that they meet nothing but their own body.  theory §5.
namespace limber {
namespace {

// Rows that are combinations of others, but for rounding.
constexpr double kSameRow = 1e-12;

// Makes a row of `width` orthogonal to the k orthonormal rows Q, and of length 1; false: it is a combination of them.
bool orthonormalise(double* row, const double* Q, int k, int width) {
  const auto scale = [&](double length) { std::for_each(row, row + width, [&](double& x) { x /= length; }); };
  const auto length = [&] { return std::sqrt(std::inner_product(row, row + width, row, 0.0)); };
  const double before = length();
  if (!(before > 0)) return false;
  scale(before);
  for (int pass = 0; pass < 2; ++pass) {
    for (const double* q = Q; q < Q + static_cast<std::ptrdiff_t>(k) * width; q += width) {
      const double along = std::inner_product(row, row + width, q, 0.0);
      for (int a = 0; a < width; ++a) row[a] -= along * q[a];
    }
  }
  const double after = length();
  if (!(after > kSameRow)) return false;
  scale(after);
  return true;
}

// The inverse of a diagonal modal mass, with what an implicit step adds to it.
void set_weight(const BodyConstants& constants, const ImplicitTerms& implicit,
                std::vector<double, Vec4dAllocator>& weight) {
  weight.assign(static_cast<std::size_t>(kLanes) * lanes_for(constants.n), 0);
  for (int a = 0; a < constants.n; ++a) {
    const double G = constants.G[static_cast<std::size_t>(a) * constants.ne + a];
    weight[a] = 1 / (implicit.active ? G + implicit.c_D * constants.D[a] + implicit.c_K * constants.K[a] : G);
  }
}

// Orthonormal combinations that span the rows of the attachments, into T; their number, or n when none are left over.
int find_directions(const Layout& layout, const Link& link, const double* root,
                    std::vector<double, Vec4dAllocator>& T) {
  const int n = link.n, width = kLanes * lanes_for(n), count = link.attachment_end - link.attachment_begin;
  T.resize(static_cast<std::size_t>(std::min(n, 6 * count)) * width);
  int k = 0;
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
    const NodeConstants& node = link.constants->nodes[layout.attachments[h].node];
    if (!node.second.empty()) return n;
    for (int r = 0; r < 6; ++r) {
      double* row = &T[static_cast<std::size_t>(k) * width];
      std::fill(row, row + width, 0.0);
      for (int a = 0; a < n; ++a) row[a] = root[a] * (r < 3 ? node.lambda[a][r] : node.gamma[a][r - 3]);
      k += orthonormalise(row, T.data(), k, width) ? 1 : 0;
      if (k == n) return n;
    }
  }
  return k;
}

}  // namespace

void find_active(const Layout& layout, int i, AbaData& ws) {
  const Link& link = layout.links[i];
  const BodyConstants& constants = *link.constants;
  const int n = link.n, width = kLanes * lanes_for(n);
  const bool diagonal = constants.mass_diagonal() && (!ws.implicit.active || constants.elastic_diagonal);
  Unknowns& u = ws.unknowns[i];
  u.active = false;
  u.modes = n;
  if (n == 0 || link.elimination != Elimination::condensed || !diagonal) return;
  ActiveModes& active = ws.active[i];
  set_weight(constants, ws.implicit, active.weight);
  double* root = ws.modal.data();
  for (int a = 0; a < n; ++a) root[a] = std::sqrt(active.weight[a]);
  const int k = find_directions(layout, link, root, active.T);
  if (k >= n) return;
  u.active = true;
  u.modes = k;
  for (int c = 0; c < k; ++c) {
    for (int a = 0; a < n; ++a) active.T[static_cast<std::size_t>(c) * width + a] *= root[a];
  }
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
    const NodeConstants& node = constants.nodes[layout.attachments[h].node];
    for (int c = 0; c < k; ++c) {
      Spatial& column = ws.active_nodes[layout.attachments[h].columns + c] = zero_spatial();
      for (int a = 0; a < n; ++a) {
        column += Spatial{node.lambda[a], node.gamma[a]} * active.T[static_cast<std::size_t>(c) * width + a];
      }
    }
  }
}

namespace {

// Usual numbers of registers per modal vector as constants of the compiled code.
template <typename Kernel>
LIMBER_INLINE void with_lanes(int n, Kernel kernel) {
  const int lanes = lanes_for(n);
  if (lanes == 1) return kernel(Size<1>{});
  if (lanes == 2) return kernel(Size<2>{});
  if (lanes == 3) return kernel(Size<3>{});
  kernel(lanes);
}

template <typename Lanes>
LIMBER_INLINE double padded_dot(Lanes lanes, const double* a, const double* b) {
  Vec4d total = zero();
  for_each(
      lanes, LIMBER_EACH(c) { total += load(a + c * kLanes) * load(b + c * kLanes); });
  return sum(total);
}

// b of the active coordinates: T^T b.
template <typename Lanes>
LIMBER_INLINE void project_forces(Lanes lanes, const Unknowns& u, const double* T, const double* b_modal, double* b) {
  for (int c = 0; c < u.modes; ++c, T += kLanes * lanes) b[c] = padded_dot(lanes, T, b_modal);
}

}  // namespace

//   mu_x = mu T      M -= mu Lambda mu^T - mu_x mu_x^T      with b in the fourth lanes: z -= mu Lambda b - mu_x b_x
void start_active(const Layout& layout, int i, Spatial p, AbaData& ws) {
  if (ws.constant_columns) {
    ws.bodies[i].z = p;
    start_active_forces(layout, i, ws);
    set(ws.bodies[i].P, ws.active[i].M);
    add_wrench(ws.bodies[i].P, ws.bodies[i].z);
    return;
  }
  const Link& link = layout.links[i];
  const Unknowns& u = ws.unknowns[i];
  ActiveModes& active = ws.active[i];
  const int n = link.n, width = kLanes * lanes_for(n);
  const Spatial* own = &ws.kin.columns[link.columns];
  const double* b_modal = &ws.b_modal[link.scalars];
  Spatial* mu = &ws.mu[u.begin];
  double* b = &ws.b[u.begin];
  with_lanes(n, [&](auto lanes) { project_forces(lanes, u, active.T.data(), b_modal, b); });
  Inertia M;
  set(M, ws.bodies[i].P);
  const Spatial whole = diagonal(M);
  for (int k = 0; k < n; ++k) {
    const Vec4d weight = spread(active.weight[k]);
    const Spatial m{with_last(own[k].ang, spread(b_modal[k])), own[k].lin};
    subtract_outer(M, Spatial{m.ang * weight, m.lin * weight}, m);
  }
  const auto take_back = [&](Spatial m, int c) __attribute__((always_inline)) {
    mu[c] = m;
    const Spatial with_b{with_last(m.ang, spread(b[c])), m.lin};
    subtract_outer(M, Spatial{-with_b.ang, -with_b.lin}, with_b);
  };
  // Two columns at a time: their sums share the loads.
  int c = 0;
  for (; c + 1 < u.modes; c += 2) {
    const double *T = &active.T[static_cast<std::size_t>(c) * width], *T2 = T + width;
    Spatial first = zero_spatial(), second = first;
    for (int k = 0; k < n; ++k) {
      const Vec4d t = spread(T[k]), t2 = spread(T2[k]);
      first.ang += own[k].ang * t, first.lin += own[k].lin * t;
      second.ang += own[k].ang * t2, second.lin += own[k].lin * t2;
    }
    take_back(first, c);
    take_back(second, c + 1);
  }
  if (c < u.modes) take_back(times(own, &active.T[static_cast<std::size_t>(c) * width], n), c);
  set(ws.bodies[i].P, M);
  active.lost = whole - diagonal(M);
}

void start_active_forces(const Layout& layout, int i, AbaData& ws) {
  const Link& link = layout.links[i];
  const Unknowns& u = ws.unknowns[i];
  const ActiveModes& active = ws.active[i];
  const double* b_modal = &ws.b_modal[link.scalars];
  double* b = &ws.b[u.begin];
  double* weighted = ws.modal.data();
  with_lanes(link.n, [&](auto lanes) {
    project_forces(lanes, u, active.T.data(), b_modal, b);
    for_each(
        lanes, LIMBER_EACH(c) {
          store(weighted + c * kLanes, load(&active.weight[c * kLanes]) * load(b_modal + c * kLanes));
        });
  });
  ws.bodies[i].z += times(&ws.mu[u.begin], b, u.modes) - times(&ws.kin.columns[link.columns], weighted, link.n);
}

//   r = b + mu^T a      etaddot = T (x + T^T r) - Lambda r
void expand_active(const Link& link, int i, const double* x, AbaData& ws, double* etaddot) {
  const Unknowns& u = ws.unknowns[i];
  const ActiveModes& active = ws.active[i];
  const double* b_modal = &ws.b_modal[link.scalars];
  const Spatial* own = &ws.kin.columns[link.columns];
  const Spatial a = ws.bodies[i].a;
  double* r = ws.modal.data();
  double* out = r + kLanes * lanes_for(link.n);
  with_lanes(link.n, [&](auto lanes) {
    for_each(
        lanes, LIMBER_EACH(c) {
          const Vec4d residual = load(b_modal + c * kLanes) + four_dots(own + c * kLanes, a);
          store(r + c * kLanes, residual);
          store(out + c * kLanes, -residual * load(&active.weight[c * kLanes]));
        });
    const double* T = active.T.data();
    for (int k = 0; k < u.modes; ++k, T += kLanes * lanes) {
      const Vec4d more = spread(x[k] + padded_dot(lanes, T, r));
      for_each(
          lanes, LIMBER_EACH(c) { store(out + c * kLanes, load(out + c * kLanes) + load(T + c * kLanes) * more); });
    }
  });
  with_size(link.n, [&](auto n) {
    for_each(
        n, LIMBER_EACH(k) { etaddot[k] = out[k]; });
  });
}

//   (Lambda - T T^T) b
void other_modes(const Link& link, int i, const AbaData& ws, double* out) {
  const Unknowns& u = ws.unknowns[i];
  const ActiveModes& active = ws.active[i];
  const double* b = &ws.b_modal[link.scalars];
  const int width = kLanes * lanes_for(link.n);
  for (int k = 0; k < link.n; ++k) out[k] = active.weight[k] * b[k];
  for (int c = 0; c < u.modes; ++c) {
    const double* T = &active.T[static_cast<std::size_t>(c) * width];
    double along = 0;
    for (int k = 0; k < link.n; ++k) along += T[k] * b[k];
    for (int k = 0; k < link.n; ++k) out[k] -= T[k] * along;
  }
}

}  // namespace limber
