// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/report/study_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "limber/files/document.hpp"
#include "limber/files/study_table.hpp"
#include "report/plots.hpp"
#include "report/provenance.hpp"
#include "report/summary.hpp"

namespace limber {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxShown = 12;  // recordings included in a page
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// The completed runs, as rows.
struct StudyRows {
  std::vector<long> runs;                       // (row)
  std::vector<std::vector<std::string>> words;  // (parameter) of non-numeric parameters
  MatrixXd parameters, results;                 // (run x column), of all runs: NaN if not completed
};

// Numbers the words in order of first occurrence.
VectorXd number_words(const std::vector<std::string>& column, std::vector<std::string>& words) {
  std::map<std::string, double> known;
  VectorXd out(static_cast<Eigen::Index>(column.size()));
  for (std::size_t k = 0; k < column.size(); ++k) {
    const auto [entry, is_new] = known.emplace(column[k], static_cast<double>(words.size()));
    if (is_new) words.push_back(column[k]);
    out[static_cast<Eigen::Index>(k)] = entry->second;
  }
  return out;
}

StudyRows make_rows(const StudyData& data) {
  StudyRows out;
  const auto runs = static_cast<Eigen::Index>(data.runs());
  for (long k = 0; k < data.runs(); ++k)
    if (data.done(k)) out.runs.push_back(k);
  out.parameters.resize(runs, std::ssize(data.parameters));
  out.results.resize(runs, std::ssize(data.results));
  out.words.resize(data.parameters.size());
  for (std::size_t p = 0; p < data.parameters.size(); ++p) {
    const StudyColumn& column = data.parameters[p];
    out.parameters.col(static_cast<Eigen::Index>(p)) = column.words.empty()
                                                           ? Eigen::Map<const VectorXd>(column.values.data(), runs)
                                                           : number_words(column.words, out.words[p]);
  }
  for (std::size_t r = 0; r < data.results.size(); ++r)
    for (Eigen::Index k = 0; k < runs; ++k)
      out.results(k, static_cast<Eigen::Index>(r)) =
          data.done(k) ? data.results[r].values[static_cast<std::size_t>(k)] : kNoNumber;
  return out;
}

// Sensitivities of all results.  Parameters with more than two words have no slope.
std::vector<Sensitivity> find_sensitivities(const StudyData& data, const StudyRows& rows) {
  const long blocks = static_cast<long>(data.parameters.size()) + 2;
  std::vector<Sensitivity> out;
  if (data.method == "saltelli" && data.runs() % blocks == 0) {
    out = compute_sensitivities(rows.parameters, rows.results, data.runs() / blocks);
  } else {
    const std::vector<Eigen::Index> done(rows.runs.begin(), rows.runs.end());
    out = compute_sensitivities(rows.parameters(done, Eigen::all), rows.results(done, Eigen::all));
  }
  for (Sensitivity& one : out)
    for (std::size_t p = 0; p < one.regression.size(); ++p)
      if (rows.words[p].size() > 2) one.regression[p] = kNoNumber;
  return out;
}

Json to_json(const ResultStatistics& s) {
  return {{"count", s.count}, {"mean", s.mean},      {"deviation", s.deviation},
          {"least", s.least}, {"p5", s.p5},          {"p25", s.p25},
          {"p50", s.p50},     {"p75", s.p75},        {"p95", s.p95},
          {"p99", s.p99},     {"largest", s.largest}};
}

Json to_json(const Sensitivity& s) {
  return {{"runs", s.runs},           {"regression", s.regression},
          {"explained", s.explained}, {"why_no_regression", s.why_no_regression},
          {"first", s.first},         {"total", s.total},
          {"points", s.points},       {"degree", s.degree},
          {"predicted", s.predicted}, {"why_no_sobol", s.why_no_sobol}};
}

// The rows' values, column by column.
std::vector<double> list_columns(const MatrixXd& all, const std::vector<long>& rows) {
  std::vector<double> out;
  for (Eigen::Index c = 0; c < all.cols(); ++c)
    for (const long k : rows) out.push_back(all(k, c));
  return out;
}

// Pearson's correlation of each pair of columns, over the rows where both are finite.
std::vector<double> correlate(const std::vector<double>& columns, std::size_t count, std::size_t rows) {
  std::vector<double> out(count * count, kNoNumber);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a; b < count; ++b) {
      double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
      const double *u = columns.data() + a * rows, *v = columns.data() + b * rows;
      for (const bool second : {false, true}) {  // first the means, then the correction
        for (std::size_t k = 0; k < rows; ++k) {
          if (!std::isfinite(u[k]) || !std::isfinite(v[k])) continue;
          if (!second) {
            n += 1, x += u[k], y += v[k];
            continue;
          }
          xx += (u[k] - x) * (u[k] - x);
          yy += (v[k] - y) * (v[k] - y);
          xy += (u[k] - x) * (v[k] - y);
        }
        if (!second) x /= n, y /= n;
      }
      if (xx > 0 && yy > 0) out[a * count + b] = out[b * count + a] = xy / std::sqrt(xx * yy);
    }
  return out;
}

