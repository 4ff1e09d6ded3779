// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "elimination.hpp"

// What bodies do without their neighbours before and after the sweeps, four at a time: columns of the attachments, and
// the modes that are not active.  theory §5.
namespace limber {
namespace {

LIMBER_INLINE void add_outer(FourSymmetric& sum, const FourVectors& u, const FourVectors& v) {
  sum.xx += u.x * v.x, sum.yy += u.y * v.y, sum.zz += u.z * v.z;
  sum.xy += u.x * v.y, sum.xz += u.x * v.z, sum.yz += u.y * v.z;
}
LIMBER_INLINE void add_outer(FourMatrices& sum, const FourVectors& u, const FourVectors& v) {
  add(sum.c[0], u, v.x);
  add(sum.c[1], u, v.y);
  add(sum.c[2], u, v.z);
}

// Columns as rows, unknowns in the lanes of each body; one with fewer unknowns has less room.
LIMBER_INLINE void put_four_rows(const FourSpatial* W, int k, Vec4d* const* rows, const int* chunks) {
  Vec4d no_room[6];
  for (int c = 0; c < lanes_for(k); ++c) {
    Vec4d* to[kLanes];
    int stride[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      to[lane] = c < chunks[lane] ? rows[lane] + c : no_room;
      stride[lane] = c < chunks[lane] ? chunks[lane] : 1;
    }
    const FourSpatial* w = W + c * kLanes;
    const auto put = [&](int r, Vec4d w0, Vec4d w1, Vec4d w2, Vec4d w3) __attribute__((always_inline)) {
      scatter(
          w0, w1, w2, w3, LIMBER_LANE(lane) { return to[lane][r * stride[lane]]; });
    };
    put(0, w[0].ang.x, w[1].ang.x, w[2].ang.x, w[3].ang.x);
    put(1, w[0].ang.y, w[1].ang.y, w[2].ang.y, w[3].ang.y);
    put(2, w[0].ang.z, w[1].ang.z, w[2].ang.z, w[3].ang.z);
    put(3, w[0].lin.x, w[1].lin.x, w[2].lin.x, w[3].lin.x);
    put(4, w[0].lin.y, w[1].lin.y, w[2].lin.y, w[3].lin.y);
    put(5, w[0].lin.z, w[1].lin.z, w[2].lin.z, w[3].lin.z);
  }
}

// W = [A lambda; gamma + l x A lambda] + U, at the bodies' origins.
template <typename K>
LIMBER_INLINE void compute_columns(K k, const FourAttachments& at, const FourSpatial* Y, const FourVectors* gamma,
                                   Spatial* const* columns, FourSpatial* W) {
  const FourVectors l = at.l;
  for_each(
      k, LIMBER_EACH(j) {
        const FourVectors ang = at.A * Y[j].ang;
        const FourVectors lin = (gamma != nullptr ? gamma[j] : Y[j].lin) + cross(l, ang);
        W[j].ang = ang;
        W[j].lin = lin;
        scatter(
            ang, LIMBER_LANE(lane) { return columns[lane][j].ang; });
        scatter(
            lin, LIMBER_LANE(lane) { return columns[lane][j].lin; });
      });
}

// b_x = T^T b, and what the other modes leave at the body: z -= mu Lambda b - mu_x b_x.
template <typename N>
LIMBER_INLINE void project_four_forces(const GroupModes& modes, N n, const Vec4d* b, const FourVectors* F,
                                       const FourVectors* S, const FourSpatial* mu, Vec4d* b_x, FourSpatial& z) {
  const Vec4d *T = modes.T.data(), *weight = modes.weight.data();
  for_each(
      n, LIMBER_EACH(a) {
        const Vec4d s = -(weight[a] * b[a]);
        add(z.ang, F[a], s);
        add(z.lin, S[a], s);
      });
  for (int j = 0; j < modes.k; ++j, T += n) {
    Vec4d sum = zero();
    for_each(
        n, LIMBER_EACH(a) { sum += T[a] * b[a]; });
    b_x[j] = sum;
    add(z.ang, mu[j].ang, sum);
    add(z.lin, mu[j].lin, sum);
  }
}

// Where four bodies have what active coordinates need.  Results of a body without them go nowhere.
struct ActiveBodies {
  ArticulatedBody nowhere;
  LinkFrame* f[kLanes];
  ArticulatedBody* body[kLanes];
  Spatial* mu[kLanes];
  double *b[kLanes], *b_modal[kLanes];
  Spatial* lost[kLanes];
  ActiveBodies(const BodyGroup& group, AbaData& ws) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const int i = group.bodies[lane];
      const bool active = ws.unknowns[i].active;
      const std::size_t begin = ws.unknowns[i].begin;
      f[lane] = &ws.kin.links[i];
      body[lane] = active ? &ws.bodies[i] : &nowhere;
      mu[lane] = &ws.mu[begin];
      b[lane] = active ? &ws.b[begin] : ws.modal.data();
      b_modal[lane] = &ws.b_modal[group.scalars[lane]];
      lost[lane] = &ws.active[i].lost;
    }
  }
};

