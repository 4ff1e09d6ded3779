// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/rnea.hpp"

namespace limber {

struct CrbaWorkspace {  // one per thread
  explicit CrbaWorkspace(const Model& model);
  RneaWorkspace rnea;
  std::vector<Mat6> inertia, handle_inertia;  // (body), (handle) composite inertia of all that is carried
  std::vector<Spatial> column;                // (modes of one body) scratch
  MatrixX M;                                  // (nv x nv) for crba_forward
  VectorX bias, zero;                         // (nv)
  VectorX scale;                              // (nv) what rounding on the diagonal of M is measured against
};

// Mass matrix, both triangles.  [JR] (47)-(50), theory §4.
void crba(const Model& model, const State& x, CrbaWorkspace& ws, Eigen::Ref<MatrixX> M);

// The same over kinematics that are already in ws.rnea.kin.
void compute_mass_matrix(const Model& model, CrbaWorkspace& ws, Eigen::Ref<MatrixX> M);

// Forward dynamics with a dense Cholesky factorisation of the mass matrix: the O(N^3) way, for comparison.
Status crba_forward(const Model& model, const State& x, const Forces& forces, CrbaWorkspace& ws, Vec vdot);

}  // namespace limber
