// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/realtime.hpp"

#include <cmath>
#include <filesystem>

#include "apps/commands.hpp"
#include "apps/scenario_parts.hpp"
#include "limber/files/text_file.hpp"

namespace limber::apps {
namespace {

std::string time_cell(Nanoseconds value) {
  const double us = 1e-3 * static_cast<double>(value);
  return us < 9999.5 ? fmt::format("{:.1f} µs", us) : fmt::format("{:.1f} ms", 1e-3 * us);
}

// The key file must be readable by its owner only.
std::shared_ptr<LinkKey> read_key(const std::string& path) {
  const std::string text = read_text_file(path);
  using std::filesystem::perms;
  const perms others = perms::group_all | perms::others_all;
  if ((std::filesystem::status(path).permissions() & others) != perms::none)
    throw InputError(fmt::format("{}: other users can read this key; run `chmod 600 {}`", path, path));
  try {
    return std::make_shared<LinkKey>(std::as_bytes(std::span(text)));
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", path, e.what()));
  }
}

}  // namespace

void add_wire_options(CLI::App& sub, WireCommand& command, int own, int other) {
  const auto seconds = [&](const char* name, double& value, const char* what) {
    sub.add_option(name, value, fmt::format("{} (default {:g})", what, value))->type_name("SECONDS");
  };
  command.port = own;
  command.peer = fmt::format("127.0.0.1:{}", other);
  sub.add_option("SCENARIO", command.scenario, "scenario file with a controller; the same for both ends")->required();
  sub.add_option("--port", command.port, fmt::format("UDP port of this end (default {})", own))
      ->type_name("PORT")
      ->check(CLI::Range(1, 65535).description(""));
  sub.add_option("--bind", command.bind, "address to listen on (default 127.0.0.1, this machine only)")
      ->type_name("ADDRESS");
  sub.add_option("--peer", command.peer, fmt::format("the other end (default {})", command.peer))
      ->type_name("ADDRESS:PORT");
  sub.add_option(
         "--key", command.key,
         "file with the shared key of both ends; packets without its tag are refused; required when packets leave "
         "this machine")
      ->type_name("FILE");
  seconds("--wait", command.wait, "timeout for the connection to the other end");
  seconds("--hold", command.safety.hold,
          "time without packets during which the last torques are held, before a safe stop");
  sub.add_flag("--json", command.json, "print the report as JSON");
  sub.add_flag("-q,--quiet", command.quiet, "print nothing but warnings and errors");
}

void check_wire(WireCommand& command, const std::string& name) {
  const auto check = [&](bool good, const char* what) {
    if (!good) throw InputError(fmt::format("limber {}: {}", name, what));
  };
  check(std::isfinite(command.wait) && command.wait > 0, "--wait must be above 0 s");
  check(std::isfinite(command.duration) && command.duration >= 0, "--duration must be above 0 s");
  try {
    check_safety(command.safety);
    for (const Address& end : {parse_address(command.bind, {"", command.port}), parse_address(command.peer, {})}) {
      if (!command.key.empty() || !leaves_machine(end)) continue;
      throw InputError(fmt::format(
          "{} is not a loopback address, and packets that leave this machine need a shared key; make one with "
          "`head -c 32 /dev/urandom > link.key && chmod 600 link.key`, and give both ends --key link.key",
          end.host));
    }
    if (!command.key.empty()) command.safety.key = read_key(command.key);
  } catch (const InputError& e) {
    check(false, e.what());
  }
}

UdpSocket make_link(const WireCommand& command, int other) {
  return {{command.bind, command.port}, parse_address(command.peer, {"127.0.0.1", other})};
}

LinkLimits link_limits(const Scenario& scenario, const State& start) {
  return in_scenario(scenario, [&] {
    return make_link_limits(*scenario.model, driven_joints(scenario), scenario.control->options, start);
  });
}

Scenario read_controlled_scenario(const WireCommand& command) {
  Scenario scenario = read_scenario_argument(command.scenario);
  if (scenario.attitude)
    throw InputError(fmt::format("{}: controls an attitude; only controllers of joints run in real time",
                                 name_of_argument(command.scenario)));
  if (!scenario.control)
    throw InputError(fmt::format("{}: has no controller; add `control:` (see docs/scenario-format.md)",
                                 name_of_argument(command.scenario)));
  return scenario;
}

void tell_limits(const WireCommand& command, const LinkLimits& limits, const Model& model, const DrivenJoints& driven) {
  if (command.quiet) return;
  write_output(fmt::format("limits: {}{}\n", limits_text(limits, model, driven),
                           limits.derived ? " (from the desired motion, where the model has none)" : ""),
               stderr);
  const std::string note = release_text(limits, model, driven);
  if (!note.empty()) write_output("note: " + note + "\n", stderr);
}

void tell_notes(const WireCommand& command, const std::vector<std::string>& notes) {
  if (command.quiet) return;
  for (const std::string& note : notes) write_output("note: " + note + "\n", stderr);
}

void write_limits(JsonWriter& json, const LinkLimits& limits) {
  const auto numbers = [&](const char* key, const VectorXd& values) {
    json.key(key);
    json.numbers(values);
  };
  json.key("limits");
  json.begin_object();
  numbers("effort", limits.effort);
  numbers("velocity", limits.speed);
  json.end_object();
}

std::string packets_text(const PacketGate& gate) {
  std::string out = fmt::format("{} accepted", gate.accepted());
  for (int k = 1; k < kPacketFaults; ++k) {
    const auto fault = static_cast<PacketFault>(k);
    if (gate.count(fault) > 0) out += fmt::format(", {} refused: {}", gate.count(fault), to_string(fault));
  }
  return out;
}

void write_packets(JsonWriter& json, const char* key, const PacketGate& gate) {
  json.key(key);
  json.begin_object();
  for (int k = 0; k < kPacketFaults; ++k) {
    const auto fault = static_cast<PacketFault>(k);
    json.key(to_string(fault));
    json.number(static_cast<double>(gate.count(fault)));
  }
  json.end_object();
}

std::string timing_text(const Timing& timing, const Style& style) {
  Table table;
  table.column("").column("median", Table::Align::right).column("99 %", Table::Align::right);
  table.column("99.9 %", Table::Align::right).column("worst", Table::Align::right);
  const auto row = [&](const char* name, const Histogram& h) {
    table.row({name, time_cell(h.quantile(0.5)), time_cell(h.quantile(0.99)), time_cell(h.quantile(0.999)),
               time_cell(h.worst())});
  };
  row("period", timing.period);
  row("jitter", timing.jitter);
  if (timing.response.count() > 0) row("response", timing.response);
  row("computation", timing.computation);
  return table.render(style, table.size(), "lines");
}

void write_timing(JsonWriter& json, const Timing& timing) {
  const auto number = [&](const char* key, double value) {
    json.key(key);
    json.number(value);
  };
  const auto histogram = [&](const char* key, const Histogram& h) {
    json.key(key);
    json.begin_object();
    number("median", 1e-9 * static_cast<double>(h.quantile(0.5)));
    number("p99", 1e-9 * static_cast<double>(h.quantile(0.99)));
    number("p999", 1e-9 * static_cast<double>(h.quantile(0.999)));
    number("worst", 1e-9 * static_cast<double>(h.worst()));
    json.end_object();
  };
  json.key("timing");
  json.begin_object();
  number("cycles", static_cast<double>(timing.cycles));
  number("misses", static_cast<double>(timing.misses));
  number("longest_row_of_misses", static_cast<double>(timing.longest));
  number("skipped", static_cast<double>(timing.skipped));
  histogram("period", timing.period);
  histogram("jitter", timing.jitter);
  if (timing.response.count() > 0) histogram("response", timing.response);
  histogram("computation", timing.computation);
  json.end_object();
}

}  // namespace limber::apps
