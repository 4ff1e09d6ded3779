// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/closures.hpp"

#include <algorithm>
#include <cmath>

#include "limber/model/manifold.hpp"
#include "sweeps.hpp"

namespace limber {
namespace {

// Of the eigenvalues of S, scaled to ones on its diagonal: those below are dependent rows.
constexpr double kDependent = 1e-11;
// What may be asked of a dependent row, beside the largest that is asked of any.
constexpr double kInconsistent = 1e-6;
constexpr double kImmovable = 1e-13;  // of the mobility of the nodes apart
constexpr int kMostIterations = 60;
constexpr double kLongestMove = 0.3;  // rad or m per iteration

Vector3 across(const Vector3& axis) {
  Vector3::Index k = 0;
  axis.cwiseAbs().minCoeff(&k);
  return axis.cross(Vector3::Unit(k)).normalized();
}

struct RowMaker {
  std::vector<ClosureRow>& rows;
  int closure;
  void place(const Vector3& d) const { rows.push_back({closure, false, d, Vector3::Zero(), 0}); }
  void align(const Vector3& u, const Vector3& s, double rest = 0) const { rows.push_back({closure, true, u, s, rest}); }
  void place_all() const {
    for (int k = 0; k < 3; ++k) place(Vector3::Unit(k));
  }
  // Near alignment these three turn about x, y and z.
  void align_all() const {
    for (int k = 0; k < 3; ++k) align(Vector3::Unit(k), Vector3::Unit((k + 1) % 3));
  }
};

// Which relative motions a kind of joint forbids.  theory §3.
void add_rows(const Closure& closure, const RowMaker& make) {
  const Vector3 x = closure.axis, y = across(x), z = x.cross(y);
  switch (closure.kind) {
    case JointKind::fixed:
      make.place_all();
      make.align_all();
      break;
    case JointKind::revolute:
      make.place_all();
      make.align(y, x);
      make.align(z, x);
      break;
    case JointKind::prismatic:
      make.place(y);
      make.place(z);
      make.align_all();
      break;
    case JointKind::cylindrical:
      make.place(y);
      make.place(z);
      make.align(y, x);
      make.align(z, x);
      break;
    case JointKind::universal:
      make.place_all();
      make.align(x, closure.axis2, x.dot(closure.axis2));
      break;
    case JointKind::spherical:
      make.place_all();
      break;
    case JointKind::free:
      break;
  }
}

struct NodeMotion {
  Pose pose;
  Vector3 w = Vector3::Zero(), v = Vector3::Zero();
};

NodeMotion motion_of(const Model& model, const Kinematics& kin, NodeRef node, ConstVec v) {
  if (node.body == kGround) return {node_pose(model, kin, node), Vector3::Zero(), Vector3::Zero()};
  const Vector6 twist = node_velocity(model, kin, node, v);
  return {node_pose(model, kin, node), twist.head<3>(), twist.tail<3>()};
}

// d . r with d turning with a: rate d . r' + d' . r, and so on.
void compute_place(const ClosureRow& row, const NodeMotion& a, const NodeMotion& b, int i, ClosureWorkspace& cw) {
  const Vector3 d = a.pose.R * row.u, r = b.pose.p - a.pose.p, rdot = b.v - a.v, ddot = a.w.cross(d);
  cw.error[i] = d.dot(r);
  cw.on_a.col(i) << -r.cross(d), -d;
  cw.on_b.col(i) << Vector3::Zero(), d;
  cw.rate[i] = d.dot(rdot) + ddot.dot(r);
  cw.bias[i] = 2 * ddot.dot(rdot) + a.w.cross(ddot).dot(r);
}

// u . s with u turning with a and s with b.
void compute_align(const ClosureRow& row, const NodeMotion& a, const NodeMotion& b, int i, ClosureWorkspace& cw) {
  const Vector3 u = a.pose.R * row.u, s = b.pose.R * row.s, turn = s.cross(u);
  const Vector3 udot = a.w.cross(u), sdot = b.w.cross(s);
  cw.error[i] = u.dot(s) - row.rest;
  cw.on_a.col(i) << -turn, Vector3::Zero();
  cw.on_b.col(i) << turn, Vector3::Zero();
  cw.rate[i] = udot.dot(s) + u.dot(sdot);
  cw.bias[i] = a.w.cross(udot).dot(s) + 2 * udot.dot(sdot) + u.dot(b.w.cross(sdot));
}

// The wrenches of the multipliers on all nodes.
void set_wrenches(ClosureWorkspace& cw) {
  cw.wrenches.setZero();
  for (int i = 0; i < cw.count(); ++i) {
    const int at = 12 * cw.rows[i].closure;
    cw.wrenches.segment<6>(at) += cw.on_a.col(i) * cw.lambda[i];
    cw.wrenches.segment<6>(at + 6) += cw.on_b.col(i) * cw.lambda[i];
  }
  for (int k = 0; 6 * k < cw.forces.size(); ++k) cw.forces.segment<6>(6 * k) = cw.wrenches.segment<6>(12 * k + 6);
}

// S = W J M^-1 J^T W^T.
void compute_S(const Model& model, AbaWorkspace& ws, ClosureWorkspace& cw) {
  compute_operational_inertia(model, cw.nodes, ws, cw.inverse_inertia);
  for (int i = 0; i < cw.count(); ++i) {
    const int at_i = 12 * cw.rows[i].closure;
    Eigen::Matrix<double, 12, 1> wi, wj;
    wi << cw.on_a.col(i), cw.on_b.col(i);
    for (int j = 0; j <= i; ++j) {
      const int at_j = 12 * cw.rows[j].closure;
      wj << cw.on_a.col(j), cw.on_b.col(j);
      cw.S(i, j) = cw.S(j, i) = wi.dot(cw.inverse_inertia.block<12, 12>(at_i, at_j).lazyProduct(wj));
    }
    // A row that nothing moves is left out: what the two nodes do apart cancels.
    const double apart = cw.on_a.col(i).dot(cw.inverse_inertia.block<6, 6>(at_i, at_i) * cw.on_a.col(i)) +
                         cw.on_b.col(i).dot(cw.inverse_inertia.block<6, 6>(at_i + 6, at_i + 6) * cw.on_b.col(i));
    cw.scale[i] = cw.S(i, i) > kImmovable * apart ? 1 / std::sqrt(cw.S(i, i)) : 0;
  }
}

}  // namespace

ClosureWorkspace::ClosureWorkspace(const Model& model) {
  if (!model.closures.empty() && model.fidelity == Fidelity::ruthless) {
    throw InputError(
        "closure '" + model.closures[0].name +
        "': in a ruthless model nodes do not move with the modes, so that a chain cannot be closed; choose "
        "fidelity full or stiffened");
  }
  for (std::size_t i = 0; i < model.closures.size(); ++i) {
    add_rows(model.closures[i], RowMaker{rows, static_cast<int>(i)});
    nodes.push_back(model.closures[i].a);
    nodes.push_back(model.closures[i].b);
  }
  const int n = count(), m = 6 * static_cast<int>(nodes.size());
  error = rate = bias = lambda = scale = right = VectorX::Zero(n);
  on_a = on_b = Matrix6X::Zero(6, n);
  forces = VectorX::Zero(m / 2);
  wrenches = twists = VectorX::Zero(m);
  inverse_inertia = MatrixX::Zero(m, m);
  S = MatrixX::Zero(n, n);
  dv = VectorX::Zero(model.nv);
  if (n > 0) eigen.compute(MatrixX::Identity(n, n));  // takes its memory
}

double ClosureWorkspace::closure_error(int closure) const {
  double largest = 0;
  for (int i = 0; i < count(); ++i) {
    if (rows[i].closure == closure) largest = std::max(largest, std::abs(error[i]));
  }
  return largest;
}

void compute_closures(const Model& model, const Kinematics& kin, ConstVec v, ClosureWorkspace& cw) {
  NodeMotion a, b;
  for (int i = 0; i < cw.count(); ++i) {
    const ClosureRow& row = cw.rows[i];
    if (i == 0 || row.closure != cw.rows[i - 1].closure) {
      a = motion_of(model, kin, model.closures[row.closure].a, v);
      b = motion_of(model, kin, model.closures[row.closure].b, v);
    }
    row.align ? compute_align(row, a, b, i, cw) : compute_place(row, a, b, i, cw);
  }
}

Status solve_closures(const Model& model, AbaWorkspace& ws, ConstVec right, ClosureWorkspace& cw) {
  const int n = cw.count();
  cw.rank = 0;
  if (n == 0) return Status::ok;
  compute_S(model, ws, cw);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) cw.S(i, j) *= cw.scale[i] * cw.scale[j];
  }
  if (!cw.S.allFinite() || !right.allFinite()) return Status::not_finite;
  cw.eigen.compute(cw.S);
  if (cw.eigen.info() != Eigen::Success) return Status::no_convergence;
  // lambda = scale V E^-1 V^T scale right, over the independent directions.
  cw.right = cw.scale.cwiseProduct(right);
  const auto& V = cw.eigen.eigenvectors();
  double left_over = 0;
  cw.lambda.setZero();
  for (int k = 0; k < n; ++k) {
    const double part = V.col(k).dot(cw.right), e = cw.eigen.eigenvalues()[k];
    if (e > kDependent) {
      cw.lambda += V.col(k) * (part / e);
      ++cw.rank;
    } else {
      left_over = std::max(left_over, std::abs(part));
    }
  }
  cw.lambda = cw.scale.cwiseProduct(cw.lambda).eval();
  set_wrenches(cw);
  return left_over <= kInconsistent * (1 + cw.right.lpNorm<Eigen::Infinity>()) ? Status::ok : Status::no_convergence;
}

