// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/gains.hpp"
#include "limber/simulate/stepper.hpp"

namespace limber {

// The state of the machine as its controller believes it to be: propagated by the O(N) dynamics of the model
// ([Pat] claim 6), and corrected by what sensors say (claim 7) with the gain of a Kalman filter at the configuration.
class Estimator {
 public:
  // Without gains it only propagates.  The sensors are the ones the gains were computed for.
  Estimator(const Model& model, const DrivenJoints& hinges, const SensorOptions& sensors, Schedule gains,
            double period);
  [[nodiscard]] Status start(const State& x);
  // From the readings at this time.
  [[nodiscard]] Status correct(const Measurement& y);
  // One period on, under these torques (hinge coordinate).
  [[nodiscard]] Status propagate(ConstVec torques);

  const State& state() const { return x_.x; }
  double innovation() const { return innovation_.size() > 0 ? innovation_.cwiseAbs().maxCoeff() : 0; }
  // Of the positions of hinges alone.
  double hinge_innovation() const { return corrects_ ? innovation_.head(hinges_.size()).cwiseAbs().maxCoeff() : 0; }

 private:
  [[nodiscard]] Status predict_readings(const Measurement& y);

  const Model& model_;
  const DrivenJoints& hinges_;
  const SensorOptions& sensors_;
  Schedule gains_;
  bool corrects_;
  double period_;
  System system_;
  std::unique_ptr<Stepper> stepper_;
  Motion x_;
  VectorX tau_, vdot_, innovation_, dx_, dq_;
};

}  // namespace limber
