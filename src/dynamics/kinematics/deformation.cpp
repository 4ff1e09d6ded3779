// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "deformation.hpp"

#include <algorithm>

#include "sweeps.hpp"

namespace limber {
namespace {

// ---- sums over shapes -----------------------------------------------------------------------------------

// Sums over all shapes for mode a: J_a = tr C_a 1 - sym C_a, F_a = ax(C_a), F'_a = ax(C'_a).
struct ModeSums {
  FourSymmetric J;
  FourVectors F, F_rate;
};

// Calls step(pair) for the pairs up to `end`, unrolled by two.
template <typename Step>
LIMBER_INLINE void for_pairs(const int*& shape, const int* end, Step step) {
  for (; end - shape >= 2; shape += 2) {
    step(shape[0]);
    step(shape[1]);
  }
  if (shape < end) step(*shape++);
}

// Sums over the shapes b >= 1, grouped by their pattern of nonzero numbers.
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

// b_a = -w^T J_a w + 2 w . F'_a, plus F_a . wdot + S_a . vdot.
LIMBER_INLINE Vec4d modal_force(const ModeSums& s, const FourVectors& S, const FourMotions& motion) {
  const Vec4d turn = dot(s.F_rate, motion.w);
  return dot(s.F, motion.wdot) + dot(S, motion.vdot) + (turn + turn) - contract(s.J, motion.ww);
}

// J = J_00 + sum e_a (J_a0 + J_a);   2 (tr Cdot w - Cdot w) = sum rate_a (2 J_a w - F_a x w)
// Separate loops, because all sums at once do not fit into the registers.
void contract_bodies(const FourBodies& bodies, const FourMotions& motion, FourVectors* F, GroupScratch& scratch,
                     FourLoads& out) {
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
  out.p.ang = Jw + Jw - cross(F_rate, motion.w);
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
  if (!bodies.beam_modes.empty()) return contract_undeformed_beams(bodies, motion, p);
  for (int a = 0; a < bodies.ne; ++a) {
    const FourBodies::Pairs& pairs = bodies.pairs_of[a];
    p[a] = modal_force(ModeSums{pairs.inertia, pairs.axial, {}}, bodies.S[a], motion);
  }
}

// ---- geometric stiffening, theory §2 --------------------------------------------------------------------

// Appends the products of modes and their rates to the modes.
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

// G = E^T G_e E; X: (ne rows, padded) scratch for G_e E.  On return its first n rows are G.
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

// Projects products onto modes: M = E^T M_e E, b = E^T (b_e + M_e c).  Afterwards F, S and p of the modes are complete.
void project_products(const FourBodies& bodies, FourVectors* F, GroupScratch& scratch, FourLoads& out) {
  const int n = bodies.n;
  const Vec4d *e = scratch.e.data(), *rate = scratch.rate.data();
  Vec4d *p = scratch.p.data(), *c = scratch.c.data();
  FourVectors* S = scratch.S.data();
  for (std::size_t i = 0; i < bodies.products.size(); ++i) {
    const auto [a, b] = bodies.products[i];
    c[i] = rate[a] * rate[b];
    if (a != b) c[i] += c[i];
    add(out.p.ang, F[n + i], c[i]);
    add(out.p.lin, bodies.S[n + i], c[i]);
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

LIMBER_INLINE FourMotions gather_motions(LinkFrame* const* f) {
  const FourVectors w = gather(LIMBER_LANE(lane) { return f[lane]->V.ang; });
  return {w, gather(LIMBER_LANE(lane) { return f[lane]->a.ang; }),
          gather(LIMBER_LANE(lane) { return f[lane]->a.lin; }) +
              cross(w, gather(LIMBER_LANE(lane) { return f[lane]->V.lin; }))};
}

// Columns, J and s of bodies with modes; the linear part of columns only if it depends on q.
LIMBER_INLINE void put_modes(const BodyGroup& group, const FourLoads& loads, LinkFrame* const* f, Kinematics& kin) {
  Spatial* const columns = kin.columns.data();
  Spatial* const at[kLanes] = {columns + group.columns[0], columns + group.columns[1], columns + group.columns[2],
                               columns + group.columns[3]};
  for (int k = 0; k < group.n; ++k)
    scatter(
        loads.F[k], LIMBER_LANE(lane) { return at[lane][k].ang; });
  for (int k = 0; loads.G != nullptr && k < group.n; ++k)
    scatter(
        loads.S[k], LIMBER_LANE(lane) { return at[lane][k].lin; });
  const FourSymmetric& J = loads.J;
  scatter(
      FourVectors{J.xx, J.xy, J.xz}, LIMBER_LANE(lane) { return f[lane]->J.c[0]; });
  scatter(
      FourVectors{J.xy, J.yy, J.yz}, LIMBER_LANE(lane) { return f[lane]->J.c[1]; });
  scatter(
      FourVectors{J.xz, J.yz, J.zz}, LIMBER_LANE(lane) { return f[lane]->J.c[2]; });
  scatter(
      loads.s, LIMBER_LANE(lane) { return f[lane]->s; });
}

// Products of modes, their rates, and the modal mass.
void put_products(const BodyGroup& group, const GroupScratch& scratch, Kinematics& kin) {
  scatter_numbers(group.ne, scratch.e.data(), [&](int lane) { return &kin.eta[group.scalars[lane]]; });
  scatter_numbers(group.ne, scratch.rate.data(), [&](int lane) { return &kin.etadot[group.scalars[lane]]; });
  for (int a = 0; a < group.n; ++a) {
    const std::size_t row = static_cast<std::size_t>(a) * kLanes * lanes_for(group.n);
    scatter_numbers(group.n, &scratch.product[row], [&](int lane) { return &kin.G[group.bodies[lane]][row]; });
  }
}

}  // namespace

void compute_loads(const Layout& layout, const BodyGroup& group, const FourMotions& motion, FourVectors* F,
                   GroupScratch& scratch, FourLoads& out) {
  const FourBodies& bodies = *group.constants;
  out.p_f = scratch.p.data();
  out.F = F;
  out.S = bodies.S.data();
  out.G = nullptr;
  if (group.n == 0 || layout.ruthless) {
    out.J = bodies.J;
    out.s = bodies.s;
    const FourSpatial p = rigid_forces(bodies.m, bodies.s, bodies.J, motion.w, motion.wdot, motion.vdot);
    out.p.ang = p.ang, out.p.lin = p.lin;
    if (group.n > 0) contract_undeformed(bodies, motion, scratch.p.data());
    return;
  }
  const bool products = group.ne > group.n;
  if (products) extend_modes(bodies, scratch.e.data(), scratch.rate.data());
  if (bodies.beam_modes.empty()) {
    contract_bodies(bodies, motion, F, scratch, out);
  } else {
    contract_beams(bodies, motion, F, scratch, out);
  }
  const FourVectors moving = cross(motion.w, out.s_rate);
  out.p.lin = moving + moving;
  if (products) {
    project_products(bodies, F, scratch, out);
    out.S = scratch.S.data();
    out.G = scratch.product.data();
  }
  const FourSpatial p = rigid_forces(bodies.m, out.s, out.J, motion.w, motion.wdot, motion.vdot);
  add(out.p.ang, p.ang);
  add(out.p.lin, p.lin);
}

void load_bodies(const Layout& layout, const BodyGroup& group, Kinematics& kin, GroupScratch& scratch) {
  LinkFrame* const links = kin.links.data();
  LinkFrame* const f[kLanes] = {links + group.bodies[0], links + group.bodies[1], links + group.bodies[2],
                                links + group.bodies[3]};
  gather_numbers(
      group.n, [&](int lane) { return &kin.eta[group.scalars[lane]]; }, scratch.e.data());
  gather_numbers(
      group.n, [&](int lane) { return &kin.etadot[group.scalars[lane]]; }, scratch.rate.data());
  const FourMotions motion = gather_motions(f);
  FourLoads loads;
  compute_loads(layout, group, motion, kin.four_F.data() + group.shapes, scratch, loads);
  if (group.n > 0) {
    if (!layout.ruthless) put_modes(group, loads, f, kin);
    if (loads.G != nullptr) put_products(group, scratch, kin);
    scatter_numbers(group.n, scratch.p.data(), [&](int lane) { return &kin.p_f[group.scalars[lane]]; });
  }
  scatter(
      loads.p.ang, LIMBER_LANE(lane) { return f[lane]->p.ang; });
  scatter(
      loads.p.lin, LIMBER_LANE(lane) { return f[lane]->p.lin; });
}

}  // namespace limber
