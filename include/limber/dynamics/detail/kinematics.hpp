// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "limber/dynamics/kinematics.hpp"
#include "limber/model/detail/layout.hpp"

namespace limber {

// One body at a state.  Its inboard frame is the frame of its parent, or the outboard attachment of the parent at its
// joint, in both cases in the basis of the parent's body frame.
struct LinkFrame {
  Mat3 R, Rt;  // rotation of the body frame in its inboard frame, and its transpose
  Vec4d r;     // its origin, relative to that of the inboard frame
  Spatial V;   // its twist
  Spatial a;   // its spatial acceleration at constant speeds, minus gravity
  Spatial p;   // p_r: inertial wrench in that motion, minus the external wrenches
  Mat3 J;      // inertia about the origin
  Vec4d s;     // first moment of mass
  double m;
};

// An outboard attachment, in the basis of its body.
struct AttachmentFrame {
  Vec4d l;       // position
  Mat3 R;        // rotation
  Spatial V, a;  // twist and spatial acceleration at l, as above
};

// One attachment in each of four bodies.
struct FourAttachments {
  FourVectors l;   // position
  FourMatrices A;  // left Jacobian of the rotation vector
};

// Scratch for four bodies.
struct GroupScratch {
  GroupScratch() = default;
  explicit GroupScratch(const Layout& layout);
  std::vector<Vec4d> e, rate, p, second, c, product;
  std::vector<FourSymmetric> J;
  std::vector<FourVectors> S;
};

struct Kinematics {
  explicit Kinematics(const Model& model);
  std::shared_ptr<const Layout> layout;  // of the model for which this was made
  std::vector<LinkFrame> links;
  std::vector<AttachmentFrame> attachments;
  // Per mode: [F; S] of bodies, U of inboard attachments, Pi of outboard attachments, at indices from the layout.
  std::vector<Spatial> columns;
  std::vector<Spatial> varying;        // motion maps that depend on q
  std::vector<double> p_f;             // the modal part of p, per body at link.scalars
  std::vector<double> eta, etadot;     // modal coordinates and their products, padded with zeros
  std::vector<std::vector<double>> G;  // (body) modal mass, rows padded to whole registers; only if it depends on q
  std::vector<Pose> world;             // (body) X_WB, by compute_world_poses
  std::vector<double> turns;           // sines and cosines of layout.angles
  // A body in each lane, according to layout.groups and layout.node_groups.
  std::vector<FourVectors> four_F;                // (shape) the angular part of the bodies' columns
  std::vector<FourAttachments> four_attachments;  // (node group)
  std::vector<FourVectors> four_gamma;            // (mode) the linear part of attachments' columns, if it depends on q
  VectorXd q, v;
  std::uint64_t stamp = 0;         // number of times the kinematics were computed
  std::uint64_t framed_stamp = 0;  // `stamp` of links, attachments and columns; 0: with wrenches
  std::uint64_t posed_stamp = 0;   // `stamp` of the poses in world

  const Spatial* hinge_map(const Link& link) const { return link.varying < 0 ? link.H : varying.data() + link.varying; }

  // Modal mass matrix of body i (n x n), rows padded to whole registers.
  const double* modal_mass(const Link& link, std::size_t i) const {
    return link.constants->G_rows.empty() ? G[i].data() : link.constants->G_rows.data();
  }

  GroupScratch scratch;
};

// Whether q and v are bitwise those of x; whether kin is that of x, without wrenches.  Sizes must match.
bool is_state(const State& x, const double* q, const double* v);
bool is_current(const State& x, const Kinematics& kin);

struct LinearSweep {
  explicit LinearSweep(const Model& model);
  std::vector<Spatial> a, f;                        // (body)
  std::vector<Spatial> attachment_a, attachment_f;  // (outboard attachment)
  std::vector<double> f_modal;                      // at link.scalars
};

// Subtracts wrenches on nodes from p; needs the poses in world.
void apply_wrenches(const Model& model, std::span<const NodeWrench> wrenches, Kinematics& kin);

// A node relative to its body.
struct NodeFrame {
  Vec4d l;                     // position
  Mat3 R;                      // rotation
  Mat3 A;                      // left Jacobian of the node's rotation vector
  Vec4d l_rate, l_bias;        // dl/dt and its second derivative at constant etadot
  Vec4d turn_rate, turn_bias;  // A dtheta/dt, (dA/dt) dtheta/dt
};
// theory §2, Nodes.  eta, etadot: n numbers; null: the node of the undeformed body at rest.  Y: its n columns Pi, or
// null.
void compute_node(const NodeConstants& node, int n, const double* eta, const double* etadot, NodeFrame& out,
                  Spatial* Y);

}  // namespace limber
