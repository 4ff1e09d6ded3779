// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "limber/control/controller.hpp"

namespace limber {

// Tracking errors of a machine, over all samples of its controller.  Errors are the true position minus
// the desired one.
struct Tracking {
  std::vector<std::string> names, units;  // (driven coordinate); empty: no controller
  double end = 0;                         // s: the desired motion comes to rest
  double t = 0;                           // s: the last sample
  long samples = 0;
  VectorXd squares, largest, last;  // (driven coordinate) sum of squares of the error; its largest size; the last one
  VectorXd band;                    // (driven coordinate) kSettlingBand of the desired travel; 0: no travel
  VectorXd outside;                 // (driven coordinate) last time at which the error was larger than that; -1: never
  VectorXd saturated;               // (driven coordinate) samples in which the servo was limited

  std::string node;                                          // of a tip path; empty: none
  double node_squares = 0, node_largest = 0, node_last = 0;  // m: its distance from the path
  std::string moving;                                        // node that moves most after the end; empty: none does
  double residual = 0;                                       // m: half the diagonal of its bounding box after the end
  bool growing = false;                                      // the error grew throughout, threefold per quarter

  VectorXd rms() const { return (squares / static_cast<double>(std::max(samples, 1L))).cwiseSqrt(); }
  double node_rms() const;
  VectorXd saturation() const { return saturated / static_cast<double>(std::max(samples, 1L)); }  // share of samples
  // s from the end of the desired motion until the error stays within its band; infinite: never; NaN:
  // the joint has no desired travel, or the run ended before the motion.
  double settling(int k) const;
};
inline constexpr double kSettlingBand = 0.02;

// Accumulates Tracking, sample by sample, without allocation.
class TrackingMonitor {
 public:
  TrackingMonitor() = default;
  // driven: of the plant; options: from prepare_control.
  TrackingMonitor(const Model& plant, const DrivenJoints& driven, const ControlOptions& options);
  // kin: of x, with poses in world.  saturated (driven coordinate): may be empty.
  void add(const State& x, const Kinematics& kin, std::span<const std::uint8_t> saturated);
  Tracking tracking() const;
  void transfer(Archive& archive);

 private:
  void add_node(double t, const Kinematics& kin);
  void add_growth(double error);
  bool growing() const;

  const Model* plant_ = nullptr;
  DrivenJoints driven_;
  std::vector<Signal> desired_;
  std::optional<TipPath> path_;  // of the plant
  Tracking out_;
  std::vector<NodeRef> tips_;  // outermost nodes, whose motion after the end is watched
  VectorXd low_, high_;        // (3 per tip)
  VectorXd scale_;             // (driven coordinate) its travel, or 1
  VectorXd windows_;           // largest error in windows of equal length; neighbours are joined when they are full
  int used_ = 0;
  long per_window_ = 1, in_window_ = 0;
};

}  // namespace limber
