// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/realtime/executive.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr double kSigmas = 10;  // bound of the reading noise, in standard deviations

// (driven coordinate) bound of the error of a reading.
VectorXd position_noise(const SensorOptions& sensors, int size) {
  VectorXd out = VectorXd::Zero(size);
  for (std::size_t k = 0; k < sensors.encoders.size(); ++k) {
    const EncoderOptions& encoder = sensors.encoders[k];
    out[static_cast<Eigen::Index>(k)] = kSigmas * encoder.noise + encoder.resolution;
  }
  return out;
}
VectorXd speed_noise(const SensorOptions& sensors, double period, int size) {
  VectorXd out = position_noise(sensors, size) / (sensors.every * period);
  for (std::size_t k = 0; k < sensors.encoders.size(); ++k) {
    const EncoderOptions& encoder = sensors.encoders[k];
    if (encoder.tachometer) out[static_cast<Eigen::Index>(k)] = kSigmas * encoder.speed_noise;
  }
  return out;
}

}  // namespace

const char* to_string(StopReason stop) {
  constexpr const char* kWords[] = {"running",
                                    "the machine ended",
                                    "finished",
                                    "interrupted",
                                    "no measurement arrived",
                                    "the machine stopped",
                                    "deadlines missed",
                                    "a number is not finite",
                                    "a joint is too fast",
                                    "the machine deviates from the model",
                                    "a joint is too far from its desired position",
                                    "the controller failed",
                                    "a reading is not plausible",
                                    "the machine does not take the commands"};
  return kWords[static_cast<std::size_t>(stop)];
}

void check_safety(const SafetyOptions& options, double period) {
  const auto check = [](bool good, const std::string& what) {
    if (!good) throw InputError(what);
  };
  const auto seconds = [&](double value, const char* name) {
    check(value > 0 && value <= SafetyOptions::kLongest, std::string(name) + " must be above 0 and at most 10 s");
  };
  seconds(options.hold, "the hold time");
  seconds(options.ramp, "the time of the ramp");
  seconds(options.brake, "the time of the brakes");
  check(options.hold >= 2 * period, "the hold time must be 2 periods of the controller at least; see --hold");
  check(options.max_misses > 0, "the number of missed deadlines must be above 0");
  check(options.max_innovation > 0, "the largest innovation must be above 0");
  check(options.max_error > 0, "the largest error must be above 0");
}

Executive::Executive(Controller& controller, const LinkLimits& limits, const SafetyOptions& options,
                     std::uint32_t ahead)
    : controller_(controller),
      options_(options),
      gate_(PacketKind::measurement, measurement_names(controller.options().driven, controller.options().sensors)),
      limits_(limits),
      rnea_(*controller.options().model),
      actuation_(*controller.options().model, controller.options().driven),
      still_(controller.reference()),
      ahead_(ahead) {
  check_safety(options, controller.period());
  const ControlOptions& control = controller.options();
  const DrivenJoints& driven = control.driven;
  gate_.require_key(options.key);
  gate_.expect_times(controller.period(), options.hold);
  noise_ = position_noise(control.sensors, driven.size());
  speed_noise_ = speed_noise(control.sensors, controller.period(), driven.size());
  still_.v.setZero();
  zero_ = tau_ = still_.v;
  brakes_ = make_braking_gains(*control.model, driven, still_, options.brake, controller.period(), kBrakingShare);
  torque_.setZero(driven.size());
  weight_ = new_torque_ = acting_ = sent_ = held_ = missing_ = y_.q = y_.v = torque_;
  y_.strain.setZero(static_cast<Eigen::Index>(control.sensors.strains.size()));
  y_.acceleration.setZero(3 * static_cast<Eigen::Index>(control.sensors.accelerometers.size()));
  shown_ = before_ = y_;
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
  const PacketHead& packet = gate_.packet();
  before_ = y_;
  y_.t = packet.taken;
  y_.q = gate_.a().head(n);
  y_.v = gate_.b().head(n);
  y_.strain = gate_.a().segment(n, strains);
  y_.acceleration = gate_.a().segment(n + strains, y_.acceleration.size());
  acting_ = gate_.a().tail(n);
  arrived_ = now;
  if (fresh_) ++doubled_;
  fresh_ = true;
  if (gate_.accepted() == 1) begin(now);
  hear(now);
  count();
  check_readings(now);
  if ((packet.flags & kEnding) != 0) stop(StopReason::ended, now);
  // Brakes that were closed because no commands arrived, and that this controller is about to release.
  const bool opens = joined_ && answered_ < first_ && (packet.flags & kJoins) != 0;
  if ((packet.flags & kStopped) != 0 && !opens) stop(StopReason::machine, now);
  return fault;
}

