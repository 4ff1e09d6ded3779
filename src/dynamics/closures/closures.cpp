// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/closures.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics/aba/operational_steps.hpp"
#include "dynamics/kinematics/sweeps.hpp"
#include "limber/model/manifold.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {
namespace {

// Eigenvalues of S, scaled to a unit diagonal, below this bound belong to dependent rows.
constexpr double kDependent = 1e-11;
// If all pivots of the scaled S exceed this bound, no eigenvalue is near kDependent and no eigenvectors are needed.
constexpr double kIndependent = 1e-6;
constexpr double kSmallest = 1e-16;  // off-diagonal entries of S below this count as zero
// Tolerance of the right-hand side in dependent directions, relative to its largest component.
constexpr double kInconsistent = 1e-6;
constexpr double kImmovable = 1e-13;  // relative to the mobility of each node alone
constexpr int kMaxIterations = 60;
constexpr double kLongestMove = 0.3;  // rad or m per iteration
constexpr double kFar = 1;            // rad: beyond this misalignment the align rows are replaced, see set_newton_step

struct NodeMotion {
  Pose pose;
  Vector3d w = Vector3d::Zero(), v = Vector3d::Zero();
};

// Pose and velocity of a node in world.  theory §2, Nodes.
NodeMotion motion_of(const Model& model, const Kinematics& kin, NodeRef node) {
  const NodeFrame d = node_in_body(model, kin, node, nullptr);
  const Pose& body = kin.world[node.body];
  NodeMotion out;
  out.pose = body * Pose{to_matrix(d.R), to_vector(d.l)};
  if (node.body == kGround) return out;
  const Spatial& V = kin.links[node.body].V;
  out.w = body.R * to_vector(V.ang + d.turn_rate);
  out.v = body.R * to_vector(V.lin + cross(V.ang, d.l) + d.l_rate);
  return out;
}

// Acceleration of a node from the accelerations of the bodies in ws, by a preceding call of aba or hybrid.
Vector6 acceleration_of(const Model& model, const AbaData& ws, NodeRef node, ConstVec vdot, Spatial* Y) {
  if (node.body == kGround) return Vector6::Zero();
  const Link& link = model.layout->links[node.body];
  const NodeFrame d = node_in_body(model, ws.kin, node, Y);
  const Mat3& R = ws.frames[node.body].R;
  Spatial a = twist_at(R * d.l, ws.bodies[node.body].a);
  if (node.node != kBodyFrame) {
    const Spatial own = times(Y, vdot.data() + link.vm, link.n);
    a += Spatial{R * own.ang, R * own.lin};
  }
  return to_vector(a) + node_bias_acceleration(model, ws.kin, node);
}

void complete_poses(const Model& model, AbaData& ws) {
  complete_kinematics(ws);
  compute_world_poses(model, ws.kin);
}

// Row d . r, where d rotates with a: rate d . r' + d' . r, etc.
void compute_place(const ClosureRow& row, const NodeMotion& a, const NodeMotion& b, int i, ClosureData& cw) {
  const Vector3d d = a.pose.R * row.u, r = b.pose.p - a.pose.p, rdot = b.v - a.v, ddot = a.w.cross(d);
  cw.error[i] = d.dot(r);
  cw.on_a.col(i) << -r.cross(d), -d;
  cw.on_b.col(i) << Vector3d::Zero(), d;
  cw.rate[i] = d.dot(rdot) + ddot.dot(r);
  cw.bias[i] = 2 * ddot.dot(rdot) + a.w.cross(ddot).dot(r);
}

// Row u . s, where u rotates with a and s with b.
void compute_align(const ClosureRow& row, const NodeMotion& a, const NodeMotion& b, int i, ClosureData& cw) {
  const Vector3d u = a.pose.R * row.u, s = b.pose.R * row.s, turn = s.cross(u);
  const Vector3d udot = a.w.cross(u), sdot = b.w.cross(s);
  cw.error[i] = u.dot(s) - row.rest;
  cw.on_a.col(i) << -turn, Vector3d::Zero();
  cw.on_b.col(i) << turn, Vector3d::Zero();
  cw.rate[i] = udot.dot(s) + u.dot(sdot);
  cw.bias[i] = a.w.cross(udot).dot(s) + 2 * udot.dot(sdot) + u.dot(b.w.cross(sdot));
}

// S = W J M^-1 J^T W^T.
void compute_S(const Model& model, AbaData& ws, ClosureData& cw) {
  compute_operational_inertia_posed(model, cw.nodes, ws, cw.operational, cw.inverse_inertia);
  for (int i = 0; i < cw.count(); ++i) {
    const int at_i = 12 * cw.rows[i].closure;
    Eigen::Matrix<double, 12, 1> wi, wj;
    wi << cw.on_a.col(i), cw.on_b.col(i);
    for (int j = 0; j <= i; ++j) {
      const int at_j = 12 * cw.rows[j].closure;
      wj << cw.on_a.col(j), cw.on_b.col(j);
      cw.S(i, j) = cw.S(j, i) = wi.dot(cw.inverse_inertia.block<12, 12>(at_i, at_j).lazyProduct(wj));
    }
    // Omits a row that no coordinate can change: the mobilities of its two nodes cancel.
    const double apart = cw.on_a.col(i).dot(cw.inverse_inertia.block<6, 6>(at_i, at_i) * cw.on_a.col(i)) +
                         cw.on_b.col(i).dot(cw.inverse_inertia.block<6, 6>(at_i + 6, at_i + 6) * cw.on_b.col(i));
    cw.scale[i] = cw.S(i, i) > kImmovable * apart ? 1 / std::sqrt(cw.S(i, i)) : 0;
  }
}

}  // namespace

