// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/driven_joints.hpp"
#include "limber/control/element_rnea.hpp"
#include "limber/simulate/stepper.hpp"

namespace limber {

enum class FeedForward {
  none,
  rigid,  // inverse dynamics of the desired joint motion with rigid bodies
  hybrid  // joint motion prescribed, modal forces zero, modes integrated: exact.  [JR] §4, theory §5 Hybrid
};

// Reference trajectory: the desired motion of the driven joints, the motion of modes and other joints that follows from
// it, and the feed-forward torques.
class Reference {
 public:
  // desired: one signal per coordinate of the driven joints.  Throws InputError for signals that jump.
  Reference(const Model& model, const DrivenJoints& driven, const std::vector<Signal>& desired, double period,
            FeedForward kind);

  // Starts at the time of x, with its modes and other joints.
  [[nodiscard]] Status start(const State& x);
  // Advances by one period.  torque() is then the feed-forward in the middle of it: as a constant over the period it
  // acts like the varying torque, to second order.
  [[nodiscard]] Status step();

  // To or from an archive.
  void transfer(Archive& archive) { archive(system_, *stepper_, x_, middle_, torque_, a_, vdot_, friction_); }
  const State& state() const { return x_; }                // desired state
  const VectorXd& torque() const { return torque_; }       // (coordinate)
  const VectorXd& acceleration() const { return a_; }      // (coordinate) desired, in the middle of the last step
  const VectorXd& friction() const { return friction_; }   // (coordinate) dry friction at the desired rate there
  const std::string& failure() const { return failure_; }  // after a failure

 private:
  [[nodiscard]] Status compute_rigid();
  [[nodiscard]] Status update_contacts();

  const Model& model_;
  const DrivenJoints& driven_;
  double period_;
  FeedForward kind_;
  System system_;
  std::unique_ptr<Stepper> stepper_;
  ElementRnea rnea_;
  State x_, middle_;
  VectorXd torque_, a_, friction_, vdot_, tau_;
  std::string failure_;
};

}  // namespace limber
