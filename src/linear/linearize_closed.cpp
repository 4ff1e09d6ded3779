// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <Eigen/QR>
#include <algorithm>

#include "limber/dynamics/closures.hpp"
#include "limber/dynamics/crba.hpp"
#include "linear_terms.hpp"

namespace limber {
namespace {

constexpr double kMet = 1e-8;         // errors of closures, m or rad
constexpr double kStill = 1e-6;       // accelerations of an equilibrium, SI units
constexpr double kDependent = 1e-10;  // pivots of closures beside the largest

void check_point(const Model& model, const ClosureWorkspace& cw, const VectorX& vdot) {
  for (std::size_t k = 0; k < model.closures.size(); ++k) {
    if (const double error = cw.closure_error(static_cast<int>(k)); error > kMet) {
      throw InputError("linearize: closure '" + model.closures[k].name + "' is violated by " + std::to_string(error) +
                       "; start from a state that meets it, or look for an equilibrium first");
    }
  }
  Eigen::Index largest = 0;
  if (model.nv == 0 || vdot.cwiseAbs().maxCoeff(&largest) <= kStill) return;
  throw InputError("linearize: closed chains are linearised at an equilibrium, and '" +
                   model.speeds[static_cast<std::size_t>(largest)] + "' has an acceleration of " +
                   std::to_string(vdot[largest]) + "; look for an equilibrium first");
}

// How the wrenches of one row on its nodes change when these move by the columns of Ja and Jb, theory §6, Closed
// chains:
//   place  (-r x d, -d), (0, d)        d turns with a, r = p_b - p_a
//   align  (-s x u, 0), (s x u, 0)     u turns with a, s with b
void row_slope(const ClosureRow& row, const Pose& a, const Pose& b, const Vector6& da, const Vector6& db, Vector6& on_a,
               Vector6& on_b) {
  const Vector3 u = a.R * row.u, du = da.head<3>().cross(u), none = Vector3::Zero();
  if (row.align) {
    const Vector3 s = b.R * row.s, turn = db.head<3>().cross(s).cross(u) + s.cross(du);
    on_a << -turn, none;
    on_b << turn, none;
    return;
  }
  const Vector3 r = b.p - a.p, dr = db.tail<3>() - da.tail<3>();
  on_a << -dr.cross(u) - r.cross(du), -du;
  on_b << none, du;
}

// The wrenches of closures are not constant in world: what their change adds to the stiffness.
void subtract_closure_slopes(const Model& model, const Kinematics& kin, const ClosureWorkspace& cw, MatrixX& tau_q) {
  Matrix6X Ja(6, model.nv), Jb(6, model.nv);
  for (int i = 0; i < cw.count(); ++i) {
    const Closure& closure = model.closures[static_cast<std::size_t>(cw.rows[i].closure)];
    const Pose a = node_pose(model, kin, closure.a), b = node_pose(model, kin, closure.b);
    compute_node_jacobian(model, kin, closure.a, Ja);
    compute_node_jacobian(model, kin, closure.b, Jb);
    for (int j = 0; j < model.nv; ++j) {
      Vector6 on_a, on_b;
      row_slope(cw.rows[i], a, b, Ja.col(j), Jb.col(j), on_a, on_b);
      tau_q.col(j) -= cw.lambda[i] * (Ja.transpose() * on_a + Jb.transpose() * on_b);
    }
  }
}

// Independent speeds, and how all follow them: C basis = 0.
void set_basis(const Model& model, const MatrixX& C, const std::vector<int>& free, LinearSystem& system) {
  const MatrixX rows = C(Eigen::all, free);
  Eigen::ColPivHouseholderQR<MatrixX> qr(rows.rows(), rows.cols());
  qr.setThreshold(kDependent);
  qr.compute(rows);
  const Eigen::Index rank = qr.rank(), n = rows.cols() - rank;
  const auto& order = qr.colsPermutation().indices();
  const MatrixX R = qr.matrixR().topRows(rank);
  const MatrixX follow = -R.leftCols(rank).triangularView<Eigen::Upper>().solve(R.rightCols(n));
  std::vector<std::pair<int, Eigen::Index>> independent;  // speed, column of `follow`
  for (Eigen::Index k = 0; k < n; ++k) independent.emplace_back(free[static_cast<std::size_t>(order[rank + k])], k);
  std::sort(independent.begin(), independent.end());
  system.basis.setZero(model.nv, n);
  system.free.clear();
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto [speed, column] = independent[static_cast<std::size_t>(k)];
    system.free.push_back(speed);
    system.basis(speed, k) = 1;
    for (Eigen::Index d = 0; d < rank; ++d) {
      system.basis(free[static_cast<std::size_t>(order[d])], k) = follow(d, column);
    }
  }
}

}  // namespace

void compute_closed_terms(const Model& model, const LinearizeOptions& options, const VectorX& tau,
                          const std::vector<int>& free, DerivativesWorkspace& ws, LinearTerms& terms,
                          LinearSystem& system) {
  const State& x = system.point;
  if (!system.at_rest()) throw InputError("linearize: closed chains are linearised at rest; leave the speeds zero");
  ClosureWorkspace cw(model);
  VectorX needed(model.nv), vdot = VectorX::Zero(model.nv);
  std::vector<std::uint8_t> held = options.held;
  held.resize(model.bodies.size(), 0);
  check_solved(model, hybrid(model, x, Forces{tau, options.wrenches}, held, ws.aba, vdot, needed), ws.aba.failure);
  const Status closed = close_accelerations(model, ws.aba, cw, vdot);
  check_point(model, cw, vdot);
  check_solved(model, closed, -1);
  system.acceleration = vdot;
  // At rest without accelerations: the tree under the wrenches of its closures.
  std::vector<NodeWrench> wrenches = options.wrenches;
  for (int i = 0; i < cw.count(); ++i) {
    const Closure& closure = model.closures[static_cast<std::size_t>(cw.rows[i].closure)];
    wrenches.push_back({closure.a, cw.on_a.col(i) * cw.lambda[i], Frame::world});
    wrenches.push_back({closure.b, cw.on_b.col(i) * cw.lambda[i], Frame::world});
  }
  const VectorX lambda = cw.lambda;
  rnea_derivatives(model, x, VectorX::Zero(model.nv), wrenches, ws, terms.tau_q, terms.tau_v);
  compute_closures(model, ws.rnea.kin, cw);
  cw.lambda = lambda;
  subtract_closure_slopes(model, ws.rnea.kin, cw, terms.tau_q);
  CrbaWorkspace crba_ws(model);
  crba(model, x, crba_ws, terms.M);
  Matrix6X scratch(6, model.nv);
  MatrixX C(cw.count(), model.nv);
  compute_closure_jacobian(model, ws.rnea.kin, cw, scratch, C);
  set_basis(model, C, free, system);
}

}  // namespace limber
