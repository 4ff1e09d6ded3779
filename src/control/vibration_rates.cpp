// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "control/vibration_rates.hpp"

#include "control/configuration.hpp"
#include "limber/control/shaping.hpp"

namespace limber {

VibrationRates::VibrationRates(const ControlOptions& options)
    : model_(*options.model),
      joints_(options.driven),
      rate_(options.rate),
      stiffness_(model_.bodies.size()),
      rnea_(model_),
      x_(make_zero_state(model_)) {
  rates_.setZero(model_.nv);
  forces_ = static_ = static_before_ = rates_;
  for (int i = 1; i < model_.body_count(); ++i) {
    if (model_.body(i).modes > 0) stiffness_[i] = Cholesky(model_.body(i).stiffness);
  }
}

const VectorXd& VibrationRates::update(const ControlSample& s) {
  x_ = s.reference;
  rates_.setZero();
  for (int i = 1; i < model_.body_count(); ++i) {
    x_.q.segment(model_.first_mode_q(i), model_.body(i).modes).setZero();
    x_.v.segment(model_.first_mode(i), model_.body(i).modes).setZero();
  }
  for (int k = 0; k < joints_.size(); ++k) rates_[joints_.v[k]] = s.acceleration[k];
  rnea_(x_, rates_, forces_);
  static_before_.swap(static_);
  rates_.setZero();
  for (int i = 1; i < model_.body_count(); ++i) {
    if (model_.body(i).modes == 0) continue;
    const int v = model_.first_mode(i), n = model_.body(i).modes;
    auto eta = static_.segment(v, n);
    eta = -forces_.segment(v, n);
    stiffness_[i].solve_in_place(eta);
    rates_.segment(v, n) = s.estimate->v.segment(v, n);
    if (has_previous_) rates_.segment(v, n) -= rate_ * (eta - static_before_.segment(v, n));
  }
  has_previous_ = true;
  return rates_;
}

double slowest_locked_vibration(const ControlOptions& options) {
  const State end = desired_configuration(options, options.end);
  const auto vibrations = compute_vibrations(*options.model, end, options.driven.mask);
  return vibrations.empty() ? 0 : vibrations[0].frequency;
}

}  // namespace limber
