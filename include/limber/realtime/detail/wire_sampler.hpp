// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "limber/control/loop.hpp"
#include "limber/realtime/plant.hpp"
#include "limber/realtime/timing.hpp"
#include "limber/realtime/udp_socket.hpp"
#include "limber/scenario/scenario.hpp"

namespace limber {

inline constexpr int kMaxArrivals = 64;  // packets taken in one period: a flood must not keep a loop from its work

// Every datagram that came, up to kMaxArrivals.  `End`: PlantEnd or Executive.
template <class End>
void take_arrivals(UdpSocket& link, End& end, double now) {
  for (int k = 0; k < kMaxArrivals && link.receive(); ++k) end.take(link.bytes(), now);
}

// The controller of a plant in real time: its clock is the real one, its torques come from the wire.  It sends the
// first reading, period by period, until a command comes, and calls `waits` with the seconds since it began to; where
// that says false, or throws, it waits no more.  All references outlive it.
class WireSampler : public Sampler, public ActuatorForces {
 public:
  WireSampler(const Scenario& scenario, const DrivenJoints& driven, PlantEnd& end, UdpSocket& link,
              std::function<bool(double waited)> waits);

  double period() const override { return period_; }
  bool wants_accelerations() const override { return sensors_.wants_accelerations(); }
  Status sample(const State& x, const Kinematics& kin, ConstVec vdot, Vec torques) override;

  double actuator_force(int element) const override { return end_.actuator_force(element); }

  // Tells the controller that the machine ends.
  void say_goodbye();
  const Timing& timing() const { return clock_.timing(); }

 private:
  void await_controller(double t);

  PlantEnd& end_;
  UdpSocket& link_;
  std::function<bool(double)> waits_;
  Sensors sensors_;
  double period_;
  CycleClock clock_;
  Measurement y_;
  double last_ = 0;
};

}  // namespace limber
