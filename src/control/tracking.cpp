// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/tracking.hpp"

#include <cmath>
#include <limits>

#include "limber/linear/facts.hpp"

namespace limber {
namespace {

constexpr int kWindows = 64, kTravelSamples = 400;
constexpr std::size_t kMaxTips = 8;
constexpr double kGrowth = 3;         // per quarter of the run
constexpr double kLeastGrown = 1e-6;  // of the travel: smaller values are rounding
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The last node of each leaf of the tree that a driven joint moves.
std::vector<NodeRef> outermost_nodes(const Model& model, const DrivenJoints& driven) {
  std::vector<bool> moved(model.bodies.size(), false), parent(model.bodies.size(), false);
  for (int i = 1; i < model.body_count(); ++i) {
    const int inboard = model.joints[i].parent.body;
    moved[i] = driven.mask[i] != 0 || moved[inboard];
    parent[inboard] = true;
  }
  std::vector<NodeRef> out;
  for (int i = 1; i < model.body_count() && out.size() < kMaxTips; ++i) {
    if (!moved[i] || parent[i]) continue;
    const int nodes = static_cast<int>(model.body(i).nodes.size());
    out.push_back({i, nodes > 0 ? nodes - 1 : kBodyFrame});
  }
  return out;
}

double travel(const Signal& signal, double end) {
  double low = signal.at(0).value, high = low;
  for (int k = 1; k <= kTravelSamples; ++k) {
    const double value = signal.at(end * k / kTravelSamples).value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return high - low;
}

}  // namespace

double Tracking::node_rms() const { return std::sqrt(node_squares / static_cast<double>(std::max(samples, 1L))); }

double Tracking::settling(int k) const {
  if (!(band[k] > 0) || t <= end) return kNone;
  if (std::abs(last[k]) > band[k]) return std::numeric_limits<double>::infinity();
  return std::max(0.0, outside[k] - end);
}

TrackingMonitor::TrackingMonitor(const Model& plant, const DrivenJoints& driven, const ControlOptions& options)
    : plant_(&plant), driven_(driven), desired_(options.desired), path_(options.path) {
  const int n = driven.size();
  out_.names = driven.names;
  out_.units = units_of(plant, driven, position_units);
  out_.end = options.end;
  out_.squares.setZero(n);
  out_.largest = out_.last = out_.band = out_.saturated = out_.squares;
  out_.outside.setConstant(n, -1);
  scale_.setOnes(n);
  for (int k = 0; k < n; ++k) {
    const double way = travel(desired_[static_cast<std::size_t>(k)], options.end);
    out_.band[k] = kSettlingBand * way;
    if (way > 0) scale_[k] = way;
  }
  tips_ = outermost_nodes(plant, driven);
  if (path_) {
    out_.node = node_name(*options.model, path_->node);
    path_->node = plant.node(out_.node);
    tips_ = {path_->node};
  }
  low_.setConstant(3 * static_cast<Eigen::Index>(tips_.size()), std::numeric_limits<double>::infinity());
  high_ = -low_;
  windows_.setZero(kWindows);
}

void TrackingMonitor::add(const State& x, const Kinematics& kin, std::span<const std::uint8_t> saturated) {
  double relative = 0;
  for (int k = 0; k < driven_.size(); ++k) {
    const double error = x.q[driven_.q[k]] - desired_[static_cast<std::size_t>(k)].at(x.t).value,
                 size = std::abs(error);
    out_.squares[k] += error * error;
    out_.largest[k] = std::max(out_.largest[k], size);
    out_.last[k] = error;
    if (size > out_.band[k]) out_.outside[k] = x.t;
    if (!saturated.empty()) out_.saturated[k] += saturated[static_cast<std::size_t>(k)] != 0 ? 1 : 0;
    relative = std::max(relative, size / scale_[k]);
  }
  out_.t = x.t;
  ++out_.samples;
  add_node(x.t, kin);
  add_growth(relative);
}

void TrackingMonitor::add_node(double t, const Kinematics& kin) {
  if (path_) {
    const Vector3d p = node_pose(*plant_, kin, path_->node).p;
    double square = 0;
    for (int k = 0; k < 3; ++k) {
      if (path_->position[k]) square += std::pow(p[k] - path_->position[k]->at(std::min(t, path_->end)).value, 2);
    }
    out_.node_squares += square;
    out_.node_last = std::sqrt(square);
    out_.node_largest = std::max(out_.node_largest, out_.node_last);
  }
  if (t < out_.end) return;
  for (std::size_t i = 0; i < tips_.size(); ++i) {
    const Vector3d p = node_pose(*plant_, kin, tips_[i]).p;
    const Eigen::Index at = 3 * static_cast<Eigen::Index>(i);
    low_.segment<3>(at) = low_.segment<3>(at).cwiseMin(p);
    high_.segment<3>(at) = high_.segment<3>(at).cwiseMax(p);
  }
}

void TrackingMonitor::add_growth(double error) {
  if (in_window_ == per_window_) {
    ++used_;
    in_window_ = 0;
  }
  if (used_ == kWindows) {
    for (int k = 0; k < kWindows / 2; ++k) windows_[k] = std::max(windows_[2 * k], windows_[2 * k + 1]);
    windows_.tail(kWindows / 2).setZero();
    used_ = kWindows / 2;
    per_window_ *= 2;
  }
  windows_[used_] = std::max(windows_[used_], error);
  ++in_window_;
}

bool TrackingMonitor::growing() const {
  const int quarter = used_ / 4;
  if (quarter < 4) return false;
  double before = 0;
  for (int k = 0; k < 4; ++k) {
    const double now = windows_.segment(k * quarter, k == 3 ? used_ - 3 * quarter : quarter).maxCoeff();
    if (k > 0 && !(now > kGrowth * before)) return false;
    before = now;
  }
  return before > kLeastGrown;
}

Tracking TrackingMonitor::tracking() const {
  Tracking out = out_;
  for (std::size_t i = 0; i < tips_.size() && out.t > out.end; ++i) {
    const Eigen::Index at = 3 * static_cast<Eigen::Index>(i);
    const double range = 0.5 * (high_.segment<3>(at) - low_.segment<3>(at)).norm();
    if (!(range > out.residual)) continue;
    out.residual = range;
    out.moving = node_name(*plant_, tips_[i]);
  }
  out.growing = growing();
  return out;
}

void TrackingMonitor::transfer(Archive& archive) {
  archive(out_.t, out_.samples, out_.squares, out_.largest, out_.last, out_.outside, out_.saturated, out_.node_squares,
          out_.node_largest, out_.node_last, low_, high_, windows_, used_, per_window_, in_window_);
}

}  // namespace limber
