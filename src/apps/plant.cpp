// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/realtime/plant.hpp"

#include <memory>

#include "apps/commands.hpp"
#include "apps/interrupt.hpp"
#include "apps/progress.hpp"
#include "apps/realtime.hpp"
#include "apps/scenario_parts.hpp"
#include "limber/realtime/detail/wire_sampler.hpp"

namespace limber::apps {
namespace {

constexpr const char* kPlantExample = R"(Example:
  limber plant examples/canadarm/controlled.yaml -o arm.h5
  limber control examples/canadarm/controlled.yaml

Simulates the machine of the scenario in real time. Once per period it sends its sensor readings to `limber control` in
another process, and drives its joints with the torques that it receives. It is held at rest until the first command.
Without commands it holds the last torques for a while, then brakes until a new controller takes over. It brakes
permanently when a joint comes near its velocity limit. The recording is that of `limber run`, with the applied torques and
the age of commands. The exit code is 0 if the run came to its end and was not braking then. See docs/real-time.md.)";

constexpr double kPlantPatience = 0.5;  // s of waiting before a message

struct PlantReport : RecordedRun {
  const Scenario& scenario;
  Timing timing;
  std::string note;  // reason why it has no real-time priority
};

// "finished", "interrupted", "braked: ...".
std::string end_text(const PlantReport& report, const PlantEnd& end) {
  const std::string ended = ended_text(report.result);
  if (end.braking()) return fmt::format("{}; braked: {}", ended, end.failure());
  return end.controller_stopped() ? ended + "; braked: the controller stopped" : ended;
}

void print_plant(const PlantReport& report, PlantEnd& end) {
  const Style style = style_for(stdout);
  const Timing& timing = report.timing;
  Table table;
  table.column("").column("", Table::Align::left, 160);
  const auto row = [&](const char* key, const std::string& value) { table.row({key, value}); };
  row("ended", end_text(report, end));
  row("simulated", fmt::format("{:.6g} of {:.6g} s, {} late samples, {} periods lost", report.result.t,
                               report.scenario.run.duration, timing.misses, timing.skipped));
  row("commands", packets_text(end.gate()));
  if (end.joined() > 0) row("joined", fmt::format("by {} controllers that took over", end.joined()));
  if (end.limited() > 0) row("torques", fmt::format("{} cut at limits", end.limited()));
  row("tracking", fmt::format("joint error {} rms, {} at most", short_number(report.tracking.rms().maxCoeff()),
                              short_number(report.tracking.largest.maxCoeff())));
  row("recording", report.recording.empty() ? "none: there was no record"
                                            : fmt::format("{}, {} record{}", report.recording, report.records,
                                                          report.records == 1 ? "" : "s"));
  write_output(style.bold(style.accent(fit(report.scenario.name, 96))) + "  plant\n" +
                   table.render(style, table.size(), "lines") + "\n" + timing_text(timing, style),
               stdout);
}

void print_plant_json(const PlantReport& report, PlantEnd& end) {
  JsonWriter json(stdout);
  const auto text = [&](const char* key, const std::string& value) {
    json.key(key);
    json.text(value);
  };
  const auto number = [&](const char* key, double value) {
    json.key(key);
    json.number(value);
  };
  json.begin_object();
  text("scenario", report.scenario.name);
  text("ended", end_text(report, end));
  json.key("braked");
  json.boolean(end.braking() || end.controller_stopped());
  number("time", report.result.t);
  number("duration", report.scenario.run.duration);
  write_timing(json, report.timing);
  write_packets(json, "commands", end.gate());
  write_limits(json, end.limits());
  number("torques_limited", static_cast<double>(end.limited()));
  number("joined", static_cast<double>(end.joined()));
  number("rms_error", report.tracking.rms().maxCoeff());
  number("largest_error", report.tracking.largest.maxCoeff());
  text("recording", report.recording);
  number("records", static_cast<double>(report.records));
  text("note", report.note);
  json.end_object();
  json.finish();
}

// Reports after a while what it waits for; throws at the timeout.
bool keep_waiting(const WireCommand& command, PlantEnd& end, double waited, bool& told) {
  if (!told && waited > kPlantPatience) {
    write_output(fmt::format("waiting for the controller; start `limber control {}`\n", command.scenario), stderr);
    told = true;
  }
  if (waited < command.wait) return !stop_requested();
  throw InputError(
      fmt::format("limber plant: no controller at {} answered for {:g} s ({}); start `limber control {}`, or see "
                  "--peer, --port",
                  command.peer, command.wait, packets_text(end.gate()), command.scenario));
}

PlantReport simulate_plant(const WireCommand& command, const Scenario& scenario, const DrivenJoints& hinges,
                           PlantEnd& end, UdpSocket& link) {
  PlantReport report{{}, scenario, {}, ask_for_real_time(kPlantPriority)};
  if (!report.note.empty()) tell_notes(command, {report.note});
  const StopOnSignal stop;
  Progress progress(scenario.run.duration, !command.quiet);
  RunOutputs outputs{.recording = command.output, .force = command.force};
  outputs.go_on = [&](double t) {
    progress.update(t);
    return !stop_requested();
  };
  RunRecorder recorder(scenario, outputs, end.channels());
  bool told = command.quiet;
  auto sampler = std::make_unique<WireSampler>(scenario, hinges, end, link,
                                               [&](double waited) { return keep_waiting(command, end, waited, told); });
  WireSampler& wire = *sampler;
  Simulation simulation(scenario, std::move(sampler));
  static_cast<RecordedRun&>(report) = recorder(simulation);
  wire.say_goodbye();
  report.timing = wire.timing();
  return report;
}

int plant(WireCommand command) {
  check_wire(command, "plant");
  Scenario scenario = read_controlled_scenario(command);
  if (command.duration > 0) scenario.run.duration = command.duration;
  const DrivenJoints hinges = driven_joints(scenario);
  VectorXd holding;  // at a static start
  const State there = start_state(scenario, nullptr, &holding);
  const State start = translate_state(*scenario.model, there, *scenario.control->options.model);
  PlantEnd end = in_scenario(scenario, [&] {
    return PlantEnd(*scenario.model, hinges, link_limits(scenario, start), scenario.control->sensors,
                    1 / scenario.control->options.rate, command.safety, make_session_number(), there,
                    scenario.control->options.servos, holding.size() > 0 ? VectorXd(holding(hinges.v)) : VectorXd());
  });
  UdpSocket link = make_link(command, kControlPort);
  if (command.output.empty()) command.output = output_name(command.scenario, "-plant.h5");
  tell_limits(command, end.limits(), *scenario.model, hinges);
  const PlantReport report = simulate_plant(command, scenario, hinges, end, link);
  if (command.json)
    print_plant_json(report, end);
  else if (!command.quiet)
    print_plant(report, end);
  const bool good = report.complete() && !end.braking() && !end.controller_stopped();
  if (good) return 0;
  write_output(fmt::format("{}: {}\n", name_of_argument(command.scenario), end_text(report, end)), stderr);
  return 1;
}

}  // namespace

void add_plant(CLI::App& program, Action& action) {
  const auto command = std::make_shared<WireCommand>();
  CLI::App* sub = program.add_subcommand("plant", "simulate a machine in real time, for a controller elsewhere");
  add_wire_options(*sub, *command, kPlantPort, kControlPort);
  sub->add_option("-o,--output", command->output, "the recording (default: the scenario's name with -plant.h5, here)")
      ->type_name("FILE");
  sub->add_flag("--force", command->force, "start even if the disk has too little space for the whole run");
  sub->add_option("--duration", command->duration, "duration, instead of the scenario's")->type_name("SECONDS");
  sub->add_option("--brake", command->safety.brake,
                  "time constant of the brakes: they would stop the rigid machine in about this time (default 0.2)")
      ->type_name("SECONDS");
  sub->footer(kPlantExample);
  sub->callback([command, &action] { action = [command] { return plant(*command); }; });
}

}  // namespace limber::apps
