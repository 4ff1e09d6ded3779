// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/difference.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace limber {
namespace {

constexpr double kSameTime = 1e-9;        // of the time between records
constexpr std::size_t kCommonTimes = 20;  // minimum for a comparison at common times

}  // namespace

Difference::Difference(const RecordedPage& reference, const RecordedPage& other)
    : reference_(reference), other_(other) {
  path_ = other.recorded->path();
  set_times(true);
  if (time_.size() < kCommonTimes) set_times(false);
  set_series();
}

void Difference::set_times(bool only_common) {
  for (std::vector<long>* list : {&here_, &left_}) list->clear();
  for (std::vector<double>* list : {&time_, &weight_}) list->clear();
  const std::vector<double>&a = reference_.recorded->time(), &b = other_.recorded->time();
  const auto last = static_cast<long>(a.size()) - 1;
  const double shift = reference_.start - other_.start;
  const double slack = kSameTime * (a.back() - a.front()) / static_cast<double>(std::max(1L, last));
  long i = 0;
  for (std::size_t k = 0; k < b.size(); ++k) {
    const double t = b[k] + shift;  // on the time axis of the reference
    if (t < a.front() - slack || t > a.back() + slack) continue;
    while (i < last && a[static_cast<std::size_t>(i) + 1] <= t + slack) ++i;
    const double step = i < last ? a[static_cast<std::size_t>(i) + 1] - a[static_cast<std::size_t>(i)] : 1;
    const double weight = (t - a[static_cast<std::size_t>(i)]) / step;
    const bool same = std::abs(weight * step) <= slack;
    if (!same && only_common) continue;
    interpolated = interpolated || !same;
    here_.push_back(static_cast<long>(k));
    time_.push_back(b[k] - other_.start);
    left_.push_back(i);
    weight_.push_back(same ? 0 : weight);
  }
}

void Difference::set_series() {
  using Key = std::tuple<std::string, std::string, std::string>;
  const auto key = [](const PlotChannel& c) { return Key(c.group, c.name, c.unit); };
  std::map<Key, const PlotChannel*> known;
  for (const PlotChannel& channel : reference_.channels) known.emplace(key(channel), &channel);
  std::map<std::pair<int, int>, std::size_t> place;
  for (const PlotChannel& channel : other_.channels) {
    const auto found = known.find(key(channel));
    if (found == known.end()) continue;
    const PlotChannel& mate = *found->second;
    known.erase(found);  // of several signals with one name only the first is compared
    const auto [entry, is_new] = place.emplace(std::pair(mate.series, channel.series), pairs_.size());
    if (is_new) {
      pairs_.push_back({mate.series, channel.series, {}, {}});
      series_.push_back({other_.recorded->series()[static_cast<std::size_t>(channel.series)].path, 0, {}, {}});
    }
    Pair& pair = pairs_[entry->second];
    pair.reference_columns.push_back(mate.column);
    pair.other_columns.push_back(channel.column);
    RecordedSeries& series = series_[entry->second];
    channels.push_back(channel);
    channels.back().series = static_cast<int>(entry->second);
    channels.back().column = series.columns++;
    channels.back().least = channels.back().largest = 0;
    series.units.push_back(channel.unit);
  }
}

void Difference::read(int series, long first, long count, int column, int columns, double* out) const {
  if (count == 0) return;
  const Pair& pair = pairs_[static_cast<std::size_t>(series)];
  const Recorded &a = *reference_.recorded, &b = *other_.recorded;
  const int wide_a = a.series()[static_cast<std::size_t>(pair.reference)].columns;
  const int wide_b = b.series()[static_cast<std::size_t>(pair.other)].columns;
  const auto at = [](long row, int width, int k) { return static_cast<std::size_t>(row * width + k); };
  const auto begin = static_cast<std::size_t>(first), end = static_cast<std::size_t>(first + count) - 1;
  const long low = left_[begin], high = std::min(left_[end] + 1, a.records() - 1);
  const long low_b = here_[begin], rows_b = here_[end] - low_b + 1;
  std::vector<double> ours(at(high - low + 1, wide_a, 0)), theirs(at(rows_b, wide_b, 0));
  a.read(pair.reference, low, high - low + 1, 0, wide_a, ours.data());
  b.read(pair.other, low_b, rows_b, 0, wide_b, theirs.data());
  for (long i = 0; i < count; ++i) {
    const auto record = static_cast<std::size_t>(first + i);
    const long left = left_[record] - low;
    const double w = weight_[record];
    for (int k = column; k < column + columns; ++k) {
      const int ka = pair.reference_columns[static_cast<std::size_t>(k)];
      double value = ours[at(left, wide_a, ka)];
      if (w > 0) value += w * (ours[at(left + 1, wide_a, ka)] - value);
      *out++ = theirs[at(here_[record] - low_b, wide_b, pair.other_columns[static_cast<std::size_t>(k)])] - value;
    }
  }
}

}  // namespace limber
