// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/kinematics/sweeps.hpp"
#include "limber/dynamics/detail/derivatives.hpp"

// Steps of derivatives.cpp for a single body or node.  theory §8.
namespace limber {

// Change by a small rotation t of both parts of a spatial vector.
LIMBER_INLINE Spatial rotate_by(Vec4d t, Spatial s) { return {cross(t, s.ang), cross(t, s.lin)}; }
// V x* f: the rate of change of a wrench fixed in a frame with twist V.
LIMBER_INLINE Spatial cross_wrench(Spatial V, Spatial f) {
  return {cross(V.ang, f.ang) + cross(V.lin, f.lin), cross(V.ang, f.lin)};
}

// Derivative of the relative motion of two frames: displacement xi of the carried frame, derivatives of W and W_rate.
struct RelativeSlope {
  Spatial xi = zero_spatial(), dW = zero_spatial(), dW_rate = zero_spatial();
};

// Derivative by a coordinate whose unit motion is s, with time derivatives s_rate and s_acc in the carried frame;
// `rate`: by its speed.  theory §8 (2), (3).
LIMBER_INLINE RelativeSlope coordinate_slope(const RelativeMotion& m, Spatial s, Spatial s_rate, Spatial s_acc,
                                             bool rate) {
  const Spatial turned = s_rate + cross_twist(m.W, s);
  if (rate) return {zero_spatial(), s, turned + s_rate};
  return {s, turned, s_acc + cross_twist(m.W_rate, s) + cross_twist(m.W, s_rate)};
}

// Propagates dV and dA from the carrying to the carried frame; on entry they are those of the carrying frame, expressed
// at the carried one.  theory §8 (1).
LIMBER_INLINE void carry_slope(const RelativeMotion& m, const RelativeSlope& d, Spatial& dV, Spatial& dA) {
  dV = dV - cross_twist(d.xi, m.V_in) + d.dW;
  dA = dA - cross_twist(d.xi, m.A_in) + cross_twist(dV, m.W) + cross_twist(m.V, d.dW) + d.dW_rate;
}

// ---- nodes ------------------------------------------------------------------------------------------

// The unit motion of a mode at a node, [A lambda; gamma], and its derivatives in time, in the basis of the body.
struct NodeColumn {
  Spatial Y, Y_rate, Y_acc;
};

// Node `constants` (null: the body frame) of a body with n modes.
MovingNode make_moving_node(const NodeConstants* constants, int n, const double* e, const double* e_rate,
                            const double* e_acc);
// The section of a beam at a slider; place: s and its time derivatives.  Fills columns (n + 1) and second (n x n).
MovingNode make_slider_node(const NodeConstants* rail, int n, const double* e, const double* e_rate,
                            const double* e_acc, const double (&place)[3], SliderColumn* columns, Vec4d* second);
// a, b of its rotation vector, and their derivatives.
void set_turn_coefficients(MovingNode& node);
// Twist and acceleration of the node from those of the body; call after the functions above.
void place_node(Spatial V, Spatial A, MovingNode& node);
// Unit motion of a mode; mode n of a slider's section is s.
NodeColumn node_column(const MovingNode& node, int mode);
// Derivative of the unit motion of mode a by mode c.
Spatial column_slope(const MovingNode& node, int a, int c);
// Derivative of the node's motion relative to its body by mode c or its rate, in the moving frame of the node, basis of
// the body.
RelativeSlope node_slope(const MovingNode& node, int c, bool rate);

// The columns U of a moving inboard attachment, and their derivatives in time and by mode c.  theory §2, Body frame.
NodeColumn inboard_column(const MovingNode& node, int mode);
Spatial inboard_column_slope(const MovingNode& node, int a, int c);

// d/dq and d/dv of the forces required by modes, springs and dampers.  theory §3, Springs.
void add_elastic_slopes(const Model& model, const Kinematics& kin, Eigen::Ref<MatrixXd> by_q,
                        Eigen::Ref<MatrixXd> by_v);

// ---- mass -------------------------------------------------------------------------------------------

// Motion of a body; A classical.
struct BodyMotion {
  Vec4d w;
  Spatial alpha;
};

// Sums over the shapes and the inertial forces f_e on modes and products, from ws.e and its derivatives.
void compute_terms(const Link& link, const BodyMotion& m, DerivativesData& ws);
// df_r due to a change of the body's motion; adds df_modal.
Spatial motion_force_slope(const Link& link, const LinkFrame& f, const BodyMotion& m, const BodyMotion& dm,
                           DerivativesData& ws, double* df_modal);
// The same due to a change of mode c or its rate.
Spatial mode_force_slope(const Link& link, const BodyMotion& m, int c, bool rate, DerivativesData& ws,
                         double* df_modal);

}  // namespace limber
