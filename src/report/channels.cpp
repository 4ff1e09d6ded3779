// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/channels.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "limber/simulate/channels.hpp"

namespace limber {
namespace {

constexpr std::size_t kMaxNumbers = std::size_t{1} << 25;  // in memory at once: 256 MiB
constexpr long kBlockNumbers = 1L << 20;                   // of one read

// Groups of signals by the path of their dataset, in order of importance.
struct Group {
  std::string_view first, last;  // of the path; nothing: any
  const char* name;
};
constexpr Group kGroups[] = {
    {"control", "error", "control: error"},
    {"control", "desired", "control: desired"},
    {"control", "measured", "control: measured"},
    {"q", "joint", "joint coordinates"},
    {"nodes", "deflection", "deflection in the body frame"},
    {"joints", "torque", "joint forces and torques"},
    {"energy", "", "energy"},
    {"v", "joint", "joint rates"},
    {"control", "desired_rate", "control: desired rate"},
    {"control", "measured_rate", "control: measured rate"},
    {"control", "command", "control: command"},
    {"control", "feed_forward", "control: feed-forward"},
    {"control", "feedback", "control: feedback"},
    {"control", "torque", "control: torque of the servos"},
    {"control", "current", "control: current"},
    {"control", "modes", "control: modes as estimated"},
    {"control", "", "control"},
    {"closures", "force", "constraint forces"},
    {"closures", "error", "constraint errors"},
    {"joints", "stop", "joint stops"},
    {"q", "mode", "modal amplitudes"},
    {"nodes", "position", "node positions"},
    {"momentum", "", "momentum"},
    {"v", "mode", "modal rates"},
    {"", "", "other"},
};
constexpr int kCoordinates = 3, kError = 0, kDeflection = 4, kEnergy = 6, kRates = 7;  // indices into kGroups

int find_rank(std::string_view first, std::string_view last) {
  const auto fits = [&](const Group& g) {
    return (g.first.empty() || g.first == first) && (g.last.empty() || g.last == last);
  };
  return static_cast<int>(std::find_if(std::begin(kGroups), std::end(kGroups), fits) - std::begin(kGroups));
}

// Marks the columns of q or v that are modes.
std::vector<bool> find_modes(const Model& model, bool rates, int columns) {
  std::vector<bool> out(static_cast<std::size_t>(columns), false);
  if (columns != (rates ? model.nv : model.nq)) return out;
  for (int i = 1; i < model.body_count(); ++i) {
    const int first = rates ? model.first_mode(i) : model.first_mode_q(i);
    std::fill_n(out.begin() + first, model.body(i).modes, true);
  }
  return out;
}

// The name in the recording, or that of the axis.
std::string column_name(const RecordedSeries& series, int column) {
  if (series.names.empty()) return axis_name(series.path, series.columns, column);
  return series.names[static_cast<std::size_t>(column)];
}

PlotChannel make_channel(const RecordedSeries& series, const ChannelPath& path, int index, int column, bool mode) {
  PlotChannel out{index, column, path.owner, "", series.units[static_cast<std::size_t>(column)], 0, 0, 0, false};
  const bool state = path.first == "q" || path.first == "v";
  out.rank = find_rank(path.first, state ? (mode ? "mode" : "joint") : path.last);
  out.group = kGroups[out.rank].name;
  // A group of several datasets: "linear x" of the momentum.
  if (kGroups[out.rank].last.empty() && out.name.empty() && series.columns > 1) out.name = path.last;
  const std::string part = column_name(series, column);
  if (!part.empty()) out.name += out.name.empty() ? part : " " + part;
  if (out.name.empty()) out.name = path.last.empty() ? path.first : path.last;
  return out;
}

// Whether a signal varies enough to be plotted.
bool moves(const PlotChannel& channel, double largest) {
  return channel.largest > channel.least && channel.size() > 0.02 * largest;
}

// Shows up to `most` signals of a group with this prefix; components of quaternions (unit 1) are skipped.
std::size_t show_some(std::vector<PlotChannel>& channels, int rank, std::size_t most, const std::string& start = "") {
  std::map<std::string, double> largest;  // by unit
  const auto fits = [&](const PlotChannel& c) { return c.rank == rank && c.unit != "1" && c.name.starts_with(start); };
  for (const PlotChannel& c : channels)
    if (fits(c)) largest[c.unit] = std::max(largest[c.unit], c.size());
  std::size_t count = 0;
  for (PlotChannel& c : channels) {
    if (count == most || !fits(c) || !moves(c, largest[c.unit])) continue;
    c.shown = true;
    ++count;
  }
  return count;
}

}  // namespace

ChannelPath split_path(const std::string& path) {
  const std::size_t a = path.find('/'), b = path.rfind('/');
  if (a == std::string::npos) return {path, "", ""};
  return {path.substr(0, a), a == b ? "" : path.substr(a + 1, b - a - 1), path.substr(b + 1)};
}

std::vector<PlotChannel> list_channels(const Recorded& recording, const Model& model) {
  std::vector<PlotChannel> out;
  for (std::size_t s = 0; s < recording.series().size(); ++s) {
    const RecordedSeries& series = recording.series()[s];
    const ChannelPath path = split_path(series.path);
    if (path.first == "nodes" && path.last == "rotation") continue;  // visible in the 3D view
    const std::vector<bool> modes = find_modes(model, path.first == "v", series.columns);
    for (int c = 0; c < series.columns; ++c)
      out.push_back(make_channel(series, path, static_cast<int>(s), c, modes[static_cast<std::size_t>(c)]));
  }
  std::stable_sort(out.begin(), out.end(), [](const PlotChannel& a, const PlotChannel& b) { return a.rank < b.rank; });
  return out;
}

std::vector<PlotChannel> list_channels(const Recorded& table) {
  static constexpr std::string_view kTiming[] = {"lateness", "computation", "age"};
  std::vector<PlotChannel> out;
  for (std::size_t s = 0; s < table.series().size(); ++s) {
    const std::string& name = table.series()[s].path;
    const std::size_t colon = name.find(':');
    PlotChannel made{
        static_cast<int>(s), 0, name.substr(colon == std::string::npos ? 0 : colon + 1), "", "", 0, 0, 0, false};
    const bool timing = std::find(std::begin(kTiming), std::end(kTiming), name) != std::end(kTiming);
    made.group = timing ? "timing" : colon == std::string::npos ? "other" : name.substr(0, colon);
    made.rank = timing ? 0 : 1;
    made.unit = timing ? "s" : "";
    made.shown = name == "computation" || name == "lateness";
    out.push_back(std::move(made));
  }
  std::stable_sort(out.begin(), out.end(), [](const PlotChannel& a, const PlotChannel& b) { return a.rank < b.rank; });
  return out;
}

void for_each_column(const Recorded& recording, int series, const std::vector<int>& columns, const ColumnTaker& take) {
  const long records = recording.records();
  const int width = recording.series()[static_cast<std::size_t>(series)].columns;
  const std::size_t at_once = std::max<std::size_t>(1, kMaxNumbers / static_cast<std::size_t>(records));
  const long rows = std::max(1L, kBlockNumbers / std::max(1, width));
  std::vector<double> block, values;
  for (std::size_t begin = 0; begin < columns.size(); begin += at_once) {
    const std::size_t count = std::min(at_once, columns.size() - begin);
    values.resize(count * static_cast<std::size_t>(records));
    for (long first = 0; first < records; first += rows) {
      const long n = std::min(rows, records - first);
      block.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(width));
      recording.read(series, first, n, 0, width, block.data());
      for (std::size_t k = 0; k < count; ++k) {
        double* out = values.data() + k * static_cast<std::size_t>(records) + first;
        const double* in = block.data() + columns[begin + k];
        for (long i = 0; i < n; ++i) out[i] = in[i * width];
      }
    }
    for (std::size_t k = 0; k < count; ++k)
      take(begin + k, std::span<const double>(values).subspan(k * static_cast<std::size_t>(records),
                                                              static_cast<std::size_t>(records)));
  }
}

