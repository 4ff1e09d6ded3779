// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dynamics/kinematics/body_motion.hpp"
#include "dynamics/kinematics/sliders.hpp"
#include "elimination.hpp"
#include "limber/model/slider.hpp"

// The motion of the bodies in world basis, each at its own origin: sums from body to body, of classical accelerations.
// theory §5, World basis.
namespace limber {
namespace {

LIMBER_INLINE void set_turned(const Mat3& R, const Mat3& other, Mat3& out) {
  out.c[0] = R * other.c[0];
  out.c[1] = R * other.c[1];
  out.c[2] = R * other.c[2];
}
// R (3 - R^T R) / 2: orthogonal but for one rounding.  Products along a chain are less so with each body.
void make_orthogonal(Mat3& R) {
  const Mat3 before = R, squares = transpose(R) * R;
  for (int j = 0; j < 3; ++j) R.c[j] = spread(1.5) * before.c[j] - spread(0.5) * (before * squares.c[j]);
}
LIMBER_INLINE Spatial to_world(const Mat3& R, const Spatial& s) { return {R * s.ang, R * s.lin}; }

// The joint sits on a moving node d of the body: from the joint frame on that node, which f holds on entry, to the body
// frame.  Moves the hinge map along and writes the columns U.  theory §2, Body frame, [JR] (10).
void from_inboard_node(const Layout& layout, const Link& link, WorldFrame& f, Spatial* H, AbaData& ws) {
  NodeFrame d;
  Spatial* U = &ws.U[link.inboard_columns];
  const bool still = layout.ruthless;
  compute_node(link.constants->nodes[link.inboard], link.n, still ? nullptr : &ws.q[link.qm],
               still ? nullptr : &ws.v[link.vm], d, U);
  const Mat3 R = f.R * transpose(d.R);
  f.R = R;
  const Vec4d l = R * d.l, turn_rate = R * d.turn_rate;
  for (int k = 0; k < link.n; ++k) {
    const Vec4d ang = R * U[k].ang;
    U[k] = {-ang, cross(ang, l) - R * U[k].lin};
  }
  for (int k = 0; k < link.nr; ++k) H[k].lin -= cross(H[k].ang, l);
  f.l -= l;
  f.w -= turn_rate;
  f.wdot -= R * d.turn_bias + cross(f.w, turn_rate);
  f.vdot -= cross(f.wdot, l) + cross(f.w, cross(f.w, l) + spread(2) * (R * d.l_rate)) + R * d.l_bias;
}

// The same by one turn about an axis through the body's origin.
LIMBER_INLINE void across_pivot(const Link& link, const WorldFrame& from, const AbaData& ws, WorldFrame& f, Vec4d& H) {
  const double* turn_of = &ws.kin.turns[link.angle];
  const Vec4d sine = spread(turn_of[0]), cosine = spread(turn_of[kLanes]);
  const PackedPose* K = link.K;
  for (int j = 0; j < 3; ++j) f.R.c[j] = from.R * (K[0].R.c[j] + cosine * K[1].R.c[j] + sine * K[2].R.c[j]);
  H = f.R * link.H[0].ang;
  const Vec4d turn = H * spread(ws.v[link.v]), w = from.w + turn;
  f.w = w;
  f.wdot = from.wdot + cross(w, turn);
  const Vec4d p = K[0].p;
  const bool on_node = link.attachment >= 0;
  if (on_node && p[0] == 0 && p[1] == 0 && p[2] == 0) {
    f.l = from.l;
    f.vdot = from.vdot;
    return;
  }
  const Vec4d r = from.R * p;
  f.l = on_node ? from.l + r : r;
  f.vdot = from.vdot + cross(from.wdot, r) + cross(from.w, cross(from.w, r));
}

// The second derivative of a slider's place on its beam, which move_attachments leaves out: nodes have none in `full`.
Vec4d slider_bias(const Link& link, const AbaData& ws) {
  const AttachmentFrame& at = ws.kin.attachments[link.attachment];
  return ws.frames[link.parent].R * (at.a.lin + cross(at.V.ang, at.V.lin));
}

// From the inboard frame to the body, theory §3:
//   w = w+ + H_ang beta      wdot = wdot+ + w x H_ang beta + ...
//   vdot = vdot+ + wdot+ x r + w+ x (w+ x r + H_lin beta) + w x H_lin beta + ...      ...: (dH/dt) beta
LIMBER_INLINE void move_body(const Layout& layout, const Link& link, int i, AbaData& ws) {
  const bool on_node = link.attachment >= 0;
  const WorldFrame& from = on_node ? ws.attachment_frames[link.attachment] : ws.frames[link.parent];
  WorldFrame& f = ws.frames[i];
  Spatial* H = &ws.H[ws.unknowns[i].hinge];
  if (link.pivots) return across_pivot(link, from, ws, f, H[0].ang);
  Hinge hinge;
  compute_joint(link, ws.q.data(), ws.v.data(), ws.kin, hinge);
  set_turned(from.R, hinge.pose.R, f.R);
  const Vec4d r = from.R * hinge.pose.p;
  f.l = on_node ? from.l + r : r;
  const Spatial* H_child = link.varies ? &ws.kin.varying[link.varying] : link.H;
  for (int k = 0; k < link.nr; ++k) H[k] = to_world(f.R, H_child[k]);
  const Spatial V = to_world(f.R, hinge.V);
  f.w = from.w + V.ang;
  f.wdot = from.wdot + cross(f.w, V.ang);
  f.vdot = from.vdot + cross(from.wdot, r) + cross(from.w, cross(from.w, r) + V.lin) + cross(f.w, V.lin);
  if (!link.fixed_axis) {
    f.wdot += f.R * hinge.rate.ang;
    f.vdot += f.R * hinge.rate.lin;
    if (link.kind == kSlider && !layout.stiffened) f.vdot += slider_bias(link, ws);
  }
  if (link.inboard >= 0) from_inboard_node(layout, link, f, H, ws);
}

// Moving nodes that carry others.  theory §2, Nodes.
LIMBER_INLINE void move_attachments(const Layout& layout, const Link& link, int i, AbaData& ws) {
  const WorldFrame& f = ws.frames[i];
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
    const AttachmentFrame& at = ws.kin.attachments[h];
    WorldFrame& out = ws.attachment_frames[h];
    set_turned(f.R, at.R, out.R);
    const Vec4d l = f.R * at.l;
    out.l = l;
    Vec4d v = cross(f.w, l), vdot = f.vdot + cross(f.wdot, l);
    if (layout.ruthless) {
      out.w = f.w;
      out.wdot = f.wdot;
    } else {
      const Vec4d turn = f.R * at.V.ang, rate = f.R * at.V.lin;
      out.w = f.w + turn;
      out.wdot = f.wdot + cross(f.w, turn) + f.R * at.a.ang;
      v += rate + rate;
      if (layout.stiffened) vdot += f.R * (at.a.lin + cross(at.V.ang, at.V.lin));
    }
    out.vdot = vdot + cross(f.w, v);
  }
}

}  // namespace

