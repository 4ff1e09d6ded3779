// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The correction of forces: [Pat] claim 1, with the configuration from sensors (claim 7) or propagated (claim 6).
#include "control/laws/laws.hpp"

namespace limber {
namespace {

class CorrectionLaw final : public Law {
 public:
  explicit CorrectionLaw(const ControlOptions& options)
      : tracking_(*options.correction),
        sensed_(options.embodiment == Embodiment::sensed),
        period_(1 / options.rate),
        correction_(*options.model, options.driven, period_, options.correcting),
        torques_(VectorXd::Zero(options.driven.size())) {
    discrepancy_.setZero(3);
  }

  Status start(const State& x) override {
    correction_.accelerations().reset();
    failure_ = "the inertia of the driven joints is singular";
    return correction_.gain().set(x);
  }

  Status update(ControlSample& s) override {
    const State& x = *s.estimate;
    failure_ = "the dynamics failed";
    compute_wanted_acceleration(tracking_, period_, s, wanted_);
    torques_ = s.torque;  // the forces of the last step are the guess
    Status status = sensed_ ? correction_.gain().set(x) : Status::ok;
    if (status == Status::ok) {
      const Correction result = correction_(x, wanted_, torques_);
      discrepancy_ << result.first, result.last, result.count;
      status = result.status;
    }
    // Without sensors the articulated inertias of this step serve in the next: [Pat] claim 6.
    if (status == Status::ok && !sensed_) status = correction_.gain().set(x);
    s.feedback += torques_ - s.feed_forward;
    return status;
  }

  void transfer(Archive& archive) override { archive(correction_, discrepancy_); }

  std::vector<ExternalChannel> channels() const override {
    return {{"control/correction", {"first", "last", "count"}, {"rad/s^2", "rad/s^2", "1"}, &discrepancy_}};
  }
  std::string failure() const override { return failure_; }

 private:
  const TrackingOptions& tracking_;
  bool sensed_;
  double period_;
  ForceCorrection correction_;
  VectorXd torques_, wanted_ = torques_;
  VectorXd discrepancy_;  // first, last, count
  const char* failure_ = "";
};

}  // namespace

std::unique_ptr<Law> make_correction_law(const ControlOptions& options) {
  return options.correction ? std::make_unique<CorrectionLaw>(options) : nullptr;
}

}  // namespace limber
