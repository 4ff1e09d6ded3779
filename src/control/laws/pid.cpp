// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// PID on each driven coordinate, with optional gravity compensation.
#include <numbers>

#include "control/laws/laws.hpp"
#include "limber/control/element_rnea.hpp"
#include "limber/dynamics/crba.hpp"

namespace limber {
namespace {

class Pid final : public Law {
 public:
  explicit Pid(const ControlOptions& options)
      : model_(*options.model),
        joints_(options.driven),
        pid_(*options.pid),
        period_(1 / options.rate),
        rnea_(model_),
        x_(make_zero_state(model_)) {
    integral_.setZero(joints_.size());
    at_rest_.setZero(model_.nv);
    tau_ = at_rest_;
  }

  Status start(const State& /*x*/) override {
    integral_.setZero();
    return Status::ok;
  }

  void take_over(Vec torques) override {
    for (int k = 0; k < joints_.size(); ++k) {
      if (!(pid_.ki[k] > 0)) continue;
      integral_[k] += torques[k] / pid_.ki[k];
      torques[k] = 0;
    }
  }

  Status update(ControlSample& s) override {
    for (int k = 0; k < joints_.size(); ++k) {
      s.feedback[k] += pid_.kp[k] * s.error[k] + pid_.kd[k] * s.error_rate[k] + pid_.ki[k] * integral_[k];
      // Anti-windup: while the servo is saturated, the integral may only decrease in magnitude.
      if (s.limited[k] == 0 || s.error[k] * integral_[k] < 0) integral_[k] += period_ * s.error[k];
    }
    if (pid_.gravity) compensate_gravity(s);
    return Status::ok;
  }

  void transfer(Archive& archive) override { archive(integral_); }

 private:
  // Inverse dynamics at rest, at the measured joint positions.
  void compensate_gravity(ControlSample& s) {
    x_ = *s.estimate;
    x_.v.setZero();
    for (int k = 0; k < joints_.size(); ++k) x_.q[joints_.q[k]] = s.measured[k];
    rnea_(x_, at_rest_, tau_);
    for (int k = 0; k < joints_.size(); ++k) s.feedback[k] += tau_[joints_.v[k]];
  }

  const Model& model_;
  const DrivenJoints& joints_;
  const PidOptions& pid_;
  double period_;
  ElementRnea rnea_;
  State x_;
  VectorXd integral_;       // (coordinate) of the error
  VectorXd at_rest_, tau_;  // (nv)
};

}  // namespace

PidOptions make_pid(const Model& model, const DrivenJoints& driven, const State& x, const TrackingOptions& wanted) {
  CrbaWorkspace ws(model);
  MatrixXd M(model.nv, model.nv);
  crba(model, x, ws, M);
  const double w = 2 * std::numbers::pi * wanted.frequency;
  const VectorXd inertia = M.diagonal()(driven.v);
  return {w * w * inertia, 2 * wanted.ratio * w * inertia, VectorXd::Zero(driven.size()), false};
}

std::unique_ptr<Law> make_pid_law(const ControlOptions& options) {
  return options.pid ? std::make_unique<Pid>(options) : nullptr;
}

}  // namespace limber
