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
constexpr int kFewest = 4, kMax = 64;
constexpr int kSections = 40;       // of the golden section
constexpr double kSingular = 1e-4;  // of the largest margin seen

}  // namespace

SingularWatch::Point SingularWatch::take(const State& x) {
  largest_ = std::max(largest_, system_.closure_margin());
  return {x, system_.closure_margin()};
}

void SingularWatch::start(const State& x) {
  between_ = x;
  way_.setZero(x.v.size());
  part_ = way_;
  before_ = last_ = take(x);
}

bool SingularWatch::passed(const State& x) {
  const Point now = take(x);
  chart_coordinates(system_.model(), last_.x.q, x.q, way_);
  bool found = false;
  if (way_.lpNorm<Eigen::Infinity>() > kLongStep) {
    found = search(last_, now);
  } else if (last_.margin < before_.margin && last_.margin <= now.margin) {
    found = search(before_, last_) || search(last_, now);
  }
  before_ = last_;
  last_ = now;
  return found;
}

double SingularWatch::margin_between(const Point& a, const Point& b, double share) {
  part_ = share * way_;
  chart_point(system_.model(), a.x.q, part_, between_.q);
  between_.t = a.x.t + share * (b.x.t - a.x.t);
  between_.v = a.x.v + share * (b.x.v - a.x.v);
  if (system_.project(between_) != Status::ok) return 0;
  largest_ = std::max(largest_, system_.closure_margin());
  return system_.closure_margin();
}

// The least margin on the way from a to b: samples, then the golden section around the least of them.
bool SingularWatch::search(const Point& a, const Point& b) {
  constexpr double kGolden = 0.3819660112501051;
  chart_coordinates(system_.model(), a.x.q, b.x.q, way_);
  const int count = std::clamp(static_cast<int>(way_.lpNorm<Eigen::Infinity>() / kSample), kFewest, kMax);
  double least = std::min(a.margin, b.margin), c = a.margin <= b.margin ? 0 : 1;
  for (int k = 1; k < count; ++k) {
    const double share = static_cast<double>(k) / count, found = margin_between(a, b, share);
    if (found < least) {
      least = found;
      c = share;
    }
  }
  double low = std::max(0.0, c - 1.0 / count), high = std::min(1.0, c + 1.0 / count);
  for (int k = 0; k < kSections && least > kSingular * largest_; ++k) {
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
  return least <= kSingular * largest_;
}

}  // namespace limber
