// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/dynamics/kinematics.hpp"

namespace limber {

// The spatial operators of [JR] §3.5-§7 as dense matrices, for study; the recursions are for computation.
// Body k has a block of n + 6 rows, modes first, as in [JR]: (etaddot, alpha) or (f_f, f_r).  Generalized coordinates
// are ordered as v, hinge before modes.  Parents come before children, so that E_Phi and E_Psi, which map from a body
// to its parent, are strictly upper block triangular here ([JR] numbers from the tip: lower), one block per body.
// Unlike [JR], D has the armature of the hinges: M = H Phi M_m Phi^T H^T + armature.  The lemmas hold unchanged.
struct SpatialOperators {
  explicit SpatialOperators(const Model& model);  // throws InputError beyond kMaxOperatorRows
  KinematicsWorkspace kin;
  int rows = 0;                           // of all blocks
  std::vector<int> row;                   // (body) first row of its block
  std::vector<std::vector<int>> subtree;  // (body) the body and all outboard bodies
  MatrixXd H;                             // (nv x rows) joint maps                                      [JR] (13)
  MatrixXd E_Phi, Phi;                    // (rows x rows) to the parent; Phi = (1 - E_Phi)^-1           [JR] (18)-(19)
  MatrixXd M_m, R;                        // (rows x rows) modal masses; composite inertias              [JR] (23), (47)
  MatrixXd P;                             // (rows x rows) articulated inertias                          [JR] (51)
  MatrixXd D, D_factor;                   // (nv x nv) H P H^T + armature; its L L^T, lower              [JR] (52)
  MatrixXd G, K;                          // (rows x nv) P H^T D^-1, E_Phi G                             [JR] (52)
  MatrixXd tau;                           // (rows x rows) 1 - G H                                       [JR] (52)
  MatrixXd E_Psi, Psi;                    // (rows x rows) E_Phi tau; Psi = (1 - E_Psi)^-1               [JR] (53)
  MatrixXd scratch[3];                    // blocks of one body
  int failure = -1;                       // index of the speed without inertia, after Status::singular_mass
};

inline constexpr int kMaxOperatorRows = 2000;

// Computes all operators at the state of ops.kin, except D_factor and those that follow from it if D is singular.
// O(N^2) blocks, of which only nonzero ones are written.
[[nodiscard]] Status compute_operators(const Model& model, SpatialOperators& ops);

struct OperatorsData;
extern template class Workspace<OperatorsData>;
class OperatorsWorkspace : public Workspace<OperatorsData> {  // one per thread
 public:
  explicit OperatorsWorkspace(const Model& model);
  // Index of the speed without inertia, after Status::singular_mass; otherwise -1.
  int failure() const;
};

// Forward dynamics with M^-1 = (1 - H Psi K)^T D^-1 (1 - H Psi K), factor by factor.  [JR] lemmas 6.3 and 7.1.
// O(N^2) and dense: for study.
[[nodiscard]] Status operators_forward(const Model& model, const State& x, const Forces& forces, OperatorsData& ws,
                                       Vec vdot);

}  // namespace limber