// Handles the first measurement.
void Executive::begin(double now) {
  const std::uint64_t before = gate_.packet().answer;
  joined_ = listening_ = before > 0 && (gate_.packet().flags & kWaiting) == 0;
  command_.sequence = before + ahead_;
  first_ = command_.sequence + 1;
  heard_ = now;
}

// Takes the acknowledgements of commands from the measurement.
void Executive::hear(double now) {
  const std::uint64_t answer = gate_.packet().answer;
  if (listening_ || (answer >= first_ && answer > answered_)) heard_ = now;
  if (answer >= first_) answered_ = std::max(answered_, answer);
}

void Executive::stop(StopReason reason, double now) {
  if (stop_ != StopReason::none) return;
  stop_ = reason;
  stop_time_ = now;
  weigh();
}

void Executive::stop_for(StopReason reason, Eigen::Index joint, double now) {
  if (stop_ == StopReason::none) joint_ = controller_.options().driven.names[static_cast<std::size_t>(joint)];
  stop(reason, now);
}

bool Executive::over(double now) const {
  return stop_ == StopReason::ended || (stop_ != StopReason::none && listening_) ||
         (stop_ != StopReason::none && release_time_ >= 0 && now - release_time_ > options_.ramp);
}

void Executive::watch(long misses_in_a_row, double now) {
  if (!listening_ && misses_in_a_row >= options_.max_misses) stop(StopReason::deadlines, now);
}

std::span<const std::byte> Executive::cycle(double now) {
  updates_ = 0;
  if (begun()) {
    if (now - arrived_ > options_.hold) stop(StopReason::silent, now);
    // The machine is the first to report missing commands; hence the longer time here.
    if (now - heard_ > 2 * options_.hold) stop(StopReason::unheard, now);
    if (stop_ == StopReason::none && listening_) listen(now);
    if (stop_ == StopReason::none && !listening_) advance(now);
    if (stop_ != StopReason::none && !listening_) brake(now);
    make_up();
  }
  fresh_ = false;
  return listening_ ? std::span<const std::byte>{} : encode(now);
}

// The observer follows the plant and the torques that act, sample by sample; it is restarted after a gap.
void Executive::listen(double now) {
  constexpr long kGap = 2 * kMaxUpdates;
  constexpr double kPeriods = 20;
  if (!fresh_) return;
  const double rate = controller_.options().rate;
  const long sample = std::lround(gate_.packet().time * rate), due = sample + 1 - done_;
  if (due <= 0) return;
  if (static_cast<double>(listened_) >= std::max(kListen * rate, kPeriods) && due == 1 &&
      controller_.caught_up(gate_.packet().time)) {
    return join(now);
  }
  const bool anew = listened_ == 0 || due > kGap;
  if (anew) listened_ = 0;
  for (long k = anew ? 0 : 1 - due; k <= 0; ++k) {
    const double shift = static_cast<double>(k) * controller_.period();
    shown_ = y_;
    shown_.q += shift * y_.v;
    shown_.t = used_ = y_.t + shift;
    if (controller_.listen(shown_, gate_.packet().time + shift, acting_, anew) != Status::ok) {
      return stop(StopReason::failed, now);
    }
    ++listened_;
  }
  done_ = sample + 1;
}

// Takes over: blends from the present torques and motion to those of the laws.
void Executive::join(double now) {
  const DrivenJoints& driven = controller_.options().driven;
  const State& desired = controller_.reference();
  double duration = kJoin;
  for (int k = 0; k < driven.size(); ++k) {
    constexpr double kQuinticPeak = 1.875;  // peak speed of the quintic from rest to rest, relative to its mean
    const double way = std::abs(y_.q[k] - desired.q[driven.q[k]]);
    duration = std::max(duration, kQuinticPeak * way / (kJoinSpeed * limits_.speed[k]));
  }
  if (controller_.take_over(shown_ = y_, acting_, duration, kFade) != Status::ok) return stop(StopReason::failed, now);
  torque_ = acting_;
  listening_ = false;
  heard_ = now;
}