// J_c vdot + dJ_c/dt v = 0 with vdot = vdot_open + M^-1 J_c^T lambda.
Status close_accelerations(const Model& model, ConstVec v, AbaWorkspace& ws, ClosureWorkspace& cw, Vec vdot) {
  if (cw.count() == 0) return Status::ok;
  compute_world_poses(model, ws.kin);
  compute_closures(model, ws.kin, v, cw);
  for (std::size_t k = 0; k < cw.nodes.size(); ++k) {
    const NodeRef node = cw.nodes[k];
    cw.twists.segment<6>(6 * k) =
        node.body == kGround ? Vector6(Vector6::Zero()) : node_acceleration(model, ws.kin, node, vdot);
  }
  VectorX& right = cw.right;
  for (int i = 0; i < cw.count(); ++i) {
    const int at = 12 * cw.rows[i].closure;
    cw.bias[i] += cw.on_a.col(i).dot(cw.twists.segment<6>(at)) + cw.on_b.col(i).dot(cw.twists.segment<6>(at + 6));
    right[i] = -cw.bias[i];
  }
  cw.bias = right;  // kept: `right` is scratch of solve_closures
  const Status status = solve_closures(model, ws, cw.bias, cw);
  if (status == Status::not_finite) return status;
  respond(model, cw.nodes, cw.wrenches, ws, cw.dv);
  vdot += cw.dv;
  return status;
}

