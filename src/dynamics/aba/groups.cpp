// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "dynamics/kinematics/deformation.hpp"
#include "elimination.hpp"

// What bodies do without their neighbours before and after the sweeps, four at a time: inertias and forces, columns of
// the attachments, the modes that are not active.  Made in the bodies' own bases, then turned to that of the world.
// theory §5.
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

// ---- to world basis -----------------------------------------------------------------------------------

// R m R^T.
LIMBER_INLINE FourSymmetric turned(const FourMatrices& R, const FourSymmetric& m) {
  const FourVectors x = R * FourVectors{m.xx, m.xy, m.xz}, y = R * FourVectors{m.xy, m.yy, m.yz},
                    z = R * FourVectors{m.xz, m.yz, m.zz};
  const FourVectors &rx = R.c[0], &ry = R.c[1], &rz = R.c[2];
  return {x.x * rx.x + y.x * ry.x + z.x * rz.x, x.y * rx.y + y.y * ry.y + z.y * rz.y,
          x.z * rx.z + y.z * ry.z + z.z * rz.z, x.x * rx.y + y.x * ry.y + z.x * rz.y,
          x.x * rx.z + y.x * ry.z + z.x * rz.z, x.y * rx.z + y.y * ry.z + z.y * rz.z};
}
LIMBER_INLINE FourMatrices turned(const FourMatrices& R, const FourMatrices& m) {
  const FourVectors x = R * m.c[0], y = R * m.c[1], z = R * m.c[2];
  const auto column = [&](Vec4d a, Vec4d b, Vec4d c) __attribute__((always_inline)) {
    FourVectors sum = x * a;
    add(sum, y, b);
    add(sum, z, c);
    return sum;
  };
  return {column(R.c[0].x, R.c[1].x, R.c[2].x), column(R.c[0].y, R.c[1].y, R.c[2].y),
          column(R.c[0].z, R.c[1].z, R.c[2].z)};
}
// R^T v.
LIMBER_INLINE FourVectors turned_back(const FourMatrices& R, const FourVectors& v) {
  return {dot(R.c[0], v), dot(R.c[1], v), dot(R.c[2], v)};
}

LIMBER_INLINE FourMatrices gather_rotations(const std::array<int, kLanes>& bodies, AbaData& ws) {
  WorldFrame* const f = ws.frames.data();
  return {gather(LIMBER_LANE(lane) { return f[bodies[lane]].R.c[0]; }),
          gather(LIMBER_LANE(lane) { return f[bodies[lane]].R.c[1]; }),
          gather(LIMBER_LANE(lane) { return f[bodies[lane]].R.c[2]; })};
}

// ---- forces and inertias ------------------------------------------------------------------------------

// Bias forces of the modes: p + K eta + D etadot - u, or -u alone.
template <bool Bias>
LIMBER_INLINE void collect_modal_forces(const FourBodies& bodies, const FourLoads& loads, const Vec4d* e,
                                        const Vec4d* rate, Vec4d* b) {
  const int n = bodies.n;
  const Vec4d *K = bodies.K.data(), *D = bodies.D.data();
  for (int a = 0; a < n; ++a) {
    if (!Bias) {
      b[a] = -b[a];
    } else if (bodies.elastic_diagonal) {
      b[a] = loads.p_f[a] - b[a] + K[a] * e[a] + D[a] * rate[a];
    } else {
      Vec4d sum = loads.p_f[a] - b[a];
      for (int c = 0; c < n; ++c) sum += K[a * n + c] * e[c] + D[a * n + c] * rate[c];
      b[a] = sum;
    }
  }
}

// b_x = T^T b, and what the other modes leave at the body: z -= mu Lambda b - mu_x b_x.
template <typename N>
LIMBER_INLINE void project_forces(const GroupModes& modes, N n, const Vec4d* b, const FourVectors* F,
                                  const FourVectors* S, Vec4d* b_x, FourSpatial& z) {
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
    const Vec4d s = -(modes.minus * sum);
    add(z.ang, modes.mu[j].ang, s);
    add(z.lin, modes.mu[j].lin, s);
  }
}

