// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/correction.hpp"

#include "limber/model/manifold.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "support/arm.hpp"
#include "support/close.hpp"
#include "support/engine.hpp"
#include "support/mixed_trees.hpp"
#include "support/no_alloc.hpp"
#include "support/random.hpp"

namespace limber::test {
namespace {

State random_arm_state(const Model& arm, Random& random) {
  State x = make_zero_state(arm);
  for (int i = 1; i < arm.body_count(); ++i) {
    x.q[arm.joints[i].q] = random.uniform(-3, 3);
    x.v[arm.joints[i].v] = random.uniform(-0.1, 0.1);
    for (int k = 0; k < arm.body(i).modes; ++k) {
      x.q[arm.first_mode_q(i) + k] = random.uniform(-0.5, 0.5);
      x.v[arm.first_mode(i) + k] = random.uniform(-0.5, 0.5);
    }
  }
  return x;
}

// N is the inverse of the joint block of M^-1.
TEST(NaturalGain, IsTheInverseOfTheHingeBlock) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Model model = make_model(random_machine(mixed_tree(seed), seed));
    DrivenJoints driven;
    try {
      driven = find_driven_joints(model, {});
    } catch (const InputError&) {
      continue;  // no drivable joint
    }
    const State x = random_sample(model, seed).x;
    const MatrixXd M = Engine(model).mass(x);
    const auto inverse = [](const MatrixXd& A) {
      return Lu(A).solve(MatrixXd(MatrixXd::Identity(A.rows(), A.cols())));
    };
    const MatrixXd S = inverse(M)(driven.v, driven.v), expected = inverse(S);
    NaturalGain gain(model, driven);
    ASSERT_EQ(gain.set(x), Status::ok);
    MatrixXd N = MatrixXd::Zero(driven.size(), driven.size());
    for (int k = 0; k < driven.size(); ++k) {
      VectorXd unit = VectorXd::Unit(driven.size(), k), column = VectorXd::Zero(driven.size());
      gain.add(unit, column);
      N.col(k) = column;
    }
    EXPECT_TRUE(is_close(N, expected, 1e-8 * expected.norm())) << "seed " << seed;
  }
}

// The discrepancy falls at least tenfold per correction with the articulated inertias of the previous step ([Pat] claim
// 6), and to rounding with the current ones.
TEST(ForceCorrection, FallsTenfoldIn1000RandomStates) {
  const Model arm = make_arm();
  const DrivenJoints driven = find_driven_joints(arm, {});
  Random random(7);
  CorrectionOptions once;
  once.most = 1;
  ForceCorrection correct(arm, driven, 0, once);
  double worst_before = 0, worst_now = 0;
  for (int k = 0; k < (kSanitized ? 50 : 1000); ++k) {
    const State x = random_arm_state(arm, random);
    State before = x;
    const VectorXd back = -1e-3 * x.v;
    move(arm, x.q, back, before.q);
    VectorXd desired(3), torques = VectorXd::Zero(3);
    for (int j = 0; j < 3; ++j) desired[j] = random.uniform(-1, 1);
    ASSERT_EQ(correct.gain().set(before), Status::ok);
    const Correction stale = correct(x, desired, torques);
    worst_before = std::max(worst_before, stale.last / stale.first);
    torques.setZero();
    ASSERT_EQ(correct.gain().set(x), Status::ok);
    const Correction fresh = correct(x, desired, torques);
    worst_now = std::max(worst_now, fresh.last / fresh.first);
  }
  EXPECT_LT(worst_before, 0.1);
  EXPECT_LT(worst_now, 1e-9);
  RecordProperty("worst_ratio_previous_step", std::to_string(worst_before));
  RecordProperty("worst_ratio_same_step", std::to_string(worst_now));
}

TEST(ForceCorrection, AgreesWithHybridDynamicsOverAPeriod) {
  const Model arm = make_arm();
  const DrivenJoints driven = find_driven_joints(arm, {});
  Random random(3);
  for (int k = 0; k < 20; ++k) {
    const State x = random_arm_state(arm, random);
    const VectorXd desired = Vector3d(0.1, -0.2, 0.3);
    ForceCorrection correct(arm, driven, 1e-3, {1e-9, 20});
    ASSERT_EQ(correct.gain().set(x), Status::ok);
    VectorXd corrected = VectorXd::Zero(3), at_once = corrected;
    const Correction result = correct(x, desired, corrected);
    EXPECT_TRUE(result.converged) << result.last;
    MeanAccelerations mean(arm, driven, 1e-3);
    for (int pass = 0; pass < 20; ++pass) ASSERT_EQ(mean.hybrid(x, desired, at_once), Status::ok);
    EXPECT_TRUE(is_close(corrected, at_once, 1e-8 * at_once.norm()));
  }
}

TEST(Controller, AllocatesNothingInItsCycle) {
  const Model arm = make_arm({.damping = 0.005});
  ControlOptions options = make_slew(arm);
  options.feed_forward = FeedForward::hybrid;
  options.correction = TrackingOptions{};
  options.damping = DampingOptions{};
  options.shaping = ShapingOptions{};
  Controller controller(options);
  ASSERT_EQ(controller.start(make_zero_state(arm)), Status::ok);
  Measurement y;
  y.q = y.v = VectorXd::Zero(3);
  VectorXd torques = VectorXd::Zero(3);
  ASSERT_EQ(controller.update(y, torques), Status::ok);
  const NoAlloc guard;
  for (int k = 0; k < 100; ++k) ASSERT_EQ(controller.update(y, torques), Status::ok);
}

TEST(Controller, RefusesWhatDoesNotFit) {
  const Model arm = make_arm();
  const auto message = [&](auto change) -> std::string {
    ControlOptions options = make_slew(arm);
    change(options);
    try {
      const Controller controller(options);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(message([](ControlOptions& o) { o.rate = 0; }).find("rate"), std::string::npos);
  EXPECT_NE(message([](ControlOptions& o) { o.desired.pop_back(); }).find("desired motion"), std::string::npos);
  EXPECT_NE(message([](ControlOptions& o) { o.damping = DampingOptions{}; }).find("damping needs"), std::string::npos);
  EXPECT_NE(message([&](ControlOptions& o) {
              o.pid = make_pid(arm, o.driven, make_zero_state(arm), {1, 1});
            }).find("is unstable"),
            std::string::npos);
  EXPECT_NE(message([](ControlOptions& o) {
              o.correction = TrackingOptions{};
              o.computed_torque = TrackingOptions{};
            }).find("choose one"),
            std::string::npos);
  EXPECT_EQ(message([](ControlOptions& o) { o.correction = TrackingOptions{}; }), "");
}

TEST(Controller, ASensorWithoutANumberStopsIt) {
  const Model arm = make_arm();
  Controller controller(make_slew(arm));
  ASSERT_EQ(controller.start(make_zero_state(arm)), Status::ok);
  Measurement y;
  y.q = y.v = VectorXd::Constant(3, std::nan(""));
  VectorXd torques = VectorXd::Zero(3);
  EXPECT_EQ(controller.update(y, torques), Status::not_finite);
  EXPECT_NE(controller.failure().find("sensor"), std::string::npos);
}

}  // namespace
}  // namespace limber::test