std::vector<PlotChannel> choose_channels(const std::vector<PlotChannel>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return all[a].rank != all[b].rank ? all[a].rank < all[b].rank : all[a].size() > all[b].size();
  });
  // Each group has a quota, so that a large group does not displace the following ones.
  std::map<int, std::size_t> count;
  for (const PlotChannel& c : all) ++count[c.rank];
  std::size_t left = most, groups = count.size();
  std::vector<PlotChannel> out;
  for (auto& [rank, size] : count) {
    size = std::min(size, std::max<std::size_t>(1, left / groups--));
    left -= std::min(left, size);
  }
  std::vector<std::size_t> kept;
  for (const std::size_t i : order)
    if (count[all[i].rank] > 0) --count[all[i].rank], kept.push_back(i);
  std::sort(kept.begin(), kept.end());
  for (const std::size_t i : kept) out.push_back(all[i]);
  return out;
}

void choose_shown(std::vector<PlotChannel>& channels) {
  constexpr std::size_t kJoints = 3, kEnergies = 2;
  for (const int rank : {kError, kCoordinates, kRates})
    if (show_some(channels, rank, kJoints) > 0) break;
  // The node with the largest deflection.
  const PlotChannel* most = nullptr;
  for (const PlotChannel& c : channels)
    if (c.rank == kDeflection && (most == nullptr || c.size() > most->size())) most = &c;
  if (most != nullptr && most->size() > 0)
    show_some(channels, kDeflection, 3, most->name.substr(0, most->name.rfind(' ') + 1));
  show_some(channels, kEnergy, kEnergies, "kinetic");
  show_some(channels, kEnergy, kEnergies, "elastic");
}

}  // namespace limber
