// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/study/sampling.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "limber/files/study_table.hpp"
#include "limber/spatial/status.hpp"
#include "study/run_count.hpp"

namespace limber {
namespace {

using ParameterKind = StudyParameter::Kind;

constexpr std::uint64_t kDraws = 1, kShift = 2, kOrder = 3, kRuns = 4;  // streams of random numbers
constexpr std::uint64_t kStreams = 16;                                  // of a parameter

double to_unit(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }  // within (0, 1)

double draw(const Study& study, std::size_t parameter, long run) {
  return to_unit(random_bits(study.sampling.seed, kDraws + kStreams * parameter, static_cast<std::uint64_t>(run)));
}

double sobol_unit(const Study& study, long point, int dimension) {
  const auto shift = random_bits(study.sampling.seed, kShift, static_cast<std::uint64_t>(dimension)) >> 32;
  const std::uint32_t bits =
      sobol_bits(static_cast<std::uint32_t>(point), dimension) ^ static_cast<std::uint32_t>(shift);
  return (static_cast<double>(bits) + 0.5) * 0x1p-32;
}

bool is_axis(const StudyParameter& parameter) { return parameter.kind == ParameterKind::values; }

// A random permutation of 0 ... n - 1 (Fisher and Yates).
std::vector<std::int32_t> random_order(std::uint64_t seed, std::size_t parameter, long n) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), 0);
  for (std::size_t k = out.size(); k > 1; --k) {
    const double u = to_unit(random_bits(seed, kOrder + kStreams * parameter, k));
    std::swap(out[k - 1], out[std::min(k - 1, static_cast<std::size_t>(u * static_cast<double>(k)))]);
  }
  return out;
}

double normal_probability(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

}  // namespace

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
  std::uint64_t z = seed;
  for (const std::uint64_t next : {stream, index}) {
    z += kGolden * (next + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
  }
  return z;
}

// Starts from [Abramowitz and Stegun 26.2.23], accurate to 4.5e-4; three steps of Halley's method on Phi(z) - u.
double normal_quantile(double u) {
  const bool lower = u < 0.5;
  const double p = lower ? u : 1 - u, t = std::sqrt(-2 * std::log(p));
  double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int k = 0; k < 3; ++k) {
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
    const double step = (normal_probability(-z) - p) / density;
    z += step / (1 - 0.5 * z * step);
  }
  return lower ? -z : z;
}

double quantile(const StudyParameter& parameter, double u) {
  switch (parameter.kind) {
    case ParameterKind::uniform:
      return parameter.a + (parameter.b - parameter.a) * u;
    case ParameterKind::normal:
      return parameter.a + parameter.b * normal_quantile(u);
    case ParameterKind::lognormal:
      return parameter.a * std::exp(parameter.b * normal_quantile(u));
    case ParameterKind::values:
      break;
  }
  const std::size_t count = parameter.values.size();
  if (parameter.weights.empty())
    return static_cast<double>(std::min(count - 1, static_cast<std::size_t>(u * static_cast<double>(count))));
  std::size_t k = 0;
  for (double below = parameter.weights[0]; k + 1 < count && u >= below; below += parameter.weights[k]) ++k;
  return static_cast<double>(k);
}

std::string too_many_runs(double runs, std::size_t columns) {
  constexpr double kRowBytes = 8 * 3 + 1 + static_cast<double>(kStudyStatusBytes + kStudyMessageBytes);
  const double bytes = runs * (kRowBytes + 8 * static_cast<double>(columns));
  return fmt::format(
      "the study has {:.6g} runs, a table of {:.3g} GB; at most {:.0g} are supported: make the grid coarser, or "
      "sample it (method: latin)",
      runs, bytes / 1e9, kMaxRuns);
}

