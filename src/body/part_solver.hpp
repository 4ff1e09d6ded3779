// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/SparseCore>
#include <functional>
#include <memory>

#include "limber/spatial/types.hpp"

namespace limber::body_impl {

// Statics and modes of a free part under constraints A u = 0 (or under none, then without its rigid motions), from one
// sparse factorisation.  K is singular; held by springs on six of its rows, where they leave no motion and no
// redundancy, it is not, and under loads in balance these springs carry nothing.  So K u = b + A^T mu has the solution
//   u = Ks^-1 (b + A^T mu) + R c,    [A Ks^-1 A^T   A R] [mu]   [-A Ks^-1 b]
//                                    [(A R)^T        0 ] [c ] = [ -R^T b   ]
class PartSolver {
 public:
  // Throws InputError when K has more motions without strain than R, and counts them in `whole`, K before interfaces
  // were made rigid; `residual` of K R over K is what rounding does.
  PartSolver(const Eigen::SparseMatrix<double>& K, const Eigen::SparseMatrix<double>& M, const MatrixXd& R,
             double residual, const Eigen::SparseMatrix<double>& whole);
  ~PartSolver();

  // At least the rows of one interface, or none.
  void constrain(const Eigen::SparseMatrix<double>& A);
  // u for a load b (above); without constraints the elastic displacement, M-orthogonal to R, of b less its resultant.
  VectorXd apply(const VectorXd& b) const;
  // Static shapes: A u = 1, one column per row of A.
  MatrixXd static_shapes() const;

  struct Modes {
    VectorXd values;   // omega^2, rising
    MatrixXd vectors;  // u^T M u = 1
  };
  // The lowest modes under the constraints: `count` of them, or as many as there are.
  Modes modes(int count) const;
  double factor_bytes() const;
  std::function<void()> tick = [] {};  // called after every solution

 private:
  struct Factor;
  Modes dense_modes(int count) const;
  Modes lanczos_modes(int count, const Modes& known) const;

  const Eigen::SparseMatrix<double>& K_;
  const Eigen::SparseMatrix<double>& M_;
  const MatrixXd& R_;
  std::unique_ptr<Factor> factor_;
  Eigen::SparseMatrix<double> A_;
  MatrixXd Y_;        // Ks^-1 A^T
  MatrixXd MR_;       // M R
  MatrixXd inverse_;  // of the small system; without constraints, of R^T M R
};

}  // namespace limber::body_impl
