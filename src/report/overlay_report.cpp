// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "report/difference.hpp"

namespace limber {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kDifferenceRoom = 0.5;  // relative to the space of a recording

void check_recordings(const std::vector<std::string>& recordings) {
  if (recordings.size() < 2) throw InputError("an overlay needs at least two recordings");
  if (recordings.size() > kMaxRecordings)
    throw InputError(
        fmt::format("{} recordings are too many for one page; give at most {}", recordings.size(), kMaxRecordings));
  std::set<std::string> seen;
  for (const std::string& path : recordings)
    if (!seen.insert(std::filesystem::path(path).lexically_normal().string()).second)
      throw InputError(fmt::format("{}: is a duplicate; name each recording once", path));
}

// File names, with their folders if the names alone are not distinct.
std::vector<std::string> make_labels(const std::vector<std::string>& recordings) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const std::string& path : recordings) out.push_back(std::filesystem::path(path).filename().string());
  if (std::set<std::string>(out.begin(), out.end()).size() < out.size()) return recordings;
  return out;
}

// The signals of `other` minus those of the reference; null if there are no common ones.
Json add_difference(const RecordedPage& reference, const RecordedPage& other, const std::string& label, double room,
                    PageData& page, ReportFacts& facts) {
  Difference difference(reference, other);
  if (difference.channels.empty() || difference.records() == 0) return nullptr;
  PageData part;
  ReportFacts ignored;
  const std::function<void(double)> silent = [](double) {};
  Making making{difference, part, ignored, {}, ProgressShare(silent, 1)};
  making.room = room;
  std::vector<PlotChannel> channels = difference.channels;
  find_extremes(making, channels);
  for (const PlotChannel& c : channels) facts.differences.push_back({label, c.group, c.name, c.unit, c.size()});
  add_channels(making, channels);
  part.header["kind"] = "recording";
  part.header["name"] = label;
  part.header["interpolated"] = difference.interpolated;
  return page.embed(part);
}

}  // namespace

ReportFacts write_overlay_report(const std::vector<std::string>& recordings, const std::string& target,
                                 const ReportOptions& options) {
  check_recordings(recordings);
  ReportOptions guarded = options;
  guarded.never_overwrites.insert(guarded.never_overwrites.end(), recordings.begin(), recordings.end());
  check_page(target, guarded.never_overwrites);
  const std::vector<std::string> labels = make_labels(recordings);
  const double count = static_cast<double>(recordings.size()), room = 1 / ((1 + kDifferenceRoom) * count);
  PageData page;
  ReportFacts facts;
  page.header["kind"] = "overlay";
  page.header["name"] = fmt::format("{}", fmt::join(labels, ", "));
  page.header["version"] = LIMBER_VERSION;
  Json runs = Json::array(), differences = Json::array();
  RecordedPage reference;
  for (std::size_t k = 0; k < recordings.size(); ++k) {
    guarded.progress = [&](double share) { options.progress((static_cast<double>(k) + 0.9 * share) / count); };
    RecordedPage made = make_recorded_page(recordings[k], guarded, room);
    made.page.header["label"] = labels[k];
    runs.push_back(page.embed(made.page));
    facts.records += made.facts.records;
    facts.records_shown += made.facts.records_shown;
    facts.pictures += made.facts.pictures;
    facts.channels = std::max(facts.channels, made.facts.channels);
    facts.channels_shown = std::max(facts.channels_shown, made.facts.channels_shown);
    for (const std::string& warning : made.facts.warnings)
      facts.warnings.push_back(fmt::format("{}: {}", labels[k], warning));
    differences.push_back(k == 0 ? Json()
                                 : add_difference(reference, made, labels[k], kDifferenceRoom * room, page, facts));
    if (k == 0) reference = std::move(made);
  }
  page.header["runs"] = std::move(runs);
  page.header["differences"] = std::move(differences);
  facts.bytes = write_page(page, target, guarded.never_overwrites);
  options.progress(1);
  return facts;
}

}  // namespace limber
