// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace limber {

// Records that stand for all: 0, stride, 2 stride, ... and the last.
std::vector<long> kept_records(long records, long stride);
// The least stride that keeps at most `most` of them.
long stride_for(long records, long most);

// A signal by fewer records: exact there, and the extremes from each to the next, both included.  Numbers that are not
// finite are no extremes; where there is nothing else, low and high are NaN.
void thin(std::span<const double> values, std::span<const long> kept, float* value, float* low, float* high);

// Amplitude spectra of signals with the same times, up to half the rate of records.  A band holds the largest of its
// lines: single lines at first, then bands of 0.4 %.  Hann window, mean taken off, zeros behind.
class Spectrum {
 public:
  explicit Spectrum(std::span<const double> time);
  ~Spectrum();
  const std::vector<double>& hertz() const { return hertz_; }  // the middle of each band; fewer than 8 records: none
  // Amplitude of a sine at each band.
  void compute(std::span<const double> values, float* amplitudes);

 private:
  struct Transform;
  std::vector<long> lines_;  // first line of each band, and one beyond the last
  std::vector<double> hertz_;
  std::vector<double> window_;  // (records that are evenly spaced, from the start on)
  std::unique_ptr<Transform> transform_;
};

// Counts of the finite values in `bins` equal parts from least to largest.
void count_values(std::span<const double> values, double least, double largest, std::size_t bins, float* counts);

}  // namespace limber
