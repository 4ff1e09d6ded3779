// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "limber/control/controller.hpp"
#include "limber/control/element_rnea.hpp"
#include "limber/realtime/limits.hpp"
#include "limber/realtime/packet.hpp"

namespace limber {

// Failure handling of both ends of the link.  docs/real-time.md, Failures.
struct SafetyOptions {
  static constexpr double kLongest = 10;  // s, of the next three
  double hold = 0.02;                     // s without a packet in which the last torques are held
  double ramp = 0.2;                      // s in which gravity compensation falls to zero after a safe stop
  double brake = 0.2;                     // s: time constant of the brakes for the rigid machine
  int max_misses = 10;                    // consecutive missed deadlines
  double max_innovation = 0.1;            // rad or m: measured minus predicted joint position
  double max_error = std::numeric_limits<double>::infinity();  // rad or m: tracking error
  std::shared_ptr<LinkKey> key;                                // of the tags of packets; null: none
};
// Throws InputError.  period: s, of the controller; 0: not known yet.
void check_safety(const SafetyOptions& options, double period = 0);

// Why a controller stopped.
enum class StopReason {
  none,
  ended,        // the machine ended normally
  finished,     // its duration is over
  interrupted,  // by the user
  silent,       // no measurement came for the hold time
  machine,      // the machine is in its safe stop
  deadlines,    // too many consecutive ones were missed
  not_finite,   // a reading or a torque is not finite
  speed,        // a joint is faster than its limit
  innovation,   // the machine deviates from the model
  error,        // a joint is too far from its desired position
  failed,       // the controller failed: Controller::failure()
  implausible,  // a joint moved farther between two readings than its velocity limit allows
  unheard       // the machine does not take the commands
};
const char* to_string(StopReason stop);  // for a message

// The work of a controller in every period, without clock and socket.  take(), cycle() and prepare()
// neither allocate nor block.  Its time is that of the machine, taken from packets: one update of the controller for
// each sample of the machine.  If a measurement is missing, up to kMaxBlind updates extrapolate the motion of the
// joints; after that the torques are held.  If several are missing, it catches up by kMaxUpdates per period.
//   Lost commands deprive the joints of a part of the impulse that the laws demand.  The machine reports
// the impulse of the commands that it held, and the next ones compensate for the missing part, kImpulseShare of it per
// period. (Not where all of them are late.)
//   A moving machine that another controller has commanded before is joined: the executive listens, without
// commands, until its observer has followed the machine for kListen and the reference has reached the time of the
// machine; then it takes over from the acting torques, Controller::take_over.
//   A safe stop brakes: -c v and gravity compensation at the position of the stop, within the limits, until the joints
// are at rest, no longer measured, or kLongestStop is over; then gravity compensation falls to zero.
class Executive {
 public:
  static constexpr int kMaxBlind = 2, kMaxUpdates = 2;
  static constexpr double kMaxSpeedInnovation = 0.5;  // of the velocity limit
  static constexpr double kRest = 0.02;               // of the velocity limit
  static constexpr double kBrakingShare = 0.25;  // of the natural inertia over the period, because its torques act late
  static constexpr double kLongestStop = 30;     // s
  static constexpr double kListen = 0.25;        // s; and 20 periods at least
  static constexpr double kJoin = 1;             // s, minimum time for joints to join the desired motion
  static constexpr double kJoinSpeed = 0.15;     // of the velocity limit, at most
  static constexpr double kFade = 0.5;           // s in which the torques found at takeover fade
  static constexpr double kImpulseShare = 0.2;   // share of the lost impulse, per period
  static constexpr int kImpulsePeriods = 10;     // periods without a measurement, or a prompt command: no compensation

  // The controller must have been started.  Its commands are numbered from `ahead`, or that much above those of the
  // previous controller: a random number there prevents recorded measurements from passing as answers.
  // Throws InputError.
  Executive(Controller& controller, const LinkLimits& limits, const SafetyOptions& options, std::uint32_t ahead = 0);

