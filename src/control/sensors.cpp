// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/sensors.hpp"

#include <cmath>
#include <string>

#include "limber/model/drive.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
StrainGauge make_curvature_gauge(const Model& model, NodeRef from, NodeRef to, int axis) {
  const Node &a = model.body(from.body).nodes[from.node], &b = model.body(to.body).nodes[to.node];
  return {"", from.body, (b.turn.row(axis) - a.turn.row(axis)).transpose() / (b.position - a.position).norm(), 0};
}

double compute_strain(const Model& model, const StrainGauge& gauge, const State& x) {
  return gauge.row.dot(x.q.segment(model.first_mode_q(gauge.body), gauge.row.size()));
}

Vector3d compute_specific_force(const Model& model, const Kinematics& kin, NodeRef at, ConstVec vdot) {
  const Vector3d a = node_acceleration(model, kin, at, vdot).tail<3>();
  return node_pose(model, kin, at).R.transpose() * (a - model.gravity);
}

void check_sensors(const DrivenJoints& driven, const SensorOptions& options) {
  const auto check = [](const char* name, int value, int least, int most) {
    if (value < least || value > most)
      throw InputError(std::string("sensors: ") + name + " is " + std::to_string(value) + "; it must lie in " +
                       std::to_string(least) + " ... " + std::to_string(most) + " samples");
  };
  check("delay", options.delay, 0, kMaxDelay);
  check("every", options.every, 1, kMaxEvery);
  if (!options.encoders.empty() && options.encoders.size() != driven.v.size())
    throw InputError("sensors: there are " + std::to_string(options.encoders.size()) + " encoders; give none, or " +
                     std::to_string(driven.size()) + ", one for each driven coordinate");
}

Sensors::Sensors(const Model& model, const DrivenJoints& driven, SensorOptions options, double period)
    : model_(model), driven_(driven), options_(std::move(options)), period_(period), random_(options_.seed) {
  check_sensors(driven, options_);
  options_.encoders.resize(driven.v.size());
  for (const int joint : driven.joints)
    owner_.insert(owner_.end(), static_cast<std::size_t>(speed_count(model.joints[joint].kind)), joint);
  Measurement empty;
  empty.q.setZero(driven.size());
  empty.v = empty.q;
  empty.strain.setZero(static_cast<Eigen::Index>(options_.strains.size()));
  empty.acceleration.setZero(3 * static_cast<Eigen::Index>(options_.accelerometers.size()));
  line_.assign(static_cast<std::size_t>(options_.delay) + 1, empty);
  last_q_ = filtered_ = empty.q;
}

const Measurement& Sensors::read(const State& x, const Kinematics& kin, ConstVec vdot) {
  const std::size_t size = line_.size();
  const auto slot = [&](long k) -> Measurement& { return line_[static_cast<std::size_t>(k) % size]; };
  Measurement& now = slot(reads_);
  if (reads_ % options_.every == 0) {
    take(x, kin, vdot, now);
  } else if (size > 1) {
    now = slot(reads_ - 1);
  }
  if (reads_ == 0) {
    for (Measurement& m : line_) m = now;
  }
  ++reads_;
  return slot(reads_);  // the oldest; without delay the newest
}

// At the joint; for an elastic drive at the motor, unless the encoder is on the link.
std::pair<double, double> Sensors::seen_by(const EncoderOptions& encoder, const State& x, int k) const {
  const int joint = owner_[static_cast<std::size_t>(k)];
  const MotorIndex motor = encoder.on_link ? MotorIndex{} : motor_index(model_, joint);
  if (motor.v < 0) return {x.q[driven_.q[k]], x.v[driven_.v[k]]};
  const double ratio = model_.joints[joint].drive->ratio;
  return {x.q[motor.q] / ratio, x.v[motor.v] / ratio};
}

void Sensors::take(const State& x, const Kinematics& kin, ConstVec vdot, Measurement& out) {
  const auto noisy = [&](double value, double noise) { return noise > 0 ? value + noise * normal_(random_) : value; };
  out.t = x.t;
  for (int k = 0; k < driven_.size(); ++k) {
    const EncoderOptions& encoder = options_.encoders[k];
    const auto [position, speed] = seen_by(encoder, x, k);
    double q = noisy(position, encoder.noise);
    if (encoder.resolution > 0) q = encoder.resolution * std::round(q / encoder.resolution);
    out.q[k] = q;
    if (encoder.tachometer) {
      out.v[k] = noisy(speed, encoder.speed_noise);
      continue;
    }
    if (reads_ > 0) filtered_[k] += kSpeedFilter * ((q - last_q_[k]) / (options_.every * period_) - filtered_[k]);
    last_q_[k] = q;
    out.v[k] = filtered_[k];
  }
  for (std::size_t k = 0; k < options_.strains.size(); ++k) {
    const StrainGauge& gauge = options_.strains[k];
    out.strain[static_cast<Eigen::Index>(k)] = noisy(compute_strain(model_, gauge, x), gauge.noise);
  }
  for (std::size_t k = 0; k < options_.accelerometers.size(); ++k) {
    const Accelerometer& sensor = options_.accelerometers[k];
    const Vector3d force = compute_specific_force(model_, kin, sensor.at, vdot);
    for (int j = 0; j < 3; ++j) out.acceleration[3 * static_cast<Eigen::Index>(k) + j] = noisy(force[j], sensor.noise);
  }
}

}  // namespace limber
