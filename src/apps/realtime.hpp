// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "apps/commands.hpp"
#include "apps/json_writer.hpp"
#include "apps/terminal.hpp"
#include "limber/realtime/executive.hpp"
#include "limber/realtime/timing.hpp"
#include "limber/realtime/udp_socket.hpp"
#include "limber/scenario/scenario.hpp"

namespace limber::apps {

inline constexpr int kPlantPort = 47801, kControlPort = 47802;
inline constexpr int kPlantPriority = 40, kControlPriority = 50;

// Command-line options common to plant and controller.
struct WireCommand {
  std::string scenario, output;
  std::string bind = "127.0.0.1", peer;
  std::string key;  // file
  int port = 0;
  double duration = 0;  // s; 0: the scenario's, or until the other side ends
  double wait = 60;     // s, for the other side
  SafetyOptions safety;
  bool json = false, quiet = false;
  bool force = false;  // plant: start even if the disk has no room for the whole run
};
void add_wire_options(CLI::App& sub, WireCommand& command, int own, int other);
// Reads the key.  Throws InputError "limber NAME: ...".
void check_wire(WireCommand& command, const std::string& name);
UdpSocket make_link(const WireCommand& command, int other);
// The scenario with its controller, checked.
Scenario read_controlled_scenario(const WireCommand& command);

// start: of the controller's model.
LinkLimits link_limits(const Scenario& scenario, const State& start);
// Prints the limits of this side on standard error unless quiet.
void tell_limits(const WireCommand& command, const LinkLimits& limits, const Model& model, const DrivenJoints& driven);
void write_limits(JsonWriter& json, const LinkLimits& limits);

// Prints on standard error, unless quiet, why there is no real-time priority.
void tell_notes(const WireCommand& command, const std::vector<std::string>& notes);

// Counts of packets: "1200 accepted, 3 late".
std::string packets_text(const PacketGate& gate);
void write_packets(JsonWriter& json, const char* key, const PacketGate& gate);
// Median, 99 %, 99.9 % and worst of period, jitter and computation.
std::string timing_text(const Timing& timing, const Style& style);
void write_timing(JsonWriter& json, const Timing& timing);

}  // namespace limber::apps