//   mu_x = mu T      M -= mu Lambda mu^T - mu_x mu_x^T
template <typename N>
LIMBER_INLINE void subtract_other_modes(N n, const FourVectors* F, const FourVectors* S, const ActiveBodies& at,
                                        GroupModes& modes) {
  const Vec4d *T = modes.T.data(), *weight = modes.weight.data(), o = zero();
  const int k = modes.k;
  FourSpatial* mu = modes.mu.data();
  for (int j = 0; j < k; ++j, T += n) {
    FourVectors sum{o, o, o};
    for_each(
        n, LIMBER_EACH(a) { add(sum, F[a], T[a]); });
    mu[j].ang = sum;
    scatter(
        sum, LIMBER_LANE(lane) { return at.mu[lane][j].ang; });
  }
  FourSymmetric A{o, o, o, o, o, o};
  for_each(
      n, LIMBER_EACH(a) { add_outer(A, F[a] * weight[a], F[a]); });
  for (int j = 0; j < k; ++j) add_outer(A, mu[j].ang * spread(-1), mu[j].ang);
  modes.lost_A = A;
  const FourVectors none{o, o, o};
  FourMatrices B{none, none, none};
  for_each(
      n, LIMBER_EACH(a) { add_outer(B, F[a] * weight[a], S[a]); });
  for (int j = 0; j < k; ++j) add_outer(B, mu[j].ang * spread(-1), mu[j].lin);
  modes.lost_B = B;
  scatter(
      FourVectors{A.xx, A.yy, A.zz}, LIMBER_LANE(lane) { return at.lost[lane]->ang; });
}

// M with the wrench z in the fourth lanes, without what the other modes take.
LIMBER_INLINE void put_inertia(const GroupModes& modes, const FourSpatial& z, const ActiveBodies& at) {
  const FourVectors J0 = gather(LIMBER_LANE(lane) { return at.f[lane]->J.c[0]; });
  const FourVectors J1 = gather(LIMBER_LANE(lane) { return at.f[lane]->J.c[1]; });
  const FourVectors J2 = gather(LIMBER_LANE(lane) { return at.f[lane]->J.c[2]; });
  const FourSymmetric &A = modes.lost_A, &C = modes.C;
  const Vec4d xy = J1.x - A.xy, xz = J2.x - A.xz, yz = J2.y - A.yz;
  scatter(
      J0.x - A.xx, xy, xz, z.ang.x, LIMBER_LANE(lane) { return at.body[lane]->P.A.x; });
  scatter(
      xy, J1.y - A.yy, yz, z.ang.y, LIMBER_LANE(lane) { return at.body[lane]->P.A.y; });
  scatter(
      xz, yz, J2.z - A.zz, z.ang.z, LIMBER_LANE(lane) { return at.body[lane]->P.A.z; });
  const FourVectors s = gather(LIMBER_LANE(lane) { return at.f[lane]->s; });
  const FourVectors &x = modes.lost_B.c[0], &y = modes.lost_B.c[1], &w = modes.lost_B.c[2];
  scatter(
      -x.x, s.z - x.y, -s.y - x.z, z.lin.x, LIMBER_LANE(lane) { return at.body[lane]->P.B.x; });
  scatter(
      -s.z - y.x, -y.y, s.x - y.z, z.lin.y, LIMBER_LANE(lane) { return at.body[lane]->P.B.y; });
  scatter(
      s.y - w.x, -s.x - w.y, -w.z, z.lin.z, LIMBER_LANE(lane) { return at.body[lane]->P.B.z; });
  scatter(
      FourVectors{C.xx, C.xy, C.xz}, LIMBER_LANE(lane) { return at.body[lane]->P.C.x; });
  scatter(
      FourVectors{C.xy, C.yy, C.yz}, LIMBER_LANE(lane) { return at.body[lane]->P.C.y; });
  scatter(
      FourVectors{C.xz, C.yz, C.zz}, LIMBER_LANE(lane) { return at.body[lane]->P.C.z; });
}

}  // namespace