ClosureData::ClosureData(const Model& model) : operational(model) {
  if (!model.closures.empty() && model.fidelity == Fidelity::ruthless) {
    throw InputError(
        "closure '" + model.closures[0].name +
        "': in a ruthless model nodes do not move with the modes, so that a chain cannot be closed; choose fidelity "
        "full or stiffened");
  }
  for (std::size_t i = 0; i < model.closures.size(); ++i) {
    const Closure& closure = model.closures[i];
    for (ClosureRow row : joint_traits(closure.kind).closure_rows(closure)) {
      row.closure = static_cast<int>(i);
      rows.push_back(row);
    }
    nodes.push_back(model.closures[i].a);
    nodes.push_back(model.closures[i].b);
  }
  const int n = count(), m = 6 * static_cast<int>(nodes.size());
  error = rate = bias = lambda = scale = right = VectorXd::Zero(n);
  on_a = on_b = Matrix6X::Zero(6, n);
  forces = VectorXd::Zero(m / 2);
  wrenches = twists = VectorXd::Zero(m);
  inverse_inertia = MatrixXd::Zero(m, m);
  S = MatrixXd::Zero(n, n);
  dv = VectorXd::Zero(model.nv);
  V = MatrixXd::Identity(n, n);
  if (n > 0) ldlt.compute(V);  // takes its memory
}

double ClosureData::closure_error(int closure) const {
  if (closure < 0 || 2 * static_cast<std::size_t>(closure) >= nodes.size())
    throw InputError("there is no closure " + std::to_string(closure) + "; there are " +
                     std::to_string(nodes.size() / 2) + ", counted from 0");
  double largest = 0;
  for (int i = 0; i < count(); ++i) {
    if (rows[i].closure == closure) largest = std::max(largest, std::abs(error[i]));
  }
  return largest;
}

