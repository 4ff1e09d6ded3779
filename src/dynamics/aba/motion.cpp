// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "ahead.hpp"
#include "dynamics/kinematics/body_motion.hpp"
#include "dynamics/kinematics/sliders.hpp"
#include "elimination.hpp"
#include "limber/model/slider.hpp"

// Motion of the bodies in world basis, each at its own origin, summed from body to body; classical accelerations.
// theory §5, World basis.
namespace limber {
namespace {

// R v, with v in a register.
LIMBER_INLINE Vec4d turned_register(const Mat3& R, Vec4d v) {
  return R.c[0] * lane<0>(v) + R.c[1] * lane<1>(v) + R.c[2] * lane<2>(v);
}
LIMBER_INLINE void set_turned(const Mat3& R, const Mat3& other, Mat3& out) {
  out.c[0] = R * other.c[0];
  out.c[1] = R * other.c[1];
  out.c[2] = R * other.c[2];
}
// R (3 - R^T R) / 2: orthogonal to rounding.  Products of rotations along a chain lose orthogonality with each body.
void make_orthogonal(Mat3& R) {
  const Mat3 before = R, squares = transpose(R) * R;
  for (int j = 0; j < 3; ++j) R.c[j] = spread(1.5) * before.c[j] - spread(0.5) * (before * squares.c[j]);
}
LIMBER_INLINE Spatial to_world(const Mat3& R, const Spatial& s) { return {R * s.ang, R * s.lin}; }

// For a joint on a moving node d of the body: transforms f from the joint frame on that node to the body frame, shifts
// the hinge map there and writes the columns U.  theory §2, Body frame, [JR] (10).
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

// move_body for a revolute joint with its axis through the body's origin.
LIMBER_INLINE void across_pivot(const MotionStep& step) {
  const WorldFrame& from = *step.from;
  WorldFrame& f = *step.frame;
  const Mat3 R = from.R;
  const Vec4d sine = spread(step.turn[0]), cosine = spread(step.turn[kLanes]);
  const PivotJoint& joint = *step.pivot;
  const Mat3* K = joint.K;
  const auto column = [&](int j) __attribute__((always_inline)) {
    return turned_register(R, K[0].c[j] + cosine * K[1].c[j] + sine * K[2].c[j]);
  };
  const Mat3 turn{{column(0), column(1), column(2)}};
  f.R.c[0] = turn.c[0], f.R.c[1] = turn.c[1], f.R.c[2] = turn.c[2];
  const Vec4d axis = turn * joint.axis;
  step.H->ang = axis;
  const Vec4d rate = axis * spread(*step.speed), w = from.w + rate;
  f.w = w;
  f.wdot = from.wdot + cross(w, rate);
  if (step.same_origin) {
    f.l = from.l;
    f.vdot = from.vdot;
    return;
  }
  const Vec4d r = R * joint.p;
  f.l = step.on_node ? from.l + r : r;
  f.vdot = from.vdot + cross(from.wdot, r) + cross(from.w, cross(from.w, r));
}

// Second time derivative of a slider's position on its beam.  move_attachment omits it, because other nodes have none
// in `full`.
Vec4d slider_bias(const Link& link, const AbaData& ws) {
  const AttachmentFrame& at = ws.kin.attachments[link.attachment];
  return ws.frames[link.parent].R * (at.a.lin + cross(at.V.ang, at.V.lin));
}

// From the inboard frame to the body, theory §3:
//   w = w+ + H_ang beta      wdot = wdot+ + w x H_ang beta + ...
//   vdot = vdot+ + wdot+ x r + w+ x (w+ x r + H_lin beta) + w x H_lin beta + ...      ...: (dH/dt) beta
void move_body(const Layout& layout, const MotionStep& step, AbaData& ws) {
  const Link& link = *step.link;
  const WorldFrame& from = *step.from;
  WorldFrame& f = *step.frame;
  Spatial* H = step.H;
  Hinge hinge;
  compute_joint(link, ws.q.data(), ws.v.data(), ws.kin, hinge);
  set_turned(from.R, hinge.pose.R, f.R);
  const Vec4d r = from.R * hinge.pose.p;
  f.l = step.on_node ? from.l + r : r;
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

// Motion of an outboard attachment.  theory §2, Nodes.
template <bool Ruthless, bool Stiffened>
LIMBER_INLINE void move_attachment(const WorldFrame& f, const AttachmentFrame& at, WorldFrame& out) {
  const Mat3 R = f.R;
  set_turned(R, at.R, out.R);
  const Vec4d l = R * at.l, w = f.w, wdot = f.wdot;
  out.l = l;
  Vec4d v = cross(w, l), vdot = f.vdot + cross(wdot, l);
  if constexpr (Ruthless) {
    out.w = w;
    out.wdot = wdot;
  } else {
    const Vec4d turn = R * at.V.ang, rate = R * at.V.lin;
    out.w = w + turn;
    out.wdot = wdot + cross(w, turn) + R * at.a.ang;
    v += rate + rate;
    if constexpr (Stiffened) vdot += R * (at.a.lin + cross(at.V.ang, at.V.lin));
  }
  out.vdot = vdot + cross(w, v);
}

// Poses and motion of four attachments relative to their bodies.
void place_group(const Layout& layout, std::size_t g, AbaData& ws) {
  const NodeGroup& group = layout.node_groups[g];
  const NodeStep& at = ws.node_steps[g];
  GroupScratch& scratch = ws.kin.scratch;
  gather_numbers(
      group.n, [&](int lane) { return at.q[lane]; }, scratch.e.data());
  gather_numbers(
      group.n, [&](int lane) { return at.v[lane]; }, scratch.rate.data());
  place_nodes(group, at.at, ws.kin, scratch);
}

template <bool Ruthless, bool Stiffened>
void move_bodies(const Layout& layout, AbaData& ws) {
  int placed = 0;
  for (const SweepBlock& block : ws.blocks) {
    for (; placed < block.placed; ++placed) {
      if (placed + kPlaces < static_cast<int>(ws.places.size()))
        prefetch_place(layout, ws.places[placed + kPlaces], ws);
      place_group(layout, ws.places[placed], ws);
    }
    const MotionStep *step = ws.motion_steps.data() + block.begin - 1, *const end =
                                                                           ws.motion_steps.data() + block.end - 1;
    const bool more = block.end + kBlock <= static_cast<int>(ws.steps.size());
    for (; step < end; ++step) {
      if (more) {
        prefetch_far(step, kBlock + kSteps);
        prefetch_motion(step[kBlock]);
      }
      step->pivot != nullptr ? across_pivot(*step) : move_body(layout, *step, ws);
      if (step->renewed) make_orthogonal(step->frame->R);
      for (int h = 0; h < step->carrying; ++h) {
        move_attachment<Ruthless, Stiffened>(*step->frame, step->attachments[h], step->outboard[h]);
      }
    }
  }
}

// Finds an equal joint among the last ones, or appends one.  `pivots` has reserved memory, so pointers stay valid.
const PivotJoint* find_pivot(const Link& link, std::vector<PivotJoint>& pivots) {
  constexpr std::size_t kLast = 8;
  const PivotJoint joint{{link.K[0].R, link.K[1].R, link.K[2].R}, link.K[0].p, link.H[0].ang};
  for (std::size_t k = pivots.size(); k > 0 && k + kLast > pivots.size(); --k) {
    if (std::memcmp(&pivots[k - 1], &joint, sizeof joint) == 0) return &pivots[k - 1];
  }
  pivots.push_back(joint);
  return &pivots.back();
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
  place_sliders(ws.q.data(), ws.v.data(), kin);
  ws.frames[0].vdot = kin.links[0].a.lin;
  if (layout.ruthless) return move_bodies<true, false>(layout, ws);
  layout.stiffened ? move_bodies<false, true>(layout, ws) : move_bodies<false, false>(layout, ws);
}

void set_motion_steps(AbaData& ws) {
  const Layout& layout = *ws.kin.layout;
  std::vector<int> depth(layout.links.size(), 0);
  ws.pivots.clear();
  ws.pivots.reserve(layout.links.size());
  ws.motion_steps.resize(layout.links.size() - 1);
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    MotionStep& step = ws.motion_steps[i - 1];
    step.link = &link;
    step.on_node = link.attachment >= 0;
    step.from = step.on_node ? &ws.attachment_frames[ws.attachment_places[link.attachment]] : &ws.frames[link.parent];
    step.frame = &ws.frames[i];
    step.H = ws.H.data() + ws.unknowns[i].hinge;
    if (link.pivots) {
      step.pivot = find_pivot(link, ws.pivots);
      step.turn = &ws.kin.turns[link.angle];
    }
    step.speed = ws.v.data() + link.v;
    step.carrying = link.attachment_end - link.attachment_begin;
    if (step.carrying > 0) {
      step.attachments = placed_attachment(link.attachment_begin, ws);
      step.outboard = &ws.attachment_frames[ws.attachment_places[link.attachment_begin]];
    }
    const Vec4d p = link.K[0].p;
    step.same_origin = step.on_node && p[0] == 0 && p[1] == 0 && p[2] == 0;
    depth[i] = depth[link.parent] + 1;
    step.renewed = depth[i] % 16 == 0;
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
