// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/detail/kinematics.hpp"

namespace limber {

// Computations of single bodies, for four bodies at once, in their own bases.  theory §2.

// Motion of four bodies, input of their inertial forces.
struct FourMotions {
  FourVectors w, wdot, vdot;
  FourSymmetric ww;  // m . ww = w^T m w
  LIMBER_INLINE FourMotions(const FourVectors& w_, const FourVectors& wdot_, const FourVectors& vdot_)
      : w(w_), wdot(wdot_), vdot(vdot_) {
    const Vec4d x2 = w.x + w.x, y2 = w.y + w.y;
    ww = {w.x * w.x, w.y * w.y, w.z * w.z, x2 * w.y, x2 * w.z, y2 * w.z};
  }
};

// p_r = M_rr alpha + b_r at zero modal rates and accelerations.
LIMBER_INLINE FourSpatial rigid_forces(Vec4d m, const FourVectors& s, const FourSymmetric& J, const FourVectors& w,
                                       const FourVectors& wdot, const FourVectors& vdot) {
  return {J * wdot + cross(s, vdot) + cross(w, J * w), vdot * m + cross(wdot, s) + cross(w, cross(w, s))};
}

// Mass integrals of four deformed bodies, and their inertial forces.
struct FourLoads {
  FourSymmetric J;
  FourVectors s, s_rate;
  FourSpatial p;         // p_r
  const Vec4d* p_f;      // (n)
  const FourVectors* F;  // (n) columns [F; S]
  const FourVectors* S;
  const Vec4d* G;  // (n x n padded) modal mass if it depends on the state, otherwise null
};
// Input: modes and their rates in `scratch`.  F: see FourLoads; in `ruthless` it is constant and not written.
void compute_loads(const Layout& layout, const BodyGroup& group, const FourMotions& motion, FourVectors* F,
                   GroupScratch& scratch, FourLoads& out);
// The sums over shapes in compute_loads for beams (FourBodies::beam_modes).
void contract_beams(const FourBodies& bodies, const FourMotions& motion, FourVectors* F, GroupScratch& scratch,
                    FourLoads& out);
// The modal forces of beams at e = rate = 0.
void contract_undeformed_beams(const FourBodies& bodies, const FourMotions& motion, Vec4d* p);
// compute_loads for bodies in `kin`; writes columns, J, s, p_r, p_f and G there.
void load_bodies(const Layout& layout, const BodyGroup& group, Kinematics& kin, GroupScratch& scratch);

// Outboard attachments relative to their bodies, including V and a; needs no motion of the bodies.  Input: modes and
// their rates in `scratch`.
void place_nodes(const NodeGroup& group, AttachmentFrame* const* at, Kinematics& kin, GroupScratch& scratch);
// The same with the modes in `kin`; also writes columns.
void move_nodes(const NodeGroup& group, Kinematics& kin, GroupScratch& scratch);

}  // namespace limber
