// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/thinning.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <unsupported/Eigen/FFT>

namespace limber {

std::vector<long> kept_records(long records, long stride) {
  std::vector<long> out;
  for (long i = 0; i < records; i += stride) out.push_back(i);
  if (records > 0 && out.back() != records - 1) out.push_back(records - 1);
  return out;
}

long stride_for(long records, long most) {
  const long between = std::max(1L, most - 1);
  return std::max(1L, (records - 1 + between - 1) / between);
}

void thin(std::span<const double> values, std::span<const long> kept, float* value, float* low, float* high) {
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const long first = kept[k], last = k + 1 < kept.size() ? kept[k + 1] : first;
    double least = std::numeric_limits<double>::infinity(), largest = -least;
    for (long i = first; i <= last; ++i) {
      const double x = values[static_cast<std::size_t>(i)];
      if (!std::isfinite(x)) continue;
      least = std::min(least, x);
      largest = std::max(largest, x);
    }
    const bool any = least <= largest;
    value[k] = static_cast<float>(values[static_cast<std::size_t>(first)]);
    low[k] = any ? static_cast<float>(least) : std::numeric_limits<float>::quiet_NaN();
    high[k] = any ? static_cast<float>(largest) : std::numeric_limits<float>::quiet_NaN();
  }
}

SpectrumBands make_bands(std::span<const double> time) {
  constexpr double kEven = 1e-3, kBroad = 1.004;  // of the step; of the frequency
  constexpr long kLeast = 8;
  SpectrumBands out;
  const auto total = static_cast<long>(time.size());
  if (total < kLeast) return out;
  const double step = time[1] - time[0];
  while (out.records < total && std::abs(time[static_cast<std::size_t>(out.records)] - time[0] -
                                         step * static_cast<double>(out.records)) < kEven * step)
    ++out.records;
  if (out.records < kLeast) return {};
  const auto size = static_cast<long>(std::bit_ceil(static_cast<unsigned long>(out.records)));
  long line = 1;
  while (line < size / 2) {
    out.lines.push_back(line);
    line = std::max(line + 1, static_cast<long>(std::ceil(kBroad * static_cast<double>(line))));
  }
  out.lines.push_back(std::min(line, size / 2));
  for (std::size_t b = 0; b + 1 < out.lines.size(); ++b)
    out.hertz.push_back(0.5 * static_cast<double>(out.lines[b] + out.lines[b + 1] - 1) /
                        (step * static_cast<double>(size)));
  return out;
}

void compute_spectrum(const SpectrumBands& bands, std::span<const double> values, float* amplitudes) {
  const auto n = static_cast<std::size_t>(bands.records);
  std::vector<double> windowed(std::bit_ceil(n), 0.0);
  const auto finite = [](double x) { return std::isfinite(x) ? x : 0.0; };
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) mean += finite(values[i]) / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    windowed[i] = (finite(values[i]) - mean) * (0.5 - 0.5 * std::cos(angle));
  }
  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  std::vector<std::complex<double>> lines;
  fft.fwd(lines, windowed);
  for (std::size_t b = 0; b + 1 < bands.lines.size(); ++b) {
    double largest = 0;
    for (long line = bands.lines[b]; line < bands.lines[b + 1]; ++line)
      largest = std::max(largest, std::abs(lines[static_cast<std::size_t>(line)]));
    amplitudes[b] = static_cast<float>(4 / static_cast<double>(n) * largest);
  }
}

void count_values(std::span<const double> values, double least, double largest, std::size_t bins, float* counts) {
  std::fill_n(counts, bins, 0.0f);
  const double width = (largest - least) / static_cast<double>(bins);
  for (const double x : values) {
    if (!std::isfinite(x)) continue;
    const double place = width > 0 ? (x - least) / width : 0;
    counts[std::min(bins - 1, static_cast<std::size_t>(std::max(0.0, place)))] += 1;
  }
}

}  // namespace limber
