// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <memory>

#include "apps/commands.hpp"
#include "apps/control_log.hpp"
#include "apps/interrupt.hpp"
#include "apps/progress.hpp"
#include "apps/realtime.hpp"
#include "apps/scenario_parts.hpp"
#include "limber/realtime/detail/wire_sampler.hpp"

namespace limber::apps {
namespace {

constexpr const char* kControlExample = R"(Example:
  limber plant examples/canadarm/controlled.yaml &
  limber control examples/canadarm/controlled.yaml -o control.csv

Runs the controller of the scenario at its rate, against `limber plant` in another process or on another machine; either
may start first. They exchange UDP packets, on this machine unless --bind and --peer say otherwise. All measurements and
commands go to a table; the report gives period, jitter and computation time. The controller ends with the plant. After a
safe stop (no packets, missed deadlines, a joint too fast, readings that deviate from the model) or Ctrl-C it brakes the
joints to rest; the exit code is then 1. See docs/real-time.md.)";

constexpr double kLead = 0.25;  // of a period, from the arrival of a measurement to the start of the next cycle
constexpr long kWindow = 200;   // cycles
constexpr long kMaxDoubled =
    10;  // measurements per window that may arrive after their cycle; more: cycles start too early
constexpr double kControlPatience = 0.5;  // s of waiting before a message
constexpr double kLogFlush = 0.5;         // s
constexpr int kLogDigits = 12;

struct ControlReport {
  const Scenario& scenario;
  const Controller& controller;
  const LinkLimits& limits;
  Executive& executive;
  Timing timing;
  std::vector<std::string> notes;
  std::string log;
  long left_out = 0;         // log rows lost
  double seconds = 0;        // of the loop
  double core = 0, all = 0;  // CPU load: of the loop, of all threads
  double joined = 0;         // s, time of the plant at takeover
  long delayed = 0;          // number of times that the cycle phase was delayed
};

double cpu_seconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * t.tv_usec; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

bool is_good(StopReason stop) { return stop == StopReason::ended || stop == StopReason::finished; }

std::string stop_text(const ControlReport& report) {
  const Executive& executive = report.executive;
  std::string out = to_string(executive.stopped());
  if (!executive.joint().empty()) out += fmt::format(" ({})", executive.joint());
  if (executive.stopped() == StopReason::failed) out += fmt::format(" ({})", report.controller.failure());
  return out;
}

void print_control(const ControlReport& report) {
  const Style style = style_for(stdout);
  const Timing& timing = report.timing;
  Table table;
  table.column("").column("", Table::Align::left, 160);
  const auto row = [&](const char* key, const std::string& value) { table.row({key, value}); };
  row("ended", fmt::format("{}, machine at t = {:.6g} s", stop_text(report), report.executive.machine_time()));
  row("cycles", fmt::format("{} in {}, {:.6g} Hz", timing.cycles, duration_text(report.seconds),
                            report.controller.options().rate));
  row("deadlines",
      fmt::format("{} missed, {} in a row at most, {} passed over", timing.misses, timing.longest, timing.skipped));
  row("measurements", packets_text(report.executive.gate()));
  if (report.executive.joined()) row("joined", fmt::format("a machine that moved, at t = {:.6g} s", report.joined));
  row("without one", fmt::format("{} updates", report.executive.blind()));
  if (report.executive.limited() > 0) row("torques", fmt::format("{} cut at limits", report.executive.limited()));
  row("core", fmt::format("{:.1f} % by the loop, {:.1f} % with the log", 100 * report.core, 100 * report.all));
  row("log", report.log + (report.left_out > 0 ? fmt::format(", {} rows left out", report.left_out) : ""));
  write_output(style.bold(style.accent(fit(report.scenario.name, 96))) + "  controller\n" +
                   table.render(style, table.size(), "lines") + "\n" + timing_text(timing, style),
               stdout);
}

void print_control_json(const ControlReport& report) {
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
  text("ended", stop_text(report));
  json.key("complete");
  json.boolean(is_good(report.executive.stopped()));
  number("rate", report.controller.options().rate);
  number("seconds", report.seconds);
  number("machine_time", report.executive.machine_time());
  json.key("joined");
  json.boolean(report.executive.joined());
  write_timing(json, report.timing);
  write_packets(json, "measurements", report.executive.gate());
  write_limits(json, report.limits);
  number("updates_without_measurement", static_cast<double>(report.executive.blind()));
  number("measurements_after_their_cycle", static_cast<double>(report.executive.doubled()));
  number("samples_with_the_newest_command", static_cast<double>(report.executive.prompt()));
  number("delayed_by_quarters", static_cast<double>(report.delayed));
  number("torques_limited", static_cast<double>(report.executive.limited()));
  number("core_share", report.core);
  number("core_share_with_log", report.all);
  text("log", report.log);
  number("rows_left_out", static_cast<double>(report.left_out));
  json.key("notes");
  json.texts(report.notes);
  json.end_object();
  json.finish();
}

// Waits for the first valid measurement; false: interrupted.
bool await_plant(const WireCommand& command, UdpSocket& link, Executive& executive) {
  const Nanoseconds begin = now_ns();
  bool told = command.quiet;
  while (!stop_requested()) {
    link.wait(0.05);
    const double now = 1e-9 * static_cast<double>(now_ns());
    take_arrivals(link, executive, now);
    if (executive.begun()) {
      link.wait(0.05);  // wait for a fresh one: cycles start shortly after arrivals
      return true;
    }
    const double waited = 1e-9 * static_cast<double>(now_ns() - begin);
    if (!told && waited > kControlPatience) {
      write_output(fmt::format("waiting for the plant; start `limber plant {}`\n", command.scenario), stderr);
      told = true;
    }
    if (waited < command.wait) continue;
    throw InputError(
        fmt::format("limber control: no plant at {} sent measurements for {:g} s ({}); start `limber plant {}`, or see "
                    "--peer, --port",
                    command.peer, command.wait, packets_text(executive.gate()), command.scenario));
  }
  return false;
}

// The control loop: no allocation, no waiting for other threads, no file access.
void run_loop(const WireCommand& command, double period, UdpSocket& link, Executive& executive, ControlLog& log,
              ControlReport& report) {
  const double begin = 1e-9 * static_cast<double>(now_ns()), cpu = cpu_seconds(RUSAGE_THREAD);
  const double cpu_all = cpu_seconds(RUSAGE_SELF);
  CycleClock clock(period);
  clock.first(now_ns() + std::llround(1e9 * kLead * period));
  double now = begin;
  long doubled = 0;  // measurements that arrived after their cycle, before this window
  while (!executive.over(now)) {
    now = 1e-9 * static_cast<double>(clock.begin());
    take_arrivals(link, executive, now);
    if (stop_requested()) executive.stop(StopReason::interrupted, now);
    if (command.duration > 0 && now - begin > command.duration) executive.stop(StopReason::finished, now);
    const bool listened = executive.listening();
    if (const std::span<const std::byte> command_bytes = executive.cycle(now); !command_bytes.empty())
      link.send(command_bytes);
    clock.respond();
    executive.prepare(now);
    if (listened && !executive.listening()) report.joined = executive.machine_time();
    const Nanoseconds computation = now_ns() - clock.started();
    log.add(now, 1e-9 * static_cast<double>(clock.lateness()), 1e-9 * static_cast<double>(computation), executive);
    clock.end();
    executive.watch(clock.timing().row, now);
    if (clock.timing().cycles % kWindow != 0) continue;
    if (executive.doubled() - doubled > kMaxDoubled) {
      clock.delay(std::llround(1e9 * kLead * period));
      ++report.delayed;
    }
    doubled = executive.doubled();
  }
  report.seconds = now - begin;
  report.core = (cpu_seconds(RUSAGE_THREAD) - cpu) / report.seconds;
  report.all = (cpu_seconds(RUSAGE_SELF) - cpu_all) / report.seconds;
  report.timing = clock.timing();
}

int control(WireCommand command) {
  check_wire(command, "control");
  const Scenario scenario = read_controlled_scenario(command);
  const ControlScenario& control = *scenario.control;
  VectorXd holding;  // at a static start
  const State there = start_state(scenario, nullptr, &holding);
  const State start = translate_state(*scenario.model, there, *control.options.model);
  const LinkLimits limits = link_limits(scenario, start);
  const auto controller = in_scenario(scenario, [&] {
    ControlOptions options = control.options;
    options.latency = 1;
    limit_servos(limits, options);
    return std::make_unique<Controller>(std::move(options));
  });
  const Status started = in_scenario(scenario, [&] {
    return holding.size() > 0 ? controller->hold(start, VectorXd(holding(driven_joints(scenario).v)))
                              : controller->start(start);
  });
  if (started != Status::ok)
    throw InputError(fmt::format("{}: {}", name_of_argument(command.scenario), controller->failure()));
  Executive executive = in_scenario(scenario, [&] {
    return Executive(*controller, limits, command.safety, static_cast<std::uint32_t>(make_session_number()));
  });
  UdpSocket link = make_link(command, kPlantPort);
  if (command.output.empty()) command.output = output_name(command.scenario, "-control.csv");
  ControlReport report{scenario, *controller, limits, executive, {}, {}, command.output};
  {
    TableOptions options{kLogDigits, kLogFlush, files_of(scenario)};
    ControlLog log(command.output, *controller, options);  // start its thread before the priority of this one is raised
    const StopOnSignal stop;
    for (const std::string& note : {lock_memory(), ask_for_real_time(kControlPriority)})
      if (!note.empty()) report.notes.push_back(note);
    tell_notes(command, report.notes);
    tell_limits(command, limits, *control.options.model, control.options.driven);
    const bool here = await_plant(command, link, executive);
    if (here)
      run_loop(command, controller->period(), link, executive, log, report);
    else
      executive.stop(StopReason::interrupted, 0);
    log.finish();
    report.left_out = log.left_out();
  }
  if (command.json)
    print_control_json(report);
  else if (!command.quiet)
    print_control(report);
  if (is_good(executive.stopped())) return 0;
  write_output(fmt::format("{}: stopped: {}\n", name_of_argument(command.scenario), stop_text(report)), stderr);
  return 1;
}

}  // namespace

