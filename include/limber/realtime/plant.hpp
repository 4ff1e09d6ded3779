// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/realtime/executive.hpp"

namespace limber {

// The drives and sensors of a machine on the link to its controller, without clock and socket.  Until the first command
// it is held by the torques of its static start.  Commands are held.  If none arrives within the hold time, one has a
// number that is not finite, or a joint comes near its velocity limit, the brakes close: torques -c v, within the
// limits of the joints.  c would stop the rigid machine within SafetyOptions::brake, but does not exceed the stability
// limit of a torque held for a period: the natural inertia over the period.
//   Brakes that closed for lack of commands open for a controller that joins; otherwise they stay closed.
//   Only the constructor allocates.
class PlantEnd {
 public:
  static constexpr double kSpeedShare = 0.5;  // of the velocity limit, above which it brakes

  // x: its initial state.  servos (driven coordinate): those of the machine, from commands to torques; empty:
  // ideal.  holding: (driven coordinate) the torques that hold it there; empty: none.  Throws InputError.
  PlantEnd(const Model& model, const DrivenJoints& driven, const LinkLimits& limits, const SensorOptions& sensors,
           double period, const SafetyOptions& options, std::uint64_t session, const State& x,
           std::vector<ServoOptions> servos = {}, const VectorXd& holding = {});

  // Processes a received datagram.  now: s, of any monotonic clock.
  PacketFault take(std::span<const std::byte> bytes, double now);
  // Writes the torques of the coming period into those of the whole machine; for actuators see actuator_force.
  void drive(const State& x, double now, Vec torques);
  double actuator_force(int element) const;  // N, of the last drive; 0: not driven
  // The measurement to send, with the torques of the last drive() and their total impulse up to the end of its
  // period.
  std::span<const std::byte> measure(const Measurement& y, double t, std::uint16_t flags = 0);

  bool commanded() const { return gate_.accepted() > 0; }   // a command has arrived
  bool braking() const { return brakes_ != Brakes::open; }  // the brakes are closed
  long joined() const { return joined_; }                   // controllers that took over from another
  bool controller_stopped() const { return commanded() && (gate_.packet().flags & kStopped) != 0; }  // as it reports
  bool controller_ended() const { return commanded() && (gate_.packet().flags & kEnding) != 0; }     // as it reports
  const std::string& failure() const { return failure_; }  // why the brakes closed
  PacketGate& gate() { return gate_; }                     // of the commands
  const DrivenJoints& driven() const { return driven_; }   // of the machine
  const LinkLimits& limits() const { return limits_; }     // of the joints
  const VectorXd& braking_gains() const { return c_; }     // (joint) torque per speed
  long limited() const { return limited_; }                // commanded torques that were limited
  // Applied torques, age of the command in s, state: 0 waiting, 1 commanded, 2 holding, 3 braking.
  std::vector<ExternalChannel> channels() const;

 private:
  enum class Brakes { open, closed, closed_for_good };
  void brake(Brakes how, const char* why, const char* joint = "");

  const Model& model_;
  const DrivenJoints& driven_;
  SafetyOptions options_;
  double period_;
  PacketGate gate_;
  Packet measurement_;
  PacketBytes bytes_;
  LinkLimits limits_;
  Servos servos_;
  Actuation actuation_;
  VectorXd holding_, c_, command_, torque_, age_, state_, slowing_;
  VectorXd impulse_;  // (driven coordinate) of the commands, within limits
  long limited_ = 0, joined_ = 0;
  double arrived_ = 0;
  Brakes brakes_ = Brakes::open;
  bool engaged_ = false, joins_ = false;  // commands drive the servos; the newest is from a joining controller
  std::string failure_;
};

}  // namespace limber