long count_runs(const Study& study) {
  const SamplingOptions& sampling = study.sampling;
  double runs = static_cast<double>(std::max(1L, sampling.count));
  if (sampling.method == SamplingMethod::saltelli) runs *= static_cast<double>(study.parameters.size()) + 2;
  if (sampling.method == SamplingMethod::grid) {
    const auto& all = study.parameters;
    if (std::all_of(all.begin(), all.end(), is_axis)) runs = 1;
    for (const StudyParameter& parameter : all)
      runs *= is_axis(parameter) ? static_cast<double>(parameter.values.size()) : 1;
  }
  if (runs > kMaxRuns)
    throw InputError(
        fmt::format("{}: {}", study.file, too_many_runs(runs, study.parameters.size() + study.results.size())));
  return static_cast<long>(runs);
}

StudySamples::StudySamples(const Study& study) : study_(study), runs_(count_runs(study)) {
  if (study.sampling.method == SamplingMethod::latin) {
    for (std::size_t k = 0; k < study.parameters.size(); ++k)
      order_.push_back(random_order(study.sampling.seed, k, runs_));
  }
  if (study.sampling.correlation.size() > 0) factor_ = study.sampling.correlation.llt().matrixL();
}

std::uint64_t StudySamples::seed(long run) const {
  return random_bits(study_.sampling.seed, kRuns, static_cast<std::uint64_t>(run));
}

// Blocks of `count` runs: A, B, then A with column j of B for each parameter j.
VectorXd StudySamples::saltelli_point(long run) const {
  const long block = run / study_.sampling.count, point = run % study_.sampling.count;
  const int parameters = static_cast<int>(study_.parameters.size());
  VectorXd out(parameters);
  for (int j = 0; j < parameters; ++j) {
    const bool second = block == 1 || block == j + 2;
    out[j] = sobol_unit(study_, point, second ? j + parameters : j);
  }
  return out;
}

VectorXd StudySamples::unit_point(long run) const {
  const auto& parameters = study_.parameters;
  if (study_.sampling.method == SamplingMethod::saltelli) return saltelli_point(run);
  VectorXd out(std::ssize(parameters));
  long rest = run;
  for (std::size_t k = parameters.size(); k-- > 0;) {  // of a grid, the last parameter changes fastest
    const long size = std::ssize(parameters[k].values);
    double& u = out[static_cast<Eigen::Index>(k)];
    switch (study_.sampling.method) {
      case SamplingMethod::grid:
        u = draw(study_, k, run);
        if (!is_axis(parameters[k])) break;
        u = (static_cast<double>(rest % size) + 0.5) / static_cast<double>(size);
        rest /= size;
        break;
      case SamplingMethod::latin:
        u = (order_[k][static_cast<std::size_t>(run)] + draw(study_, k, run)) / static_cast<double>(runs_);
        break;
      case SamplingMethod::sobol:
        u = sobol_unit(study_, run, static_cast<int>(k));
        break;
      default:
        u = draw(study_, k, run);
    }
  }
  return out;
}

std::string write_value(const StudyParameter& parameter, double value) {
  return fmt::format("{}{}{}", value, parameter.unit.empty() ? "" : " ", parameter.unit);
}

std::vector<std::string> StudySamples::values(long run) const {
  VectorXd u = unit_point(run);
  if (factor_.size() > 0) {
    const VectorXd z = factor_ * u.unaryExpr([](double x) { return normal_quantile(x); });
    u = z.unaryExpr([](double x) { return normal_probability(x); });
  }
  std::vector<std::string> out;
  for (std::size_t k = 0; k < study_.parameters.size(); ++k) {
    const StudyParameter& parameter = study_.parameters[k];
    const auto place = static_cast<Eigen::Index>(k);
    const double value = quantile(parameter, u[place]);
    out.push_back(is_axis(parameter) ? parameter.values[static_cast<std::size_t>(value)]
                                     : write_value(parameter, value));
  }
  return out;
}

Overrides StudySamples::overrides(long run) const {
  std::vector<std::string> texts = values(run);
  Overrides out;
  for (std::size_t k = 0; k < texts.size(); ++k) out.push_back({study_.parameters[k].path, std::move(texts[k])});
  return out;
}

}  // namespace limber
