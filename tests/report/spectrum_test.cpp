// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/spectrum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <random>

#include "limber/realtime/timing.hpp"
#include "report/thinning.hpp"

namespace limber::test {
namespace {

using Complex = std::complex<double>;
constexpr double kPi = std::numbers::pi;
const Complex kI(0, 1);

std::vector<double> even(std::size_t count, double step) {
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<double>(i) * step;
  return out;
}

std::vector<double> sine(const std::vector<double>& time, double hertz, double phase = 0.3) {
  std::vector<double> out;
  for (const double t : time) out.push_back(std::sin(2 * kPi * hertz * t + phase));
  return out;
}

std::vector<float> spectrum_of(const std::vector<double>& time, const std::vector<double>& values,
                               std::vector<double>& hertz) {
  Spectrum spectrum(time);
  hertz = spectrum.hertz();
  std::vector<float> out(hertz.size());
  spectrum.compute(values, out.data());
  return out;
}

// Transform of n records of a Hann window, theta in rad per record: three Dirichlet kernels.
Complex hann(double theta, double n) {
  const auto dirichlet = [&](double x) {
    const double size = std::abs(std::sin(x / 2)) < 1e-15 ? n : std::sin(n * x / 2) / std::sin(x / 2);
    return size * std::exp(-kI * ((n - 1) * x / 2));
  };
  return 0.5 * dirichlet(theta) - 0.25 * (dirichlet(theta - 2 * kPi / n) + dirichlet(theta + 2 * kPi / n));
}

// Amplitude read at x from n records of a unit sine of frequency f, in closed form.
double read_of_sine(double f, double phase, double x, double n, double h) {
  const auto line = [&](double at) {
    return (std::exp(kI * phase) * hann(2 * kPi * (at - f) * h, n) -
            std::exp(-kI * phase) * hann(2 * kPi * (at + f) * h, n)) /
           (2.0 * kI);
  };
  const double mean = line(0).real() / (n / 2);
  return 2 * std::abs(line(x) - mean * hann(2 * kPi * x * h, n)) / (n / 2);
}

TEST(Spectrum, ReadsASineAsItsClosedForm) {
  // So few records that every line has its own band.
  for (const auto& [n, h, f] : {std::tuple{100, 0.004, 100.0}, {77, 1e-3, 217.3}, {120, 0.02, 3.1}}) {
    const std::vector<double> time = even(static_cast<std::size_t>(n), h);
    std::vector<double> hertz;
    const std::vector<float> got = spectrum_of(time, sine(time, f), hertz);
    ASSERT_GT(got.size(), 50u);
    for (std::size_t k = 0; k < got.size(); ++k)
      EXPECT_NEAR(static_cast<double>(got[k]), read_of_sine(f, 0.3, hertz[k], n, h), 2e-7) << f << " at " << hertz[k];
  }
}

TEST(Spectrum, AUnitSineReadsOneWithinTheScallopingBound) {
  double least = 1;
  for (const std::size_t n : {512u, 513u, 1000u, 1024u, 20001u}) {
    for (double shift = 0; shift <= 1; shift += 0.05) {
      const double f =
          (static_cast<double>(n) / 2.5 + shift) / (static_cast<double>(n) * 0.004);  // about 100 of 250 Hz
      const std::vector<double> time = even(n, 0.004);
      std::vector<double> hertz;
      const std::vector<float> got = spectrum_of(time, sine(time, f), hertz);
      const auto top = std::max_element(got.begin(), got.end());
      EXPECT_GT(*top, Spectrum::kScalloping - 1e-3) << n << " records, " << f << " Hz";
      EXPECT_LT(*top, 1.001) << n << " records, " << f << " Hz";
      EXPECT_NEAR(hertz[static_cast<std::size_t>(top - got.begin())], f, 0.004 * f);
      least = std::min(least, static_cast<double>(*top));
      for (std::size_t k = 0; k < got.size(); ++k) {  // no spurious lines
        if (std::abs(hertz[k] - f) > 0.05 * f) {
          EXPECT_LT(got[k], 2e-3) << hertz[k];
        }
      }
    }
  }
  EXPECT_NEAR(least, Spectrum::kScalloping, 2e-3);  // the bound is reached
}

TEST(Spectrum, TakesRecordsAtUnevenTimesAsTheyAre) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> late(0, 0.004);
  std::vector<double> time = even(100, 0.01);
  for (double& t : time) t += late(random);
  const std::vector<double> values = sine(time, 7.7);
  std::vector<double> hertz;
  const std::vector<float> got = spectrum_of(time, values, hertz);
  // By definition, term by term.
  const std::size_t n = time.size();
  const double period = (time.back() - time[0]) * static_cast<double>(n) / static_cast<double>(n - 1);
  std::vector<double> w(n);
  double total = 0, mean = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double before = time[i == 0 ? 0 : i - 1], behind = i + 1 < n ? time[i + 1] : time[0] + period;
    w[i] = (0.5 - 0.5 * std::cos(2 * kPi * (time[i] - time[0]) / period)) * 0.5 * (behind - before);
    total += w[i];
    mean += w[i] * values[i];
  }
  mean /= total;
  for (std::size_t k = 0; k < got.size(); ++k) {
    Complex sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      sum += w[i] * (values[i] - mean) * std::exp(-kI * (2 * kPi * hertz[k] * (time[i] - time[0])));
    EXPECT_NEAR(static_cast<double>(got[k]), 2 * std::abs(sum) / total, 1e-7) << hertz[k];
  }
}

