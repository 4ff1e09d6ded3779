// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "report/plots.hpp"
#include "report/provenance.hpp"
#include "report/summary.hpp"
#include "report/thinning.hpp"

namespace limber {
namespace {

using Json = nlohmann::ordered_json;

// Median, 99.9 % and maximum of the computing times of a controller.
void add_timing(const Recorded& table, const char* column, Json& summary) {
  const int series = table.find(column);
  if (series < 0) return;
  std::vector<double> values(static_cast<std::size_t>(table.records()));
  table.read(series, 0, table.records(), 0, 1, values.data());
  constexpr std::array kShares = {0.5, 0.999, 1.0};
  std::array<double, kShares.size()> found{};
  find_quantiles(values, kShares, found.data());
  if (!std::isfinite(found[0])) return;
  const auto text = [](double seconds) {
    return seconds < 1e-3 ? fmt::format("{:.4g} µs", 1e6 * seconds) : fmt::format("{:.4g} ms", 1e3 * seconds);
  };
  summary.push_back(
      {{"label", column},
       {"value", fmt::format("{} median, {} at 99.9 %, {} at most", text(found[0]), text(found[1]), text(found[2]))}});
}

}  // namespace

RecordedPage make_table_page(const std::string& path, const ReportOptions& options, double room) {
  RecordedPage out;
  out.recorded = std::make_unique<TableReader>(path);
  const Recorded& table = *out.recorded;
  PageData& page = out.page;
  out.channels = list_channels(table);
  const double numbers = static_cast<double>(out.channels.size()) * static_cast<double>(table.records());
  Making making{table, page, out.facts, {}, ProgressShare(options.progress, 2 * numbers)};
  making.room = room;
  page.header["kind"] = "recording";
  page.header["name"] = std::filesystem::path(path).filename().string();
  add_provenance(path, LIMBER_VERSION, {}, page);
  Json summary = Json::array();
  const double duration = table.time().back() - table.time().front();
  summary.push_back(
      {{"label", "table"}, {"value", fmt::format("{:.4g} s, {} lines", duration, grouped(table.records()))}});
  add_timing(table, "computation", summary);
  add_timing(table, "lateness", summary);
  page.header["summary"] = std::move(summary);
  if (std::abs(table.time().front()) > duration) {  // clock time
    making.start = out.start = table.time().front();
    making.notes.push_back(fmt::format("Times count from the first line, {:.9g} s.", making.start));
  }
  find_extremes(making, out.channels);
  std::vector<PlotChannel> plotted = out.channels;
  add_channels(making, plotted);
  page.header["notes"] = making.notes;
  return out;
}

}  // namespace limber
