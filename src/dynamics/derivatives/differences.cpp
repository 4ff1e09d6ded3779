// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "differences.hpp"

#include "limber/dynamics/rnea.hpp"
#include "limber/model/manifold.hpp"
#include "limber/model/slider.hpp"

namespace limber {

//   f' = (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h        [Abramowitz, Stegun] 25.3.6
void difference_rnea(const Model& model, const State& x, ConstVec vdot, std::span<const NodeWrench> wrenches,
                     DerivativesData& ws, Eigen::Ref<MatrixXd> dtau_dq, Eigen::Ref<MatrixXd> dtau_dv) {
  if (!ws.watched_nodes.empty()) refuse_sliders(model, "derivatives of a closed chain");
  constexpr double h = 1e-4;  // errors of h^4 and of rounding / h
  State at = x;
  VectorXd step = VectorXd::Zero(model.nv);
  for (const bool rate : {false, true}) {
    Eigen::Ref<MatrixXd>& out = rate ? dtau_dv : dtau_dq;
    for (int k = 0; k < model.nv; ++k) {
      auto column = out.col(k);
      column.setZero();
      for (const auto& [steps, weight] : {std::pair{1, 8.0}, {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
        step[k] = steps * h;
        at.q = x.q;
        at.v = x.v;
        if (rate) {
          at.v += step;
        } else {
          move(model, x.q, step, at.q);
        }
        rnea(model, at, vdot, wrenches, ws.rnea, ws.column);
        column += weight / (12 * h) * ws.column;
      }
      step[k] = 0;
    }
  }
  rnea(model, x, vdot, wrenches, ws.rnea, ws.column);
  compute_world_poses(model, ws.rnea.kin);
}

}  // namespace limber