void ClosureData::set_forces() {
  wrenches.setZero();
  for (int i = 0; i < count(); ++i) {
    const int at = 12 * rows[i].closure;
    wrenches.segment<6>(at) += on_a.col(i) * lambda[i];
    wrenches.segment<6>(at + 6) += on_b.col(i) * lambda[i];
  }
  for (int k = 0; 6 * k < forces.size(); ++k) forces.segment<6>(6 * k) = wrenches.segment<6>(12 * k + 6);
}

void compute_closures(const Model& model, const Kinematics& kin, ClosureData& cw) {
  check_poses(kin);
  if (cw.nodes.size() != 2 * model.closures.size())
    throw InputError(
        "the workspace was made for a model with other closures; make it after the last of them was added");
  NodeMotion a, b;
  for (int i = 0; i < cw.count(); ++i) {
    const ClosureRow& row = cw.rows[i];
    if (i == 0 || row.closure != cw.rows[i - 1].closure) {
      a = motion_of(model, kin, model.closures[row.closure].a);
      b = motion_of(model, kin, model.closures[row.closure].b);
    }
    row.align ? compute_align(row, a, b, i, cw) : compute_place(row, a, b, i, cw);
  }
}

namespace {

// Diagonalises S and writes its eigenvectors to V: cyclic Jacobi, [GVL] §8.5.  Returns false if it does not converge.
bool diagonalise(MatrixXd& S, MatrixXd& V) {
  constexpr int kMaxSweeps = 40;
  const int n = static_cast<int>(S.rows());
  V.setIdentity();
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool turned = false;
    for (int q = 1; q < n; ++q) {
      for (int p = 0; p < q; ++p) {
        if (std::abs(S(p, q)) <= kSmallest) continue;
        Eigen::JacobiRotation<double> turn;
        turn.makeJacobi(S, p, q);
        S.applyOnTheLeft(p, q, turn.adjoint());
        S.applyOnTheRight(p, q, turn);
        V.applyOnTheRight(p, q, turn);
        turned = true;
      }
    }
    if (!turned) return true;
  }
  return false;
}

// Smallest ratio of the magnitudes of two rows of the same kind in one closure.  Detects a vanishing row, which the
// scaling of S to a unit diagonal hides.
double weakest_row(const ClosureData& cw) {
  double weakest = 1;
  for (int i = 0; i < cw.count(); ++i) {
    if (cw.scale[i] == 0) continue;
    for (int j = 0; j < cw.count(); ++j) {
      const bool same = cw.rows[i].closure == cw.rows[j].closure && cw.rows[i].align == cw.rows[j].align;
      if (same && cw.scale[j] != 0) weakest = std::min(weakest, cw.scale[j] / cw.scale[i]);
    }
  }
  return weakest;
}

// lambda = V E^-1 V^T right, over the independent directions.  Returns the largest component of the right-hand side in
// the others.
double solve_independent(ClosureData& cw) {
  double left_over = 0, smallest = 1;
  cw.lambda.setZero();
  for (int k = 0; k < cw.count(); ++k) {
    const double part = cw.V.col(k).dot(cw.right), e = cw.S(k, k);
    if (e > kDependent) {
      cw.lambda += cw.V.col(k) * (part / e);
      smallest = std::min(smallest, e);
      ++cw.rank;
    } else {
      left_over = std::max(left_over, std::abs(part));
    }
  }
  cw.margin *= std::sqrt(smallest);
  return left_over;
}

}  // namespace

