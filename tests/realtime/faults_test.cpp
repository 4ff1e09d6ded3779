// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The arm of examples/canadarm/controlled.yaml with packets that are late, wrong or forged.  In all cases torques and
// speeds of the plant stay within their limits at every sample.
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <numbers>
#include <random>

#include "limber/realtime/executive.hpp"
#include "limber/realtime/plant.hpp"
#include "limber/spatial/status.hpp"
#include "support/arm.hpp"

namespace limber::test {
namespace {

constexpr double kLineRate = 1000;
constexpr std::uint64_t kLineSession = 42;

// The example's controller: force correction, shaped for the slowest vibration.
ControlOptions make_control(const Model& model, double slew = kSlew) {
  ControlOptions out = make_slew(model, slew);
  out.rate = kLineRate;
  out.latency = 1;
  out.correction = TrackingOptions{0.5, 1};
  out.shaping = ShapingOptions{};
  return out;
}

using Bytes = std::vector<std::byte>;
Bytes copy(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

// A packet that passes every formal check, with other contents.
void forge(Bytes& bytes, const std::function<void(Packet&)>& change) {
  Packet packet;
  if (decode_packet(bytes, packet) != PacketFault::none) return;
  change(packet);
  PacketBytes out;
  const std::size_t size = encode_packet(packet, out);
  bytes.assign(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size));
}

// One direction of a line that loses, duplicates, delays, truncates, replays and forges packets; with the expected
// verdict of the receiver for each packet.
class BadWire {
 public:
  BadWire(unsigned seed, std::shared_ptr<LinkKey> key) : random_(seed), key_(std::move(key)) {}
  // The packets that arrive in this period.
  std::vector<Bytes> pass(const Bytes& bytes) {
    std::vector<Bytes> out;
    std::swap(out, delayed_);  // overtaken by the packet of this period
    const auto dice = [&](unsigned percent) { return random_() % 100 < percent; };
    sent_.push_back(bytes);
    if (dice(20)) {
      ++lost;
    } else if (dice(10)) {
      delayed_.push_back(bytes);
    } else {
      out.insert(out.begin(), bytes);
      if (dice(10)) out.push_back(bytes);
    }
    if (dice(10)) out.push_back(sent_[random_() % sent_.size()]);
    if (dice(10)) {
      out.push_back(bytes);
      out.back().resize(random_() % bytes.size());
    }
    if (dice(10)) out.push_back(forged(bytes));
    for (const Bytes& one : out) ++expected[static_cast<std::size_t>(judge(one))];
    return out;
  }
  long lost = 0;
  std::array<long, kPacketFaults> expected{};

