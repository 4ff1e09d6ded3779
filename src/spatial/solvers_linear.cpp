// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "limber/spatial/detail/solvers.hpp"

namespace limber {

struct Cholesky::Factor {
  Eigen::LLT<MatrixX> llt;
};

Cholesky::Cholesky(const MatrixX& A) : factor_(new Factor{Eigen::LLT<MatrixX>(A)}) {}
bool Cholesky::positive_definite() const { return factor_->llt.info() == Eigen::Success; }
VectorX Cholesky::solve(const VectorX& b) const { return factor_->llt.solve(b); }
MatrixX Cholesky::solve(const MatrixX& B) const { return factor_->llt.solve(B); }
void Cholesky::solve_in_place(Vec b) const { factor_->llt.solveInPlace(b); }

struct Lu::Factor {
  Eigen::PartialPivLU<MatrixX> lu;
};

Lu::Lu(const MatrixX& A) : factor_(new Factor{Eigen::PartialPivLU<MatrixX>(A)}) {}
VectorX Lu::solve(const VectorX& b) const { return factor_->lu.solve(b); }
MatrixX Lu::solve(const MatrixX& B) const { return factor_->lu.solve(B); }

Eigen::MatrixXcd solve(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& B) { return A.partialPivLu().solve(B); }
MatrixX solve_full_pivoting(const MatrixX& A, const MatrixX& B) { return A.fullPivLu().solve(B); }

}  // namespace limber
