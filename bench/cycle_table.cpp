// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Time of a cycle of `limber control`, part by part: in a tight loop, once a millisecond after busy waiting, once a
// millisecond after sleeping, and after sleeping while other work has used the caches.
//   build/bench/cycle_table [bench/real-time.yaml]           median, 99 % and 99.9 % in microseconds
// Both ends of the wire are in this thread, connected by a real socket; the plant follows its desired motion.
#include <fmt/format.h>

#include <vector>

#include "limber/realtime/executive.hpp"
#include "limber/realtime/plant.hpp"
#include "limber/realtime/timing.hpp"
#include "limber/realtime/udp_socket.hpp"
#include "limber/scenario/scenario.hpp"

namespace {

using namespace limber;

enum class Gap { none, spin, sleep, evicted };
constexpr const char* kGaps[] = {"tight loop", "1 ms busy", "1 ms asleep", "1 ms asleep, caches used by others"};
constexpr const char* kParts[] = {"receive, decode", "update, encode", "send", "response", "prepare", "whole"};
constexpr int kCycles = 3000, kFirstPort = 47811;
constexpr std::size_t kOthers = std::size_t{4} << 20;  // bytes: more than the private caches of a core

struct Ends {
  Controller controller;
  LinkLimits limits;
  DrivenJoints driven;
  SafetyOptions safety;
  Executive executive;
  PlantEnd plant;
  UdpSocket here{{"127.0.0.1", kFirstPort}, {"127.0.0.1", kFirstPort + 1}},
      there{{"127.0.0.1", kFirstPort + 1}, {"127.0.0.1", kFirstPort}};

  explicit Ends(const Scenario& scenario)
      : controller(options_of(scenario)),
        limits(make_link_limits(*scenario.model, controller.options().driven, controller.options(),
                                make_zero_state(*scenario.model))),
        driven(find_driven_joints(*scenario.model, {})),
        safety(patient()),
        executive(controller, limits, safety),
        plant(*scenario.model, driven, limits, controller.options().sensors, controller.period(), safety, 1,
              make_zero_state(*scenario.model)) {
    if (controller.start(make_zero_state(*scenario.model)) != Status::ok) throw Error(controller.failure());
  }
  static SafetyOptions patient() {
    SafetyOptions out;
    out.hold = SafetyOptions::kLongest;
    return out;
  }
  static ControlOptions options_of(const Scenario& scenario) {
    ControlOptions out = scenario.control->options;
    out.latency = 1;
    return out;
  }
};

Nanoseconds wait(Gap gap, Nanoseconds until, std::vector<char>& others) {
  if (gap == Gap::sleep || gap == Gap::evicted) sleep_until(until - (gap == Gap::evicted ? 500'000 : 0));
  if (gap == Gap::evicted) {
    for (std::size_t k = 0; k < others.size(); k += 64) ++others[k];
    sleep_until(until);
  }
  while (gap == Gap::spin && now_ns() < until) {
  }
  return now_ns();
}

void run(const Scenario& scenario, Gap gap) {
  Ends ends(scenario);
  std::vector<char> others(kOthers);
  std::vector<Histogram> parts(std::size(kParts));
  Measurement y;
  VectorXd torques = VectorXd::Zero(scenario.model->nv);
  const double period = ends.controller.period();
  for (int k = 0; k < kCycles; ++k) {
    const double t = k * period;
    y.t = t;
    y.q = ends.driven.positions(ends.controller.reference());  // a period ahead: far within the limits
    y.v = ends.driven.speeds(ends.controller.reference());
    ends.plant.drive(make_zero_state(*scenario.model), t, torques);
    ends.there.send(ends.plant.measure(y, t));
    const Nanoseconds begin = wait(gap, now_ns() + 1'000'000, others);
    while (ends.here.receive()) ends.executive.take(ends.here.bytes(), t);
    const Nanoseconds received = now_ns();
    const std::span<const std::byte> command = ends.executive.cycle(t);
    const Nanoseconds updated = now_ns();
    ends.here.send(command);
    const Nanoseconds sent = now_ns();
    ends.executive.prepare(t);
    const Nanoseconds prepared = now_ns();
    while (ends.there.receive()) ends.plant.take(ends.there.bytes(), t);
    if (ends.executive.stopped() != StopReason::none) throw Error(to_string(ends.executive.stopped()));
    const Nanoseconds times[] = {received - begin, updated - received, sent - updated,
                                 sent - begin,     prepared - sent,    prepared - begin};
    for (std::size_t p = 0; p < parts.size() && k > kCycles / 10; ++p) parts[p].add(times[p]);
  }
  fmt::print("{}\n", kGaps[static_cast<int>(gap)]);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto us = [&](double share) { return 1e-3 * static_cast<double>(parts[p].quantile(share)); };
    fmt::print("  {:<16} {:8.1f} {:8.1f} {:8.1f}\n", kParts[p], us(0.5), us(0.99), us(0.999));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Scenario scenario = read_scenario(argc > 1 ? argv[1] : "bench/real-time.yaml");
    for (const std::string& note : {lock_memory(), ask_for_real_time(50)})
      if (!note.empty()) fmt::print("{}\n", note);
    for (const Gap gap : {Gap::none, Gap::spin, Gap::sleep, Gap::evicted}) run(scenario, gap);
  } catch (const Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}
