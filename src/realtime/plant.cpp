// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/realtime/plant.hpp"

#include <algorithm>
#include <cmath>

#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr double kWaits = 0, kCommanded = 1, kHolds = 2, kBrakes = 3;

}  // namespace

PlantEnd::PlantEnd(const Model& model, const DrivenJoints& driven, const LinkLimits& limits,
                   const SensorOptions& sensors, double period, const SafetyOptions& options, std::uint64_t session,
                   const State& x, std::vector<ServoOptions> servos, const VectorXd& holding)
    : model_(model),
      driven_(driven),
      options_(options),
      period_(period),
      gate_(PacketKind::command, command_names(driven), session),
      limits_(limits),
      servos_((servos.resize(driven.v.size()), std::move(servos)), period),
      actuation_(model, driven),
      holding_(holding) {
  check_safety(options, period);
  gate_.require_key(options.key);
  c_ = make_braking_gains(model, driven, x, options.brake, period, 1);
  if (holding.size() == 0) holding_.setZero(driven.size());
  for (Eigen::Index k = 0; k < holding_.size(); ++k) {
    if (std::abs(holding_[k]) <= limits_.effort[k]) continue;
    throw InputError("joint '" + driven.names[static_cast<std::size_t>(k)] + "' needs " + text(holding_[k], 4) +
                     " to be held at its initial position, but its effort limit is " + text(limits_.effort[k], 4) +
                     "; raise the limit, or start elsewhere");
  }
  command_ = torque_ = holding_;
  impulse_.setZero(driven.size());
  slowing_ = impulse_;
  servos_.start(holding_);
  age_.setZero(1);
  state_.setZero(1);
  const std::vector<std::uint32_t> names = hash_names(measurement_names(driven, sensors));
  measurement_.kind = PacketKind::measurement;
  measurement_.session = session;
  measurement_.count = names.size();
  for (std::size_t k = 0; k < names.size(); ++k) measurement_.entries[k].name = names[k];
  std::size_t longest = 0;
  for (const std::string& name : driven.names) longest = std::max(longest, name.size());
  failure_.reserve(100 + longest);
}

PacketFault PlantEnd::take(std::span<const std::byte> bytes, double now) {
  const PacketFault fault = gate_.accept(bytes);
  if (fault == PacketFault::not_finite) brake(Brakes::closed_for_good, "a commanded torque is not a number");
  if (fault != PacketFault::none) return fault;
  arrived_ = now;
  const bool joins = (gate_.packet().flags & kJoins) != 0;
  if (joins && !joins_) ++joined_;
  joins_ = joins;
  if (joins && brakes_ == Brakes::closed) brakes_ = Brakes::open;
  return fault;
}

std::span<const std::byte> PlantEnd::measure(const Measurement& y, double t, std::uint16_t flags) {
  measurement_.time = t;
  measurement_.taken = y.t;
  measurement_.answer = commanded() ? gate_.packet().sequence : 0;
  measurement_.flags = flags;
  if (braking()) measurement_.flags |= kStopped;
  if (brakes_ == Brakes::closed || controller_stopped()) measurement_.flags |= kJoins;
  ++measurement_.sequence;
  // Answers to measurements older than the hold time are not accepted.
  const auto oldest = static_cast<double>(measurement_.sequence) - std::ceil(options_.hold / period_);
  gate_.expect_answers(oldest > 1 ? static_cast<std::uint64_t>(oldest) : 1, measurement_.sequence, t, period_);
  const Eigen::Index n = y.q.size(), strains = y.strain.size();
  const auto entry = [&](Eigen::Index k) -> PacketEntry& { return measurement_.entries[static_cast<std::size_t>(k)]; };
  for (Eigen::Index k = 0; k < n; ++k) {
    entry(k).a = y.q[k];
    entry(k).b = y.v[k];
  }
  for (Eigen::Index k = 0; k < strains; ++k) entry(n + k).a = y.strain[k];
  for (Eigen::Index k = 0; k < y.acceleration.size(); ++k) entry(n + strains + k).a = y.acceleration[k];
  for (Eigen::Index k = 0; k < n; ++k) {
    entry(n + strains + y.acceleration.size() + k).a = torque_[k];
    entry(n + strains + y.acceleration.size() + k).b = impulse_[k];
  }
  return {bytes_.data(), encode_packet(measurement_, bytes_, options_.key.get())};
}

void PlantEnd::brake(Brakes how, const char* why, const char* joint) {
  if (brakes_ >= how) return;
  brakes_ = how;
  failure_ = why;
  failure_ += joint;
}

void PlantEnd::drive(const State& x, double now, Vec torques) {
  age_[0] = commanded() ? now - arrived_ : 0;
  const bool stops = controller_stopped();
  if (commanded() && age_[0] > options_.hold) {
    brake(Brakes::closed,
          stops ? "the controller stopped and sends no commands" : "no command arrived within the hold time");
  }
  for (int k = 0; k < driven_.size(); ++k) {
    const double v = x.v[driven_.v[k]];
    if (!(std::abs(v) <= kSpeedShare * limits_.speed[k])) {
      brake(Brakes::closed_for_good, "near its velocity limit: ", driven_.names[static_cast<std::size_t>(k)].c_str());
    }
  }
  for (int k = 0; k < driven_.size(); ++k) {
    command_[k] = braking() ? 0 : commanded() ? gate_.a()[k] : holding_[k];
    if (std::abs(command_[k]) > limits_.effort[k]) ++limited_;
    impulse_[k] += period_ * std::clamp(command_[k], -limits_.effort[k], limits_.effort[k]);
  }
  // Start the servos from the torques that held or braked the machine before.
  if (commanded() && !engaged_) servos_.start(joined_ > 0 ? torque_ : command_);
  engaged_ = commanded() && !braking();
  servos_.drive(command_, torque_);
  torques.setZero();
  if (braking() || stops) {
    for (int k = 0; k < driven_.size(); ++k) slowing_[k] = c_[k] * x.v[driven_.v[k]];
    if (actuation_.set(x) == Status::ok)
      actuation_.to_inputs(slowing_, slowing_);
    else
      slowing_.setZero();  // no lever arm
  }
  for (int k = 0; k < driven_.size(); ++k) {
    double tau = braking() ? 0 : torque_[k];
    if (braking() || stops) tau -= slowing_[k];
    torque_[k] = std::clamp(tau, -limits_.effort[k], limits_.effort[k]);
    if (driven_.actuator(k) < 0) torques[driven_.v[k]] = torque_[k];
  }
  const bool held = age_[0] > 1.5 * period_;
  state_[0] = !commanded() ? kWaits : braking() || stops ? kBrakes : held ? kHolds : kCommanded;
}

double PlantEnd::actuator_force(int element) const {
  const auto at = std::find(driven_.actuators.begin(), driven_.actuators.end(), element);
  return at == driven_.actuators.end() ? 0 : torque_[at - driven_.actuators.begin()];
}

std::vector<ExternalChannel> PlantEnd::channels() const {
  return {{"control/applied", driven_.names, input_units(model_, driven_), &torque_},
          {"control/age", {"command"}, {"s"}, &age_},
          {"control/state", {"state"}, {"1"}, &state_}};
}

}  // namespace limber
