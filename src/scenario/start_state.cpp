// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/static_hold.hpp"
#include "limber/scenario/simulation.hpp"

namespace limber {

std::vector<std::uint8_t> kept_joints(const Scenario& scenario) {
  std::vector<std::uint8_t> out(scenario.model->bodies.get().size());
  for (const int i : scenario.kept) out[static_cast<std::size_t>(i)] = 1;
  return out;
}

State start_state(const Scenario& scenario, std::optional<Equilibrium>* equilibrium, VectorXd* holding) {
  return in_scenario(scenario, [&] {
    const Model& model = *scenario.model;
    System system(model, scenario.inputs, scenario.solver.algorithm);
    State x = scenario.initial;
    if (scenario.equilibrium) {
      StaticHold found = find_static_hold(model, scenario.inputs, x, scenario.held);
      x = found.equilibrium.x;
      if (equilibrium != nullptr) *equilibrium = std::move(found.equilibrium);
      if (holding != nullptr) *holding = std::move(found.torques);
    }
    system.select_interval(x.t);
    system.keep(kept_joints(scenario));
    system.assemble(x);
    return x;
  });
}

}  // namespace limber
