// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Closed chains in time: a planar four-bar against its equation of motion with the loop eliminated by hand.
#include <functional>

#include "fixtures.hpp"
#include "limber/simulate/equilibrium.hpp"

namespace limber::test {
namespace {

constexpr double kGround_ = 1.2, kCrank = 0.4, kCoupler = 1.1, kRocker = 0.9, kDensity = 2, kG = 9.81;

// Rods along x with their frames at one end; node 0 is the other end.
Body rod(const char* name, double length, bool flexible) {
  if (flexible) return named(make_beam_body(beam(length, 400, {2, 0, 1, 0}), false), name);
  RigidSpec spec;
  spec.mass = kDensity * length;
  spec.com = {length / 2, 0, 0};
  const double J = spec.mass * length * length / 12;
  spec.inertia = Vector3d(1e-3, J, J).asDiagonal();
  Node end;
  end.name = "tip";
  end.position = {length, 0, 0};
  spec.nodes = {end};
  return named(make_rigid_body(spec), name);
}

Model make_four_bar(bool flexible = false, bool reachable = true) {
  ModelBuilder builder("four-bar");
  builder.gravity({0, -kG, 0});
  const int tip = flexible ? 1 : 0;
  const int a = builder.add_body(rod("crank", kCrank, flexible)),
            b = builder.add_body(rod("coupler", kCoupler, flexible)),
            c = builder.add_body(rod("rocker", kRocker, flexible));
  builder.add_joint(joint("drive", JointKind::revolute, kGround, kBodyFrame), a);
  builder.add_joint(joint("pin", JointKind::revolute, a, tip), b);
  Joint pivot = joint("pivot", JointKind::revolute, kGround, kBodyFrame);
  pivot.origin.p = {kGround_, 0, 0};
  builder.add_joint(pivot, c);
  if (reachable) {
    builder.add_closure({"loop", JointKind::revolute, Vector3d::UnitZ(), Vector3d::UnitX(), {b, tip}, {c, tip}});
  } else {  // to the origin, which is out of reach of the coupler
    builder.add_closure({"loop", JointKind::spherical, Vector3d::UnitZ(), Vector3d::UnitX(), {b, tip}, {}});
  }
  return builder.build();
}

// The loop solved for a crank angle: absolute angles of coupler and rocker, and their derivatives in the angle.
struct Loop {
  double coupler, rocker, coupler_rate, rocker_rate;
};
Loop solve_loop(double crank) {
  const double x = kGround_ - kCrank * std::cos(crank), y = -kCrank * std::sin(crank);
  const double distance = std::hypot(x, y), to_pivot = std::atan2(y, x);
  const double inner =
      std::acos((kCoupler * kCoupler + distance * distance - kRocker * kRocker) / (2 * kCoupler * distance));
  Loop loop{};
  loop.coupler = to_pivot + inner;
  loop.rocker = std::atan2(kCrank * std::sin(crank) + kCoupler * std::sin(loop.coupler),
                           kCrank * std::cos(crank) + kCoupler * std::cos(loop.coupler) - kGround_);
  const double s = std::sin(loop.coupler - loop.rocker);
  loop.coupler_rate = -kCrank * std::sin(crank - loop.rocker) / (kCoupler * s);
  loop.rocker_rate = kCrank * std::sin(crank - loop.coupler) / (-kRocker * s);
  return loop;
}

// T = I(crank) rate^2 / 2 and V(crank).
double inertia(double crank) {
  const Loop l = solve_loop(crank);
  const double ma = kDensity * kCrank, mb = kDensity * kCoupler, mc = kDensity * kRocker;
  return ma * kCrank * kCrank / 3 + mc * kRocker * kRocker / 3 * l.rocker_rate * l.rocker_rate +
         mb * (kCrank * kCrank + kCoupler * kCoupler / 3 * l.coupler_rate * l.coupler_rate +
               kCrank * kCoupler * l.coupler_rate * std::cos(crank - l.coupler));
}
double potential(double crank) {
  const Loop l = solve_loop(crank);
  return kG * kDensity *
         (kCrank * kCrank / 2 * std::sin(crank) +
          kCoupler * (kCrank * std::sin(crank) + kCoupler / 2 * std::sin(l.coupler)) +
          kRocker * kRocker / 2 * std::sin(l.rocker));
}
double slope(const std::function<double(double)>& f, double x) {
  const double h = 1e-3;  // error h^4/30 times the fifth derivative
  return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}
double acceleration(double crank, double rate) {
  return (-0.5 * slope(inertia, crank) * rate * rate - slope(potential, crank)) / inertia(crank);
}
// Angle of the crank after a time, by the classical Runge-Kutta method with small steps.
double crank_after(double angle, double rate, double time) {
  const int n = 40000;
  const double h = time / n;
  for (int k = 0; k < n; ++k) {
    const double a1 = acceleration(angle, rate), a2 = acceleration(angle + h / 2 * rate, rate + h / 2 * a1);
    const double a3 = acceleration(angle + h / 2 * rate + h * h / 4 * a1, rate + h / 2 * a2);
    const double a4 = acceleration(angle + h * rate + h * h / 2 * a2, rate + h * a3);
    angle += h * rate + h * h / 6 * (a1 + a2 + a3);
    rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return angle;
}

State start_of(const Model& model, double crank, double rate) {
  const Loop l = solve_loop(crank);
  State x = make_zero_state(model);
  x.q[model.joints[1].q] = crank;
  x.q[model.joints[2].q] = l.coupler - crank;
  x.q[model.joints[3].q] = l.rocker;
  x.v[model.joints[1].v] = rate;
  x.v[model.joints[2].v] = (l.coupler_rate - 1) * rate;
  x.v[model.joints[3].v] = l.rocker_rate * rate;
  return x;
}

TEST(Closed, APlanarFourBarMovesAsItsOneEquationSays) {
  const Model model = make_four_bar();
  const State start = start_of(model, 0.7, 5);
  const double expected = crank_after(0.7, 5, 2);
  for (const char* method : {"dopri5", "implicit", "rk4"}) {
    SolverOptions solver = tight();
    solver.method = method;
    solver.step = 5e-4;
    const Outcome out = run(model, {}, solver, start, 2, 0.05);
    const double bound = std::string(method) == "implicit" ? 1e-4 : 1e-8;
    EXPECT_NEAR(out.seen.q.back()[0], expected, bound) << method;
    EXPECT_LT(out.result.energy_error, (std::string(method) == "implicit" ? 1e-4 : 1e-8) * out.result.energy_scale);
    ASSERT_EQ(out.result.notes.size(), 1u);
    EXPECT_NE(out.result.notes[0].find("3 of 5"), std::string::npos) << out.result.notes[0];
    for (const double e : out.seen.closure_error) EXPECT_LT(e, 1e-10) << method;
  }
}

TEST(Closed, AFlexibleFourBarKeepsItsLoopForAMinute) {
  const Model model = make_four_bar(true);
  for (const char* method : {"implicit", "cvode"}) {
    SolverOptions solver = fixed(method, 1e-3);
    if (std::string(method) == "cvode") {
      try {
        System system(model, {});
        (void)make_stepper(system, solver);
      } catch (const InputError&) {
        continue;  // not in this build
      }
    }
    const Outcome out = run(model, {}, solver, start_of(model, 0.7, 3), std::string(method) == "cvode" ? 1 : 60, 0.1);
    for (const double e : out.seen.closure_error) EXPECT_LT(e, 1e-9) << method;
    EXPECT_LT(out.result.energy_error, 1e-2 * out.result.energy_scale) << method;
  }
  const Outcome exact = run(model, {}, tight(), start_of(model, 0.7, 3), 0.5, 0.05);
  EXPECT_LT(exact.result.energy_error, 1e-8 * exact.result.energy_scale);
}

// The crank prescribed: the work of its torque closes the energy balance, closures do no work.
TEST(Closed, APrescribedCrankNeedsTheTorqueOfItsEquation) {
  const Model model = make_four_bar();
  Inputs inputs;
  inputs.motions.push_back({1, {Signal::expression("0.7 + 2*t + 0.3*sin(3*t)")}, "motion"});
  const Outcome out = run(model, inputs, tight(), start_of(model, 0.7, 2.9), 1, 0.1);
  EXPECT_LT(out.result.energy_error, 1e-8 * out.result.energy_scale);
  for (std::size_t k = 0; k < out.seen.t.size(); ++k) {
    const double t = out.seen.t[k], angle = 0.7 + 2 * t + 0.3 * std::sin(3 * t), rate = 2 + 0.9 * std::cos(3 * t);
    const double torque =
        inertia(angle) * -2.7 * std::sin(3 * t) + 0.5 * slope(inertia, angle) * rate * rate + slope(potential, angle);
    EXPECT_NEAR(out.seen.torque[k][0], torque, 1e-6 * (1 + std::abs(torque))) << t;
  }
}

// A jump of the crank's speed: the whole mechanism responds at once, and the work is the change of its kinetic energy.
TEST(Closed, AJumpOfTheCrankMovesTheWholeLoop) {
  const Model model = make_four_bar();
  Inputs inputs;
  inputs.motions.push_back(
      {1, {Signal::table(Vector3d(0, 0.5, 1), Vector3d(0.7, 0.7, 1.7), Interpolation::linear)}, "motion"});
  System system(model, inputs);
  State x = start_of(model, 0.7, 0);
  system.select_interval(0.25);
  system.assemble(x);
  x.t = 0.5;
  system.select_interval(0.75);
  Motion m{x};
  ASSERT_EQ(system.apply_jump(m), Status::ok);
  EXPECT_NEAR(m.work, 0.5 * inertia(0.7) * 4, 1e-12);
  EXPECT_LT((m.x.v - start_of(model, 0.7, 2).v).norm(), 1e-12);
}

// Fixed steps keep their order after a jump.
TEST(Closed, FixedStepsKeepTheirOrderAfterAJump) {
  const Model model = make_four_bar(true);
  Inputs inputs;
  inputs.motions.push_back(
      {1, {Signal::table(Vector3d(0, 0.1, 0.2), Vector3d(0.7, 0.71, 0.66), Interpolation::linear)}, "motion"});
  const State start = start_of(model, 0.7, 0.1);
  const Outcome exact = run(model, inputs, tight(), start, 0.2);
  EXPECT_LT(exact.result.energy_error, 1e-9 * exact.result.energy_scale);
  for (const char* method : {"rk4", "implicit"}) {
    double error[2];
    for (int k = 0; k < 2; ++k) {
      const Outcome out = run(model, inputs, fixed(method, 1e-4 / (k + 1)), start, 0.2);
      error[k] = distance(model, out.seen.q.back(), exact.seen.q.back());
    }
    const double order = std::string(method) == "rk4" ? 4 : 2;
    EXPECT_GT(std::log2(error[0] / error[1]), order - 0.3) << method << " " << error[0] << " " << error[1];
  }
}

// Changes by assembly are reported with values; a kept joint is not changed, nor is its speed.
TEST(Closed, AssemblySaysWhatItChangedAndKeepsWhatItMust) {
  const Model model = make_four_bar();
  State x = start_of(model, 0.7, 2);
  x.q[1] += 0.2;
  x.v[2] = 0.5;
  const Outcome moved = run(model, {}, tight(), x, 0.01);
  ASSERT_EQ(moved.result.notes.size(), 2u);
  EXPECT_EQ(moved.result.notes[0].rfind("assembly of the closed chain moved ", 0), 0u) << moved.result.notes[0];
  EXPECT_NE(moved.result.notes[0].find("'drive' from 0.7 to "), std::string::npos) << moved.result.notes[0];
  EXPECT_NE(moved.result.notes[0].find("the speed of 'pivot' from 0.5 to "), std::string::npos)
      << moved.result.notes[0];
  System system(model, {});
  system.keep({0, 1, 0, 0});
  State kept = x;
  system.assemble(kept);
  EXPECT_EQ(kept.q[0], x.q[0]);
  EXPECT_NEAR(kept.v[0], x.v[0], 1e-14);
  EXPECT_LT((kept.q - start_of(model, 0.7, 2).q).norm(), 1e-10);
  EXPECT_LT((kept.v - start_of(model, 0.7, 2).v).norm(), 1e-10);
  EXPECT_EQ(assembly_note(model, kept, start_of(model, 0.7, 2)), "");
}

TEST(Closed, AssemblyMeetsTheLoopOrSaysWhatIsLeft) {
  const Model model = make_four_bar();
  State x = start_of(model, 0.7, 0);
  x.q[1] += 0.2;
  x.q[2] -= 0.15;
  System system(model, {});
  system.assemble(x);
  EXPECT_EQ(system.closure_note().substr(0, 6), "3 of 5");
  const Model apart = make_four_bar(false, false);
  System unreachable(apart, {});
  State y = make_zero_state(apart);
  try {
    unreachable.assemble(y);
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("closure 'loop' cannot be satisfied"), std::string::npos) << e.what();
  }
}

// At rest in equilibrium, with flexible links and a torque on the crank.
TEST(Closed, EquilibriumStaysAtRest) {
  const Model model = make_four_bar(true);
  Inputs inputs;
  inputs.speeds.push_back({0, Signal(1.5), "push"});
  const Equilibrium e = find_equilibrium(model, inputs, start_of(model, 0.7, 0));
  EXPECT_TRUE(e.stable);
  const Outcome out = run(model, inputs, tight(), e.x, 0.3);
  EXPECT_LT((out.seen.q.back() - e.x.q).norm(), 1e-7);
  EXPECT_LT(out.seen.v.back().norm(), 1e-6);
}

// An extended parallelogram: the branch of the motion is not determined.
TEST(Closed, SingularConfigurationsAreReported) {
  ModelBuilder builder("parallelogram");
  const int a = builder.add_body(rod("left", 1, false)), b = builder.add_body(rod("top", 2, false)),
            c = builder.add_body(rod("right", 1, false));
  builder.add_joint(joint("l", JointKind::revolute, kGround, kBodyFrame), a);
  builder.add_joint(joint("t", JointKind::revolute, a, 0), b);
  Joint pivot = joint("r", JointKind::revolute, kGround, kBodyFrame);
  pivot.origin.p = {2, 0, 0};
  builder.add_joint(pivot, c);
  builder.add_closure({"loop", JointKind::revolute, Vector3d::UnitZ(), Vector3d::UnitX(), {b, 0}, {c, 0}});
  const Model model = builder.build();
  System system(model, {});
  State flat = make_zero_state(model);
  EXPECT_THROW(system.assemble(flat), InputError);
}

// A parallelogram that folds flat, where the motion bifurcates; with a slightly longer bar it only comes close to this.
RunResult fold(double longer, const SolverOptions& solver) {
  ModelBuilder builder("parallelogram");
  const int a = builder.add_body(rod("left", 1, false)), b = builder.add_body(rod("coupler", 2 + longer, false)),
            c = builder.add_body(rod("right", 1, false));
  builder.add_joint(joint("a", JointKind::revolute, kGround, kBodyFrame), a);
  builder.add_joint(joint("b", JointKind::revolute, a, 0), b);
  Joint pivot = joint("c", JointKind::revolute, kGround, kBodyFrame);
  pivot.origin.p = {2, 0, 0};
  builder.add_joint(pivot, c);
  builder.add_closure({"loop", JointKind::revolute, Vector3d::UnitZ(), Vector3d::UnitX(), {b, 0}, {c, 0}});
  const Model model = builder.build();
  State x = make_zero_state(model);
  x.q << 1, -1, 1;
  x.v << -1, 1, -1;
  System system(model, {});
  RunListener observer;
  return simulate(system, solver, {2.5, 0.01}, x, observer);
}

TEST(Closed, FoldingFlatIsNotSteppedThroughInSilence) {
  for (const char* method : {"dopri5", "rk4", "implicit"}) {
    SolverOptions solver;
    solver.method = method;
    solver.step = 0.0123;
    const RunResult flat = fold(0, solver);
    EXPECT_EQ(flat.status, Status::singular_closure) << method;
    EXPECT_NEAR(flat.t, 1, 0.03) << method;
    EXPECT_NE(flat.failure.find("singular"), std::string::npos) << flat.failure;
    const RunResult near = fold(0.05, solver);
    EXPECT_EQ(near.status, Status::ok) << method << near.failure;
  }
}

}  // namespace
}  // namespace limber::test