void add_control(CLI::App& program, Action& action) {
  const auto command = std::make_shared<WireCommand>();
  CLI::App* sub = program.add_subcommand("control", "run the controller of a scenario in real time, against a plant");
  add_wire_options(*sub, *command, kControlPort, kPlantPort);
  sub->add_option("-o,--output", command->output, "the log (default: the scenario's name with -control.csv, here)")
      ->type_name("FILE");
  sub->add_option("--duration", command->duration, "stop after this time (default: when the plant ends)")
      ->type_name("SECONDS");
  sub->add_option("--ramp", command->safety.ramp,
                  "after a safe stop, gravity compensation falls to zero within this time (default 0.2)")
      ->type_name("SECONDS");
  sub->add_option("--max-misses", command->safety.max_misses,
                  "consecutive missed deadlines that cause a safe stop (default 10)")
      ->type_name("COUNT");
  sub->add_option("--max-innovation", command->safety.max_innovation,
                  "innovation of a joint, measured minus predicted, that causes a safe stop, rad or m (default 0.1)")
      ->type_name("SIZE");
  sub->add_option("--max-error", command->safety.max_error,
                  "tracking error of a joint that causes a safe stop, rad or m (default: none)")
      ->type_name("SIZE");
  sub->footer(kControlExample);
  sub->callback([command, &action] { action = [command] { return control(*command); }; });
}

}  // namespace limber::apps
