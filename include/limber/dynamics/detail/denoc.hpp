// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/dynamics/detail/rnea.hpp"
#include "limber/dynamics/study/denoc.hpp"

namespace limber {

using MatrixX6 = Eigen::Matrix<double, Eigen::Dynamic, 6>;

// Data of body i, whose twist is t = [omega; v; etadot] (6 + n numbers, [MS] (3) in our order) and whose coordinates
// are its hinge and its modes as one block (nr + n).  p is its parent.
struct DenocBody {
  Matrix6X A;        // (6 x 6 + n of p) A_ip; its n rows below are zero                     [MS] (8)
  Matrix6X P;        // (6 x nr + n) [H U], the upper rows of P_i; those below are [0 1]     [MS] (8)
  MatrixXd M_hat;    // (6 + n x 6 + n) articulated mass                                     [MS] (38)
  MatrixXd Psi_hat;  // (6 + n x nr + n)                                                     [MS] (37)
  MatrixXd I_hat;    // (nr + n x nr + n) block of D; then L of its L L^T, below             [MS] (36)
  MatrixX6 Psi_t;    // (nr + n x 6) transpose of the upper rows of Psi: A drops the others  [MS] (37)
  Matrix6 M_bar;     // upper left block, for the same reason                                [MS] (38)
  VectorXd eta_bar;  // (6 + n)                                                              [MS] (39)
  VectorXd mu;       // (6 + n)                                                              [MS] (42)
};

struct DenocData {
  explicit DenocData(const Model& model);
  RneaData rnea;
  std::vector<DenocBody> bodies;
  VectorXd phi, zero;  // (nv)
  Matrix6X product;    // scratch: M_bar A of one body
  VectorXd scale;      // scratch: scale of rounding errors in the pivots of one block
  int failure = -1;    // index of the speed without inertia, after Status::singular_mass
};

}  // namespace limber
