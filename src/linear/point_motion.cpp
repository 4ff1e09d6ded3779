// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "limber/linear/detail/balance.hpp"
#include "limber/linear/steady.hpp"
#include "limber/model/manifold.hpp"

namespace limber {

PointMotion check_motion(const Model& model, const LinearSystem& system, const LinearizeOptions& options) {
  PointMotion out;
  const State& x = system.point;
  if (model.nv == 0) return out;
  out.acceleration = system.acceleration.cwiseAbs().maxCoeff();
  out.moves = !system.at_rest();
  if (!out.moves) return out;
  const LinearizeOptions bare{{}, {}, options.held, options.tau, options.wrenches};
  const Balanced here = balance(system.A);
  const double size = here.A.size() == 0 ? 0 : here.A.cwiseAbs().maxCoeff();
  for (const double way : {0.3, 0.9, 2.1}) {  // rad or m of the fastest joint
    State later = x;
    move(model, x.q, way / x.v.cwiseAbs().maxCoeff() * x.v, later.q);
    const LinearSystem there = linearize(model, later, bare);
    out.acceleration = std::max(out.acceleration, there.acceleration.cwiseAbs().maxCoeff());
    if (size == 0) continue;
    const MatrixXd change = here.scale.cwiseInverse().asDiagonal() * (there.A - system.A) * here.scale.asDiagonal();
    out.change = std::max(out.change, change.cwiseAbs().maxCoeff() / size);
  }
  return out;
}

}  // namespace limber
