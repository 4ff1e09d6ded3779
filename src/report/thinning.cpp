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

struct Spectrum::Transform {
  Eigen::FFT<double> fft;
  std::vector<double> windowed;  // zeros behind the records
  std::vector<std::complex<double>> lines;
};

Spectrum::Spectrum(std::span<const double> time) {
  constexpr double kEven = 1e-3, kBroad = 1.004;  // of the step; of the frequency
  constexpr std::size_t kLeast = 8;
  if (time.size() < kLeast) return;
  const double step = time[1] - time[0];
  std::size_t records = 0;
  while (records < time.size() &&
         std::abs(time[records] - time[0] - step * static_cast<double>(records)) < kEven * step)
    ++records;
  if (records < kLeast) return;
  for (std::size_t i = 0; i < records; ++i)
    window_.push_back(0.5 -
                      0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(records)));
  const std::size_t size = std::bit_ceil(records);
  const auto half = static_cast<long>(size / 2);
  for (long line = 1; line < half;
       line = std::max(line + 1, static_cast<long>(std::ceil(kBroad * static_cast<double>(line)))))
    lines_.push_back(line);
  lines_.push_back(half);
  for (std::size_t b = 0; b + 1 < lines_.size(); ++b)
    hertz_.push_back(0.5 * static_cast<double>(lines_[b] + lines_[b + 1] - 1) / (step * static_cast<double>(size)));
  transform_ = std::make_unique<Transform>();
  transform_->fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  transform_->windowed.resize(size);
}

Spectrum::~Spectrum() = default;

void Spectrum::compute(std::span<const double> values, float* amplitudes) {
  auto& [fft, windowed, lines] = *transform_;
  const auto finite = [](double x) { return std::isfinite(x) ? x : 0.0; };
  const std::size_t n = window_.size();
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) mean += finite(values[i]);
  mean /= static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) windowed[i] = (finite(values[i]) - mean) * window_[i];
  fft.fwd(lines, windowed);
  for (std::size_t b = 0; b + 1 < lines_.size(); ++b) {
    double square = 0;
    for (long line = lines_[b]; line < lines_[b + 1]; ++line)
      square = std::max(square, std::norm(lines[static_cast<std::size_t>(line)]));
    amplitudes[b] = static_cast<float>(4 / static_cast<double>(n) * std::sqrt(square));
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
