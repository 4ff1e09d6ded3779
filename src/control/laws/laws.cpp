// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "control/laws/laws.hpp"

#include "control/configuration.hpp"
#include "limber/model/manifold.hpp"

namespace limber {
namespace {

using MakeLaw = std::unique_ptr<Law> (*)(const ControlOptions&);

// In order of execution: the damping changes the accelerations that the other laws follow.
constexpr MakeLaw kLaws[] = {make_damping_law, make_pid_law, make_lqr_law, make_correction_law,
                             make_computed_torque_law};

}  // namespace

std::vector<std::unique_ptr<Law>> make_laws(const ControlOptions& options) {
  std::vector<std::unique_ptr<Law>> out;
  for (const MakeLaw make : kLaws) {
    if (std::unique_ptr<Law> law = make(options)) out.push_back(std::move(law));
  }
  return out;
}

TrackingFeedback::TrackingFeedback(const ControlOptions& options, const TrackingOptions& tracking)
    : model_(*options.model),
      driven_(options.driven),
      collocated_(tracking.collocated),
      share_(compute_rate_share(tracking, 1 / options.rate)),
      gains_(make_schedule(options, [&](const Predictor& predictor) {
        return tracking.collocated ? compute_joint_gain(options.driven, predictor, tracking)
                                   : compute_tracking_gain(*options.model, options.driven, predictor, tracking);
      })) {
  dq_.setZero(model_.nv);
  dx_.setZero(2 * model_.nv);
  filtered_.setZero(driven_.size());
  errors_.setZero(3 * driven_.size());
  more_ = filtered_;
}

void TrackingFeedback::compute_wanted(const ControlSample& s, VectorXd& wanted) {
  if (collocated_) {
    wanted = s.acceleration;
    return;
  }
  chart_coordinates(model_, s.estimate->q, s.reference.q, dq_);
  dx_.head(model_.nv) = dq_;
  dx_.tail(model_.nv) = s.reference.v - s.estimate->v;
  for (int k = 0; k < driven_.size(); ++k) {  // with the offset
    dx_[driven_.v[k]] = s.error[k];
    dx_[model_.nv + driven_.v[k]] = s.error_rate[k];
  }
  gains_.multiply(s.reference.t, dx_, wanted);
  wanted += s.acceleration + s.offset_acceleration;
}

void TrackingFeedback::add_torques(const ControlSample& s, VectorXd& torques) {
  if (!collocated_) return;
  filtered_ += share_ * (s.error_rate - filtered_);
  errors_ << s.error, filtered_, s.error_rate;
  gains_.multiply(s.reference.t, errors_, more_);
  torques += more_;
}

ControlSample::ControlSample(const Model& model, int size) : reference(make_zero_state(model)) {
  acceleration.setZero(size);
  desired = desired_rate = measured = measured_rate = error = error_rate = torque = acceleration;
  offset = offset_rate = offset_acceleration = feed_forward = feedback = acceleration;
  friction = friction_before = acceleration;
  limited.assign(static_cast<std::size_t>(size), 0);
}

void ControlSample::transfer(Archive& archive) {
  archive(reference, acceleration, desired, desired_rate, measured, measured_rate, error, error_rate, torque, limited,
          offset, offset_rate, offset_acceleration, feed_forward, feedback, friction, friction_before);
}

}  // namespace limber
