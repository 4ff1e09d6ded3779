// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Divide and conquer: poses, velocities and bias accelerations.  Motions are first computed relative to the preceding
// frame, which makes them independent of each other, then composed up the tree and propagated down it.  theory §6.
#include "dca_steps.hpp"
#include "dynamics/kinematics/body_motion.hpp"

namespace limber {
namespace {

// Whether a part is a single body whose outboard end is its frame, or a moving node.
LIMBER_INLINE bool is_frame(const DcaPart& part) { return part.left < 0 && part.attachment < 0; }
LIMBER_INLINE bool is_node(const DcaPart& part) { return part.left < 0 && part.attachment >= 0; }

// Replaces the motion of body i relative to its inboard frame by its motion in world.
LIMBER_INLINE void propagate(const DcaJob& job, int i, Spatial V, Spatial a, const PackedPose* inboard) {
  Kinematics& kin = job.kin();
  LinkFrame& f = kin.links[i];
  push(f, V, a);
  f.V = V;
  f.a = a;
  if (inboard != nullptr) kin.world[i] = to_pose(*inboard * PackedPose{f.R, f.r});
}

}  // namespace

void start_motion(const DcaJob& job, const DcaPart& part) {
  Kinematics& kin = job.kin();
  const Link& link = job.layout.links[part.first];
  LinkFrame& f = kin.links[part.first];
  Hinge hinge;
  compute_joint(link, job.q, job.v, kin, hinge);
  f.R = hinge.pose.R;
  f.r = hinge.pose.p;
  f.V = hinge.V;
  f.a = hinge.rate;
  if (link.inboard >= 0) from_inboard_attachment(job.layout, link, f, kin);
}

void attach_joint(const DcaJob& job, int i) {
  const Link& link = job.layout.links[i];
  LinkFrame& f = job.kin().links[i];
  if (link.attachment >= 0) {
    const Mat3& R = job.kin().attachments[link.attachment].R;
    f.R = R * f.R;
    f.r = R * f.r;
  }
  f.Rt = transpose(f.R);
}

void join_motion(const DcaJob& job, const DcaPart& pair, DcaMotion& out) {
  const DcaData& ws = job.ws;
  const DcaPart &A = ws.tree.parts[pair.left], &B = ws.tree.parts[pair.right];
  attach_joint(job, B.first);
  if (!pair.open) return;
  const LinkFrame& joint = job.kin().links[B.first];
  if (is_frame(A)) {
    out = {joint.R, joint.Rt, joint.r, joint.V, joint.a};
  } else if (is_node(A)) {
    const AttachmentFrame& at = job.kin().attachments[A.attachment];
    out = {joint.R, joint.Rt, at.l + joint.r, at.V, at.a};
    push(joint, out.V, out.a);
  } else {
    const DcaMotion& m = ws.motions[pair.left];
    out = {m.R * joint.R, joint.Rt * m.Rt, m.r + m.R * joint.r, m.V, m.a};
    push(joint, out.V, out.a);
  }
  if (is_frame(B)) return;
  if (is_node(B)) {
    const AttachmentFrame& at = job.kin().attachments[B.attachment];
    out.r += out.R * at.l;
    push(at, out.V, out.a);
    return;
  }
  const DcaMotion& m = ws.motions[pair.right];
  out.r += out.R * m.r;
  out.R = out.R * m.R;
  out.Rt = m.Rt * out.Rt;
  push(m, out.V, out.a);
}

void enter_motion(const DcaJob& job, const DcaPart& pair) {
  const DcaData& ws = job.ws;
  const Kinematics& kin = job.kin();
  const DcaPart &A = ws.tree.parts[pair.left], &B = ws.tree.parts[pair.right];
  Spatial V = kin.links[pair.first].V, a = kin.links[pair.first].a;
  PackedPose inboard;
  if (job.world) inboard = pack(kin.world[pair.first]);
  if (is_node(A)) {
    const AttachmentFrame& at = kin.attachments[A.attachment];
    push(at, V, a);
    if (job.world) inboard.p += inboard.R * at.l;
  } else if (!is_frame(A)) {
    const DcaMotion& m = ws.motions[pair.left];
    push(m, V, a);
    if (job.world) inboard = inboard * PackedPose{m.R, m.r};
  }
  propagate(job, B.first, V, a, job.world ? &inboard : nullptr);
}

void enter_branch_motion(const DcaJob& job, int i) {
  const Kinematics& kin = job.kin();
  const Link& link = job.layout.links[i];
  PackedPose inboard;
  if (job.world) inboard = pack(kin.world[link.parent]);
  if (link.attachment < 0) {
    return propagate(job, i, kin.links[link.parent].V, kin.links[link.parent].a, job.world ? &inboard : nullptr);
  }
  const AttachmentFrame& at = kin.attachments[link.attachment];
  if (job.world) inboard.p += inboard.R * at.l;
  propagate(job, i, at.V, at.a, job.world ? &inboard : nullptr);
}

void enter_attachments(const DcaJob& job, const DcaPart& part) {
  Kinematics& kin = job.kin();
  const Link& link = job.layout.links[part.first];
  const LinkFrame& f = kin.links[part.first];
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
    Spatial V = f.V, a = f.a;
    push(kin.attachments[h], V, a);
    kin.attachments[h].V = V;
    kin.attachments[h].a = a;
  }
}

void start_nodes(const DcaJob& job, int g, GroupScratch& scratch) {
  Kinematics& kin = job.kin();
  const NodeGroup& group = job.layout.node_groups[g];
  if (!job.layout.ruthless) return move_nodes(group, kin, scratch);
  for (const int h : group.attachments) kin.attachments[h].V = kin.attachments[h].a = zero_spatial();
}

}  // namespace limber
