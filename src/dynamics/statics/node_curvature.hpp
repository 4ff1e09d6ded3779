// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/body/detail/constants.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {

// Second derivatives of a node's pose by the modes, d Pi_a / d eta_b.  theory §2, Nodes:
//   Pi_a = [A lambda_a; gamma_a + Xi_a eta],  A = 1 + a theta~ + b theta~^2
class NodeCurvature {
 public:
  NodeCurvature(const NodeConstants& node, int n, const double* eta) : node_(node), n_(n) {
    for (int k = 0; k < n; ++k) theta_ += eta[k] * to_vector(node.lambda[k]);
    series_ = rotation_series(theta_.squaredNorm());
  }
  // d (A lambda_a) / d eta_b.
  Vector3d turn(int a, int b) const {
    const Vector3d la = to_vector(node_.lambda[a]), lb = to_vector(node_.lambda[b]);
    const Vector3d once = theta_.cross(la), twice = theta_.cross(once);
    return 2 * theta_.dot(lb) * (series_.da * once + series_.db * twice) + series_.a * lb.cross(la) +
           series_.b * (lb.cross(once) + theta_.cross(lb.cross(la)));
  }
  Vector3d shift(int a, int b) const {
    if (node_.second.empty()) return Vector3d::Zero();
    return to_vector(node_.second[static_cast<std::size_t>(a) * n_ + b]);
  }

 private:
  const NodeConstants& node_;
  int n_;
  Vector3d theta_ = Vector3d::Zero();
  RotationSeries series_;
};

}  // namespace limber
