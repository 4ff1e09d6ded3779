// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/rnea.hpp"

// Exact derivatives of inverse and forward dynamics: the recursions differentiated by hand, no differences. Derivatives
// by q are taken along the speeds' directions, q moved by `move` of manifold.hpp with v held; wrenches on nodes stay
// what they are in the frame they are given in.  theory §8.
namespace limber {

// What one frame does relative to another that carries it, at a motion with accelerations.  Spatial vectors, on the
// carried side.
struct RelativeMotion {
  Spatial V_in, A_in;  // twist and spatial acceleration of the carrying frame, seen from the carried one
  Spatial V, A;        // of the carried frame
  Spatial W, W_rate;   // V = V_in + W,  A = A_in + V x W + W_rate
};

// How a node moves in its body: l, and R = exp(theta) R0 with the left Jacobian A of theta.  theory §2, Nodes.
struct MovingNode {
  const NodeConstants* shape = nullptr;  // null: the frame of the body itself
  int n = 0;
  const double *e = nullptr, *e_rate = nullptr, *e_acc = nullptr;  // modal coordinates and their derivatives
  Vec4d theta = zero(), theta_rate = zero(), theta_acc = zero();
  Vec4d l = zero(), l_rate = zero(), l_acc = zero();
  double a = 0, b = 0, da = 0, db = 0;                  // A = 1 + a theta~ + b theta~^2; by |theta|^2
  double a_rate = 0, b_rate = 0, a_acc = 0, b_acc = 0;  // in time
  RelativeMotion motion = {};                           // of the node against its body, in the body's basis
};

// Sums over the shapes of one body for its mode c: row c of the integrals with e, with its rate, with its acceleration.
struct ModeTerms {
  Mat3 J = {}, J_rate = {};
  Vec4d F = zero(), F_rate = zero(), F_acc = zero();
};

struct DerivativesWorkspace {  // one per thread
  explicit DerivativesWorkspace(const Model& model);
  AbaWorkspace aba;
  RneaWorkspace rnea;
  // The motion.                                                          by prepare
  std::vector<RelativeMotion> motion;       // (body) against its carrier
  std::vector<Spatial> modal_W;             // (body) the part of W that modes have in it: joints on moving nodes
  std::vector<double> e, e_rate, e_acc;     // (at link.scalars) modes and their products
  std::vector<double> f_e;                  // (at link.scalars) inertial forces on them
  std::vector<ModeTerms> terms;             // (at link.scalars)
  std::vector<MovingNode> handles, roots;   // (handle), (body)
  std::vector<MovingNode> loaded, watched;  // (wrench), (watched node)
  std::vector<Spatial> load;                // (wrench) in the basis of its body
  // One column: how all of that changes.                                 by the sweeps
  std::vector<std::uint8_t> moved;                       // (body)
  std::vector<Spatial> dV, dA, df;                       // (body)
  std::vector<Vec4d> turn;                               // (body) of the body in world, in its own basis
  std::vector<Spatial> handle_dV, handle_dA, handle_df;  // (handle) seen from the node, in the basis of its body
  std::vector<Vec4d> handle_turn;                        // (handle)
  std::vector<double> df_modal;                          // (at link.scalars)
  std::vector<double> de, de_rate, de_acc, mode_slopes;  // (modes and products of one body)
  VectorX column;                                        // (nv)
  // Nodes whose accelerations are differentiated, too: by watch_nodes.
  std::vector<NodeRef> watched_nodes;
  MatrixX node_dq, node_dv;  // (6 per node, nv): of node_acceleration at constant vdot, by q and by v
};

// From now on rnea_derivatives with this workspace fills node_dq and node_dv for these nodes.  Allocates.  At zero
// speeds with vdot = u, node_dq is the derivative of J u: so velocities of nodes are differentiated by the same call.
void watch_nodes(const Model& model, std::span<const NodeRef> nodes, DerivativesWorkspace& ws);

// d rnea / d q and d rnea / d v (nv x nv) at constant vdot; d rnea / d vdot is the mass matrix (crba).
// Per column one sweep outward over the bodies that its coordinate carries, and one inward from there to the ground:
// O(nv^2) for a chain.  No allocation unless there are more wrenches than before.
void rnea_derivatives(const Model& model, const State& x, ConstVec vdot, std::span<const NodeWrench> wrenches,
                      DerivativesWorkspace& ws, Eigen::Ref<MatrixX> dtau_dq, Eigen::Ref<MatrixX> dtau_dv);

// Forward dynamics (aba; hybrid where `prescribed` has an entry per body, whose given accelerations are in vdot on
// entry) and its derivatives by q, v and tau, each (nv x nv):  d vdot = M^-1 (d tau - d rnea).  Rows of prescribed
// joints are zero.  O(nv^2) for a chain.  On failure ws.aba.failure is as after aba.
[[nodiscard]] Status forward_derivatives(const Model& model, const State& x, const Forces& forces,
                                         std::span<const std::uint8_t> prescribed, DerivativesWorkspace& ws, Vec vdot,
                                         Eigen::Ref<MatrixX> dvdot_dq, Eigen::Ref<MatrixX> dvdot_dv,
                                         Eigen::Ref<MatrixX> dvdot_dtau);

}  // namespace limber
