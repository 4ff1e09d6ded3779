// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/realtime/executive.hpp"

namespace limber {

// The drives and sensors of a machine on the wire to its controller: without clock and socket.  Until the first command
// it is held by the torques of its static start.  Commands are held; when none comes for the hold time, one has a
// number that cannot be, or a joint comes near its velocity limit, the brakes close: torques -c v, within the limits of
// the joints.  c would stop the joint within SafetyOptions::brake if nothing bent, but is never more than what a torque
// held for a period can brake: the natural inertia over the period.
//   Brakes that closed because nobody commands open for a controller that joins; all others are closed for good.
//   No allocation but in the constructor.
class PlantEnd {
 public:
  static constexpr double kSpeedShare = 0.5;  // of the velocity limit: faster, it brakes

  // x: where it stands.  servos (driven coordinate): those of the machine, which make torques of commands; empty:
  // ideal.  holding: (driven coordinate) the torques that hold it there; empty: none.  Throws InputError.
  PlantEnd(const Model& model, const DrivenJoints& driven, const LinkLimits& limits, const SensorOptions& sensors,
           double period, const SafetyOptions& options, std::uint64_t session, const State& x,
           std::vector<ServoOptions> servos = {}, const VectorXd& holding = {});

  // A datagram that came.  now: s, of any clock that only runs forward.
  PacketFault take(std::span<const std::byte> bytes, double now);
  // Torques of the coming period, into those of the whole machine; those of actuators: actuator_force.
  void drive(const State& x, double now, Vec torques);
  double actuator_force(int element) const;  // N, of the last drive; 0: not driven
  // The measurement to be sent, with the torques of the last drive() and the impulse of all up to the end of its
  // period.
  std::span<const std::byte> measure(const Measurement& y, double t, std::uint16_t flags = 0);

  bool commanded() const { return gate_.accepted() > 0; }   // a command has arrived
  bool braking() const { return brakes_ != Brakes::open; }  // the brakes are closed
  long joined() const { return joined_; }                   // controllers that took over from another
  bool controller_stopped() const { return commanded() && (gate_.packet().flags & kStopped) != 0; }  // it says so
  bool controller_ended() const { return commanded() && (gate_.packet().flags & kEnding) != 0; }     // it says so
  const std::string& failure() const { return failure_; }  // why the brakes closed
  PacketGate& gate() { return gate_; }                     // of the commands
  const DrivenJoints& driven() const { return driven_; }   // of the machine
  const LinkLimits& limits() const { return limits_; }     // of the joints
  const VectorXd& braking_gains() const { return c_; }     // (joint) torque per speed
  long limited() const { return limited_; }                // commanded torques that a limit cut
  // applied torques, age of the command in s, state: 0 waits, 1 commanded, 2 holds, 3 brakes.
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
  bool engaged_ = false, joins_ = false;  // commands drive the servos; the newest is of a controller that joins
  std::string failure_;
};

}  // namespace limber
