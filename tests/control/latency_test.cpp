// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A controller with a computing time of one period: its commands act from the next sample on, in the loop and in its
// model.
#include "limber/control/linear_loop.hpp"
#include "limber/control/prepare.hpp"
#include "limber/simulate/simulate.hpp"
#include "support/arm.hpp"
#include "support/chain_arm.hpp"
#include "support/close.hpp"

namespace limber::test {
namespace {

// A move by 0.5 rad in all joints.
ControlOptions make_late(const Model& model, const std::string& law, double duration) {
  ControlOptions out;
  out.model = std::make_shared<const Model>(model);
  out.driven = find_driven_joints(*out.model, {});
  out.latency = 1;
  const auto n = out.driven.size();
  const VectorXd to = VectorXd::Constant(n, kBent + 0.5);
  const JointPath path = make_path(Profile::cycloid, VectorXd::Constant(n, kBent), 0, {{to, duration, 0}}, {});
  out.desired = path.joints;
  out.end = path.end;
  if (law == "lqr") {
    out.feed_forward = FeedForward::hybrid;
    out.lqr = LqrOptions{};
  } else {
    out.correction = TrackingOptions{};
  }
  return out;
}

// Four links of two modes each without motor inertia at 1 kHz: the linearised loop of the regulator is stable, straight
// and deflected, only with an observer that gives its sensors little weight; this is reported.  The correction uses
// softer collocated feedback, without the estimate.
TEST(Latency, FourFlexibleLinksFollow) {
  const Model model = make_chain_arm(4, 2, 0);
  for (const std::string law : {"correction", "lqr"}) {
    ControlLoop loop(model, {}, make_late(model, law, 3));
    bool told = false;
    for (const std::string& warning : loop.warnings())
      told = told || warning.find("a moving machine may diverge") != std::string::npos;
    System system(model, {});
    SolverOptions solver;
    solver.method = "implicit";
    solver.step = 2.5e-4;
    RunListener listener;
    const RunResult result =
        simulate(system, solver, {kSanitized ? 0.02 : 3.6, 0.1}, bent_chain(model), listener, &loop);
    EXPECT_EQ(result.failure, "") << law;
    EXPECT_EQ(told, law == "lqr") << law;
    EXPECT_LT(loop.tracking().largest.maxCoeff(), 5e-3) << law;
    const ControlOptions& settled = loop.controller().options();
    EXPECT_EQ(settled.collocated(), law == "correction");
    const double stiffest = settled.collocated() ? settled.tracking()->stiffest : 0;
    EXPECT_LT(stiffest, TrackingOptions{}.stiffest);
  }
}

// In two seconds the links bend by 13 % of their length.  The estimate diverges, which harms nothing.
TEST(Latency, CollocatedFeedbackFollowsWithoutTheEstimate) {
  const Model model = make_chain_arm(4, 2, 0);
  ControlLoop loop(model, {}, make_late(model, "correction", 2));
  System system(model, {});
  SolverOptions solver;
  solver.method = "implicit";
  solver.step = 2.5e-4;
  RunListener listener;
  const RunResult result = simulate(system, solver, {kSanitized ? 0.02 : 2.6, 0.1}, bent_chain(model), listener, &loop);
  EXPECT_EQ(result.failure, "");
  EXPECT_LT(loop.tracking().largest.maxCoeff(), 5e-3);
}

// In a third of the time the links would deflect by half their length.
TEST(Latency, MotionThatBendsTheMachineTooMuchIsToldOf) {
  const Model model = make_chain_arm(4, 2, 0);
  const ControlLoop loop(model, {}, make_late(model, "lqr", 1));
  bool told = false;
  for (const std::string& warning : loop.warnings())
    told =
        told || warning.find("the desired motion bends 'link1' by 51 % of its length at 0.25 s") != std::string::npos;
  EXPECT_TRUE(told);
}

// The torque in the first period is not the command of the first sample.
TEST(Latency, CommandsActFromTheNextSampleOn) {
  const Model model = make_chain_arm(1, 0, 0);
  ControlOptions options = make_late(model, "correction", 1);
  options.desired[0] = Signal(kBent + 0.1);
  options.end = 0;
  ControlLoop loop(model, {}, options);
  System system(model, {});
  State x = bent_chain(model);
  VectorXd torques(model.nv);
  ASSERT_EQ(loop.sample(x, system.compute_kinematics(x), VectorXd(), torques), Status::ok);
  EXPECT_EQ(torques[0], 0);
  x.t = loop.period();
  ASSERT_EQ(loop.sample(x, system.compute_kinematics(x), VectorXd(), torques), Status::ok);
  EXPECT_GT(torques[0], 0.1);
}

}  // namespace
}  // namespace limber::test