//   mu_x = mu T      M -= mu Lambda mu^T - mu_x mu_x^T
template <typename N>
LIMBER_INLINE void subtract_other_modes(N n, const FourVectors* F, const FourVectors* S, GroupModes& modes) {
  const Vec4d *T = modes.T.data(), *weight = modes.weight.data(), o = zero();
  const int k = modes.k;
  FourSpatial* mu = modes.mu.data();
  for (int j = 0; j < k; ++j, T += n) {
    FourVectors sum{o, o, o};
    for_each(
        n, LIMBER_EACH(a) { add(sum, F[a], T[a]); });
    mu[j].ang = sum;
  }
  FourSymmetric A{o, o, o, o, o, o};
  for_each(
      n, LIMBER_EACH(a) { add_outer(A, F[a] * weight[a], F[a]); });
  for (int j = 0; j < k; ++j) add_outer(A, mu[j].ang * modes.minus, mu[j].ang);
  modes.lost_A = A;
  const FourVectors none{o, o, o};
  FourMatrices B{none, none, none};
  for_each(
      n, LIMBER_EACH(a) { add_outer(B, F[a] * weight[a], S[a]); });
  for (int j = 0; j < k; ++j) add_outer(B, mu[j].ang * modes.minus, mu[j].lin);
  modes.lost_B = B;
}

// Where four bodies have what the sweep inward needs.
struct FourPlaces {
  ArticulatedBody* body[kLanes];
  Spatial* mu[kLanes];
  FourPlaces(const BodyGroup& group, AbaData& ws) {
    for (int lane = 0; lane < kLanes; ++lane) {
      body[lane] = &ws.bodies[group.bodies[lane]];
      mu[lane] = &ws.mu[ws.unknowns[group.bodies[lane]].begin];
    }
  }
};

// M with the wrench z in the fourth lanes.
LIMBER_INLINE void put_A(const FourSymmetric& A, const FourVectors& z, const FourPlaces& at) {
  scatter(
      A.xx, A.xy, A.xz, z.x, LIMBER_LANE(lane) { return at.body[lane]->P.A.x; });
  scatter(
      A.xy, A.yy, A.yz, z.y, LIMBER_LANE(lane) { return at.body[lane]->P.A.y; });
  scatter(
      A.xz, A.yz, A.zz, z.z, LIMBER_LANE(lane) { return at.body[lane]->P.A.z; });
}
LIMBER_INLINE void put_B(const FourVectors& x, const FourVectors& y, const FourVectors& z, const FourVectors& wrench,
                         const FourPlaces& at) {
  scatter(
      x.x, x.y, x.z, wrench.x, LIMBER_LANE(lane) { return at.body[lane]->P.B.x; });
  scatter(
      y.x, y.y, y.z, wrench.y, LIMBER_LANE(lane) { return at.body[lane]->P.B.y; });
  scatter(
      z.x, z.y, z.z, wrench.z, LIMBER_LANE(lane) { return at.body[lane]->P.B.z; });
}
LIMBER_INLINE void put_C(const FourSymmetric& C, const FourPlaces& at) {
  scatter(
      FourVectors{C.xx, C.xy, C.xz}, LIMBER_LANE(lane) { return at.body[lane]->P.C.x; });
  scatter(
      FourVectors{C.xy, C.yy, C.yz}, LIMBER_LANE(lane) { return at.body[lane]->P.C.y; });
  scatter(
      FourVectors{C.xz, C.yz, C.zz}, LIMBER_LANE(lane) { return at.body[lane]->P.C.z; });
}

