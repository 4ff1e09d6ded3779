// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scenario/hints.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numbers>

#include "limber/control/attitude.hpp"
#include "limber/control/linear_loop.hpp"
#include "limber/files/reader.hpp"

namespace limber {
namespace {

constexpr std::size_t kMaxHintBytes = 4 << 20;  // longer files are assumed to be generated
constexpr double kRoundDegrees = 5;             // rad: larger multiples of 0.5 are assumed to be degrees
constexpr double kStartsThere = 1e-3;           // rad or m between a joint and the start of its desired motion
constexpr double kOften = 0.2;                  // share of samples at the limit of a servo above which a hint is given
constexpr double kShortest = 1e-9;              // of a duration: up to that of the run

bool looks_like_degrees(double angle) { return std::abs(angle) >= kRoundDegrees && 2 * angle == std::round(2 * angle); }

std::string degrees_text(double angle) {
  return fmt::format("is {:g} rad, which looks like degrees; {:g} degrees are {:.4g} rad", angle, angle,
                     angle * std::numbers::pi / 180);
}

std::optional<double> number_of(const DocumentNode& node) {
  double value = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [at, error] = std::from_chars(node.text.data(), end, value);
  if (node.kind != DocumentNode::Kind::scalar || error != std::errc() || at != end) return std::nullopt;
  return value;
}

// The first number of a value, a scalar or a list, for which `test` holds.
template <class Test>
const DocumentNode* first_number(const DocumentNode& node, Test test) {
  for (const DocumentNode* item : node.items) {
    if (const auto value = number_of(*item); value && test(*value)) return item;
  }
  const auto value = number_of(node);
  return value && test(*value) ? &node : nullptr;
}

const DocumentNode* find_key(const DocumentNode& map, std::string_view key) {
  for (std::size_t k = 0; k < map.keys.size(); ++k) {
    if (map.keys[k]->text == key) return map.items[k];
  }
  return nullptr;
}

// Reports one angle of a list, or a scalar: values of driven or named coordinates in `units`.
void check_angles(const Reader& at, std::span<const std::string> units, std::vector<std::string>& out) {
  const VectorXd values = at.is_list() ? at.numbers() : VectorXd::Constant(1, at.number());
  for (Eigen::Index k = 0; k < values.size() && k < std::ssize(units); ++k) {
    if (units[static_cast<std::size_t>(k)] != "rad" || !looks_like_degrees(values[k])) continue;
    out.push_back(fmt::format("{}:{}: {} {}", at.file(), at.line(), at.path(), degrees_text(values[k])));
    return;
  }
}

void check_initial(const Reader& initial, const Model& model, std::vector<std::string>& out) {
  for (const auto& [key, value] : initial.entries()) {
    const int joint = model.find_joint(key.text());
    if (joint < 0 || !value.is_map()) continue;
    if (const auto q = value.find("q")) check_angles(*q, position_units(model.joints[joint].kind), out);
  }
}

void check_waypoints(const Reader& control, const ControlOptions& options, std::vector<std::string>& out) {
  const auto desired = control.find("desired");
  const auto list = desired && desired->is_map() ? desired->find("waypoints") : std::nullopt;
  if (!list) return;
  const std::vector<std::string> units = units_of(*options.model, options.driven, position_units);
  for (const Reader& entry : list->list()) {
    const std::size_t before = out.size();
    check_angles(entry.at("q", ""), units, out);
    if (out.size() > before) return;  // one hint is enough
  }
}

// Whether the last error of a joint matters against its travel.  Early in a motion errors grow from zero in any loop.
bool leaves_band(const Tracking& tracking) {
  for (Eigen::Index k = 0; k < tracking.last.size(); ++k) {
    const double band = tracking.band[k] > 0 ? tracking.band[k] : kSettlingBand;
    if (std::abs(tracking.last[k]) > band) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> model_hints(const Document& document) {
  std::vector<std::string> out;
  bool turned = false, damped = false;
  for (const DocumentNode& node : document.nodes) {
    if (node.kind != DocumentNode::Kind::map) continue;
    const DocumentNode *rpy = find_key(node, "rpy"), *beam = find_key(node, "beam");
    const DocumentNode* angle = rpy != nullptr && !turned ? first_number(*rpy, looks_like_degrees) : nullptr;
    if (angle != nullptr) {
      turned = true;
      out.push_back(fmt::format("{}:{}: rpy {}", document.file, angle->line, degrees_text(*number_of(*angle))));
    }
    const DocumentNode* damping = beam != nullptr && !damped ? find_key(*beam, "damping") : nullptr;
    const DocumentNode* ratio =
        damping != nullptr ? first_number(*damping, [](double value) { return value > 1; }) : nullptr;
    if (ratio == nullptr) continue;
    damped = true;
    const double value = *number_of(*ratio);
    out.push_back(fmt::format("{}:{}: damping is {:g} of the critical one, which looks like percent; {:g} % are {:g}",
                              document.file, ratio->line, value, value, value / 100));
  }
  return out;
}

std::vector<std::string> scenario_hints(const Scenario& scenario) {
  std::vector<std::string> out;
  if (scenario.text.empty() || scenario.text.size() + scenario.model_text.size() > kMaxHintBytes) return out;
  const Document document = parse_document(scenario.text, scenario.file);
  if (scenario.model_file == scenario.file)
    out = model_hints(document);
  else
    out = model_hints(parse_document(scenario.model_text, scenario.model_file));
  const Reader root(document);
  if (const auto initial = root.find("initial")) check_initial(*initial, *scenario.model, out);
  const auto control = root.find("control");
  if (control && scenario.control) check_waypoints(*control, scenario.control->options, out);
  return out;
}

std::vector<std::string> attitude_hints(const Scenario& scenario, const AttitudeLoop& loop) {
  std::vector<std::string> out = loop.warnings();
  if (const double end = loop.path().end(); end > scenario.run.duration * (1 + kShortest))
    out.push_back(
        fmt::format("the run ends after {:g} s, but the desired motion after {:g} s", scenario.run.duration, end));
  return out;
}

std::vector<std::string> control_hints(const Scenario& scenario, const ControlLoop& loop) {
  const ControlOptions& options = loop.controller().options();
  const bool implicit = scenario.solver.method == "implicit";
  std::vector<std::string> out =
      loop_warnings(*scenario.model, scenario.control->sensors, options,
                    implicit ? ImplicitSteps{scenario.solver.step, scenario.solver.rho_inf} : ImplicitSteps{});
  if (options.end > scenario.run.duration * (1 + kShortest))
    out.push_back(fmt::format("the run ends after {:g} s, but the desired motion after {:g} s", scenario.run.duration,
                              options.end));
  for (int k = 0; k < options.driven.size(); ++k) {
    const double there = scenario.initial.q[loop.driven_joints().q[k]], from = options.desired[k].at(0).value;
    if (std::abs(there - from) <= kStartsThere) continue;
    out.push_back(
        fmt::format("'{}' starts at {:.4g}, but its desired motion at {:.4g}", options.driven.names[k], there, from));
    break;
  }
  return out;
}

std::vector<std::string> run_hints(const Scenario& scenario, const RunResult& result, const Tracking& tracking) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < tracking.names.size(); ++k) {
    const double share = tracking.saturation()[static_cast<Eigen::Index>(k)];
    if (share > kOften)
      out.push_back(
          fmt::format("the servo of '{}' was at its limit {:.0f} % of the time", tracking.names[k], 100 * share));
  }
  if (tracking.growing && (tracking.t >= tracking.end || leaves_band(tracking)))
    out.emplace_back(
        "the joint errors grew throughout the run: the control loop is unstable, or does not control the machine");
  // An explicit method whose step is limited by stability has many rejected steps.
  constexpr long kMany = 1000;
  constexpr double kShare = 0.1;
  const StepCounts& counts = result.counts;
  if (scenario.solver.method == "dopri5" && counts.rejected > kMany &&
      static_cast<double>(counts.rejected) > kShare * static_cast<double>(counts.steps))
    out.push_back(
        fmt::format("{} of {} steps were rejected: the machine is stiff for dopri5; try solver: {{method: "
                    "implicit, step: 1e-3}}",
                    counts.rejected, counts.steps + counts.rejected));
  return out;
}

}  // namespace limber