// One update per sample of the machine.
void Executive::advance(double now) {
  const long sample = std::lround(gate_.packet().time * controller_.options().rate);
  if (!fresh_) {
    const bool waiting = (gate_.packet().flags & kWaiting) != 0;
    if (waiting || blind_ >= kMaxBlind) return;
    ++blind_;
    ++blind_total_;
    update(done_ - sample, now);
    return;
  }
  blind_ = 0;
  for (int k = 0; k < kMaxUpdates && done_ <= sample && stop_ == StopReason::none; ++k) update(done_ - sample, now);
}

// Requires speeds within the limits, and positions reachable at these speeds.
void Executive::check_readings(double now) {
  const bool known = gate_.accepted() > 1;
  const double elapsed = y_.t - before_.t + controller_.period();
  for (Eigen::Index k = 0; k < y_.v.size(); ++k) {
    const double most = limits_.speed[k] + speed_noise_[k];
    const bool leaps = known && std::abs(y_.q[k] - before_.q[k]) > most * elapsed + 2 * noise_[k];
    if (leaps) stop_for(StopReason::implausible, k, now);
    if (std::abs(y_.v[k]) > most) stop_for(StopReason::speed, k, now);
  }
}

// Checks the observer, which the previous update propagated to this sample.
bool Executive::check_innovations(double now) {
  if (!controller_.options().estimates()) return true;
  const VectorXd& expected = controller_.estimate().v;
  for (Eigen::Index k = 0; k < y_.v.size(); ++k) {
    const double off = std::abs(shown_.v[k] - expected[controller_.options().driven.v[static_cast<std::size_t>(k)]]);
    if (off <= kMaxSpeedInnovation * limits_.speed[k] + speed_noise_[k]) continue;
    stop_for(StopReason::innovation, k, now);
    return false;
  }
  return true;
}

// One sample of the controller, `shift` periods after the newest measurement.  If the measurement is of another time,
// the joints are extrapolated by the observer, or at constant speed; the observer does not use these as readings.
void Executive::update(long shift, double now) {
  prepare(now);
  if (stop_ != StopReason::none) return;
  shown_ = y_;
  shown_.q += static_cast<double>(shift) * controller_.period() * y_.v;
  shown_.t = used_ = shift == 0 ? y_.t : used_;
  if (shift != 0 && controller_.options().estimates()) {
    const DrivenJoints& driven = controller_.options().driven;
    for (int k = 0; k < driven.size(); ++k) {
      shown_.q[k] = controller_.estimate().q[driven.q[k]];
      shown_.v[k] = controller_.estimate().v[driven.v[k]];
    }
  }
  if (!check_innovations(now)) return;
  if (shift == 0) controller_.set_acting(acting_);  // the last command may have been lost, or clipped at a limit
  ++updates_;
  ++done_;
  if (controller_.respond(shown_, new_torque_) != Status::ok) return stop(StopReason::failed, now);
  prepared_ = false;
  if (!new_torque_.allFinite()) return stop(StopReason::not_finite, now);
  if (controller_.innovation() > options_.max_innovation) return stop(StopReason::innovation, now);
  Eigen::Index worst = 0;
  if (controller_.errors().cwiseAbs().maxCoeff(&worst) > options_.max_error) {
    return stop_for(StopReason::error, worst, now);
  }
  torque_ = new_torque_;
  limit();
  for (Eigen::Index k = 0; k < torque_.size(); ++k) {  // the controller has cut it itself
    const bool cut = controller_.saturated()[static_cast<std::size_t>(k)] != 0;
    limited_ += cut && std::abs(torque_[k]) == limits_.effort[k] ? 1 : 0;
  }
  if (done_ <= counted_) missing_ += controller_.period() * torque_;  // of a period that has already begun
}

void Executive::prepare(double now) {
  if (!std::exchange(prepared_, true) && controller_.prepare() != Status::ok) stop(StopReason::failed, now);
}

