// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/correction.hpp"
#include "limber/control/gains.hpp"

namespace limber {

// State observer: propagates the state by the predictor, O(N) dynamics of the model ([Pat] claim 6) and one product
// with a matrix of the schedule, and corrects it by measurements (claim 7) with the steady-state Kalman gain of the
// configuration.  Delayed readings are predicted when they are taken, and compared when they arrive.
class Estimator {
 public:
  // phase: Predictor::phase; empty: the midpoint rule alone.  Without gains it only propagates.
  // `sensors`: those for which the gains were computed.
  Estimator(const Model& model, const DrivenJoints& driven, const SensorOptions& sensors, Schedule phase,
            Schedule gains, double period);
  [[nodiscard]] Status start(const State& x);
  // The same, with these inputs acting until now (driven coordinate: torques of joints, forces of actuators).
  [[nodiscard]] Status start(const State& x, ConstVec inputs);
  // Corrects by the readings that arrive at this time.  A reading with the time of an earlier one is not used again.
  [[nodiscard]] Status correct(const Measurement& y);
  // Propagates by one period, under these inputs (driven coordinate).
  [[nodiscard]] Status propagate(ConstVec inputs);

  void transfer(Archive& archive);  // to or from an archive

  const State& state() const { return x_; }                                                             // the estimate
  double innovation() const { return innovation_.size() > 0 ? innovation_.cwiseAbs().maxCoeff() : 0; }  // largest
  // The last, in the order of the gains.
  const VectorXd& innovations() const { return innovation_; }
  // Of the joint positions alone.
  double joint_innovation() const { return corrects_ ? innovation_.head(driven_.size()).cwiseAbs().maxCoeff() : 0; }

 private:
  [[nodiscard]] Status predict_readings(Vec out);
  void gather(const Measurement& y);

  const Model& model_;
  const DrivenJoints& driven_;
  const SensorOptions& sensors_;
  Schedule phase_, gains_;
  bool corrects_;
  double period_;
  MeanAccelerations now_;   // for accelerometers
  MeanAccelerations mean_;  // over a period
  KinematicsWorkspace kin_;
  State x_;
  VectorXd inputs_, innovation_, correction_, dx_, step_, dq_;
  std::vector<VectorXd> expected_;  // (delay) predicted readings under way, by the number of the sample modulo delay
  long samples_ = 0;
  double last_ = 0;  // time of the last reading
};

}  // namespace limber
