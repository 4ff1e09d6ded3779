// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/closed_inverse.hpp"

#include <Eigen/SVD>

#include "dynamics/kinematics/sweeps.hpp"

namespace limber {
namespace {

// Of the singular values, beside the size of C: those below are none.
constexpr double kDependent = 1e-10;
// What may be missing, beside the largest force that is needed, and left of the closures' accelerations.
constexpr double kMissing = 1e-8;

// The smallest x with the smallest |A x - b|, and what may be added to it: singular values up to `least` are none.
struct Smallest {
  VectorX x;
  MatrixX free;  // orthonormal columns
};
Smallest solve_smallest(const MatrixX& A, const VectorX& b, double least) {
  if (A.rows() == 0 || A.cols() == 0) return {VectorX::Zero(A.cols()), MatrixX::Identity(A.cols(), A.cols())};
  const Eigen::JacobiSVD<MatrixX> svd(A, Eigen::ComputeThinU | Eigen::ComputeFullV);
  const auto& values = svd.singularValues();
  Eigen::Index rank = 0;
  while (rank < values.size() && values[rank] > least) ++rank;
  const VectorX along = (svd.matrixU().leftCols(rank).transpose() * b).cwiseQuotient(values.head(rank));
  return {svd.matrixV().leftCols(rank) * along, svd.matrixV().rightCols(A.cols() - rank)};
}

// The accelerations of the errors: C vdot + dC/dt v.
void compute_apart(const Model& model, ConstVec vdot, ClosedInverseWorkspace& ws) {
  ClosureWorkspace& cw = ws.closures;
  for (std::size_t k = 0; k < cw.nodes.size(); ++k) {
    cw.twists.segment<6>(6 * k) = node_bias_acceleration(model, ws.rnea.kin, cw.nodes[k]);
  }
  ws.apart = ws.C * vdot + cw.bias;
  for (int i = 0; i < cw.count(); ++i) {
    const int at = 12 * cw.rows[i].closure;
    ws.apart[i] += cw.on_a.col(i).dot(cw.twists.segment<6>(at)) + cw.on_b.col(i).dot(cw.twists.segment<6>(at + 6));
  }
}

double largest(const VectorX& x) { return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0; }

}  // namespace

ClosedInverseWorkspace::ClosedInverseWorkspace(const Model& model, std::span<const std::uint8_t> actuated)
    : rnea(model), closures(model) {
  if (static_cast<int>(actuated.size()) != model.nv) {
    throw InputError("inverse_closed: `actuated` needs one entry per speed, " + std::to_string(model.nv));
  }
  for (int k = 0; k < model.nv; ++k) (actuated[k] != 0 ? active : passive).push_back(k);
  C.setZero(closures.count(), model.nv);
  node.setZero(6, model.nv);
  needed = missing = VectorX::Zero(model.nv);
  apart.setZero(closures.count());
}

// At passive speeds the closures alone act: C_p^T lambda = needed_p.  What this leaves free of lambda, N z, makes the
// actuators' share u = needed_a - C_a^T (lambda + N z) least.
Status inverse_closed(const Model& model, const State& x, ConstVec vdot, std::span<const NodeWrench> wrenches,
                      ClosedInverseWorkspace& ws, Vec tau) {
  check_sizes(model, x, vdot, tau);
  rnea(model, x, vdot, wrenches, ws.rnea, ws.needed);
  compute_world_poses(model, ws.rnea.kin);
  compute_closures(model, ws.rnea.kin, ws.closures);
  compute_closure_jacobian(model, ws.rnea.kin, ws.closures, ws.node, ws.C);
  compute_apart(model, vdot, ws);
  if (!ws.needed.allFinite() || !ws.C.allFinite() || !ws.apart.allFinite()) return Status::not_finite;
  const double least = kDependent * ws.C.norm();
  const Smallest held = solve_smallest(ws.C(Eigen::all, ws.passive).transpose(), ws.needed(ws.passive), least);
  const MatrixX C_active = ws.C(Eigen::all, ws.active).transpose();
  const VectorX share = ws.needed(ws.active) - C_active * held.x;
  ws.closures.lambda = held.x + held.free * solve_smallest(C_active * held.free, share, least).x;
  ws.closures.set_forces();
  ws.missing = ws.needed - ws.C.transpose() * ws.closures.lambda;
  tau.setZero();
  tau(ws.active) = ws.missing(ws.active);
  ws.missing(ws.active).setZero();
  const bool had = largest(ws.missing) <= kMissing * (1 + largest(ws.needed));
  const bool closed = largest(ws.apart) <= kMissing * (1 + largest(ws.closures.bias) + ws.C.norm() * vdot.norm());
  return had && closed ? Status::ok : Status::no_convergence;
}

}  // namespace limber