 private:
  // Valid form, dangerous torques and speeds, and the tag of another secret, or none.
  Bytes forged(const Bytes& bytes) {
    Packet packet;
    const bool sealed = key_ != nullptr;
    EXPECT_EQ(decode_packet(std::span(bytes).first(bytes.size() - (sealed ? kTagBytes : 0)), packet),
              PacketFault::none);
    packet.sequence += 1000;
    for (std::size_t k = 0; k < packet.count; ++k) packet.entries[k].a = packet.entries[k].b = 1e9;
    if (!sealed) packet.session ^= 1;  // unknown to an outsider
    PacketBytes made;
    const std::size_t size = encode_packet(packet, made, sealed && random_() % 2 == 0 ? &other() : nullptr);
    return {made.begin(), made.begin() + static_cast<std::ptrdiff_t>(size)};
  }
  static LinkKey& other() {
    static const std::string kSecret = "not the secret of the two ends";
    static LinkKey key(std::as_bytes(std::span(kSecret)));
    return key;
  }
  PacketFault judge(const Bytes& bytes) {
    const std::size_t tag = key_ ? kTagBytes : 0;
    if (bytes.size() < sent_[0].size() && !(key_ && bytes.size() + tag == sent_[0].size())) {
      return key_ ? PacketFault::tag : PacketFault::length;
    }
    if (key_ && (bytes.size() < sent_[0].size() ||
                 !key_->verify(std::span(bytes).first(bytes.size() - tag), std::span(bytes).last<kTagBytes>()))) {
      return PacketFault::tag;
    }
    Packet packet;
    EXPECT_EQ(decode_packet(std::span(bytes).first(bytes.size() - tag), packet), PacketFault::none);
    if (packet.session != kLineSession) return PacketFault::session;
    if (packet.sequence == newest_) return PacketFault::repeated;
    if (packet.sequence < newest_) return PacketFault::late;
    newest_ = packet.sequence;
    return PacketFault::none;
  }
  std::mt19937 random_;
  std::shared_ptr<LinkKey> key_;
  std::vector<Bytes> sent_, delayed_;
  std::uint64_t newest_ = 0;
};

// Both ends over a line controlled by the test, with the plant's time as the clock.
class Line : public Sampler {
 public:
  explicit Line(const Model& m, double slew = kSlew, const SafetyOptions& safety = {})
      : model(m),
        driven(find_driven_joints(model, {})),
        limits(limits_of(slew)),
        control(options(slew)),
        controller(control),
        executive(controller, limits, safety),
        plant(model, driven, limits, {}, 1 / kLineRate, safety, kLineSession, make_zero_state(model)),
        sensors(model, driven, {}, 1 / kLineRate) {
    EXPECT_EQ(controller.start(make_zero_state(model)), Status::ok);
    peak_torque.setZero(driven.size());
    peak_speed = peak_torque;
  }
  double period() const override { return 1 / kLineRate; }
  Status sample(const State& x, const Kinematics& kin, ConstVec vdot, Vec torques) override {
    for (; !commands.empty() && commands.front().first <= x.t + 1e-9; commands.pop_front()) {
      if (bad_commands) {
        for (const Bytes& one : bad_commands->pass(commands.front().second)) plant.take(one, x.t);
      } else {
        plant.take(commands.front().second, x.t);
      }
    }
    plant.drive(x, x.t, torques);
    Bytes measurement = copy(plant.measure(sensors.read(x, kin, vdot), x.t));
    if (spoil_measurement) spoil_measurement(x.t, measurement);
    if (bad_measurements) {
      for (const Bytes& one : bad_measurements->pass(measurement)) executive.take(one, x.t);
    } else {
      executive.take(measurement, x.t);
    }
    Bytes command = copy(executive.cycle(x.t));
    if (spoil_command) spoil_command(x, command);
    if (!command.empty()) commands.emplace_back(x.t + delay, std::move(command));
    for (int k = 0; k < driven.size(); ++k) {
      peak_torque[k] = std::max(peak_torque[k], std::abs(torques[driven.v[k]]) / limits.effort[k]);
      peak_speed[k] = std::max(peak_speed[k], std::abs(x.v[driven.v[k]]) / limits.speed[k]);
    }
    last_speed = x.v(driven.v).cwiseQuotient(limits.speed).cwiseAbs().maxCoeff();
    for (int k = 0; k < driven.size(); ++k) {
      const double wanted = controller.options().desired[static_cast<std::size_t>(k)].at(x.t).value;
      max_error = std::max(max_error, std::abs(x.q[driven.q[k]] - wanted));
    }
    return Status::ok;
  }
  void run(double duration) {
    System system(model, {});
    RunListener none;
    const RunResult result = simulate(system, SolverOptions{}, {duration, 1}, make_zero_state(model), none, this);
    EXPECT_EQ(result.status, Status::ok) << result.failure;
    EXPECT_LE(peak_torque.maxCoeff(), 1);
    EXPECT_LE(peak_speed.maxCoeff(), 1);
  }

  Model model;
  DrivenJoints driven;
  LinkLimits limits;
  ControlOptions control;
  Controller controller;
  Executive executive;
  PlantEnd plant;
  Sensors sensors;
  double delay = 1 / kLineRate;  // s, of commands
  std::function<void(double, Bytes&)> spoil_measurement;
  std::function<void(const State&, Bytes&)> spoil_command;
  std::deque<std::pair<double, Bytes>> commands;
  VectorXd peak_torque, peak_speed;  // (driven coordinate) relative to their limits
  double last_speed = 0;
  double max_error = 0;  // rad
  std::unique_ptr<BadWire> bad_measurements, bad_commands;