void set_group_modes(const Layout& layout, std::size_t g, AbaData& ws) {
  const BodyGroup& group = layout.groups[g];
  const int n = group.n;
  GroupModes& modes = ws.group_modes[g];
  modes.active = false;
  modes.k = 0;
  for (const int i : group.bodies) {
    if (!ws.unknowns[i].active) continue;
    modes.active = true;
    modes.k = std::max(modes.k, ws.unknowns[i].modes);
  }
  if (!modes.active) return;
  const int width = kLanes * lanes_for(n), k = modes.k;
  modes.T.assign(static_cast<std::size_t>(k) * n, zero());
  modes.weight.assign(n, zero());
  modes.mu.assign(k, FourSpatial{});
  for (int lane = 0; lane < kLanes; ++lane) {
    const int i = group.bodies[lane];
    const ActiveModes& active = ws.active[i];
    for (int a = 0; ws.unknowns[i].active && a < n; ++a) {
      modes.weight[a][lane] = active.weight[a];
      for (int j = 0; j < ws.unknowns[i].modes; ++j) {
        modes.T[static_cast<std::size_t>(j) * n + a][lane] = active.T[static_cast<std::size_t>(j) * width + a];
      }
    }
  }
  FourSymmetric lost{};
  const std::vector<FourVectors>& S = group.constants->S;
  for (int a = 0; a < n; ++a) add_outer(lost, S[a] * modes.weight[a], S[a]);
  for (int j = 0; j < k; ++j) {
    const Vec4d* T = &modes.T[static_cast<std::size_t>(j) * n];
    FourVectors& lin = modes.mu[j].lin;
    for (int a = 0; a < n; ++a) add(lin, S[a], T[a]);
    add_outer(lost, lin * spread(-1), lin);
    for (int lane = 0; lane < kLanes; ++lane) {
      Vec4d& out = ws.mu[ws.unknowns[group.bodies[lane]].begin + j].lin;
      out = Vec4d{lin.x[lane], lin.y[lane], lin.z[lane], 0};
    }
  }
  const Vec4d m = group.constants->m;
  modes.C = {m - lost.xx, m - lost.yy, m - lost.zz, -lost.xy, -lost.xz, -lost.yz};
  scatter(
      FourVectors{lost.xx, lost.yy, lost.zz}, LIMBER_LANE(lane) { return ws.active[group.bodies[lane]].lost.lin; });
}

void set_node_columns(const Layout& layout, std::size_t g, AbaData& ws) {
  const NodeGroup& group = layout.node_groups[g];
  const int n = group.n, width = kLanes * lanes_for(n);
  int& k = ws.node_unknowns[g] = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const Unknowns& u = ws.unknowns[group.bodies[lane]];
    k = std::max(k, u.modes);
    for (int j = 0; j < n; ++j) {
      FourSpatial& column = ws.node_columns[group.modes + j];
      if (lane == 0) column = FourSpatial{};
      for (int a = 0; a < n && j < u.modes; ++a) {
        const double T = u.active ? ws.active[group.bodies[lane]].T[static_cast<std::size_t>(j) * width + a] : j == a;
        const FourVectors &lambda = group.constants->lambda[a], &gamma = group.constants->gamma[a];
        column.ang.x[lane] += lambda.x[lane] * T, column.lin.x[lane] += gamma.x[lane] * T;
        column.ang.y[lane] += lambda.y[lane] * T, column.lin.y[lane] += gamma.y[lane] * T;
        column.ang.z[lane] += lambda.z[lane] * T, column.lin.z[lane] += gamma.z[lane] * T;
      }
    }
  }
}

void start_columns(const Layout& layout, std::size_t g, AbaData& ws) {
  const NodeGroup& group = layout.node_groups[g];
  const Kinematics& kin = ws.kin;
  const int k = ws.node_unknowns[g];
  FourSpatial* W = ws.group_W.data();
  Spatial* columns[kLanes];
  Vec4d* rows[kLanes];
  int chunks[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    columns[lane] = &ws.W[group.columns[lane]];
    rows[lane] = &ws.W_rows[ws.rows_begin[group.attachments[lane]]];
    chunks[lane] = ws.unknowns[group.bodies[lane]].chunks;
  }
  const FourVectors* gamma = group.constants->second.empty() ? nullptr : &kin.four_gamma[group.modes];
  with_size(k, [&](auto size) {
    compute_columns(size, kin.four_attachments[g], &ws.node_columns[group.modes], gamma, columns, W);
  });
  if (layout.links[group.bodies[0]].inboard >= 0) {
    for (int j = 0; j < k; ++j) {
      const auto U = [&](int lane) -> const Spatial& {
        return kin.columns[layout.links[group.bodies[lane]].inboard_columns + j];
      };
      add(W[j].ang, gather([&](int lane) { return U(lane).ang; }));
      add(W[j].lin, gather([&](int lane) { return U(lane).lin; }));
      scatter(
          W[j].ang, LIMBER_LANE(lane) { return columns[lane][j].ang; });
      scatter(
          W[j].lin, LIMBER_LANE(lane) { return columns[lane][j].lin; });
    }
  }
  for (int j = k; j < kLanes * lanes_for(k); ++j) W[j] = FourSpatial{};
  put_four_rows(W, k, rows, chunks);
}

