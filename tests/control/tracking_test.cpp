// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tracking figures of a controlled run, from known errors.
#include "limber/control/tracking.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "limber/control/prepare.hpp"
#include "support/arm.hpp"

namespace limber::test {
namespace {

constexpr double kEnd = 10, kRun = 20, kStep = 0.01;

// The shoulder deviates by error(t) from a move by 1 rad in kEnd; the other joints have no error.
Tracking follow(const std::function<double(double)>& error, const std::optional<TipPath>& path = {}) {
  const Model arm = make_arm();
  ControlOptions options = make_slew(arm);
  options.end = kEnd;
  options.desired[0] = make_move(Profile::cycloid, 0, 1, 0, kEnd);
  options.desired[1] = options.desired[2] = Signal(0.0);
  options.path = path;
  const ControlOptions prepared = prepare_control(options);
  TrackingMonitor monitor(arm, prepared.driven, prepared);
  KinematicsWorkspace kin(arm);
  State x = make_zero_state(arm);
  std::vector<std::uint8_t> saturated(3, 0);
  const int count = static_cast<int>(kRun / kStep);
  for (int k = 0; k <= count; ++k) {
    x.t = k * kStep;
    x.q[0] = options.desired[0].at(x.t).value + error(x.t);
    saturated[1] = k < (count + 1) / 5 ? 1 : 0;
    compute_kinematics(arm, x, kin);
    compute_world_poses(arm, kin);
    monitor.add(x, kin, saturated);
  }
  return monitor.tracking();
}

TEST(Tracking, ErrorSettlingSaturationAndResidualMotion) {
  const Tracking t = follow([](double s) { return s < 12.5 ? 0.03 * std::cos(s) : 0.001 * std::sin(2 * s); });
  EXPECT_NEAR(t.largest[0], 0.03, 1e-12);
  EXPECT_NEAR(t.last[0], 0.001 * std::sin(40.0), 1e-12);
  EXPECT_NEAR(t.band[0], 0.02, 1e-12);  // of 1 rad
  // 0.03 cos t exceeds 0.02 up to 12.49; the last sample before it is replaced.
  EXPECT_NEAR(t.settling(0), 2.49, 1e-9);
  EXPECT_TRUE(std::isnan(t.settling(1)));  // it was not to move
  EXPECT_NEAR(t.saturation()[1], 0.2, 1e-3);
  EXPECT_EQ(t.saturation()[0], 0);
  // The hand is 15 m away: it moves by the range of the angle after the end, about the angle 1.
  EXPECT_EQ(t.moving, "hand.tip");
  Eigen::Vector2d low(1, 1), high(-1, -1);
  for (int k = 1000; k < 1250; ++k) {
    const double angle = 1 + 0.03 * std::cos(k * kStep);
    low = low.cwiseMin(Eigen::Vector2d(std::cos(angle), std::sin(angle)));
    high = high.cwiseMax(Eigen::Vector2d(std::cos(angle), std::sin(angle)));
  }
  EXPECT_NEAR(t.residual, 0.5 * 15 * (high - low).norm(), 1e-9);
  EXPECT_FALSE(t.growing);
}

TEST(Tracking, WhatDoesNotSettle) {
  const Tracking t = follow([](double) { return 0.05; });
  EXPECT_TRUE(std::isinf(t.settling(0)));
  EXPECT_NEAR(t.rms()[0], 0.05, 1e-12);
}

TEST(Tracking, GrowthIsExponentialNotADrift) {
  EXPECT_TRUE(follow([](double t) { return 1e-6 * std::exp(0.5 * t) * std::sin(7 * t); }).growing);
  EXPECT_FALSE(follow([](double t) { return 1e-3 * t * t; }).growing);
  EXPECT_FALSE(follow([](double t) { return 1e-12 * std::exp(0.5 * t); }).growing);  // rounding
  EXPECT_FALSE(follow([](double t) { return 0.1 * std::sin(t); }).growing);
}

// Millimetres at the tip are reported as such.
TEST(Tracking, ANodeIsComparedWithItsPath) {
  TipPath path;
  path.node = kArmTip;
  path.end = kEnd;
  const Signal angle = make_move(Profile::cycloid, 0, 1, 0, kEnd);
  path.position[0] = Signal::callback([angle](double t) { return Jet{15 * std::cos(angle.at(t).value), 0, 0}; });
  path.position[1] = Signal::callback([angle](double t) { return Jet{15 * std::sin(angle.at(t).value), 0, 0}; });
  const Tracking t = follow([](double) { return 2e-4; }, path);
  EXPECT_EQ(t.node, "hand.tip");
  EXPECT_NEAR(t.node_largest, 15 * 2e-4, 1e-9);
  EXPECT_NEAR(t.node_rms(), 15 * 2e-4, 1e-9);
  EXPECT_NEAR(t.node_last, 15 * 2e-4, 1e-9);
}

}  // namespace
}  // namespace limber::test
