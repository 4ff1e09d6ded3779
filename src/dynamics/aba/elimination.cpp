// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "elimination.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

// ---- sizes --------------------------------------------------------------------------------------------

// The usual numbers are constants of the compiled code: k columns of modes, r of the hinge, c outboard attachments.
template <typename Kernel>
LIMBER_INLINE decltype(auto) with_columns(const Link& link, int k, int r, Kernel kernel) {
  const int c = link.attachment_end - link.attachment_begin;
  if (r == 1 && k == 0 && c == 0) return kernel(Size<0>{}, Size<1>{}, Size<0>{});
  if (r == 1 && c == 1 && link.inboard < 0) {
    switch (k) {
      case 1:
        return kernel(Size<1>{}, Size<1>{}, Size<1>{});
      case 2:
        return kernel(Size<2>{}, Size<1>{}, Size<1>{});
      case 3:
        return kernel(Size<3>{}, Size<1>{}, Size<1>{});
      case 4:
        return kernel(Size<4>{}, Size<1>{}, Size<1>{});
      case 5:
        return kernel(Size<5>{}, Size<1>{}, Size<1>{});
      case 6:
        return kernel(Size<6>{}, Size<1>{}, Size<1>{});
      default:
        break;
    }
  }
  return kernel(k, r, c);
}
// Constants of the compiled code say that the joint sits on the body frame.
template <int C>
LIMBER_INLINE constexpr bool has_inboard(Size<C>, const Link&) {
  return false;
}
LIMBER_INLINE bool has_inboard(int, const Link& link) { return link.inboard >= 0; }
template <int K, int R>
constexpr Size<K + R> total(Size<K>, Size<R>) {
  return {};
}
constexpr int total(int k, int r) { return k + r; }
template <int M>
constexpr Size<lanes_for(M)> chunk_count(Size<M>, int) {
  return {};
}
constexpr int chunk_count(int, int chunks) { return chunks; }

// A column over the unknowns: of a fixed number in registers, of any number in memory.
template <int C>
struct RegisterColumn {
  Vec4d chunk[C];
  explicit RegisterColumn(const Vec4d* from) {
    for_each(
        Size<C>{}, LIMBER_EACH(c) { chunk[c] = from[c]; });
  }
  Vec4d& operator[](int c) { return chunk[c]; }
  void put(Vec4d* memory) {
    for_each(
        Size<C>{}, LIMBER_EACH(c) { memory[c] = chunk[c]; });
  }
};
struct MemoryColumn {
  Vec4d* chunk;
  Vec4d& operator[](int c) { return chunk[c]; }
  void put(Vec4d*) {}
};
template <int C>
LIMBER_INLINE RegisterColumn<C> make_column(Size<C>, const Vec4d* from, Vec4d*) {
  return RegisterColumn<C>(from);
}
LIMBER_INLINE MemoryColumn make_column(int chunks, const Vec4d* from, Vec4d* memory) {
  if (from != memory) std::copy_n(from, chunks, memory);
  return {memory};
}

// ---- inward -------------------------------------------------------------------------------------------

// Columns as rows, unknowns in the lanes; beyond k they are zero.
template <typename K, typename Chunks>
LIMBER_INLINE void put_rows(K k, Chunks chunks, const Spatial* columns, Vec4d* rows) {
  for_each(
      chunks, LIMBER_EACH(c) {
        const auto column = [&](int j) __attribute__((always_inline)) {
          return c * kLanes + j < k ? columns[c * kLanes + j] : zero_spatial();
        };
        const Spatial s0 = column(0), s1 = column(1), s2 = column(2), s3 = column(3);
        rows_of(s0.ang, s1.ang, s2.ang, s3.ang, rows + c, chunks);
        rows_of(s0.lin, s1.lin, s2.lin, s3.lin, rows + 3 * chunks + c, chunks);
      });
}

// column += rows^T g, from the chunk `first` on.
template <typename Chunks, typename Column>
LIMBER_INLINE void add_products(Chunks chunks, int first, const Vec4d* rows, const Spatial& g, Column& column) {
  for (int i = 0; i < 3; ++i) {
    const Vec4d a = spread(g.ang[i]), l = spread(g.lin[i]);
    for_each(
        chunks, LIMBER_EACH(c) {
          if (c >= first) column[c] = column[c] + rows[i * chunks + c] * a + rows[(3 + i) * chunks + c] * l;
        });
  }
}

