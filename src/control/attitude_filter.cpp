// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The multiplicative extended Kalman filter, [Lefferts, Markley, Shuster 1982], in discrete time like the simulated
// gyro: with the attitude error d (true = estimate exp(d)) and the bias error b, over a period T
//   b' = b + walk,   d' = exp(-w T) d - T b' - T noise.
#include "limber/control/attitude_filter.hpp"

#include <algorithm>

#include "control/fixed_archive.hpp"
#include "limber/control/attitude_path.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {

AttitudeFilter::AttitudeFilter(const GyroOptions& gyro, const StarTrackerOptions& stars,
                               const AttitudeFilterOptions& options, double period)
    : gyro_(gyro), stars_(stars), options_(options), period_(period) {
  past_.resize(static_cast<std::size_t>(std::max(stars.delay - gyro.delay, 0)) + 1);
  early_.resize(static_cast<std::size_t>(std::max(gyro.delay - stars.delay, 0)));
  restart();
}

void AttitudeFilter::restart() {
  samples_ = 0;
  attitude_.setIdentity();
  now_ = attitude_;
  std::fill(early_.begin(), early_.end(), Stars());
  bias_.setZero();
  rate_ = innovation_ = bias_;
  innovation_P_.setZero();
  P_.setZero();
  P_.diagonal().head<3>() = stars_.noise.cwiseAbs2();
  P_.diagonal().tail<3>().setConstant(options_.bias * options_.bias);
  std::fill(past_.begin(), past_.end(), attitude_);
}

void AttitudeFilter::update(const AttitudeReading& reading) {
  if (samples_ == 0) {
    attitude_ = now_ = reading.attitude;
    rate_ = reading.rate;
    std::fill(past_.begin(), past_.end(), attitude_);
    ++samples_;
    return;
  }
  // The first readings of a delayed gyro belong to the start.
  if (samples_ > gyro_.delay) predict(reading.rate);
  past_[static_cast<std::size_t>(samples_) % past_.size()] = attitude_;
  Stars stars{reading.attitude, reading.fresh};
  if (!early_.empty()) std::swap(stars, early_[static_cast<std::size_t>(samples_) % early_.size()]);
  ++samples_;
  if (stars.fresh) correct(stars.attitude);
  rate_ = reading.rate - bias_;
  const int behind = static_cast<int>(std::min<long>(gyro_.delay, samples_ - 1));
  now_ = (attitude_ * Eigen::Quaterniond(exp_rotation(behind * period_ * rate_))).normalized();
}

void AttitudeFilter::predict(const Vector3d& rate) {
  const double T = period_;
  const Vector3d turn = T * (rate - bias_);
  attitude_ = attitude_ * Eigen::Quaterniond(exp_rotation(turn));
  attitude_.normalize();
  const Vector3d walk = T * gyro_.bias_walk.cwiseAbs2();  // variance of the change of the bias
  Matrix6 Phi = Matrix6::Identity(), Q = Matrix6::Zero();
  Phi.topLeftCorner<3, 3>() = exp_rotation(-turn);
  Phi.topRightCorner<3, 3>() = -T * Matrix3d::Identity();
  Q.diagonal().head<3>() = T * T * (gyro_.noise.cwiseAbs2() + walk);
  Q.diagonal().tail<3>() = walk;
  Q.topRightCorner<3, 3>().diagonal() = -T * walk;
  Q.bottomLeftCorner<3, 3>().diagonal() = -T * walk;
  P_ = (Phi * P_ * Phi.transpose() + Q).eval();
}

void AttitudeFilter::correct(const Eigen::Quaterniond& stars) {
  const Eigen::Quaterniond& then = past_[static_cast<std::size_t>(samples_) % past_.size()];  // the oldest
  const Matrix3d to_now = (attitude_.conjugate() * then).toRotationMatrix();
  const Matrix3d R = stars_.noise.cwiseAbs2().asDiagonal();
  innovation_ = to_now * attitude_error(then, stars);
  innovation_P_ = P_.topLeftCorner<3, 3>() + R;
  const Matrix3d inverse = innovation_P_.inverse();
  const Eigen::Matrix<double, 6, 3> K = P_.leftCols<3>() * inverse;
  const Vector6 correction = K * innovation_;
  Matrix6 A = Matrix6::Identity();
  A.leftCols<3>() -= K;
  P_ = (A * P_ * A.transpose() + K * R * K.transpose()).eval();                             // Joseph's form
  const Eigen::Quaterniond turn(exp_rotation(attitude_ * Vector3d(correction.head<3>())));  // in world
  attitude_ = (turn * attitude_).normalized();
  for (Eigen::Quaterniond& one : past_) one = (turn * one).normalized();
  bias_ += correction.tail<3>();
}

void AttitudeFilter::transfer(Archive& archive) {
  archive(samples_);
  transfer_fixed(archive, bias_, rate_, innovation_, innovation_P_, P_);
  transfer_turn(archive, attitude_);
  transfer_turn(archive, now_);
  for (Stars& one : early_) {
    transfer_turn(archive, one.attitude);
    archive(one.fresh);
  }
  for (Eigen::Quaterniond& one : past_) transfer_turn(archive, one);
}

}  // namespace limber