Status solve_closures(const Model& model, AbaData& ws, ConstVec right, ClosureData& cw) {
  const int n = cw.count();
  cw.rank = 0;
  if (n == 0) return Status::ok;
  ws.check_stage(model, AbaStage::factors, "solve_closures");
  compute_S(model, ws, cw);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) cw.S(i, j) *= cw.scale[i] * cw.scale[j];
  }
  if (!cw.S.allFinite() || !right.allFinite()) return Status::not_finite;
  cw.right = cw.scale.cwiseProduct(right);
  double left_over = 0;
  cw.margin = weakest_row(cw);
  cw.ldlt.compute(cw.S);
  if (cw.ldlt.vectorD().minCoeff() > kIndependent) {
    cw.rank = n;
    cw.margin *= std::sqrt(cw.ldlt.vectorD().minCoeff());
    cw.lambda = cw.right;
    cw.ldlt.solveInPlace(cw.lambda);
  } else {
    if (!diagonalise(cw.S, cw.V)) return Status::not_finite;
    left_over = solve_independent(cw);
  }
  cw.lambda = cw.lambda.cwiseProduct(cw.scale);
  cw.set_forces();
  return left_over <= kInconsistent * (1 + cw.right.lpNorm<Eigen::Infinity>()) ? Status::ok : Status::no_convergence;
}

namespace {

// J_c vdot + dJ_c/dt v = 0 with vdot = vdot_open + M^-1 J_c^T lambda, from the accelerations of the nodes in cw.twists.
Status close(const Model& model, AbaData& ws, ClosureData& cw, Vec vdot) {
  for (int i = 0; i < cw.count(); ++i) {
    const int at = 12 * cw.rows[i].closure;
    cw.bias[i] += cw.on_a.col(i).dot(cw.twists.segment<6>(at)) + cw.on_b.col(i).dot(cw.twists.segment<6>(at + 6));
  }
  cw.bias = -cw.bias;
  const Status status = solve_closures(model, ws, cw.bias, cw);
  if (status == Status::not_finite) return status;
  respond_posed(model, cw.nodes, cw.wrenches, ws, cw.dv);
  vdot += cw.dv;
  return status;
}

}  // namespace

Status close_accelerations(const Model& model, AbaData& ws, ClosureData& cw, Vec vdot) {
  check_speeds(model, vdot);
  if (cw.count() == 0) return Status::ok;
  ws.check_stage(model, AbaStage::accelerations, "close_accelerations");
  complete_poses(model, ws);
  compute_closures(model, ws.kin, cw);
  for (std::size_t k = 0; k < cw.nodes.size(); ++k) {
    cw.twists.segment<6>(6 * k) = acceleration_of(model, ws, cw.nodes[k], vdot, cw.operational.columns.data());
  }
  return close(model, ws, cw, vdot);
}

// f_R = P_R a_R + z_R of the joint, as in hybrid; ws now holds the contributions of the closures to a_R and z_R.
Status close_hybrid(const Model& model, AbaData& ws, ClosureData& cw, Vec vdot, Vec tau_out) {
  check_speeds(model, tau_out);
  const Status status = close_accelerations(model, ws, cw, vdot);
  if (status == Status::not_finite || cw.count() == 0) return status;
  for (int i = 1; i < model.body_count(); ++i) {
    if (ws.prescribed[i] == 0) continue;
    const Link& link = model.layout->links[i];
    const Spatial f = joint_wrench(*model.layout, i, ws, cw.dv.data());
    for (int k = 0; k < link.nr; ++k) tau_out[link.v + k] += dot(ws.H[ws.unknowns[i].hinge + k], f);
  }
  return status;
}

Status close_other(const Model& model, const State& x, AbaData& ws, ClosureData& cw, Vec vdot) {
  check_speeds(model, vdot);
  if (cw.count() == 0) return Status::ok;
  if (const Status status = factor_mass(model, x, ws); status != Status::ok) return status;
  complete_poses(model, ws);
  compute_closures(model, ws.kin, cw);
  for (std::size_t k = 0; k < cw.nodes.size(); ++k) {
    cw.twists.segment<6>(6 * k) = node_acceleration(model, ws.kin, cw.nodes[k], vdot);
  }
  return close(model, ws, cw, vdot);
}

