// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Divide and conquer: single bodies.
#include <algorithm>
#include <limits>

#include "dca_steps.hpp"

namespace limber {
namespace {

// The factored modes of a body, D_f = L d L^T: columns L^-1 mu^T and L^-1 Y^T.
struct Modes {
  const Spatial *mu, *Y;    // Y: null if the outboard end does not move with the modes
  const double* d_inverse;  // padded
};

Modes modes_of(const DcaJob& job, const DcaPart& part) {
  const Link& link = job.layout.links[part.first];
  const bool moving = part.open && !part.rigid;
  if (!part.direct) {
    return {&job.ws.mu[link.columns], moving ? &job.ws.Y[link.columns] : nullptr, &job.ws.d_inverse[link.scalars]};
  }
  const Kinematics& kin = job.kin();
  return {&kin.columns[link.columns], moving ? &kin.columns[job.layout.attachments[part.attachment].columns] : nullptr,
          link.constants->G_inverse.data()};
}

// e_f = u - p - K eta - D etadot.
void modal_forces(const DcaJob& job, const Link& link) {
  double* e = &job.ws.e_f[link.scalars];
  const double* p_f = &job.kin().p_f[link.scalars];
  for (int k = 0; k < link.n; ++k) e[k] = p_f[k];
  add_elastic_force(*link.constants, &job.kin().eta[link.scalars], &job.kin().etadot[link.scalars], e);
  for (int k = 0; k < link.n; ++k) e[k] = job.u[link.vm + k] - e[k];
}

// Factors D_f = L d L^T in place, row by row, and applies L^-1 to the columns.  Returns the loss of digits; infinite
// for a mode without inertia.
double factor_rows(int n, const double* scale, double* D, double* d_inverse, Spatial* mu, Spatial* Y, double* e) {
  double loss = 0;
  for (int j = 0; j < n; ++j) {
    double* row = D + static_cast<std::size_t>(j) * n;
    double pivot = row[j];
    for (int k = 0; k < j; ++k) {
      double s = row[k];  // L_jk d_k
      const double* above = D + static_cast<std::size_t>(k) * n;
      for (int m = 0; m < k; ++m) s -= row[m] * above[m];
      row[k] = s;
    }
    for (int k = 0; k < j; ++k) {
      const double l = row[k] * d_inverse[k];
      pivot -= l * row[k];
      row[k] = l;
      mu[j] -= mu[k] * l;
      Y[j] -= Y[k] * l;
      e[j] -= e[k] * l;
    }
    if (!(pivot > 0)) return std::numeric_limits<double>::infinity();
    loss = std::max(loss, scale[j] / pivot);
    d_inverse[j] = 1 / pivot;
  }
  return loss;
}

// D_f = G + sum Y^T Gamma Y of the loads + U^T (mu + P U) + mu^T U of a moving inboard attachment; likewise mu, e_f, P
// and z.
double factor_modes(const DcaJob& job, const DcaPart& part, DcaEnds& ends) {
  DcaData& ws = job.ws;
  const Kinematics& kin = job.kin();
  const Link& link = job.layout.links[part.first];
  const int n = link.n, width = kLanes * lanes_for(n);
  double* D = ws.L.data() + ws.factor_begin[part.first];
  double* e = &ws.e_f[link.scalars];
  Spatial *mu = &ws.mu[link.columns], *Y = &ws.Y[link.columns];
  const double* G = kin.modal_mass(link, static_cast<std::size_t>(part.first));
  for (int j = 0; j < n; ++j) {
    mu[j] = kin.columns[link.columns + j];
    for (int k = 0; k <= j; ++k) D[j * n + k] = G[j * width + k];
  }
  for (int l = part.load_begin; l < part.load_end; ++l) {
    const int h = ws.tree.loads[l].attachment;
    if (h < 0) continue;
    const DcaSum load = load_of(ws, ws.tree.loads[l].branch);
    const Vec4d at = kin.attachments[h].l;
    const Spatial* columns = &kin.columns[job.layout.attachments[h].columns];
    for (int k = 0; k < n; ++k) {
      const Spatial g = load.Gamma * columns[k];
      mu[k] += wrench_from(at, g);
      e[k] -= dot(columns[k], load.z);
      for (int j = k; j < n; ++j) D[j * n + k] += dot(columns[j], g);
    }
    add(ends.P, inertia_from(at, load.Gamma));
    ends.z += wrench_from(at, load.z);
  }
  double* scale = &ws.d_inverse[link.scalars];
  for (int j = 0; j < n; ++j) scale[j] = D[j * n + j];
  const Spatial* U = link.inboard >= 0 ? &kin.columns[link.inboard_columns] : nullptr;
  for (int k = 0; k < n && U != nullptr; ++k) {
    const Spatial PU = ends.P * U[k];
    e[k] -= dot(U[k], ends.z);
    // mu of lower columns already includes P U: U_j (mu_k + P U_k) + mu_j U_k for j >= k.
    for (int j = k; j < n; ++j) D[j * n + k] += dot(U[j], mu[k] + PU) + dot(mu[j], U[k]);
    mu[k] += PU;
  }
  const bool on_node = part.open && part.attachment >= 0;
  for (int k = 0; k < n; ++k) {
    Y[k] = on_node ? kin.columns[job.layout.attachments[part.attachment].columns + k] : zero_spatial();
    if (U != nullptr && part.open) Y[k] += on_node ? twist_at(kin.attachments[part.attachment].l, U[k]) : U[k];
  }
  return factor_rows(n, scale, D, scale, mu, Y, e);
}

// P - mu d^-1 mu^T, X^T - mu d^-1 Y^T, Y d^-1 Y^T.
template <typename N>
void subtract_modes_of(N n, const Modes& m, DcaEnds& ends) {
  Mat6Registers sum = Mat6Registers::from(ends.P);
  for (int k = 0; k < n; ++k) sum.add(m.mu[k] * -m.d_inverse[k], m.mu[k]);
  sum.put(ends.P);
  if (m.Y == nullptr) return;
  sum = Mat6Registers::from(ends.Bt);
  for (int k = 0; k < n; ++k) sum.add(m.mu[k] * -m.d_inverse[k], m.Y[k]);
  sum.put(ends.Bt);
  sum = Mat6Registers{};
  for (int k = 0; k < n; ++k) sum.add(m.Y[k] * m.d_inverse[k], m.Y[k]);
  sum.put(ends.Omega);
}

// Initial values without compliance: Bt = X(l)^T of the outboard end.
void start_ends(const DcaJob& job, const DcaPart& part, DcaEnds& ends) {
  const LinkFrame& f = job.kin().links[part.first];
  ends.P = body_inertia(f.m, f.s, f.J);
  if (!part.open || (part.rigid && !part.closes)) return;
  ends.Bt = identity6();
  ends.Omega = Mat6{};
  ends.y = zero_spatial();
  if (part.attachment < 0) return;
  const Vec4d l = job.kin().attachments[part.attachment].l;
  for (int j = 0; j < 3; ++j) ends.Bt.c[3 + j].ang = cross(l, ends.Bt.c[3 + j].lin);
}

bool is_constant(const DcaJob& job, const DcaPart& part) { return job.layout.ruthless && part.direct; }

void copy_constant(const DcaPart& part, const DcaEnds& from, DcaEnds& to) {
  to.P = from.P;
  if (!part.open || (part.rigid && !part.closes)) return;
  to.Bt = from.Bt;
  to.Omega = from.Omega;
  to.y = zero_spatial();
}

// z += mu d^-1 e, y = Y d^-1 e.
template <typename N>
LIMBER_INLINE void add_modal_forces(N n, const Modes& m, const double* e, DcaEnds& ends) {
  Spatial z = ends.z, y = zero_spatial();
  for (int k = 0; k < n; ++k) {
    const double s = m.d_inverse[k] * e[k];
    z += m.mu[k] * s;
    if (m.Y != nullptr) y += m.Y[k] * s;
  }
  ends.z = z;
  if (m.Y != nullptr) ends.y = y;
}

}  // namespace

void compute_constant(const DcaJob& job, int p) {
  const DcaPart& part = job.ws.tree.parts[p];
  if (part.left >= 0 || !is_constant(job, part)) return;
  start_ends(job, part, job.ws.constants[p]);
  subtract_modes_of(job.layout.links[part.first].n, modes_of(job, part), job.ws.constants[p]);
}

void compute_body(const DcaJob& job, int p) {
  DcaData& ws = job.ws;
  const DcaPart& part = ws.tree.parts[p];
  const Link& link = job.layout.links[part.first];
  DcaEnds& ends = ws.ends[p];
  ends.loss = loss_of(ws, part.branch);
  if (!(ends.loss <= kMaxLoss)) return;
  const bool constant = is_constant(job, part);
  constant ? copy_constant(part, ws.constants[p], ends) : start_ends(job, part, ends);
  ends.z = job.kin().links[part.first].p;
  for (int l = part.load_begin; l < part.load_end; ++l) {
    if (ws.tree.loads[l].attachment >= 0) continue;
    const DcaSum load = load_of(ws, ws.tree.loads[l].branch);
    add(ends.P, load.Gamma);
    ends.z += load.z;
  }
  if (link.n == 0) return;
  modal_forces(job, link);
  if (!part.direct) ends.loss = std::max(ends.loss, factor_modes(job, part, ends));
  if (!(ends.loss <= kMaxLoss)) return;
  const Modes m = modes_of(job, part);
  const double* e = &ws.e_f[link.scalars];
  with_size(link.n, [&](auto n) {
    if (!constant) subtract_modes_of(n, m, ends);
    add_modal_forces(n, m, e, ends);
  });
}

void expand_body(const DcaJob& job, int p, Spatial f) {
  DcaData& ws = job.ws;
  const DcaPart& part = ws.tree.parts[p];
  const Link& link = job.layout.links[part.first];
  const Kinematics& kin = job.kin();
  Spatial a = ws.a[part.first];
  double* t = ws.e_f.data() + link.scalars;  // becomes etaddot
  if (link.n > 0) {
    const Modes m = modes_of(job, part);
    with_size(link.n, [&](auto n) {
      for_each(
          lane_count(n), LIMBER_EACH(c) {
            const int k = c * kLanes;
            Vec4d s = load(t + k) - four_dots(m.mu + k, a);
            if (m.Y != nullptr) s -= four_dots(m.Y + k, f);
            store(t + k, load(m.d_inverse + k) * s);
          });
    });
    const double* L = ws.L.data() + ws.factor_begin[part.first];
    for (int j = link.n - 1; j >= 0 && !part.direct; --j) {
      for (int k = 0; k < j; ++k) t[k] -= L[j * link.n + k] * t[j];
    }
    for (int k = 0; k < link.n; ++k) job.vdot[link.vm + k] = t[k];
    if (link.inboard >= 0) a += times(&kin.columns[link.inboard_columns], t, link.n);
    ws.a[part.first] = a;
  }
  for (int l = part.load_begin; l < part.load_end; ++l) {
    const int h = ws.tree.loads[l].attachment;
    if (h < 0) continue;
    ws.attachment_a[h] =
        twist_at(kin.attachments[h].l, a) + times(&kin.columns[job.layout.attachments[h].columns], t, link.n);
  }
}

}  // namespace limber
