// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "limber/dynamics/energy.hpp"
#include "limber/model/segments.hpp"
#include "limber/simulate/validity.hpp"
#include "report/machine.hpp"

namespace limber {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMaxStates = 2e7;  // bodies times records checked for warnings

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : "–"; }

std::string plural(long count, const std::string& what, const std::string& many) {
  return fmt::format("{} {}", grouped(count), count == 1 ? what : many);
}

void add(Json& summary, const char* label, const std::string& value) {
  summary.push_back({{"label", label}, {"value", value}});
}

std::string machine_text(const Model& model) {
  int joints = 0;
  for (int i = 1; i < model.body_count(); ++i) joints += speed_count(model.joints[i].kind) > 0;
  std::string out =
      fmt::format("{}, {}, {}", plural(count_bodies(model), "body", "bodies"),
                  plural(joints, "moving joint", "moving joints"), plural(mode_count(model), "mode", "modes"));
  if (!model.closures.empty()) out += ", " + plural(static_cast<long>(model.closures.size()), "closure", "closures");
  return out + ", " + to_string(model.fidelity);
}

struct Deflection {
  double value = 0, t = 0;
  std::string node;
};

// The largest deflection of a recorded node.
Deflection find_deflection(const Recorded& recording) {
  Deflection out;
  for (std::size_t s = 0; s < recording.series().size(); ++s) {
    const RecordedSeries& series = recording.series()[s];
    const ChannelPath path = split_path(series.path);
    if (path.first != "nodes" || path.last != "deflection" || series.columns != 3) continue;
    VectorXd square = VectorXd::Zero(recording.records());
    for_each_column(recording, static_cast<int>(s), {0, 1, 2}, [&](std::size_t, std::span<const double> values) {
      square += Eigen::Map<const VectorXd>(values.data(), recording.records()).cwiseAbs2();
    });
    for (Eigen::Index i = 0; i < square.size(); ++i) {
      if (!(square[i] > out.value * out.value)) continue;
      out = {std::sqrt(square[i]), recording.time()[static_cast<std::size_t>(i)], path.owner};
    }
  }
  return out;
}

// Maximum and root mean square over records and joints of the controller's tracking error, by unit; finite values only.
void add_tracking(const Recorded& recording, Json& summary) {
  const int s = recording.find("control/error");
  if (s < 0) return;
  const RecordedSeries& series = recording.series()[static_cast<std::size_t>(s)];
  std::vector<int> columns(static_cast<std::size_t>(series.columns));
  for (std::size_t k = 0; k < columns.size(); ++k) columns[k] = static_cast<int>(k);
  struct Largest {
    double value = -1, rms = 0;
    std::string name;
  };
  std::map<std::string, Largest> found;  // unit
  for_each_column(recording, s, columns, [&](std::size_t k, std::span<const double> values) {
    double most = 0, square = 0, count = 0;
    for (const double x : values) {
      if (!std::isfinite(x)) continue;
      most = std::max(most, std::abs(x));
      square += x * x;
      ++count;
    }
    if (count == 0) return;
    Largest& here = found[series.units[k]];
    here.rms = std::max(here.rms, std::sqrt(square / count));
    if (!(most > here.value)) return;
    here.value = most;
    here.name = series.names.empty() ? fmt::format("joint {}", k + 1) : series.names[k];
  });
  const bool turns = recording.find("control/wheel_torque") >= 0 || recording.find("control/thrust") >= 0;
  for (const auto& [unit, largest] : found)
    add(summary, turns ? "attitude error fed back" : "joint error fed back",
        fmt::format("{} rms, {} at most ({}{})", number(largest.rms), number(largest.value),
                    unit.empty() ? "" : unit + ", ", largest.name));
}

// From the energy balance recorded by the run.
void add_balance(const std::vector<PlotChannel>& channels, Json& summary) {
  double off = -1, scale = 0;
  for (const PlotChannel& c : channels) {
    if (c.group != "energy") continue;
    if (c.name == "balance")
      off = c.size();
    else
      scale = std::max(scale, c.largest - c.least);
  }
  if (off < 0) return;
  std::string text = fmt::format("off by {} J at most", number(off));
  if (scale > 0) text += fmt::format(", {} of the largest change", number(off / scale));
  add(summary, "energy balance", text);
}

