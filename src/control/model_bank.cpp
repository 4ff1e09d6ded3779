// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "control/model_bank.hpp"

#include "control/configuration.hpp"
#include "control/readings.hpp"
#include "limber/control/shaping.hpp"

namespace limber {

std::unique_ptr<ModelBank> make_bank(const ControlOptions& options) {
  if (!options.adaptation) return nullptr;
  const State x = desired_configuration(options, 0);
  const LinearSystem machine = linearize_at_rest(*options.model, x, {});
  const VectorXd noise =
      make_readings(*options.model, options.driven, options.sensors, x, options.kalman, machine).noise;
  auto out = std::make_unique<ModelBank>(ModelBank{
      {}, Adaptation(*options.adaptation, 1 / options.rate, noise), {}, VectorXd::Zero(options.driven.size())});
  ControlOptions other = options;
  other.adaptation.reset();
  other.shaping.reset();  // already applied to the desired motion
  for (Model& model : make_adapted_models(*options.adaptation, *options.model)) {
    other.model = std::make_shared<const Model>(std::move(model));
    out->others.push_back(std::make_unique<Controller>(other));
    out->innovations.push_back(&out->others.back()->innovations());
  }
  return out;
}

// Adds the other controllers' commands, weighted according to the innovations.
Status Controller::combine(const Measurement& y) {
  for (const auto& other : bank_->others) {
    if (const Status s = other->respond(y, bank_->commands); s != Status::ok) return fail(s, other->failure());
  }
  bank_->adaptation.update(innovations(), bank_->innovations);
  bank_->commands = command_;
  for (std::size_t i = 0; i < bank_->others.size(); ++i) {
    const double weight = bank_->adaptation.weights()[static_cast<Eigen::Index>(i)];
    command_ += weight * (bank_->others[i]->command_ - bank_->commands);
  }
  return Status::ok;
}

}  // namespace limber