// Gravity compensation at the last joint readings, with the bodies as at the start.
void Executive::weigh() {
  const DrivenJoints& driven = controller_.options().driven;
  for (int k = 0; k < driven.size() && begun(); ++k) still_.q[driven.q[k]] = y_.q[k];
  rnea_(still_, zero_, tau_);
  for (int k = 0; k < driven.size(); ++k) weight_[k] = std::isfinite(tau_[driven.v[k]]) ? tau_[driven.v[k]] : 0;
}

void Executive::brake(double now) {
  const bool seen = now - arrived_ <= (kMaxBlind + 0.5) * controller_.period();
  bool moves = false;
  for (Eigen::Index k = 0; k < torque_.size(); ++k) {
    moves = moves || std::abs(y_.v[k]) > kRest * limits_.speed[k] + speed_noise_[k];
  }
  if (release_time_ < 0 && (!seen || !moves || now - stop_time_ > kLongestStop)) release_time_ = now;
  const double share = release_time_ < 0 ? 1 : std::max(0.0, 1 - (now - release_time_) / options_.ramp);
  for (Eigen::Index k = 0; k < torque_.size(); ++k) {
    const double v = seen ? std::clamp(y_.v[k], -limits_.speed[k], limits_.speed[k]) : 0;
    torque_[k] = share * (weight_[k] - brakes_[k] * v);
  }
  if (actuation_.set(still_) == Status::ok)
    actuation_.to_inputs(torque_, torque_);
  else
    torque_.setZero();  // no lever arm
  limit();
}

void Executive::limit() {
  for (Eigen::Index k = 0; k < torque_.size(); ++k) {
    if (std::abs(torque_[k]) <= limits_.effort[k]) continue;
    torque_[k] = std::copysign(limits_.effort[k], torque_[k]);
    ++limited_;
  }
}

// Compares the impulses of the commands that the machine reports, up to the end of the period that begins, with those
// sent.  Both are bitwise equal if no command was lost.
void Executive::count() {
  const long sample = std::lround(gate_.packet().time * controller_.options().rate);
  if (sample < counted_) return;  // updates have continued without it
  const auto held = gate_.b().tail(held_.size());
  if (gate_.packet().answer >= command_.sequence) {
    prompt_ = sample;
    ++prompts_;
  }
  // Start again while a machine waits for its first command, if it reports no impulses, or if all commands arrive late,
  // which does not mean that they are lost.
  const bool anew = told_ < 1 || listening_ || held.isZero(0) || sample - std::min(told_, prompt_) > kImpulsePeriods;
  const double periods = kImpulsePeriods * controller_.period();
  if (anew) missing_.setZero();
  if (!anew)
    missing_ = (missing_ + held_ - held).cwiseMin(periods * limits_.effort).cwiseMax(-periods * limits_.effort);
  held_ = held;
  counted_ = told_ = sample;
}

// Commands to send: the torques of the laws, plus a share of the impulse missing from earlier commands.
void Executive::make_up() {
  if (updates_ == 0 && stop_ == StopReason::none) return;
  sent_ = torque_;
  if (stop_ != StopReason::none || done_ != counted_ + 1) return;
  const double period = controller_.period();
  for (Eigen::Index k = 0; k < sent_.size(); ++k) {
    sent_[k] = std::clamp(torque_[k] + kImpulseShare / period * missing_[k], -limits_.effort[k], limits_.effort[k]);
    missing_[k] += period * (torque_[k] - sent_[k]);
    held_[k] += period * sent_[k];
  }
  ++counted_;
}

std::span<const std::byte> Executive::encode(double now) {
  command_.session = gate_.session();
  gate_.expect_answers_to(++command_.sequence);
  command_.answer = gate_.packet().sequence;
  command_.time = gate_.packet().time;
  command_.taken = y_.t;
  command_.flags = stop_ != StopReason::none ? kStopped : std::uint16_t{0};
  if (joined_ && answered_ < first_) command_.flags |= kJoins;
  if (over(now)) command_.flags |= kEnding;
  for (std::size_t k = 0; k < command_.count; ++k) {
    command_.entries[k].a = sent_[static_cast<Eigen::Index>(k)];
    command_.entries[k].b = motor_current(controller_.options().servos[k], command_.entries[k].a);
  }
  return {bytes_.data(), encode_packet(command_, bytes_, options_.key.get())};
}

}  // namespace limber
