// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "apps/campbell.hpp"
#include "apps/json_writer.hpp"
#include "apps/terminal.hpp"

namespace limber::apps {
namespace {

using Align = Table::Align;

constexpr std::size_t kMaxBranches = 8;  // in a text table
constexpr std::size_t kMaxSpeedRows = 60, kMaxRotorModeRows = 40;
constexpr double kHertz = 1 / (2 * std::numbers::pi);

// "0.745 (1.2 %)"; without vibration: growth or decay.
std::string rotor_mode_cell(const RotorMode& mode, double speed) {
  constexpr double kRigid =
      1e-5;  // relative to the speed: two equal multipliers are accurate to the square root of rounding
  if (mode.harmonics.empty()) return "–";
  if (std::abs(mode.exponent) < kRigid * std::abs(speed)) return "rigid";
  if (mode.frequency == 0) return fmt::format("– ({} 1/s)", short_number(mode.exponent.real()));
  const double percent = 100 * mode.damping;
  return fmt::format("{} ({} %)", short_number(mode.frequency * kHertz),
                     short_number(std::abs(percent) < 1e-7 ? 0 : percent));
}

// All methods used, "Floquet (24 speeds), at rest (1)".
std::string methods_text(const Campbell& found) {
  std::string out;
  for (const RotorMethod method :
       {RotorMethod::rest, RotorMethod::constant, RotorMethod::multi_blade, RotorMethod::floquet}) {
    const auto count = std::count_if(found.at.begin(), found.at.end(),
                                     [&](const RotorModes& at) { return at.method == method && at.failure.empty(); });
    if (count > 0) out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", to_string(method), count);
  }
  return out;
}

std::string rotor_shape_text(const RotorModes& at, const VectorXcd& shape) {
  constexpr std::size_t kMax = 3;
  constexpr double kSmall = 0.05;
  std::vector<Eigen::Index> order(static_cast<std::size_t>(shape.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return std::abs(shape[a]) > std::abs(shape[b]); });
  std::string out;
  for (std::size_t k = 0; k < std::min(kMax, order.size()) && std::abs(shape[order[k]]) >= kSmall; ++k)
    out += fmt::format("{}{} {:.2g}", out.empty() ? "" : ", ", at.names[static_cast<std::size_t>(order[k])],
                       std::abs(shape[order[k]]));
  return out;
}

std::string speeds_table(const Style& style, const Campbell& found) {
  Table table;
  table.column("rad/s", Align::right).column("1P", Align::right);
  const std::size_t shown = std::min(kMaxBranches, found.branches());
  for (std::size_t b = 0; b < shown; ++b) table.column(fmt::format("mode {}", b + 1), Align::right);
  for (const RotorModes& at : found.at) {
    std::vector<std::string> row = {short_number(at.speed), short_number(std::abs(at.speed) * kHertz)};
    for (std::size_t b = 0; b < shown; ++b) row.push_back(rotor_mode_cell(at.modes[b], at.speed));
    table.row(std::move(row));
  }
  std::string out = fmt::format("\n{}{}\n", style.bold("Frequencies"), style.dim("  Hz (damping)")) +
                    table.render(style, kMaxSpeedRows, "speeds");
  if (shown < found.branches())
    out += style.dim(fmt::format("  {} more modes in --json and --csv", found.branches() - shown)) + "\n";
  return out;
}

std::string modes_table(const Style& style, const Campbell& found) {
  const auto last =
      std::find_if(found.at.rbegin(), found.at.rend(), [](const RotorModes& at) { return at.failure.empty(); });
  const RotorModes& at = *last;
  Table table;
  table.column("mode", Align::right).column("seen from").column("share", Align::right);
  table.column("moves most", Align::left, 90);
  for (std::size_t b = 0; b < at.modes.size(); ++b) {
    const RotorMode& mode = at.modes[b];
    if (mode.harmonics.empty()) continue;
    table.row({std::to_string(b + 1), mode.rotating ? "the rotor" : "the ground",
               fmt::format("{:.0f} %", 100 * mode.harmonics[0].share), rotor_shape_text(at, mode.harmonics[0].shape)});
  }
  const std::string note = fmt::format(
      "  at {} rad/s; share: fraction of the motion at this frequency; the rest is at multiples of 1P from it",
      short_number(at.speed));
  return fmt::format("\n{}{}\n", style.bold("Modes"), style.dim(note)) +
         table.render(style, kMaxRotorModeRows, "modes");
}

void write_number(JsonWriter& json, const char* key, double value) {
  json.key(key);
  json.number(value);
}

void write_rotor_mode(JsonWriter& json, const RotorMode& mode) {
  json.begin_object();
  write_number(json, "frequency", mode.frequency);
  write_number(json, "damping", mode.damping);
  json.key("exponent");
  json.numbers(Eigen::Vector2d(mode.exponent.real(), mode.exponent.imag()));
  if (!mode.harmonics.empty()) {
    json.key("rotating");
    json.boolean(mode.rotating);
    json.key("harmonics");
    json.begin_list();
    for (const auto& h : mode.harmonics) json.numbers(Eigen::Vector2d(h.order, h.share));
    json.end_list();
    json.key("shape");
    json.numbers(mode.harmonics[0].shape.real());
    json.key("shape_imaginary");
    json.numbers(mode.harmonics[0].shape.imag());
  }
  json.end_object();
}

}  // namespace

std::string campbell_text(const Model& model, const RotorOptions& options, const Campbell& found, std::FILE* out) {
  const Style style = style_for(out);
  std::string text = style.bold(style.accent(fit(model.name.empty() ? "(no name)" : model.name, 96))) + "\n";
  text += fmt::format("  rotor {}, {}; {} coordinates; modes found by: {}\n", model.joints[options.rotor].name,
                      options.free ? "free under a constant torque" : "at constant speed",
                      found.at.front().names.size(), methods_text(found));
  return text + speeds_table(style, found) + modes_table(style, found);
}

std::string campbell_csv(const Campbell& found) {
  std::string out = "speed [rad/s],1P [Hz]";
  for (std::size_t b = 1; b <= found.branches(); ++b)
    out += fmt::format(",mode {} [Hz],mode {} damping,mode {} growth [1/s]", b, b, b);
  out += "\n";
  for (const RotorModes& at : found.at) {
    out += fmt::format("{:.17g},{:.17g}", at.speed, std::abs(at.speed) * kHertz);
    for (const RotorMode& mode : at.modes)
      out += fmt::format(",{:.17g},{:.17g},{:.17g}", mode.frequency * kHertz, mode.damping, mode.exponent.real());
    out += "\n";
  }
  return out;
}

void write_campbell(const Model& model, const RotorOptions& options, const Campbell& found, std::FILE* out,
                    const std::string& file) {
  JsonWriter json(out, file);
  json.begin_object();
  json.key("model");
  json.text(model.name);
  json.key("campbell");
  json.begin_object();
  json.key("rotor");
  json.text(model.joints[options.rotor].name);
  json.key("free");
  json.boolean(options.free);
  json.end_object();
  json.key("coordinates");
  json.texts(found.at.front().names);
  json.key("speeds");
  json.begin_list();
  for (const RotorModes& at : found.at) {
    json.begin_object();
    write_number(json, "speed", at.speed);
    write_number(json, "torque", at.torque);
    json.key("method");
    json.text(to_string(at.method));
    if (!at.failure.empty()) {
      json.key("failure");
      json.text(at.failure);
    }
    json.key("multipliers");
    json.begin_list();
    for (const auto& mu : at.multipliers) json.numbers(Eigen::Vector2d(mu.real(), mu.imag()));
    json.end_list();
    json.key("modes");
    json.begin_list();
    for (const RotorMode& mode : at.modes) write_rotor_mode(json, mode);
    json.end_list();
    json.end_object();
  }
  json.end_list();
  json.end_object();
  json.finish();
}

}  // namespace limber::apps
