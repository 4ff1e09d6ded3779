// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The time loop: breaks, prescribed motions, stops, failure.
#include <limits>

#include "fixtures.hpp"
#include "limber/simulate/equilibrium.hpp"

namespace limber::test {
namespace {

// A mass on a rail under torque steps: the exact position is a parabola per piece.
Model make_cart(double mass = 2, std::optional<JointStop> stop = {}) {
  ModelBuilder builder("cart");
  RigidSpec spec;
  spec.mass = mass;
  spec.inertia = Vector3d(1, 1, 1).asDiagonal();
  Joint rail = joint("rail", JointKind::prismatic, kGround, kBodyFrame, Vector3d::UnitX());
  rail.stop = stop;
  builder.add_joint(rail, builder.add_body(named(make_rigid_body(spec), "cart")));
  return builder.build();
}

TEST(Run, StepsEndAtBreaks) {
  const Model model = make_cart();
  Inputs inputs;
  inputs.speeds.push_back({0, Signal::pieces({{1.0 / 3, Signal(4.0)}, {0.7, Signal(-6.0)}, {0, Signal(0.0)}}), "f"});
  for (const char* method : {"dopri5", "rk4", "implicit"}) {
    const Outcome out = run(model, inputs, fixed(method, 0.09), make_zero_state(model), 2);
    const auto met = [&](double t) { return std::count(out.seen.steps.begin(), out.seen.steps.end(), t); };
    EXPECT_EQ(met(1.0 / 3), 1) << method;
    EXPECT_EQ(met(0.7), 1) << method;
    const double t1 = 1.0 / 3, t2 = 0.7 - t1, t3 = 2 - 0.7;
    const double v1 = 2 * t1, q1 = t1 * t1, v2 = v1 - 3 * t2, q2 = q1 + v1 * t2 - 1.5 * t2 * t2;
    EXPECT_NEAR(out.seen.v.back()[0], v2, 1e-13) << method;
    EXPECT_NEAR(out.seen.q.back()[0], q2 + v2 * t3, 1e-13) << method;
    EXPECT_LT(out.result.energy_error, 1e-12) << method;
  }
}

// A short pulse between long steps is not missed.
TEST(Run, ShortPulsesAreSeen) {
  const Model model = make_cart();
  Inputs inputs;
  inputs.speeds.push_back({0, Signal::pieces({{5, Signal(0.0)}, {5.001, Signal(2000.0)}, {0, Signal(0.0)}}), "f"});
  for (const char* method : {"dopri5", "rk4", "implicit"}) {
    const Outcome out = run(model, inputs, fixed(method, 1), make_zero_state(model), 10);
    EXPECT_NEAR(out.seen.v.back()[0], 1, 1e-12) << method;
  }
}

// The torque of a prescribed motion, applied as an input, reproduces the motion.
TEST(Run, TorqueOfAPrescribedMotionReproducesIt) {
  TreeSpec spec;
  spec.gravity = {0, 0, -9.81};
  spec.base = JointKind::fixed;
  const Model model = make_tree(spec);
  const int hinge = model.joints[2].v;
  Inputs inputs;
  inputs.motions.push_back({2, {Signal::expression("0.4 + 0.3*sin(2*t)^2")}, "motion"});
  State start = make_state(model, 0.2);
  start.v[hinge] = 0;
  const Outcome given = run(model, inputs, tight(), start, 1, 0.00125);
  VectorXd t(given.seen.t.size()), tau(given.seen.t.size());
  for (int k = 0; k < t.size(); ++k) {
    t[k] = given.seen.t[k];
    tau[k] = given.seen.torque[k][hinge];
    const double angle = 0.4 + 0.3 * std::pow(std::sin(2 * t[k]), 2);
    EXPECT_NEAR(given.seen.q[k][model.joints[2].q], angle, 1e-14);
  }
  Inputs back;
  back.speeds.push_back({hinge, Signal::table(t, tau, Interpolation::quintic), "torque"});
  const Outcome free = run(model, back, tight(), start, 1);
  EXPECT_LT(distance(model, free.seen.q.back(), given.seen.q.back()), 2e-6);  // the table's interpolation
}

// A jump in a prescribed speed is an impulse: total momentum is conserved, work is the change of kinetic energy.
TEST(Run, AJumpInAPrescribedSpeedIsAnImpulse) {
  TreeSpec spec;
  const Model model = make_tree(spec);
  Inputs inputs;
  inputs.motions.push_back(
      {2, {Signal::table(Vector3d(0, 0.5, 1), Vector3d(0.4, 0.4, 0.5), Interpolation::linear)}, "m"});
  State start = make_state(model, 0.2);
  start.v[model.joints[2].v] = 0;
  for (const char* method : {"dopri5", "rk4"}) {
    SolverOptions solver = tight();
    solver.method = method;
    solver.step = 2.5e-4;
    const Outcome out = run(model, inputs, solver, start, 1, 0.05);
    const auto& p = out.seen.momentum;  // free-floating: the joint's torque is internal
    EXPECT_LT((p.back().linear - p[0].linear).norm(), 1e-8 * p[0].linear.norm()) << method;
    EXPECT_LT((p.back().angular - p[0].angular).norm(), 1e-8 * p[0].angular.norm()) << method;
    EXPECT_LT(out.result.energy_error, 1e-7 * out.seen.kinetic[0]) << method;
    EXPECT_NEAR(out.seen.v.back()[model.joints[2].v], 0.2, 1e-12);
  }
}

// A mass against a spring: half a period in contact, then back with the same speed.
TEST(Stops, AnElasticStopReturnsTheSpeed) {
  const JointStop stop{-std::numeric_limits<double>::infinity(), 1, 800, 0};
  const Model model = make_cart(2, stop);
  State start = make_zero_state(model);
  start.v[0] = 3;
  SolverOptions solver;
  solver.rtol = 1e-10;
  solver.atol = 1e-12;
  const Outcome out = run(model, {}, solver, start, 1, 0.01);
  const double contact = 1.0 / 3, leave = contact + M_PI / 20;
  EXPECT_NEAR(out.seen.v.back()[0], -3, 1e-8);
  EXPECT_NEAR(out.seen.q.back()[0], 1 - 3 * (1 - leave), 1e-8);
  double deepest = 0;
  for (const VectorXd& q : out.seen.q) deepest = std::max(deepest, q[0]);
  EXPECT_NEAR(deepest, 1 + 3.0 / 20, 1e-3);
  EXPECT_LT(out.result.energy_error, 1e-8);
  // A step ends at the time of contact.
  double nearest = 1;
  for (const double t : out.seen.steps) nearest = std::min(nearest, std::abs(t - contact));
  EXPECT_LT(nearest, 1e-9);
}

// With a damper contact ends when its force is zero; the force is never tensile.
TEST(Stops, ADampedStopTakesEnergyAndNeverPulls) {
  const JointStop stop{-0.5, 1, 800, 30};
  const Model model = make_cart(2, stop);
  State start = make_zero_state(model);
  start.v[0] = 3;
  for (const char* method : {"dopri5", "rk4", "implicit"}) {
    SolverOptions solver = fixed(method, 1e-4);
    solver.rtol = 1e-10;
    solver.atol = 1e-12;
    const Outcome out = run(model, {}, solver, start, 3, 0.001);
    for (std::size_t k = 0; k < out.seen.t.size(); ++k) {
      const double f = out.seen.stop[k][0];
      const double side = out.seen.q[k][0] > 0 ? 1 : -1;
      EXPECT_LE(side * f, 1e-9) << method;
    }
    EXPECT_LT(out.seen.kinetic.back(), 0.5 * out.seen.kinetic[0]) << method;
    EXPECT_LT(out.result.energy_error, (std::string(method) == "implicit" ? 1e-4 : 1e-8) * out.seen.kinetic[0])
        << method;
  }
}

TEST(Trouble, InputsThatAreNotFiniteEndTheRun) {
  const Model model = make_cart();
  Inputs inputs;
  inputs.speeds.push_back({0, Signal::expression("log(t - 1)"), "inputs[0].torque"});
  inputs.speeds[0].force = Signal::pieces({{1.5, Signal(1.0)}, {0, Signal::expression("sqrt(2 - t)")}});
  for (const char* method : {"dopri5", "rk4", "implicit"}) {
    System system(model, inputs);
    Kept seen;
    const RunResult result = simulate(system, fixed(method, 0.01), {3, 0.1}, make_zero_state(model), seen);
    EXPECT_EQ(result.status, Status::not_finite) << method;
    EXPECT_NE(result.failure.find("inputs[0].torque is not finite at t = 2"), std::string::npos) << result.failure;
    EXPECT_NEAR(result.t, 2, 0.11) << method;
    EXPECT_GE(seen.t.size(), 19u) << method;
  }
}

// An explicit method beyond its stability limit: the coordinate and the time are reported.
TEST(Trouble, DivergenceIsTold) {
  TreeSpec spec;
  spec.stiffness = 4e4;
  const Model model = make_tree(spec);
  System system(model, {});
  Kept seen;
  const RunResult result = simulate(system, fixed("rk4", 0.05), {100, 1}, make_state(model), seen);
  EXPECT_NE(result.status, Status::ok);
  EXPECT_NE(result.failure.find("t = "), std::string::npos) << result.failure;
  EXPECT_GT(seen.t.size(), 0u);
  for (const VectorXd& q : seen.q) EXPECT_TRUE(q.allFinite());
}

TEST(Trouble, InterruptionKeepsWhatThereIs) {
  struct Impatient : Kept {
    bool go_on(double time, const StepCounts&) override { return time < 0.5 - 1e-9; }
  } seen;
  const Model model = make_cart();
  System system(model, {});
  const RunResult result = simulate(system, fixed("rk4", 0.01), {3, 0.1}, make_zero_state(model), seen);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(seen.t.size(), 6u);
  // Before the second record, the time is that of the step.
  const RunResult early = simulate(system, fixed("rk4", 0.01), {3, 1}, make_zero_state(model), seen);
  EXPECT_TRUE(early.interrupted);
  EXPECT_NEAR(early.t, 0.5, 1e-9);
}

// ---- equilibrium

TEST(Equilibrium, ACantileverSagsAsTheFormulaSays) {
  BeamSpec spec = beam(2, 300, {0, 6, 0, 0});
  spec.rotary_inertia_y = spec.rotary_inertia_z = 0;
  spec.basis = BeamBasis::polynomial;
  ModelBuilder builder("cantilever");
  builder.gravity({0, 0, -9.81});
  builder.add_joint(joint("wall", JointKind::fixed, kGround, kBodyFrame),
                    builder.add_body(named(make_beam_body(spec, false), "beam")));
  const Model model = builder.build();
  const Equilibrium e = find_equilibrium(model, {}, make_zero_state(model));
  KinematicsWorkspace kin(model);
  compute_kinematics(model, e.x, kin);
  compute_world_poses(model, kin);
  const double sag = 2 * 9.81 * std::pow(2.0, 4) / (8 * 300);  // w L^4 / 8 EI: exact in this basis
  EXPECT_NEAR(node_pose(model, kin, {1, 1}).p.z(), -sag, 1e-10);
  EXPECT_TRUE(e.stable);
  EXPECT_LE(e.iterations, 4);
}

TEST(Equilibrium, AHangingChainStaysAtRest) {
  TreeSpec spec;
  spec.gravity = {0, 0, -9.81};
  spec.base = JointKind::fixed;
  const Model model = make_tree(spec);
  Inputs inputs;
  WrenchInput push{{4, kBodyFrame}, Frame::world, {}, "push"};
  push.wrench[3] = Signal(3.0);
  inputs.wrenches.push_back(push);
  const Equilibrium e = find_equilibrium(model, inputs, make_zero_state(model));
  EXPECT_TRUE(e.stable);
  const Outcome out = run(model, inputs, tight(), e.x, 1);
  EXPECT_LT(distance(model, out.seen.q.back(), e.x.q), 1e-8);
  EXPECT_LT(out.seen.v.back().norm(), 1e-8);
}

TEST(Equilibrium, FallingMachinesHaveNone) {
  TreeSpec spec;
  spec.gravity = {0, 0, -9.81};
  const Model model = make_tree(spec);
  try {
    (void)find_equilibrium(model, {}, make_zero_state(model));
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("no static equilibrium"), std::string::npos) << e.what();
  }
}

TEST(Equilibrium, WithoutLoadsItIsWhereItWas) {
  const Model model = make_tree({});
  const Equilibrium e = find_equilibrium(model, {}, make_zero_state(model));
  EXPECT_LT(distance(model, e.x.q, make_zero_state(model).q), 1e-12);
}

// A joint held by its stop.
TEST(Equilibrium, StopsCarryLoads) {
  const JointStop stop{-1, 1, 50, 0};
  const Model model = make_cart(2, stop);
  Inputs inputs;
  inputs.speeds.push_back({0, Signal(10.0), "push"});
  const Equilibrium e = find_equilibrium(model, inputs, make_zero_state(model));
  EXPECT_NEAR(e.x.q[0], 1.2, 1e-10);
}

}  // namespace
}  // namespace limber::test
