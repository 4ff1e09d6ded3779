// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "dynamics/aba/elimination.hpp"
#include "limber/dynamics/detail/dca.hpp"

// The steps of divide and conquer on one body, one joint, one pair of parts.  theory §6.
namespace limber {

// Digits are lost in a joint or a mode whose inertia is a small share of the terms that make it up; and in a pair, of
// outboard inertia P and inboard compliance Omega, where P Omega is large, however much of it cancels: T P^-1 is as
// small as its inverse, and entries are known to a rounding only.  Beyond this many roundings aba answers.
inline constexpr double kMaxLoss = 5e4;

// One evaluation.
struct DcaJob {
  const Layout& layout;
  const double *q, *v, *u;  // state, given forces
  std::span<const std::uint8_t> prescribed;
  double* vdot;
  double* tau_out;  // torques of prescribed joints, or null
  DcaData& ws;
  bool world = false;  // poses in world are wanted
  bool threads = false;

  bool is_prescribed(int i) const { return !prescribed.empty() && prescribed[i] != 0; }
  Kinematics& kin() const { return ws.serial.kin; }
};

// What branch b gives to the body that carries it.
inline DcaSum load_of(const DcaData& ws, int b) {
  const int part = ws.tree.branches[b].part;
  return part < 0 ? ws.sums[b] : DcaSum{ws.ends[part].P, ws.ends[part].z};
}
inline double loss_of(const DcaData& ws, int b) {
  if (b < 0) return 0;
  const DcaBranch& branch = ws.tree.branches[b];
  return branch.part >= 0 ? ws.ends[branch.part].loss : std::max(loss_of(ws, branch.left), loss_of(ws, branch.right));
}

// ---- motions, beyond those of one body alone ----

// From a frame with V and a to one that moves relative to it.  theory §3: a' = Z a + V' x V_rel + a_rel.
template <typename Relative>
LIMBER_INLINE void push(const Relative& m, Spatial& V, Spatial& a) {
  V = Spatial{m.Rt * V.ang, m.Rt * (V.lin + cross(V.ang, m.r))} + m.V;
  a = Spatial{m.Rt * a.ang, m.Rt * (a.lin + cross(a.ang, m.r))} + cross_twist(V, m.V) + m.a;
}

// Moving nodes of node group g, as seen from their bodies.
void start_nodes(const DcaJob& job, int g, GroupScratch& scratch);

// The joint of a body as seen from an inboard frame at rest; kin.links[i] is relative from now on.
void start_motion(const DcaJob& job, const DcaPart& part);
// Turns the joint of body i with the node that it sits on.
void attach_joint(const DcaJob& job, int i);
// Motion of a pair from those of its parts; the joint between them is attached.
void join_motion(const DcaJob& job, const DcaPart& pair, DcaMotion& out);
// The first body of the outboard half, once the first of the pair is known: kin.links is absolute from now on.
void enter_motion(const DcaJob& job, const DcaPart& pair);
// The first body of a branch, once the body that carries it is known.
void enter_branch_motion(const DcaJob& job, int i);
// The nodes that carry branches of a body whose motion is known.
void enter_attachments(const DcaJob& job, const DcaPart& part);

// ---- one body ----

// Its ends, with the loads of its branches.  theory §6.
void compute_body(const DcaJob& job, int p);
// In `ruthless` what does not depend on the state, for compute_body to use.
void compute_constant(const DcaJob& job, int p);
// Accelerations of its modes, frame and loaded nodes, from that of its inboard end and the wrench at the outboard end.
void expand_body(const DcaJob& job, int p, Spatial f);

// ---- joints and pairs ----

// The first joint of a part leaves: its inboard end is the inboard frame of that joint from now on.
void close_joint(const DcaJob& job, int p);
// A pair from its parts, the outboard one closed.
void join_parts(const DcaJob& job, int p);
// Wrench between the halves of a pair and acceleration of the place, from those at its ends.
void part_ends(const DcaJob& job, int p, Spatial f, Spatial& f_between, Spatial& a_between);
// Accelerations of the first joint of a part, from that of its inboard frame, the wrench there, and that at the
// outboard end.
void enter_joint(const DcaJob& job, int p, Spatial a_inboard, Spatial f_inboard, Spatial f);

// ---- 6x6 matrices that are not symmetric ----

LIMBER_INLINE Mat6 transpose6(const Mat6& m) {
  const Mat3 A = transpose(Mat3{{m.c[0].ang, m.c[1].ang, m.c[2].ang}}),
             B = transpose(Mat3{{m.c[3].ang, m.c[4].ang, m.c[5].ang}}),
             C = transpose(Mat3{{m.c[0].lin, m.c[1].lin, m.c[2].lin}}),
             D = transpose(Mat3{{m.c[3].lin, m.c[4].lin, m.c[5].lin}});
  return {{{A.c[0], B.c[0]}, {A.c[1], B.c[1]}, {A.c[2], B.c[2]}, {C.c[0], D.c[0]}, {C.c[1], D.c[1]}, {C.c[2], D.c[2]}}};
}

// m^T v.
LIMBER_INLINE Spatial transposed_times(const Mat6& m, Spatial v) {
  const auto part = [&](int j) { return m.c[j].ang * v.ang + m.c[j].lin * v.lin; };
  return {sums(part(0), part(1), part(2), zero()), sums(part(3), part(4), part(5), zero())};
}

LIMBER_INLINE Mat6 identity6() {
  Mat6 one{};
  for (int j = 0; j < 3; ++j) one.c[j].ang[j] = one.c[3 + j].lin[j] = 1;
  return one;
}

}  // namespace limber