// mu and D of the modes.  U: columns of the body frame, where the body is held at a moving node.
//   mu = mu_0 + M U + sum Gamma W      D = D_0 + sum W^T (Gamma W) + U^T (mu_0 + M U) + mu_0^T U
template <typename K, typename Chunks, typename C>
LIMBER_INLINE void collect_modes(K k, Chunks chunks, C carrying, bool bounded, const Layout& layout, const Link& link,
                                 int i, AbaData& ws, const Inertia& M, Spatial* mu) {
  const Unknowns& u = ws.unknowns[i];
  const Spatial* own = u.active ? &ws.mu[u.begin] : &ws.kin.columns[link.columns];
  const Spatial* U = has_inboard(carrying, link) ? &ws.kin.columns[link.inboard_columns] : nullptr;
  const double* b = &ws.b[u.begin];
  const Vec4d* D_0 = &ws.D_0[u.D];
  Vec4d* D = ws.D.data();
  double* scale = ws.scale.data();
  Block Bt{};
  if (U != nullptr) {
    put_rows(k, chunks, U, ws.U_rows.data());
    put_rows(k, chunks, own, ws.mu_rows.data());
    Bt = transpose(M.B);
  }
  for_each(
      k, LIMBER_EACH(j) {
        Spatial m{with_last(own[j].ang, spread(b[j])), own[j].lin};
        Vec4d* out = D + j * chunks;
        auto column = make_column(chunks, D_0 + j * chunks, out);
        const double alone = reinterpret_cast<const double*>(D_0 + j * chunks)[j];
        constexpr int kFirst = 0;
        if (U != nullptr) {
          m += times(M, Bt, U[j]);
          add_products(chunks, kFirst, ws.U_rows.data(), m, column);
          add_products(chunks, kFirst, ws.mu_rows.data(), U[j], column);
        }
        for_each(
            carrying, LIMBER_EACH(h) {
              const int at = link.attachment_begin + h;
              const ArticulatedAttachment& carried = ws.attachments[at];
              const Spatial g = times(carried.Gamma, carried.Bt, ws.W[layout.attachments[at].columns + j]);
              m += g;
              add_products(chunks, j / kLanes, &ws.W_rows[ws.rows_begin[at]], g, column);
            });
        mu[j] = m;
        column.put(out);
        scale[j] = bounded ? alone : std::max(alone, column[j / kLanes][j % kLanes]);
      });
}

// mu = P H, and D of the hinge: H^T mu of all unknowns, plus the armature.
template <typename K, typename R, typename Chunks>
LIMBER_INLINE void collect_hinge(K k, R r, Chunks chunks, const Link& link, int i, AbaData& ws, const Inertia& P,
                                 Spatial* mu) {
  const Unknowns& u = ws.unknowns[i];
  const Spatial* H = ws.kin.hinge_map(link);
  const Block Bt = transpose(P.B);
  Spatial scale = diagonal(P);
  if (u.active) scale += ws.active[i].lost;
  for_each(
      r, LIMBER_EACH(j) {
        mu[k + j] = times(P, Bt, H[j]);
        mu[k + j].ang += Vec4d{0, 0, 0, ws.b[u.begin + k + j]};
        ws.scale[k + j] = inertia_scale(scale, H[j]);
      });
  double* D = reinterpret_cast<double*>(ws.D.data());
  const double* D_0 = reinterpret_cast<const double*>(&ws.D_0[u.D]);
  const int width = kLanes * chunks;
  for_each(
      r, LIMBER_EACH(j) {
        for_each(
            chunks, LIMBER_EACH(c) {
              if (c * kLanes >= k + j) return;
              const Vec4d products = four_dots(mu + c * kLanes, H[j]);
              for (int s = 0; s < kLanes; ++s) {
                if (c * kLanes + s < k + j) D[(c * kLanes + s) * width + k + j] = products[s];
              }
            });
        D[(k + j) * width + k + j] = dot(mu[k + j], H[j]) + D_0[(k + j) * width + k + j];
      });
}

