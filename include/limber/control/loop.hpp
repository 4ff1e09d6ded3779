// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "limber/control/tracking.hpp"
#include "limber/simulate/simulate.hpp"

namespace limber {

// Commands of a sampler to actuators, in addition to its torques: for the inputs of the controlled System.
class ActuatorForces {
 public:
  virtual ~ActuatorForces() = default;
  virtual double actuator_force(int element) const = 0;  // held until the next sample; 0: not commanded
};
// These inputs, and one for every driven actuator that takes its command from `forces` (null: 0).
Inputs with_actuators(Inputs inputs, const DrivenJoints& driven, std::function<const ActuatorForces*()> forces);

// A controller in closed loop with a simulated machine (plant), which may differ from the controller's model.  With
// ControlOptions::latency its commands act from the next sample on.
class ControlLoop : public Sampler, public ActuatorForces {
 public:
  // sensors: those of the plant.  Throws InputError if the plant lacks a driven joint of the controller.
  ControlLoop(const Model& plant, SensorOptions sensors, ControlOptions options);
  ControlLoop(const Model&&, SensorOptions, ControlOptions) = delete;  // it keeps a reference

  double period() const override { return controller_.period(); }
  bool wants_accelerations() const override { return sensors_.wants_accelerations(); }
  // Call it before the first sample: starts at rest at x, where `torques` (nv) hold the machine.  See Controller::hold.
  [[nodiscard]] Status hold(const State& x, ConstVec torques);
  Status sample(const State& x, const Kinematics& kin, ConstVec vdot, Vec torques) override;
  void transfer(Archive& archive) override {
    archive(started_, command_, torque_, sensors_, controller_, servos_, tracking_);
  }
  std::string failure() const override { return controller_.failure(); }

  double actuator_force(int element) const override;

  const Controller& controller() const { return controller_; }   // the digital controller
  const DrivenJoints& driven_joints() const { return driven_; }  // of the machine
  Tracking tracking() const { return tracking_.tracking(); }     // tracking errors so far
  // Warnings before a run: loop_warnings.
  std::vector<std::string> warnings() const;

 private:
  void set_torques(Vec torques) const;
  const Model& plant_;
  DrivenJoints driven_;  // of the machine
  Sensors sensors_;
  Controller controller_;
  Servos servos_;  // of the machine
  TrackingMonitor tracking_;
  VectorXd command_, acting_, torque_;  // (driven coordinate) acting_: the last commands
  bool started_ = false;
};

// Converts a state of one model to another: coordinates of the same name are copied, the others are zero.
State translate_state(const Model& from, const State& x, const Model& to);

}  // namespace limber
