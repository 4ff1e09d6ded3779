// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Active damping of vibration: accelerations of the driven joints that take power from the modes.  docs/control.md,
// Damping.
#include "control/configuration.hpp"
#include "control/laws/laws.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

constexpr double kReturn = 0.1;  // rate at which offsets decay, over the vibration's frequency

class Damping final : public Law {
 public:
  explicit Damping(const ControlOptions& options);

  Status start(const State& /*x*/) override {
    has_previous_ = false;
    return Status::ok;
  }

  // Accelerations along M_JF times the rates of vibration, with a slow return; the desired motion takes them in.
  Status update(ControlSample& s) override {
    compute_vibration_rates(s);
    multiply_mass(model_, *s.estimate, rates_, rnea_, forces_);
    for (int k = 0; k < joints_.size(); ++k) {
      const double a = gain_ * forces_[joints_.v[k]] - 2 * return_ * s.offset_rate[k] - return_ * return_ * s.offset[k];
      s.offset_acceleration[k] = a;
      s.offset[k] += period_ * (s.offset_rate[k] + 0.5 * period_ * a);
      s.offset_rate[k] += period_ * a;
    }
    return Status::ok;
  }

  void transfer(Archive& archive) override { archive(has_previous_, static_, static_before_); }

 private:
  void compute_vibration_rates(const ControlSample& s);

  const Model& model_;
  const DrivenJoints& joints_;
  double rate_, period_;
  double gain_ = 0, return_ = 0;     // c; rad/s
  std::vector<Cholesky> stiffness_;  // (body) of its modes
  RneaWorkspace rnea_;
  State x_;
  VectorXd rates_, forces_;          // (nv) modal rates of the vibration alone; scratch
  VectorXd static_, static_before_;  // (nv) quasi-static modes of the desired motion, at this sample and the last
  bool has_previous_ = false;
};

Damping::Damping(const ControlOptions& options)
    : model_(*options.model),
      joints_(options.driven),
      rate_(options.rate),
      period_(1 / options.rate),
      stiffness_(model_.bodies.size()),
      rnea_(model_),
      x_(make_zero_state(model_)) {
  rates_.setZero(model_.nv);
  forces_ = static_ = static_before_ = rates_;
  for (int i = 1; i < model_.body_count(); ++i) {
    if (model_.body(i).modes > 0) stiffness_[i] = Cholesky(model_.body(i).stiffness);
  }
  const DampingGain gain = compute_damping_gain(options);
  gain_ = gain.gain;
  return_ = gain.back;
}

// Modal rates less those of K eta = -(inertial forces and weight of the desired motion when nothing vibrates).
void Damping::compute_vibration_rates(const ControlSample& s) {
  x_ = s.reference;
  rates_.setZero();
  for (int i = 1; i < model_.body_count(); ++i) {
    x_.q.segment(model_.first_mode_q(i), model_.body(i).modes).setZero();
    x_.v.segment(model_.first_mode(i), model_.body(i).modes).setZero();
  }
  for (int k = 0; k < joints_.size(); ++k) rates_[joints_.v[k]] = s.acceleration[k];
  rnea(model_, x_, rates_, {}, rnea_, forces_);
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
}

}  // namespace

DampingGain compute_damping_gain(const ControlOptions& options) {
  const Model& model = *options.model;
  const State end = desired_configuration(options, options.end);
  const auto vibrations = compute_vibrations(model, end, options.driven.mask);
  if (vibrations.empty()) return {};
  RneaWorkspace ws(model);
  VectorXd forces(model.nv);
  multiply_mass(model, end, vibrations[0].shape, ws, forces);
  double square = 0;
  for (const int v : options.driven.v) square += forces[v] * forces[v];
  const double w = vibrations[0].frequency;
  return {square > 0 ? 2 * options.damping->ratio * w / square : 0, kReturn * w};
}

std::unique_ptr<Law> make_damping_law(const ControlOptions& options) {
  return options.damping ? std::make_unique<Damping>(options) : nullptr;
}

}  // namespace limber
