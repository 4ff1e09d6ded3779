// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "limber/spatial/detail/solvers.hpp"

namespace limber {

struct Cholesky::Factor {
  Eigen::LLT<MatrixXd> llt;
};

Cholesky::Cholesky(const MatrixXd& A) : factor_(new Factor{Eigen::LLT<MatrixXd>(A)}) {}
bool Cholesky::positive_definite() const { return factor_->llt.info() == Eigen::Success; }
VectorXd Cholesky::solve(const VectorXd& b) const { return factor_->llt.solve(b); }
MatrixXd Cholesky::solve(const MatrixXd& B) const { return factor_->llt.solve(B); }
void Cholesky::solve_in_place(Vec b) const { factor_->llt.solveInPlace(b); }

struct Lu::Factor {
  Eigen::PartialPivLU<MatrixXd> lu;
};

Lu::Lu(const MatrixXd& A) : factor_(new Factor{Eigen::PartialPivLU<MatrixXd>(A)}) {}
VectorXd Lu::solve(const VectorXd& b) const { return factor_->lu.solve(b); }
MatrixXd Lu::solve(const MatrixXd& B) const { return factor_->lu.solve(B); }

Eigen::MatrixXcd solve(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& B) { return A.partialPivLu().solve(B); }
MatrixXd solve_full_pivoting(const MatrixXd& A, const MatrixXd& B) { return A.fullPivLu().solve(B); }

}  // namespace limber
