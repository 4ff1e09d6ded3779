// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "limber/control/controller.hpp"

namespace limber {

// The laws selected by the options, in order of execution.  The options must outlive them.
std::vector<std::unique_ptr<Law>> make_laws(const ControlOptions& options);

// One law each; nullptr if not selected.  Throws InputError.
std::unique_ptr<Law> make_damping_law(const ControlOptions& options);
std::unique_ptr<Law> make_pid_law(const ControlOptions& options);
std::unique_ptr<Law> make_lqr_law(const ControlOptions& options);
std::unique_ptr<Law> make_correction_law(const ControlOptions& options);
std::unique_ptr<Law> make_computed_torque_law(const ControlOptions& options);

// Gains of the damping law: joint accelerations gain M_JF w; offsets return at a rate of `back` rad/s.
struct DampingGain {
  double gain = 0, back = 0;
};
DampingGain compute_damping_gain(const ControlOptions& options);

// Modal gains of the force correction: weight in s^2 (0: none), desired damping and return rate in 1/s.
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
