// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/detail/kinematics.hpp"

namespace limber {

// What bodies compute without their neighbours, four at a time, in their own bases.  theory §2.

// Motion of four bodies, as their inertial forces need it.
struct FourMotions {
  FourVectors w, wdot, vdot;
  FourSymmetric ww;  // m . ww = w^T m w
  LIMBER_INLINE FourMotions(const FourVectors& w_, const FourVectors& wdot_, const FourVectors& vdot_)
      : w(w_), wdot(wdot_), vdot(vdot_) {
    const Vec4d x2 = w.x + w.x, y2 = w.y + w.y;
    ww = {w.x * w.x, w.y * w.y, w.z * w.z, x2 * w.y, x2 * w.z, y2 * w.z};
  }
};

// p_r = M_rr alpha + b_r of bodies that keep their form.
LIMBER_INLINE FourSpatial rigid_forces(Vec4d m, const FourVectors& s, const FourSymmetric& J, const FourVectors& w,
                                       const FourVectors& wdot, const FourVectors& vdot) {
  return {J * wdot + cross(s, vdot) + cross(w, J * w), vdot * m + cross(wdot, s) + cross(w, cross(w, s))};
}

// Deformed bodies, and their inertial forces.
struct FourLoads {
  FourSymmetric J;
  FourVectors s, s_rate;
  FourSpatial p;         // p_r
  const Vec4d* p_f;      // (n)
  const FourVectors* F;  // (n) columns [F; S]
  const FourVectors* S;
  const Vec4d* G;  // (n x n padded) modal mass, where it depends on the state, else null
};
// With the modes and their rates in `scratch`; F as in FourLoads, which in `ruthless` is constant.
void compute_loads(const Layout& layout, const BodyGroup& group, const FourMotions& motion, FourVectors* F,
                   GroupScratch& scratch, FourLoads& out);
// Its sums over shapes where these are those of beams (FourBodies::beam_modes).
void contract_beams(const FourBodies& bodies, const FourMotions& motion, FourVectors* F, GroupScratch& scratch,
                    FourLoads& out);
// The modal forces of beams at e = rate = 0.
void contract_undeformed_beams(const FourBodies& bodies, const FourMotions& motion, Vec4d* p);
// The same of bodies in `kin`, and for all who use it: columns, J, s, p_r, p_f and G.
void load_bodies(const Layout& layout, const BodyGroup& group, Kinematics& kin, GroupScratch& scratch);

// Outboard attachments as their bodies see them, V and a relative: before the motion of the bodies is known.  With the
// modes and their rates in `scratch`.
void place_nodes(const NodeGroup& group, AttachmentFrame* const* at, Kinematics& kin, GroupScratch& scratch);
// The same with the modes in `kin`, and columns.
void move_nodes(const NodeGroup& group, Kinematics& kin, GroupScratch& scratch);

}  // namespace limber
