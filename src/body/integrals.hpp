// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/SparseCore>
#include <array>

#include "limber/body/part.hpp"

namespace limber::body_impl {

// Mass integrals of a body whose modes are set, from a symmetric w_pq over points p, theory §2:
//   m = one^T w one,  S_a = phi_a^T w one,  C_ab(i, j) = phi_a,i^T w phi_b,j
// `phi`: (points x shapes) for x, y, z, shape 0 the undeformed positions; `one`: a unit displacement of the whole body.
void set_integrals(const Eigen::SparseMatrix<double>& w, const VectorXd& one, const std::array<MatrixXd, 3>& phi,
                   Body& body);

// Mass and integrals of a part with shapes (dofs x n), about `origin`.  Throws if C_ab does not follow from M.
void set_part_integrals(const FePart& part, const MatrixXd& shapes, const Vector3d& origin, Body& body);

// Change of modal coordinates, eta = Q eta'.
void transform_integrals(const MatrixXd& Q, Body& body);

}  // namespace limber::body_impl
