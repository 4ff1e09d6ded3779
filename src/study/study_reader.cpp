// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "limber/files/detail/flow.hpp"
#include "limber/files/detail/quantity.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/files/model_file.hpp"
#include "limber/files/text_file.hpp"
#include "limber/study/sampling.hpp"
#include "limber/study/study.hpp"
#include "study/result_reader.hpp"
#include "study/run_count.hpp"

namespace limber {
namespace {

using ParameterKind = StudyParameter::Kind;

constexpr std::size_t kLongestStudyName = 200, kLongestParameterPath = 400;
constexpr std::array<std::string_view, 5> kMethods = {"grid", "latin", "sobol", "random", "saltelli"};
constexpr std::array<std::string_view, 6> kTuneMethods = {"nelder-mead", "sbplx", "cobyla", "bobyqa", "direct", "crs"};

// ---- parameters ------------------------------------------------------------------------------------------

// A number, with or without a unit; the dimension is checked when the value is set.
double read_value(const Reader& at, StudyParameter& out) {
  const auto given = at.is_scalar() ? parse_quantity(at.text()) : std::nullopt;
  if (!given || given->unit.empty()) return at.number();
  const std::string unit = si_unit(given->dimension);
  if (!out.unit.empty() && unit != out.unit)
    at.fail(
        fmt::format("must be in {} or a multiple of it, as the other values, but is {}", out.unit, show(at.text())));
  out.unit = unit;
  return given->value;
}

void read_bounds(const Reader& at, StudyParameter& out) {
  if (!at.is_list() || at.length(kMaxDocumentNodes) != 2) at.numbers(2);  // throws
  const std::vector<Reader> bounds = at.list();
  out.a = read_value(bounds[0], out);
  out.b = read_value(bounds[1], out);
  if (!(out.a < out.b)) at.fail(fmt::format("must rise, but goes from {} to {}", out.a, out.b));
}

// A number of runs or of values.
int read_count(const Reader& at) {
  if (at.number() > kMaxRuns) at.fail_item(fmt::format("{}: {}", at.path(), too_many_runs(at.number(), 2)));
  return at.whole_number(1, static_cast<int>(kMaxRuns));
}

// n equal intervals.
void read_range(const Reader& at, const std::optional<Reader>& count, StudyParameter& out) {
  read_bounds(at, out);
  if (!count) return;
  const int n = read_count(*count);
  out.kind = ParameterKind::values;
  if (n == 1) count->fail("must be at least 2, the two ends; for one value write values: [x]");
  for (int k = 0; k < n; ++k) {
    const double step = (out.b - out.a) / (n - 1);
    out.values.push_back(write_value(out, k == n - 1 ? out.b : out.a + k * step));
  }
}

bool is_number(const Reader& at) {
  try {
    StudyParameter none;
    read_value(at, none);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

void read_values(const Reader& at, const std::optional<Reader>& weights, StudyParameter& out) {
  out.kind = ParameterKind::values;
  for (const Reader& value : at.list()) {
    out.numbers = out.numbers && is_number(value);
    out.values.push_back(value.is_scalar() && !value.is_quoted() ? value.text() : write_flow(value.node()));
  }
  if (out.values.empty()) at.fail("is empty; write at least one value");
  if (!weights) return;
  const VectorXd given = weights->numbers(std::ssize(out.values));
  if (!(given.minCoeff() >= 0) || !(given.sum() > 0)) weights->fail("must not be negative, nor all zero");
  for (const double weight : given) out.weights.push_back(weight / given.sum());
}

void read_spread(const Reader& at, std::string_view middle, StudyParameter& out) {
  at.check_keys({middle, "sigma"});
  out.a = read_value(at.at(middle, std::string(middle) + ": 1"), out);
  const Reader sigma = at.at("sigma", "sigma: 0.1");
  out.b = out.kind == ParameterKind::lognormal ? sigma.not_negative() : read_value(sigma, out);
  if (out.b < 0) sigma.fail(fmt::format("must not be negative, but is {}", sigma.text()));
  if (out.kind == ParameterKind::lognormal && !(out.a > 0)) at.at(middle, "").fail("must be greater than 0");
}

StudyParameter read_parameter(const Reader& at) {
  at.check_keys({"path", "range", "count", "values", "weights", "uniform", "normal", "lognormal", "start"});
  StudyParameter out;
  out.path = at.at("path", "path: load.mass").one_line(kLongestParameterPath);
  if (out.path.find_first_of("/=") != std::string::npos) at.at("path", "").fail("must have no '/' and no '='");
  const std::string_view form = at.one_of({"range", "values", "uniform", "normal", "lognormal"});
  const Reader value = at.at(form, "");
  for (const auto& [key, with] : {std::pair{"count", "range"}, std::pair{"weights", "values"}}) {
    if (const auto given = at.find(key); given && form != with)
      given->fail(fmt::format("belongs to {}; remove it", with));
  }
  if (form == "range") read_range(value, at.find("count"), out);
  if (form == "uniform") read_bounds(value, out);
  if (form == "values") read_values(value, at.find("weights"), out);
  if (form == "normal" || form == "lognormal") {
    out.kind = form == "normal" ? ParameterKind::normal : ParameterKind::lognormal;
    read_spread(value, form == "normal" ? "mean" : "median", out);
  }
  if (const auto start = at.find("start")) out.start = read_value(*start, out);
  std::string text = write_flow(at.node());
  out.text = text.substr(1, text.size() - 2);
  return out;
}

std::vector<StudyParameter> read_parameters(const Reader& list) {
  std::vector<StudyParameter> out;
  for (const Reader& entry : list.list()) {
    StudyParameter one = read_parameter(entry);
    for (const StudyParameter& other : out) {
      if (other.path == one.path)
        entry.at("path", "").fail(fmt::format("{} is a duplicate; remove one", show(one.path)));
    }
    out.push_back(std::move(one));
  }
  if (out.empty()) list.fail("is empty; write at least one parameter");
  return out;
}

// ---- sampling --------------------------------------------------------------------------------------------

void read_correlation(const Reader& list, const Study& study, MatrixXd& out) {
  const auto find = [&](const Reader& path) {
    std::vector<std::string_view> known;
    for (const StudyParameter& parameter : study.parameters) {
      if (parameter.path == path.text()) return static_cast<Eigen::Index>(&parameter - study.parameters.data());
      known.push_back(parameter.path);
    }
    path.fail(fmt::format("{} is not a parameter;{} there are {}", show(path.text()), suggest(path.text(), known),
                          join(known, 8)));
  };
  out = MatrixXd::Identity(std::ssize(study.parameters), std::ssize(study.parameters));
  for (const Reader& entry : list.list()) {
    entry.check_keys({"between", "value"});
    const Reader between = entry.at("between", "between: [load.mass, boom.EIy]"),
                 value = entry.at("value", "value: 0.5");
    const std::vector<Reader> both = between.list();
    if (both.size() != 2) between.fail("must be two parameters");
    const Eigen::Index i = find(both[0]), j = find(both[1]);
    if (i == j) between.fail("must be two different parameters");
    if (!(std::abs(value.number()) < 1)) value.fail("must lie between -1 and 1");
    const bool axis = study.parameters[static_cast<std::size_t>(i)].kind == ParameterKind::values ||
                      study.parameters[static_cast<std::size_t>(j)].kind == ParameterKind::values;
    if (axis && study.sampling.method == SamplingMethod::grid)
      between.fail("names an axis of a grid, which cannot be correlated; use another method");
    out(i, j) = out(j, i) = value.number();
  }
  if (study.sampling.method == SamplingMethod::saltelli) list.fail("has no meaning for Sobol indices; remove it");
  if (Eigen::LLT<MatrixXd>(out).info() != Eigen::Success)
    list.fail("is not positive definite: no random variables have these correlations; lower the values");
}

void read_sampling(const Reader& root, Study& out) {
  const auto map = root.find("sampling");
  SamplingOptions& sampling = out.sampling;
  const auto method_of = [](const StudyParameter& p) { return p.kind == ParameterKind::values; };
  const bool axes = std::all_of(out.parameters.begin(), out.parameters.end(), method_of);
  if (map) {
    map->check_keys({"method", "count", "seed"});
    if (const auto method = map->find("method"))
      sampling.method = static_cast<SamplingMethod>(method->choice(kMethods));
    constexpr int kMax = 2'000'000'000;
    if (const auto seed = map->find("seed")) sampling.seed = static_cast<std::uint64_t>(seed->whole_number(0, kMax));
    if (const auto count = map->find("count")) sampling.count = read_count(*count);
  }
  if (!map && !axes && !root.has("tune"))
    root.fail_item("missing key 'sampling'; write for example sampling: {method: latin, count: 1000, seed: 1}");
  if (sampling.method != SamplingMethod::grid && sampling.count == 0)
    map->fail_item("missing key 'count' in sampling; write for example count: 1000");
  const int dimensions =
      static_cast<int>(out.parameters.size()) * (sampling.method == SamplingMethod::saltelli ? 2 : 1);
  const bool sobol = sampling.method == SamplingMethod::sobol || sampling.method == SamplingMethod::saltelli;
  if (sobol && dimensions > kMaxSobolDimensions)
    map->at("method", "")
        .fail(fmt::format("has {} dimensions here and takes {}; use latin", dimensions, kMaxSobolDimensions));
  if (axes && sampling.method == SamplingMethod::grid) sampling.count = 1;
}

void read_keep(const Reader& at, KeepChoice& out) {
  if (!at.is_list()) {
    constexpr std::array<std::string_view, 3> kChoices = {"none", "all", "failed"};
    if (!at.is_scalar() || std::find(kChoices.begin(), kChoices.end(), at.text()) == kChoices.end())
      at.fail("must be none, all, failed, or a list of runs such as [0, 17]");
    out.kind = static_cast<KeepChoice::Kind>(at.choice(kChoices));
    return;
  }
  out.kind = KeepChoice::Kind::chosen;
  for (const Reader& run : at.list()) out.runs.push_back(run.whole_number(0, static_cast<int>(kMaxRuns)));
  std::sort(out.runs.begin(), out.runs.end());
}

// ---- tune ------------------------------------------------------------------------------------------------

TuneOptions read_tune(const Reader& map, const Study& study) {
  map.check_keys({"minimise", "maximise", "method", "evaluations", "tolerance"});
  TuneOptions out;
  const std::string_view key = map.one_of({"minimise", "maximise"});
  const Reader goal = map.at(key, "");
  out.maximise = key == "maximise";
  std::vector<std::string_view> names;
  for (const StudyResult& result : study.results) names.push_back(result.name);
  out.goal = static_cast<std::size_t>(goal.choice(names));
  if (const auto method = map.find("method"))
    out.method = kTuneMethods[static_cast<std::size_t>(method->choice(kTuneMethods))];
  constexpr int kMaxEvaluations = 1'000'000;
  if (const auto most = map.find("evaluations")) out.evaluations = most->whole_number(1, kMaxEvaluations);
  if (const auto tolerance = map.find("tolerance")) out.tolerance = tolerance->positive();
  return out;
}

void check_study_header(const Reader& root) {
  const bool map = root.is_map();
  if (map && !root.has("study") && root.has("scenario") && root.has("duration"))
    root.fail_item("this is a scenario, not a study; a study has the keys study, scenario, parameters and results");
  if (map && !root.has("study") && root.has("bodies"))
    root.fail_item("this is a model, not a study; a study has the keys study, scenario, parameters and results");
  if (map) check_version(root);
  root.check_keys({"limber", "study", "scenario", "parameters", "correlation", "sampling", "results", "keep", "tune"});
}

void check_keep(const std::optional<Reader>& keep, const Study& study) {
  const long runs = count_runs(study);
  if (study.keep.runs.empty() || study.keep.runs.back() < runs) return;
  keep->fail(fmt::format("names run {}, but the last is {}", study.keep.runs.back(), runs - 1));
}

}  // namespace

std::string_view to_string(SamplingMethod method) { return kMethods[static_cast<std::size_t>(method)]; }

Study parse_study(std::string_view text, const std::string& name_for_messages, const std::string& folder) {
  const Document document = parse_document(text, name_for_messages);
  const Reader root(document);
  check_study_header(root);
  Study out;
  out.text = text;
  out.file = name_for_messages;
  out.name = root.at("study", "study: payload").one_line(kLongestStudyName);
  const std::string scenario = root.at("scenario", "scenario: slew.yaml").one_line(kLongestPath);
  out.scenario_file = (std::filesystem::path(folder) / scenario).string();
  out.parameters =
      read_parameters(root.at("parameters", "parameters: [{path: load.mass, range: [0, 100], count: 20}]"));
  read_sampling(root, out);
  if (const auto correlation = root.find("correlation")) read_correlation(*correlation, out, out.sampling.correlation);
  out.results = read_results(root.at("results", "results: [{name: f1, frequency: 1}]"), out);
  if (const auto keep = root.find("keep")) read_keep(*keep, out.keep);
  check_keep(root.find("keep"), out);
  if (const auto tune = root.find("tune")) out.tune = read_tune(*tune, out);
  return out;
}

Study read_study(const std::string& path) {
  return parse_study(read_text_file(path), path, std::filesystem::path(path).parent_path().string());
}

}  // namespace limber
