// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/attitude_sensors.hpp"

#include "control/fixed_archive.hpp"
#include "limber/control/sensors.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {

AttitudeSensors::AttitudeSensors(const Model& plant, int body, AttitudeSensorOptions options, double period)
    : plant_(plant), body_(body), options_(std::move(options)), period_(period) {
  if (options_.accelerometer) accelerometer_ = plant.node(options_.accelerometer->node);
  rates_.resize(options_.gyro ? static_cast<std::size_t>(options_.gyro->delay) + 1 : 1, Vector3d::Zero());
  stars_.resize(options_.star_tracker ? static_cast<std::size_t>(options_.star_tracker->delay) + 1 : 1,
                Eigen::Quaterniond::Identity());
  restart();
}

void AttitudeSensors::restart() {
  random_.seed(options_.seed);
  normal_.reset();
  bias_ = options_.gyro ? options_.gyro->bias : Vector3d::Zero();
  last_.setIdentity();
  reads_ = 0;
}

Vector3d AttitudeSensors::noise(const Vector3d& deviation) {
  Vector3d out = Vector3d::Zero();
  for (int k = 0; k < 3; ++k) {
    if (deviation[k] > 0) out[k] = deviation[k] * normal_(random_);
  }
  return out;
}

// From the mean rate since the last reading; the bias is updated first.
Vector3d AttitudeSensors::read_gyro(const Matrix3d& R, const Vector3d& rate) {
  const GyroOptions& gyro = *options_.gyro;
  const Vector3d mean = reads_ > 0 ? Vector3d(log_rotation(last_.transpose() * R) / period_) : rate;
  if (reads_ > 0) bias_ += std::sqrt(period_) * noise(gyro.bias_walk);
  return exp_rotation(gyro.misalignment).transpose() * mean + bias_ + noise(gyro.noise);
}

Eigen::Quaterniond AttitudeSensors::read_stars(const Matrix3d& R) {
  const StarTrackerOptions& stars = *options_.star_tracker;
  return Eigen::Quaterniond(Matrix3d(R * exp_rotation(stars.misalignment) * exp_rotation(noise(stars.noise))));
}

const AttitudeReading& AttitudeSensors::read(const State& x, const Kinematics& kin, ConstVec vdot) {
  const auto slot = [&](auto& line, long k) -> auto& { return line[static_cast<std::size_t>(k) % line.size()]; };
  const Matrix3d& R = body_pose(kin, body_).R;
  const Vector3d rate = x.v.segment<3>(plant_.joints[body_].v);
  slot(rates_, reads_) = options_.gyro ? read_gyro(R, rate) : rate;
  const int every = options_.star_tracker ? options_.star_tracker->every : 1;
  const long delay = static_cast<long>(stars_.size()) - 1;
  if (!options_.star_tracker) {
    slot(stars_, reads_) = Eigen::Quaterniond(R);
  } else if (reads_ % every == 0) {
    slot(stars_, reads_) = read_stars(R);
  } else if (delay > 0) {
    slot(stars_, reads_) = slot(stars_, reads_ - 1);
  }
  if (reads_ == 0) {  // no other readings are in the delay line
    std::fill(rates_.begin(), rates_.end(), rates_.front());
    std::fill(stars_.begin(), stars_.end(), stars_.front());
  }
  out_.rate = slot(rates_, reads_ + 1);
  out_.attitude = slot(stars_, reads_ + 1);
  out_.fresh = reads_ == 0 || (reads_ > delay && (reads_ - delay) % every == 0);
  if (options_.accelerometer) {
    const ImuAccelerometerOptions& sensor = *options_.accelerometer;
    out_.specific_force = compute_specific_force(plant_, kin, accelerometer_, vdot) + sensor.bias + noise(sensor.noise);
  }
  last_ = R;
  ++reads_;
  return out_;
}

void AttitudeSensors::transfer(Archive& archive) {
  archive(random_, normal_, reads_, out_.fresh);
  transfer_fixed(archive, bias_, last_, out_.rate, out_.specific_force);
  transfer_turn(archive, out_.attitude);
  for (Vector3d& one : rates_) transfer_fixed(archive, one);
  for (Eigen::Quaterniond& one : stars_) transfer_turn(archive, one);
}

}  // namespace limber
