// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "limber/spatial/types.hpp"

// Dense factorisations behind plain functions.  Eigen's decompositions are compiled here, once: naming one in a source
// costs 5 to 20 s of its build.  All of them allocate, except where it says so.
namespace limber {

// A = L L^T of a symmetric positive definite matrix; reads its lower triangle.  Copies share the factor.
class Cholesky {
 public:
  Cholesky() = default;  // of no matrix; solves nothing
  explicit Cholesky(const MatrixX& A);

  bool positive_definite() const;
  VectorX solve(const VectorX& b) const;
  MatrixX solve(const MatrixX& B) const;
  void solve_in_place(Vec b) const;  // no heap

 private:
  struct Factor;
  std::shared_ptr<const Factor> factor_;
};

// A = P^-1 L U with row pivoting.
class Lu {
 public:
  explicit Lu(const MatrixX& A);
  VectorX solve(const VectorX& b) const;
  MatrixX solve(const MatrixX& B) const;

 private:
  struct Factor;
  std::shared_ptr<const Factor> factor_;
};
Eigen::MatrixXcd solve(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& B);  // row pivoting
MatrixX solve_full_pivoting(const MatrixX& A, const MatrixX& B);               // of any rank

// The x of least norm among those with the smallest |A x - b|, by complete orthogonal decomposition.
VectorX solve_least_norm(const MatrixX& A, const VectorX& b);

// A P = Q R with column pivoting: pivots up to `threshold` of the largest are zero; below 0: Eigen's default.
struct PivotedQr {
  MatrixX R;              // upper trapezoidal, in the order of `order`
  Eigen::VectorXi order;  // column of A at each place
  Eigen::Index rank = 0;
};
PivotedQr pivoted_qr(const MatrixX& A, double threshold = -1);
// An orthonormal basis of the x with A x = 0.
MatrixX null_space(const MatrixX& A, double threshold = -1);

// A = U diag(values) V^T, values falling.
struct Svd {
  MatrixX U;  // as many columns as values; empty unless asked for
  VectorX values;
  MatrixX V;  // square; empty unless asked for
};
enum class SvdParts { thin_u, full_v, both };
Svd svd(const MatrixX& A, SvdParts parts);

// A x = lambda x and A x = lambda B x of symmetric A and positive definite B, lambda rising, x^T B x = 1.
struct SymmetricEigen {
  VectorX values;
  MatrixX vectors;
};
SymmetricEigen eigen_symmetric(const MatrixX& A);
SymmetricEigen eigen_generalized(const MatrixX& A, const MatrixX& B);
VectorX eigenvalues_symmetric(const MatrixX& A);
Vector3 eigenvalues_symmetric(const Matrix3& A);
VectorX eigenvalues_generalized(const MatrixX& A, const MatrixX& B);

// A x = lambda x of any square matrix.
struct GeneralEigen {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;  // columns of norm 1
};
GeneralEigen eigen_general(const MatrixX& A);
Eigen::VectorXcd eigenvalues_general(const MatrixX& A);

// exp(A), by scaling, Pade approximants and squaring (Higham 2005).
MatrixX matrix_exponential(const MatrixX& A);

}  // namespace limber
