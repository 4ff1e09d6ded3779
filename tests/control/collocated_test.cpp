// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tracking by collocated feedback of the joints: its gains, when it is chosen, and what it bears.
#include "limber/control/linear_loop.hpp"
#include "limber/control/prepare.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "support/arm.hpp"
#include "support/close.hpp"

namespace limber::test {
namespace {

constexpr double kSamplePeriod = 1e-3, kBandwidth = 2 * std::numbers::pi * 0.5;

ControlOptions make_tracking(const Model& model) {
  ControlOptions out = make_slew(model);
  out.correction = TrackingOptions{};
  return out;
}

double growth_on(const Model& plant, const ControlOptions& options) {
  return judge_loop(plant, {}, options).pole.growth;
}

// Three machines: 20 % softer and heavier loaded than believed, stiffer and lighter, and as believed.
std::vector<Model> make_machines(int modes) {
  return {make_arm({.EI = 0.8e5, .damping = 0.005, .payload = 60, .modes = modes}),
          make_arm({.EI = 1.2e5, .damping = 0.005, .payload = 40, .modes = modes}),
          make_arm({.damping = 0.005, .payload = 50, .modes = modes})};
}

TEST(JointGain, IsThatOfTheRigidArmWhereSamplingAllows) {
  const Model arm = make_arm({.payload = 50, .modes = 0});
  const DrivenJoints driven = find_driven_joints(arm, {});
  const Predictor predictor = make_predictor(arm, driven, make_zero_state(arm), kSamplePeriod);
  const MatrixXd gain = compute_joint_gain(driven, predictor, {0.5, 0.7}), M = predictor.machine.M;
  EXPECT_TRUE(is_close(MatrixXd(gain.leftCols(3)), MatrixXd(kBandwidth * kBandwidth * M), 1e-9 * M.norm()));
  EXPECT_TRUE(is_close(MatrixXd(gain.middleCols(3, 3)), MatrixXd(1.4 * kBandwidth * M), 1e-9 * M.norm()));
  EXPECT_TRUE(is_close(MatrixXd(gain.rightCols(3)), MatrixXd(kDirectShare / kSamplePeriod * M),
                       1e-9 * M.norm() / kSamplePeriod));
}

// For fast motion the stiffness is P + D times the bandwidth of the filter; R T / kDirectShare is the inertia.
TEST(JointGain, IsSymmetricAndNoStifferThanTheLimit) {
  for (const int modes : {2, 5, 10}) {
    const Model arm = make_arm({.payload = 50, .modes = modes});
    const DrivenJoints driven = find_driven_joints(arm, {});
    const Predictor predictor = make_predictor(arm, driven, make_zero_state(arm), kSamplePeriod);
    const MatrixXd gain = compute_joint_gain(driven, predictor, {});
    const MatrixXd P = gain.leftCols(3), D = gain.middleCols(3, 3), R = gain.rightCols(3);
    for (const MatrixXd& one : {P, D, R}) {
      EXPECT_TRUE(is_close(one, MatrixXd(one.transpose()), 1e-12 * one.norm()));
      EXPECT_GT(eigen_symmetric(0.5 * (one + one.transpose())).values.minCoeff(), 0) << modes;
    }
    const MatrixXd N = kSamplePeriod / kDirectShare * R, fast = P + kRateFilter * kBandwidth * D;
    const double most = eigen_generalized(0.5 * (fast + fast.transpose()), N).values.maxCoeff();
    EXPECT_LT(most, TrackingOptions{}.stiffest / (kSamplePeriod * kSamplePeriod) * (1 + 1e-9)) << modes;
    const bool active = most > TrackingOptions{}.stiffest / (kSamplePeriod * kSamplePeriod) * (1 - 1e-9);
    EXPECT_EQ(active, modes > 2) << modes;
  }
}

TEST(Collocated, IsChosenWhereTheLawOfTheEstimateGrows) {
  for (const int modes : {2, 3, 5}) {
    const ControlOptions settled = settle_loop(prepare_control(make_tracking(make_machines(modes)[2])));
    EXPECT_EQ(settled.collocated(), modes > 2) << modes;
    EXPECT_EQ(settled.tracking()->modal_share, 0) << modes;
  }
}

TEST(Collocated, BearsWrongModelsThatTheModalShareDoesNot) {
  for (const int modes : {3, 5}) {
    const std::vector<Model> machines = make_machines(modes);
    ControlOptions options = settle_loop(prepare_control(make_tracking(machines[2])));
    for (const Model& plant : machines) EXPECT_LT(growth_on(plant, options), 0) << modes;
    options.correction->collocated = false;
    options.correction->modal_share = modes == 3 ? 0.1 : 1;
    EXPECT_LT(growth_on(machines[2], options), 0) << modes;
    EXPECT_GT(std::max(growth_on(machines[0], options), growth_on(machines[1], options)), 0.1) << modes;
  }
}

TEST(Collocated, FollowsASlewWithExactAndWrongModels) {
  const std::vector<Model> machines = make_machines(3);
  const double limits[] = {3e-3, 3e-3, 2e-5};
  for (std::size_t k = 0; k < 3; ++k) {
    const SlewResult result = run_slew(machines[k], make_tracking(machines[2]));
    EXPECT_EQ(result.run.status, Status::ok) << result.run.failure;
    EXPECT_LT(result.largest.maxCoeff(), limits[k]) << k;
  }
}

// The torques of the reference are the same by hybrid dynamics, by the correction, and computed before the readings.
TEST(Collocated, IsTheSameForAllLawsAndEmbodiments) {
  const Model arm = make_machines(3)[2];
  std::vector<ControlOptions> all(3, make_slew(arm));
  all[0].computed_torque = TrackingOptions{0.5, 1, 0, true};
  all[1].correction = all[2].correction = all[0].computed_torque;
  all[2].embodiment = Embodiment::pipelined;
  MatrixXd torques = MatrixXd::Zero(3, 3);
  for (int k = 0; k < 3; ++k) {
    Controller controller(all[static_cast<std::size_t>(k)]);
    ASSERT_EQ(controller.start(make_zero_state(arm)), Status::ok);
    Measurement y;
    y.q = y.v = VectorXd::Zero(3);
    VectorXd command = VectorXd::Zero(3);
    for (int sample = 0; sample < 200; ++sample) {
      y.t = sample * kSamplePeriod;
      y.q[0] = 1e-5 * sample * kSamplePeriod;
      y.v[0] = 1e-5;
      ASSERT_EQ(controller.update(y, command), Status::ok);
    }
    torques.col(k) = command;
  }
  EXPECT_GT(torques.norm(), 1);
  EXPECT_TRUE(is_close(torques.col(1), torques.col(0), 1e-8 * torques.col(0).norm()));
  EXPECT_TRUE(is_close(torques.col(2), torques.col(0), 1e-8 * torques.col(0).norm()));
}

// Delays and lags are borne by softer feedback; the law of the estimated joints would be refused, with any share.
TEST(Collocated, IsSofterWithServoLagAndDelay) {
  const std::vector<Model> machines = make_machines(3);
  for (const bool lag : {true, false}) {
    ControlOptions options = make_tracking(machines[2]);
    if (lag) options.servos.assign(3, {.bandwidth = 50});
    if (!lag) options.sensors.delay = 1;
    options = settle_loop(prepare_control(options));
    EXPECT_TRUE(options.collocated());
    EXPECT_LT(options.tracking()->stiffest, TrackingOptions{}.stiffest);
    for (const Model& plant : machines) EXPECT_LT(judge_loop(plant, options.sensors, options).pole.growth, 0) << lag;
  }
}

TEST(Collocated, AllocatesNothingInItsCycle) {
  ControlOptions options = make_tracking(make_machines(3)[2]);
  options.correction->collocated = true;
  Controller controller(options);
  ASSERT_EQ(controller.start(make_zero_state(*options.model)), Status::ok);
  Measurement y;
  y.q = y.v = VectorXd::Zero(3);
  VectorXd torques = VectorXd::Zero(3);
  ASSERT_EQ(controller.update(y, torques), Status::ok);
  const NoAlloc guard;
  for (int k = 0; k < 100; ++k) ASSERT_EQ(controller.update(y, torques), Status::ok);
}

TEST(Collocated, NeedsSensors) {
  ControlOptions options = make_tracking(make_arm());
  options.correction->collocated = true;
  EXPECT_NO_THROW(check_control(options));
  options.embodiment = Embodiment::propagated;
  EXPECT_THROW(check_control(options), InputError);
}

}  // namespace
}  // namespace limber::test
