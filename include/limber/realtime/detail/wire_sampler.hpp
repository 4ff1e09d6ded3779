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

inline constexpr int kMaxArrivals = 64;  // packets accepted in one period, so that a flood cannot block the loop

// Takes every received datagram, up to kMaxArrivals.  `End`: PlantEnd or Executive.
template <class End>
void take_arrivals(UdpSocket& link, End& end, double now) {
  for (int k = 0; k < kMaxArrivals && link.receive(); ++k) end.take(link.bytes(), now);
}

// The sampler of a plant in real time: it follows the real clock, and its torques come from the link.  It sends the
// first reading in every period until a command arrives, and calls `waits` with the seconds waited; if
// that returns false, or throws, it stops waiting.  All references must outlive it.
class WireSampler : public Sampler, public ActuatorForces {
 public:
  WireSampler(const Scenario& scenario, const DrivenJoints& driven, PlantEnd& end, UdpSocket& link,
              std::function<bool(double waited)> waits);

  double period() const override { return period_; }
  bool wants_accelerations() const override { return sensors_.wants_accelerations(); }
  Status sample(const State& x, const Kinematics& kin, ConstVec vdot, Vec torques) override;

  double actuator_force(int element) const override { return end_.actuator_force(element); }

  // Tells the controller that the machine has ended.
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
