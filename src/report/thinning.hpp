// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

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

// Frequencies up to half the rate of records, each for a narrow band: single lines at first, then bands of 0.4 %.
struct SpectrumBands {
  long records = 0;          // evenly spaced from the start on; fewer than 8: there is no spectrum
  std::vector<long> lines;   // first line of each band, and one beyond the last
  std::vector<double> hertz;  // (bands) the middle of each
};
SpectrumBands make_bands(std::span<const double> time);
// Amplitude of a sine at each band: the largest of its lines.  Hann window, mean taken off, zeros behind.
void compute_spectrum(const SpectrumBands& bands, std::span<const double> values, float* amplitudes);

// Counts of the finite values in `bins` equal parts from least to largest.
void count_values(std::span<const double> values, double least, double largest, std::size_t bins, float* counts);

}  // namespace limber
