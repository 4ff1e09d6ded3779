// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "limber/control/controller.hpp"

namespace limber {

// The laws that the options choose, in the order in which they run.  The options must outlive them.
std::vector<std::unique_ptr<Law>> make_laws(const ControlOptions& options);

// One law each; nullptr where it is not chosen.  Throws InputError.
std::unique_ptr<Law> make_damping_law(const ControlOptions& options);
std::unique_ptr<Law> make_pid_law(const ControlOptions& options);
std::unique_ptr<Law> make_lqr_law(const ControlOptions& options);
std::unique_ptr<Law> make_correction_law(const ControlOptions& options);
std::unique_ptr<Law> make_computed_torque_law(const ControlOptions& options);

// Of the damping: accelerations gain M_JF w of the joints, which come back at a rate of `back` rad/s.
struct DampingGain {
  double gain = 0, back = 0;
};
DampingGain compute_damping_gain(const ControlOptions& options);

// Of the modes in the correction of forces: weight in s^2 (0: none), 1/s of the desired damping, and of the return.
struct ModalGain {
  double weight = 0, rate = 0, back = 0;
};
ModalGain compute_modal_gain(const ControlOptions& options);

// The mean accelerations over the coming period that laws follow: a_desired + F (x_reference - x), with the gain F of
// compute_tracking_gain along the schedule.
class TrackingFeedback {
 public:
  TrackingFeedback(const ControlOptions& options, const TrackingOptions& tracking);
  // wanted (driven coordinate).  No allocation.
  void compute_wanted(const ControlSample& sample, VectorXd& wanted);

 private:
  const Model& model_;
  const DrivenJoints& driven_;
  Schedule gains_;
  VectorXd dq_, dx_;
};

}  // namespace limber