TEST(Spectrum, LeavesOutALastRecordOffTheGrid) {
  std::vector<double> time = even(500, 0.004), hertz, more_hertz;
  const std::vector<float> whole = spectrum_of(time, sine(time, 100), hertz);
  time.push_back(1.9973);
  EXPECT_EQ(spectrum_of(time, sine(time, 100), more_hertz), whole);
  EXPECT_EQ(more_hertz, hertz);
}

TEST(Spectrum, CountsNoHoleAsZero) {
  const std::vector<double> time = even(1000, 0.004);
  std::vector<double> values = sine(time, 33.3), hertz;
  values[100] = std::numeric_limits<double>::quiet_NaN();
  values[101] = std::numeric_limits<double>::infinity();
  const std::vector<float> got = spectrum_of(time, values, hertz);
  const float top = *std::max_element(got.begin(), got.end());
  EXPECT_GT(top, Spectrum::kScalloping - 1e-3);
  EXPECT_LT(top, 1.001);
  std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
  for (const float x : spectrum_of(time, values, hertz)) EXPECT_TRUE(std::isnan(x));
}

// Sorted records, the histogram of a controller and the ranks agree, that of the controller within its bins.
TEST(Quantiles, AreTheSameInReportsAndInTimings) {
  std::mt19937 random(3);
  std::lognormal_distribution<double> times(11, 0.7);
  for (const int count : {1, 2, 10, 999, 1000, 1001, 3000, 33333}) {
    std::vector<double> seconds;
    Histogram histogram;
    for (int i = 0; i < count; ++i) {
      const auto ns = static_cast<Nanoseconds>(times(random));
      seconds.push_back(1e-9 * static_cast<double>(ns));
      histogram.add(ns);
    }
    const std::vector<double> shares = {0.0, 0.5, 0.99, 0.999, 1.0};
    std::vector<double> got(shares.size()), sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    seconds.push_back(std::numeric_limits<double>::quiet_NaN());
    find_quantiles(seconds, shares, got.data());
    for (std::size_t k = 0; k < shares.size(); ++k) {
      // The smallest with at least that share at or below it.
      const auto below = std::upper_bound(sorted.begin(), sorted.end(), got[k]) - sorted.begin();
      EXPECT_GE(static_cast<double>(below), shares[k] * count - 1e-6);
      const auto under = std::lower_bound(sorted.begin(), sorted.end(), got[k]) - sorted.begin();
      EXPECT_TRUE(under == 0 || static_cast<double>(under) < shares[k] * count) << shares[k] << " of " << count;
      EXPECT_NEAR(1e-9 * static_cast<double>(histogram.quantile(shares[k])), got[k], 0.004 * got[k] + 1e-9);
    }
  }
  double none = 0;
  find_quantiles({}, std::vector<double>{0.5}, &none);
  EXPECT_TRUE(std::isnan(none));
}

}  // namespace
}  // namespace limber::test
