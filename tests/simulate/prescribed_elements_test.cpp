// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Torques of prescribed joints and forces of closures under implicit steps with force elements.
#include "fixtures.hpp"
#include "limber/dynamics/rnea.hpp"
#include "limber/model/elements.hpp"

namespace limber::test {
namespace {

// At the accelerations of the equation of motion a pass of an implicit step is a fixed point, also for the torques of
// prescribed joints, which include their share of the elements.
TEST(PrescribedElements, ImplicitStepsNeedTheSameTorques) {
  Model model = make_tree({.gravity = {0, 1, -9.81}});
  ForceElement strut;
  strut.name = "strut";
  strut.a = {{1, kBodyFrame}, {Matrix3d::Identity(), {0.1, 0.2, -0.1}}};
  strut.b = {{4, kBodyFrame}, {Matrix3d::Identity(), {0.05, 0.1, 0.2}}};
  strut.stiffness = 300;
  strut.damping = 7;
  strut.length = 0.9;
  model.elements = std::make_shared<ForceElements>(ForceElements{{strut}, {}});
  State x = make_state(model);
  Inputs inputs;
  inputs.motions.push_back({2, {Signal::expression("0.2 + 0.3*t + 2*t^2")}, "hinge"});
  System system(model, inputs);
  system.prescribe(x);
  system.update_contacts(x);
  VectorXd a(model.nv);
  ASSERT_EQ(system.accelerate(x, a), Status::ok);
  const VectorXd torques = system.torques();
  VectorXd again = a;
  system.set_implicit(0.05, 0.0025);
  ASSERT_EQ(system.accelerate_implicit(x, again), Status::ok);
  EXPECT_CLOSE(again, a, 1e-11 * a.cwiseAbs().maxCoeff());
  EXPECT_CLOSE(system.torques(), torques, 1e-11 * torques.cwiseAbs().maxCoeff());
}

// Crank and rocker of a five-bar on the ground, a flexible rod on each, pinned to each other; a strut across.
Model make_five_bar() {
  ModelBuilder builder("five-bar");
  builder.gravity({0, -9.81, 0});
  RigidSpec link;
  link.mass = 1.5;
  link.com = {0.2, 0, 0};
  link.inertia = Vector3d(0.001, 0.02, 0.02).asDiagonal();
  Node pin;
  pin.name = "pin";
  pin.position = {0.4, 0, 0};
  link.nodes.push_back(pin);
  const int crank = builder.add_body(named(make_rigid_body(link), "crank"));
  const int rod = builder.add_body(named(make_beam_body(beam(0.7, 60, {2, 0, 0, 0}, 0.01), false), "rod"));
  const int rocker = builder.add_body(named(make_rigid_body(link), "rocker"));
  const int bar = builder.add_body(named(make_beam_body(beam(0.6, 90, {1, 0, 0, 0}, 0.01), false), "bar"));
  constexpr int kTip = 1;
  builder.add_joint(joint("motor", JointKind::revolute, kGround, kBodyFrame), crank);
  builder.add_joint(joint("elbow", JointKind::revolute, crank, 0), rod);
  Joint pivot = joint("pivot", JointKind::revolute, kGround, kBodyFrame);
  pivot.origin.p = {0.8, 0, 0};
  builder.add_joint(pivot, rocker);
  builder.add_joint(joint("knee", JointKind::revolute, rocker, 0), bar);
  Closure closure;
  closure.name = "top";
  closure.kind = JointKind::spherical;
  closure.a = {rod, kTip};
  closure.b = {bar, kTip};
  builder.add_closure(closure);
  Model model = builder.build();
  ForceElement strut;
  strut.name = "strut";
  strut.a = {{crank, 0}, {}};
  strut.b = {{bar, kTip}, {}};
  strut.stiffness = 800;
  strut.damping = 30;
  strut.length = 0.4;
  model.elements = std::make_shared<ForceElements>(ForceElements{{strut}, {}});
  return model;
}

State make_five_bar_state(const Model& model, System& system, bool moves) {
  State x = make_zero_state(model);
  x.q[model.joints[1].q] = 1.9;
  x.q[model.joints[2].q] = -1.2;
  x.q[model.joints[3].q] = 1.3;
  x.q[model.joints[4].q] = 0.7;
  if (moves) {
    x.v[model.joints[1].v] = 1.1;
    x.v[model.joints[3].v] = -0.6;
  }
  system.assemble(x);
  return x;
}

// The residual of the Newton-Euler equations on each speed, with the strut's force computed by hand.
VectorXd five_bar_balance(const Model& model, System& system, const State& x, const VectorXd& a) {
  RneaWorkspace ws(model);
  const Kinematics& kin = system.compute_kinematics(x);
  const ForceElement& strut = model.elements->list[0];
  const NodeRef ends[] = {strut.a.node, strut.b.node};
  const Vector3d line = node_pose(model, kin, ends[1]).p - node_pose(model, kin, ends[0]).p;
  const Vector6 apart = node_velocity(model, kin, ends[1], x.v) - node_velocity(model, kin, ends[0], x.v);
  const double length = line.norm(), rate = apart.tail<3>().dot(line) / length;
  const Vector3d push = -(strut.stiffness * (length - strut.length) + strut.damping * rate) / length * line;
  std::vector<NodeWrench> wrenches(4);
  wrenches[0] = {model.closures[0].b, system.closure_forces()};
  wrenches[1] = {model.closures[0].a, -system.closure_forces()};
  wrenches[2].at = ends[0];
  wrenches[2].wrench << Vector3d::Zero(), -push;
  wrenches[3].at = ends[1];
  wrenches[3].wrench << Vector3d::Zero(), push;
  VectorXd left(model.nv);
  rnea(model, x, a, wrenches, ws, left);
  return left - system.torques();
}

TEST(PrescribedElements, ClosuresBearTheirShareInImplicitSteps) {
  const Model model = make_five_bar();
  for (const bool moves : {false, true}) {
    for (const bool prescribed : {false, true}) {
      Inputs inputs;
      if (prescribed) inputs.motions.push_back({1, {Signal::expression("1.9 + 0.3*t + 2*t^2")}, "motor"});
      System system(model, inputs);
      State x = make_five_bar_state(model, system, moves);
      VectorXd a(model.nv);
      ASSERT_EQ(system.accelerate(x, a), Status::ok);
      const VectorXd torques = system.torques(), forces = system.closure_forces();
      const double size = forces.cwiseAbs().maxCoeff();
      EXPECT_GT(size, 10);
      EXPECT_CLOSE(five_bar_balance(model, system, x, a), VectorXd::Zero(model.nv), 1e-10 * size);
      VectorXd again = a;
      system.set_implicit(0.05, 0.0025);
      ASSERT_EQ(system.accelerate_implicit(x, again), Status::ok);
      EXPECT_CLOSE(again, a, 1e-10 * a.cwiseAbs().maxCoeff());
      EXPECT_CLOSE(system.closure_forces(), forces, 1e-10 * size);
      EXPECT_CLOSE(system.torques(), torques, 1e-10 * size);
    }
  }
}

// The work of a prescribed joint is in the energy balance.
TEST(PrescribedElements, TheLedgerOfAClosedChainFallsWithTheStep) {
  const Model model = make_five_bar();
  Inputs inputs;
  inputs.motions.push_back({1, {Signal::expression("1.9 + 0.5*sin(3*t)")}, "motor"});
  double error[2];
  for (int i = 0; i < 2; ++i) {
    System system(model, inputs);
    const State x = make_five_bar_state(model, system, false);
    SolverOptions solver = fixed("implicit", i == 0 ? 1e-3 : 0.5e-3);
    solver.passes = 8;
    const Outcome out = run(model, inputs, solver, x, 0.5);
    error[i] = out.result.energy_error / out.result.energy_scale;
  }
  EXPECT_LT(error[0], 1e-3);
  EXPECT_GT(error[0] / error[1], 3);
}

}  // namespace
}  // namespace limber::test
