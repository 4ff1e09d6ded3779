// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/forces.hpp"
#include "limber/model/detail/layout.hpp"

namespace limber {

// One body at a state.  Its carrier is the frame of its parent, or the moving node that its joint sits on, in both
// cases in the basis of the parent's body frame.
struct LinkFrame {
  Mat3 R, Rt;  // rotation of the body frame in its carrier, and its transpose
  Vec4d r;     // its origin, from the carrier's point
  Spatial V;   // its twist
  Spatial a;   // its spatial acceleration when all speeds keep constant, less gravity
  Spatial p;   // p_r: the rigid part of the inertial forces in that motion, less the external wrenches
  Mat3 J;      // inertia about the origin
  Vec4d s;     // first moment of mass
  double m;
};

// A moving node that carries others, in the basis of its body.
struct HandleFrame {
  Vec4d l;       // position
  Mat3 R;        // rotation
  Spatial V, a;  // twist and spatial acceleration at l, as above
};

// Scratch for one body with products of modes.
struct ProductScratch {
  ProductScratch() = default;
  explicit ProductScratch(const Layout& layout);
  std::vector<Spatial> columns;
  std::vector<double> p, c, product;
};

// Everything of a state that is not linear in forces and accelerations: the outward pass with zero hinge and modal
// accelerations.  The algorithms are linear sweeps over it.  theory §2, §3, §5.
struct Kinematics {
  explicit Kinematics(const Model& model);
  std::vector<LinkFrame> links;
  std::vector<HandleFrame> handles;
  std::vector<Spatial> columns;     // per mode: [F; S] of bodies, U of root nodes, Pi of handles (Layout says where)
  std::vector<Spatial> varying;     // motion maps that depend on q
  std::vector<double> p_f;          // the modal part of p, per body at link.scalars
  std::vector<double> eta, etadot;  // modal coordinates and their products, padded with zeros
  std::vector<std::vector<double>>
      G;                    // (body) modal mass, rows padded to whole lanes: only where it depends on the state
  std::vector<Pose> world;  // (body) in world, by compute_world_poses
  VectorX q, v;

  const Spatial* hinge_map(const Link& link) const { return link.varying < 0 ? link.H : varying.data() + link.varying; }

  // Modal mass matrix of body i (n x n), rows padded to whole lanes.
  const double* modal_mass(const Link& link, std::size_t i) const {
    return link.shape->G_rows.empty() ? G[i].data() : link.shape->G_rows.data();
  }

  ProductScratch products;
};

// A wave of accelerations outward and of wrenches inward.
struct LinearSweep {
  explicit LinearSweep(const Model& model);
  std::vector<Spatial> a, f;                // (body)
  std::vector<Spatial> handle_a, handle_f;  // (handle)
  std::vector<double> f_modal;              // at link.scalars
};

// Gravity from now on; at first it is the model's.
inline void set_gravity(const Vector3& gravity, Kinematics& kin) { kin.links[kGround].a.lin = -to_vec4d(gravity); }

// Fills kin from the state.  O(N).
void compute_kinematics(const Model& model, const State& x, Kinematics& kin);
// Then the poses in world.  O(N).
void compute_world_poses(const Model& model, Kinematics& kin);
// Subtracts wrenches on nodes from p; needs the poses in world for wrenches given there.
void apply_wrenches(const Model& model, std::span<const NodeWrench> wrenches, Kinematics& kin);

// A node in its body: position, rotation and the columns Pi.
struct NodeFrame {
  Vec4d l;                     // position
  Mat3 R;                      // rotation
  Mat3 A;                      // left Jacobian of the node's rotation vector
  Vec4d l_rate, l_bias;        // dl/dt and its second derivative at constant etadot
  Vec4d turn_rate, turn_bias;  // A dtheta/dt, (dA/dt) dtheta/dt
};
// theory §2, Nodes.  eta, etadot: n numbers; null: the node of the undeformed body at rest.  Y: n columns, or null.
void compute_node(const NodeConstants& node, int n, const double* eta, const double* etadot, NodeFrame& out,
                  Spatial* Y);

// ---- any node, in world ----------------------------------------------------------------------------
// These need compute_kinematics and compute_world_poses; [angular; linear] at the node's origin, world components.

Pose node_pose(const Model& model, const Kinematics& kin, NodeRef node);
// J (6 x nv): the node's velocity is J v.  O(depth x modes).
void compute_node_jacobian(const Model& model, const Kinematics& kin, NodeRef node, Eigen::Ref<Matrix6X> J);
// dJ/dt v: the node's (classical) acceleration is J vdot + this.
Vector6 node_bias_acceleration(const Model& model, const Kinematics& kin, NodeRef node);
// J v and J vdot + dJ/dt v.  O(depth x modes).
Vector6 node_velocity(const Model& model, const Kinematics& kin, NodeRef node, ConstVec v);
Vector6 node_acceleration(const Model& model, const Kinematics& kin, NodeRef node, ConstVec vdot);

}  // namespace limber