// Of whole bodies: [J, s~; -s~, m 1].
void put_inertia(const FourMatrices& R, const FourLoads& loads, const BodyGroup& group, const FourSpatial& z,
                 const FourPlaces& at) {
  put_A(turned(R, loads.J), z.ang, at);
  const FourVectors s = R * loads.s;
  const Vec4d o = zero(), m = group.constants->m;
  put_B({o, s.z, -s.y}, {-s.z, o, s.x}, {s.y, -s.x, o}, z.lin, at);
  put_C({m, m, m, o, o, o}, at);
}
// Without the modes that are not active.
void put_remaining_inertia(const FourMatrices& R, const FourLoads& loads, const GroupModes& modes, const FourSpatial& z,
                           const FourPlaces& at) {
  const FourSymmetric &J = loads.J, &A = modes.lost_A;
  put_A(turned(R, FourSymmetric{J.xx - A.xx, J.yy - A.yy, J.zz - A.zz, J.xy - A.xy, J.xz - A.xz, J.yz - A.yz}), z.ang,
        at);
  const FourVectors &s = loads.s, &x = modes.lost_B.c[0], &y = modes.lost_B.c[1], &w = modes.lost_B.c[2];
  const FourMatrices B = turned(
      R, FourMatrices{{-x.x, s.z - x.y, -s.y - x.z}, {-s.z - y.x, -y.y, s.x - y.z}, {s.y - w.x, -s.x - w.y, -w.z}});
  put_B(B.c[0], B.c[1], B.c[2], z.lin, at);
  put_C(turned(R, modes.C), at);
}

LIMBER_INLINE void put_column(const FourMatrices& R, int j, const FourVectors& ang, const FourVectors& lin, Vec4d b,
                              const FourPlaces& at) {
  const FourVectors a = R * ang;
  scatter(
      a.x, a.y, a.z, b, LIMBER_LANE(lane) { return at.mu[lane][j].ang; });
  scatter(
      R * lin, LIMBER_LANE(lane) { return at.mu[lane][j].lin; });
}

// Modal mass that depends on the state.
void put_modal_mass(const BodyGroup& group, const Vec4d* G, AbaData& ws) {
  for (int a = 0; a < group.n; ++a, G += kLanes * lanes_for(group.n)) {
    const auto at = [&](std::vector<Vec4d>& D, int lane) {
      const Unknowns& u = ws.unknowns[group.bodies[lane]];
      return reinterpret_cast<double*>(&D[u.D + static_cast<std::size_t>(a) * u.chunks]);
    };
    scatter_numbers(group.n, G, [&](int lane) { return at(ws.D_0, lane); });
    for (int lane = 0; ws.implicit.active && lane < kLanes; ++lane) {
      if (std::count(group.bodies.begin(), group.bodies.begin() + lane, group.bodies[lane]) > 0) continue;
      const double* added = at(ws.implicit.D_added, lane);
      for (int c = 0; c < group.n; ++c) at(ws.D_0, lane)[c] += added[c];
    }
  }
}

// The modes of a group: forces and columns.
template <bool Bias>
void start_modes(const BodyGroup& group, const FourMatrices& R, const FourLoads& loads, const FourPlaces& at,
                 FourSpatial& z, GroupModes& modes, AbaData& ws) {
  const int n = group.n;
  const GroupScratch& scratch = ws.kin.scratch;
  Vec4d* b = ws.group_b.data();
  gather_numbers(
      n, [&](int lane) { return &ws.u[group.vm[lane]]; }, b);
  collect_modal_forces<Bias>(*group.constants, loads, scratch.e.data(), scratch.rate.data(), b);
  if (!modes.active) {
    for (int j = 0; j < n; ++j) put_column(R, j, loads.F[j], loads.S[j], b[j], at);
    if (loads.G != nullptr) put_modal_mass(group, loads.G, ws);
    return;
  }
  scatter_numbers(n, b, [&](int lane) { return &ws.b_modal[group.scalars[lane]]; });
  Vec4d* b_x = b + kLanes * lanes_for(n);
  with_size(n, [&](auto size) {
    if (!ws.constant_columns) subtract_other_modes(size, loads.F, loads.S, modes);
    project_forces(modes, size, b, loads.F, loads.S, b_x, z);
  });
  for (int j = 0; j < modes.k; ++j) put_column(R, j, modes.mu[j].ang, modes.mu[j].lin, b_x[j], at);
  const Vec4d lost = modes.lost_A.xx + modes.lost_A.yy + modes.lost_A.zz;
  for (int lane = 0; lane < kLanes; ++lane) ws.active[group.bodies[lane]].lost_ang = lost[lane];
}

}  // namespace

