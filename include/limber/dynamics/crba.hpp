// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/rnea.hpp"

namespace limber {

struct CrbaData;
extern template class Workspace<CrbaData>;
class CrbaWorkspace : public Workspace<CrbaData> {  // one per thread
 public:
  explicit CrbaWorkspace(const Model& model);
  // Of the last call with this workspace.
  Kinematics& kinematics();
  const Kinematics& kinematics() const;
};

// Mass matrix (nv x nv), both triangles.  [JR] (47)-(50), theory §4.
void crba(const Model& model, const State& x, CrbaData& ws, Eigen::Ref<MatrixXd> M);

// The same with the kinematics already in ws.
void compute_mass_matrix(const Model& model, CrbaData& ws, Eigen::Ref<MatrixXd> M);

// Forward dynamics with a dense Cholesky factorisation of the mass matrix: O(N^3), for comparison.
Status crba_forward(const Model& model, const State& x, const Forces& forces, CrbaData& ws, Vec vdot);

}  // namespace limber