// Runs whose recordings have priority: the minimum, median and maximum of each result, failed ones, the others.
std::vector<long> order_kept(const StudyData& data, const StudyRows& rows) {
  std::vector<long> kept, out;
  std::set<long> taken;
  for (const long k : rows.runs)
    if (data.kept[static_cast<std::size_t>(k)] != 0) kept.push_back(k);
  const auto take = [&](long run) {
    if (taken.insert(run).second) out.push_back(run);
  };
  for (Eigen::Index r = 0; r < rows.results.cols(); ++r) {
    std::vector<long> finite;
    std::copy_if(kept.begin(), kept.end(), std::back_inserter(finite),
                 [&](long k) { return std::isfinite(rows.results(k, r)); });
    std::stable_sort(finite.begin(), finite.end(),
                     [&](long a, long b) { return rows.results(a, r) < rows.results(b, r); });
    if (finite.empty()) continue;
    for (const std::size_t place : {std::size_t{0}, finite.size() - 1, finite.size() / 2}) take(finite[place]);
  }
  for (const long k : kept)
    if (data.status[static_cast<std::size_t>(k)] != "ok") take(k);
  for (const long k : kept) take(k);
  return out;
}

// Includes recordings of some runs, and the paths of the others.
void add_recordings(const std::string& table, const StudyData& data, const StudyRows& rows,
                    const ReportOptions& options, PageData& page, std::vector<std::string>& notes, StudyFacts& facts) {
  const std::vector<long> kept = order_kept(data, rows);
  const std::filesystem::path folder =
      std::filesystem::path(table).parent_path() / std::filesystem::path(data.recordings).filename();
  Json list = Json::array(), others = Json::object();
  const double room = 1.0 / static_cast<double>(std::max<std::size_t>(1, std::min(kept.size(), kMaxShown)));
  ReportOptions silent = options;
  silent.progress = [](double) {};
  long missing = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::string file = (folder / (std::to_string(kept[i]) + ".h5")).string();
    options.progress(0.2 + 0.75 * static_cast<double>(i) / static_cast<double>(kept.size()));
    if (!std::filesystem::exists(file)) {
      ++missing;
      continue;
    }
    if (list.size() >= kMaxShown) {
      others[std::to_string(kept[i])] = file;
      continue;
    }
    try {
      Json header = page.embed(make_recording_page(file, silent, room).page);
      header["row"] = std::lower_bound(rows.runs.begin(), rows.runs.end(), kept[i]) - rows.runs.begin();
      list.push_back(std::move(header));
    } catch (const Error&) {
      ++missing;  // truncated by a kill
    }
  }
  facts.recordings = static_cast<long>(list.size());
  if (!others.empty())
    notes.push_back(fmt::format("{} of {} kept recordings are on this page; the others are listed with their runs.",
                                list.size(), kept.size()));
  if (missing > 0)
    notes.push_back(fmt::format("{} of {} kept recordings cannot be read; they are expected in {}.", missing,
                                kept.size(), folder.string()));
  page.header["recordings"] = std::move(list);
  page.header["kept"] = std::move(others);
}

// The file name of the scenario in the text of a study, for the command that repeats a run.
std::string scenario_of(const std::string& study) {
  try {
    const Document document = parse_document(study, "study");
    for (std::size_t k = 0; document.root != nullptr && k < document.root->keys.size(); ++k)
      if (document.root->keys[k]->text == "scenario") return document.root->items[k]->text;
  } catch (const Error&) {  // omitted from the page
  }
  return "";
}

// The message; preceded by the status if the message does not contain it.
std::string status_text(const std::string& status, const std::string& message) {
  if (message.empty()) return status;
  return message.starts_with(status) ? message : status + ": " + message;
}

