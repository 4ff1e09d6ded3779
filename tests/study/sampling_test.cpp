// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/study/sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "limber/spatial/status.hpp"

namespace limber {
namespace {

Study make(const std::string& parameters, const std::string& sampling) {
  return parse_study("limber: 1\nstudy: s\nscenario: s.yaml\nparameters:\n" + parameters + "sampling: " + sampling +
                         "\nresults: [{name: f, frequency: 1}]\n",
                     "study.yaml", "");
}

double number(const StudySamples& samples, long run, std::size_t parameter) {
  return std::stod(samples.values(run)[parameter]);
}

// Direction numbers and order of the points: scipy.stats.qmc.Sobol(40, scramble=False, bits=32), points 5 and 1000.
TEST(Sobol, IsTheSequenceOfJoeAndKuo) {
  const double five[] = {0.875, 0.875, 0.125, 0.375};
  for (int d = 0; d < 4; ++d) EXPECT_EQ(sobol_bits(5, d) * 0x1p-32, five[d]) << d;
  const std::pair<int, double> thousand[] = {
      {0, 0.2197265625}, {7, 0.8994140625}, {20, 0.5224609375}, {39, 0.4794921875}};
  for (const auto& [d, x] : thousand) EXPECT_EQ(sobol_bits(1000, d) * 0x1p-32, x) << d;
}

// Each of the first 2^k points lies in its own interval of length 2^-k, in every dimension.
TEST(Sobol, StratifiesEveryDimension) {
  for (int d = 0; d < kMaxSobolDimensions; ++d) {
    std::set<std::uint32_t> cells;
    for (std::uint32_t k = 0; k < 256; ++k) cells.insert(sobol_bits(k, d) >> 24);
    EXPECT_EQ(cells.size(), 256u) << d;
  }
}

// erfc is accurate to rounding; the density gives the resulting accuracy of z.
TEST(NormalQuantile, IsInverseToTheDistribution) {
  for (double u = 1e-12; u < 1; u += u < 0.01 ? u : 0.01) {
    const double z = normal_quantile(u), back = 0.5 * std::erfc(-z / std::numbers::sqrt2);
    EXPECT_NEAR(back, u, 1e-13 * std::max(u, 1e-3)) << u;
  }
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_EQ(normal_quantile(0.25), -normal_quantile(0.75));
}

TEST(Sampling, AGridHasEveryCombinationTheLastFastest) {
  const Study study =
      make("  - {path: a.m, range: [0, 100], count: 3}\n  - {path: b.m, values: [7, 8]}\n", "{method: grid}");
  const StudySamples samples(study);
  ASSERT_EQ(samples.runs(), 6);
  const std::vector<std::vector<std::string>> expected = {{"0", "7"},  {"0", "8"},   {"50", "7"},
                                                          {"50", "8"}, {"100", "7"}, {"100", "8"}};
  for (long run = 0; run < 6; ++run) EXPECT_EQ(samples.values(run), expected[static_cast<std::size_t>(run)]) << run;
}

TEST(Sampling, AGridRepeatsItsPointsForWhatIsDrawn) {
  const Study study =
      make("  - {path: a.m, values: [1, 2]}\n  - {path: b.m, uniform: [0, 1]}\n", "{method: grid, count: 5, seed: 3}");
  const StudySamples samples(study);
  ASSERT_EQ(samples.runs(), 10);
  std::set<std::string> drawn;
  for (long run = 0; run < 10; ++run) drawn.insert(samples.values(run)[1]);
  EXPECT_EQ(drawn.size(), 10u);
}

TEST(Sampling, LatinHypercubesHaveOnePointInEveryInterval) {
  const Study study = make("  - {path: a.m, uniform: [0, 1]}\n  - {path: b.m, uniform: [0, 1]}\n",
                           "{method: latin, count: 100, seed: 5}");
  const StudySamples samples(study);
  for (std::size_t k = 0; k < 2; ++k) {
    std::set<int> cells;
    for (long run = 0; run < 100; ++run) cells.insert(static_cast<int>(100 * number(samples, run, k)));
    EXPECT_EQ(cells.size(), 100u) << k;
  }
}

// Mean and variance of n draws have standard deviations of sigma / sqrt(n) and about sigma^2 sqrt(2 / n): four of
// these.
TEST(Sampling, DistributionsHaveTheirMoments) {
  const Study study = make(
      "  - {path: a.m, normal: {mean: 10, sigma: 2}}\n  - {path: b.m, lognormal: {median: 3, sigma: 0.5}}\n"
      "  - {path: c.m, values: [1, 2, 4], weights: [1, 2, 1]}\n",
      "{method: random, count: 20000, seed: 11}");
  const StudySamples samples(study);
  const double n = 20000;
  double mean[3] = {}, squares[3] = {};
  for (long run = 0; run < samples.runs(); ++run) {
    const std::vector<std::string> texts = samples.values(run);
    const double x[3] = {std::stod(texts[0]), std::log(std::stod(texts[1])), std::stod(texts[2])};
    for (int k = 0; k < 3; ++k) {
      mean[k] += x[k] / n;
      squares[k] += x[k] * x[k] / n;
    }
  }
  const double means[3] = {10, std::log(3.0), 2.25}, variances[3] = {4, 0.25, 1.1875};
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(mean[k], means[k], 4 * std::sqrt(variances[k] / n)) << k;
    EXPECT_NEAR(squares[k] - mean[k] * mean[k], variances[k], 4 * variances[k] * std::sqrt(2 / n)) << k;
  }
}

TEST(Sampling, CorrelationsAreThoseAskedFor) {
  const Study study =
      make("  - {path: a.m, normal: {mean: 0, sigma: 1}}\n  - {path: b.m, normal: {mean: 0, sigma: 3}}\n",
           "{method: random, count: 20000, seed: 2}\ncorrelation: [{between: [a.m, b.m], value: 0.7}]");
  const StudySamples samples(study);
  double xy = 0, xx = 0, yy = 0;
  for (long run = 0; run < samples.runs(); ++run) {
    const double x = number(samples, run, 0), y = number(samples, run, 1);
    xy += x * y;
    xx += x * x;
    yy += y * y;
  }
  EXPECT_NEAR(xy / std::sqrt(xx * yy), 0.7, 4 * (1 - 0.49) / std::sqrt(20000.0));  // standard error: Fisher
}

TEST(Sampling, PointsFollowFromSeedAndIndexAlone) {
  const std::string parameters = "  - {path: a.m, uniform: [0, 1]}\n  - {path: b.m, normal: {mean: 0, sigma: 1}}\n";
  for (const char* method : {"random", "latin", "sobol", "saltelli"}) {
    const std::string text = std::string("{method: ") + method + ", count: 50, seed: ";
    const Study one = make(parameters, text + "1}"), other = make(parameters, text + "2}");
    const StudySamples a(one), b(one), c(other);
    for (const long run : {49L, 0L, 17L}) {
      EXPECT_EQ(a.values(run), b.values(run)) << method;
      EXPECT_NE(a.values(run), c.values(run)) << method;
    }
    EXPECT_NE(a.seed(0), a.seed(1));
  }
}

TEST(Sampling, RunsBeyondAllMeasureAreRefusedWithTheirNumberAndSize) {
  std::string parameters;
  for (const char* name : {"a", "b", "c"})
    parameters += std::string("  - {path: ") + name + ".m, range: [0, 1], count: 10000}\n";
  try {
    make(parameters, "{method: grid}");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(
        e.what(),
        "study.yaml: the study has 1e+12 runs, a table of 2.33e+05 GB; at most 1e+07 are supported: make the grid "
        "coarser, or sample it (method: latin)");
  }
}

}  // namespace
}  // namespace limber
