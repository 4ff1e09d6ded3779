// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/study/tune.hpp"

#include <fmt/format.h>
#include <nlopt.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <memory>

#include "limber/files/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

using TuneClock = std::chrono::steady_clock;

constexpr double kFirstStep = 0.2;  // of the ranges
constexpr std::pair<std::string_view, nlopt_algorithm> kSearches[] = {
    {"nelder-mead", NLOPT_LN_NELDERMEAD}, {"sbplx", NLOPT_LN_SBPLX},     {"cobyla", NLOPT_LN_COBYLA},
    {"bobyqa", NLOPT_LN_BOBYQA},          {"direct", NLOPT_GN_DIRECT_L}, {"crs", NLOPT_GN_CRS2_LM},
};

// A study with the evaluations as rows.
Study search_study(const Study& study) {
  if (!study.tune)
    throw InputError(fmt::format("{}: there is nothing to tune; add for example tune: {{minimise: {}}}", study.file,
                                 study.results[0].name));
  for (const StudyParameter& parameter : study.parameters) {
    if (parameter.kind != StudyParameter::Kind::uniform)
      throw InputError(fmt::format("{}: parameter {} has no bounds to search in; write range: [a, b] without count",
                                   study.file, show(parameter.path)));
    if (const double start = parameter.start.value_or(parameter.a); !(start >= parameter.a && start <= parameter.b))
      throw InputError(
          fmt::format("{}: parameter {} starts at {}, outside of its range", study.file, show(parameter.path), start));
  }
  Study out = study;
  out.sampling.method = SamplingMethod::random;
  out.sampling.count = study.tune->evaluations;
  out.sampling.correlation.resize(0, 0);
  return out;
}

// One search; all parameters scaled to 0 ... 1.
class Search {
 public:
  Search(const Study& study, const SweepOptions& options, StudyTableWriter& table)
      : study_(study), options_(options), table_(table) {}

  double evaluate(const double* unit) {
    Overrides values;
    std::vector<double> numbers;
    for (std::size_t k = 0; k < study_.parameters.size(); ++k) {
      const StudyParameter& parameter = study_.parameters[k];
      numbers.push_back(parameter.a + (parameter.b - parameter.a) * std::clamp(unit[k], 0.0, 1.0));
      values.push_back({parameter.path, write_value(parameter, numbers.back())});
    }
    const CaseResult result = run_case(study_, values, "", options_.go_on);
    if (result.interrupted || (options_.go_on && !options_.go_on())) {
      stopped = true;
      return worst_;
    }
    StudyRow row = result.row;
    row.index = report.evaluations++;
    table_.write_parameters(row.index, numbers);
    table_.write(row);
    rows.push_back(row);
    points.push_back(numbers);
    if (options_.progress) options_.progress({study_.tune->evaluations, report.evaluations, 0});
    const double goal = row.results[study_.tune->goal];
    const double cost = study_.tune->maximise ? -goal : goal;
    if (row.status != "ok" || !std::isfinite(cost)) {
      ++report.failed;
      return worst_ + std::abs(worst_) + 1;
    }
    worst_ = rows.size() == 1 + static_cast<std::size_t>(report.failed) ? cost : std::max(worst_, cost);
    if (report.best < 0 || cost < best_cost_) {
      best_cost_ = cost;
      report.best = row.index;
      report.values = numbers;
      report.goal = goal;
    }
    return cost;
  }

  TuneReport report;
  bool stopped = false;
  std::vector<StudyRow> rows;
  std::vector<std::vector<double>> points;

 private:
  const Study& study_;
  const SweepOptions& options_;
  StudyTableWriter& table_;
  double worst_ = 0, best_cost_ = 0;
};

struct Call {
  Search* search;
  nlopt_opt opt;
  std::exception_ptr failure;  // of the table; must not pass through NLopt
};

double call_search(unsigned, const double* x, double*, void* data) {
  Call& call = *static_cast<Call*>(data);
  try {
    const double cost = call.search->evaluate(x);
    if (call.search->stopped) nlopt_force_stop(call.opt);
    return cost;
  } catch (...) {
    call.failure = std::current_exception();
    nlopt_force_stop(call.opt);
    return 0;
  }
}

void minimise(const Study& study, Search& search) {
  const auto n = static_cast<unsigned>(study.parameters.size());
  const auto* found = std::find_if(std::begin(kSearches), std::end(kSearches),
                                   [&](const auto& one) { return one.first == study.tune->method; });
  const std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> opt(nlopt_create(found->second, n), &nlopt_destroy);
  std::vector<double> x(n);
  for (unsigned k = 0; k < n; ++k) {
    const StudyParameter& p = study.parameters[k];
    x[k] = p.start ? (*p.start - p.a) / (p.b - p.a) : 0.5;
  }
  Call call{&search, opt.get(), nullptr};
  nlopt_srand(static_cast<unsigned long>(study.sampling.seed));
  nlopt_set_min_objective(opt.get(), &call_search, &call);
  nlopt_set_lower_bounds1(opt.get(), 0);
  nlopt_set_upper_bounds1(opt.get(), 1);
  nlopt_set_initial_step1(opt.get(), kFirstStep);
  nlopt_set_xtol_abs1(opt.get(), study.tune->tolerance);
  nlopt_set_maxeval(opt.get(), study.tune->evaluations);
  double smallest = 0;
  const nlopt_result ended = nlopt_optimize(opt.get(), x.data(), &smallest);
  if (call.failure) std::rethrow_exception(call.failure);
  if (search.stopped)
    search.report.ended = "interrupted";
  else if (ended == NLOPT_MAXEVAL_REACHED)
    search.report.ended = "evaluations used up";
  else
    search.report.ended = ended == NLOPT_XTOL_REACHED ? "tolerance reached" : "no further progress";
}

}  // namespace

TuneReport tune(const Study& given, const SweepOptions& options) {
  const auto begin = TuneClock::now();
  const Study study = search_study(given);
  const StudySamples samples(study);
  StudyData data = prepare_study(study, samples);
  data.method = "tune: " + study.tune->method;
  for (StudyColumn& column : data.parameters) column.values.clear();
  data.recordings = "";
  const auto make_table = [&] { return StudyTableWriter(options.output, data, options.never_overwrites); };
  TuneReport report;
  {
    StudyTableWriter table = make_table();
    Search search(study, options, table);
    minimise(study, search);
    report = search.report;
    // The number of evaluations.
    const auto rows = static_cast<std::size_t>(report.evaluations);
    table.finish(true);
    if (rows == 0) return report;
    for (auto* list : {&data.status, &data.message}) list->resize(rows);
    data.seeds.resize(rows);
    data.wall.resize(rows);
    data.kept.resize(rows);
    for (const std::vector<double>& point : search.points) {
      for (std::size_t k = 0; k < point.size(); ++k) data.parameters[k].values.push_back(point[k]);
    }
    StudyTableWriter whole = make_table();
    for (const StudyRow& row : search.rows) whole.write(row);
    whole.finish(report.ended != "interrupted");
  }
  report.wall = std::chrono::duration<double>(TuneClock::now() - begin).count();
  return report;
}

}  // namespace limber