void add_runs(const StudyData& data, const StudyRows& rows, PageData& page, StudyFacts& facts) {
  std::map<std::string, std::uint32_t> known;
  std::vector<std::uint32_t> index, status;
  std::vector<double> wall;
  Json statuses = Json::array();
  for (const long k : rows.runs) {
    const auto run = static_cast<std::size_t>(k);
    const bool ok = data.status[run] == "ok";
    const std::string text = status_text(data.status[run], data.message[run]);
    const auto [entry, is_new] = known.emplace(text, static_cast<std::uint32_t>(statuses.size()));
    if (is_new) statuses.push_back({{"text", text}, {"failed", !ok}});
    facts.failed += ok ? 0 : 1;
    index.push_back(static_cast<std::uint32_t>(k));
    status.push_back(entry->second);
    wall.push_back(data.wall[run]);
  }
  const std::size_t R = rows.runs.size(), P = data.parameters.size(), K = data.results.size();
  page.header["statuses"] = std::move(statuses);
  page.add("index", {R}, index);
  page.add("status", {R}, status);
  page.add("wall", {R}, wall);
  std::vector<double> columns = list_columns(rows.parameters, rows.runs);
  if (P > 0) page.add("parameters", {P, R}, columns);
  const std::vector<double> results = list_columns(rows.results, rows.runs);
  if (K > 0) page.add("results", {K, R}, results);
  columns.insert(columns.end(), results.begin(), results.end());
  page.add("correlation", {P + K, P + K}, correlate(columns, P + K, R));
}

void add_columns(const StudyData& data, const StudyRows& rows, PageData& page, StudyFacts& facts) {
  Json parameters = Json::array(), results = Json::array();
  for (std::size_t p = 0; p < data.parameters.size(); ++p) {
    parameters.push_back({{"name", data.parameters[p].name},
                          {"unit", data.parameters[p].unit},
                          {"definition", data.parameters[p].text}});
    if (!rows.words[p].empty()) parameters.back()["words"] = rows.words[p];
    facts.parameters.push_back(data.parameters[p].name);
  }
  const std::vector<Sensitivity> sensitivities = find_sensitivities(data, rows);
  for (std::size_t r = 0; r < data.results.size(); ++r) {
    std::vector<double> values;
    for (const long k : rows.runs) values.push_back(rows.results(k, static_cast<Eigen::Index>(r)));
    facts.results.push_back({data.results[r].name, data.results[r].unit, compute_statistics(values), sensitivities[r]});
    results.push_back({{"name", data.results[r].name},
                       {"unit", data.results[r].unit},
                       {"definition", data.results[r].text},
                       {"statistics", to_json(facts.results.back().statistics)},
                       {"sensitivity", to_json(sensitivities[r])}});
  }
  page.header["parameters"] = std::move(parameters);
  page.header["results"] = std::move(results);
}

Json make_study_summary(const StudyData& data, const StudyFacts& facts) {
  Json out = Json::array();
  const auto add = [&](const char* label, const std::string& value, bool warning = false) {
    out.push_back({{"label", label}, {"value", value}});
    if (warning) out.back()["level"] = "warning";
  };
  add("runs", grouped(facts.runs));
  if (facts.done < facts.runs) add("done", grouped(facts.done), true);
  if (facts.failed > 0) add("failed", fmt::format("{} of {}", grouped(facts.failed), grouped(facts.done)), true);
  add("sampling", fmt::format("{}, seed {}", data.method, data.seed));
  double wall = 0;
  for (const double seconds : data.wall)
    if (std::isfinite(seconds)) wall += seconds;
  add("computing time",
      fmt::format("{:.3g} s in all, {:.3g} s a run", wall, wall / static_cast<double>(std::max(1L, facts.done))));
  return out;
}

}  // namespace

StudyFacts write_study_report(const std::string& table, const std::string& target, const ReportOptions& options) {
  ReportOptions guarded = options;
  guarded.never_overwrites.push_back(table);
  check_page(target, guarded.never_overwrites);
  const StudyData data = read_study_table(table);
  const StudyRows rows = make_rows(data);
  StudyFacts facts;
  facts.runs = data.runs();
  facts.done = static_cast<long>(rows.runs.size());
  PageData page;
  std::vector<std::string> notes;
  page.header["kind"] = "study";
  page.header["name"] = data.name.empty() ? "study" : data.name;
  page.header["scenario"] = scenario_of(data.study_text);
  add_provenance(table, data.version,
                 {{"study", data.study_text}, {"scenario", data.scenario_text}, {"model", data.model_text}}, page);
  add_runs(data, rows, page, facts);
  options.progress(0.1);
  add_columns(data, rows, page, facts);
  options.progress(0.2);
  page.header["summary"] = make_study_summary(data, facts);
  add_recordings(table, data, rows, guarded, page, notes, facts);
  if (facts.done < facts.runs)
    notes.push_back(fmt::format("{} of {} runs are not done yet: continue with limber sweep --resume.",
                                grouped(facts.runs - facts.done), grouped(facts.runs)));
  page.header["notes"] = notes;
  facts.bytes = write_page(page, target, guarded.never_overwrites);
  options.progress(1);
  return facts;
}

}  // namespace limber
