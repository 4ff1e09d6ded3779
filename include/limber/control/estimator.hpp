// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/gains.hpp"
#include "limber/simulate/stepper.hpp"

namespace limber {

// State observer: propagates the state by the O(N) dynamics of the model ([Pat] claim 6) and corrects it by
// measurements (claim 7) with the steady-state Kalman gain of the configuration.
class Estimator {
 public:
  // Without gains it only propagates.  `sensors`: those that the gains were computed for.
  Estimator(const Model& model, const DrivenJoints& driven, const SensorOptions& sensors, Schedule gains,
            double period);
  [[nodiscard]] Status start(const State& x);
  // Under these torques (driven coordinate) until now.
  [[nodiscard]] Status start(const State& x, ConstVec torques);
  // With the readings at this time.
  [[nodiscard]] Status correct(const Measurement& y);
  // By one period, under these torques (driven coordinate).
  [[nodiscard]] Status propagate(ConstVec torques);

  void transfer(Archive& archive) { archive(system_, *stepper_, x_, tau_, innovation_); }  // to or from an archive

  const State& state() const { return x_.x; }                  // the estimate
  const VectorXd& innovations() const { return innovation_; }  // in the order of the gains
  double innovation() const { return innovation_.size() > 0 ? innovation_.cwiseAbs().maxCoeff() : 0; }  // largest
  // Of the joint positions alone.
  double joint_innovation() const { return corrects_ ? innovation_.head(driven_.size()).cwiseAbs().maxCoeff() : 0; }

 private:
  [[nodiscard]] Status predict_readings(const Measurement& y);

  const Model& model_;
  const DrivenJoints& driven_;
  const SensorOptions& sensors_;
  Schedule gains_;
  bool corrects_;
  double period_;
  System system_;
  std::unique_ptr<Stepper> stepper_;
  Motion x_;
  VectorXd tau_, vdot_, innovation_, dx_, dq_;
};

}  // namespace limber
