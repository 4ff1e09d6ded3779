// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A user of an installed limber, compiled without limber's own flags.
#include <cmath>
#include <cstdio>

#include "limber/body/body.hpp"

int main() {
  limber::RigidSpec spec;
  spec.mass = 3;
  spec.com = {0.5, 0, 0};
  spec.inertia = limber::Vector3(0.1, 0.2, 0.2).asDiagonal();
  const limber::Body body = limber::make_rigid_body(spec);
  std::printf("first moment %.17g\n", body.S(0, 0));
  return std::abs(body.S(0, 0) - 1.5) < 1e-12 ? 0 : 1;
}
