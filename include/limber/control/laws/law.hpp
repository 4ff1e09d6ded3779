// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/control/sensors.hpp"
#include "limber/simulate/channels.hpp"

namespace limber {

// One sample of a controller: the inputs of its laws, and the sums of their outputs.  Vectors are by driven coordinate.
struct ControlSample {
  // Inputs.
  const Measurement* readings = nullptr;  // the newest
  const State* estimate = nullptr;        // of the machine, by the observer; without one, the reference
  State reference;                        // the present desired motion, with its modes
  VectorXd acceleration;                  // mean desired acceleration over the coming period
  VectorXd desired, desired_rate;         // the reference with the offset
  VectorXd measured, measured_rate;
  VectorXd error, error_rate;  // desired minus measured; for tracking laws that are not collocated, minus estimated
  VectorXd torque;             // acted over the last period
  VectorXd friction;           // dry friction of the desired motion over the coming period
  VectorXd friction_before;    // over the last period
  std::vector<std::uint8_t> limited;  // 1: the servo limited the last command

  // Outputs.
  VectorXd offset, offset_rate;     // of the desired motion, from the next sample on
  VectorXd offset_acceleration;     // at once
  VectorXd feed_forward, feedback;  // torques; laws add to them

  ControlSample() = default;
  ControlSample(const Model& model, int size);
  // Applies an acceleration to the offset of coordinate k over the coming period.
  void move_offset(int k, double a, double period) {
    offset_acceleration[k] = a;
    offset[k] += period * (offset_rate[k] + 0.5 * period * a);
    offset_rate[k] += period * a;
  }
  void transfer(Archive& archive);  // to or from an archive
};

// A control law.  A controller runs its laws in each sample in the order of kLaws
// (src/control/laws/laws.cpp).
class Law {
 public:
  virtual ~Law() = default;
  // Before the first sample; x: a state of the controller's model.
  [[nodiscard]] virtual Status start(const State& /*x*/) { return Status::ok; }
  // After start: moves these torques (driven coordinate) into its integrators, and leaves the rest.
  virtual void take_over(Vec /*torques*/) {}
  // No allocation.
  [[nodiscard]] virtual Status update(ControlSample& sample) = 0;
  // After a sample: computes everything for the next that does not need its readings.  expected: its state; torques
  // (driven coordinate) act until then.  No allocation.
  [[nodiscard]] virtual Status prepare(const State& /*expected*/, ConstVec /*torques*/) { return Status::ok; }
  // Everything that later samples depend on.
  virtual void transfer(Archive& /*archive*/) {}
  // For recordings.
  virtual std::vector<ExternalChannel> channels() const { return {}; }
  // After a failure: its cause.
  virtual std::string failure() const { return "a control law failed"; }
};

}  // namespace limber