// The lanes below number j of a column.
constexpr Vec4d kBelow[kLanes] = {{0, 1, 1, 1}, {0, 0, 1, 1}, {0, 0, 0, 1}, {0, 0, 0, 0}};

// D = L d L^T by columns, left-looking; L has zeros on its diagonal.  y = L^-1 mu^T in the place of mu.  Returns the
// unknown without inertia, or -1.  With U = 0 and a diagonal modal mass G, D = G + W^T Gamma W leaves pivots that
// are at least G_jj, whatever the load: what is below that is rounding of the load.  `modal`, `hinge`: the share of
// `scale` that no pivot of the first k unknowns, and of the others, is below.
template <typename M, typename Chunks>
LIMBER_INLINE int factor(M m, Chunks chunks, int k_modes, double modal, double hinge, const double* scale, Vec4d* D,
                         Vec4d* L, double* d_inverse, Spatial* y) {
  int failure = -1;
  for_each(
      m, LIMBER_EACH(j) {
        auto column = make_column(chunks, D + j * chunks, D + j * chunks);
        Spatial y_j = y[j];
        for_each(
            j, LIMBER_EACH(k) {
              const Vec4d l = spread(reinterpret_cast<const double*>(L + k * chunks)[j]);
              for_each(
                  chunks, LIMBER_EACH(c) {
                    if (c >= j / kLanes) column[c] -= l * D[k * chunks + c];
                  });
              y_j = {y_j.ang - l * y[k].ang, y_j.lin - l * y[k].lin};
            });
        y[j] = y_j;
        const double raw = column[j / kLanes][j % kLanes], least = (j < k_modes ? modal : hinge) * scale[j];
        const double pivot = raw < least ? least : raw;  // NaN stays
        if (!(pivot > kNoInertia * scale[j]) && failure < 0) failure = j;
        d_inverse[j] = 1 / pivot;
        column.put(D + j * chunks);
        const Vec4d inverse = spread(d_inverse[j]);
        for_each(
            chunks, LIMBER_EACH(c) {
              if (c == j / kLanes) L[j * chunks + c] = column[c] * (inverse * kBelow[j % kLanes]);
              if (c > j / kLanes) L[j * chunks + c] = column[c] * inverse;
            });
      });
  return failure;
}

// P+ = P - y d^-1 y^T;  Z = L^-T d^-1 y in the place of y.
template <typename M, typename Chunks>
LIMBER_INLINE void subtract_unknowns(M m, Chunks chunks, const Vec4d* L, const double* d_inverse, Spatial* y,
                                     Inertia& P) {
  for_each(
      m, LIMBER_EACH(j) {
        const Vec4d inverse = spread(d_inverse[j]);
        const Spatial scaled{y[j].ang * inverse, y[j].lin * inverse};
        subtract_outer(P, scaled, y[j]);
        y[j] = scaled;
      });
  for_each(
      m, LIMBER_EACH(from_end) {
        const int j = m - 1 - from_end;
        Spatial z = y[j];
        for_each(
            from_end, LIMBER_EACH(back) {
              const int k = m - 1 - back;
              const Vec4d l = spread(reinterpret_cast<const double*>(L + j * chunks)[k]);
              z = {z.ang - l * y[k].ang, z.lin - l * y[k].lin};
            });
        y[j] = z;
      });
}

// What a single hinge would feel without the loads on the body's moving nodes, or 0: nothing but rounding.  With
// bounded modes no load can make its pivot smaller than this.
double own_inertia(const Link& link, int i, const AbaData& ws) {
  const Unknowns& u = ws.unknowns[i];
  const Inertia& M = ws.bodies[i].P;
  const Spatial h = ws.kin.hinge_map(link)[0];
  const Spatial* own = u.active ? &ws.mu[u.begin] : &ws.kin.columns[link.columns];
  const double* D_0 = reinterpret_cast<const double*>(&ws.D_0[u.D]);
  const auto mass = [&](int j) { return D_0[j * (kLanes * u.chunks + 1)]; };
  Spatial scale = diagonal(M);
  if (u.active) scale += ws.active[i].lost;
  double inertia = dot(h, times(M, transpose(M.B), h)) + mass(u.modes);
  for (int j = 0; j < u.modes; ++j) inertia -= dot(own[j], h) * dot(own[j], h) / mass(j);
  return inertia > kNoInertia * inertia_scale(scale, h) ? inertia : 0;
}

