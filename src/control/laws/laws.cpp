// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "control/laws/laws.hpp"

#include <numbers>

namespace limber {
namespace {

using MakeLaw = std::unique_ptr<Law> (*)(const ControlOptions&);

// In the order in which they run: the damping changes the accelerations that others follow.
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

void compute_wanted_acceleration(const TrackingOptions& tracking, double period, const ControlSample& sample,
                                 VectorXd& wanted) {
  const double w = 2 * std::numbers::pi * tracking.frequency, half = 0.5 * period;
  wanted = sample.acceleration + sample.offset_acceleration + 2 * tracking.ratio * w * sample.error_rate +
           w * w * (sample.error + half * sample.error_rate);
}

ControlSample::ControlSample(const Model& model, int size) : reference(make_zero_state(model)) {
  acceleration.setZero(size);
  desired = desired_rate = measured = measured_rate = error = error_rate = torque = acceleration;
  offset = offset_rate = offset_acceleration = feed_forward = feedback = acceleration;
  limited.assign(static_cast<std::size_t>(size), 0);
}

void ControlSample::transfer(Archive& archive) {
  archive(reference, acceleration, desired, desired_rate, measured, measured_rate, error, error_rate, torque, limited,
          offset, offset_rate, offset_acceleration, feed_forward, feedback);
}

}  // namespace limber