  // Processes a received datagram.  now: s, of any monotonic clock.
  PacketFault take(std::span<const std::byte> bytes, double now);
  // The work of one period; returns the command to send, empty while it listens.
  std::span<const std::byte> cycle(double now);
  // Call it after the command is sent: computes everything for the next one that does not need its reading,
  // Controller::prepare.
  void prepare(double now);
  // Consecutive missed deadlines up to the previous period.
  void watch(long misses_in_a_row, double now);
  // Starts a safe stop; the first reason counts.
  void stop(StopReason reason, double now);

  bool begun() const { return gate_.accepted() > 0; }  // a measurement has arrived
  StopReason stopped() const { return stop_; }         // the reason, or none
  bool joined() const { return joined_; }              // it took over a moving machine, or will
  bool listening() const { return listening_; }        // it has not taken over yet
  // Whether it has stopped and the torques are zero.
  bool over(double now) const;
  const std::string& joint() const { return joint_; }  // the joint that caused the stop; empty: none
  PacketGate& gate() { return gate_; }
  const VectorXd& torques() const { return sent_; }  // (driven coordinate) last sent
  double machine_time() const { return gate_.packet().time; }
  double age(double now) const { return now - arrived_; }  // s since the last measurement
  int updates() const { return updates_; }                 // of the controller in the last cycle
  long blind() const { return blind_total_; }              // updates without a measurement
  long doubled() const { return doubled_; }                // measurements that arrived together with the next one
  long prompt() const { return prompts_; }                 // measurements of samples that began with the newest command
  long limited() const { return limited_; }                // torques limited by a joint limit

 private:
  void begin(double now);
  void hear(double now);
  void listen(double now);
  void join(double now);
  void advance(double now);
  void check_readings(double now);
  bool check_innovations(double now);
  void stop_for(StopReason reason, Eigen::Index joint, double now);
  void update(long shift, double now);
  void weigh();
  void brake(double now);
  void limit();
  void count();
  void make_up();
  std::span<const std::byte> encode(double now);

  Controller& controller_;
  SafetyOptions options_;
  PacketGate gate_;
  Packet command_;
  PacketBytes bytes_;
  LinkLimits limits_;
  Measurement y_, before_, shown_;  // newest; that before; as the controller gets it
  VectorXd noise_, speed_noise_;    // (driven coordinate) of readings
  VectorXd torque_, new_torque_;    // (driven coordinate) of the laws, within limits
  VectorXd sent_;                   // (driven coordinate) the same, with what makes up for lost ones
  VectorXd held_, missing_;         // (driven coordinate) impulse of the commands that the machine holds, and of what
                                    // the laws want beyond, up to the end of the period that begins with sample
  long counted_ = -1, told_ = -1;   // this one; the newest that a measurement reported, rather than predicted
  long prompt_ = -1;                // sample that began with the newest command
  VectorXd acting_;                 // (driven coordinate) torques of the machine, as reported by the newest measurement
  VectorXd brakes_, weight_;        // (driven coordinate) torque per speed; torque at the place of a stop
  ElementRnea rnea_;
  Actuation actuation_;
  State still_;
  VectorXd zero_, tau_;  // (nv)
  std::string joint_;
  StopReason stop_ = StopReason::none;
  double arrived_ = 0, stop_time_ = 0, release_time_ = -1;  // release: of the weight; below 0: not yet
  double heard_ = 0;                                        // when a measurement last reported a newer accepted command
  std::uint64_t ahead_, first_ = 0, answered_ = 0;          // sequences: first command, newest that was taken
  bool fresh_ = false, listening_ = false, joined_ = false;
  bool prepared_ = true;  // since the last update
  long done_ = 0;         // updates up to now
  double used_ = 0;       // s, when the last reading that the controller got was taken
  long listened_ = 0;     // samples
  int blind_ = 0, updates_ = 0;
  long blind_total_ = 0, limited_ = 0, doubled_ = 0, prompts_ = 0;
};

}  // namespace limber