// To the parent's origin, in its basis.
LIMBER_INLINE void hand_over(const Link& link, int i, AbaData& ws, Inertia& P) {
  if (link.parent == kGround) return;
  rotate(ws.kin.links[i].R, P);
  shift(from_parent(link, i, ws.kin), P);
  if (link.attachment < 0) {
    add(ws.bodies[link.parent].P, P);
    return;
  }
  ArticulatedAttachment& into = ws.attachments[link.attachment];
  if (!link.opens_attachment) add(P, into.Gamma);
  set(into.Gamma, P);
  into.Bt = transpose(P.B);
}

// A prescribed hinge: P and z of its joint side stay; the parent feels z + P H betadot.
void prescribe(const Link& link, int i, const double* given, AbaData& ws, Inertia& handed) {
  const Inertia& P = ws.bodies[i].P;
  ws.bodies[i].z = wrench_of(P);
  handed = P;
  add_wrench(handed, times(P, transpose(P.B), times(ws.kin.hinge_map(link), given + link.v, link.nr)));
}

// `least`: pivot of a single hinge that rounding of the load has hidden.
template <typename K, typename R, typename C>
int eliminate_columns(K k, R r, C carrying, const Layout& layout, const Link& link, int i, const double* given,
                      AbaData& ws, double least = 0) {
  const Unknowns& u = ws.unknowns[i];
  const auto m = total(k, r);
  const auto chunks = chunk_count(m, u.chunks);
  Spatial* mu = &ws.Z[u.begin];
  const bool bounded = !has_inboard(carrying, link) && has_diagonal_mass(*link.constants, ws.implicit);
  collect_modes(k, chunks, carrying, bounded, layout, link, i, ws, ws.bodies[i].P, mu);
  Inertia P;
  set(P, ws.bodies[i].P);
  for_each(
      carrying, LIMBER_EACH(h) { add(P, ws.attachments[link.attachment_begin + h].Gamma); });
  collect_hinge(k, r, chunks, link, i, ws, P, mu);
  if (least > 0) ws.scale[k] = least;
  double* d_inverse = &ws.d_inverse[u.begin];
  const int failure =
      factor(m, chunks, k, bounded ? 1 : 0, least > 0 ? 1 : 0, ws.scale.data(), ws.D.data(), &ws.L[u.D], d_inverse, mu);
  if (failure >= 0) {
    ws.failure_is_number = !std::isnan(d_inverse[failure]);
    const double own = failure == k && r == 1 && bounded && least == 0 ? own_inertia(link, i, ws) : 0;
    if (own > 0) return eliminate_columns<int, int, int>(k, r, carrying, layout, link, i, given, ws, own);
    return failure < k ? link.vm + failure : link.v + failure - k;
  }
  subtract_unknowns(m, chunks, &ws.L[u.D], d_inverse, mu, P);
  if (r == 0 && given != nullptr) {
    Inertia handed;
    set(ws.bodies[i].P, P);
    prescribe(link, i, given, ws, handed);
    set(P, handed);
  }
  hand_over(link, i, ws, P);
  return -1;
}

// ---- outward ------------------------------------------------------------------------------------------

