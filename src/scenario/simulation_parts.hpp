// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>

#include "limber/scenario/simulation.hpp"

namespace limber {

// Wraps a function as a torque law.
class LawSampler : public Sampler {
 public:
  LawSampler(double rate, std::function<void(const State&, Vec)> law) : period_(1 / rate), law_(std::move(law)) {}
  double period() const override { return period_; }
  Status sample(const State& x, const Kinematics&, ConstVec, Vec torques) override {
    torques.setZero();
    law_(x, torques);
    return torques.allFinite() ? Status::ok : Status::not_finite;
  }
  std::string failure() const override { return "the controller gave a torque that is not finite"; }

 private:
  double period_;
  std::function<void(const State&, Vec)> law_;
};

inline Scenario make_scenario(std::shared_ptr<const Model> model, SolverOptions solver, Inputs inputs) {
  if (!model) throw InputError("a simulation needs a model");
  Scenario out;
  out.name = model->name;
  out.model = std::move(model);
  out.solver = std::move(solver);
  out.inputs = std::move(inputs);
  out.run.duration = std::numeric_limits<double>::infinity();
  return out;
}

// Completes a scenario built in code with defaults.
inline Scenario complete_scenario(Scenario scenario) {
  if (!scenario.model) throw InputError("a scenario needs a model");
  if (scenario.initial.q.size() == 0 && scenario.initial.v.size() == 0) {
    const double t = scenario.initial.t;
    scenario.initial = make_zero_state(*scenario.model);
    scenario.initial.t = t;
  }
  in_scenario(scenario, [&] { check_state(*scenario.model, scenario.initial); });
  return scenario;
}

}  // namespace limber