void compute_motion(const Model& model, const State& x, AbaData& ws) {
  check_model(model, ws.kin);
  Kinematics& kin = ws.kin;
  ++kin.stamp;
  const Layout& layout = *model.layout;
  std::copy_n(x.q.data(), x.q.size(), ws.q.data());
  std::copy_n(x.v.data(), x.v.size(), ws.v.data());
  for (std::size_t k = 0; k < layout.angles.size(); k += kLanes) compute_turns(layout, k, ws.q.data(), kin);
  for (std::size_t g = 0; !layout.ruthless && g < layout.node_groups.size(); ++g) {
    const NodeGroup& group = layout.node_groups[g];
    gather_numbers(
        group.n, [&](int lane) { return &ws.q[group.qm[lane]]; }, kin.scratch.e.data());
    gather_numbers(
        group.n, [&](int lane) { return &ws.v[group.vm[lane]]; }, kin.scratch.rate.data());
    place_nodes(group, kin, kin.scratch);
  }
  place_sliders(ws.q.data(), ws.v.data(), kin);
  ws.frames[0].vdot = kin.links[0].a.lin;
  const int* renewed = ws.renewed.data();
  for (int i = 1, end = static_cast<int>(layout.links.size()); i < end; ++i) {
    const Link& link = layout.links[i];
    move_body(layout, link, i, ws);
    if (i == *renewed) make_orthogonal(ws.frames[*renewed++].R);
    move_attachments(layout, link, i, ws);
  }
}

void complete_kinematics(AbaData& ws) {
  Kinematics& kin = ws.kin;
  if (kin.framed_stamp == kin.stamp) return;
  compute_frames(ws.q.data(), ws.v.data(), kin);
  kin.posed_stamp = kin.stamp;
  kin.world[0] = {};
  for (std::size_t i = 1; i < ws.frames.size(); ++i) {
    const Vector3d parent = kin.world[kin.layout->links[i].parent].p;
    kin.world[i] = {to_matrix(ws.frames[i].R), parent + to_vector(ws.frames[i].l)};
  }
}

}  // namespace limber
