// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/spatial/types.hpp"

// Triangular factors, for algorithms that keep a matrix as the product of a factor and its transpose.
namespace limber {

// The lower L of A = L L^T, A symmetric positive definite; reads its lower triangle.  NaN if A is not positive
// definite.
MatrixXd cholesky_factor(const MatrixXd& A);

// F = Q R with orthonormal columns and an upper trapezoidal R; Q is square for fewer rows than columns.
struct ThinQr {
  MatrixXd Q, R;
};
ThinQr thin_qr(const MatrixXd& F);

// The lower trapezoidal L with L L^T = F F^T, as many columns as F has, or rows if these are fewer: R^T of F^T.
MatrixXd lower_factor(const MatrixXd& F);

}  // namespace limber