// x = -Z a, in whose fourth lane is D^-1 b.
template <typename K, typename R, typename C>
void accelerate_columns(K k, R r, C carrying, const Layout& layout, const Link& link, int i, AbaData& ws,
                        double* vdot) {
  const Unknowns& u = ws.unknowns[i];
  const LinkFrame& f = ws.kin.links[i];
  const Spatial& from = link.attachment >= 0 ? ws.attachments[link.attachment].a : ws.bodies[link.parent].a;
  Spatial a{f.Rt * from.ang, f.Rt * (from.lin + cross(from.ang, from_parent(link, i, ws.kin)))};
  const Spatial* H = ws.kin.hinge_map(link);
  if (ws.prescribed[i] != 0) a += times(H, vdot + link.v, link.nr);
  double* x = &ws.x[u.begin];
  const Spatial with_one{a.ang + Vec4d{0, 0, 0, 1}, a.lin};
  const Spatial* Z = &ws.Z[u.begin];
  const auto m = total(k, r);
  for_each(
      chunk_count(m, u.chunks), LIMBER_EACH(c) {
        if (c * kLanes + 1 == m) {
          x[c * kLanes] = -dot(Z[c * kLanes], with_one);
        } else {
          store(x + c * kLanes, -four_dots(Z + c * kLanes, with_one));
        }
      });
  for_each(
      r, LIMBER_EACH(j) {
        vdot[link.v + j] = x[k + j];
        a += H[j] * x[k + j];
      });
  for_each(
      carrying, LIMBER_EACH(h) {
        const int at = link.attachment_begin + h;
        ws.attachments[at].a = a + times(&ws.W[layout.attachments[at].columns], x, k);
      });
  if (has_inboard(carrying, link)) a += times(&ws.kin.columns[link.inboard_columns], x, k);
  ws.bodies[i].a = a;
  if (u.active) return;  // expand_group
  double* etaddot = vdot + link.vm;
  for_each(
      k, LIMBER_EACH(j) { etaddot[j] = x[j]; });
}

}  // namespace

int eliminate(const Layout& layout, int i, const double* given, AbaData& ws) {
  const Link& link = layout.links[i];
  return with_columns(link, ws.unknowns[i].modes, given != nullptr ? 0 : link.nr,
                      [&](auto k, auto r, auto c) { return eliminate_columns(k, r, c, layout, link, i, given, ws); });
}

void accelerate(const Layout& layout, int i, AbaData& ws, double* vdot) {
  const Link& link = layout.links[i];
  with_columns(link, ws.unknowns[i].modes, ws.prescribed[i] != 0 ? 0 : link.nr,
               [&](auto k, auto r, auto c) { accelerate_columns(k, r, c, layout, link, i, ws, vdot); });
}

void solve_unknowns(const Unknowns& u, int count, const AbaData& ws, const double* b, double* x) {
  const double* L = reinterpret_cast<const double*>(&ws.L[u.D]);
  const int width = kLanes * u.chunks;
  for (int j = 0; j < count; ++j) x[j] = b[j];
  for (int k = 0; k < count; ++k) {
    for (int j = k + 1; j < count; ++j) x[j] -= L[k * width + j] * x[k];
  }
  for (int k = count - 1; k >= 0; --k) {
    x[k] *= ws.d_inverse[u.begin + k];
    for (int j = k + 1; j < count; ++j) x[k] -= L[k * width + j] * x[j];
  }
}

//   b' = b + U^T z + sum W^T z_h,  H^T (z + sum z_h)      z+ = z + sum z_h - Z^T b'
void reduce(const Layout& layout, int i, AbaData& ws) {
  const Link& link = layout.links[i];
  const Unknowns& u = ws.unknowns[i];
  if (u.active) start_active_forces(layout, i, ws);
  Spatial z = ws.bodies[i].z;
  double* b = &ws.b[u.begin];
  for (int k = 0; link.inboard >= 0 && k < u.modes; ++k) b[k] += dot(ws.kin.columns[link.inboard_columns + k], z);
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
    const Spatial* W = &ws.W[layout.attachments[h].columns];
    for (int k = 0; k < u.modes; ++k) b[k] += dot(W[k], ws.attachments[h].z);
    z += ws.attachments[h].z;
  }
  const int r = ws.prescribed[i] != 0 ? 0 : link.nr, count = u.modes + r;
  for (int k = 0; k < r; ++k) b[u.modes + k] += dot(ws.kin.hinge_map(link)[k], z);
  for (int k = 0; k < count; ++k) z -= ws.Z[u.begin + k] * b[k];
  ws.bodies[i].z = {without_last(z.ang), z.lin};
  double* x = &ws.x[u.begin];
  solve_unknowns(u, count, ws, b, x);
  for (int k = 0; k < count; ++k) ws.Z[u.begin + k].ang[3] = x[k];
}

}  // namespace limber
