// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "deformation.hpp"

#include <algorithm>

#include "limber/body/detail/families.hpp"
#include "limber/spatial/rotation.hpp"
#include "sweeps.hpp"

namespace limber {
namespace {

// Four modes in the lanes, all sums over the shapes b done.  Named, because compilers keep arrays of registers in
// memory.
struct FourModes {
  Vec4d xx, yy, zz, xy, xz, yz;  // tr C_a 1 - sym C_a
  Vec4d Fx, Fy, Fz;              // ax(C_a)
  Vec4d rx, ry, rz;              // ax(C'_a)
};

LIMBER_INLINE void contract_first(const PairBlock& block, FourModes& s) {
  s.xx = block.inertia[0], s.yy = block.inertia[1], s.zz = block.inertia[2];
  s.xy = block.inertia[3], s.xz = block.inertia[4], s.yz = block.inertia[5];
  s.Fx = block.axial[0], s.Fy = block.axial[1], s.Fz = block.axial[2];
  s.rx = s.ry = s.rz = zero();
}

// The other shapes b, kind by kind: e_b times the numbers that are not zero.
LIMBER_INLINE void contract_others(const BodyConstants& constants, int chunk, const double* e, const double* e_rate,
                                   FourModes& s) {
  const PairBlock* block = &constants.blocks[constants.block_begin[chunk] + 1];
  const int* ends = &constants.block_begin[block_end_at(constants.ne, chunk, BlockKind::any)];
  const PairBlock* all = constants.blocks.data();
  for (; block < all + ends[0]; ++block) {
    const Vec4d eb = spread(e[block->b - 1]), rb = spread(e_rate[block->b - 1]);
    s.xx += eb * block->inertia[0], s.yy += eb * block->inertia[1], s.zz += eb * block->inertia[2];
    s.xy += eb * block->inertia[3], s.xz += eb * block->inertia[4], s.yz += eb * block->inertia[5];
    s.Fx += eb * block->axial[0], s.Fy += eb * block->axial[1], s.Fz += eb * block->axial[2];
    s.rx += rb * block->axial[0], s.ry += rb * block->axial[1], s.rz += rb * block->axial[2];
  }
  for (; block < all + ends[1]; ++block) {
    const Vec4d eb = spread(e[block->b - 1]);
    s.xx += eb * block->inertia[0], s.yy += eb * block->inertia[1], s.zz += eb * block->inertia[2];
  }
  const auto along = [&](int k, Vec4d& inertia, Vec4d& F, Vec4d& rate) __attribute__((always_inline)) {
    for (; block < all + ends[2 + k]; ++block) {
      const Vec4d eb = spread(e[block->b - 1]), axial = block->axial[k];
      inertia += eb * block->inertia[5 - k];
      F += eb * axial;
      rate += spread(e_rate[block->b - 1]) * axial;
    }
  };
  along(0, s.yz, s.Fx, s.rx);
  along(1, s.xz, s.Fy, s.ry);
  along(2, s.xy, s.Fz, s.rz);
}

// Components of w, dw/dt, dv/dt in all lanes, in memory.
struct Rates {
  Vec4d w[3], wdot[3], vdot[3];
  Rates(Vec4d angular, Spatial alpha) {
    for (int i = 0; i < 3; ++i) {
      w[i] = spread(angular[i]);
      wdot[i] = spread(alpha.ang[i]);
      vdot[i] = spread(alpha.lin[i]);
    }
  }
};

// J_a w, and b_a = -w^T J_a w + 2 w . ax(C'_a), plus F_a . wdot + S_a . vdot.
struct ModalForce {
  Vec4d Jx, Jy, Jz, p;
};
LIMBER_INLINE ModalForce modal_force(const FourModes& s, const Rates& r, const Vec4d* S) {
  ModalForce out;
  out.Jx = s.xx * r.w[0] + s.xy * r.w[1] + s.xz * r.w[2];
  out.Jy = s.xy * r.w[0] + s.yy * r.w[1] + s.yz * r.w[2];
  out.Jz = s.xz * r.w[0] + s.yz * r.w[1] + s.zz * r.w[2];
  out.p = r.w[0] * (s.rx + s.rx - out.Jx) + r.w[1] * (s.ry + s.ry - out.Jy) + r.w[2] * (s.rz + s.rz - out.Jz) +
          s.Fx * r.wdot[0] + s.Fy * r.wdot[1] + s.Fz * r.wdot[2] + S[0] * r.vdot[0] + S[1] * r.vdot[1] +
          S[2] * r.vdot[2];
  return out;
}

LIMBER_INLINE void put_columns(const FourModes& s, Spatial* columns) {
  Vec4d F[4];
  transpose3(s.Fx, s.Fy, s.Fz, F);
  columns[0].ang = F[0], columns[1].ang = F[1], columns[2].ang = F[2], columns[3].ang = F[3];
}

template <typename Lanes>
void contract(Lanes lanes, const BodyConstants& constants, const double* e, const double* e_rate, Vec4d w,
              Spatial alpha, Contraction& out) {
  const Rates r(w, alpha);
  Vec4d xx = zero(), yy = xx, zz = xx, xy = xx, xz = xx, yz = xx, gx = xx, gy = xx, gz = xx;
  for_each(
      lanes, LIMBER_EACH(chunk) {
        const PairBlock* first = &constants.blocks[constants.block_begin[chunk]];
        FourModes s;
        contract_first(*first, s);
        contract_others(constants, chunk, e, e_rate, s);
        const Vec4d ea = load(e + chunk * kLanes), ra = load(e_rate + chunk * kLanes);
        // J = J_00 + sum e_a (J_a0 + J_a);   2 (tr Cdot w - Cdot w) = sum rate_a (2 J_a w - F_a x w)
        xx += ea * (first->inertia[0] + s.xx), yy += ea * (first->inertia[1] + s.yy);
        zz += ea * (first->inertia[2] + s.zz), xy += ea * (first->inertia[3] + s.xy);
        xz += ea * (first->inertia[4] + s.xz), yz += ea * (first->inertia[5] + s.yz);
        const ModalForce f = modal_force(s, r, &constants.S_rows[chunk * 3]);
        store(out.p_f + chunk * kLanes, f.p);
        gx += ra * (f.Jx + f.Jx - s.Fy * r.w[2] + s.Fz * r.w[1]);
        gy += ra * (f.Jy + f.Jy - s.Fz * r.w[0] + s.Fx * r.w[2]);
        gz += ra * (f.Jz + f.Jz - s.Fx * r.w[1] + s.Fy * r.w[0]);
        put_columns(s, out.columns + chunk * kLanes);
      });
  const Vec4d one = sums(xx, yy, zz, xy), two = sums(xz, yz, gx, gy);
  const auto without_last = [](Vec4d a) __attribute__((always_inline)) {
    return __builtin_shufflevector(a, zero(), 0, 1, 2, 7);
  };
  out.J.c[0] = without_last(__builtin_shufflevector(one, two, 0, 3, 4, 4));
  out.J.c[1] = without_last(__builtin_shufflevector(one, two, 3, 1, 5, 5));
  out.J.c[2] = without_last(__builtin_shufflevector(two, one, 0, 1, 6, 6));
  out.gyroscopic = without_last(__builtin_shufflevector(two, spread(sum(gz)), 2, 3, 4, 4));
}

}  // namespace

void contract(const BodyConstants& constants, const double* e, const double* e_rate, Vec4d w, Spatial alpha,
              Contraction& out) {
  const int lanes = lanes_for(constants.ne);
  if (lanes == 1) return contract(Size<1>{}, constants, e, e_rate, w, alpha, out);
  if (lanes == 2) return contract(Size<2>{}, constants, e, e_rate, w, alpha, out);
  if (lanes == 3) return contract(Size<3>{}, constants, e, e_rate, w, alpha, out);
  contract(lanes, constants, e, e_rate, w, alpha, out);
}

void contract_undeformed(const BodyConstants& constants, Vec4d w, Spatial alpha, Contraction& out) {
  const Rates r(w, alpha);
  for (int chunk = 0; chunk < lanes_for(constants.n); ++chunk) {
    FourModes s;
    contract_first(constants.blocks[constants.block_begin[chunk]], s);
    store(out.p_f + chunk * kLanes, modal_force(s, r, &constants.S_rows[chunk * 3]).p);
    put_columns(s, out.columns + chunk * kLanes);
  }
}

void extend_coordinates(const Link& link, double* e, double* e_rate) {
  for (std::size_t i = 0; i < link.constants->pairs.size(); ++i) {
    const auto [a, b] = link.constants->pairs[i];
    const std::size_t k = static_cast<std::size_t>(link.n) + i;
    e[k] = (a == b ? 0.5 : 1.0) * e[a] * e[b];
    e_rate[k] = a == b ? e[a] * e_rate[a] : e[a] * e_rate[b] + e_rate[a] * e[b];
  }
}

namespace {

// out[j] += sum over the pairs of E[pair][j] in[pair]: the rows of E below the identity.
template <typename T>
void add_projected(const BodyConstants& constants, const double* eta, const T* in, T* out) {
  for (std::size_t i = 0; i < constants.pairs.size(); ++i) {
    const auto [a, b] = constants.pairs[i];
    out[a] = out[a] + in[i] * eta[b];
    if (a != b) out[b] = out[b] + in[i] * eta[a];
  }
}

// The rows of E below the identity, padded to `lanes` registers.
void set_rows(const BodyConstants& constants, const double* eta, int lanes, double* E) {
  const int width = kLanes * lanes;
  std::fill_n(E, constants.pairs.size() * width, 0.0);
  for (const auto [a, b] : constants.pairs) {
    E[a] = eta[b];
    E[b] = eta[a];
    E += width;
  }
}

// out += sum_p weight_p E_p: one row.
template <int L>
LIMBER_INLINE void add_rows(Size<L> lanes, const double* weight, std::size_t count, const double* E, double* out) {
  Vec4d sum[L];
  for_each(
      lanes, LIMBER_EACH(c) { sum[c] = load(out + c * kLanes); });
  for (std::size_t p = 0; p < count; ++p) {
    const Vec4d w = spread(weight[p]);
    for_each(
        lanes, LIMBER_EACH(c) { sum[c] += w * load(E + c * kLanes); });
    E += kLanes * L;
  }
  for_each(
      lanes, LIMBER_EACH(c) { store(out + c * kLanes, sum[c]); });
}
inline void add_rows(int lanes, const double* weight, std::size_t count, const double* E, double* out) {
  for (std::size_t p = 0; p < count; ++p) {
    for (int j = 0; j < kLanes * lanes; ++j) out[j] += weight[p] * E[p * kLanes * lanes + j];
  }
}

// G = E^T G_e E, rows padded; wide: (a row for each product) scratch for G_e E.
template <typename N>
void project_mass(N n, const BodyConstants& constants, const double* eta, const double* E, double* wide, double* G) {
  const auto lanes = lane_count(n);
  const int ne = constants.ne, width = kLanes * lanes;
  for (int a = 0; a < ne; ++a) {
    const double* row = &constants.G[static_cast<std::size_t>(a) * ne];
    double* out = a < n ? G + a * width : wide + (a - n) * width;
    for_each(
        n, LIMBER_EACH(j) { out[j] = row[j]; });
    for (int j = n; j < width; ++j) out[j] = 0;
    add_rows(lanes, row + n, constants.pairs.size(), E, out);
  }
  for (const auto [a, b] : constants.pairs) {
    const double ea = eta[a], eb = a == b ? 0 : eta[b];  // a square has one row
    double *to_a = G + a * width, *to_b = G + b * width;
    for_each(
        lanes, LIMBER_EACH(c) {
          const Vec4d row = load(wide + c * kLanes);
          store(to_a + c * kLanes, load(to_a + c * kLanes) + row * spread(eb));
          store(to_b + c * kLanes, load(to_b + c * kLanes) + row * spread(ea));
        });
    wide += width;
  }
}

// p += G_e c, of the products alone: G_e is symmetric, so that its rows are added.
void add_centrifugal(const BodyConstants& constants, const double* c, double* p) {
  const int n = constants.n, ne = constants.ne, whole = ne - ne % kLanes;
  for (int k = n; k < ne; ++k) {
    const double* row = &constants.G[static_cast<std::size_t>(k) * ne];
    const Vec4d rate = spread(c[k]);
    for (int a = 0; a < whole; a += kLanes) store(p + a, load(p + a) + load(row + a) * rate);
    for (int a = whole; a < ne; ++a) p[a] += row[a] * c[k];
  }
}

}  // namespace

Spatial project_products(const Link& link, Kinematics& kin, ProductScratch& scratch, double* G) {
  const BodyConstants& constants = *link.constants;
  const int n = constants.n, ne = constants.ne;
  const double* eta = &kin.eta[link.scalars];
  const double* rate = &kin.etadot[link.scalars];
  Spatial* wide = scratch.columns.data();
  double* p = scratch.p.data();
  double* c = scratch.c.data();
  for (int a = 0; a < ne; ++a) wide[a].lin = constants.S[a];
  Spatial more = zero_spatial();
  for (int k = n; k < ne; ++k) {
    const auto [a, b] = constants.pairs[static_cast<std::size_t>(k - n)];
    c[k] = (a == b ? 1.0 : 2.0) * rate[a] * rate[b];
    more += wide[k] * c[k];
  }
  add_centrifugal(constants, c, p);
  Spatial* columns = &kin.columns[link.columns];
  double* p_f = &kin.p_f[link.scalars];
  for (int j = 0; j < n; ++j) {
    columns[j] = wide[j];
    p_f[j] = p[j];
  }
  add_projected(constants, eta, wide + n, columns);
  add_projected(constants, eta, p + n, p_f);
  const int lanes = lanes_for(n);
  double* E = scratch.product.data();
  double* rows = E + static_cast<std::size_t>(ne - n) * kLanes * lanes;
  set_rows(constants, eta, lanes, E);
  with_size(n, [&](auto size) { project_mass(size, constants, eta, E, rows, G); });
  return more;
}

namespace {

// l += eta^T Xi eta / 2 and what follows from it; turned: Xi eta into the columns.
void add_second_order(const NodeConstants& node, int n, const double* eta, const double* etadot, NodeFrame& out,
                      Spatial* Y) {
  for (int k = 0; k < n; ++k) {
    Vec4d turned = zero(), turned_rate = zero();  // Xi eta, Xi etadot
    for (int j = 0; j < n; ++j) {
      turned += node.second[static_cast<std::size_t>(k) * n + j] * spread(eta[j]);
      turned_rate += node.second[static_cast<std::size_t>(k) * n + j] * spread(etadot[j]);
    }
    out.l += turned * spread(0.5 * eta[k]);
    out.l_rate += turned * spread(etadot[k]);
    out.l_bias += turned_rate * spread(etadot[k]);
    if (Y != nullptr) Y[k].lin += turned;
  }
}

// R = exp(theta) R0;  A = 1 + a theta~ + b theta~^2;  A rate and (dA/dt) rate.
LIMBER_INLINE void turn_node(const NodeConstants& node, Vec4d theta, Vec4d rate, NodeFrame& out) {
  const RotationSeries c = rotation_series(dot(theta, theta));
  const Vec4d sinc = spread(c.sinc), a = spread(c.a), b = spread(c.b);
  Mat3 turn;
  for (int j = 0; j < 3; ++j) {
    Vec4d unit = zero();
    unit[j] = 1;
    const Vec4d once = cross(theta, unit), twice = cross(theta, once);
    turn.c[j] = unit + sinc * once + a * twice;
    out.A.c[j] = unit + a * once + b * twice;
  }
  out.R = turn * node.rotation;
  const Vec4d once = cross(theta, rate), twice = cross(theta, once);
  out.turn_rate = rate + a * once + b * twice;
  out.turn_bias = spread(2 * dot(theta, rate)) * (spread(c.da) * once + spread(c.db) * twice) + b * cross(rate, once);
}

template <typename N>
void move_node(N n, const NodeConstants& node, const double* eta, const double* etadot, NodeFrame& out, Spatial* Y) {
  Vec4d theta = zero(), rate = zero();
  const Vec4d* lambda = node.lambda.data();
  const Vec4d* gamma = node.gamma.data();
  Vec4d l = node.position, l_rate = zero();
  for_each(
      n, LIMBER_EACH(k) {
        const Vec4d e = spread(eta[k]), d = spread(etadot[k]);
        theta += lambda[k] * e;
        rate += lambda[k] * d;
        l += gamma[k] * e;
        l_rate += gamma[k] * d;
      });
  out.l = l;
  out.l_rate = l_rate;
  out.l_bias = zero();
  turn_node(node, theta, rate, out);
  if (Y != nullptr) {
    for_each(
        n, LIMBER_EACH(k) {
          Y[k] = {out.A * lambda[k], gamma[k]};
        });
  }
  if (!node.second.empty()) add_second_order(node, n, eta, etadot, out, Y);
}

}  // namespace

void compute_node(const NodeConstants& node, int n, const double* eta, const double* etadot, NodeFrame& out,
                  Spatial* Y) {
  if (eta != nullptr) {
    with_size(n, [&](auto size) { move_node(size, node, eta, etadot, out, Y); });
    return;
  }
  const Mat3 one{{Vec4d{1, 0, 0, 0}, Vec4d{0, 1, 0, 0}, Vec4d{0, 0, 1, 0}}};
  out = NodeFrame{node.position, node.rotation, one, zero(), zero(), zero(), zero()};
  for (int k = 0; Y != nullptr && k < n; ++k) Y[k] = {node.lambda[k], node.gamma[k]};
}

}  // namespace limber
