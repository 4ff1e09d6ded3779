// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "dynamics/aba/elimination.hpp"
#include "limber/dynamics/detail/dca.hpp"

// Steps of divide and conquer for one body, one joint, one pair of parts.  theory §6.
namespace limber {

// Maximum loss of digits, in units of rounding; beyond it aba computes the result.  Digits are lost in a joint or mode
// whose pivot is a small fraction of its terms; and in a pair, with outboard inertia P and inboard compliance Omega, if
// the terms of P Omega are large, even if they cancel: T P^-1 is then small, but its rounding errors are not.
inline constexpr double kMaxLoss = 5e4;

// One evaluation.
struct DcaJob {
  const Layout& layout;
  const double *q, *v, *u;  // state, given forces
  std::span<const std::uint8_t> prescribed;
  double* vdot;
  double* tau_out;  // torques of prescribed joints, or null
  DcaData& ws;
  bool world = false;  // compute poses in world
  bool threads = false;

  bool is_prescribed(int i) const { return !prescribed.empty() && prescribed[i] != 0; }
  Kinematics& kin() const { return ws.serial.kin; }
};

// The load of branch b on its supporting body.
inline DcaSum load_of(const DcaData& ws, int b) {
  const int part = ws.tree.branches[b].part;
  return part < 0 ? ws.sums[b] : DcaSum{ws.ends[part].P, ws.ends[part].z};
}
inline double loss_of(const DcaData& ws, int b) {
  if (b < 0) return 0;
  const DcaBranch& branch = ws.tree.branches[b];
  return branch.part >= 0 ? ws.ends[branch.part].loss : std::max(loss_of(ws, branch.left), loss_of(ws, branch.right));
}

// ---- motions of several bodies ----

// From a frame with V and a to one that moves relative to it.  theory §3: a' = Z a + V' x V_rel + a_rel.
template <typename Relative>
LIMBER_INLINE void push(const Relative& m, Spatial& V, Spatial& a) {
  V = Spatial{m.Rt * V.ang, m.Rt * (V.lin + cross(V.ang, m.r))} + m.V;
  a = Spatial{m.Rt * a.ang, m.Rt * (a.lin + cross(a.ang, m.r))} + cross_twist(V, m.V) + m.a;
}

// Moving nodes of node group g, relative to their bodies.
void start_nodes(const DcaJob& job, int g, GroupScratch& scratch);

// Motion of a part's first body relative to its inboard frame; kin.links[i] then holds relative motion.
void start_motion(const DcaJob& job, const DcaPart& part);
// Rotates the joint of body i with its inboard node.
void attach_joint(const DcaJob& job, int i);
// Motion of a pair from those of its parts; attaches the joint between them.
void join_motion(const DcaJob& job, const DcaPart& pair, DcaMotion& out);
// Motion in world of the first body of the outboard half, from that of the first body of the pair; kin.links[i] then
// holds absolute motion.
void enter_motion(const DcaJob& job, const DcaPart& pair);
// The same for the first body of a branch, from its supporting body.
void enter_branch_motion(const DcaJob& job, int i);
// The same for the outboard attachments of a body, from the body.
void enter_attachments(const DcaJob& job, const DcaPart& part);

// ---- one body ----

// Equations of its ends, with the loads of its branches.  theory §6.
void compute_body(const DcaJob& job, int p);
// Constant terms in `ruthless`, used by compute_body.
void compute_constant(const DcaJob& job, int p);
// Accelerations of its modes, frame and loaded nodes, from that of its inboard end and the wrench at the outboard end.
void expand_body(const DcaJob& job, int p, Spatial f);

// ---- joints and pairs ----

// Eliminates the first joint of a part: the inboard end moves to the inboard frame of that joint.
void close_joint(const DcaJob& job, int p);
// Assembles a pair from its parts, after close_joint of the outboard one.
void join_parts(const DcaJob& job, int p);
// Wrench and acceleration at the joint between the halves of a pair, from those at its ends.
void part_ends(const DcaJob& job, int p, Spatial f, Spatial& f_between, Spatial& a_between);
// Accelerations of the first joint of a part, from the acceleration of its inboard frame and the wrenches there and at
// the outboard end.
void enter_joint(const DcaJob& job, int p, Spatial a_inboard, Spatial f_inboard, Spatial f);

// ---- general 6x6 matrices ----

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
