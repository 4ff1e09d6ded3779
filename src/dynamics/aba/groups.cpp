// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "coordinates.hpp"
#include "dynamics/kinematics/deformation.hpp"
#include "elimination.hpp"

// Computations of single bodies before and after the sweeps, for four bodies at once: inertias and forces, columns of
// attachments, modes that are not active.  Computed in the bodies' own bases, then rotated to world basis.  theory §5.
namespace limber {
namespace {

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

LIMBER_INLINE FourVectors gather_frames(const GroupStep& at, Vec4d WorldFrame::*part) {
  return gather([&](int lane) __attribute__((always_inline))->const Vec4d& { return at.frame[lane]->*part; });
}
LIMBER_INLINE FourMatrices gather_rotations(const auto& at) {
  const auto column = [&](int j) __attribute__((always_inline)) {
    return gather([&](int lane) __attribute__((always_inline))->const Vec4d& { return at.frame[lane]->R.c[j]; });
  };
  return {column(0), column(1), column(2)};
}

// ---- forces and inertias ------------------------------------------------------------------------------

// Bias forces of the modes: p + K eta + D etadot - u, or -u alone.
template <bool Bias>
LIMBER_INLINE void collect_modal_forces(const FourBodies& bodies, const FourLoads& loads, const Vec4d* e,
                                        const Vec4d* rate, Vec4d* b) {
  const Vec4d *K = bodies.K.data(), *D = bodies.D.data(), *p = loads.p_f;
  with_size(bodies.n, [&](auto n) {
    if (!Bias || bodies.elastic_diagonal) {
      for_each(
          n, LIMBER_EACH(a) { b[a] = Bias ? p[a] - b[a] + K[a] * e[a] + D[a] * rate[a] : -b[a]; });
      return;
    }
    for (int a = 0; a < n; ++a) {
      Vec4d sum = p[a] - b[a];
      for (int c = 0; c < n; ++c) sum += K[a * n + c] * e[c] + D[a * n + c] * rate[c];
      b[a] = sum;
    }
  });
}

// b_x = T^T b, and the wrench of the other modes on the body: z -= mu Lambda b - mu_x b_x.
template <typename Coordinates>
LIMBER_INLINE void project_forces(const Coordinates& coordinates, const GroupModes& modes, int n, const Vec4d* b,
                                  const FourVectors* F, const FourVectors* S, Vec4d* b_x, FourSpatial& z) {
  const Vec4d *T = modes.T, *weight = modes.weight;
  const FourSpatial* mu = modes.mu.data();
  FourVectors ang = z.ang, lin = z.lin;
  coordinates.for_modes(LIMBER_MODES(axis, first, size) {
    for_each(
        size, LIMBER_EACH(i) {
          const int a = first + i;
          const Vec4d s = -(weight[a] * b[a]);
          add(ang, F[a], s);
          add_along(axis, lin, S[a], s);
        });
  });
  coordinates.for_active(LIMBER_ACTIVE(axis, j, first, size) {
    const Vec4d* T_j = T + j * n;
    Vec4d sum = zero();
    for_many(
        size, LIMBER_EACH(i) { sum += T_j[first + i] * b[first + i]; });
    b_x[j] = sum;
    const Vec4d s = -(modes.minus * sum);
    add(ang, mu[j].ang, s);
    add_along(axis, lin, mu[j].lin, s);
  });
  z.ang = ang, z.lin = lin;
}

//   mu_x = mu T      M -= mu Lambda mu^T - mu_x mu_x^T
template <typename Coordinates>
LIMBER_INLINE void subtract_other_modes(const Coordinates& coordinates, int n, const FourVectors* F,
                                        const FourVectors* S, GroupModes& modes) {
  const Vec4d *T = modes.T, *weight = modes.weight, o = zero(), minus = modes.minus;
  FourSpatial* mu = modes.mu.data();
  coordinates.for_active(LIMBER_ACTIVE(, j, first, size) {
    const Vec4d* T_j = T + j * n;
    FourVectors sum{o, o, o};
    for_many(
        size, LIMBER_EACH(i) { add(sum, F[first + i], T_j[first + i]); });
    mu[j].ang = sum;
  });
  FourSymmetric A{o, o, o, o, o, o};
  coordinates.for_modes(LIMBER_MODES(, first, size) {
    for_each(
        size, LIMBER_EACH(i) { add_outer(A, F[first + i] * weight[first + i], F[first + i]); });
  });
  coordinates.for_active(LIMBER_ACTIVE(, j, , ) { add_outer(A, mu[j].ang * minus, mu[j].ang); });
  modes.lost_A = A;
  const FourVectors none{o, o, o};
  FourMatrices B{none, none, none};
  coordinates.for_modes(LIMBER_MODES(axis, first, size) {
    for_each(
        size, LIMBER_EACH(i) { add_outer_along(axis, B, F[first + i], S[first + i], weight[first + i]); });
  });
  coordinates.for_active(LIMBER_ACTIVE(axis, j, , ) { add_outer_along(axis, B, mu[j].ang, mu[j].lin, minus); });
  modes.lost_B = B;
}

// M with the wrench z in the fourth lanes.
LIMBER_INLINE void put_A(const FourSymmetric& A, const FourVectors& z, const GroupStep& at) {
  scatter(
      A.xx, A.xy, A.xz, z.x, LIMBER_LANE(lane) { return at.P[lane]->A.x; });
  scatter(
      A.xy, A.yy, A.yz, z.y, LIMBER_LANE(lane) { return at.P[lane]->A.y; });
  scatter(
      A.xz, A.yz, A.zz, z.z, LIMBER_LANE(lane) { return at.P[lane]->A.z; });
}
LIMBER_INLINE void put_B(const FourVectors& x, const FourVectors& y, const FourVectors& z, const FourVectors& wrench,
                         const GroupStep& at) {
  scatter(
      x.x, x.y, x.z, wrench.x, LIMBER_LANE(lane) { return at.P[lane]->B.x; });
  scatter(
      y.x, y.y, y.z, wrench.y, LIMBER_LANE(lane) { return at.P[lane]->B.y; });
  scatter(
      z.x, z.y, z.z, wrench.z, LIMBER_LANE(lane) { return at.P[lane]->B.z; });
}
LIMBER_INLINE void put_C(const FourSymmetric& C, const GroupStep& at) {
  scatter(
      FourVectors{C.xx, C.xy, C.xz}, LIMBER_LANE(lane) { return at.P[lane]->C.x; });
  scatter(
      FourVectors{C.xy, C.yy, C.yz}, LIMBER_LANE(lane) { return at.P[lane]->C.y; });
  scatter(
      FourVectors{C.xz, C.yz, C.zz}, LIMBER_LANE(lane) { return at.P[lane]->C.z; });
}

// Inertia of the body without reduction: [J, s~; -s~, m 1].
LIMBER_INLINE void put_inertia(const FourSymmetric& J, const FourVectors& s, Vec4d m, const FourSpatial& z,
                               const GroupStep& at) {
  const Vec4d o = zero();
  put_A(J, z.ang, at);
  put_B({o, s.z, -s.y}, {-s.z, o, s.x}, {s.y, -s.x, o}, z.lin, at);
  put_C({m, m, m, o, o, o}, at);
}
// Rigid bodies, computed in world basis.
template <bool Bias>
void start_rigid(const FourBodies& bodies, const GroupStep& at) {
  const FourMatrices R = gather_rotations(at);
  const FourSymmetric J = turned(R, bodies.J);
  const FourVectors s = R * bodies.s, none{zero(), zero(), zero()};
  FourSpatial z{none, none};
  if (Bias) {
    const FourSpatial p = rigid_forces(bodies.m, s, J, gather_frames(at, &WorldFrame::w),
                                       gather_frames(at, &WorldFrame::wdot), gather_frames(at, &WorldFrame::vdot));
    z.ang = p.ang, z.lin = p.lin;
  }
  put_inertia(J, s, bodies.m, z, at);
}
// Inertia after elimination of the modes that are not active.
void put_remaining_inertia(const FourMatrices& R, const FourLoads& loads, const GroupModes& modes, const FourSpatial& z,
                           const GroupStep& at) {
  const FourSymmetric &J = loads.J, &A = modes.lost_A;
  put_A(turned(R, FourSymmetric{J.xx - A.xx, J.yy - A.yy, J.zz - A.zz, J.xy - A.xy, J.xz - A.xz, J.yz - A.yz}), z.ang,
        at);
  const FourVectors &s = loads.s, &x = modes.lost_B.c[0], &y = modes.lost_B.c[1], &w = modes.lost_B.c[2];
  const FourMatrices B = turned(
      R, FourMatrices{{-x.x, s.z - x.y, -s.y - x.z}, {-s.z - y.x, -y.y, s.x - y.z}, {s.y - w.x, -s.x - w.y, -w.z}});
  put_B(B.c[0], B.c[1], B.c[2], z.lin, at);
  put_C(turned(R, modes.C), at);
}

// A column of mu; the linear part is zero, along an axis of the body, or general (kAnyAxis).
template <int Axis>
LIMBER_INLINE void put_column(Size<Axis> axis, const FourMatrices& R, int j, const FourVectors& ang,
                              const FourVectors& lin, Vec4d b, const GroupStep& at) {
  const FourVectors a = R * ang;
  scatter(
      a.x, a.y, a.z, b, LIMBER_LANE(lane) { return at.columns[lane][j].ang; });
  if constexpr (Axis < 0) {
    for (int lane = 0; lane < kLanes; ++lane) at.columns[lane][j].lin = zero();
    return;
  }
  scatter(
      times_along(axis, R, lin), LIMBER_LANE(lane) { return at.columns[lane][j].lin; });
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

// Columns of all modes.
void put_all_columns(const FourBodies& bodies, const FourMatrices& R, const FourLoads& loads, const Vec4d* b,
                     const GroupStep& at) {
  if (bodies.beam_modes.empty()) {
    for (int j = 0; j < bodies.n; ++j) put_column(Size<kAnyAxis>{}, R, j, loads.F[j], loads.S[j], b[j], at);
    return;
  }
  with_families(bodies, [&](auto families) {
    for_beam_modes(
        families, LIMBER_MODES(axis, first, size) {
          for_each(
              size, LIMBER_EACH(i) {
                const int j = first + i;
                put_column(axis, R, j, loads.F[j], loads.S[j], b[j], at);
              });
        });
  });
}

// The modes of a group: forces and columns.
template <bool Bias>
void start_modes(const BodyGroup& group, const FourMatrices& R, const FourLoads& loads, const GroupStep& at,
                 FourSpatial& z, GroupModes& modes, AbaData& ws) {
  const int n = group.n;
  const GroupScratch& scratch = ws.kin.scratch;
  Vec4d* b = modes.active ? &ws.four_b[group.shapes] : ws.group_b.data();
  gather_numbers(
      n, [&](int lane) { return at.u[lane]; }, b);
  collect_modal_forces<Bias>(*group.constants, loads, scratch.e.data(), scratch.rate.data(), b);
  if (!modes.active) {
    put_all_columns(*group.constants, R, loads, b, at);
    if (loads.G != nullptr) put_modal_mass(group, loads.G, ws);
    return;
  }
  Vec4d* b_x = ws.group_b.data();
  with_coordinates(*group.constants, modes, [&](const auto& coordinates) {
    if (!ws.constant_columns) subtract_other_modes(coordinates, n, loads.F, loads.S, modes);
    project_forces(coordinates, modes, n, b, loads.F, loads.S, b_x, z);
    coordinates.for_active(
        LIMBER_ACTIVE(axis, j, , ) { put_column(axis, R, j, modes.mu[j].ang, modes.mu[j].lin, b_x[j], at); });
  });
  if (ws.constant_columns) return;
  const Vec4d lost = modes.lost_A.xx + modes.lost_A.yy + modes.lost_A.zz;
  for (int lane = 0; lane < kLanes; ++lane) ws.active[group.bodies[lane]].lost_ang = lost[lane];
}

}  // namespace

template <bool Bias>
void start_group(const Layout& layout, std::size_t g, AbaData& ws) {
  const BodyGroup& group = layout.groups[g];
  const GroupStep& at = ws.group_steps[g];
  if (group.n == 0) return start_rigid<Bias>(*group.constants, at);
  const FourMatrices R = gather_rotations(at);
  const FourMotions motion(turned_back(R, gather_frames(at, &WorldFrame::w)),
                           turned_back(R, gather_frames(at, &WorldFrame::wdot)),
                           turned_back(R, gather_frames(at, &WorldFrame::vdot)));
  GroupScratch& scratch = ws.kin.scratch;
  gather_numbers(
      group.n, [&](int lane) { return at.q[lane]; }, scratch.e.data());
  gather_numbers(
      group.n, [&](int lane) { return at.v[lane]; }, scratch.rate.data());
  GroupModes& modes = ws.group_modes[g];
  FourLoads loads;
  FourVectors* F = modes.active || layout.ruthless ? &ws.kin.four_F[group.shapes] : ws.group_F.data();
  compute_loads(layout, group, motion, F, scratch, loads);
  const FourVectors none{zero(), zero(), zero()};
  FourSpatial z{none, none};
  if (Bias) z.ang = loads.p.ang, z.lin = loads.p.lin;
  start_modes<Bias>(group, R, loads, at, z, modes, ws);
  z.ang = R * z.ang;
  z.lin = R * z.lin;
  if (modes.active) return put_remaining_inertia(R, loads, modes, z, at);
  put_inertia(turned(R, loads.J), R * loads.s, group.constants->m, z, at);
}
template void start_group<true>(const Layout& layout, std::size_t g, AbaData& ws);
template void start_group<false>(const Layout& layout, std::size_t g, AbaData& ws);

//   W = [A lambda; gamma + l x A lambda] + U, at the bodies' origins
void start_columns(const Layout& layout, std::size_t g, AbaData& ws) {
  const NodeGroup& group = layout.node_groups[g];
  const NodeStep& step = ws.node_steps[g];
  const FourMatrices R = gather_rotations(step);
  const FourAttachments& at = ws.kin.four_attachments[g];
  FourMatrices turned_A;
  if (!layout.ruthless) turned_A = {R * at.A.c[0], R * at.A.c[1], R * at.A.c[2]};
  const FourMatrices& RA = layout.ruthless ? R : turned_A;
  const FourVectors l = R * at.l;
  Spatial* const* columns = step.columns;
  const auto put_turn = [&](int j, const FourVectors& ang, FourVectors& lin) __attribute__((always_inline)) {
    add(lin, cross(l, ang));
    scatter(
        ang, LIMBER_LANE(lane) { return columns[lane][j].ang; });
  };
  const AxisColumns* axes = step.axes;
  const FourSpatial* Y = &ws.node_columns[group.modes];
  const FourVectors* gamma = group.constants->second.empty() ? nullptr : &ws.kin.four_gamma[group.modes];
  for (int j = 0; j < step.k; ++j) {
    FourVectors lin;
    if (axes != nullptr) {
      lin = R.c[axes[j].move] * axes[j].lin;
      if (j < step.turning) {
        put_turn(j, RA.c[axes[j].turn] * axes[j].ang, lin);
      } else if (step.clears) {
        for (int lane = 0; lane < kLanes; ++lane) columns[lane][j].ang = zero();
      }
    } else {
      lin = R * (gamma != nullptr ? gamma[j] : Y[j].lin);
      if (j < step.turning || step.clears) put_turn(j, RA * Y[j].ang, lin);
    }
    scatter(
        lin, LIMBER_LANE(lane) { return columns[lane][j].lin; });
  }
  if (!step.on_node) return;
  for (int lane = 0; lane < kLanes; ++lane) {
    if (lane > 0 && group.attachments[lane] == group.attachments[0]) continue;
    const Spatial* U = &ws.U[layout.links[group.bodies[lane]].inboard_columns];
    for (int j = 0; j < group.n; ++j) columns[lane][j] += U[j];
  }
}

namespace {

//   r = b + mu^T a      etaddot = T (x + T^T r) - Lambda r
template <typename Coordinates>
LIMBER_INLINE void expand_modes(const Coordinates& coordinates, int n, const GroupModes& modes, const FourVectors* F,
                                const FourVectors* S, const FourSpatial& a, const Vec4d* x, Vec4d* r, Vec4d* out) {
  const Vec4d *T = modes.T, *weight = modes.weight;
  coordinates.for_modes(LIMBER_MODES(axis, first, size) {
    for_each(
        size, LIMBER_EACH(i) {
          const int m = first + i;
          const Vec4d sum = plus_dot_along(axis, r[m] + dot(F[m], a.ang), S[m], a.lin);
          r[m] = sum;
          out[m] = -(weight[m] * sum);
        });
  });
  coordinates.for_active(LIMBER_ACTIVE(, j, first, size) {
    const Vec4d* T_j = T + j * n;
    Vec4d more = x[j];
    for_many(
        size, LIMBER_EACH(i) { more += T_j[first + i] * r[first + i]; });
    for_many(
        size, LIMBER_EACH(i) { out[first + i] += T_j[first + i] * more; });
  });
}

}  // namespace

void gather_forces(const Layout& layout, AbaData& ws) {
  for (std::size_t g = 0; g < layout.groups.size(); ++g) {
    const BodyGroup& group = layout.groups[g];
    if (!ws.group_modes[g].active) continue;
    gather_numbers(
        group.n, [&](int lane) { return &ws.b_modal[group.scalars[lane]]; }, &ws.four_b[group.shapes]);
  }
}

void expand_group(const Layout& layout, std::size_t g, AbaData& ws, double* vdot) {
  const BodyGroup& group = layout.groups[g];
  const GroupModes& modes = ws.group_modes[g];
  const GroupStep& at = ws.group_steps[g];
  const FourVectors *F = &ws.kin.four_F[group.shapes], *S = group.constants->S.data();
  const int n = group.n;
  Vec4d *r = &ws.four_b[group.shapes], *x = ws.group_b.data(), *out = x + kLanes * lanes_for(n);
  gather_numbers(
      modes.k, [&](int lane) { return at.x[lane]; }, x);
  const FourMatrices R = gather_rotations(at);
  const FourSpatial a{turned_back(R, gather(LIMBER_LANE(lane) { return at.a[lane]->ang; })),
                      turned_back(R, gather(LIMBER_LANE(lane) { return at.a[lane]->lin; }))};
  with_coordinates(*group.constants, modes,
                   [&](const auto& coordinates) { expand_modes(coordinates, n, modes, F, S, a, x, r, out); });
  double* to[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    to[lane] = modes.minus[lane] != 0 ? vdot + group.vm[lane] : ws.modal.data();
  }
  const auto put = [&](int first) __attribute__((always_inline)) {
    scatter_numbers(kLanes, out + first, [&](int lane) { return to[lane] + first; });
  };
  for (int m = 0; m + kLanes <= n; m += kLanes) put(m);
  if (n % kLanes != 0 && n > kLanes) put(n - kLanes);  // overlaps, so that no entry past the last mode is written
  for (int m = 0; n < kLanes && m < n; ++m) {
    for (int lane = 0; lane < kLanes; ++lane) to[lane][m] = out[m][lane];
  }
}

}  // namespace limber
