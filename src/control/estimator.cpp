// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/estimator.hpp"

#include "control/one_step.hpp"
#include "limber/model/manifold.hpp"

namespace limber {
Estimator::Estimator(const Model& model, const DrivenJoints& driven, const SensorOptions& sensors, Schedule gains,
                     double period)
    : model_(model),
      driven_(driven),
      sensors_(sensors),
      gains_(std::move(gains)),
      corrects_(!gains_.empty()),
      period_(period),
      system_(model, {}),
      stepper_(make_one_step(system_, period, true)),
      x_{make_zero_state(model)} {
  tau_.setZero(model.nv);
  vdot_ = dq_ = tau_;
  dx_.setZero(2 * model.nv);
  if (corrects_) innovation_.setZero(gains_.at(0).cols());
}

Status Estimator::start(const State& x) { return start(x, VectorXd::Zero(driven_.size())); }

Status Estimator::start(const State& x, ConstVec torques) {
  x_.x = x;
  innovation_.setZero();
  tau_.setZero();
  for (int k = 0; k < driven_.size(); ++k) tau_[driven_.v[k]] = torques[k];
  system_.set_control_torques(tau_);
  return stepper_->start(x_);
}

Status Estimator::correct(const Measurement& y) {
  if (!corrects_) return Status::ok;
  if (const Status status = predict_readings(y); status != Status::ok) return status;
  dx_.noalias() = gains_.at(x_.x.t) * innovation_;
  dq_ = dx_.head(model_.nv);
  move(model_, x_.x.q, dq_, x_.x.q);
  x_.x.v += dx_.tail(model_.nv);
  return x_.x.q.allFinite() && x_.x.v.allFinite() ? stepper_->release(x_) : Status::not_finite;
}

// Readings less what the model says they should be, in the order of the gains.
Status Estimator::predict_readings(const Measurement& y) {
  const State& x = x_.x;
  Eigen::Index row = 0;
  for (int k = 0; k < driven_.size(); ++k) innovation_[row++] = y.q[k] - x.q[driven_.q[k]];
  for (int k = 0; k < driven_.size(); ++k) {
    if (!sensors_.encoders.empty() && !sensors_.encoders[static_cast<std::size_t>(k)].tachometer) continue;
    innovation_[row++] = y.v[k] - x.v[driven_.v[k]];
  }
  for (std::size_t k = 0; k < sensors_.strains.size(); ++k) {
    innovation_[row++] = y.strain[static_cast<Eigen::Index>(k)] - compute_strain(model_, sensors_.strains[k], x);
  }
  if (sensors_.accelerometers.empty()) return Status::ok;
  if (const Status status = system_.accelerate(x, vdot_); status != Status::ok) return status;
  const Kinematics& kin = system_.compute_kinematics(x);
  for (std::size_t k = 0; k < sensors_.accelerometers.size(); ++k) {
    const Vector3d force = compute_specific_force(model_, kin, sensors_.accelerometers[k].at, vdot_);
    innovation_.segment<3>(row) = y.acceleration.segment<3>(3 * static_cast<Eigen::Index>(k)) - force;
    row += 3;
  }
  return Status::ok;
}

Status Estimator::propagate(ConstVec torques) {
  for (int k = 0; k < driven_.size(); ++k) tau_[driven_.v[k]] = torques[k];
  system_.set_control_torques(tau_);
  if (const Status status = stepper_->release(x_); status != Status::ok) return status;
  if (const Status status = stepper_->step(x_.x.t + period_); status != Status::ok) return status;
  x_ = stepper_->now();
  return Status::ok;
}

}  // namespace limber
