// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "limber/files/recorded_model.hpp"
#include "limber/linear/facts.hpp"
#include "report/channels.hpp"
#include "report/machine.hpp"
#include "report/moving_frequencies.hpp"
#include "report/moving_parts.hpp"
#include "report/plots.hpp"
#include "report/plumes.hpp"
#include "report/provenance.hpp"
#include "report/summary.hpp"
#include "report/thinning.hpp"

namespace limber {
namespace {

using Json = nlohmann::ordered_json;

// Size limits of a page.  Large models have at least a few frames, unless these are too large.
constexpr std::size_t kPictureNumbers = 2'000'000, kMaxPictureNumbers = 8'000'000;
constexpr std::size_t kLeastPictures = 200;

void check_columns(const Recorded& recording, const Model& model) {
  const std::pair<const char*, int> wanted[] = {{"q", model.nq}, {"v", model.nv}};
  for (const auto& [name, columns] : wanted) {
    const int found = recording.find(name);
    if (found < 0 || recording.series()[static_cast<std::size_t>(found)].columns != columns)
      throw InputError(fmt::format("{}: /{} does not fit the model inside; the file is damaged, record it again",
                                   recording.path(), name));
  }
}

// Poses and modal coordinates of as many records as fit.
void add_pictures(Making& making, const Model& model, const std::string& scenario_text) {
  const Recorded& recording = making.recorded;
  const int q = recording.find("q");
  const std::size_t bodies = static_cast<std::size_t>(model.body_count() - 1);
  const auto modes = static_cast<std::size_t>(mode_count(model));
  const std::size_t each = std::max<std::size_t>(1, 7 * bodies + modes);
  const auto room = [&](std::size_t numbers) {
    return static_cast<std::size_t>(making.room * static_cast<double>(numbers)) / each;
  };
  const std::size_t most = std::max(room(kPictureNumbers), std::min(kLeastPictures, room(kMaxPictureNumbers)));
  const std::vector<long> kept =
      kept_records(recording.records(), stride_for(recording.records(), static_cast<long>(most)));
  making.facts.pictures = static_cast<long>(kept.size());
  KinematicsWorkspace kin(model);
  State x = make_zero_state(model);
  Picture picture;
  std::vector<double> time;
  std::vector<float> poses, eta;
  MovingParts parts(model);
  for (const long i : kept) {
    recording.read(q, i, 1, 0, model.nq, x.q.data());
    compute_kinematics(model, x, kin);
    compute_world_poses(model, kin);
    set_picture(model, kin, picture);
    parts.add_row(model, x.q);
    time.push_back(recording.time()[static_cast<std::size_t>(i)]);
    poses.insert(poses.end(), picture.poses.begin(), picture.poses.end());
    eta.insert(eta.end(), picture.eta.begin(), picture.eta.end());
    making.share.add(static_cast<double>(7 * bodies + modes));
  }
  add_machine(model, making.page);
  making.page.add("frame_time", {time.size()}, time);
  making.page.add("poses", {time.size(), bodies, 7}, poses, 7 * bodies);
  if (modes > 0) making.page.add("eta", {time.size(), modes}, eta, modes);
  parts.add_to(making.page, time.size());
  add_thrusters(making, model, scenario_text, kept);
  if (making.facts.pictures < recording.records())
    making.notes.push_back(fmt::format("The motion is drawn from {} of {} records.", grouped(making.facts.pictures),
                                       grouped(recording.records())));
}

void add_frequencies(Making& making, const Model& model) {
  State x = make_zero_state(model);
  const long last = making.recorded.records() - 1;
  making.recorded.read(making.recorded.find("q"), last, 1, 0, model.nq, x.q.data());
  making.recorded.read(making.recorded.find("v"), last, 1, 0, model.nv, x.v.data());
  if (!x.q.allFinite() || !x.v.allFinite()) return;
  FrequencyFacts found = compute_frequencies(model, x);
  const bool moving = found.why_not.empty() && !x.v.isZero(0) && set_moving_frequencies(model, x, found);
  Json list = Json::array();
  const auto add = [&](const std::vector<double>& hertz, const char* what) {
    for (std::size_t k = 0; k < hertz.size(); ++k)
      list.push_back({{"hz", hertz[k]}, {"label", fmt::format("{} {}", what, k + 1)}});
  };
  add(found.joints_locked, "joints locked");
  add(found.joints_free, found.joints_locked.empty() ? "mode" : "joints free");
  making.page.header["frequencies"] = std::move(list);
  add_frequency_facts(found, moving, making.page.header["summary"]);
}

}  // namespace

RecordedPage make_recording_page(const std::string& path, const ReportOptions& options, double room) {
  RecordedPage out;
  auto opened = std::make_unique<RecordingReader>(path);
  const RecordingReader& recording = *opened;
  out.recorded = std::move(opened);
  const bool given = recording.model_text.empty() && options.model != nullptr;
  const Model model = given ? *options.model : parse_recorded_model(recording);
  check_columns(recording, model);
  PageData& page = out.page;
  out.channels = list_channels(recording, model);
  std::vector<PlotChannel>& channels = out.channels;
  const double numbers = static_cast<double>(channels.size()) * static_cast<double>(recording.records());
  Making making{recording, page, out.facts, {}, ProgressShare(options.progress, 5 * numbers + kPictureNumbers)};
  making.room = room;

  page.header["kind"] = "recording";
  page.header["name"] = recording.name.empty() ? "recording" : recording.name;
  page.header["model"] = model.name;
  page.header["solver"] = recording.solver;
  add_provenance(path, recording.version, {{"scenario", recording.scenario_text}, {"model", recording.model_text}},
                 page);
  page.header["complete"] = recording.complete;
  page.header["ended"] = recording.ended;
  find_extremes(making, channels);
  page.header["summary"] = make_summary(recording, model, channels);
  out.facts.warnings = recording.figures.empty() ? find_warnings(recording, model)
                                                 : take_figures(recording.figures, page.header["summary"]);
  making.share.add(numbers);
  page.header["warnings"] = out.facts.warnings;
  add_frequencies(making, model);
  add_pictures(making, model, recording.scenario_text);
  choose_shown(channels);
  std::vector<PlotChannel> plotted = channels;
  add_channels(making, plotted);
  page.header["notes"] = making.notes;
  return out;
}

}  // namespace limber
