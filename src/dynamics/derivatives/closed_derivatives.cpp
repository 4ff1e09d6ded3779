// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/closed_derivatives.hpp"

#include "limber/dynamics/detail/closures.hpp"
#include "limber/dynamics/detail/derivatives.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

constexpr double kRedundant = 1e-11;  // eigenvalues of S, scaled to a unit diagonal, below this: dependent rows

// Motion of a node in world, or its derivative: [angular; linear].  In a derivative, `place` is a small displacement.
struct NodeState {
  Vector6 place, velocity, acceleration;
};

// A direction fixed in a node, and its first two time derivatives; or the derivatives of these.
struct Direction {
  Vector3d d, rate, acceleration;
};

Direction turning(const Vector3d& d, const NodeState& with) {
  const Vector3d w = with.velocity.head<3>(), rate = w.cross(d);
  return {d, rate, with.acceleration.head<3>().cross(d) + w.cross(rate)};
}

Direction change_of(const Direction& u, const NodeState& with, const NodeState& change) {
  const Vector3d w = with.velocity.head<3>(), dw = change.velocity.head<3>();
  Direction out;
  out.d = change.place.head<3>().cross(u.d);
  out.rate = dw.cross(u.d) + w.cross(out.d);
  out.acceleration = change.acceleration.head<3>().cross(u.d) + with.acceleration.head<3>().cross(out.d) +
                     dw.cross(u.rate) + w.cross(out.rate);
  return out;
}

// Derivative of (u . s)'' = u'' . s + 2 u' . s' + u . s''.
double change_of_product(const Direction& u, const Direction& du, const Direction& s, const Direction& ds) {
  return du.acceleration.dot(s.d) + u.acceleration.dot(ds.d) + 2 * (du.rate.dot(s.rate) + u.rate.dot(ds.rate)) +
         du.d.dot(s.acceleration) + u.d.dot(ds.acceleration);
}

Direction apart(const NodeState& a, const NodeState& b) {
  return {b.place.tail<3>() - a.place.tail<3>(), b.velocity.tail<3>() - a.velocity.tail<3>(),
          b.acceleration.tail<3>() - a.acceleration.tail<3>()};
}

// Motion of the nodes of the closures, and its derivatives along each speed's direction and by each speed.
struct ClosureMotion {
  std::vector<Pose> pose;        // (node)
  std::vector<NodeState> state;  // (node) place: position only
  MatrixXd J, velocity_dq;       // (6 per node, nv)

  NodeState change(const DerivativesData& ws, std::size_t node, Eigen::Index j, bool rate) const {
    const Eigen::Index at = 6 * static_cast<Eigen::Index>(node);
    if (rate) return {Vector6::Zero(), J.col(j).segment<6>(at), ws.node_dv.col(j).segment<6>(at)};
    return {J.col(j).segment<6>(at), velocity_dq.col(j).segment<6>(at), ws.node_dq.col(j).segment<6>(at)};
  }
};

// Derivative of row i of C vdot + dC/dt v by coordinate or speed j: the rows of joint_kind.hpp, differentiated.
double row_slope_of(const ClosureData& cw, const ClosureMotion& m, const DerivativesData& ws, int i, Eigen::Index j,
                    bool rate) {
  const ClosureRow& row = cw.rows[static_cast<std::size_t>(i)];
  const std::size_t a = 2 * static_cast<std::size_t>(row.closure), b = a + 1;
  const NodeState da = m.change(ws, a, j, rate), db = m.change(ws, b, j, rate);
  const Direction u = turning(m.pose[a].R * row.u, m.state[a]), du = change_of(u, m.state[a], da);
  if (!row.align) return change_of_product(u, du, apart(m.state[a], m.state[b]), apart(da, db));
  const Direction s = turning(m.pose[b].R * row.s, m.state[b]);
  return change_of_product(u, du, s, change_of(s, m.state[b], db));
}

// Derivatives of the nodes' velocities by q, i.e. of J u at constant u; see watch_nodes.
void set_velocity_slopes(const Model& model, const State& x, DerivativesData& ws, MatrixXd& scratch, ClosureMotion& m) {
  State still = x;
  still.v.setZero();
  rnea_derivatives(model, still, x.v, {}, ws, scratch, scratch);
  m.velocity_dq = ws.node_dq;
}

void set_states(const Model& model, const ClosureData& cw, const VectorXd& v, ConstVec vdot, const Kinematics& kin,
                ClosureMotion& m) {
  Matrix6X J(6, model.nv);
  m.J.resize(static_cast<Eigen::Index>(6 * cw.nodes.size()), model.nv);
  for (std::size_t k = 0; k < cw.nodes.size(); ++k) {
    compute_node_jacobian(model, kin, cw.nodes[k], J);
    m.J.middleRows<6>(6 * static_cast<Eigen::Index>(k)) = J;
    m.pose.push_back(node_pose(model, kin, cw.nodes[k]));
    Vector6 place;
    place << Vector3d::Zero(), m.pose.back().p;
    m.state.push_back({place, J * v, node_acceleration(model, kin, cw.nodes[k], vdot)});
  }
}