// The largest of the signals of a group with this unit; "": any.
void add_largest(const std::vector<PlotChannel>& channels, const char* group, std::string_view unit, const char* label,
                 Json& summary) {
  const PlotChannel* most = nullptr;
  for (const PlotChannel& c : channels)
    if (c.group == group && (unit.empty() || c.unit == unit) && (most == nullptr || c.size() > most->size())) most = &c;
  if (most == nullptr || !(most->size() > 0)) return;
  add(summary, label, fmt::format("{} {}, {}", number(most->size()), most->unit, most->name));
}

}  // namespace

std::string grouped(long count) {
  std::string out = std::to_string(count);
  for (std::size_t at = out.size(); at > 3 && out.size() > 4; at -= 3)
    if (at - 3 > 0) out.insert(at - 3, "\u202f");  // a narrow no-break space
  return out;
}

Json make_summary(const Recorded& recording, const Model& model, const std::vector<PlotChannel>& channels) {
  Json summary = Json::array();
  add(summary, "machine", machine_text(model));
  add(summary, "mass", fmt::format("{} kg", number(total_mass(model))));
  add(summary, "simulated",
      fmt::format("{} s, {}", number(recording.time().back() - recording.time().front()),
                  plural(recording.records(), "record", "records")));
  if (const Deflection most = find_deflection(recording); most.value > 0)
    add(summary, "largest deflection",
        fmt::format("{} m, {} at t = {} s", number(most.value), most.node, number(most.t)));
  add_tracking(recording, summary);
  add_largest(channels, "joint forces and torques", "N m", "largest joint torque", summary);
  add_largest(channels, "joint forces and torques", "N", "largest joint force", summary);
  add_balance(channels, summary);
  add_largest(channels, "constraint errors", "", "constraint error", summary);
  return summary;
}

void add_frequency_facts(const FrequencyFacts& found, bool moving, Json& summary) {
  const bool locked = !found.joints_locked.empty();
  const std::vector<double>& hertz = locked ? found.joints_locked : found.joints_free;
  if (hertz.empty()) return;
  const char* where = moving ? "at the state and the speeds of the end" : "at the end";
  std::string text;
  constexpr std::size_t kMax = 4;
  for (std::size_t k = 0; k < std::min(kMax, hertz.size()); ++k) text += (k > 0 ? ", " : "") + number(hertz[k]);
  add(summary, "natural frequencies",
      fmt::format("{}{} Hz {}{}", text, hertz.size() > kMax ? " …" : "", where, locked ? ", joints locked" : ""));
}

std::vector<std::string> take_figures(const std::string& figures, Json& summary) {
  std::vector<std::string> warnings;
  std::istringstream lines(figures);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) continue;
    const std::string label = line.substr(0, tab), value = line.substr(tab + 1);
    if (label == "warning") {
      warnings.push_back(value);
      continue;
    }
    const auto same =
        std::find_if(summary.begin(), summary.end(), [&](const Json& one) { return one["label"] == label; });
    if (same != summary.end())
      (*same)["value"] = value;
    else
      add(summary, label.c_str(), value);
  }
  return warnings;
}

std::vector<std::string> find_warnings(const Recorded& recording, const Model& model) {
  const int q = recording.find("q"), v = recording.find("v");
  if (q < 0 || v < 0 || mode_count(model) == 0) return {};
  const double states = static_cast<double>(recording.records()) * model.body_count();
  const long step = std::max(1L, static_cast<long>(states / kMaxStates));
  ValidityMonitor monitor(model);
  KinematicsWorkspace kin(model);
  State x = make_zero_state(model);
  const long rows = std::max(1L, (1L << 18) / std::max(1, model.nq));
  MatrixXd qs, vs;
  for (long first = 0; first < recording.records(); first += rows) {
    const long count = std::min(rows, recording.records() - first);
    qs.resize(model.nq, count);
    vs.resize(model.nv, count);
    recording.read(q, first, count, 0, model.nq, qs.data());
    recording.read(v, first, count, 0, model.nv, vs.data());
    for (long i = (step - first % step) % step; i < count; i += step) {
      x.t = recording.time()[static_cast<std::size_t>(first + i)];
      x.q = qs.col(i);
      x.v = vs.col(i);
      if (!x.q.allFinite() || !x.v.allFinite()) continue;
      compute_kinematics(model, x, kin);
      monitor.watch(x, kin);
    }
  }
  return warnings(model, monitor.validity());
}

}  // namespace limber
