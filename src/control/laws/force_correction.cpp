// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The correction of forces: [Pat] claim 1, with the configuration from sensors (claim 7), propagated (claim 6), or from
// sensors with everything precomputed that does not need their readings (claims 6 and 7, FIG. 6).
#include "control/laws/laws.hpp"
#include "control/vibration_rates.hpp"

namespace limber {
namespace {

class CorrectionLaw final : public Law {
 public:
  explicit CorrectionLaw(const ControlOptions& options)
      : tracking_(options, *options.correction),
        embodiment_(options.embodiment),
        driven_(options.driven),
        period_(1 / options.rate),
        modal_(compute_modal_gain(options)),
        correction_(*options.model, options.driven, period_, options.correcting, modal_.weight),
        torques_(VectorXd::Zero(options.driven.size())) {
    if (modal_.weight > 0) vibration_.emplace(options);
    errors_.setZero(options.model->nv);
    discrepancy_.setZero(3);
  }

  Status start(const State& x) override {
    correction_.accelerations().reset();
    tracking_.reset();
    if (vibration_) vibration_->reset();
    failure_ = "the inertia of the driven joints is singular";
    return correction_.gain().set(x);
  }

  Status prepare(const State& expected, ConstVec torques) override {
    if (embodiment_ != Embodiment::pipelined) return Status::ok;
    failure_ = "the dynamics failed";
    return correction_.prepare(expected, torques);
  }

  Status update(ControlSample& s) override {
    const State& x = tracking_.at(s);
    failure_ = "the dynamics failed";
    if (embodiment_ == Embodiment::sensed) {
      if (const Status status = correction_.gain().set(x); status != Status::ok) return status;
    }
    if (vibration_) balance_modes(s);
    tracking_.compute_wanted(s, wanted_);
    torques_ = s.torque - s.friction_before;  // the forces of the last step are the initial guess
    const Correction result = embodiment_ == Embodiment::pipelined ? correction_.correct_prepared(x, wanted_, torques_)
                                                                   : correction_(x, wanted_, torques_);
    discrepancy_ << result.first, result.last, result.count;
    tracking_.add_torques(s, torques_);
    s.feedback += torques_ + s.friction - s.feed_forward;
    // Without sensors the articulated inertias of this step are used in the next: [Pat] claim 6.
    if (result.status != Status::ok || embodiment_ != Embodiment::propagated) return result.status;
    return correction_.gain().set(x);
  }

  void transfer(Archive& archive) override {
    archive(correction_, discrepancy_, tracking_);
    if (vibration_) archive(*vibration_);
  }

  std::vector<ExternalChannel> channels() const override {
    return {{"control/correction", {"first", "last", "count"}, {"rad/s^2", "rad/s^2", "1"}, &discrepancy_}};
  }
  std::string failure() const override { return failure_; }

 private:
  // Desired modal accelerations are those of the quasi-statically deflected arm under the wanted joint accelerations,
  // minus 2 rate times the vibration rates.  The least-squares solution is added to the desired motion of the driven
  // joints, with a slow return.
  void balance_modes(ControlSample& s) {
    errors_ = -2 * modal_.rate * vibration_->update(s);
    correction_.gain().balance(errors_, wanted_);
    for (int k = 0; k < driven_.size(); ++k) {
      s.move_offset(k, wanted_[k] - modal_.back * (2 * s.offset_rate[k] + modal_.back * s.offset[k]), period_);
    }
  }

  TrackingFeedback tracking_;
  Embodiment embodiment_;
  const DrivenJoints& driven_;
  double period_;
  ModalGain modal_;
  ForceCorrection correction_;
  std::optional<VibrationRates> vibration_;
  VectorXd torques_, wanted_ = torques_;
  VectorXd errors_;       // (nv)
  VectorXd discrepancy_;  // first, last, count
  const char* failure_ = "";
};

}  // namespace

ModalGain compute_modal_gain(const ControlOptions& options) {
  const CorrectionOptions& correcting = options.correcting;
  if (!options.correction || !(correcting.modes > 0)) return {};
  const double w = slowest_locked_vibration(options);
  if (!(w > 0)) return {};
  return {correcting.modes / (w * w), correcting.modal_ratio * w, kReturn * w};
}

std::unique_ptr<Law> make_correction_law(const ControlOptions& options) {
  return options.correction ? std::make_unique<CorrectionLaw>(options) : nullptr;
}

}  // namespace limber
