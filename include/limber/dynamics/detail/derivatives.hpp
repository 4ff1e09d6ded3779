// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/derivatives.hpp"
#include "limber/dynamics/detail/aba.hpp"
#include "limber/dynamics/detail/rnea.hpp"

namespace limber {

// Motion of a frame relative to its inboard frame, with accelerations.  Spatial vectors, at the
// outboard frame.
struct RelativeMotion {
  Spatial V_in, A_in;  // twist and spatial acceleration of the inboard frame, expressed at the outboard one
  Spatial V, A;        // of the outboard frame
  Spatial W, W_rate;   // V = V_in + W,  A = A_in + V x W + W_rate
};

// A coordinate that moves the section of a beam at a slider: a mode or, last, the position s itself.  lambda and gamma:
// derivatives of theta and l by it; their time derivatives; their derivatives by s.
struct SliderColumn {
  Vec4d lambda = zero(), lambda_rate = zero(), lambda_acc = zero();
  Vec4d gamma = zero(), gamma_rate = zero(), gamma_acc = zero();
  Vec4d lambda_s = zero(), gamma_s = zero();
};

// Motion of a node relative to its body: l, and R = exp(theta) R0 with the left Jacobian A of theta.  theory §2, Nodes.
struct MovingNode {
  const NodeConstants* constants = nullptr;  // null: the frame of the body itself
  int n = 0;
  const double *e = nullptr, *e_rate = nullptr, *e_acc = nullptr;  // modal coordinates and their derivatives
  const SliderColumn* columns = nullptr;                           // (n + 1) of a slider's section, otherwise null
  const Vec4d* second = nullptr;                                   // (n x n) its Xi
  Vec4d theta = zero(), theta_rate = zero(), theta_acc = zero();
  Vec4d l = zero(), l_rate = zero(), l_acc = zero();
  double a = 0, b = 0, da = 0, db = 0;                  // A = 1 + a theta~ + b theta~^2; derivatives by |theta|^2
  double a_rate = 0, b_rate = 0, a_acc = 0, b_acc = 0;  // time derivatives
  RelativeMotion motion = {};                           // of the node relative to its body, in the body's basis
};

// Sums over the shapes of one body for its mode c: row c of the integrals times e, its rate and its acceleration.
struct ModeTerms {
  Mat3 J = {}, J_rate = {};
  Vec4d F = zero(), F_rate = zero(), F_acc = zero();
};

struct DerivativesData {
  explicit DerivativesData(const Model& model);
  AbaData aba;
  RneaData rnea;
  // The motion.                                                          by prepare
  std::vector<RelativeMotion> motion;                  // (body) relative to its inboard frame
  std::vector<Spatial> modal_W;                        // (body) the part of W due to modes, for joints on moving nodes
  std::vector<double> e, e_rate, e_acc;                // (at link.scalars) modes and their products
  std::vector<double> f_e;                             // (at link.scalars) inertial forces on them
  std::vector<ModeTerms> terms;                        // (at link.scalars)
  std::vector<MovingNode> attachments, inboard;        // (attachment), (body)
  std::vector<int> slider_of;                          // (attachment) the body that slides on it, -1: none
  std::vector<SliderColumn> slider_columns;            // (at slider_begin)
  std::vector<Vec4d> slider_second;                    // (at slider_second_begin)
  std::vector<int> slider_begin, slider_second_begin;  // (attachment)
  std::vector<MovingNode> loaded, watched;             // (wrench), (watched node)
  std::vector<Spatial> load;                           // (wrench) in the basis of its body
  // One column: derivatives along its coordinate.                        by the sweeps
  std::vector<std::uint8_t> moved;  // (body)
  std::vector<Spatial> dV, dA, df;  // (body)
  std::vector<Vec4d> turn;          // (body) rotation of the body in world, in its own basis
  std::vector<Spatial> attachment_dV, attachment_dA,
      attachment_df;                   // (attachment) in the moving frame of the node, basis of its body
  std::vector<Vec4d> attachment_turn;  // (attachment)
  std::vector<double> df_modal;        // (at link.scalars)
  std::vector<double> de, de_rate, de_acc, mode_slopes;  // (modes and products of one body)
  VectorXd column;                                       // (nv)
  // Nodes whose accelerations are differentiated, too; see watch_nodes.
  std::vector<NodeRef> watched_nodes;
  MatrixXd node_dq, node_dv;  // (6 per node, nv): of node_acceleration at constant vdot, by q and by v
};

}  // namespace limber
