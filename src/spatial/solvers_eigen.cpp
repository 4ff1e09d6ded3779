// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Eigenvalues>

#include "limber/spatial/detail/solvers.hpp"

namespace limber {

SymmetricEigen eigen_symmetric(const MatrixX& A) {
  const Eigen::SelfAdjointEigenSolver<MatrixX> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

SymmetricEigen eigen_generalized(const MatrixX& A, const MatrixX& B) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> solver(A, B);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

VectorX eigenvalues_symmetric(const MatrixX& A) {
  return Eigen::SelfAdjointEigenSolver<MatrixX>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

Vector3 eigenvalues_symmetric(const Matrix3& A) {
  return Eigen::SelfAdjointEigenSolver<Matrix3>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

VectorX eigenvalues_generalized(const MatrixX& A, const MatrixX& B) {
  return Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX>(A, B, Eigen::EigenvaluesOnly).eigenvalues();
}

GeneralEigen eigen_general(const MatrixX& A) {
  const Eigen::EigenSolver<MatrixX> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXcd eigenvalues_general(const MatrixX& A) { return Eigen::EigenSolver<MatrixX>(A, false).eigenvalues(); }

}  // namespace limber
