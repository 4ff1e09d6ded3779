// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "study/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/files/detail/text.hpp"
#include "limber/linear/analysis.hpp"
#include "limber/linear/facts.hpp"
#include "limber/model/segments.hpp"

namespace limber {
namespace {

using ResultKind = StudyResult::Kind;
using Reduce = StudyResult::Reduce;
constexpr double kNoResult = std::numeric_limits<double>::quiet_NaN();

std::vector<Channel> all_channels(const Simulation& simulation) {
  const Model& model = simulation.model();
  ChannelOptions options;
  options.nodes = visible_nodes(model);
  options.parts = true;
  options.external = simulation.control_channels();
  return make_channels(model, options);
}

double mean_of(const std::vector<double>& x, std::size_t first, bool squares) {
  double sum = 0;
  for (std::size_t k = first; k < x.size(); ++k) sum += squares ? x[k] * x[k] : x[k];
  return sum / static_cast<double>(x.size() - first);
}

double value_at(double time, const std::vector<double>& t, const std::vector<double>& x) {
  if (time > t.back() * (1 + 1e-12) || time < t.front()) return kNoResult;
  const auto after = std::lower_bound(t.begin(), t.end(), time);
  if (after == t.end()) return x.back();
  const auto k = static_cast<std::size_t>(after - t.begin());
  if (k == 0 || t[k] == time) return x[k];
  return x[k - 1] + (x[k] - x[k - 1]) * (time - t[k - 1]) / (t[k] - t[k - 1]);
}

// The time from which the series stays in its band; NaN if it is outside at the end.
double settling_time(double target, double band, const std::vector<double>& t, const std::vector<double>& x,
                     std::size_t first) {
  std::size_t k = t.size();
  while (k > first && std::abs(x[k - 1] - target) <= band) --k;
  return k == t.size() ? kNoResult : t[k];
}

double damping_ratio(std::complex<double> pole) {
  return std::abs(pole) > 0 ? -pole.real() / std::abs(pole) : kNoResult;
}

double part_of(const std::string& part, std::complex<double> pole) {
  if (part == "real") return pole.real();
  if (part == "imaginary") return pole.imag();
  return part == "modulus" ? std::abs(pole) : damping_ratio(pole);
}

}  // namespace

double reduce_series(const StudyResult& result, const std::vector<double>& times, const std::vector<double>& values) {
  const auto begin = std::lower_bound(times.begin(), times.end(), result.from);
  if (begin == times.end()) return kNoResult;
  const auto first = static_cast<std::size_t>(begin - times.begin());
  const auto from = values.begin() + static_cast<std::ptrdiff_t>(first);
  const auto smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
  switch (result.reduce) {
    case Reduce::max:
      return *std::max_element(from, values.end());
    case Reduce::min:
      return *std::min_element(from, values.end());
    case Reduce::max_abs:
      return std::abs(*std::max_element(from, values.end(), smaller));
    case Reduce::rms:
      return std::sqrt(mean_of(values, first, true));
    case Reduce::mean:
      return mean_of(values, first, false);
    case Reduce::last:
      return values.back();
    case Reduce::at:
      return value_at(result.argument, times, values);
    case Reduce::settling:
      break;
  }
  return settling_time(result.about.value_or(values.back()), result.argument, times, values, first);
}

ResultCollector::ResultCollector(const Study& study, Simulation& simulation)
    : study_(study),
      all_(all_channels(simulation)),
      at_start_(study.results.size(), kNoResult),
      units_(study.results.size()) {
  for (std::size_t k = 0; k < study.results.size(); ++k) {
    const StudyResult& result = study.results[k];
    if (result.kind == ResultKind::channel) add_series(k);
    if (result.kind == ResultKind::frequency || result.kind == ResultKind::pole) add_start(k, simulation);
    if (result.kind == ResultKind::tracking && simulation.tracking().names.empty())
      throw InputError(fmt::format("{}: result '{}': the scenario has no controller, and therefore no tracking errors",
                                   study.file, result.name));
  }
  for (const Channel& channel : used_) rows_.emplace_back(static_cast<std::size_t>(channel.columns));
}

ResultCollector::Column ResultCollector::find_column(const StudyResult& result, const ChannelColumn& wanted,
                                                     std::string& unit) {
  const std::string where = fmt::format("{}: result '{}': ", study_.file, result.name);
  std::vector<std::string_view> names;
  const Channel* found = nullptr;
  for (const Channel& channel : all_) {
    if (channel.path == wanted.channel) found = &channel;
    names.push_back(channel.path);
  }
  if (found == nullptr)
    throw InputError(fmt::format("{}no run has a channel {};{} there are {}", where, show(wanted.channel),
                                 suggest(wanted.channel, names), join(names, 12)));
  Column out{used_.size(), 0, found->columns};
  const auto known =
      std::find_if(used_.begin(), used_.end(), [&](const Channel& c) { return c.path == wanted.channel; });
  out.channel = static_cast<std::size_t>(known - used_.begin());
  if (known == used_.end()) used_.push_back(*found);
  std::vector<std::string_view> columns(found->names.begin(), found->names.end());
  unit = found->columns > 0 ? found->unit(0) : "";
  if (wanted.component == "norm") return out;
  if (wanted.component.empty() && found->columns == 1) return out;
  const auto column = std::find(columns.begin(), columns.end(), wanted.component);
  if (wanted.component.empty() || column == columns.end())
    throw InputError(fmt::format("{}channel {} has {} component{};{} write one of {}, norm", where, wanted.channel,
                                 wanted.component.empty() ? "more than one" : "no",
                                 wanted.component.empty() ? "" : " " + show(wanted.component),
                                 suggest(wanted.component, columns), join(columns, 12)));
  out.first = static_cast<int>(column - columns.begin());
  out.count = 1;
  unit = found->unit(out.first);
  return out;
}

void ResultCollector::add_series(std::size_t index) {
  const StudyResult& result = study_.results[index];
  Series series;
  series.result = index;
  for (const ChannelColumn& column : result.columns) series.columns.push_back(find_column(result, column, series.unit));
  if (!result.expression.empty()) {
    series.expression.emplace_back(result.expression, result.letters);
    series.unit.clear();
  }
  units_[index] = result.reduce == Reduce::settling ? "s" : series.unit;
  series_.push_back(std::move(series));
}

// Results at the initial state.
void ResultCollector::add_start(std::size_t index, Simulation& simulation) {
  const StudyResult& result = study_.results[index];
  const std::string where = fmt::format("{}: result '{}': ", study_.file, result.name);
  const auto number = static_cast<std::size_t>(result.number);
  if (result.kind == ResultKind::frequency) {
    units_[index] = "Hz";
    const FrequencyFacts facts = compute_frequencies(simulation.model(), simulation.state());
    const std::vector<double>& all = result.locked ? facts.joints_locked : facts.joints_free;
    if (!facts.why_not.empty()) throw InputError(where + "no frequencies: " + facts.why_not);
    if (number > all.size())
      throw InputError(fmt::format("{}there is no frequency {}; with joints {} there are {}", where, number,
                                   result.locked ? "locked" : "free", all.size()));
    at_start_[index] = all[number - 1];
    return;
  }
  units_[index] = result.word == "damping" ? "" : "1/s";
  const Model& model = simulation.model();
  const VectorXcd poles = compute_poles(linearize(model, simulation.state(), make_joint_options(model)));
  if (std::ssize(poles) < result.number)
    throw InputError(fmt::format("{}there is no pole {}; there are {}", where, number, poles.size()));
  at_start_[index] = part_of(result.word, poles[result.number - 1]);
}

void ResultCollector::record(const Record& record) {
  times_.push_back(record.motion.x.t);
  for (std::size_t k = 0; k < used_.size(); ++k) used_[k].get(record, rows_[k].data());
  for (Series& series : series_) {
    letters_.clear();
    for (const Column& column : series.columns) {
      const double* row = rows_[column.channel].data() + column.first;
      letters_.push_back(column.count == 1 ? *row : Eigen::Map<const VectorXd>(row, column.count).norm());
    }
    series.values.push_back(series.expression.empty() ? letters_[0] : series.expression[0].at(times_.back(), letters_));
  }
}

double ResultCollector::tracking_error(const StudyResult& result, const Tracking& tracking) const {
  if (result.word == "residual") return tracking.residual;
  VectorXd errors;
  if (result.word == "rms") errors = tracking.rms();
  if (result.word == "largest") errors = tracking.largest;
  if (result.word == "last") errors = tracking.last;
  if (result.word == "saturation") errors = tracking.saturation();
  if (result.word == "settling") {
    errors.resize(std::ssize(tracking.names));
    for (Eigen::Index k = 0; k < errors.size(); ++k) errors[k] = tracking.settling(static_cast<int>(k));
  }
  double worst = kNoResult;
  for (Eigen::Index k = 0; k < errors.size(); ++k) {
    if (tracking.names[static_cast<std::size_t>(k)] == result.component) return errors[k];
    if (result.component.empty() && !(std::abs(errors[k]) <= std::abs(worst)) && !std::isnan(errors[k]))
      worst = errors[k];
  }
  if (result.component.empty()) return worst;
  throw InputError(fmt::format("{}: result '{}': {} is not driven;{} there are {}", study_.file, result.name,
                               show(result.component), suggest(result.component, views(tracking.names)),
                               join(views(tracking.names), 12)));
}

std::vector<double> ResultCollector::finish(const Tracking& tracking, bool complete,
                                            const std::vector<double>& parameters) const {
  std::vector<double> out = at_start_;
  for (const Series& series : series_) {
    if (complete && !times_.empty())
      out[series.result] = reduce_series(study_.results[series.result], times_, series.values);
  }
  std::vector<double> letters;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const StudyResult& result = study_.results[k];
    if (result.kind == ResultKind::tracking && complete) out[k] = tracking_error(result, tracking);
    if (result.kind != ResultKind::formula) continue;
    letters.clear();
    for (const auto& [is_parameter, index] : result.sources)
      letters.push_back(is_parameter ? parameters[index] : out[index]);
    out[k] = Expression(result.expression, result.letters).at(0, letters);
  }
  return out;
}

std::vector<std::string> ResultCollector::units() const { return units_; }

}  // namespace limber
