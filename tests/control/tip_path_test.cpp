// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/tip_path.hpp"

#include "limber/model/elements.hpp"
#include "limber/simulate/equilibrium.hpp"
#include "support/arm.hpp"
#include "support/close.hpp"

namespace limber::test {
namespace {

// At rest, the quasi-static modes are those of the static equilibrium with the driven joints locked.
TEST(TipPath, ModesSettleAsInTheEquilibrium) {
  const Model arm = make_arm({.gravity = {0, -0.5, 0}});
  const DrivenJoints driven = find_driven_joints(arm, {});
  State x = make_zero_state(arm);
  x.q[driven.q[0]] = 0.4;
  x.q[driven.q[1]] = -0.7;
  ASSERT_TRUE(settle_modes(arm, driven, VectorXd::Zero(3), x));
  Inputs inputs;
  for (std::size_t k = 0; k < 3; ++k) {
    inputs.motions.push_back({driven.joints[k], {Signal(x.q[driven.q[k]])}, "held"});
  }
  const Equilibrium found = find_equilibrium(arm, inputs, x);
  EXPECT_TRUE(is_close(x.q, found.x.q, 1e-8));
}

// A spring much stiffer than the links: its stiffness is in the tangent.
TEST(TipPath, ModesSettleOnStiffElements) {
  Model arm = make_arm({.gravity = {0, -0.5, 0}});
  const DrivenJoints driven = find_driven_joints(arm, {});
  State x = make_zero_state(arm);
  x.q[driven.q[0]] = 0.4;
  x.q[driven.q[1]] = -0.7;
  KinematicsWorkspace kin(arm);
  compute_kinematics(arm, x, kin);
  compute_world_poses(arm, kin);
  ForceElement stay;
  stay.name = "stay";
  stay.a.at.p = node_pose(arm, kin, kArmTip).p + Vector3d(0, 2, 0);
  stay.b.node = kArmTip;
  stay.stiffness = 1e5;
  stay.length = 2.001;
  arm.elements = std::make_shared<ForceElements>(ForceElements{{stay}, {}});
  ASSERT_TRUE(settle_modes(arm, driven, VectorXd::Zero(3), x));
  Inputs inputs;
  for (std::size_t k = 0; k < 3; ++k) inputs.motions.push_back({driven.joints[k], {Signal(x.q[driven.q[k]])}, "held"});
  EXPECT_TRUE(is_close(x.q, find_equilibrium(arm, inputs, x).x.q, 1e-8));
  compute_kinematics(arm, x, kin);
  compute_world_poses(arm, kin);
  EXPECT_NEAR((node_pose(arm, kin, kArmTip).p - stay.a.at.p).norm(), 2.001, 1e-3);
}

TipPath straight_line() {
  TipPath path;
  path.node = kArmTip;
  path.position[0] = make_move(Profile::cycloid, 11, 8, 0, 20);
  path.position[1] = make_move(Profile::cycloid, 3, 7, 0, 20);
  path.end = 20;
  return path;
}

State bent(const Model& arm, const DrivenJoints& driven) {
  State x = make_zero_state(arm);
  x.q[driven.q[0]] = -0.4;
  x.q[driven.q[1]] = 1.2;
  x.q[driven.q[2]] = 0.2;
  return x;
}

// Driven by the computed joint motion, the tip is closer to its path than with the joint motion of rigid links.
TEST(TipPath, TheTipKeepsToItsLine) {
  const Model arm = make_arm({.damping = 0.02});
  ControlOptions options = make_slew(arm);
  options.computed_torque = TrackingOptions{};
  const TipPath path = straight_line();
  double largest[2] = {};
  for (const bool flexible : {false, true}) {
    options.desired = follow_tip_path(arm, options.driven, path, bent(arm, options.driven), flexible);
    options.end = path.end;
    ControlLoop loop(arm, {}, options);
    System system(arm, {});
    State x = make_zero_state(arm);
    for (int k = 0; k < 3; ++k) x.q[options.driven.q[k]] = options.desired[k].at(0).value;
    struct Watch : RunListener {
      const Model& model;
      const TipPath& path;
      double largest = 0;
      Watch(const Model& m, const TipPath& p) : model(m), path(p) {}
      void record(const Record& record) override {
        const Vector3d p = node_pose(model, record.kin, kArmTip).p;
        const double t = record.motion.x.t;
        largest =
            std::max(largest, std::hypot(p[0] - path.position[0]->at(t).value, p[1] - path.position[1]->at(t).value));
      }
    } watch(arm, path);
    const RunResult run = simulate(system, {}, {kSanitized ? 0.5 : 20, 0.05}, x, watch, &loop);
    EXPECT_EQ(run.status, Status::ok) << run.failure;
    largest[flexible] = watch.largest;
  }
  if (kSanitized) return;
  EXPECT_LT(largest[1], 0.2 * largest[0]) << "rigid " << largest[0] << ", flexible " << largest[1];
}

TEST(TipPath, RefusesSamplesAndEndsWithoutSense) {
  const Model arm = make_arm();
  const DrivenJoints driven = find_driven_joints(arm, {});
  for (const int samples : {-4, 0, 1000000000}) {
    TipPath path = straight_line();
    path.samples = samples;
    EXPECT_THROW(follow_tip_path(arm, driven, path, bent(arm, driven)), InputError) << samples;
    EXPECT_THROW(invert_tip_path(arm, driven, path, bent(arm, driven)), InputError) << samples;
  }
  for (const double end : {-1.0, 0.0, std::nan("")}) {
    TipPath path = straight_line();
    path.end = end;
    EXPECT_THROW(follow_tip_path(arm, driven, path, bent(arm, driven)), InputError) << end;
  }
}

TEST(TipPath, OutOfReachIsTold) {
  const Model arm = make_arm();
  const DrivenJoints driven = find_driven_joints(arm, {});
  TipPath path = straight_line();
  path.position[0] = Signal(30.0);
  EXPECT_THROW(follow_tip_path(arm, driven, path, bent(arm, driven)), InputError);
}

}  // namespace
}  // namespace limber::test