//   b_x = T^T b      z -= mu Lambda b - mu_x b_x
void start_group(const Layout& layout, std::size_t g, AbaData& ws) {
  const BodyGroup& group = layout.groups[g];
  GroupModes& modes = ws.group_modes[g];
  if (!modes.active) return;
  const ActiveBodies at(group, ws);
  const FourVectors *F = &ws.kin.four_F[group.shapes], *S = group.constants->S.data();
  Vec4d *b = ws.group_b.data(), *b_x = b + kLanes * lanes_for(group.n);
  gather_numbers(
      group.n, [&](int lane) { return at.b_modal[lane]; }, b);
  FourSpatial z{gather(LIMBER_LANE(lane) { return at.body[lane]->z.ang; }),
                gather(LIMBER_LANE(lane) { return at.body[lane]->z.lin; })};
  with_size(group.n, [&](auto n) {
    if (!ws.constant_columns) subtract_other_modes(n, F, S, at, modes);
    project_four_forces(modes, n, b, F, S, modes.mu.data(), b_x, z);
  });
  for (int j = modes.k; j < kLanes * lanes_for(modes.k); ++j) b_x[j] = zero();
  scatter_numbers(modes.k, b_x, [&](int lane) { return at.b[lane]; });
  put_inertia(modes, z, at);
}

namespace {

//   r = b + mu^T a      etaddot = T (x + T^T r) - Lambda r
template <typename N>
LIMBER_INLINE void expand_modes(N n, const GroupModes& modes, const FourVectors* F, const FourVectors* S,
                                const FourSpatial& a, const Vec4d* x, Vec4d* r, Vec4d* out) {
  const Vec4d *T = modes.T.data(), *weight = modes.weight.data();
  for_each(
      n, LIMBER_EACH(m) {
        r[m] += dot(F[m], a.ang) + dot(S[m], a.lin);
        out[m] = -(weight[m] * r[m]);
      });
  for (int j = 0; j < modes.k; ++j, T += n) {
    Vec4d more = x[j];
    for_each(
        n, LIMBER_EACH(m) { more += T[m] * r[m]; });
    for_each(
        n, LIMBER_EACH(m) { out[m] += T[m] * more; });
  }
}

}  // namespace

void expand_group(const Layout& layout, std::size_t g, AbaData& ws, double* vdot) {
  const BodyGroup& group = layout.groups[g];
  const GroupModes& modes = ws.group_modes[g];
  if (!modes.active) return;
  const FourVectors *F = &ws.kin.four_F[group.shapes], *S = group.constants->S.data();
  const int width = kLanes * lanes_for(group.n), whole = group.n - group.n % kLanes;
  Vec4d *r = ws.group_b.data(), *x = r + width, *out = x + width;
  gather_numbers(
      group.n, [&](int lane) { return &ws.b_modal[group.scalars[lane]]; }, r);
  gather_numbers(
      modes.k, [&](int lane) { return &ws.x[ws.unknowns[group.bodies[lane]].begin]; }, x);
  const FourSpatial a{gather(LIMBER_LANE(lane) { return ws.bodies[group.bodies[lane]].a.ang; }),
                      gather(LIMBER_LANE(lane) { return ws.bodies[group.bodies[lane]].a.lin; })};
  with_size(group.n, [&](auto n) { expand_modes(n, modes, F, S, a, x, r, out); });
  double* to[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    const int i = group.bodies[lane];
    to[lane] = ws.unknowns[i].active ? vdot + layout.links[i].vm : ws.modal.data();
  }
  scatter_numbers(whole, out, [&](int lane) { return to[lane]; });
  if (whole == group.n) return;
  Vec4d last[kLanes];
  transpose4(out[whole], out[whole + 1], out[whole + 2], out[whole + 3], last);
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int m = whole; m < group.n; ++m) to[lane][m] = last[lane][m - whole];
  }
}

}  // namespace limber