// The wrenches, and those of the multipliers on the nodes, constant in world.
std::vector<NodeWrench> with_closures(const Model& model, const ClosureData& cw, std::span<const NodeWrench> wrenches) {
  std::vector<NodeWrench> out(wrenches.begin(), wrenches.end());
  for (int i = 0; i < cw.count(); ++i) {
    const Closure& closure = model.closures[static_cast<std::size_t>(cw.rows[static_cast<std::size_t>(i)].closure)];
    out.push_back({closure.a, cw.on_a.col(i) * cw.lambda[i], Frame::world});
    out.push_back({closure.b, cw.on_b.col(i) * cw.lambda[i], Frame::world});
  }
  return out;
}

// The pseudoinverse of S = C M^-1 C^T; `scale` scales S to a unit diagonal, and is zero for rows that no coordinate can
// change.
MatrixXd pseudoinverse(const MatrixXd& S, const VectorXd& scale) {
  const SymmetricEigen eigen = eigen_symmetric(scale.asDiagonal() * S * scale.asDiagonal());
  VectorXd inverse = eigen.values;
  for (double& e : inverse) e = e > kRedundant ? 1 / e : 0;
  const MatrixXd V = scale.asDiagonal() * eigen.vectors;
  return V * inverse.asDiagonal() * V.transpose();
}

}  // namespace

Status closed_forward_derivatives(const Model& model, const State& x, const Forces& forces,
                                  std::span<const std::uint8_t> prescribed, DerivativesData& ws, ClosureData& cw,
                                  Vec vdot, Eigen::Ref<MatrixXd> dvdot_dq, Eigen::Ref<MatrixXd> dvdot_dv,
                                  Eigen::Ref<MatrixXd> dvdot_dtau) {
  watch_nodes(model, cw.nodes, ws);
  Status status = prescribed.empty() ? aba(model, x, forces, ws.aba, vdot)
                                     : hybrid(model, x, forces, prescribed, ws.aba, vdot, ws.column);
  if (status != Status::ok) return status;
  status = close_accelerations(model, ws.aba, cw, vdot);
  if (status != Status::ok) return status;
  const std::vector<NodeWrench> wrenches = with_closures(model, cw, forces.wrenches);
  const VectorXd lambda = cw.lambda;
  const Eigen::Index n = model.nv, rows = cw.count();
  ClosureMotion motion;
  MatrixXd C(rows, n), G_q(rows, n), G_v(rows, n), Y(n, rows), scratch(n, n);
  set_velocity_slopes(model, x, ws, scratch, motion);
  rnea_derivatives(model, x, vdot, wrenches, ws, dvdot_dq, dvdot_dv);
  const Kinematics& kin = ws.rnea.kin;
  set_states(model, cw, x.v, vdot, kin, motion);
  compute_closures(model, kin, cw);
  subtract_closure_stiffness(model, kin, cw, lambda, dvdot_dq);
  Matrix6X J(6, n);
  compute_closure_jacobian(model, kin, cw, J, C);
  for (Eigen::Index j = 0; j < n; ++j) {
    for (int i = 0; i < cw.count(); ++i) {
      G_q(i, j) = row_slope_of(cw, motion, ws, i, j, false);
      G_v(i, j) = row_slope_of(cw, motion, ws, i, j, true);
    }
  }
  // M dvdot - C^T dlambda = d tau - d (rnea - C^T lambda),  C dvdot = -d (C vdot + dC/dt v).
  const auto solve = [&](const VectorXd& right, Vec out) { solve_factored(model, right, ws.aba, out); };
  for (Eigen::Index j = 0; j < n; ++j) {
    solve(VectorXd(-dvdot_dq.col(j)), dvdot_dq.col(j));
    solve(VectorXd(-dvdot_dv.col(j)), dvdot_dv.col(j));
    solve(VectorXd::Unit(n, j), dvdot_dtau.col(j));
  }
  for (Eigen::Index i = 0; i < rows; ++i) solve(VectorXd(C.row(i)), Y.col(i));
  const MatrixXd respond = Y * pseudoinverse(C * Y, cw.scale);
  dvdot_dq -= respond * (G_q + C * dvdot_dq);
  dvdot_dv -= respond * (G_v + C * dvdot_dv);
  dvdot_dtau -= respond * (C * dvdot_dtau);
  return vdot.allFinite() && dvdot_dq.allFinite() && dvdot_dv.allFinite() ? Status::ok : Status::not_finite;
}

}  // namespace limber
