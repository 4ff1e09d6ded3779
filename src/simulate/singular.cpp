// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "singular.hpp"

#include <algorithm>
#include <cmath>

#include "limber/model/manifold.hpp"

namespace limber {
namespace {

constexpr double kLongStep = 0.3;  // rad or m of a coordinate: longer steps are always searched
constexpr double kSample = 0.05;   // of a search
constexpr int kMinSamples = 4, kMaxSamples = 64;
constexpr int kSections = 40;       // of the golden section
constexpr double kSingular = 1e-4;  // of the largest margin so far

}  // namespace

void SingularWatch::take(const State& x, Point& out) {
  seen_.largest = std::max(seen_.largest, system_.closure_margin());
  out.x = x;
  out.margin = system_.closure_margin();
}

void SingularWatch::start(const State& x) {
  between_ = x;
  way_.setZero(x.v.size());
  part_ = way_;
  seen_.largest = 0;
  take(x, now_);
  seen_.before = seen_.last = now_;
  back_ = seen_;
}

bool SingularWatch::passed(const State& x) {
  back_ = seen_;
  take(x, now_);
  chart_coordinates(system_.model(), seen_.last.x.q, x.q, way_);
  bool found = false;
  if (way_.lpNorm<Eigen::Infinity>() > kLongStep) {
    found = search(seen_.last, now_);
  } else if (seen_.last.margin < seen_.before.margin && seen_.last.margin <= now_.margin) {
    found = search(seen_.before, seen_.last) || search(seen_.last, now_);
  }
  seen_.before = seen_.last;
  seen_.last = now_;
  return found;
}

double SingularWatch::margin_between(const Point& a, const Point& b, double share) {
  part_ = share * way_;
  chart_point(system_.model(), a.x.q, part_, between_.q);
  between_.t = a.x.t + share * (b.x.t - a.x.t);
  between_.v = a.x.v + share * (b.x.v - a.x.v);
  if (system_.project(between_) != Status::ok) return 0;
  seen_.largest = std::max(seen_.largest, system_.closure_margin());
  return system_.closure_margin();
}

// The minimum of the margin between a and b: sampling, then golden-section search around the smallest sample.
bool SingularWatch::search(const Point& a, const Point& b) {
  constexpr double kGolden = 0.3819660112501051;
  chart_coordinates(system_.model(), a.x.q, b.x.q, way_);
  const int count = std::clamp(static_cast<int>(way_.lpNorm<Eigen::Infinity>() / kSample), kMinSamples, kMaxSamples);
  double least = std::min(a.margin, b.margin), c = a.margin <= b.margin ? 0 : 1;
  for (int k = 1; k < count; ++k) {
    const double share = static_cast<double>(k) / count, found = margin_between(a, b, share);
    if (found < least) {
      least = found;
      c = share;
    }
  }
  double low = std::max(0.0, c - 1.0 / count), high = std::min(1.0, c + 1.0 / count);
  for (int k = 0; k < kSections && least > kSingular * seen_.largest; ++k) {
    const bool right = high - c > c - low;
    const double d = right ? c + kGolden * (high - c) : c - kGolden * (c - low);
    const double found = margin_between(a, b, d);
    if (found < least) {
      (right ? low : high) = c;
      c = d;
      least = found;
    } else {
      (right ? high : low) = d;
    }
  }
  at_ = a.x.t + c * (b.x.t - a.x.t);
  return least <= kSingular * seen_.largest;
}

}  // namespace limber
