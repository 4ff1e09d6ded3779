// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/spectrum.hpp"
#include "report/summary.hpp"
#include "report/thinning.hpp"

namespace limber {
namespace {

using Json = nlohmann::ordered_json;

// Size limits of a page: about 10 MB in all if nothing compresses.
constexpr std::size_t kMaxChannels = 400;
constexpr std::size_t kChannelNumbers = 2'000'000;
constexpr long kLeastRecords = 500;
constexpr std::size_t kBins = 128;
constexpr std::array kShares = {0.5, 0.99, 0.999, 1.0};  // quantiles marked on the page

// Calls take(channel, values) for each channel, series by series.
template <class Take>
void for_each_channel(Making& making, std::vector<PlotChannel>& channels, Take take) {
  const Recorded& recording = making.recorded;
  std::vector<std::vector<std::size_t>> places(recording.series().size());  // (series) its channels
  for (std::size_t k = 0; k < channels.size(); ++k) places[static_cast<std::size_t>(channels[k].series)].push_back(k);
  std::vector<int> columns;
  for (std::size_t s = 0; s < places.size(); ++s) {
    columns.clear();
    for (const std::size_t k : places[s]) columns.push_back(channels[k].column);
    for_each_column(recording, static_cast<int>(s), columns, [&](std::size_t i, std::span<const double> values) {
      take(places[s][i], values);
      making.share.add(static_cast<double>(values.size()));
    });
  }
}

void add_exact(Making& making, std::vector<PlotChannel>& channels) {
  const std::size_t K = channels.size(), T = making.recorded.time().size();
  std::vector<float> all(K * T);
  for_each_channel(making, channels, [&](std::size_t k, std::span<const double> values) {
    std::copy(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(k * T));
  });
  making.page.add("channels", {K, T}, all, 1);
}

// Thinned signals, with the data that require all records: extremes, spectra, histograms and quantiles.
void add_thinned(Making& making, std::vector<PlotChannel>& channels, std::span<const long> kept) {
  const std::size_t K = channels.size(), T = kept.size();
  Spectrum spectrum(making.recorded.time());
  const std::size_t N = spectrum.hertz().size();
  std::vector<float> value(K * T), low(K * T), high(K * T), spectra(K * N), counts(K * kBins);
  std::vector<double> ranges, quantiles(K * kShares.size());
  for (const PlotChannel& channel : channels) ranges.insert(ranges.end(), {channel.least, channel.largest});
  for_each_channel(making, channels, [&](std::size_t k, std::span<const double> values) {
    thin(values, kept, &value[k * T], &low[k * T], &high[k * T]);
    if (N > 0) spectrum.compute(values, &spectra[k * N]);
    count_values(values, channels[k].least, channels[k].largest, kBins, &counts[k * kBins]);
    find_quantiles(values, kShares, &quantiles[k * kShares.size()]);
  });
  making.page.header["thinned"] = {{"records", making.recorded.records()}};
  making.page.add("channels", {K, T}, value, 1);
  making.page.add("low", {K, T}, low, 1);
  making.page.add("high", {K, T}, high, 1);
  if (N > 0) making.page.add("spectrum_hz", {N}, spectrum.hertz());
  if (N > 0) making.page.add("spectra", {K, N}, spectra, 1);
  making.page.add("histograms", {K, kBins}, counts, 1);
  making.page.add("histogram_range", {K, 2}, ranges);
  making.page.add("quantiles", {K, kShares.size()}, quantiles);
}

}  // namespace

void find_extremes(Making& making, std::vector<PlotChannel>& channels) {
  std::size_t broken = 0;
  std::string first;
  for_each_channel(making, channels, [&](std::size_t k, std::span<const double> values) {
    long finite = 0;
    for (const double x : values) {
      if (!std::isfinite(x)) continue;
      channels[k].least = finite > 0 ? std::min(channels[k].least, x) : x;
      channels[k].largest = finite > 0 ? std::max(channels[k].largest, x) : x;
      ++finite;
    }
    const auto all = static_cast<long>(values.size());
    if (finite == all || broken++ > 0) return;
    first = fmt::format("{} of {} records of {}, {}", grouped(all - finite), grouped(all), channels[k].group,
                        channels[k].name);
  });
  if (broken == 0) return;
  const std::string others =
      broken > 1 ? fmt::format(", and some of {} other signals", grouped(static_cast<long>(broken) - 1)) : "";
  making.notes.push_back(fmt::format("Not finite, and neither plotted nor counted: {}{}.", first, others));
}

// All signals, or the most important ones, exact or thinned.
void add_channels(Making& making, std::vector<PlotChannel>& channels) {
  const long records = making.recorded.records();
  making.facts.records = records;
  making.facts.channels = channels.size();
  const auto numbers = static_cast<std::size_t>(making.room * kChannelNumbers);
  if (channels.size() * static_cast<std::size_t>(records) > numbers) channels = choose_channels(channels, kMaxChannels);
  making.facts.channels_shown = channels.size();
  if (channels.size() < making.facts.channels)
    making.notes.push_back(fmt::format("{} of {} signals are shown, the largest of each kind; the recording holds all.",
                                       grouped(static_cast<long>(channels.size())),
                                       grouped(static_cast<long>(making.facts.channels))));
  const auto most = static_cast<long>(numbers / std::max<std::size_t>(1, channels.size()));
  const bool exact = records <= most;
  const std::vector<long> kept =
      kept_records(records, exact ? 1 : stride_for(records, std::max(kLeastRecords, most / 3)));
  making.facts.records_shown = static_cast<long>(kept.size());
  std::vector<double> time;
  for (const long i : kept) time.push_back(making.recorded.time()[static_cast<std::size_t>(i)] - making.start);
  making.page.add("time", {time.size()}, time);
  Json list = Json::array();
  for (const PlotChannel& c : channels)
    list.push_back({{"name", c.name}, {"group", c.group}, {"unit", c.unit}, {"shown", c.shown}});
  making.page.header["channels"] = std::move(list);
  if (channels.empty()) return;
  if (exact) return add_exact(making, channels);
  add_thinned(making, channels, kept);
  making.notes.push_back(
      fmt::format("{} records are plotted by {}: values are exact there, bands hold the extremes "
                  "between, spectra and histograms are those of all records.",
                  grouped(records), grouped(static_cast<long>(kept.size()))));
}

}  // namespace limber
