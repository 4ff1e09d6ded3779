// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Active damping of vibration: accelerations of the driven joints that take power from the modes.  docs/control.md,
// Damping.
#include "control/configuration.hpp"
#include "control/laws/laws.hpp"
#include "control/vibration_rates.hpp"

namespace limber {
namespace {

class Damping final : public Law {
 public:
  explicit Damping(const ControlOptions& options)
      : model_(*options.model),
        joints_(options.driven),
        period_(1 / options.rate),
        gain_(compute_damping_gain(options)),
        vibration_(options),
        rnea_(model_),
        forces_(VectorXd::Zero(model_.nv)) {}

  Status start(const State& /*x*/) override {
    vibration_.reset();
    return Status::ok;
  }

  // Accelerations along M_JF times the rates of vibration, with a slow return; the desired motion takes them in.
  Status update(ControlSample& s) override {
    multiply_mass(model_, *s.estimate, vibration_.update(s), rnea_, forces_);
    for (int k = 0; k < joints_.size(); ++k) {
      const double a = gain_.gain * forces_[joints_.v[k]] - 2 * gain_.back * s.offset_rate[k] -
                       gain_.back * gain_.back * s.offset[k];
      s.move_offset(k, a, period_);
    }
    return Status::ok;
  }

  void transfer(Archive& archive) override { archive(vibration_); }

 private:
  const Model& model_;
  const DrivenJoints& joints_;
  double period_;
  DampingGain gain_;
  VibrationRates vibration_;
  RneaWorkspace rnea_;
  VectorXd forces_;  // (nv)
};

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
