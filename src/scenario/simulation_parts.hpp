// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <unordered_map>

#include "limber/files/detail/text.hpp"
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

using NameIndex = std::unordered_map<std::string, int>;

inline NameIndex make_index(const std::vector<std::string>& names) {
  NameIndex out;
  for (std::size_t k = 0; k < names.size(); ++k) out.emplace(names[k], static_cast<int>(k));
  return out;
}

inline int find_port(const NameIndex& index, const std::vector<std::string>& names, const std::string& name) {
  if (const auto at = index.find(name); at != index.end()) return at->second;
  throw InputError(
      fmt::format("{} is not a port;{} ports: {}", show(name), suggest(name, views(names)), join(views(names), 12)));
}

inline Scenario make_scenario(std::shared_ptr<const Model> model, SolverOptions solver, Inputs inputs, State start) {
  if (!model) throw InputError("a simulation needs a model");
  Scenario out;
  out.name = model->name;
  out.model = std::move(model);
  out.solver = std::move(solver);
  out.inputs = std::move(inputs);
  out.initial = std::move(start);
  out.run.duration = std::numeric_limits<double>::infinity();
  return out;
}

// Completes a scenario built in code with defaults.
inline Scenario complete_scenario(Scenario scenario) {
  if (!scenario.model || !scenario.model->layout)
    throw InputError(
        "a scenario needs a model; make it by ModelBuilder::build, or read it by read_model or parse_model");
  if (scenario.initial.q.size() == 0 && scenario.initial.v.size() == 0) {
    const double t = scenario.initial.t;
    scenario.initial = make_zero_state(*scenario.model);
    scenario.initial.t = t;
  }
  in_scenario(scenario, [&] { check_state(*scenario.model, scenario.initial); });
  return scenario;
}

}  // namespace limber
