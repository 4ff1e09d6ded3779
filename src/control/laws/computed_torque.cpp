// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Computed torque of a flexible arm: hybrid dynamics gives the torques for the wanted joint accelerations.  [JR] §4
#include "control/laws/laws.hpp"

namespace limber {
namespace {

class ComputedTorque final : public Law {
 public:
  explicit ComputedTorque(const ControlOptions& options)
      : tracking_(options, *options.computed_torque),
        mean_(*options.model, options.driven, 1 / options.rate),
        torques_(VectorXd::Zero(options.driven.size())) {}

  Status start(const State& /*x*/) override {
    mean_.reset();
    tracking_.reset();
    return Status::ok;
  }

  Status update(ControlSample& s) override {
    constexpr int kMidpointPasses = 2;  // of the midpoint rule
    tracking_.compute_wanted(s, wanted_);
    torques_ = s.torque;
    const State& x = tracking_.at(s);
    mean_.set_phases(x);
    Status status = Status::ok;
    for (int pass = 0; pass < kMidpointPasses && status == Status::ok; ++pass) {
      status = mean_.hybrid(x, wanted_, torques_);
    }
    tracking_.add_torques(s, torques_);
    s.feedback += torques_ + s.friction - s.feed_forward;
    return status;
  }

  void transfer(Archive& archive) override { archive(mean_, tracking_); }
  std::string failure() const override { return "the dynamics failed"; }

 private:
  TrackingFeedback tracking_;
  MeanAccelerations mean_;
  VectorXd torques_, wanted_ = torques_;
};

}  // namespace

std::unique_ptr<Law> make_computed_torque_law(const ControlOptions& options) {
  return options.computed_torque ? std::make_unique<ComputedTorque>(options) : nullptr;
}

}  // namespace limber
