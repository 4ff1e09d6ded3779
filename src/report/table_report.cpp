// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "report/plots.hpp"
#include "report/summary.hpp"

namespace limber {
namespace {

using Json = nlohmann::ordered_json;

// Median, tail and worst of the times that a controller took.
void add_timing(const Recorded& table, const char* column, Json& summary) {
  const int series = table.find(column);
  if (series < 0) return;
  std::vector<double> values(static_cast<std::size_t>(table.records()));
  table.read(series, 0, table.records(), 0, 1, values.data());
  std::erase_if(values, [](double x) { return !std::isfinite(x); });
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    constexpr double kMicro = 1e6;
    return kMicro * values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  };
  summary.push_back(
      {{"label", column},
       {"value", fmt::format("{:.4g} µs median, {:.4g} at 99.9 %, {:.4g} at most", at(0.5), at(0.999), at(1))}});
}

}  // namespace

ReportFacts write_table_report(const std::string& path, const std::string& target, const ReportOptions& options) {
  const TableReader table(path);
  PageData page;
  ReportFacts facts;
  std::vector<Channel> channels = list_channels(table);
  const double numbers = static_cast<double>(channels.size()) * static_cast<double>(table.records());
  Making making{table, page, facts, {}, Share(options.progress, 2 * numbers)};
  page.header["kind"] = "recording";
  page.header["name"] = std::filesystem::path(path).filename().string();
  page.header["version"] = LIMBER_VERSION;
  Json summary = Json::array();
  summary.push_back(
      {{"label", "table"},
       {"value", fmt::format("{:.4g} s, {} lines", table.time().back() - table.time().front(), table.records())}});
  add_timing(table, "computation", summary);
  add_timing(table, "lateness", summary);
  page.header["summary"] = std::move(summary);
  find_extremes(making, channels);
  add_channels(making, channels);
  page.header["notes"] = making.notes;
  facts.bytes = write_page(page, target, options.never_overwrites);
  return facts;
}

}  // namespace limber
