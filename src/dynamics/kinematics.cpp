// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/kinematics.hpp"

#include <algorithm>

#include "deformation.hpp"
#include "sweeps.hpp"

namespace limber {
namespace {

// s = S_0 + sum e_a S_a, and its rate.
LIMBER_INLINE Lane first_moment(const Shape& shape, const double* e, const double* e_rate, Lane& s) {
  return with_size(shape.ne, [&](auto n) {
    Lane sum = shape.s, rate = zero();
    const Lane* S = shape.S.data();
    for_each(
        n, LIMBER_EACH(k) {
          sum += S[k] * spread(e[k]);
          rate += S[k] * spread(e_rate[k]);
        });
    s = sum;
    return rate;
  });
}

// The joint sits on the moving node d: from the joint frame O on that node to the body frame F.
//   V_F = X(-l)(V_d - Pi etadot),  U = -X(-l) Pi        theory §2, Body frame, [JR] (10)
void from_root_node(const Layout& layout, const Link& link, LinkFrame& f, Kinematics& kin) {
  const bool still = layout.ruthless;
  NodeFrame d;
  Spatial* U = &kin.columns[link.root_columns];
  compute_node(link.shape->nodes[link.root], link.n, still ? nullptr : &kin.eta[link.scalars],
               still ? nullptr : &kin.etadot[link.scalars], d, U);
  for (int k = 0; k < link.n; ++k) U[k] = {-U[k].ang, cross(U[k].ang, d.l) - U[k].lin};
  // Pose, twist and acceleration of the node, in the basis of F.
  const Mat3 Dt = transpose(d.R);
  f.R = f.R * Dt;
  f.Rt = transpose(f.R);
  f.r -= f.R * d.l;
  const Spatial V{d.R * f.V.ang, d.R * f.V.lin}, a{d.R * f.a.ang, d.R * f.a.lin};
  const Lane w = V.ang - d.turn_rate;
  f.V = {w, V.lin - d.l_rate - cross(w, d.l)};
  const Lane wdot = a.ang - d.turn_bias - cross(w, d.turn_rate);
  const Lane vdot =
      a.lin + cross(V.ang, V.lin) - cross(wdot, d.l) - cross(w, cross(w, d.l) + spread(2) * d.l_rate) - d.l_bias;
  f.a = {wdot, vdot - cross(w, f.V.lin)};
  Spatial* H = &kin.varying[link.varying];
  const Spatial* H_O = link.kind == JointKind::universal ? H : link.H;
  for (int k = 0; k < link.nr; ++k) {
    const Spatial h{d.R * H_O[k].ang, d.R * H_O[k].lin};
    H[k] = {h.ang, h.lin - cross(h.ang, d.l)};
  }
}

// Pose, twist and acceleration from the carrier to the body.  theory §3, in spatial accelerations: the velocity
// terms of every joint kind are V x (H beta) + (dH/dt) beta.
LIMBER_INLINE void across_joint(const Layout& layout, const Link& link, const double* q, const double* v, LinkFrame& f,
                                Kinematics& kin) {
  Hinge hinge;
  compute_hinge(link, q + link.q, v + link.v, link.varying < 0 ? nullptr : &kin.varying[link.varying], hinge);
  Spatial V, a;
  if (link.handle >= 0) {
    const HandleFrame& at = kin.handles[link.handle];
    f.R = at.R * hinge.pose.R;
    f.r = at.R * hinge.pose.p;
    V = at.V;
    a = at.a;
  } else {
    f.R = hinge.pose.R;
    f.r = hinge.pose.p;
    V = kin.links[link.parent].V;
    a = kin.links[link.parent].a;
  }
  f.Rt = transpose(f.R);
  f.V = Spatial{f.Rt * V.ang, f.Rt * (V.lin + cross(V.ang, f.r))} + hinge.V;
  f.a = Spatial{f.Rt * a.ang, f.Rt * (a.lin + cross(a.ang, f.r))} + cross_twist(f.V, hinge.V) + hinge.rate;
  if (link.root >= 0) from_root_node(layout, link, f, kin);
}

// Moving nodes that carry others.  theory §2, Nodes.
void move_handles(const Layout& layout, const Link& link, const LinkFrame& f, Kinematics& kin) {
  const Lane vdot = f.a.lin + cross(f.V.ang, f.V.lin);
  for (int h = link.handle_begin; h < link.handle_end; ++h) {
    const Handle& handle = layout.handles[h];
    HandleFrame& at = kin.handles[h];
    const Lane w = f.V.ang;
    if (layout.ruthless) {
      at.V = twist_at(at.l, f.V);
      at.a = twist_at(at.l, f.a);
      continue;
    }
    NodeFrame d;
    compute_node(link.shape->nodes[handle.node], link.n, &kin.eta[link.scalars], &kin.etadot[link.scalars], d,
                 &kin.columns[handle.columns]);
    at.l = d.l;
    at.R = d.R;
    at.V = {w + d.turn_rate, f.V.lin + cross(w, d.l) + d.l_rate};
    const Lane wdot = f.a.ang + d.turn_bias + cross(w, d.turn_rate);
    const Lane acceleration = vdot + cross(f.a.ang, d.l) + cross(w, cross(w, d.l) + spread(2) * d.l_rate) + d.l_bias;
    at.a = {wdot, acceleration - cross(at.V.ang, at.V.lin)};
  }
}

// Inertia and inertial forces of the undeformed parts: p_r = M_rr alpha + b_r.  theory §2.
LIMBER_INLINE void rigid_forces(LinkFrame& f, Lane s_rate, Spatial more) {
  const Lane w = f.V.ang;
  const Spatial alpha{f.a.ang, f.a.lin + cross(w, f.V.lin)};
  f.p = apply_inertia(f.m, f.s, f.J, alpha) + more;
  f.p.ang += cross(w, f.J * w);
  f.p.lin += cross(w, cross(w, f.s) + spread(2) * s_rate);
}

void deform(const Layout& layout, const Link& link, LinkFrame& f, Kinematics& kin, double* G) {
  const Shape& shape = *link.shape;
  const Spatial alpha{f.a.ang, f.a.lin + cross(f.V.ang, f.V.lin)};
  Contraction sum{&kin.columns[link.columns], &kin.p_f[link.scalars]};
  if (layout.ruthless) {
    contract_undeformed(shape, f.V.ang, alpha, sum);
    rigid_forces(f, zero(), zero_spatial());
    return;
  }
  const double* e = &kin.eta[link.scalars];
  const double* e_rate = &kin.etadot[link.scalars];
  if (shape.ne > shape.n) sum = {kin.extended_columns.data(), kin.extended_p.data()};
  contract(shape, e, e_rate, f.V.ang, alpha, sum);
  const Lane s_rate = first_moment(shape, e, e_rate, f.s);
  for (int j = 0; j < 3; ++j) f.J.c[j] = shape.J.c[j] + sum.J.c[j];
  Spatial more{sum.gyroscopic, zero()};
  if (shape.ne > shape.n) more += project_products(link, kin, G);
  rigid_forces(f, s_rate, more);
}

void copy_modes(const Layout& layout, const Link& link, const double* q, const double* v, Kinematics& kin) {
  double* e = &kin.eta[link.scalars];
  double* e_rate = &kin.etadot[link.scalars];
  const double *eta = q + link.qm, *etadot = v + link.vm;
  with_size(link.n, [&](auto n) {
    for_each(
        n, LIMBER_EACH(k) {
          e[k] = eta[k];
          e_rate[k] = etadot[k];
        });
  });
  if (layout.stiffened) extend_coordinates(link, e, e_rate);
}

}  // namespace

void compute_kinematics(const Model& model, const State& x, Kinematics& kin) {
  check_sizes(model, x, x.v, x.v);
  const Layout& layout = *model.layout;
  const double* q = x.q.data();
  const double* v = x.v.data();
  kin.q = x.q;
  kin.v = x.v;
  const int count = static_cast<int>(layout.links.size());
  for (int i = 1; i < count; ++i) {
    const Link& link = layout.links[i];
    LinkFrame& f = kin.links[i];
    if (link.n > 0) copy_modes(layout, link, q, v, kin);
    across_joint(layout, link, q, v, f, kin);
    if (link.n == 0) {
      rigid_forces(f, zero(), zero_spatial());
      continue;
    }
    deform(layout, link, f, kin, kin.G[i].data());
    move_handles(layout, link, f, kin);
  }
}

Kinematics::Kinematics(const Model& model) {
  const Layout& layout = *model.layout;
  links.resize(layout.links.size());
  handles.resize(layout.handles.size());
  columns.assign(layout.columns, zero_spatial());
  varying.assign(layout.varying, zero_spatial());
  p_f.assign(layout.scalars, 0);
  eta = etadot = p_f;
  world.resize(layout.links.size());
  q = VectorX::Zero(model.nq);
  v = VectorX::Zero(model.nv);
  links[0].V = zero_spatial();
  links[0].a = {zero(), -to_lane(model.gravity)};
  G.resize(layout.links.size());
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    links[i].m = link.shape->m;
    links[i].s = link.shape->s;
    links[i].J = link.shape->J;
    for (int k = 0; k < link.n; ++k) columns[link.columns + k].lin = link.shape->S[k];
    if (link.shape->ne > link.n) G[i].assign(static_cast<std::size_t>(link.n) * kLanes * lanes_for(link.n), 0);
  }
  for (std::size_t h = 0; h < handles.size(); ++h) {  // of the undeformed body: final in `ruthless`
    const Handle& handle = layout.handles[h];
    const Link& link = layout.links[handle.body];
    NodeFrame d;
    compute_node(link.shape->nodes[handle.node], link.n, nullptr, nullptr, d, &columns[handle.columns]);
    handles[h].l = d.l;
    handles[h].R = d.R;
  }
  const int extended = kLanes * lanes_for(layout.max_extended);
  extended_columns.assign(extended, zero_spatial());
  extended_p.assign(extended, 0);
  extended_c = extended_p;
  if (layout.stiffened) extended_product.assign(static_cast<std::size_t>(extended) * layout.max_modes, 0);
}

}  // namespace limber
