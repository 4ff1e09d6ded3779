// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>

#include "limber/dynamics/operational.hpp"

namespace limber {

// One scalar constraint of a closure between the frames of its nodes a and b, in one of two forms:
//   place:  d . (p_b - p_a) = 0,   d fixed in a
//   align:  u . s = rest,          u fixed in a, s fixed in b
struct ClosureRow {
  int closure = 0;
  bool align = false;
  Vector3 u = Vector3::Zero();  // d or u, in the frame of a
  Vector3 s = Vector3::Zero();  // in the frame of b
  double rest = 0;
};

// The closures of a model at a state.  [JR] §9, theory §6.
struct ClosureWorkspace {  // one per thread
  explicit ClosureWorkspace(const Model& model);
  std::vector<ClosureRow> rows;
  std::vector<NodeRef> nodes;  // a and b of closure i at 2 i and 2 i + 1
  // Per row, by compute_closures:
  VectorX error;        // how far it is from holding
  VectorX rate;         // its derivative at the speeds
  VectorX bias;         // its second derivative at zero accelerations, without the bias of the nodes
  Matrix6X on_a, on_b;  // columns: d rate / d (twists of a and b), in world; also the wrenches of a unit multiplier
  // By solve:
  VectorX lambda;           // multipliers
  VectorX forces;           // (6 per closure) [torque; force] on node b, about its origin, in world
  int rank = 0;             // independent rows
  double margin = 1;        // how far they are from fewer: goes to zero, at a finite rate, in a singular configuration
  MatrixX inverse_inertia;  // (12 per closure, square) J M^-1 J^T of the nodes
  MatrixX S, V;             // (rows) W J M^-1 J^T W^T, scaled to a diagonal of ones; its eigenvectors where needed
  VectorX scale, right, wrenches, twists;
  VectorX dv;                 // (nv)
  Eigen::LDLT<MatrixX> ldlt;  // of S

  int count() const { return static_cast<int>(rows.size()); }
  // Largest error of the rows of a closure.
  double closure_error(int closure) const;
  // Wrenches and forces from lambda.
  void set_forces();
};

// Errors, rates and rows from kinematics with poses in world.
void compute_closures(const Model& model, const Kinematics& kin, ClosureWorkspace& cw);

// C (rows x nv): the rates are C v; C^T lambda are the forces of the multipliers on all speeds.  After compute_closures
// with the same kinematics; scratch is 6 x nv.  O(closures x nv).
void compute_closure_jacobian(const Model& model, const Kinematics& kin, const ClosureWorkspace& cw, Matrix6X& scratch,
                              Eigen::Ref<MatrixX> C);

// Smallest multipliers with S lambda = right, from the factors in ws (factor_mass, aba, hybrid); dependent rows share.
// Status::no_convergence: the right side asks for what the closures cannot do.
[[nodiscard]] Status solve_closures(const Model& model, AbaWorkspace& ws, ConstVec right, ClosureWorkspace& cw);

// The exact accelerations of the closed chain at the state as it is (index 1, no stabilisation): vdot holds those of
// the open tree on entry, and aba or hybrid with ws must have been the last to use ws.  O(N) and cubic in the number of
// rows.  Status::no_convergence as above: what prescribed joints and closures ask for cannot both be had.
[[nodiscard]] Status close_accelerations(const Model& model, AbaWorkspace& ws, ClosureWorkspace& cw, Vec vdot);
// After hybrid, with the tau_out that it gave: what the closures ask of the prescribed joints is added there.
[[nodiscard]] Status close_hybrid(const Model& model, AbaWorkspace& ws, ClosureWorkspace& cw, Vec vdot, Vec tau_out);
// The same after any other algorithm without prescribed joints: makes its own factors.
[[nodiscard]] Status close_other(const Model& model, const State& x, AbaWorkspace& ws, ClosureWorkspace& cw, Vec vdot);

// Moves q the shortest way, in the metric of ws (set_implicit: stiff modes move little), until all errors are below
// `tolerance`; prescribed joints (may be empty) stay.  Newton's method; the number of iterations, or -1.
int project_position(const Model& model, State& x, std::span<const std::uint8_t> prescribed, double tolerance,
                     AbaWorkspace& ws, ClosureWorkspace& cw);
// Takes from v what closures forbid.
[[nodiscard]] Status project_velocity(const Model& model, State& x, std::span<const std::uint8_t> prescribed,
                                      AbaWorkspace& ws, ClosureWorkspace& cw);

}  // namespace limber
