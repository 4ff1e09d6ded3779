// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "deformation.hpp"

#include "limber/spatial/rotation.hpp"
#include "sweeps.hpp"

namespace limber {
namespace {

// Four modes in the lanes, all sums over the shapes b done.
struct FourModes {
  Vec4d J[6];     // of C_a: tr C_a 1 - sym C_a, xx yy zz xy xz yz
  Vec4d F[3];     // ax(C_a)
  Vec4d rate[3];  // ax(C'_a)
};

LIMBER_INLINE void contract_four(const PairBlock* block, const PairBlock* end, const double* e, const double* e_rate,
                                 FourModes& s) {
  for (int i = 0; i < 6; ++i) s.J[i] = block->inertia[i];
  for (int i = 0; i < 3; ++i) s.F[i] = block->axial[i], s.rate[i] = zero();
  for (++block; block < end; ++block) {
    const Vec4d eb = spread(e[block->b - 1]), rb = spread(e_rate[block->b - 1]);
    for (int i = 0; i < 6; ++i) s.J[i] += eb * block->inertia[i];
    for (int i = 0; i < 3; ++i) {
      s.F[i] += eb * block->axial[i];
      s.rate[i] += rb * block->axial[i];
    }
  }
}

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

// b_a = -w^T J_a w + 2 w . ax(C'_a), plus F_a . wdot + S_a . vdot.  Jw: (J_a w).
LIMBER_INLINE Vec4d modal_force(const FourModes& s, const Rates& r, const Vec4d* Jw, const Vec4d* S) {
  Vec4d p = zero();
  for (int i = 0; i < 3; ++i) {
    p += r.w[i] * (s.rate[i] + s.rate[i] - Jw[i]) + s.F[i] * r.wdot[i] + S[i] * r.vdot[i];
  }
  return p;
}

LIMBER_INLINE void inertia_times(const Vec4d* J, const Vec4d* w, Vec4d* out) {
  out[0] = J[0] * w[0] + J[3] * w[1] + J[4] * w[2];
  out[1] = J[3] * w[0] + J[1] * w[1] + J[5] * w[2];
  out[2] = J[4] * w[0] + J[5] * w[1] + J[2] * w[2];
}

LIMBER_INLINE void put_columns(const FourModes& s, Spatial* columns) {
  Vec4d F[4];
  transpose3(s.F[0], s.F[1], s.F[2], F);
  for (int k = 0; k < kLanes; ++k) columns[k].ang = F[k];
}

}  // namespace

namespace {

template <typename Lanes>
void contract(Lanes lanes, const BodyConstants& constants, const double* e, const double* e_rate, Vec4d w,
              Spatial alpha, Contraction& out) {
  const Rates r(w, alpha);
  Vec4d J[6] = {}, gyro[3] = {};
  for_each(
      lanes, LIMBER_EACH(chunk) {
        const PairBlock* first = &constants.blocks[constants.block_begin[chunk]];
        FourModes s;
        contract_four(first, &constants.blocks[0] + constants.block_begin[chunk + 1], e, e_rate, s);
        const Vec4d ea = load(e + chunk * kLanes), ra = load(e_rate + chunk * kLanes);
        Vec4d Jw[3];
        inertia_times(s.J, r.w, Jw);
        // J = J_00 + sum e_a (J_a0 + J_a);   2 (tr Cdot w - Cdot w) = sum rate_a (2 J_a w - F_a x w)
        for (int i = 0; i < 6; ++i) J[i] += ea * (first->inertia[i] + s.J[i]);
        gyro[0] += ra * (Jw[0] + Jw[0] - s.F[1] * r.w[2] + s.F[2] * r.w[1]);
        gyro[1] += ra * (Jw[1] + Jw[1] - s.F[2] * r.w[0] + s.F[0] * r.w[2]);
        gyro[2] += ra * (Jw[2] + Jw[2] - s.F[0] * r.w[1] + s.F[1] * r.w[0]);
        store(out.p_f + chunk * kLanes, modal_force(s, r, Jw, &constants.S_rows[chunk * 3]));
        put_columns(s, out.columns + chunk * kLanes);
      });
  out.J = {{sums(J[0], J[3], J[4], zero()), sums(J[3], J[1], J[5], zero()), sums(J[4], J[5], J[2], zero())}};
  out.gyroscopic = sums(gyro[0], gyro[1], gyro[2], zero());
}

}  // namespace

void contract(const BodyConstants& constants, const double* e, const double* e_rate, Vec4d w, Spatial alpha,
              Contraction& out) {
  const int lanes = lanes_for(constants.ne);
  if (lanes == 1) return contract(Size<1>{}, constants, e, e_rate, w, alpha, out);
  if (lanes == 2) return contract(Size<2>{}, constants, e, e_rate, w, alpha, out);
  contract(lanes, constants, e, e_rate, w, alpha, out);
}

void contract_undeformed(const BodyConstants& constants, Vec4d w, Spatial alpha, Contraction& out) {
  const Rates r(w, alpha);
  for (int chunk = 0; chunk < lanes_for(constants.n); ++chunk) {
    const PairBlock* first = &constants.blocks[constants.block_begin[chunk]];
    FourModes s;
    contract_four(first, first + 1, nullptr, nullptr, s);
    Vec4d Jw[3];
    inertia_times(s.J, r.w, Jw);
    store(out.p_f + chunk * kLanes, modal_force(s, r, Jw, &constants.S_rows[chunk * 3]));
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

// G = E^T G_e E, rows padded; wide: (ne x n) scratch for G_e E.
void project_mass(const BodyConstants& constants, const double* eta, double* wide, double* G) {
  const int n = constants.n, ne = constants.ne;
  for (int a = 0; a < ne; ++a) {
    const double* row = &constants.G[static_cast<std::size_t>(a) * ne];
    double* out = wide + static_cast<std::size_t>(a) * n;
    for (int j = 0; j < n; ++j) out[j] = row[j];
    add_projected(constants, eta, row + n, out);
  }
  const int width = kLanes * lanes_for(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) G[i * width + j] = wide[i * n + j];
  }
  for (std::size_t i = 0; i < constants.pairs.size(); ++i) {
    const auto [a, b] = constants.pairs[i];
    const double* row = wide + (static_cast<std::size_t>(n) + i) * n;
    for (int j = 0; j < n; ++j) {
      G[a * width + j] += row[j] * eta[b];
      if (a != b) G[b * width + j] += row[j] * eta[a];
    }
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
  for (int a = 0; a < ne; ++a) {
    for (int k = n; k < ne; ++k) p[a] += constants.G[static_cast<std::size_t>(a) * ne + k] * c[k];
  }
  Spatial* columns = &kin.columns[link.columns];
  double* p_f = &kin.p_f[link.scalars];
  for (int j = 0; j < n; ++j) {
    columns[j] = wide[j];
    p_f[j] = p[j];
  }
  add_projected(constants, eta, wide + n, columns);
  add_projected(constants, eta, p + n, p_f);
  project_mass(constants, eta, scratch.product.data(), G);
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
