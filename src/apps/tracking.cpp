// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/tracking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/terminal.hpp"

namespace limber::apps {
namespace {

// The joint with the largest value, among those with one unit.
int worst(const Tracking& tracking, const VectorXd& values, const std::string& unit) {
  int out = -1;
  for (int k = 0; k < values.size(); ++k) {
    if (tracking.units[static_cast<std::size_t>(k)] != unit) continue;
    if (out < 0 || std::abs(values[k]) > std::abs(values[out])) out = k;
  }
  return out;
}

std::string error_text(const Tracking& tracking, const std::string& unit) {
  const VectorXd rms = tracking.rms();
  const int most = worst(tracking, tracking.largest, unit), end = worst(tracking, tracking.last, unit);
  return fmt::format("joint error {} {} rms, {} at most ({}), {} at the end ({})",
                     short_number(rms[worst(tracking, rms, unit)]), unit, short_number(tracking.largest[most]),
                     tracking.names[static_cast<std::size_t>(most)], short_number(std::abs(tracking.last[end])),
                     tracking.names[static_cast<std::size_t>(end)]);
}

std::string settling_text(const Tracking& tracking) {
  double slowest = -1;
  std::string name;
  for (int k = 0; k < tracking.band.size(); ++k) {
    const double time = tracking.settling(k);
    if (!(time > slowest)) continue;
    slowest = time;
    name = tracking.names[static_cast<std::size_t>(k)];
  }
  if (slowest < 0) return "";
  const std::string band = fmt::format("{:g} % of the travel", 100 * kSettlingBand);
  if (std::isinf(slowest)) return fmt::format("not to {} by the end ({})", band, name);
  if (slowest == 0) return fmt::format("within {} when the motion ends", band);
  return fmt::format("to {} {} s after the motion ({})", band, short_number(slowest), name);
}

std::string saturation_text(const Tracking& tracking) {
  std::string out;
  const VectorXd share = tracking.saturation();
  for (int k = 0; k < share.size(); ++k) {
    if (share[k] > 0)
      out += fmt::format("{}{} {:.2g} %", out.empty() ? "" : ", ", tracking.names[static_cast<std::size_t>(k)],
                         100 * share[k]);
  }
  return out.empty() ? out : out + " of the time";
}

}  // namespace

std::vector<std::pair<const char*, std::string>> tracking_rows(const Tracking& tracking, const std::string& shaping) {
  std::vector<std::pair<const char*, std::string>> out;
  const auto add = [&](const char* key, std::string text) {
    if (!text.empty()) out.emplace_back(key, std::move(text));
  };
  if (tracking.names.empty()) return out;
  add("shaping", shaping);
  std::vector<std::string> units;
  for (const std::string& unit : tracking.units) {
    if (std::find(units.begin(), units.end(), unit) == units.end()) units.push_back(unit);
  }
  for (const std::string& unit : units) add("tracking", error_text(tracking, unit));
  if (!tracking.node.empty())
    add("path", fmt::format("{} off by {} m rms, {} m at most, {} m at the end", tracking.node,
                            short_number(tracking.node_rms()), short_number(tracking.node_largest),
                            short_number(tracking.node_last)));
  add("settled", settling_text(tracking));
  if (tracking.residual > 0)
    add("residual",
        fmt::format("{} moves by ±{} m after the motion", tracking.moving, short_number(tracking.residual)));
  add("saturated", saturation_text(tracking));
  return out;
}

void write_tracking(JsonWriter& json, const Tracking& tracking, const std::string& shaping) {
  if (tracking.names.empty()) return;
  const auto number = [&](const char* key, double value) {
    json.key(key);
    json.number(value);
  };
  json.key("tracking");
  json.begin_object();
  const VectorXd rms = tracking.rms(), saturation = tracking.saturation();
  for (std::size_t i = 0; i < tracking.names.size(); ++i) {
    const int k = static_cast<int>(i);
    json.key(tracking.names[i]);
    json.begin_object();
    number("rms", rms[k]);
    number("largest", tracking.largest[k]);
    number("final", tracking.last[k]);
    number("saturated", saturation[k]);
    if (const double time = tracking.settling(k); std::isfinite(time)) number("settling_time", time);
    json.end_object();
  }
  json.end_object();
  json.key("control");
  json.begin_object();
  number("motion_end", tracking.end);
  json.key("growing");
  json.boolean(tracking.growing);
  if (!shaping.empty()) {
    json.key("shaping");
    json.text(shaping);
  }
  if (!tracking.moving.empty()) {
    json.key("residual_node");
    json.text(tracking.moving);
    number("residual", tracking.residual);
  }
  if (!tracking.node.empty()) {
    json.key("node");
    json.text(tracking.node);
    number("node_rms", tracking.node_rms());
    number("node_largest", tracking.node_largest);
    number("node_final", tracking.node_last);
  }
  json.end_object();
}

}  // namespace limber::apps
