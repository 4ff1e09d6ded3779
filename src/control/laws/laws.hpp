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
// compute_tracking_gain along the schedule.  Collocated: a_desired, at the reference, plus torques by
// compute_joint_gain.
class TrackingFeedback {
 public:
  TrackingFeedback(const ControlOptions& options, const TrackingOptions& tracking);
  // The state at which the law computes the torques for the wanted accelerations.
  const State& at(const ControlSample& sample) const { return collocated_ ? sample.reference : *sample.estimate; }
  // wanted (driven coordinate).  No allocation.
  void compute_wanted(const ControlSample& sample, VectorXd& wanted);
  // Adds the feedback that is not part of the wanted accelerations, torques (driven coordinate).  No allocation.
  void add_torques(const ControlSample& sample, VectorXd& torques);
  void reset() { filtered_.setZero(); }
  void transfer(Archive& archive) { archive(filtered_); }

 private:
  const Model& model_;
  const DrivenJoints& driven_;
  bool collocated_;
  double share_;  // of a new rate in filtered_
  Schedule gains_;
  VectorXd dq_, dx_;
  VectorXd filtered_, errors_, more_;  // (driven coordinate), (3 driven), (driven coordinate)
};

}  // namespace limber
