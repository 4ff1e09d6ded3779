// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "limber/files/model_file.hpp"
#include "limber/report/facts.hpp"
#include "limber/report/report.hpp"
#include "report/channels.hpp"
#include "report/machine.hpp"
#include "report/summary.hpp"
#include "report/thinning.hpp"

namespace limber {
namespace {

using Json = nlohmann::ordered_json;

// How much a page holds: about 10 MB in all when nothing repeats.
constexpr std::size_t kMostChannels = 400;
constexpr std::size_t kChannelNumbers = 1'500'000, kPictureNumbers = 1'500'000;
constexpr long kLeastRecords = 500, kLeastPictures = 150;
constexpr std::size_t kBins = 128;

// Work is counted in numbers read or handled, to tell how far it is.
class Share {
 public:
  Share(const std::function<void(double)>& progress, double total) : progress_(progress), total_(total) {}
  void add(double work) { progress_(std::min(1.0, (done_ += work) / total_)); }

 private:
  const std::function<void(double)>& progress_;
  double total_, done_ = 0;
};

struct Making {
  const RecordingReader& recording;
  const Model& model;
  PageData& page;
  ReportFacts& facts;
  std::vector<std::string> notes;
  Share share;
};

// Calls take(channel, values) for each, in an order of its own: series by series.
template <class Take>
void for_each_channel(Making& making, std::vector<Channel>& channels, Take take) {
  const RecordingReader& recording = making.recording;
  for (std::size_t s = 0; s < recording.series().size(); ++s) {
    std::vector<int> columns;
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < channels.size(); ++k) {
      if (channels[k].series != static_cast<int>(s)) continue;
      columns.push_back(channels[k].column);
      places.push_back(k);
    }
    for_each_column(recording, static_cast<int>(s), columns, [&](std::size_t i, std::span<const double> values) {
      take(places[i], values);
      making.share.add(static_cast<double>(values.size()));
    });
  }
}

void find_extremes(Making& making, std::vector<Channel>& channels) {
  for_each_channel(making, channels, [&](std::size_t k, std::span<const double> values) {
    bool any = false;
    for (const double x : values) {
      if (!std::isfinite(x)) continue;
      channels[k].least = any ? std::min(channels[k].least, x) : x;
      channels[k].largest = any ? std::max(channels[k].largest, x) : x;
      any = true;
    }
  });
}

void add_exact(Making& making, std::vector<Channel>& channels) {
  const std::size_t K = channels.size(), T = making.recording.time().size();
  std::vector<float> all(K * T);
  for_each_channel(making, channels, [&](std::size_t k, std::span<const double> values) {
    std::copy(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(k * T));
  });
  making.page.add("channels", {K, T}, all, 1);
}

// Thinned signals, with what the page cannot find from them: extremes, spectra and histograms of all records.
void add_thinned(Making& making, std::vector<Channel>& channels, std::span<const long> kept) {
  const std::size_t K = channels.size(), T = kept.size();
  const SpectrumBands bands = make_bands(making.recording.time());
  const std::size_t N = bands.hertz.size();
  std::vector<float> value(K * T), low(K * T), high(K * T), spectra(K * N), counts(K * kBins);
  std::vector<double> ranges;
  for (const Channel& channel : channels) ranges.insert(ranges.end(), {channel.least, channel.largest});
  for_each_channel(making, channels, [&](std::size_t k, std::span<const double> values) {
    thin(values, kept, &value[k * T], &low[k * T], &high[k * T]);
    if (N > 0) compute_spectrum(bands, values, &spectra[k * N]);
    count_values(values, channels[k].least, channels[k].largest, kBins, &counts[k * kBins]);
  });
  making.page.header["thinned"] = {{"records", making.recording.records()}};
  making.page.add("channels", {K, T}, value, 1);
  making.page.add("low", {K, T}, low, 1);
  making.page.add("high", {K, T}, high, 1);
  if (N > 0) making.page.add("spectrum_hz", {N}, bands.hertz);
  if (N > 0) making.page.add("spectra", {K, N}, spectra, 1);
  making.page.add("histograms", {K, kBins}, counts, 1);
  making.page.add("histogram_range", {K, 2}, ranges);
}

// All signals, or the most telling, exact or thinned.
void add_channels(Making& making, std::vector<Channel>& channels) {
  const long records = making.recording.records();
  making.facts.channels = channels.size();
  if (channels.size() * static_cast<std::size_t>(records) > kChannelNumbers)
    channels = choose_channels(channels, kMostChannels);
  making.facts.channels_shown = channels.size();
  if (channels.size() < making.facts.channels)
    making.notes.push_back(fmt::format("{} of {} signals are here, the largest of each kind; the recording holds all.",
                                       channels.size(), making.facts.channels));
  choose_shown(channels);
  const auto most = static_cast<long>(kChannelNumbers / std::max<std::size_t>(1, channels.size()));
  const bool exact = records <= most;
  const std::vector<long> kept = kept_records(records, exact ? 1 : stride_for(records, std::max(kLeastRecords, most / 3)));
  making.facts.records_shown = static_cast<long>(kept.size());
  std::vector<double> time;
  for (const long i : kept) time.push_back(making.recording.time()[static_cast<std::size_t>(i)]);
  making.page.add("time", {time.size()}, time);
  Json list = Json::array();
  for (const Channel& c : channels)
    list.push_back({{"name", c.name}, {"group", c.group}, {"unit", c.unit}, {"shown", c.shown}});
  making.page.header["channels"] = std::move(list);
  if (channels.empty()) return;
  if (exact) return add_exact(making, channels);
  add_thinned(making, channels, kept);
  making.notes.push_back(fmt::format("{} records are plotted by {}: values are exact there, bands hold the extremes "
                                     "between, spectra and histograms are those of all records.",
                                     records, kept.size()));
}

// Poses and modal coordinates of as many records as there is room for.
void add_pictures(Making& making) {
  const RecordingReader& recording = making.recording;
  const Model& model = making.model;
  const int q = recording.find("q");
  if (q < 0 || recording.series()[static_cast<std::size_t>(q)].columns != model.nq)
    throw InputError(recording.path() + ": /q does not belong to the model inside; the file is damaged");
  const std::size_t bodies = static_cast<std::size_t>(model.body_count() - 1);
  const auto modes = static_cast<std::size_t>(mode_count(model));
  const auto most = static_cast<long>(kPictureNumbers / std::max<std::size_t>(1, 7 * bodies + modes));
  const std::vector<long> kept =
      kept_records(recording.records(), stride_for(recording.records(), std::max(kLeastPictures, most)));
  making.facts.pictures = static_cast<long>(kept.size());
  Kinematics kin(model);
  State x = make_zero_state(model);
  Picture picture;
  std::vector<double> time;
  std::vector<float> poses, eta;
  for (const long i : kept) {
    recording.read(q, i, 1, 0, model.nq, x.q.data());
    compute_kinematics(model, x, kin);
    compute_world_poses(model, kin);
    set_picture(model, kin, picture);
    time.push_back(recording.time()[static_cast<std::size_t>(i)]);
    poses.insert(poses.end(), picture.poses.begin(), picture.poses.end());
    eta.insert(eta.end(), picture.eta.begin(), picture.eta.end());
    making.share.add(static_cast<double>(7 * bodies + modes));
  }
  add_machine(model, making.page);
  making.page.add("frame_time", {time.size()}, time);
  making.page.add("poses", {time.size(), bodies, 7}, poses, 7 * bodies);
  if (modes > 0) making.page.add("eta", {time.size(), modes}, eta, modes);
  if (making.facts.pictures < recording.records())
    making.notes.push_back(fmt::format("The motion is drawn from {} of {} records.", kept.size(), recording.records()));
}

void add_frequencies(Making& making) {
  const Model& model = making.model;
  State x = make_zero_state(model);
  making.recording.read(making.recording.find("q"), making.recording.records() - 1, 1, 0, model.nq, x.q.data());
  if (!x.q.allFinite()) return;
  const FrequencyFacts found = compute_frequencies(model, x);
  Json list = Json::array();
  const auto add = [&](const std::vector<double>& hertz, const char* what) {
    for (std::size_t k = 0; k < hertz.size(); ++k)
      list.push_back({{"hz", hertz[k]}, {"label", fmt::format("{} {}", what, k + 1)}});
  };
  add(found.joints_locked, "joints locked");
  add(found.joints_free, found.joints_locked.empty() ? "mode" : "joints free");
  making.page.header["frequencies"] = std::move(list);
  add_frequency_facts(found, making.page.header["summary"]);
}

}  // namespace

