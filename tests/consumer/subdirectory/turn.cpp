// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rotates a vector by a quarter turn about z, and computes the rotation vector.
#include <cstdio>

#include "limber/spatial/rotation.hpp"

int main() {
  const double quarter_turn = 1.5707963267948966;
  const limber::Vector3d theta(0, 0, quarter_turn);
  const limber::Matrix3d R = limber::exp_rotation(theta);
  const limber::Vector3d turned = R * limber::Vector3d(1, 0, 0), again = limber::log_rotation(R);
  std::printf("(%g %g %g), by %g rad\n", turned.x(), turned.y(), turned.z(), again.norm());
  return (turned - limber::Vector3d(0, 1, 0)).norm() < 1e-15 && (again - theta).norm() < 1e-15 ? 0 : 1;
}
