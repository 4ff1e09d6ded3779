// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/SparseCore>
#include <functional>
#include <memory>

#include "limber/spatial/types.hpp"

namespace limber::body_impl {

// Static solutions and modes of a free part under constraints A u = 0 (or under none, then without its rigid motions),
// from one sparse factorisation.  K is singular.  Ks is K with springs on six rows that fix the rigid motions without
// redundancy; it is regular, and under self-equilibrated loads these springs carry no force.  So K u = b + A^T mu has
// the solution
//   u = Ks^-1 (b + A^T mu) + R c,    [A Ks^-1 A^T   A R] [mu]   [-A Ks^-1 b]
//                                    [(A R)^T        0 ] [c ] = [ -R^T b   ]
class PartSolver {
 public:
  // Throws InputError when K has more motions without strain than R; they are counted in `whole`, the K before
  // interfaces were made rigid.  `residual`: size of K R relative to K, from rounding.
  PartSolver(const Eigen::SparseMatrix<double>& K, const Eigen::SparseMatrix<double>& M, const MatrixXd& R,
             double residual, const Eigen::SparseMatrix<double>& whole);
  ~PartSolver();

  // At least the rows of one interface, or none.
  void constrain(const Eigen::SparseMatrix<double>& A);
  // u for a load b (above); without constraints the elastic displacement, M-orthogonal to R, under b less its
  // resultant.
  VectorXd apply(const VectorXd& b) const;
  // Static shapes: A u = 1, one column per row of A.
  MatrixXd static_shapes() const;

  struct Modes {
    VectorXd values;   // omega^2, rising
    MatrixXd vectors;  // u^T M u = 1
  };
  // The lowest `count` modes under the constraints, or all if there are fewer.
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
