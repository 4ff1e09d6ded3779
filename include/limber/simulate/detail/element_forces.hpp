// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/LU>
#include <vector>

#include "limber/dynamics/closures.hpp"
#include "limber/dynamics/elements.hpp"
#include "limber/dynamics/operational.hpp"
#include "limber/model/contacts.hpp"
#include "limber/model/elements.hpp"
#include "limber/simulate/archive.hpp"
#include "limber/simulate/inputs.hpp"

namespace limber {

// State of force elements and contacts between evaluations.
struct ElementForces {
  ElementForces(const Model& model, std::vector<std::uint8_t> prescribed);

  // Forces at x; `told`: `commands` already holds the input signals of elements at this time.
  void compute(const State& x, const Kinematics& kin);
  // All wrenches on the machine: those given, then those of the elements.
  std::span<const NodeWrench> with(const std::vector<NodeWrench>& others);

  // ---- implicit steps ----
  // With C = -(c_D dw/dV + c_K dw/dX) of the nodes' wrenches w at the state of the last compute: wrenches += C J a.
  void add_implicit(const Kinematics& kin, double c_D, double c_K, ConstVec a);
  // a, the solution of A a = f, becomes that of (A + J^T C J) a = f; ws has the factors of A.
  //   a -= A^-1 J^T (1 + C S)^-1 C J a,   S = J A^-1 J^T.   [Woodbury 1950]
  void correct(AbaWorkspace& ws, Vec a);
  // After correct or correct_closed, with prescribed joints: their required forces in addition to the forces
  // (nv) of hybrid, close_hybrid.
  void correct_needed(AbaWorkspace& ws, Vec forces);
  // forces (nv) += J^T C J a, as of the last add_implicit.
  void add_implicit_inertia(ConstVec a, Vec forces);
  // forces (nv) += J^T (dw/dX J dq + dw/dV J dv), as of the last add_implicit.
  void add_change(ConstVec dq, ConstVec dv, Vec forces);
  // The same of a closed chain, after close_accelerations: responses A^-1 J^T are those that keep the closures, whose
  // forces (6 per closure) change with a.
  [[nodiscard]] Status correct_closed(AbaWorkspace& ws, ClosureWorkspace& cw, Vec a, Vec closure_forces);

  // A rope is taut, or a contact pushes.
  bool holds() const;
  void transfer(Archive& archive);

  const Model& model;
  ElementLoads loads;
  std::vector<double> commands;  // (element) of inputs and of control
  std::vector<double> control;   // (element) of control alone
  VectorXd values;               // of the last compute

 private:
  std::vector<NodeWrench> all_, implicit_;
  OperationalWorkspace operational_;
  SweepWorkspace sweep_;
  void solve_correction(const MatrixXd& S, ConstVec a);  // into Ja_: wrenches on the nodes
  MatrixXd by_pose_, by_velocity_, C_, J_, S_, CS_;
  MatrixXd closure_rows_, responses_;      // of closed chains: C, and A^-1 J^T that keeps C v
  MatrixXd multipliers_, closure_forces_;  // of unit wrenches on the nodes
  Matrix6X scratch_;
  VectorXd Ja_, lambda_, change_;
  VectorXd unit_, right_, force_;  // unit_, right_: of closed chains
  Eigen::PartialPivLU<MatrixXd> lu_;
};

}  // namespace limber
