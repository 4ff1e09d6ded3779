// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/json_writer.hpp"
#include "apps/page.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "apps/tracking.hpp"
#include "limber/linear/facts.hpp"

namespace limber::apps {
namespace {

constexpr int kSummaryWidth = 96;
constexpr std::size_t kMaxAmplitudes = 4;

double relative(const RunResult& result) {
  return result.energy_scale > 0 ? result.energy_error / result.energy_scale : result.energy_error;
}

std::string time_text(double t) { return fmt::format("t = {:.6g} s", t); }

std::string amplitudes_text(const Scenario& scenario, const RunReport& report) {
  std::string out;
  for (const Amplitude& a : largest_amplitudes(*scenario.model, report.result.largest, kMaxAmplitudes))
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", a.coordinate, short_number(a.value));
  return out;
}

// "elbow cut 3 times, 1.2 s in all"
std::string limits_text(const RunResult& result) {
  std::string out;
  for (const Saturation& cut : result.saturation)
    out += fmt::format("{}{} {} {} time{}, {} s in all", out.empty() ? "" : "; ", cut.speed,
                       cut.speed.ends_with(" velocity") ? "exceeded"
                       : cut.speed.ends_with(" brake")  ? "slipped"
                                                        : "cut",
                       cut.spells, cut.spells == 1 ? "" : "s", short_number(cut.seconds));
  return fit(out, 2 * kSummaryWidth);
}

void write_saturation(JsonWriter& json, const RunResult& result) {
  json.key("saturation");
  json.begin_list();
  for (const Saturation& cut : result.saturation) {
    json.begin_object();
    json.key("speed");
    json.text(cut.speed);
    json.key("spells");
    json.number(static_cast<double>(cut.spells));
    json.key("seconds");
    json.number(cut.seconds);
    json.end_object();
  }
  json.end_list();
}

void write_solver(JsonWriter& json, const SolverOptions& solver) {
  json.key("solver");
  json.begin_object();
  json.key("method");
  json.text(solver.method);
  json.key("algorithm");
  json.text(solver.algorithm);
  const auto number = [&](const char* key, double value) {
    json.key(key);
    json.number(value);
  };
  if (solver.method == "rk4" || solver.method == "implicit") {
    number("step", solver.step);
  } else {
    number("rtol", solver.rtol);
    number("atol", solver.atol);
  }
  if (solver.method == "implicit") number("rho_inf", solver.rho_inf);
  json.end_object();
}

void write_amplitudes(JsonWriter& json, const Scenario& scenario, const RunReport& report) {
  json.key("largest_modes");
  json.begin_list();
  for (const Amplitude& a : largest_amplitudes(*scenario.model, report.result.largest, kMaxAmplitudes)) {
    json.begin_object();
    json.key("coordinate");
    json.text(a.coordinate);
    json.key("value");
    json.number(a.value);
    json.end_object();
  }
  json.end_list();
  if (!(report.result.validity.largest_deflection.value > 0)) return;
  json.key("largest_deflection");
  json.begin_object();
  json.key("node");
  json.text(node_name(*scenario.model, report.result.validity.largest_deflection.node));
  json.key("value");
  json.number(report.result.validity.largest_deflection.value);
  json.key("time");
  json.number(report.result.validity.largest_deflection.t);
  json.end_object();
}

void write_validity(JsonWriter& json, const Scenario& scenario, const RunReport& report) {
  const Model& model = *scenario.model;
  const Validity& validity = report.result.validity;
  json.key("validity");
  json.begin_object();
  const auto add = [&](const char* key, const Validity::Largest& largest) {
    if (largest.body < 0) return;
    json.key(key);
    json.begin_object();
    json.key("value");
    json.number(largest.value);
    json.key("body");
    json.text(model.body_names[largest.body]);
    json.key("time");
    json.number(largest.t);
    json.end_object();
  };
  add("deflection_over_length", validity.deflection);
  add("missing_modes_over_deflection", validity.truncation);
  add("spin_over_first_frequency", validity.spin);
  json.end_object();
  json.key("warnings");
  std::vector<std::string> all = warnings(model, validity);
  all.insert(all.end(), report.warnings.begin(), report.warnings.end());
  json.texts(all);
}

// "; shoulder, elbow held".
std::string held_text(const Scenario& scenario) {
  std::string out;
  for (const int joint : scenario.held) out += (out.empty() ? "; " : ", ") + scenario.model->joints[joint].name;
  return out.empty() ? out : fit(out, kSummaryWidth / 2) + " held";
}

}  // namespace

std::vector<Amplitude> largest_amplitudes(const Model& model, const VectorXd& largest, std::size_t most) {
  std::vector<Amplitude> out;
  for (int i = 1; i < model.body_count() && largest.size() == model.nq; ++i) {
    const int modes = model.body(i).modes;
    if (modes == 0) continue;
    Eigen::Index k = 0;
    const double value = largest.segment(model.first_mode_q(i), modes).maxCoeff(&k);
    out.push_back({model.coordinates[model.first_mode_q(i) + k], value});
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.value > b.value; });
  out.resize(std::min(most, out.size()));
  return out;
}

