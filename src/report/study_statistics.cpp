// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "limber/report/study_report.hpp"
#include "report/thinning.hpp"

namespace limber {

ResultStatistics compute_statistics(std::span<const double> values) {
  ResultStatistics out;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double sum = 0, squares = 0;
  out.least = std::numeric_limits<double>::infinity();
  out.largest = -out.least;
  for (const double x : values) {
    if (!std::isfinite(x)) continue;
    ++out.count;
    sum += x;
    out.least = std::min(out.least, x);
    out.largest = std::max(out.largest, x);
  }
  if (out.count == 0) return {0, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone};
  out.mean = sum / static_cast<double>(out.count);
  for (const double x : values)
    if (std::isfinite(x)) squares += (x - out.mean) * (x - out.mean);
  out.deviation = out.count > 1 ? std::sqrt(squares / static_cast<double>(out.count - 1)) : 0;
  constexpr std::array kShares = {0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
  std::array<double, kShares.size()> found{};
  find_quantiles(values, kShares, found.data());
  out.p5 = found[0];
  out.p25 = found[1];
  out.p50 = found[2];
  out.p75 = found[3];
  out.p95 = found[4];
  out.p99 = found[5];
  return out;
}

}  // namespace limber
