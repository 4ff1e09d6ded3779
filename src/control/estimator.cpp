// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/estimator.hpp"

#include <limits>

#include "limber/model/manifold.hpp"

namespace limber {
namespace {

constexpr int kPredictorPasses = 2;  // of the midpoint rule
constexpr double kNever = -std::numeric_limits<double>::infinity();

}  // namespace

Estimator::Estimator(const Model& model, const DrivenJoints& driven, const SensorOptions& sensors, Schedule phase,
                     Schedule gains, double period)
    : model_(model),
      driven_(driven),
      sensors_(sensors),
      phase_(std::move(phase)),
      gains_(std::move(gains)),
      corrects_(!gains_.empty()),
      period_(period),
      now_(model, driven, 0, DrivenBy::inputs),
      mean_(model, driven, period, DrivenBy::inputs),
      kin_(model),
      x_(make_zero_state(model)),
      last_(kNever) {
  inputs_.setZero(driven.size());
  dq_.setZero(model.nv);
  dx_.setZero(2 * model.nv);
  step_ = dx_;
  if (!corrects_) return;
  innovation_.setZero(gains_.at(0).cols());
  correction_.setZero(gains_.at(0).rows());
  expected_.assign(static_cast<std::size_t>(sensors.delay), innovation_);
}

Status Estimator::start(const State& x) { return start(x, VectorXd::Zero(driven_.size())); }

Status Estimator::start(const State& x, ConstVec inputs) {
  x_ = x;
  innovation_.setZero();
  samples_ = 0;
  last_ = kNever;
  mean_.reset();
  inputs_ = inputs;
  if (!corrects_ || sensors_.delay == 0) return Status::ok;
  const Status status = predict_readings(innovation_);
  for (VectorXd& one : expected_) one = innovation_;
  innovation_.setZero();
  return status;
}

Status Estimator::correct(const Measurement& y) {
  if (!corrects_) return Status::ok;
  const Eigen::Index rows = innovation_.size();
  const long delay = sensors_.delay;
  const auto slot = [&](long k) -> VectorXd& { return expected_[static_cast<std::size_t>(k % delay)]; };
  if (y.t != last_) {
    if (delay > 0) {
      innovation_ = -slot(samples_);  // the oldest
    } else {
      if (const Status status = predict_readings(innovation_); status != Status::ok) return status;
      innovation_ = -innovation_;
    }
    gather(y);
    last_ = y.t;
    gains_.multiply(x_.t, innovation_, correction_);
    dq_ = correction_.head(model_.nv);
    move(model_, x_.q, dq_, x_.q);
    x_.v += correction_.segment(model_.nv, model_.nv);
    for (long j = 1; j < delay; ++j) slot(samples_ + j) += correction_.segment(2 * model_.nv + (j - 1) * rows, rows);
  }
  if (delay > 0) {
    if (const Status status = predict_readings(slot(samples_)); status != Status::ok) return status;
  }
  ++samples_;
  return x_.q.allFinite() && x_.v.allFinite() ? Status::ok : Status::not_finite;
}

// innovation_ += y, in the order of the gains.
void Estimator::gather(const Measurement& y) {
  Eigen::Index row = 0;
  for (int k = 0; k < driven_.size(); ++k) innovation_[row++] += y.q[k];
  for (int k = 0; k < driven_.size(); ++k) {
    if (sensors_.encoders.empty() || sensors_.encoders[static_cast<std::size_t>(k)].tachometer)
      innovation_[row++] += y.v[k];
  }
  const auto strains = static_cast<Eigen::Index>(sensors_.strains.size());
  if (strains > 0) innovation_.segment(row, strains) += y.strain.head(strains);
  const auto forces = 3 * static_cast<Eigen::Index>(sensors_.accelerometers.size());
  if (forces > 0) innovation_.segment(row + strains, forces) += y.acceleration.head(forces);
}

// Readings predicted by the model for the current time, in the order of the gains.
Status Estimator::predict_readings(Vec out) {
  Eigen::Index row = 0;
  for (int k = 0; k < driven_.size(); ++k) out[row++] = x_.q[driven_.q[k]];
  for (int k = 0; k < driven_.size(); ++k) {
    if (sensors_.encoders.empty() || sensors_.encoders[static_cast<std::size_t>(k)].tachometer)
      out[row++] = x_.v[driven_.v[k]];
  }
  for (const StrainGauge& gauge : sensors_.strains) out[row++] = compute_strain(model_, gauge, x_);
  if (sensors_.accelerometers.empty()) return Status::ok;
  now_.set_phases(x_);
  if (const Status status = now_.forward(x_, inputs_); status != Status::ok) return status;
  compute_kinematics(model_, x_, kin_);
  compute_world_poses(model_, kin_);
  for (const Accelerometer& sensor : sensors_.accelerometers) {
    out.segment<3>(row) = compute_specific_force(model_, kin_, sensor.at, now_.now());
    row += 3;
  }
  return Status::ok;
}

Status Estimator::propagate(ConstVec inputs) {
  inputs_ = inputs;
  mean_.set_phases(x_);
  for (int pass = 0; pass < kPredictorPasses; ++pass) {
    if (const Status status = mean_.forward(x_, inputs_); status != Status::ok) return status;
  }
  // The increments of the midpoint rule, then those of the predictor.
  const int n = model_.nv;
  dx_.head(n) = period_ * (x_.v + 0.5 * period_ * mean_.now());
  dx_.tail(n) = period_ * mean_.now();
  if (!phase_.empty()) {
    phase_.multiply(x_.t, dx_, step_);
    dx_.swap(step_);
  }
  dq_ = dx_.head(n);
  move(model_, x_.q, dq_, x_.q);
  x_.v += dx_.tail(n);
  x_.t += period_;
  return x_.q.allFinite() && x_.v.allFinite() ? Status::ok : Status::not_finite;
}

void Estimator::transfer(Archive& archive) {
  archive(now_, mean_, x_, inputs_, innovation_, expected_, samples_, last_);
}

}  // namespace limber
