// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/operational.hpp"

namespace limber {

// The closures of a model at a state.  [JR] §9, theory §6.
struct ClosureData;
extern template class Workspace<ClosureData>;
class ClosureWorkspace : public Workspace<ClosureData> {  // one per thread
 public:
  // Throws InputError for a ruthless model with closures.
  explicit ClosureWorkspace(const Model& model);
  int count() const;  // number of scalar constraints (rows)
  // Per row, by compute_closures:
  const VectorXd& error() const;  // constraint violation
  const VectorXd& rate() const;   // its derivative at the speeds
  // Largest error of the rows of a closure.
  double closure_error(int closure) const;
  // By solve_closures and the functions that close a chain:
  const VectorXd& lambda() const;  // (row) multipliers
  const VectorXd& forces() const;  // (6 per closure) [torque; force] on node b, about its origin, in world
  int rank() const;                // independent rows
  double margin() const;  // distance from rank loss: tends to zero, at a finite rate, at a singular configuration
};

// Errors, rates and rows from kinematics with poses in world.
void compute_closures(const Model& model, const Kinematics& kin, ClosureData& cw);

// C (rows x nv): the rates are C v; C^T lambda are the forces of the multipliers on all speeds.  After compute_closures
// with the same kinematics; scratch is 6 x nv.  O(closures x nv).
void compute_closure_jacobian(const Model& model, const Kinematics& kin, const ClosureData& cw, Matrix6X& scratch,
                              Eigen::Ref<MatrixXd> C);

// The wrenches of closures follow their nodes: subtracts the stiffness due to their multipliers lambda (row) from
// tau_q (nv x nv), the derivatives of rnea by q with these wrenches held constant in world.  After compute_closures
// with the same kinematics.  O(rows x nv^2).
void subtract_closure_stiffness(const Model& model, const Kinematics& kin, const ClosureData& cw,
                                const VectorXd& lambda, Eigen::Ref<MatrixXd> tau_q);

// Minimum-norm multipliers with S lambda = right, from the factors in ws (factor_mass, aba, hybrid).
// Status::no_convergence: inconsistent right-hand side.
[[nodiscard]] Status solve_closures(const Model& model, AbaData& ws, ConstVec right, ClosureData& cw);

// The exact accelerations of the closed chain at the given state (index 1, no stabilisation): vdot holds those of
// the open tree on entry, and aba or hybrid with ws must have been the last to use ws.  O(N) and cubic in the number of
// rows.  Status::no_convergence as above: prescribed joints and closures are inconsistent.
[[nodiscard]] Status close_accelerations(const Model& model, AbaData& ws, ClosureData& cw, Vec vdot);
// After hybrid, with its tau_out: adds the forces of the closures on the prescribed joints there.
[[nodiscard]] Status close_hybrid(const Model& model, AbaData& ws, ClosureData& cw, Vec vdot, Vec tau_out);
// The same after any other algorithm without prescribed joints; computes its own factors.
[[nodiscard]] Status close_other(const Model& model, const State& x, AbaData& ws, ClosureData& cw, Vec vdot);

// Moves q by the smallest step, in the metric of ws (set_implicit: stiff modes move little), until all errors are below
// `tolerance`; prescribed joints (may be empty) do not move.  Newton's method; returns the number of iterations, or -1.
int project_position(const Model& model, State& x, std::span<const std::uint8_t> prescribed, double tolerance,
                     AbaData& ws, ClosureData& cw);
// Projects v onto the tangent space of the closures.
[[nodiscard]] Status project_velocity(const Model& model, State& x, std::span<const std::uint8_t> prescribed,
                                      AbaData& ws, ClosureData& cw);

}  // namespace limber
