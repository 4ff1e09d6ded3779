// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/realtime/executive.hpp"

#include <algorithm>
#include <cmath>

#include "limber/spatial/status.hpp"

namespace limber {
namespace {

// A property of joints by driven coordinate; 0: none.
VectorXd limits_of(const Model& model, const DrivenJoints& driven, double Joint::*limit) {
  VectorXd out = VectorXd::Constant(driven.size(), std::numeric_limits<double>::infinity());
  for (int k = 0; k < driven.size(); ++k) {
    for (const int i : driven.joints) {
      const Joint& joint = model.joints[i];
      const bool own = driven.v[k] >= joint.v && driven.v[k] < joint.v + speed_count(joint.kind);
      if (own && joint.*limit > 0) out[k] = joint.*limit;
    }
  }
  return out;
}

}  // namespace

VectorXd effort_limits(const Model& model, const DrivenJoints& driven) {
  return limits_of(model, driven, &Joint::effort_limit);
}
VectorXd speed_limits(const Model& model, const DrivenJoints& driven) {
  return limits_of(model, driven, &Joint::velocity_limit);
}

const char* to_string(StopReason stop) {
  constexpr const char* kWords[] = {"running",
                                    "the machine ended",
                                    "finished",
                                    "interrupted",
                                    "no measurement came",
                                    "the machine stopped",
                                    "deadlines missed",
                                    "a number is not finite",
                                    "a joint is too fast",
                                    "the machine does not do what the model says",
                                    "a joint is too far from where it should be",
                                    "the controller failed"};
  return kWords[static_cast<std::size_t>(stop)];
}

void check_safety(const SafetyOptions& options) {
  const auto check = [](double value, const char* name) {
    if (!(value > 0)) throw InputError(std::string(name) + " must be above 0");
  };
  check(options.hold, "the hold time");
  check(options.ramp, "the time of the ramp");
  check(options.brake, "the time of the brakes");
  check(options.most_misses, "the number of missed deadlines");
  check(options.most_innovation, "the largest innovation");
  check(options.most_error, "the largest error");
}

Executive::Executive(Controller& controller, const SafetyOptions& options)
    : controller_(controller),
      options_(options),
      gate_(PacketKind::measurement, measurement_names(controller.options().driven, controller.options().sensors)) {
  check_safety(options);
  const ControlOptions& control = controller.options();
  const DrivenJoints& driven = control.driven;
  effort_ = effort_limits(*control.model, driven);
  speed_ = speed_limits(*control.model, driven);
  torque_.setZero(driven.size());
  stop_torque_ = new_torque_ = y_.q = y_.v = torque_;
  y_.strain.setZero(static_cast<Eigen::Index>(control.sensors.strains.size()));
  y_.acceleration.setZero(3 * static_cast<Eigen::Index>(control.sensors.accelerometers.size()));
  shown_ = y_;
  const std::vector<std::uint32_t> names = hash_names(command_names(driven));
  command_.kind = PacketKind::command;
  command_.count = names.size();
  for (std::size_t k = 0; k < names.size(); ++k) command_.entries[k].name = names[k];
  std::size_t longest = 0;
  for (const std::string& name : driven.names) longest = std::max(longest, name.size());
  joint_.reserve(longest);
}

PacketFault Executive::take(std::span<const std::byte> bytes, double now) {
  const PacketFault fault = gate_.accept(bytes);
  if (fault == PacketFault::not_finite) stop(StopReason::not_finite, now);
  if (fault != PacketFault::none) return fault;
  const Eigen::Index n = y_.q.size(), strains = y_.strain.size();
  const Packet& packet = gate_.packet();
  y_.t = packet.taken;
  y_.q = gate_.a().head(n);
  y_.v = gate_.b().head(n);
  y_.strain = gate_.a().segment(n, strains);
  y_.acceleration = gate_.a().tail(y_.acceleration.size());
  arrived_ = now;
  fresh_ = true;
  if ((packet.flags & kEnding) != 0) stop(StopReason::ended, now);
  if ((packet.flags & kStopped) != 0) stop(StopReason::machine, now);
  return fault;
}

void Executive::stop(StopReason reason, double now) {
  if (stop_ != StopReason::none) return;
  stop_ = reason;
  stop_time_ = now;
  stop_torque_ = torque_;
}

bool Executive::over(double now) const {
  return stop_ == StopReason::ended || (stop_ != StopReason::none && now - stop_time_ > options_.ramp);
}

void Executive::watch(long misses_in_a_row, double now) {
  if (misses_in_a_row >= options_.most_misses) stop(StopReason::deadlines, now);
}

std::span<const std::byte> Executive::cycle(double now) {
  updates_ = 0;
  if (begun()) {
    if (now - arrived_ > options_.hold) stop(StopReason::silent, now);
    if (stop_ == StopReason::none) advance(now);
    if (stop_ != StopReason::none) torque_ = std::max(0.0, 1 - (now - stop_time_) / options_.ramp) * stop_torque_;
  }
  fresh_ = false;
  return encode(now);
}

// As many updates as the machine took samples.
void Executive::advance(double now) {
  if (!fresh_) {
    const bool waiting = (gate_.packet().flags & kWaiting) != 0;
    if (waiting || blind_ >= kMaxBlind) return;
    ++blind_;
    ++blind_total_;
    update(blind_, now);
    return;
  }
  blind_ = 0;
  if (!check_speeds(now)) return;
  const long sample = std::lround(gate_.packet().time * controller_.options().rate);
  const long due = std::min<long>(sample + 1 - done_, kMaxUpdates);
  for (long k = 0; k < due && stop_ == StopReason::none; ++k) update(static_cast<double>(k + 1 - due), now);
}

bool Executive::check_speeds(double now) {
  for (Eigen::Index k = 0; k < speed_.size(); ++k) {
    if (std::abs(y_.v[k]) <= speed_[k]) continue;
    if (stop_ == StopReason::none) joint_ = controller_.options().driven.names[static_cast<std::size_t>(k)];
    stop(StopReason::speed, now);
    return false;
  }
  return true;
}

// One sample of the controller, `shift` periods after the newest measurement.
void Executive::update(double shift, double now) {
  shown_ = y_;
  shown_.q += shift * controller_.period() * y_.v;
  shown_.t += shift * controller_.period();
  ++updates_;
  ++done_;
  if (controller_.update(shown_, new_torque_) != Status::ok) return stop(StopReason::failed, now);
  if (!new_torque_.allFinite()) return stop(StopReason::not_finite, now);
  if (controller_.innovation() > options_.most_innovation) return stop(StopReason::innovation, now);
  Eigen::Index worst = 0;
  if (controller_.errors().cwiseAbs().maxCoeff(&worst) > options_.most_error) {
    joint_ = controller_.options().driven.names[static_cast<std::size_t>(worst)];
    return stop(StopReason::error, now);
  }
  torque_ = new_torque_;
  limit();
}

void Executive::limit() {
  for (Eigen::Index k = 0; k < torque_.size(); ++k) {
    if (std::abs(torque_[k]) <= effort_[k]) continue;
    torque_[k] = std::copysign(effort_[k], torque_[k]);
    ++limited_;
  }
}

std::span<const std::byte> Executive::encode(double now) {
  command_.session = gate_.session();
  ++command_.sequence;
  command_.answer = gate_.packet().sequence;
  command_.time = gate_.packet().time;
  command_.taken = y_.t;
  command_.flags = stop_ != StopReason::none ? kStopped : std::uint16_t{0};
  if (over(now)) command_.flags |= kEnding;
  for (std::size_t k = 0; k < command_.count; ++k) command_.entries[k].a = torque_[static_cast<Eigen::Index>(k)];
  return {bytes_.data(), encode_packet(command_, bytes_)};
}

}  // namespace limber