void compute_closure_jacobian(const Model& model, const Kinematics& kin, const ClosureData& cw, Matrix6X& scratch,
                              Eigen::Ref<MatrixXd> C) {
  C.setZero();
  for (std::size_t k = 0; k < cw.nodes.size(); ++k) {
    compute_node_jacobian(model, kin, cw.nodes[k], scratch);
    const Matrix6X& wrenches = k % 2 == 0 ? cw.on_a : cw.on_b;
    for (int i = 0; i < cw.count(); ++i) {
      if (cw.rows[i].closure != static_cast<int>(k / 2)) continue;
      C.row(i).noalias() += wrenches.col(i).transpose().lazyProduct(scratch);
    }
  }
}

namespace {

// Rotation vector, in world, that aligns the frame (or the axis) of b with that of a.
Vector3d turn_to_fit(const Closure& closure, const Pose& a, const Pose& b) {
  const ClosureAlignment alignment = joint_traits(closure.kind).alignment;
  if (alignment == ClosureAlignment::frame) {
    const Eigen::AngleAxisd turn(Matrix3d(a.R * b.R.transpose()));
    return turn.angle() * turn.axis();
  }
  if (alignment == ClosureAlignment::none) return Vector3d::Zero();
  const Vector3d from = b.R * closure.axis, to = a.R * closure.axis, n = from.cross(to);
  const double angle = std::atan2(n.norm(), from.dot(to));
  return n.norm() > 1e-9 ? Vector3d(n.normalized() * angle) : Vector3d(perpendicular(from) * angle);
}

// Right-hand side of one Newton iteration, in cw.bias: minus the errors.  But u.s vanishes also for frames at right
// angles or opposite to each other; beyond kFar the align rows use the rotation vector instead.  Returns whether the
// iteration has converged.
bool set_newton_step(const Model& model, const Kinematics& kin, double tolerance, ClosureData& cw) {
  cw.bias = -cw.error;
  bool met = cw.error.lpNorm<Eigen::Infinity>() <= tolerance;
  Vector3d turn = Vector3d::Zero();
  for (int i = 0; i < cw.count(); ++i) {
    const Closure& closure = model.closures[cw.rows[i].closure];
    if (i == 0 || cw.rows[i].closure != cw.rows[i - 1].closure) {
      turn = turn_to_fit(closure, node_pose(model, kin, closure.a), node_pose(model, kin, closure.b));
    }
    if (!cw.rows[i].align || turn.norm() < kFar) continue;
    cw.bias[i] = cw.on_b.col(i).head<3>().dot(turn);
    met = false;
  }
  return met;
}

}  // namespace

int project_position(const Model& model, State& x, std::span<const std::uint8_t> prescribed, double tolerance,
                     AbaData& ws, ClosureData& cw) {
  VectorXd& dq = cw.dv;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    if (factor_mass(model, x, ws, prescribed) != Status::ok) return -1;
    complete_poses(model, ws);
    compute_closures(model, ws.kin, cw);
    if (!cw.error.allFinite()) return -1;
    if (set_newton_step(model, ws.kin, tolerance, cw)) return iteration;
    if (solve_closures(model, ws, cw.bias, cw) == Status::not_finite) return -1;
    respond_posed(model, cw.nodes, cw.wrenches, ws, dq);
    const double longest = dq.lpNorm<Eigen::Infinity>();
    if (longest > kLongestMove) dq *= kLongestMove / longest;
    move(model, x.q, dq, x.q);
  }
  return -1;
}

Status project_velocity(const Model& model, State& x, std::span<const std::uint8_t> prescribed, AbaData& ws,
                        ClosureData& cw) {
  if (const Status status = factor_mass(model, x, ws, prescribed); status != Status::ok) return status;
  complete_poses(model, ws);
  compute_closures(model, ws.kin, cw);
  cw.bias = -cw.rate;
  const Status status = solve_closures(model, ws, cw.bias, cw);
  if (status == Status::not_finite) return status;
  respond_posed(model, cw.nodes, cw.wrenches, ws, cw.dv);
  x.v += cw.dv;
  return status;
}

}  // namespace limber
