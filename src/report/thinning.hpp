// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace limber {

// The records kept: 0, stride, 2 stride, ... and the last.
std::vector<long> kept_records(long records, long stride);
// The smallest stride that keeps at most `most` of them.
long stride_for(long records, long most);

// A signal with fewer records: exact at these, with the extremes from each to the next, both included.  Values that are
// not finite are ignored; if there are no others, low and high are NaN.
void thin(std::span<const double> values, std::span<const long> kept, float* value, float* low, float* high);

// The quantiles of the finite values: the smallest value with at least that share at or below it; NaN if there are
// none.
void find_quantiles(std::span<const double> values, std::span<const double> shares, double* out);

// Counts of the finite values in `bins` equal parts from least to largest.
void count_values(std::span<const double> values, double least, double largest, std::size_t bins, float* counts);

}  // namespace limber
