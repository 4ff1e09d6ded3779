// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The complete controller on the arm of [MS]: required performance of each law.
#include "support/arm.hpp"
#include "support/close.hpp"

namespace limber::test {
namespace {

TEST(Slew, HybridFeedForwardIsExact) {
  const Model arm = make_arm();
  ControlOptions options = make_slew(arm);
  options.feed_forward = FeedForward::hybrid;
  const SlewResult result = run_slew(arm, options);
  EXPECT_EQ(result.run.status, Status::ok) << result.run.failure;
  EXPECT_LT(result.largest.maxCoeff(), 1e-6);
}

TEST(Slew, CorrectionBeatsPdTenfold) {
  const Model arm = make_arm();
  ControlOptions pd = make_slew(arm);
  pd.pid = make_pid(arm, pd.driven, make_zero_state(arm), {0.02, 1});
  const SlewResult with_pd = run_slew(arm, pd);
  for (const Embodiment embodiment : {Embodiment::sensed, Embodiment::propagated}) {
    ControlOptions options = make_slew(arm);
    options.correction = TrackingOptions{0.5, 1};
    options.embodiment = embodiment;
    const SlewResult result = run_slew(arm, options);
    EXPECT_EQ(result.run.status, Status::ok) << result.run.failure;
    if (kSanitized) continue;
    EXPECT_LT(result.rms.norm(), 0.1 * with_pd.rms.norm());
    EXPECT_LT(result.largest.maxCoeff(), 1e-4);
  }
}

TEST(Slew, ShapingAndDampingReduceTheResidualVibrationFivefold) {
  const Model arm = make_arm();
  ControlOptions plain = make_slew(arm);
  plain.correction = TrackingOptions{0.5, 1};
  const double before = run_slew(arm, plain).residual;
  ControlOptions shaped = plain;
  shaped.shaping.emplace();  // zvd, one vibration
  const double with_shaping = run_slew(arm, shaped).residual;
  ControlOptions damped = plain;
  damped.damping = DampingOptions{0.3};
  const double with_damping = run_slew(arm, damped).residual;
  if (kSanitized) return;
  EXPECT_LT(with_shaping, before / 5);
  EXPECT_LT(with_damping, before / 5);
}

TEST(Slew, RegulatorFollowsWithNoisyEncoders) {
  const Model arm = make_arm({.damping = 0.005});
  ControlOptions options = make_slew(arm);
  options.feed_forward = FeedForward::hybrid;
  options.lqr = LqrOptions{};
  EncoderOptions encoder;
  encoder.resolution = 1e-5;
  encoder.noise = 1e-5;
  encoder.tachometer = false;
  options.sensors.encoders.assign(3, encoder);
  const SlewResult result = run_slew(arm, options, options.sensors);
  EXPECT_EQ(result.run.status, Status::ok) << result.run.failure;
  EXPECT_LT(result.largest.maxCoeff(), 5e-3);
}

TEST(Slew, WrongPayloadAndStiffnessStayBounded) {
  const Model arm = make_arm({.damping = 0.005, .payload = 100});
  const Model plant = make_arm({.EI = 0.8e5, .damping = 0.005, .payload = 120});
  ControlOptions options = make_slew(arm);
  options.correction = TrackingOptions{0.5, 1};
  const SlewResult result = run_slew(plant, options);
  EXPECT_EQ(result.run.status, Status::ok) << result.run.failure;
  EXPECT_LT(result.largest.maxCoeff(), 1e-2);
}

TEST(Slew, WeightIsHeld) {
  const Model arm = make_arm({.damping = 0.01, .gravity = {0, -1, 0}});
  ControlOptions options = make_slew(arm);
  options.feed_forward = FeedForward::none;
  options.pid = make_pid(arm, options.driven, make_zero_state(arm), {0.02, 1});
  options.pid->gravity = true;
  const SlewResult with = run_slew(arm, options);
  options.pid->gravity = false;
  const SlewResult without = run_slew(arm, options);
  if (kSanitized) return;
  EXPECT_LT(with.rms.norm(), 0.5 * without.rms.norm());
}

}  // namespace
}  // namespace limber::test
