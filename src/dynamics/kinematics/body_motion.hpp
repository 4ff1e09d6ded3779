// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "deformation.hpp"
#include "sweeps.hpp"

// Kinematics of a single body, shared by the serial pass and the divide-and-conquer tree.
namespace limber {

// Copies the modal coordinates of a body from the state.
LIMBER_INLINE void copy_modes(const Link& link, const double* q, const double* v, Kinematics& kin) {
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
}

// The joint of a body at a state; writes its hinge map if that depends on q.
LIMBER_INLINE void compute_joint(const Link& link, const double* q, const double* v, Kinematics& kin, Hinge& hinge) {
  if (link.fixed_axis) {
    compute_fixed_axis(link, q + link.q, v + link.v, kin.turns.data() + std::max(link.angle, 0), hinge);
    return;
  }
  compute_hinge(link, q + link.q, v + link.v, link.varying < 0 ? nullptr : &kin.varying[link.varying], hinge);
}
// Sines and cosines for four joints with fixed axes, starting at entry `first` of layout.angles.
inline void compute_turns(const Layout& layout, std::size_t first, const double* q, Kinematics& kin) {
  const int* at = layout.angles.data() + first;
  Vec4d sine, cosine;
  sincos(Vec4d{q[at[0]], q[at[1]], q[at[2]], q[at[3]]}, sine, cosine);
  store(&kin.turns[2 * first], sine);
  store(&kin.turns[2 * first + kLanes], cosine);
}

// Twist and acceleration of an attachment from those of its body, in the basis of the body.  theory §2, Nodes.
LIMBER_INLINE void push(const AttachmentFrame& at, Spatial& V, Spatial& a) {
  V = twist_at(at.l, V) + at.V;
  a = twist_at(at.l, a) + cross_twist(V, at.V) + at.a;
}

// For a joint on a moving node d of the body: transforms f from the joint frame O on that node to the body frame.
// Writes the columns U and the hinge map of the body.
void from_inboard_attachment(const Layout& layout, const Link& link, LinkFrame& f, Kinematics& kin);

}  // namespace limber
