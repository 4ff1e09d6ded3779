// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "control/bending.hpp"

#include <algorithm>

#include "control/configuration.hpp"
#include "limber/control/element_rnea.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber {

void bend_as_desired(const ControlOptions& options, const DrivenJoints& driven, const Model& plant, State& x) {
  VectorXd vdot = VectorXd::Zero(plant.nv), force = vdot;
  for (int k = 0; k < driven.size(); ++k) {
    const Jet jet = options.desired[static_cast<std::size_t>(k)].at(x.t);
    x.v[driven.v[k]] = jet.rate;
    vdot[driven.v[k]] = jet.acceleration;
  }
  ElementRnea inverse_dynamics(plant);
  inverse_dynamics(x, vdot, force);
  x.v.setZero();
  for (int i = 1; i < plant.body_count(); ++i) {
    const int modes = plant.body(i).modes;
    if (modes == 0) continue;
    const Cholesky stiffness(plant.body(i).stiffness);
    if (!stiffness.positive_definite()) continue;
    x.q.segment(plant.first_mode_q(i), modes) = -stiffness.solve(VectorXd(force.segment(plant.first_mode(i), modes)));
  }
}

Bending find_bending(const ControlOptions& options) {
  const Model& model = *options.model;
  Bending out;
  for (const double t : schedule_times(options)) {
    State x = desired_configuration(options, t);
    bend_as_desired(options, options.driven, model, x);
    for (int i = 1; i < model.body_count(); ++i) {
      const Body& body = model.body(i);
      double extent = 0, most = 0;
      for (const Node& node : body.nodes) {
        extent = std::max(extent, node.position.norm());
        if (body.modes > 0 && node.translation.cols() == body.modes)
          most = std::max(most, (node.translation * x.q.segment(model.first_mode_q(i), body.modes)).norm());
      }
      if (most > out.share * extent) out = {most / extent, model.body_names[i], t};
    }
  }
  return out;
}

}  // namespace limber
