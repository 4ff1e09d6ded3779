// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "limber/control/controller.hpp"
#include "limber/control/element_rnea.hpp"
#include "limber/realtime/limits.hpp"
#include "limber/realtime/packet.hpp"

namespace limber {

// What both ends of the wire do when something is wrong.  docs/real-time.md, Failures.
struct SafetyOptions {
  static constexpr double kLongest = 10;  // s, of the next three
  double hold = 0.02;                     // s without a packet in which the last torques are held
  double ramp = 0.2;                      // s in which a controller lets the weight go after a safe stop
  double brake = 0.2;                     // s in which brakes would stop a joint if nothing bent
  int max_misses = 10;                   // deadlines missed in a row
  double max_innovation = 0.1;           // rad or m: where joints are less where the observer expects them
  double max_error = std::numeric_limits<double>::infinity();  // rad or m: less where they should be
  std::shared_ptr<LinkKey> key;                                 // that packets must be tagged with; null: none
};
// Throws InputError.  period: s, of the controller; 0: not known yet.
void check_safety(const SafetyOptions& options, double period = 0);

// Why a controller stopped.
enum class StopReason {
  none,
  ended,        // the machine ended in order
  finished,     // its time is over
  interrupted,  // somebody asked
  silent,       // no measurement came for the hold time
  machine,      // the machine is in its safe stop
  deadlines,    // too many were missed in a row
  not_finite,   // a reading or a torque is no number
  speed,        // a joint is faster than its limit
  innovation,   // the machine deviates from the model
  error,        // a joint is too far from its desired position
  failed,       // the controller says that it cannot go on: Controller::failure()
  implausible,  // a joint moved farther between two readings than its velocity limit allows
  unheard       // the machine does not take the commands
};
const char* to_string(StopReason stop);  // for a message

// A controller between packets: what it does in every period, without clock and socket.  take(), cycle() and prepare()
// neither allocate nor wait.  Its time is the machine's, as packets tell it: one update of the controller for each
// sample of the machine.  Where a measurement is missing, up to kMaxBlind updates take the joints to move on as they
// did; after that the torques are held; where several are missing, it catches up by kMaxUpdates a period.
//   Commands that are lost leave the joints without a part of the impulse that the laws want of them. The machine tells
// the impulse of the commands that it held, and the next ones make up for what is missing, kMadeUp of it per period.
// (Not where all of them are late.)
//   A machine that another controller has commanded before, and that moves, is joined: the executive listens, without
// commands, until its observer has followed the machine for kListen and the reference has come to the machine's time;
// then it takes over from the torques that act, Controller::take_over.
//   A safe stop brakes: -c v and the weight at the place of the stop, within the limits, until the joints are at rest,
// unseen, or kLongestStop is over; then it lets the weight go.
class Executive {
 public:
  static constexpr int kMaxBlind = 2, kMaxUpdates = 2;
  static constexpr double kMaxSpeedInnovation = 0.5;  // of the velocity limit
  static constexpr double kRest = 0.02;                // of the velocity limit
  static constexpr double kBrakingShare = 0.25;        // of the natural inertia over the period: its torques act late
  static constexpr double kLongestStop = 30;           // s
  static constexpr double kListen = 0.25;              // s; and 20 periods at least
  static constexpr double kJoin = 1;                   // s in which joints come back to the desired motion, at least
  static constexpr double kJoinSpeed = 0.15;           // of the velocity limit, at most
  static constexpr double kFade = 0.5;                 // s in which the torques that it found fade
  static constexpr double kMadeUp = 0.2;               // of what lost commands left, per period
  static constexpr int kForgotten = 10;  // periods without a measurement, or a prompt command: nothing is made up

  // The controller must have been started.  Its commands count up from `ahead`, or that much above those of the
  // controller it takes over from: a random number there makes that recorded measurements cannot pass for answers.
  // Throws InputError.
  Executive(Controller& controller, const LinkLimits& limits, const SafetyOptions& options, std::uint32_t ahead = 0);

  // A datagram that came.  now: s, of any clock that only runs forward.
  PacketFault take(std::span<const std::byte> bytes, double now);
  // The work of one period: the command to be sent; empty while it listens.
  std::span<const std::byte> cycle(double now);
  // After the command is sent: what can be computed for the next before its reading, Controller::prepare.
  void prepare(double now);
  // Of the period before: missed deadlines in a row.
  void watch(long misses_in_a_row, double now);
  // A safe stop; the first reason counts.
  void stop(StopReason reason, double now);

  bool begun() const { return gate_.accepted() > 0; }  // a measurement has arrived
  StopReason stopped() const { return stop_; }         // why, or that it has not
  bool joined() const { return joined_; }              // it took over, or will, a machine that moved
  bool listening() const { return listening_; }        // not yet
  // Stopped, and torques are zero.
  bool over(double now) const;
  const std::string& joint() const { return joint_; }  // that a stop is about; empty: none
  PacketGate& gate() { return gate_; }
  const VectorXd& torques() const { return sent_; }  // (driven coordinate) last sent
  double machine_time() const { return gate_.packet().time; }
  double age(double now) const { return now - arrived_; }  // s since the last measurement
  int updates() const { return updates_; }                 // of the controller in the last cycle
  long blind() const { return blind_total_; }              // updates without a measurement
  long doubled() const { return doubled_; }                // measurements that came with the next one
  long prompt() const { return prompts_; }                 // measurements of samples that began with the newest command
  long limited() const { return limited_; }                // torques that a limit of a joint cut

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
  long counted_ = -1, told_ = -1;   // this one; the newest of which it is told, and not only believed
  long prompt_ = -1;                // sample that began with the newest command
  VectorXd acting_;                 // (driven coordinate) torques of the machine, as the newest measurement tells
  VectorXd brakes_, weight_;        // (driven coordinate) torque per speed; torque at the place of a stop
  ElementRnea rnea_;
  Actuation actuation_;
  State still_;
  VectorXd zero_, tau_;  // (nv)
  std::string joint_;
  StopReason stop_ = StopReason::none;
  double arrived_ = 0, stop_time_ = 0, release_time_ = -1;  // release: of the weight; below 0: not yet
  double heard_ = 0;                                        // when a measurement last told of a newer command taken
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