 private:
  LinkLimits limits_of(double slew) const {
    return make_link_limits(model, driven, make_control(model, slew), make_zero_state(model));
  }
  ControlOptions options(double slew) const {
    ControlOptions out = make_control(model, slew);
    limit_servos(limits, out);
    return out;
  }
};

// All faults at once, with and without a key: each packet is refused for its reason, and operation continues.
TEST(Faults, ABadLineIsCountedAndSurvived) {
  const std::string secret = "the secret of the two ends";
  for (const bool sealed : {true, false}) {
    if (sealed && !LinkKey::available()) continue;
    SafetyOptions safety;
    if (sealed) safety.key = std::make_shared<LinkKey>(std::as_bytes(std::span(secret)));
    Line line(make_arm({.damping = 0.01}), 8, safety);
    line.bad_measurements = std::make_unique<BadWire>(1, safety.key);
    line.bad_commands = std::make_unique<BadWire>(2, safety.key);
    line.run(9);
    EXPECT_EQ(line.executive.stopped(), StopReason::none) << to_string(line.executive.stopped());
    EXPECT_FALSE(line.plant.braking()) << line.plant.failure();
    EXPECT_LT(line.max_error, 3e-2);
    for (int k = 0; k < kPacketFaults; ++k) {
      const auto fault = static_cast<PacketFault>(k);
      const auto seen = static_cast<std::size_t>(k);
      EXPECT_EQ(line.executive.gate().count(fault), line.bad_measurements->expected[seen]) << to_string(fault);
      EXPECT_EQ(line.plant.gate().count(fault), line.bad_commands->expected[seen]) << to_string(fault);
    }
    EXPECT_GT(line.bad_measurements->lost, 1500);
    const PacketFault cut = sealed ? PacketFault::tag : PacketFault::length,
                      forged = sealed ? PacketFault::tag : PacketFault::session;
    for (const PacketFault fault : {PacketFault::repeated, PacketFault::late, cut, forged}) {
      EXPECT_GT(line.executive.gate().count(fault), 500);
      EXPECT_GT(line.plant.gate().count(fault), 500);
    }
  }
}

// Commands are late by at least one period; the shipped example tolerates two more and is stopped beyond.
TEST(Faults, LateCommands) {
  for (const int periods : {2, 3, 8}) {
    Line line(make_arm());
    line.delay = periods / kLineRate;
    line.run(8);
    EXPECT_EQ(line.executive.stopped() == StopReason::none, periods <= 3) << periods;
    if (periods > 3) {
      EXPECT_LT(line.last_speed, 0.05) << periods;
    }
  }
}

TEST(Faults, AReadingThatCannotBe) {
  for (const double speed : {100.0, -1e300, 0.2}) {
    Line line(make_arm());
    line.spoil_measurement = [&](double t, Bytes& bytes) {
      if (std::abs(t - 2) < 1e-6) forge(bytes, [&](Packet& packet) { packet.entries[1].b = speed; });
    };
    line.run(5);
    EXPECT_EQ(line.executive.stopped(), speed == 0.2 ? StopReason::innovation : StopReason::speed);
    EXPECT_EQ(line.executive.joint(), "elbow");
    EXPECT_LT(line.last_speed, 0.05);
  }
  Line line(make_arm());
  line.spoil_measurement = [&](double t, Bytes& bytes) {
    if (t > 2) forge(bytes, [&](Packet& packet) { packet.entries[0].a += 0.5; });
  };
  line.run(5);
  EXPECT_EQ(line.executive.stopped(), StopReason::implausible);
  EXPECT_LT(line.last_speed, 0.05);
}

// A hostile sender at the controller's port: full torque in one direction, in the other, and alternating.
TEST(Faults, HostileCommands) {
  for (const double slew : {kSlew, 8.0}) {  // the faster one bends the links more than it rotates them
    for (int kind = 0; kind < 6; ++kind) {
      Line line(make_arm(), slew);
      line.spoil_command = [&](const State& x, Bytes& bytes) {
        forge(bytes, [&](Packet& packet) {
          packet.flags = 0;
          for (int k = 0; k < 3; ++k) {
            const bool up = kind < 4    ? (kind >> k & 1) != 0
                            : kind == 4 ? (x.v[line.driven.v[k]] >= 0) == (k != 1)
                                        : std::fmod(x.t, 0.2) < 0.1;
            packet.entries[static_cast<std::size_t>(k)].a = up ? 1e9 : -1e9;
          }
        });
      };
      line.run(3);
      EXPECT_TRUE(line.plant.braking());
      EXPECT_GT(line.plant.limited(), 0);
      EXPECT_TRUE(line.plant.failure().starts_with("near its velocity limit: ")) << line.plant.failure();
    }
  }
}

TEST(Faults, TimeThatJumps) {
  for (const double jump : {-1.0, 1e6, 0.002}) {
    for (const bool once : {true, false}) {
      Line line(make_arm());
      const auto bad = [&](double t) { return once ? std::abs(t - 0.5) < 1e-6 : t > 0.5; };
      line.spoil_measurement = [&](double t, Bytes& bytes) {
        if (bad(t)) forge(bytes, [&](Packet& packet) { packet.time += jump, packet.taken += jump; });
      };
      line.run(0.7);
      EXPECT_EQ(line.executive.stopped(), once ? StopReason::none : StopReason::silent) << jump;
      EXPECT_EQ(line.executive.gate().count(PacketFault::time) == 1, once);
      Line other(make_arm());
      other.spoil_command = [&](const State& x, Bytes& bytes) {
        if (bad(x.t)) forge(bytes, [&](Packet& packet) { packet.time += jump; });
      };
      other.run(0.7);
      EXPECT_EQ(other.plant.braking(), !once) << jump;
      EXPECT_EQ(other.plant.gate().count(PacketFault::time) == 1, once);
    }
  }
}

TEST(Faults, TimeThatStands) {
  Line line(make_arm());
  double stood = 0;
  line.spoil_measurement = [&](double t, Bytes& bytes) {
    if (t <= 0.5) stood = t;
    forge(bytes, [&](Packet& packet) { packet.time = packet.taken = stood; });
  };
  line.run(0.7);
  EXPECT_EQ(line.executive.stopped(), StopReason::silent);
  // A plant that has moved does not wait again; and a controller does not start in the middle.
  Line other(make_arm());
  other.spoil_measurement = [&](double t, Bytes& bytes) {
    if (t > 0.5) forge(bytes, [&](Packet& packet) { packet.flags |= kWaiting; });
  };
  other.run(0.7);
  EXPECT_EQ(other.executive.stopped(), StopReason::silent);
  Line late(make_arm());
  late.spoil_measurement = [&](double t, Bytes& bytes) {
    if (t < 0.5) bytes.clear();
  };
  late.run(0.7);
  EXPECT_FALSE(late.executive.begun());
}

// ---- limits ----------------------------------------------------------------------------------------

TEST(LinkLimits, FollowFromTheDesiredMotion) {
  const Model model = make_arm();
  const DrivenJoints driven = find_driven_joints(model, {});
  const LinkLimits limits = make_link_limits(model, driven, make_control(model), make_zero_state(model));
  EXPECT_TRUE(limits.derived);
  // A cycloid of 60 degrees in 30 s has a maximum speed of 2 pi/3 / 30 s.
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(limits.speed[k], 4 * 2 * std::numbers::pi / 3 / kSlew, 1e-3);
  // Three straight rods that rotate together, at the acceleration of the shoulder, need about this effort.
  const double inertia = 140 * 12 + 85 * (49.0 / 12 + 9.5 * 9.5) + 95 * (4.0 / 12 + 14 * 14);
  const double acceleration = 2 * std::numbers::pi * (std::numbers::pi / 3) / (kSlew * kSlew);
  EXPECT_GT(limits.effort[0], 2 * inertia * acceleration);
  EXPECT_LT(limits.effort[0], 4 * inertia * acceleration);
}

TEST(LinkLimits, OfTheModelComeFirst) {
  Model machine = make_arm();
  const DrivenJoints driven = find_driven_joints(machine, {});
  const ControlOptions control = make_control(make_arm());
  machine.set_limits(1, 700, 0.3);
  machine.set_limits(2, 300, 0);
  const LinkLimits limits = make_link_limits(machine, driven, control, make_zero_state(machine));
  EXPECT_EQ(limits.effort[0], 700);
  EXPECT_EQ(limits.speed[0], 0.3);
  EXPECT_EQ(limits.effort[1], 300);
  EXPECT_GT(limits.speed[1], 0);
  EXPECT_EQ(release_text(limits, machine, driven), "");
  machine.set_limits(1, 1e5, 0.3);
  const LinkLimits wild = make_link_limits(machine, driven, control, make_zero_state(machine));
  EXPECT_NE(release_text(wild, machine, driven).find("shoulder up to"), std::string::npos);
}

TEST(LinkLimits, ThatFollowFromNothingAreAskedFor) {
  const Model model = make_arm();
  ControlOptions control = make_control(model);
  control.desired.assign(3, Signal());
  const DrivenJoints driven = find_driven_joints(model, {});
  try {
    make_link_limits(model, driven, control, make_zero_state(model));
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("limits: {effort: 100, velocity: 1}"), std::string::npos) << e.what();
  }
}

TEST(SafetyOptions, AreBounded) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (double SafetyOptions::*option : {&SafetyOptions::hold, &SafetyOptions::ramp, &SafetyOptions::brake}) {
    for (const double value : {0.0, -1.0, inf, nan, 10.5}) {
      SafetyOptions options;
      options.*option = value;
      EXPECT_THROW(check_safety(options), InputError);
    }
  }
  EXPECT_NO_THROW(check_safety({}));
  EXPECT_THROW(check_safety({}, 0.1), InputError);  // no packet could arrive in time
}

}  // namespace
}  // namespace limber::test