int project_position(const Model& model, State& x, std::span<const std::uint8_t> prescribed, double tolerance,
                     AbaWorkspace& ws, ClosureWorkspace& cw) {
  VectorX& dq = cw.dv;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    if (factor_mass(model, x, ws, prescribed) != Status::ok) return -1;
    compute_world_poses(model, ws.kin);
    compute_closures(model, ws.kin, x.v, cw);
    if (!cw.error.allFinite()) return -1;
    if (cw.error.lpNorm<Eigen::Infinity>() <= tolerance) return iteration;
    cw.bias = -cw.error;
    if (solve_closures(model, ws, cw.bias, cw) == Status::not_finite) return -1;
    respond(model, cw.nodes, cw.wrenches, ws, dq);
    const double longest = dq.lpNorm<Eigen::Infinity>();
    if (longest > kLongestMove) dq *= kLongestMove / longest;
    move(model, x.q, dq, x.q);
  }
  return -1;
}

Status project_velocity(const Model& model, State& x, std::span<const std::uint8_t> prescribed, AbaWorkspace& ws,
                        ClosureWorkspace& cw) {
  if (const Status status = factor_mass(model, x, ws, prescribed); status != Status::ok) return status;
  compute_world_poses(model, ws.kin);
  compute_closures(model, ws.kin, x.v, cw);
  cw.bias = -cw.rate;
  const Status status = solve_closures(model, ws, cw.bias, cw);
  if (status == Status::not_finite) return status;
  respond(model, cw.nodes, cw.wrenches, ws, cw.dv);
  x.v += cw.dv;
  return status;
}

}  // namespace limber
