// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/control/static_hold.hpp"
#include "limber/model/drive.hpp"
#include "limber/scenario/run.hpp"
#include "limber/scenario/simulation.hpp"

namespace limber {
namespace {

// Held joints with elastic drives whose encoders are on the motors.
std::vector<int> joints_seen_at_motors(const Scenario& scenario) {
  std::vector<int> out;
  if (!scenario.control) return out;
  const Model& model = *scenario.model;
  const std::vector<std::string>& names = scenario.control->options.driven.names;
  const std::vector<EncoderOptions>& encoders = scenario.control->sensors.encoders;
  for (const int i : scenario.held) {
    if (motor_index(model, i).v < 0) continue;
    const auto named = std::find(names.begin(), names.end(), model.joints[i].name);
    const auto k = static_cast<std::size_t>(named - names.begin());
    if (named != names.end() && (k >= encoders.size() || !encoders[k].on_link)) out.push_back(i);
  }
  return out;
}

// Such a joint is held by its motor at the value in `initial`; the joint itself is off by the twist of the
// transmission: q = q_0 - twist(q), solved by fixed-point iteration, which converges if the gear is stiff compared with
// the load.
StaticHold find_start(const Scenario& scenario) {
  constexpr int kPasses = 100;
  constexpr double kSame = 1e-14;
  const Model& model = *scenario.model;
  const std::vector<int> at_motors = joints_seen_at_motors(scenario);
  const DrivenJoints driven = scenario.control ? driven_joints(scenario) : DrivenJoints();
  State from = scenario.initial;
  for (int pass = 0; pass < kPasses; ++pass) {
    StaticHold found = find_static_hold(model, scenario.inputs, from, scenario.held, driven);
    double off = 0;
    for (const int i : at_motors) {
      const double wanted = scenario.initial.q[model.joints[i].q];
      const double error = found.equilibrium.x.q[motor_index(model, i).q] / model.joints[i].drive->ratio - wanted;
      from.q[model.joints[i].q] -= error;
      off = std::max(off, std::abs(error) / std::max(1.0, std::abs(wanted)));
    }
    if (off <= kSame) return found;
  }
  throw InputError("no static start was found: the transmission of joint '" +
                   model.joints[at_motors.empty() ? 0 : at_motors.front()].name +
                   "' is too soft for its load; put its encoder on the link, or write equilibrium: false");
}

}  // namespace

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
      StaticHold found = find_start(scenario);
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
