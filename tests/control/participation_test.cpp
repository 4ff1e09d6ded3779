// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A shaper is designed for the vibration excited by the motion, not for the slowest.
#include "limber/control/prepare.hpp"
#include "support/arm.hpp"

namespace limber::test {
namespace {

// A boom with slow vertical and faster lateral bending, moved sideways.
Model make_boom() {
  ModelBuilder builder("boom");
  BeamSpec beam;
  beam.length = 6;
  beam.mass_per_length = 20;
  beam.EIy = 2e3;
  beam.EIz = 1e5;
  beam.modes = {2, 2, 0, 0};
  beam.damping = {0.001};
  Body body = make_beam_body(beam, false);
  body.name = "boom";
  Joint joint;
  joint.name = "turn";
  joint.kind = JointKind::revolute;
  joint.stiffness = joint.damping = joint.armature = VectorXd::Zero(1);
  builder.add_joint(joint, builder.add_body(std::move(body)));
  return builder.build();
}

ControlOptions make_turn(const Model& boom, double duration) {
  ControlOptions out;
  out.model = std::make_shared<const Model>(boom);
  out.driven = find_driven_joints(*out.model, {});
  out.desired = {make_move(Profile::cycloid, 0, 0.1, 0, duration)};
  out.end = duration;
  out.feed_forward = FeedForward::hybrid;
  out.shaping = ShapingOptions{};
  return out;
}

// Displacement of the tip after the end.
double run_turn(const Model& boom, const ControlOptions& options) {
  ControlLoop loop(boom, {}, options);
  System system(boom, {});
  SolverOptions solver;
  solver.rtol = 1e-8;
  solver.atol = 1e-10;
  RunListener none;
  const RunResult run =
      simulate(system, solver, {loop.controller().options().end + 3, 0.1}, make_zero_state(boom), none, &loop);
  EXPECT_EQ(run.status, Status::ok) << run.failure;
  return loop.tracking().residual;
}

TEST(Participation, TheExcitedVibrationIsChosenAndItsAmplitudeForetold) {
  const Model boom = make_boom();
  ControlOptions options = make_turn(boom, 1.5);
  options.shaping->vibrations = 4;
  const auto chosen = choose_vibrations(options);
  ASSERT_FALSE(chosen.empty());
  const auto all = compute_vibrations(boom, make_zero_state(boom), options.driven.mask);
  const double slowest = all[0].frequency / (2 * std::numbers::pi);
  EXPECT_GT(chosen[0].frequency, 2 * slowest);
  EXPECT_LE(chosen.size(), 2u);  // vertical bending does not participate
  for (const ShapedVibration& one : chosen) EXPECT_EQ(one.node, "boom.tip");

  ControlOptions plain = options;
  plain.shaping.reset();
  options.shaping->vibrations = 1;
  if (kSanitized) return;
  const double before = run_turn(boom, plain), after = run_turn(boom, options);
  EXPECT_NEAR(before, chosen[0].residual, 0.05 * before);
  EXPECT_LT(after, 0.05 * before);

  // Given by its frequency, it is the same shaper.
  ControlOptions given = options;
  given.shaping->frequencies = {chosen[0].frequency};
  given.shaping->ratio = chosen[0].ratio;
  EXPECT_EQ(prepare_control(given).end, prepare_control(options).end);
  EXPECT_NE(shaping_text(prepare_control(options).shaping).find("boom.tip"), std::string::npos);
}

// No vibration is excited: no delay.
TEST(Participation, AMotionThatExcitesNothingIsNotShaped) {
  const Model boom = make_boom();
  ControlOptions options = make_turn(boom, 1.5);
  options.desired = {Signal(0.0)};
  const ControlOptions prepared = prepare_control(options);
  EXPECT_TRUE(prepared.shaping->chosen.empty());
  EXPECT_EQ(prepared.end, options.end);
}

}  // namespace
}  // namespace limber::test