void set_group_modes(const Layout& layout, std::size_t g, AbaData& ws) {
  const BodyGroup& group = layout.groups[g];
  const int n = group.n;
  GroupModes& modes = ws.group_modes[g];
  modes.active = false;
  modes.k = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    Unknowns& u = ws.unknowns[group.bodies[lane]];
    u.shapes = group.shapes;
    if (lane == 0 || group.bodies[lane] != group.bodies[0]) u.lane = lane;
    modes.active = modes.active || u.active;
    modes.k = std::max(modes.k, u.modes);
    modes.minus[lane] = u.active ? -1 : 0;
  }
  if (!modes.active) return;
  const int width = kLanes * lanes_for(n), k = modes.k;
  modes.T.assign(static_cast<std::size_t>(k) * n, zero());
  modes.weight.assign(n, zero());
  modes.mu.assign(k, FourSpatial{});
  for (int lane = 0; lane < kLanes; ++lane) {
    const int i = group.bodies[lane];
    const ActiveModes& active = ws.active[i];
    const bool all = !ws.unknowns[i].active;
    for (int a = 0; a < n; ++a) {
      if (!all) modes.weight[a][lane] = active.weight[a];
      for (int j = 0; j < ws.unknowns[i].modes; ++j) {
        const double T = all ? (j == a ? 1 : 0) : active.T[static_cast<std::size_t>(j) * width + a];
        modes.T[static_cast<std::size_t>(j) * n + a][lane] = T;
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
    add_outer(lost, lin * modes.minus, lin);
  }
  const Vec4d m = group.constants->m;
  modes.C = {m - lost.xx, m - lost.yy, m - lost.zz, -lost.xy, -lost.xz, -lost.yz};
  for (int lane = 0; lane < kLanes; ++lane) {
    ws.active[group.bodies[lane]].lost_lin = lost.xx[lane] + lost.yy[lane] + lost.zz[lane];
  }
}

void set_node_columns(const Layout& layout, std::size_t g, AbaData& ws) {
  const NodeGroup& group = layout.node_groups[g];
  const int n = group.n, width = kLanes * lanes_for(n);
  int &k = ws.node_unknowns[g] = 0, &turning = ws.node_turning[g] = 0;
  FourSpatial* columns = &ws.node_columns[group.modes];
  std::fill_n(columns, n, FourSpatial{});
  for (int lane = 0; lane < kLanes; ++lane) {
    const Unknowns& u = ws.unknowns[group.bodies[lane]];
    k = std::max(k, u.modes);
    for (int j = 0; j < u.modes; ++j) {
      // Sums that are zero but for rounding are zero: active coordinates that only move come after those that turn.
      const auto sum = [&](Vec4d FourVectors::*c, const std::vector<FourVectors>& shapes) {
        double total = 0, size = 0;
        for (int a = 0; a < n; ++a) {
          const double T = u.active ? ws.active[group.bodies[lane]].T[static_cast<std::size_t>(j) * width + a] : j == a;
          total += (shapes[a].*c)[lane] * T;
          size += std::abs((shapes[a].*c)[lane] * T);
        }
        return std::abs(total) > kSameRow * size ? total : 0;
      };
      for (Vec4d FourVectors::*c : {&FourVectors::x, &FourVectors::y, &FourVectors::z}) {
        const double ang = sum(c, group.constants->lambda);
        (columns[j].ang.*c)[lane] = ang;
        (columns[j].lin.*c)[lane] = sum(c, group.constants->gamma);
        if (ang != 0) turning = std::max(turning, j + 1);
      }
    }
  }
  if (layout.links[group.bodies[0]].inboard >= 0) turning = k;
}

template <bool Bias>
void start_group(const Layout& layout, std::size_t g, AbaData& ws) {
  const BodyGroup& group = layout.groups[g];
  const FourMatrices R = gather_rotations(group.bodies, ws);
  WorldFrame* const f = ws.frames.data();
  const FourMotions motion(turned_back(R, gather(LIMBER_LANE(lane) { return f[group.bodies[lane]].w; })),
                           turned_back(R, gather(LIMBER_LANE(lane) { return f[group.bodies[lane]].wdot; })),
                           turned_back(R, gather(LIMBER_LANE(lane) { return f[group.bodies[lane]].vdot; })));
  GroupScratch& scratch = ws.kin.scratch;
  gather_numbers(
      group.n, [&](int lane) { return &ws.q[group.qm[lane]]; }, scratch.e.data());
  gather_numbers(
      group.n, [&](int lane) { return &ws.v[group.vm[lane]]; }, scratch.rate.data());
  FourLoads loads;
  compute_loads(layout, group, motion, ws.kin, scratch, loads);
  const FourVectors none{zero(), zero(), zero()};
  FourSpatial z{none, none};
  if (Bias) z.ang = loads.p.ang, z.lin = loads.p.lin;
  const FourPlaces at(group, ws);
  GroupModes& modes = ws.group_modes[g];
  if (group.n > 0) start_modes<Bias>(group, R, loads, at, z, modes, ws);
  z.ang = R * z.ang;
  z.lin = R * z.lin;
  if (modes.active) return put_remaining_inertia(R, loads, modes, z, at);
  put_inertia(R, loads, group, z, at);
}
template void start_group<true>(const Layout& layout, std::size_t g, AbaData& ws);
template void start_group<false>(const Layout& layout, std::size_t g, AbaData& ws);

//   W = [A lambda; gamma + l x A lambda] + U, at the bodies' origins
void start_columns(const Layout& layout, std::size_t g, AbaData& ws) {
  const NodeGroup& group = layout.node_groups[g];
  const FourMatrices R = gather_rotations(group.bodies, ws);
  const FourAttachments& at = ws.kin.four_attachments[g];
  const FourMatrices RA{R * at.A.c[0], R * at.A.c[1], R * at.A.c[2]};
  const FourVectors l = R * at.l;
  const FourSpatial* Y = &ws.node_columns[group.modes];
  const FourVectors* gamma = group.constants->second.empty() ? nullptr : &ws.kin.four_gamma[group.modes];
  Spatial* columns[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) columns[lane] = &ws.W[group.columns[lane]];
  for (int j = 0; j < ws.node_unknowns[g]; ++j) {
    FourVectors lin = R * (gamma != nullptr ? gamma[j] : Y[j].lin);
    if (j < ws.node_turning[g]) {
      const FourVectors ang = RA * Y[j].ang;
      add(lin, cross(l, ang));
      scatter(
          ang, LIMBER_LANE(lane) { return columns[lane][j].ang; });
    }
    scatter(
        lin, LIMBER_LANE(lane) { return columns[lane][j].lin; });
  }
  if (layout.links[group.bodies[0]].inboard < 0) return;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (lane > 0 && group.attachments[lane] == group.attachments[0]) continue;
    const Spatial* U = &ws.U[layout.links[group.bodies[lane]].inboard_columns];
    for (int j = 0; j < group.n; ++j) columns[lane][j] += U[j];
  }
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
  const FourMatrices R = gather_rotations(group.bodies, ws);
  const FourSpatial a{turned_back(R, gather(LIMBER_LANE(lane) { return ws.bodies[group.bodies[lane]].a.ang; })),
                      turned_back(R, gather(LIMBER_LANE(lane) { return ws.bodies[group.bodies[lane]].a.lin; }))};
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
