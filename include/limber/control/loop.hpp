// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/controller.hpp"
#include "limber/simulate/simulate.hpp"

namespace limber {

// A controller around a simulated machine, which may differ from the one it believes in.
class ControlLoop : public Sampler {
 public:
  // plant: the machine; sensors: those it has.  Throws InputError: joints of the controller that the machine does not
  // have.
  ControlLoop(const Model& plant, SensorOptions sensors, ControlOptions options);

  double period() const override { return controller_.period(); }
  bool wants_accelerations() const override { return sensors_.wants_accelerations(); }
  Status sample(const State& x, const Kinematics& kin, ConstVec vdot, Vec torques) override;
  std::string failure() const override { return controller_.failure(); }

  const Controller& controller() const { return controller_; }
  const DrivenJoints& plant_hinges() const { return hinges_; }

 private:
  const Model& plant_;
  DrivenJoints hinges_;  // of the machine
  Sensors sensors_;
  Controller controller_;
  VectorX torque_;
  bool started_ = false;
};

// What of a state of one model another has too, by names of coordinates; the rest is zero.
State translate_state(const Model& from, const State& x, const Model& to);

}  // namespace limber
