// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "elimination.hpp"

// Active coordinates.  With diagonal modal mass G and Lambda = G^-1, an orthogonal transformation of the
// mass-normalised modes xi = Lambda^(-1/2) eta makes the first k coordinates, x, span all rows of the outboard
// attachments' columns: k <= 6 per attachment.  The other coordinates move no attachment and couple only to their own
// body.  theory §5.
namespace limber {
namespace {

// Gram-Schmidt: makes a row of `width` orthogonal to the k orthonormal rows Q and scales it to length 1.  Returns false
// if it is linearly dependent on them.
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

// Inverse of the diagonal modal mass, including the terms added by an implicit step.
void set_weight(const BodyConstants& constants, const ImplicitTerms& implicit,
                std::vector<double, Vec4dAllocator>& weight) {
  weight.assign(static_cast<std::size_t>(kLanes) * lanes_for(constants.n), 0);
  for (int a = 0; a < constants.n; ++a) {
    const double G = constants.G[static_cast<std::size_t>(a) * constants.ne + a];
    weight[a] = 1 / (implicit.active ? G + implicit.c_D * constants.D[a] + implicit.c_K * constants.K[a] : G);
  }
}

// Writes to T an orthonormal basis of the rows of the attachments.  Returns its size, or n if no reduction is possible.
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
  const bool diagonal = has_diagonal_mass(constants, ws.implicit);
  Unknowns& u = ws.unknowns[i];
  u.active = false;
  u.modes = n;
  if (n == 0 || link.elimination != Elimination::active || !diagonal) return;
  ActiveModes& active = ws.active[i];
  set_weight(constants, ws.implicit, active.weight);
  double* root = ws.modal.data();
  for (int a = 0; a < n; ++a) root[a] = std::sqrt(active.weight[a]);
  const int k = find_directions(layout, link, root, active.T);
  if (k >= n || (k == 0 && n <= kFewModes)) return;  // a leaf body with few modes is cheaper without
  u.active = true;
  u.modes = k;
  for (int c = 0; c < k; ++c) {
    for (int a = 0; a < n; ++a) active.T[static_cast<std::size_t>(c) * width + a] *= root[a];
  }
}

//   b_x = T^T b      z -= mu Lambda b - mu_x b_x
void start_active_forces(const Layout& layout, int i, AbaData& ws) {
  const Link& link = layout.links[i];
  const Unknowns& u = ws.unknowns[i];
  const ActiveModes& active = ws.active[i];
  const double* b_modal = &ws.b_modal[link.scalars];
  const int width = kLanes * lanes_for(link.n);
  const auto of_body = [&](const FourVectors& four) {
    return Vec4d{four.x[u.lane], four.y[u.lane], four.z[u.lane], 0};
  };
  Spatial z = zero_spatial();
  for (int a = 0; a < link.n; ++a) {
    z -= Spatial{of_body(ws.kin.four_F[u.shapes + a]), link.constants->S[a]} * (active.weight[a] * b_modal[a]);
  }
  const Mat3& R = ws.frames[i].R;
  z = {R * z.ang, R * z.lin};
  for (int j = 0; j < u.modes; ++j) {
    const double* T = &active.T[static_cast<std::size_t>(j) * width];
    const double b = std::inner_product(T, T + link.n, b_modal, 0.0);
    ws.b[u.begin + j] = b;
    const FourSpatial& mu = ws.group_modes[u.group].mu[j];
    z += Spatial{R * of_body(mu.ang), R * of_body(mu.lin)} * b;
  }
  ws.bodies[i].z += z;
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
