// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/kinematics/component.hpp"
#include "elimination.hpp"
#include "limber/dynamics/detail/operational.hpp"

// Mobilities W: the acceleration of a frame due to a wrench f on it is W f.  Symmetric 6x6 matrices, propagated outward
// with the factors of the inward sweep.  theory §6, Operational-space inertia.
namespace limber {

LIMBER_INLINE Spatial unit_spatial(int r) {
  Spatial s = zero_spatial();
  half(s, r)[r % 3] = 1;
  return s;
}

LIMBER_INLINE Mat6 transpose(const Mat6& m) {
  const Mat3 A = transpose(Mat3{{m.c[0].ang, m.c[1].ang, m.c[2].ang}});
  const Mat3 B = transpose(Mat3{{m.c[3].ang, m.c[4].ang, m.c[5].ang}});
  const Mat3 C = transpose(Mat3{{m.c[0].lin, m.c[1].lin, m.c[2].lin}});
  const Mat3 D = transpose(Mat3{{m.c[3].lin, m.c[4].lin, m.c[5].lin}});
  return {{{A.c[0], B.c[0]}, {A.c[1], B.c[1]}, {A.c[2], B.c[2]}, {C.c[0], D.c[0]}, {C.c[1], D.c[1]}, {C.c[2], D.c[2]}}};
}

// Propagation of wrenches from an outboard attachment of a body (or from its frame) across its unknowns, modes and
// hinge.  With the columns W of the unknowns there, a wrench z' gives bias forces b' = W^T z' and the wrench
// z+ = through z' inboard of the joint.
struct Passage {
  Mat6 own;                 // for two wrenches: b'_1^T D^-1 b'_2
  Mat6 through_transposed;  // accelerations of the attachment per accelerations inboard of the joint
};

// attachment: outboard attachment of body i, or -1: its frame.  Both ends at the body's origin.  O(k^2) for k unknowns.
Passage compute_passage(const Layout& layout, int i, int attachment, const AbaData& ws, OperationalData& scratch);

// Mobility of the attachment, from the mobility inboard of the joint.
Mat6 pass_outward(const Passage& passage, const Mat6& W);
// Shifts a mobility from the parent's origin to that of body i, without the speeds of its joint.
Mat6 cross_joint_outward(int i, const AbaData& ws, const Mat6& W);

}  // namespace limber
