// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "deformation.hpp"

#include <algorithm>

#include "limber/spatial/rotation.hpp"
#include "sweeps.hpp"

namespace limber {
namespace {

// ---- sums over shapes -----------------------------------------------------------------------------------

// Mode a with all shapes: J_a = tr C_a 1 - sym C_a, F_a = ax(C_a), F'_a = ax(C'_a).
struct ModeSums {
  FourSymmetric J;
  FourVectors F, F_rate;
};

// step(pair) of the pairs up to `end`, two by two.
template <typename Step>
LIMBER_INLINE void for_pairs(const int*& shape, const int* end, Step step) {
  for (; end - shape >= 2; shape += 2) {
    step(shape[0]);
    step(shape[1]);
  }
  if (shape < end) step(*shape++);
}

// The shapes b >= 1, kind by kind: e_b times the numbers that are not zero.
LIMBER_INLINE void contract_shapes(const FourBodies& bodies, const FourBodies::Pairs& pairs, const Vec4d* e,
                                   const Vec4d* rate, ModeSums& s) {
  const int* const shapes = bodies.shape.data();
  const int* shape = shapes + pairs.begin;
  const Vec4d* number = bodies.numbers.data() + pairs.numbers;
  const auto at = [](const Vec4d* x, int offset) __attribute__((always_inline)) {
    return load(reinterpret_cast<const double*>(x) + offset);
  };
  for_pairs(
      shape, shapes + pairs.end[0], LIMBER_EACH(b) {
        const Vec4d eb = at(e, b), rb = at(rate, b);
        s.J.xx += eb * number[0], s.J.yy += eb * number[1], s.J.zz += eb * number[2];
        s.J.xy += eb * number[3], s.J.xz += eb * number[4], s.J.yz += eb * number[5];
        s.F.x += eb * number[6], s.F.y += eb * number[7], s.F.z += eb * number[8];
        s.F_rate.x += rb * number[6], s.F_rate.y += rb * number[7], s.F_rate.z += rb * number[8];
        number += 9;
      });
  for_pairs(
      shape, shapes + pairs.end[1], LIMBER_EACH(b) {
        const Vec4d eb = at(e, b);
        s.J.xx += eb * number[0], s.J.yy += eb * number[1], s.J.zz += eb * number[2];
        number += 3;
      });
  const auto along = [&](int end, Vec4d& J, Vec4d& F, Vec4d& F_rate) __attribute__((always_inline)) {
    for_pairs(
        shape, shapes + end, LIMBER_EACH(b) {
          J += at(e, b) * number[0];
          F += at(e, b) * number[1];
          F_rate += at(rate, b) * number[1];
          number += 2;
        });
  };
  along(pairs.end[2], s.J.yz, s.F.x, s.F_rate.x);
  along(pairs.end[3], s.J.xz, s.F.y, s.F_rate.y);
  along(pairs.end[4], s.J.xy, s.F.z, s.F_rate.z);
}

LIMBER_INLINE void add_symmetric(FourSymmetric& sum, const FourSymmetric& m, Vec4d s) {
  sum.xx += m.xx * s, sum.yy += m.yy * s, sum.zz += m.zz * s;
  sum.xy += m.xy * s, sum.xz += m.xz * s, sum.yz += m.yz * s;
}
LIMBER_INLINE Vec4d contract(const FourSymmetric& m, const FourSymmetric& n) {
  return m.xx * n.xx + m.yy * n.yy + m.zz * n.zz + m.xy * n.xy + m.xz * n.xz + m.yz * n.yz;
}

// Motion of four bodies, as their inertial forces need it.
struct FourMotions {
  FourVectors w, wdot, vdot;
  FourSymmetric ww;  // m . ww = w^T m w
};

// b_a = -w^T J_a w + 2 w . F'_a, plus F_a . wdot + S_a . vdot.
LIMBER_INLINE Vec4d modal_force(const ModeSums& s, const FourVectors& S, const FourMotions& motion) {
  const Vec4d turn = dot(s.F_rate, motion.w);
  return dot(s.F, motion.wdot) + dot(S, motion.vdot) + (turn + turn) - contract(s.J, motion.ww);
}

// What the deformation adds to the rigid body.
struct BodySums {
  FourSymmetric J;                 // with the inertia itself
  FourVectors s, s_rate;           // with the first moment itself
  FourVectors more_ang, more_lin;  // inertial forces
};

// J = J_00 + sum e_a (J_a0 + J_a);   2 (tr Cdot w - Cdot w) = sum rate_a (2 J_a w - F_a x w)
// One sum after the other: so many registers there are.
void contract_bodies(const FourBodies& bodies, const FourMotions& motion, FourVectors* F, GroupScratch& scratch,
                     BodySums& out) {
  const Vec4d *e = scratch.e.data(), *rate = scratch.rate.data();
  FourSymmetric* J = scratch.J.data();
  const int ne = bodies.ne;
  const FourBodies::Pairs* pairs = bodies.pairs_of.data();
  const FourVectors* S = bodies.S.data();
  for (int a = 0; a < ne; ++a) {
    ModeSums sums{pairs[a].inertia, pairs[a].axial, FourVectors{zero(), zero(), zero()}};
    contract_shapes(bodies, pairs[a], e, rate, sums);
    scratch.p[a] = modal_force(sums, S[a], motion);
    J[a] = sums.J;
    F[a] = sums.F;
  }
  FourSymmetric J_sum = bodies.J;
  for (int a = 0; a < ne; ++a) {
    add_symmetric(J_sum, pairs[a].inertia, e[a]);
    add_symmetric(J_sum, J[a], e[a]);
  }
  out.J = J_sum;
  const Vec4d o = zero();
  FourSymmetric J_rate{o, o, o, o, o, o};
  FourVectors F_rate{o, o, o};
  for (int a = 0; a < ne; ++a) {
    add_symmetric(J_rate, J[a], rate[a]);
    add(F_rate, F[a], rate[a]);
  }
  const FourVectors Jw = J_rate * motion.w;
  out.more_ang = Jw + Jw - cross(F_rate, motion.w);
  FourVectors s = bodies.s, s_rate{o, o, o};
  for (int a = 0; a < ne; ++a) {
    add(s, S[a], e[a]);
    add(s_rate, S[a], rate[a]);
  }
  out.s = s;
  out.s_rate = s_rate;
}

// The same at e = rate = 0: F is constant.
void contract_undeformed(const FourBodies& bodies, const FourMotions& motion, Vec4d* p) {
  for (int a = 0; a < bodies.ne; ++a) {
    const FourBodies::Pairs& pairs = bodies.pairs_of[a];
    p[a] = modal_force(ModeSums{pairs.inertia, pairs.axial, {}}, bodies.S[a], motion);
  }
}

// ---- geometric stiffening, theory §2 --------------------------------------------------------------------

// The products of modes and their rates after the modes themselves.
void extend_modes(const FourBodies& bodies, Vec4d* e, Vec4d* rate) {
  for (std::size_t i = 0; i < bodies.products.size(); ++i) {
    const auto [a, b] = bodies.products[i];
    const std::size_t k = static_cast<std::size_t>(bodies.n) + i;
    e[k] = a == b ? 0.5 * e[a] * e[a] : e[a] * e[b];
    rate[k] = a == b ? e[a] * rate[a] : e[a] * rate[b] + rate[a] * e[b];
  }
}

// out[j] += sum over the products of E[product][j] in[product]: the rows of E below the identity.
template <typename T, typename Add>
LIMBER_INLINE void add_projected(const FourBodies& bodies, const Vec4d* e, const T* in, T* out, Add add_to) {
  for (std::size_t i = 0; i < bodies.products.size(); ++i) {
    const auto [a, b] = bodies.products[i];
    add_to(out[a], in[i], e[b]);
    if (a != b) add_to(out[b], in[i], e[a]);
  }
}

// G = E^T G_e E; X: (ne rows, padded) scratch for G_e E.  Its first n rows are G in the end.
void project_mass(const FourBodies& bodies, const Vec4d* e, Vec4d* X) {
  const int n = bodies.n, width = kLanes * lanes_for(n);
  for (int a = 0; a < bodies.ne; ++a) {
    std::copy_n(&bodies.G[static_cast<std::size_t>(a) * n], n, X + a * width);
    std::fill(X + a * width + n, X + (a + 1) * width, zero());
  }
  for (const FourBodies::ProductMass& entry : bodies.product_masses) {
    const auto [a, b] = bodies.products[entry.product];
    Vec4d* row = X + entry.shape * width;
    row[a] += entry.mass * e[b];
    if (a != b) row[b] += entry.mass * e[a];
  }
  for (int k = n; k < bodies.ne; ++k) {
    const auto [a, b] = bodies.products[static_cast<std::size_t>(k - n)];
    const Vec4d ea = e[a], eb = e[b];
    for (int j = 0; j < n; ++j) {
      const Vec4d x = X[k * width + j];
      X[a * width + j] += x * eb;
      if (a != b) X[b * width + j] += x * ea;
    }
  }
}

// The way back from products to modes: M = E^T M_e E, b = E^T (b_e + M_e c).  F, S and p of the modes are final then.
void project_products(const FourBodies& bodies, FourVectors* F, GroupScratch& scratch, BodySums& sums) {
  const int n = bodies.n;
  const Vec4d *e = scratch.e.data(), *rate = scratch.rate.data();
  Vec4d *p = scratch.p.data(), *c = scratch.c.data();
  FourVectors* S = scratch.S.data();
  for (std::size_t i = 0; i < bodies.products.size(); ++i) {
    const auto [a, b] = bodies.products[i];
    c[i] = rate[a] * rate[b];
    if (a != b) c[i] += c[i];
    add(sums.more_ang, F[n + i], c[i]);
    add(sums.more_lin, bodies.S[n + i], c[i]);
  }
  for (const FourBodies::ProductMass& entry : bodies.product_masses) p[entry.shape] += entry.mass * c[entry.product];
  const auto add_vectors = [](FourVectors& sum, const FourVectors& x, Vec4d s) { add(sum, x, s); };
  std::copy_n(bodies.S.begin(), n, S);
  add_projected(bodies, e, F + n, F, add_vectors);
  add_projected(bodies, e, bodies.S.data() + n, S, add_vectors);
  add_projected(bodies, e, p + n, p, [](Vec4d& sum, Vec4d x, Vec4d s) { sum += x * s; });
  project_mass(bodies, e, scratch.product.data());
}

// ---- four bodies -------------------------------------------------------------------------------------------

// p_r = M_rr alpha + b_r, beyond what the deformation adds.
LIMBER_INLINE FourSpatial rigid_forces(Vec4d m, const BodySums& b, const FourMotions& motion) {
  const FourVectors& w = motion.w;
  const FourVectors turning = cross(w, b.s) + b.s_rate + b.s_rate;
  return {b.J * motion.wdot + cross(b.s, motion.vdot) + cross(w, b.J * w) + b.more_ang,
          motion.vdot * m + cross(motion.wdot, b.s) + cross(w, turning) + b.more_lin};
}

LIMBER_INLINE void gather_motions(LinkFrame* const* f, FourMotions& out) {
  const FourVectors w = gather(LIMBER_LANE(lane) { return f[lane]->V.ang; });
  out.w = w;
  out.wdot = gather(LIMBER_LANE(lane) { return f[lane]->a.ang; });
  out.vdot = gather(LIMBER_LANE(lane) { return f[lane]->a.lin; }) +
             cross(w, gather(LIMBER_LANE(lane) { return f[lane]->V.lin; }));
  const Vec4d x2 = w.x + w.x, y2 = w.y + w.y;
  out.ww = {w.x * w.x, w.y * w.y, w.z * w.z, x2 * w.y, x2 * w.z, y2 * w.z};
}

// Columns, J and s of bodies with modes; S: null where it is constant.
LIMBER_INLINE void put_modes(const BodyGroup& group, const BodySums& sums, const FourVectors* F, const FourVectors* S,
                             LinkFrame* const* f, Kinematics& kin) {
  Spatial* const columns = kin.columns.data();
  Spatial* const at[kLanes] = {columns + group.columns[0], columns + group.columns[1], columns + group.columns[2],
                               columns + group.columns[3]};
  for (int k = 0; k < group.n; ++k)
    scatter(
        F[k], LIMBER_LANE(lane) { return at[lane][k].ang; });
  for (int k = 0; S != nullptr && k < group.n; ++k)
    scatter(
        S[k], LIMBER_LANE(lane) { return at[lane][k].lin; });
  const FourSymmetric& J = sums.J;
  scatter(
      FourVectors{J.xx, J.xy, J.xz}, LIMBER_LANE(lane) { return f[lane]->J.c[0]; });
  scatter(
      FourVectors{J.xy, J.yy, J.yz}, LIMBER_LANE(lane) { return f[lane]->J.c[1]; });
  scatter(
      FourVectors{J.xz, J.yz, J.zz}, LIMBER_LANE(lane) { return f[lane]->J.c[2]; });
  scatter(
      sums.s, LIMBER_LANE(lane) { return f[lane]->s; });
}

// Products of modes: their rates and places, what they add, the modal mass.
void add_mode_products(const BodyGroup& group, FourVectors* F, BodySums& sums, Kinematics& kin, GroupScratch& scratch) {
  scatter_numbers(group.ne, scratch.e.data(), [&](int lane) { return &kin.eta[group.scalars[lane]]; });
  scatter_numbers(group.ne, scratch.rate.data(), [&](int lane) { return &kin.etadot[group.scalars[lane]]; });
  project_products(*group.constants, F, scratch, sums);
  for (int a = 0; a < group.n; ++a) {
    const std::size_t row = static_cast<std::size_t>(a) * kLanes * lanes_for(group.n);
    scatter_numbers(group.n, &scratch.product[row], [&](int lane) { return &kin.G[group.bodies[lane]][row]; });
  }
}

}  // namespace

void load_bodies(const Layout& layout, const BodyGroup& group, Kinematics& kin, GroupScratch& scratch) {
  const FourBodies& bodies = *group.constants;
  LinkFrame* const links = kin.links.data();
  LinkFrame* const f[kLanes] = {links + group.bodies[0], links + group.bodies[1], links + group.bodies[2],
                                links + group.bodies[3]};
  FourMotions motion;
  gather_motions(f, motion);
  const FourVectors none{zero(), zero(), zero()};
  BodySums sums{bodies.J, bodies.s, none, none, none};
  if (group.n > 0 && layout.ruthless) {
    contract_undeformed(bodies, motion, scratch.p.data());
  } else if (group.n > 0) {
    const bool products = group.ne > group.n;
    gather_numbers(
        group.n, [&](int lane) { return &kin.eta[group.scalars[lane]]; }, scratch.e.data());
    gather_numbers(
        group.n, [&](int lane) { return &kin.etadot[group.scalars[lane]]; }, scratch.rate.data());
    if (products) extend_modes(bodies, scratch.e.data(), scratch.rate.data());
    FourVectors* F = &kin.four_F[group.shapes];
    contract_bodies(bodies, motion, F, scratch, sums);
    if (products) add_mode_products(group, F, sums, kin, scratch);
    put_modes(group, sums, F, products ? scratch.S.data() : nullptr, f, kin);
  }
  if (group.n > 0) {
    scatter_numbers(group.n, scratch.p.data(), [&](int lane) { return &kin.p_f[group.scalars[lane]]; });
  }
  const FourSpatial p = rigid_forces(bodies.m, sums, motion);
  scatter(
      p.ang, LIMBER_LANE(lane) { return f[lane]->p.ang; });
  scatter(
      p.lin, LIMBER_LANE(lane) { return f[lane]->p.lin; });
}

namespace {

// ---- nodes, four at a time ------------------------------------------------------------------------------

// A node of each body, relative to it.
struct MovedNodes {
  FourVectors l, l_rate, l_bias, theta, theta_rate;
};

template <typename N>
LIMBER_INLINE void displace(N n, const FourNodes& node, const Vec4d* e, const Vec4d* rate, MovedNodes& out) {
  const Vec4d o = zero();
  const FourVectors *lambda = node.lambda.data(), *gamma = node.gamma.data();
  FourVectors theta{o, o, o}, theta_rate = theta;
  for_each(
      n, LIMBER_EACH(k) {
        add(theta, lambda[k], e[k]);
        add(theta_rate, lambda[k], rate[k]);
      });
  out.theta = theta;
  out.theta_rate = theta_rate;
  FourVectors l = node.position, l_rate{o, o, o};
  for_each(
      n, LIMBER_EACH(k) {
        add(l, gamma[k], e[k]);
        add(l_rate, gamma[k], rate[k]);
      });
  out.l = l;
  out.l_rate = l_rate;
  out.l_bias = {o, o, o};
}

// l += eta^T Xi eta / 2 and what follows from it.
void displace_second(const FourNodes& node, int n, const Vec4d* e, const Vec4d* rate, MovedNodes& out,
                     FourVectors* gamma) {
  for (int k = 0; k < n; ++k) {
    const FourVectors* row = &node.second[static_cast<std::size_t>(k) * n];
    FourVectors turned = row[0] * e[0], turned_rate = row[0] * rate[0];  // Xi eta, Xi etadot
    for (int j = 1; j < n; ++j) {
      add(turned, row[j], e[j]);
      add(turned_rate, row[j], rate[j]);
    }
    add(out.l, turned, 0.5 * e[k]);
    add(out.l_rate, turned, rate[k]);
    add(out.l_bias, turned_rate, rate[k]);
    gamma[k] = node.gamma[k] + turned;
  }
}

// R = exp(theta) R0, A, the relative twist [A thetadot; l'] and the relative acceleration.
LIMBER_INLINE void put_nodes(const FourNodes& node, const MovedNodes& d, AttachmentFrame* const* at,
                             FourAttachments& four) {
  const FourVectors &t = d.theta, &t_rate = d.theta_rate;
  const FourRotationSeries c = rotation_series(dot(t, t));
  FourMatrices R = turn_matrix(t, c.cosine, c.sinc, c.a);
  if (node.turned) R = {R * node.rotation.c[0], R * node.rotation.c[1], R * node.rotation.c[2]};
  scatter(
      R.c[0], LIMBER_LANE(lane) { return at[lane]->R.c[0]; });
  scatter(
      R.c[1], LIMBER_LANE(lane) { return at[lane]->R.c[1]; });
  scatter(
      R.c[2], LIMBER_LANE(lane) { return at[lane]->R.c[2]; });
  four.A = turn_matrix(t, c.sinc, c.a, c.b);
  four.l = d.l;
  const FourVectors turn_rate = four.A * t_rate, once = cross(t, t_rate), twice = cross(t, once);
  const Vec4d along = dot(t, t_rate), both = along + along;
  scatter(
      d.l, LIMBER_LANE(lane) { return at[lane]->l; });
  scatter(
      turn_rate, LIMBER_LANE(lane) { return at[lane]->V.ang; });
  scatter(
      d.l_rate, LIMBER_LANE(lane) { return at[lane]->V.lin; });
  scatter(
      once * (both * c.da) + twice * (both * c.db) + cross(t_rate, once) * c.b,
      LIMBER_LANE(lane) { return at[lane]->a.ang; });
  scatter(
      d.l_bias - cross(turn_rate, d.l_rate), LIMBER_LANE(lane) { return at[lane]->a.lin; });
}

}  // namespace

void move_nodes(const NodeGroup& group, Kinematics& kin, GroupScratch& scratch) {
  const FourNodes& node = *group.constants;
  Vec4d *e = scratch.e.data(), *rate = scratch.rate.data();
  gather_numbers(
      group.n, [&](int lane) { return &kin.eta[group.scalars[lane]]; }, e);
  gather_numbers(
      group.n, [&](int lane) { return &kin.etadot[group.scalars[lane]]; }, rate);
  AttachmentFrame* const frames = kin.attachments.data();
  AttachmentFrame* const at[kLanes] = {frames + group.attachments[0], frames + group.attachments[1],
                                       frames + group.attachments[2], frames + group.attachments[3]};
  Spatial* const all = kin.columns.data();
  Spatial* const columns[kLanes] = {all + group.columns[0], all + group.columns[1], all + group.columns[2],
                                    all + group.columns[3]};
  FourAttachments& four = kin.four_attachments[&group - kin.layout->node_groups.data()];
  FourVectors* gamma = &kin.four_gamma[group.modes];
  MovedNodes d;
  with_size(group.n, [&](auto n) { displace(n, node, e, rate, d); });
  if (!node.second.empty()) displace_second(node, group.n, e, rate, d, gamma);
  put_nodes(node, d, at, four);
  const FourMatrices& A = four.A;
  for (int k = 0; k < group.n; ++k) {
    scatter(
        A * node.lambda[k], LIMBER_LANE(lane) { return columns[lane][k].ang; });
  }
  for (int k = 0; !node.second.empty() && k < group.n; ++k) {
    scatter(
        gamma[k], LIMBER_LANE(lane) { return columns[lane][k].lin; });
  }
}

namespace {

// ---- one node ---------------------------------------------------------------------------------------------

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
