// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "element_terms.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/detail/closures.hpp"
#include "limber/dynamics/detail/derivatives.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "linear_terms.hpp"

namespace limber {
namespace {

constexpr double kMet = 1e-8;         // closure errors, m or rad
constexpr double kStill = 1e-6;       // accelerations of an equilibrium, SI units
constexpr double kDependent = 1e-10;  // pivots of closures relative to the largest

void check_point(const Model& model, const ClosureData& cw, const VectorXd& vdot) {
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

// Selects independent speeds and the basis that expresses all speeds by them: C basis = 0.
void set_basis(const Model& model, const MatrixXd& C, const std::vector<int>& free, LinearSystem& system) {
  const MatrixXd rows = C(Eigen::all, free);
  const auto [all, order, rank] = pivoted_qr(rows, kDependent);
  const Eigen::Index n = rows.cols() - rank;
  const MatrixXd R = all.topRows(rank);
  const MatrixXd follow = -R.leftCols(rank).triangularView<Eigen::Upper>().solve(R.rightCols(n));
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

void compute_closed_terms(const Model& model, const LinearizeOptions& options, const VectorXd& tau,
                          const std::vector<int>& free, DerivativesWorkspace& ws, LinearTerms& terms,
                          LinearSystem& system) {
  const State& x = system.point;
  if (!system.at_rest()) throw InputError("linearize: closed chains are linearised at rest; leave the speeds zero");
  ClosureData cw(model);
  VectorXd needed(model.nv), vdot = VectorXd::Zero(model.nv);
  std::vector<std::uint8_t> held = options.held;
  held.resize(model.bodies.size(), 0);
  ElementTerms elements(model, x, tau, options.wrenches);
  const Forces forces{elements.tau, elements.wrenches};
  check_solved(model, hybrid(model, x, forces, held, ws->aba, vdot, needed), ws.failure());
  const Status closed = close_accelerations(model, ws->aba, cw, vdot);
  check_point(model, cw, vdot);
  check_solved(model, closed, -1);
  system.acceleration = vdot;
  // At rest: the tree under the wrenches of its closures.
  std::vector<NodeWrench> wrenches = elements.wrenches;
  for (int i = 0; i < cw.count(); ++i) {
    const Closure& closure = model.closures[static_cast<std::size_t>(cw.rows[i].closure)];
    wrenches.push_back({closure.a, cw.on_a.col(i) * cw.lambda[i], Frame::world});
    wrenches.push_back({closure.b, cw.on_b.col(i) * cw.lambda[i], Frame::world});
  }
  const VectorXd lambda = cw.lambda;
  rnea_derivatives(model, x, VectorXd::Zero(model.nv), wrenches, ws, terms.tau_q, terms.tau_v);
  compute_closures(model, ws.kinematics(), cw);
  subtract_closure_stiffness(model, ws.kinematics(), cw, lambda, terms.tau_q);
  elements.compute(x, MatrixXd::Zero(static_cast<Eigen::Index>(6 * elements.node_count()), model.nv));
  terms.tau_q -= elements.by_q;
  terms.tau_v -= elements.by_v;
  CrbaWorkspace crba_ws(model);
  crba(model, x, crba_ws, terms.M);
  Matrix6X scratch(6, model.nv);
  MatrixXd C(cw.count(), model.nv);
  compute_closure_jacobian(model, ws.kinematics(), cw, scratch, C);
  set_basis(model, C, free, system);
}

}  // namespace limber
