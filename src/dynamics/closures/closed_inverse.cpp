// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/closed_inverse.hpp"

#include "dynamics/kinematics/sweeps.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

// Singular values below this fraction of the norm of C count as zero.
constexpr double kDependentForces = 1e-10;
// Tolerance of residual forces, relative to the largest required force; and of closure accelerations.
constexpr double kResidual = 1e-8;

// Minimum-norm least-squares solution of A x = b, and a basis of the null space of A.  Singular values up to `least`
// count as zero.
struct Smallest {
  VectorXd x;
  MatrixXd free;  // orthonormal columns
};
Smallest solve_smallest(const MatrixXd& A, const VectorXd& b, double least) {
  if (A.rows() == 0 || A.cols() == 0) return {VectorXd::Zero(A.cols()), MatrixXd::Identity(A.cols(), A.cols())};
  const auto [U, values, V] = svd(A, SvdParts::both);
  Eigen::Index rank = 0;
  while (rank < values.size() && values[rank] > least) ++rank;
  const VectorXd along = (U.leftCols(rank).transpose() * b).cwiseQuotient(values.head(rank));
  return {V.leftCols(rank) * along, V.rightCols(A.cols() - rank)};
}

// Second derivatives of the constraint violations: C vdot + dC/dt v.
void compute_closure_acceleration(const Model& model, ConstVec vdot, ClosedInverseData& ws) {
  ClosureData& cw = ws.closures;
  for (std::size_t k = 0; k < cw.nodes.size(); ++k) {
    cw.twists.segment<6>(6 * k) = node_bias_acceleration(model, ws.rnea.kin, cw.nodes[k]);
  }
  ws.closure_acceleration = ws.C * vdot + cw.bias;
  for (int i = 0; i < cw.count(); ++i) {
    const int at = 12 * cw.rows[i].closure;
    ws.closure_acceleration[i] +=
        cw.on_a.col(i).dot(cw.twists.segment<6>(at)) + cw.on_b.col(i).dot(cw.twists.segment<6>(at + 6));
  }
}

double largest(const VectorXd& x) { return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0; }

}  // namespace

ClosedInverseData::ClosedInverseData(const Model& model, std::span<const std::uint8_t> actuated)
    : rnea(model), closures(model) {
  if (static_cast<int>(actuated.size()) != model.nv) {
    throw InputError("inverse_closed: `actuated` needs one entry per speed, " + std::to_string(model.nv));
  }
  for (int k = 0; k < model.nv; ++k) (actuated[k] != 0 ? active : passive).push_back(k);
  C.setZero(closures.count(), model.nv);
  node.setZero(6, model.nv);
  needed = residual = VectorXd::Zero(model.nv);
  closure_acceleration.setZero(closures.count());
}

// Only closures act at passive speeds: C_p^T lambda = needed_p.  The null space N of C_p^T remains free: z minimises
// the actuator forces u = needed_a - C_a^T (lambda + N z).
Status inverse_closed(const Model& model, const State& x, ConstVec vdot, std::span<const NodeWrench> wrenches,
                      ClosedInverseData& ws, Vec tau) {
  check_sizes(model, x, vdot, tau);
  rnea(model, x, vdot, wrenches, ws.rnea, ws.needed);
  compute_world_poses(model, ws.rnea.kin);
  compute_closures(model, ws.rnea.kin, ws.closures);
  compute_closure_jacobian(model, ws.rnea.kin, ws.closures, ws.node, ws.C);
  compute_closure_acceleration(model, vdot, ws);
  if (!ws.needed.allFinite() || !ws.C.allFinite() || !ws.closure_acceleration.allFinite()) return Status::not_finite;
  const double least = kDependentForces * ws.C.norm();
  const Smallest passive = solve_smallest(ws.C(Eigen::all, ws.passive).transpose(), ws.needed(ws.passive), least);
  const MatrixXd C_active = ws.C(Eigen::all, ws.active).transpose();
  const VectorXd share = ws.needed(ws.active) - C_active * passive.x;
  ws.closures.lambda = passive.x + passive.free * solve_smallest(C_active * passive.free, share, least).x;
  ws.closures.set_forces();
  ws.residual = ws.needed - ws.C.transpose() * ws.closures.lambda;
  tau.setZero();
  tau(ws.active) = ws.residual(ws.active);
  ws.residual(ws.active).setZero();
  const bool balanced = largest(ws.residual) <= kResidual * (1 + largest(ws.needed));
  const bool closed =
      largest(ws.closure_acceleration) <= kResidual * (1 + largest(ws.closures.bias) + ws.C.norm() * vdot.norm());
  return balanced && closed ? Status::ok : Status::no_convergence;
}

}  // namespace limber