std::string summary_text(const Scenario& scenario, const RunReport& report) {
  const Model& model = *scenario.model;
  const RunResult& result = report.result;
  const Style style = style_for(stdout);
  Table table;
  table.column("").column("", Table::Align::left, 2 * kSummaryWidth);
  const auto row = [&](const char* key, const std::string& value) { table.row({key, value}); };
  row("model", model.name.empty() ? fit(scenario.model_file, kSummaryWidth) : fit(model.name, kSummaryWidth));
  row("solver", solver_text(scenario.solver));
  if (report.equilibrium)
    row("equilibrium", fmt::format("{} iterations, {} of the forces left{}", report.equilibrium->iterations,
                                   short_number(report.equilibrium->residual), held_text(scenario)));
  row("simulated", fmt::format("{:.6g} of {:.6g} s in {}, {} × real time", result.t, scenario.run.duration,
                               duration_text(report.wall), short_number(result.t / report.wall)));
  row("steps", fmt::format("{}, {} rejected, {} evaluations", result.counts.steps, result.counts.rejected,
                           result.counts.evaluations));
  row("energy balance", fmt::format("off by {} J at most, {} of the largest energy", short_number(result.energy_error),
                                    short_number(relative(result))));
  if (!result.saturation.empty()) row("limits", limits_text(result));
  const std::string amplitudes = amplitudes_text(scenario, report);
  if (!amplitudes.empty()) row("largest modes", amplitudes);
  if (report.result.validity.largest_deflection.value > 0)
    row("deflection",
        fmt::format("{} m at most, {} at {}", short_number(report.result.validity.largest_deflection.value),
                    node_name(model, report.result.validity.largest_deflection.node),
                    time_text(report.result.validity.largest_deflection.t)));
  for (const auto& [key, value] : tracking_rows(report.tracking, report.shaping)) row(key, value);
  row("recording", report.recording.empty() ? "none: there was no record"
                                            : fmt::format("{}, {} record{}", report.recording, report.records,
                                                          report.records == 1 ? "" : "s"));
  if (!report.csv.empty()) row("table", report.csv);
  if (!report.page.empty()) row("page", page_text(report.page, report.page_facts));
  const std::string how = result.status == Status::ok && !result.interrupted ? ""
                          : result.interrupted                               ? "interrupted"
                                                                             : "diverged";
  return style.bold(style.accent(fit(scenario.name, kSummaryWidth))) + (how.empty() ? "" : "  " + how) + "\n" +
         table.render(style, table.size(), "lines");
}

void write_summary_json(const Scenario& scenario, const RunReport& report) {
  const RunResult& result = report.result;
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
  text("scenario", scenario.name);
  text("model", scenario.model->name);
  write_solver(json, scenario.solver);
  text("ended", ended_text(result));
  json.key("complete");
  json.boolean(result.status == Status::ok && !result.interrupted);
  number("time", result.t);
  number("duration", scenario.run.duration);
  number("wall", report.wall);
  number("real_time_factor", result.t / report.wall);
  number("steps", static_cast<double>(result.counts.steps));
  number("rejected", static_cast<double>(result.counts.rejected));
  number("evaluations", static_cast<double>(result.counts.evaluations));
  if (report.equilibrium) {
    number("equilibrium_iterations", report.equilibrium->iterations);
    number("equilibrium_residual", report.equilibrium->residual);
  }
  number("energy_error", result.energy_error);
  number("energy_scale", result.energy_scale);
  number("relative_energy_error", relative(result));
  write_saturation(json, result);
  write_amplitudes(json, scenario, report);
  write_validity(json, scenario, report);
  write_tracking(json, report.tracking, report.shaping);
  text("recording", report.recording);
  number("records", static_cast<double>(report.records));
  if (!report.csv.empty()) text("csv", report.csv);
  if (!report.page.empty()) text("page", report.page);
  json.end_object();
  json.finish();
}

}  // namespace limber::apps
