// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/thinning.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "limber/realtime/timing.hpp"

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

void find_quantiles(std::span<const double> values, std::span<const double> shares, double* out) {
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite), [](double x) { return std::isfinite(x); });
  std::sort(finite.begin(), finite.end());
  for (const double share : shares)
    *out++ = finite.empty()
                 ? std::numeric_limits<double>::quiet_NaN()
                 : finite[static_cast<std::size_t>(quantile_rank(share, static_cast<long>(finite.size())) - 1)];
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
