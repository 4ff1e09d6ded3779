// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/kinematics.hpp"

#include <algorithm>
#include <cstring>

#include "body_motion.hpp"
#include "sliders.hpp"

namespace limber {

//   V_F = X(-l)(V_d - Pi etadot),  U = -X(-l) Pi        theory §2, Body frame, [JR] (10)
void from_inboard_attachment(const Layout& layout, const Link& link, LinkFrame& f, Kinematics& kin) {
  const bool still = layout.ruthless;
  NodeFrame d;
  Spatial* U = &kin.columns[link.inboard_columns];
  compute_node(link.constants->nodes[link.inboard], link.n, still ? nullptr : &kin.eta[link.scalars],
               still ? nullptr : &kin.etadot[link.scalars], d, U);
  for (int k = 0; k < link.n; ++k) U[k] = {-U[k].ang, cross(U[k].ang, d.l) - U[k].lin};
  // Pose, twist and acceleration of the node, in the basis of F.
  const Mat3 Dt = transpose(d.R);
  f.R = f.R * Dt;
  f.Rt = transpose(f.R);
  f.r -= f.R * d.l;
  const Spatial V{d.R * f.V.ang, d.R * f.V.lin}, a{d.R * f.a.ang, d.R * f.a.lin};
  const Vec4d w = V.ang - d.turn_rate;
  f.V = {w, V.lin - d.l_rate - cross(w, d.l)};
  const Vec4d wdot = a.ang - d.turn_bias - cross(w, d.turn_rate);
  const Vec4d vdot =
      a.lin + cross(V.ang, V.lin) - cross(wdot, d.l) - cross(w, cross(w, d.l) + spread(2) * d.l_rate) - d.l_bias;
  f.a = {wdot, vdot - cross(w, f.V.lin)};
  Spatial* H = &kin.varying[link.varying];
  const Spatial* H_O = link.varies ? H : link.H;
  for (int k = 0; k < link.nr; ++k) {
    const Spatial h{d.R * H_O[k].ang, d.R * H_O[k].lin};
    H[k] = {h.ang, h.lin - cross(h.ang, d.l)};
  }
}

namespace {

// Pose, twist and acceleration from the inboard frame to the body.  theory §3, in spatial accelerations: the velocity
// terms of every joint kind are V x (H beta) + (dH/dt) beta.
LIMBER_INLINE void across_joint(const Layout& layout, const Link& link, const double* q, const double* v, LinkFrame& f,
                                Kinematics& kin) {
  Hinge hinge;
  compute_joint(link, q, v, kin, hinge);
  Spatial V, a;
  if (link.attachment >= 0) {
    const AttachmentFrame& at = kin.attachments[link.attachment];
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
  f.a = Spatial{f.Rt * a.ang, f.Rt * (a.lin + cross(a.ang, f.r))} + cross_twist(f.V, hinge.V);
  if (!link.fixed_axis) f.a += hinge.rate;
  if (link.inboard >= 0) from_inboard_attachment(layout, link, f, kin);
}

// Twists and accelerations of outboard attachments.
LIMBER_INLINE void push_attachments(const Layout& layout, const Link& link, const LinkFrame& f, Kinematics& kin) {
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
    AttachmentFrame& at = kin.attachments[h];
    if (layout.ruthless) at.V = at.a = zero_spatial();
    Spatial V = f.V, a = f.a;
    push(at, V, a);
    at.V = V;
    at.a = a;
  }
}

}  // namespace

void set_gravity(const Vector3d& gravity, Kinematics& kin) {
  kin.framed_stamp = 0;
  kin.links[kGround].a.lin = -to_vec4d(gravity);
}

void compute_kinematics(const Model& model, const State& x, Kinematics& kin) {
  check_sizes(model, x, x.v, x.v);
  check_model(model, kin);
  ++kin.stamp;
  compute_frames(x.q.data(), x.v.data(), kin);
}

bool is_state(const State& x, const double* q, const double* v) {
  const auto same = [](const VectorXd& a, const double* b) {
    return a.size() == 0 || std::memcmp(a.data(), b, sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
  };
  return same(x.q, q) && same(x.v, v);
}

bool is_current(const State& x, const Kinematics& kin) {
  return kin.stamp > 0 && kin.framed_stamp == kin.stamp && is_state(x, kin.q.data(), kin.v.data());
}

void update_kinematics(const Model& model, const State& x, Kinematics& kin) {
  check_sizes(model, x, x.v, x.v);
  check_model(model, kin);
  if (!is_current(x, kin)) compute_kinematics(model, x, kin);
  if (kin.posed_stamp != kin.stamp) compute_world_poses(model, kin);
}

void compute_frames(const double* q, const double* v, Kinematics& kin) {
  const Layout& layout = *kin.layout;
  kin.framed_stamp = kin.stamp;
  kin.q = ConstVec(Eigen::Map<const VectorXd>(q, kin.q.size()));
  kin.v = ConstVec(Eigen::Map<const VectorXd>(v, kin.v.size()));
  const int count = static_cast<int>(layout.links.size());
  for (std::size_t k = 0; k < layout.angles.size(); k += kLanes) compute_turns(layout, k, q, kin);
  for (int i = 1; i < count; ++i) {
    if (layout.links[i].n > 0) copy_modes(layout.links[i], q, v, kin);
  }
  if (!layout.ruthless) {
    for (const NodeGroup& group : layout.node_groups) move_nodes(group, kin, kin.scratch);
    place_sliders(q, v, kin);
  }
  for (int i = 1; i < count; ++i) {
    const Link& link = layout.links[i];
    across_joint(layout, link, q, v, kin.links[i], kin);
    push_attachments(layout, link, kin.links[i], kin);
  }
  for (const BodyGroup& group : layout.groups) load_bodies(layout, group, kin, kin.scratch);
}

GroupScratch::GroupScratch(const Layout& layout) {
  const std::size_t extended = static_cast<std::size_t>(kLanes) * lanes_for(layout.max_extended);
  p.assign(extended, zero());
  e = rate = second = p;
  J.resize(extended);
  if (!layout.stiffened) return;
  c = p;
  S.resize(extended);
  product.assign(extended * kLanes * lanes_for(layout.max_modes), zero());
}

Kinematics::Kinematics(const Model& model) : layout(model.layout) {
  links.resize(layout->links.size());
  attachments.resize(layout->attachments.size());
  columns.assign(layout->columns, zero_spatial());
  varying.assign(layout->varying, zero_spatial());
  p_f.assign(layout->scalars, 0);
  eta = etadot = p_f;
  world.resize(layout->links.size());
  q = VectorXd::Zero(model.nq);
  v = VectorXd::Zero(model.nv);
  links[0].V = zero_spatial();
  links[0].a = {zero(), -to_vec4d(model.gravity)};
  G.resize(layout->links.size());
  for (std::size_t i = 1; i < layout->links.size(); ++i) {
    const Link& link = layout->links[i];
    links[i].m = link.constants->m;
    links[i].s = link.constants->s;
    links[i].J = link.constants->J;
    for (int k = 0; k < link.n; ++k) {
      const auto& F = link.constants->shape_pairs[link.constants->pair_begin[k]].numbers;  // of the undeformed body
      columns[link.columns + k] = {Vec4d{F[6], F[7], F[8], 0}, link.constants->S[k]};
    }
    if (link.constants->ne > link.n) G[i].assign(static_cast<std::size_t>(link.n) * kLanes * lanes_for(link.n), 0);
  }
  turns.assign(2 * layout->angles.size(), 0);
  four_F.assign(layout->group_shapes, FourVectors{});
  for (const BodyGroup& group : layout->groups) {
    for (int k = 0; k < group.n; ++k) four_F[group.shapes + k] = group.constants->pairs_of[k].axial;
  }
  four_attachments.resize(layout->node_groups.size());
  four_gamma.assign(layout->group_modes, FourVectors{});
  for (const OutboardAttachment& attachment : layout->attachments) {
    const Link& link = layout->links[attachment.body];
    for (int k = 0; k < link.n; ++k) {
      columns[attachment.columns + k].lin = link.constants->nodes[attachment.node].gamma[k];
    }
  }
  scratch = GroupScratch(*layout);
  for (const NodeGroup& group : layout->node_groups) move_nodes(group, *this, scratch);  // final in `ruthless`
}

}  // namespace limber
