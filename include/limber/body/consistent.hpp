// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/SparseCore>

#include "limber/body/body.hpp"

namespace limber {

// A finite-element mesh of N points with three displacements each, ordered x1 y1 z1 x2 ...; dense matrices become
// sparse ones by .sparseView().
struct ConsistentSpec {
  Matrix3Xd positions = {};                    // (3 x N) undeformed
  Eigen::SparseMatrix<double> mass = {};       // (3N x 3N) consistent or lumped
  Eigen::SparseMatrix<double> stiffness = {};  // (3N x 3N)
  MatrixXd shapes = {};                        // Phi (3N x n)
  MatrixXd damping = {};                       // (n x n), modal; empty: none
  std::vector<Node> nodes = {};
};

// The modal body with shapes Phi and all mass integrals exact for the interpolation of the mesh, theory §2:
//   S_a = sum_pq m_pq phi_a(p),  C_ab = sum_pq m_pq phi_a(p) phi_b(q)^T,  K = Phi^T K Phi.
// The mass matrix must be that of elements with displacements only, the same m_pq for x, y and z and no coupling
// between them (to 1e-9 of its largest entry); others do not determine C_ab and are refused.  No second-order shapes.
Body make_modal_body(const ConsistentSpec& spec);

}  // namespace limber
