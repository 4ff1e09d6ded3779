// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "limber/spatial/types.hpp"

// Dense factorisations as plain functions.  Eigen's decompositions are compiled here, once: using one in a source
// costs 5 to 20 s of its build.  All of them allocate, except where stated.
namespace limber {

// A = L L^T of a symmetric positive definite matrix; reads its lower triangle.  Copies share the factor.
class Cholesky {
 public:
  Cholesky() = default;  // without a matrix; cannot solve
  explicit Cholesky(const MatrixXd& A);

  bool positive_definite() const;
  VectorXd solve(const VectorXd& b) const;
  MatrixXd solve(const MatrixXd& B) const;
  void solve_in_place(Vec b) const;  // no heap

 private:
  struct Factor;
  std::shared_ptr<const Factor> factor_;
};

// A = P^-1 L U with row pivoting.
class Lu {
 public:
  explicit Lu(const MatrixXd& A);
  VectorXd solve(const VectorXd& b) const;
  MatrixXd solve(const MatrixXd& B) const;

 private:
  struct Factor;
  std::shared_ptr<const Factor> factor_;
};
Eigen::MatrixXcd solve(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& B);  // row pivoting
MatrixXd solve_full_pivoting(const MatrixXd& A, const MatrixXd& B);            // of any rank

// The minimum-norm least-squares solution of A x = b, by complete orthogonal decomposition.
VectorXd solve_least_norm(const MatrixXd& A, const VectorXd& b);

// A P = Q R with column pivoting: pivots up to `threshold` of the largest are zero; below 0: Eigen's default.
struct PivotedQr {
  MatrixXd R;             // upper trapezoidal, in the order of `order`
  Eigen::VectorXi order;  // column of A at each place
  Eigen::Index rank = 0;
};
PivotedQr pivoted_qr(const MatrixXd& A, double threshold = -1);
// An orthonormal basis of the x with A x = 0.
MatrixXd null_space(const MatrixXd& A, double threshold = -1);

// A = U diag(values) V^T, values decreasing.
struct Svd {
  MatrixXd U;  // as many columns as values; empty unless asked for
  VectorXd values;
  MatrixXd V;  // square; empty unless asked for
};
enum class SvdParts { thin_u, full_v, both };
Svd svd(const MatrixXd& A, SvdParts parts);

// A x = lambda x and A x = lambda B x of symmetric A and positive definite B, lambda increasing, x^T B x = 1.
struct SymmetricEigen {
  VectorXd values;
  MatrixXd vectors;
};
SymmetricEigen eigen_symmetric(const MatrixXd& A);
SymmetricEigen eigen_generalized(const MatrixXd& A, const MatrixXd& B);
VectorXd eigenvalues_symmetric(const MatrixXd& A);
Vector3d eigenvalues_symmetric(const Matrix3d& A);
VectorXd eigenvalues_generalized(const MatrixXd& A, const MatrixXd& B);

// A x = lambda x of any square matrix.
struct GeneralEigen {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;  // columns of norm 1
};
GeneralEigen eigen_general(const MatrixXd& A);
Eigen::VectorXcd eigenvalues_general(const MatrixXd& A);

// exp(A), by scaling, Pade approximants and squaring (Higham 2005).
MatrixXd matrix_exponential(const MatrixXd& A);

}  // namespace limber
