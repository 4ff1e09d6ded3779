// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "apps/json_writer.hpp"
#include "apps/terminal.hpp"
#include "limber/control/executive.hpp"
#include "limber/control/link.hpp"
#include "limber/control/timing.hpp"
#include "limber/files/scenario_file.hpp"

namespace limber::apps {

inline constexpr int kPlantPort = 47801, kControlPort = 47802;
inline constexpr int kPlantPriority = 40, kControlPriority = 50;
inline constexpr int kMostArrivals = 64;  // packets taken in one period: a flood must not keep a loop from its work

// What the two ends of the wire share on the command line.
struct WireCommand {
  std::string scenario, output;
  std::string bind = "127.0.0.1", peer;
  int port = 0;
  double duration = 0;  // s; 0: the scenario's, or until the other ends
  double wait = 60;     // s, for the other end
  SafetyOptions safety;
  bool json = false, quiet = false;
};
void add_wire_options(CLI::App& sub, WireCommand& command, int own, int other);
// Throws InputError "limber NAME: ...".
void check_wire(const WireCommand& command, const std::string& name);
UdpLink make_link(const WireCommand& command, int other);
// The scenario with its controller, checked.
Scenario read_controlled_scenario(const WireCommand& command);
// Where both ends take the machine to stand at t = 0.
State start_of(const Scenario& scenario);

// Every datagram that came, up to kMostArrivals.
template <class End>
void take_arrivals(UdpLink& link, End& end, double now) {
  for (int k = 0; k < kMostArrivals; ++k) {
    const UdpLink::Arrival arrival = link.receive();
    if (arrival == UdpLink::Arrival::none) return;
    if (arrival == UdpLink::Arrival::stranger)
      end.gate().refuse(PacketFault::stranger);
    else
      end.take(link.bytes(), now);
  }
}

// Counts of packets: "1200 accepted, 3 late".
std::string packets_text(const PacketGate& gate);
void write_packets(JsonWriter& json, const char* key, const PacketGate& gate);
// Median, 99 %, 99.9 % and worst of period, jitter and computation.
std::string timing_text(const Timing& timing, const Style& style);
void write_timing(JsonWriter& json, const Timing& timing);

}  // namespace limber::apps
