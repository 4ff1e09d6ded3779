// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "elimination.hpp"

namespace limber {
namespace {

// Column k of D_f starts as column k of G, from the chunk of its diagonal on.
LIMBER_INLINE void copy_modal_mass(const Shape& shape, const double* G_state, int width, double* D) {
  const int n = shape.n;
  const double* G = shape.ne > n ? G_state : shape.G.data();
  for (int k = 0; k < n; ++k) {
    double* column = D + static_cast<std::size_t>(k) * width;
    for (int j = k / kLanes * kLanes; j < n; ++j) column[j] = G[k * n + j];
  }
}

// D += Y^T Gamma Y, mu += X^T Gamma Y, P += X^T Gamma X of one node.
LIMBER_INLINE void add_handle(const ArticulatedHandle& handle, Lane l, const Spatial* Y, int n, int width, double* D,
                              Spatial* mu, Mat6& P) {
  const Mat6& Gamma = handle.Gamma;
  for (int k = 0; k < n; ++k) {
    const Spatial g = Gamma * Y[k];
    mu[k] += wrench_from(l, g);
    double* column = D + static_cast<std::size_t>(k) * width;
    for (int j = k / kLanes * kLanes; j < n; j += kLanes) store(column + j, load(column + j) + four_dots(Y + j, g));
  }
  add(P, inertia_from(l, Gamma));
}

// H_f = [1 U^T]: D += U^T P_rf + mu^T U, mu = P_rf + P_rr U.
void add_root(const Spatial* U, const Mat6& P, int n, int width, double* D, Spatial* mu) {
  for (int k = 0; k < n; ++k) {
    double* column = D + static_cast<std::size_t>(k) * width;
    const Spatial before = mu[k], PU = P * U[k];
    for (int j = k; j < n; ++j) column[j] += dot(U[j], before + PU) + dot(mu[j], U[k]);
  }
  for (int k = 0; k < n; ++k) mu[k] += P * U[k];
}

// D = L d L^T in place, by columns; y = L^-1 mu; P -= y d^-1 y^T.
LIMBER_INLINE int factor(int n, int width, double* D, double* d_inverse, Spatial* y, Mat6& P) {
  for (int k = 0; k < n; ++k) {
    double* column = D + static_cast<std::size_t>(k) * width;
    const double d = column[k];
    if (!(d > kNoInertia * d_inverse[k])) return k;  // d_inverse still holds the diagonal before elimination
    const double inverse = 1 / d;
    d_inverse[k] = inverse;
    const Spatial scaled = y[k] * inverse;
    for (int j = k + 1; j < n; ++j) {
      const double c = column[j];
      const Lane factor = spread(c * inverse);
      double* other = D + static_cast<std::size_t>(j) * width;
      for (int r = j / kLanes * kLanes; r < n; r += kLanes) store(other + r, load(other + r) - factor * load(column + r));
      y[j] -= scaled * c;
    }
    for (int r = k / kLanes * kLanes; r < n; r += kLanes) store(column + r, load(column + r) * spread(inverse));
    subtract_outer(P, scaled, y[k]);
  }
  return -1;
}

}  // namespace

int factor_cholesky(const Layout& layout, int i, AbaWorkspace& ws) {
  const Link& link = layout.links[i];
  const Kinematics& kin = ws.kin;
  const int n = link.n, width = kLanes * lanes_for(n);
  double* D = &ws.L[ws.factor_begin[i]];
  double* d_inverse = &ws.d_inverse[link.scalars];
  Spatial* y = &ws.y[link.columns];
  Mat6& P = ws.bodies[i].P;
  copy_modal_mass(*link.shape, kin.G[i].data(), width, D);
  for (int k = 0; k < n; ++k) y[k] = kin.columns[link.columns + k];
  for (int h = link.handle_begin; h < link.handle_end; ++h) {
    add_handle(ws.handles[h], kin.handles[h].l, &kin.columns[layout.handles[h].columns], n, width, D, y, P);
  }
  if (link.root >= 0) add_root(&kin.columns[link.root_columns], P, n, width, D, y);
  for (int k = 0; k < n; ++k) d_inverse[k] = D[static_cast<std::size_t>(k) * width + k];
  return factor(n, width, D, d_inverse, y, P);
}

void reduce_cholesky(const Layout& layout, int i, AbaWorkspace& ws) {
  const Link& link = layout.links[i];
  const Kinematics& kin = ws.kin;
  const int n = link.n, width = kLanes * lanes_for(n);
  Spatial& z = ws.bodies[i].z;
  double* e = &ws.e_f[link.scalars];
  for (int h = link.handle_begin; h < link.handle_end; ++h) {
    const Spatial z_h = ws.handles[h].z;
    const Spatial* Y = &kin.columns[layout.handles[h].columns];
    for (int k = 0; k < n; k += kLanes) store(e + k, load(e + k) - four_dots(Y + k, z_h));
    z += wrench_from(kin.handles[h].l, z_h);
  }
  if (link.root >= 0) {
    const Spatial* U = &kin.columns[link.root_columns];
    for (int k = 0; k < n; ++k) e[k] -= dot(U[k], z);
  }
  const double* L = &ws.L[ws.factor_begin[i]];
  const double* d_inverse = &ws.d_inverse[link.scalars];
  const Spatial* y = &ws.y[link.columns];
  for (int k = 0; k < n; ++k) {
    const double* column = L + static_cast<std::size_t>(k) * width;
    for (int j = k + 1; j < n; ++j) e[j] -= column[j] * e[k];
    z += y[k] * (e[k] * d_inverse[k]);
  }
}

void expand_cholesky(const Layout& layout, int i, AbaWorkspace& ws, double* etaddot) {
  const Link& link = layout.links[i];
  const Kinematics& kin = ws.kin;
  const int n = link.n, width = kLanes * lanes_for(n);
  Spatial& a = ws.bodies[i].a;
  double* t = &ws.e_f[link.scalars];
  const double* L = &ws.L[ws.factor_begin[i]];
  const double* d_inverse = &ws.d_inverse[link.scalars];
  const Spatial* y = &ws.y[link.columns];
  for (int k = 0; k < n; k += kLanes) store(t + k, load(d_inverse + k) * (load(t + k) - four_dots(y + k, a)));
  for (int k = n - 1; k >= 0; --k) {
    const double* column = L + static_cast<std::size_t>(k) * width;
    double value = t[k];
    for (int j = k + 1; j < n; ++j) value -= column[j] * etaddot[j];
    etaddot[k] = value;
  }
  if (link.root >= 0) a += times(&kin.columns[link.root_columns], etaddot, n);
  for (int h = link.handle_begin; h < link.handle_end; ++h) {
    ws.handles[h].a = twist_at(kin.handles[h].l, a) + times(&kin.columns[layout.handles[h].columns], etaddot, n);
  }
}

}  // namespace limber
