// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/driven_joints.hpp"
#include "limber/simulate/stepper.hpp"

namespace limber {

enum class FeedForward {
  none,
  rigid,  // inverse dynamics of the desired hinge motion, as if nothing bent
  hybrid  // hinge motion prescribed, modal forces zero, modes integrated along: exact.  [JR] §4, theory §5 Hybrid
};

// The desired motion of the hinges, the motion of modes and other joints that goes with it, and the torques for both.
class Reference {
 public:
  // desired: one signal per coordinate of the hinges.  Throws InputError for signals that jump.
  Reference(const Model& model, const DrivenJoints& hinges, const std::vector<Signal>& desired, double period,
            FeedForward kind);

  // Modes and other joints start as in x, the time too.
  [[nodiscard]] Status start(const State& x);
  // One period on.  Then torque() is what the hinges need in the middle of it: the constant that does in one period
  // what the varying torque would, to second order.
  [[nodiscard]] Status step();

  const State& state() const { return x_; }
  const VectorX& torque() const { return torque_; }        // (coordinate)
  const VectorX& acceleration() const { return a_; }       // (coordinate) desired, in the middle of the last step
  const std::string& failure() const { return failure_; }  // after a failure

 private:
  [[nodiscard]] Status look_rigid();

  const Model& model_;
  const DrivenJoints& hinges_;
  double period_;
  FeedForward kind_;
  System system_;
  std::unique_ptr<Stepper> stepper_;
  RneaWorkspace rnea_;
  State x_, middle_;
  VectorX torque_, a_, vdot_, tau_;
  std::string failure_;
};

}  // namespace limber
