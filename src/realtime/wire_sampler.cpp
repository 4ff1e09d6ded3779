// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/realtime/detail/wire_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {
namespace {

constexpr int kBehind = 5;      // periods of delay that are caught up; beyond, samples are skipped
constexpr int kFarewells = 20;  // repetitions of the final packet, in case of loss

}  // namespace

WireSampler::WireSampler(const Scenario& scenario, const DrivenJoints& driven, PlantEnd& end, UdpSocket& link,
                         std::function<bool(double waited)> waits)
    : end_(end),
      link_(link),
      waits_(std::move(waits)),
      sensors_(*scenario.model, driven, scenario.control->sensors, 1 / scenario.control->options.rate),
      period_(1 / scenario.control->options.rate),
      clock_(period_, kBehind) {}

Status WireSampler::sample(const State& x, const Kinematics& kin, ConstVec vdot, Vec torques) {
  y_ = sensors_.read(x, kin, vdot);
  if (!end_.commanded())
    await_controller(x.t);
  else
    clock_.end();
  const double now = 1e-9 * static_cast<double>(clock_.begin());
  take_arrivals(link_, end_, now);
  end_.drive(x, now, torques);
  link_.send(end_.measure(y_, x.t));
  last_ = x.t;
  return Status::ok;
}

void WireSampler::await_controller(double t) {
  const Nanoseconds step = std::llround(1e9 * period_), begin = now_ns();
  Nanoseconds next = begin;
  while (waits_(1e-9 * static_cast<double>(now_ns() - begin))) {
    link_.send(end_.measure(y_, t, kWaiting));
    next = std::max(next + step, now_ns());
    sleep_until(next);
    take_arrivals(link_, end_, 1e-9 * static_cast<double>(now_ns()));
    if (end_.commanded()) break;
  }
  clock_.first(next + step);
}

void WireSampler::say_goodbye() {
  for (int k = 0; k < kFarewells; ++k) {
    link_.send(end_.measure(y_, last_, kEnding));
    sleep_until(now_ns() + 1'000'000);
  }
}

}  // namespace limber