void check_report(const std::string& page, const std::vector<std::string>& never_overwrites) {
  check_page(page, never_overwrites);
}

ReportFacts write_report(const std::string& path, const std::string& target, const ReportOptions& options) {
  const RecordingReader recording(path);
  std::vector<std::string> never = options.never_overwrites;
  never.push_back(path);
  check_page(target, never);
  const Model model = parse_model(recording.model_text(), path + ": the model inside");
  PageData page;
  ReportFacts facts;
  facts.records = recording.records();
  std::vector<Channel> channels = list_channels(recording, &model);
  const double numbers = static_cast<double>(channels.size()) * static_cast<double>(facts.records);
  Making making{recording, model, page, facts, {}, Share(options.progress, 3 * numbers + kPictureNumbers)};

  page.header["kind"] = "recording";
  page.header["name"] = recording.name().empty() ? "recording" : recording.name();
  page.header["model"] = model.name;
  page.header["solver"] = recording.solver();
  page.header["version"] = recording.version();
  page.header["complete"] = recording.complete();
  page.header["ended"] = recording.ended();
  find_extremes(making, channels);
  page.header["summary"] = make_summary(recording, model, channels);
  facts.warnings = find_warnings(recording, model);
  making.share.add(numbers);
  page.header["warnings"] = facts.warnings;
  add_frequencies(making);
  add_pictures(making);
  add_channels(making, channels);
  page.header["notes"] = making.notes;
  facts.bytes = write_page(page, target, never);
  options.progress(1);
  return facts;
}

}  // namespace limber
