// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/spectrum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <unsupported/Eigen/FFT>

namespace limber {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr std::size_t kLeast = 8;  // records

bool is_even(std::span<const double> time) {
  constexpr double kEven = 1e-6;  // of the step
  const double step = (time.back() - time.front()) / static_cast<double>(time.size() - 1);
  for (std::size_t i = 1; i < time.size(); ++i)
    if (std::abs(time[i] - time[0] - step * static_cast<double>(i)) > kEven * step) return false;
  return true;
}

// First record and number of the longest stretch of finite values.
std::pair<std::size_t, std::size_t> longest_finite(std::span<const double> values) {
  std::size_t first = 0, most = 0;
  for (std::size_t a = 0; a < values.size(); ++a) {
    std::size_t b = a;
    while (b < values.size() && std::isfinite(values[b])) ++b;
    if (b - a > most) first = a, most = b - a;
    a = b;
  }
  return {first, most};
}

}  // namespace

struct Spectrum::Transform {
  Eigen::FFT<double> fft;
  std::vector<double> padded;  // zero-padded weighted records
  std::vector<std::complex<double>> lines;

  void even(std::span<const double> values, std::size_t size) {
    padded.assign(size, 0.0);
    std::copy(values.begin(), values.end(), padded.begin());
    fft.fwd(lines, padded);
  }

  // Gaussian gridding: each record is spread over 2 x 12 points of a grid twice as fine; the effect on the spectrum is
  // removed by deconvolution.  Accurate to about 1e-12.  [Greengard, Lee 2004]
  void uneven(std::span<const double> time, std::span<const double> values, double step, std::size_t size) {
    constexpr long kSpread = 12;
    const auto points = static_cast<long>(2 * size);
    const double tau = kPi * kSpread / (3 * static_cast<double>(size) * static_cast<double>(size));
    padded.assign(2 * size, 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double place = 2 * (time[i] - time[0]) / step;
      const long middle = std::lround(place);
      for (long m = middle - kSpread; m <= middle + kSpread; ++m) {
        const double x = 2 * kPi * (static_cast<double>(m) - place) / static_cast<double>(points);
        padded[static_cast<std::size_t>((m + points) % points)] += values[i] * std::exp(-x * x / (4 * tau));
      }
    }
    fft.fwd(lines, padded);
    const double scale = std::sqrt(kPi / tau) / static_cast<double>(points);
    for (std::size_t k = 0; k < size / 2; ++k)
      lines[k] *= scale * std::exp(static_cast<double>(k) * static_cast<double>(k) * tau);
  }
};

Spectrum::Spectrum(std::span<const double> time) {
  constexpr double kBroad = 1.004;  // ratio of band edges
  if (time.size() < kLeast) return;
  const bool all = is_even(time);
  if (!all && time.size() > kLeast && is_even(time.first(time.size() - 1))) time = time.first(time.size() - 1);
  even_ = all || is_even(time);
  time_.assign(time.begin(), time.end());
  step_ = (time.back() - time.front()) / static_cast<double>(time.size() - 1);
  size_ = std::bit_ceil(2 * time.size());
  const auto half = static_cast<long>(size_ / 2);
  const auto first = static_cast<long>((size_ + time.size() - 1) / time.size());  // one period over all records
  for (long line = first; line < half;
       line = std::max(line + 1, static_cast<long>(std::ceil(kBroad * static_cast<double>(line)))))
    lines_.push_back(line);
  lines_.push_back(half);
  for (std::size_t b = 0; b + 1 < lines_.size(); ++b)
    hertz_.push_back(0.5 * static_cast<double>(lines_[b] + lines_[b + 1] - 1) / (step_ * static_cast<double>(size_)));
  transform_ = std::make_unique<Transform>();
  transform_->fft.SetFlag(Eigen::FFT<double>::HalfSpectrum);
}

Spectrum::~Spectrum() = default;

// Hann window over the period of the records, times half the interval between the neighbours of each.
void Spectrum::weigh(std::span<const double> values, std::size_t first) {
  const std::size_t n = values.size();
  const double* t = &time_[first];
  const double period = (t[n - 1] - t[0]) * static_cast<double>(n) / static_cast<double>(n - 1);
  weighted_.resize(n);
  double mean = 0;
  total_ = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double before = t[i == 0 ? 0 : i - 1], behind = i == n - 1 ? t[0] + period : t[i + 1];
    weighted_[i] = (0.5 - 0.5 * std::cos(2 * kPi * (t[i] - t[0]) / period)) * 0.5 * (behind - before);
    total_ += weighted_[i];
    mean += weighted_[i] * values[i];
  }
  mean /= total_;
  for (std::size_t i = 0; i < n; ++i) weighted_[i] *= values[i] - mean;
}

void Spectrum::compute(std::span<const double> values, float* amplitudes) {
  const auto [first, count] = longest_finite(values.first(time_.size()));
  if (count < kLeast) {
    std::fill_n(amplitudes, hertz_.size(), std::numeric_limits<float>::quiet_NaN());
    return;
  }
  weigh(values.subspan(first, count), first);
  if (even_)
    transform_->even(weighted_, size_);
  else
    transform_->uneven(std::span(time_).subspan(first, count), weighted_, step_, size_);
  for (std::size_t b = 0; b + 1 < lines_.size(); ++b) {
    double square = 0;
    for (long line = lines_[b]; line < lines_[b + 1]; ++line)
      square = std::max(square, std::norm(transform_->lines[static_cast<std::size_t>(line)]));
    amplitudes[b] = static_cast<float>(2 / total_ * std::sqrt(square));
  }
}

}  // namespace limber
