// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/dynamics/study/book.hpp"

namespace limber {

using Eigen::Matrix4d;  // of a transformation: [1 0; p R], points are [1; x], [Book] (1)
using Eigen::Vector4d;

// One link with its inboard joint.  Letters of [Book]; W^ is W with a hat (at the far end of the link), _rate a dot, _v
// the velocity terms of a second derivative.
struct BookLink {
  // Constants: the link transformation is E = H + sum delta_k M_k, the joint transformation A = Rot(axis, q) B.
  Matrix4d H, B;            // [Book] (6), with the placement of the next joint; from the joint to the frame of the link
  std::vector<Matrix4d> M;  // (n) [Book] (7)
  Matrix4d axis, axis2;     // the axis as a matrix, its square
  // At a state.
  Matrix4d A, U;                        // [Book] (3), (11)
  Matrix4d E, E_rate;                   // [Book] (5), (16)
  Matrix4d W, W_rate, W_v;              // [Book] (3), (9), (64)
  Matrix4d W_hat, W_hat_rate, W_hat_v;  // [Book] (13), (14), (65)
  Matrix4d next;                        // E A of the next joint
  Matrix4d metric;                      // W^T W
  Matrix4d G, D_rate;                   // [Book] (37); sum deltadot_k D_k
  std::vector<Matrix4d> D;              // (n) [Book] (36)
  Matrix4d Q;                           // [Book] (88)
  Vector4d P;                           // [Book] (90)
};

struct BookData {
  // Throws InputError, naming the item, for models that the paper does not cover.
  explicit BookData(const Model& model);
  std::vector<BookLink> links;  // links[0]: the ground
  std::vector<Matrix4d> left;   // (speed) left factor in every trace: W^_(j-1) U_j of joints, W_j M_jf of modes
  std::vector<Matrix4d> F, T;   // (body x body) F~ of [Book] (67), jW_h of (58)
  MatrixXd J;                   // (nv x nv) inertia matrix, [Book] (82); then its Cholesky factor
  VectorXd R;                   // (nv) all terms without accelerations, [Book] (82)
  VectorXd scale;               // (nv) scale of rounding errors on the diagonal of J
};

}  // namespace limber
