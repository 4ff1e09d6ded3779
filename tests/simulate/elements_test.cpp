// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Force elements: closed forms, energy balance, momentum, derivatives against differences.
#include "limber/model/elements.hpp"

#include "fixtures.hpp"
#include "limber/dynamics/derivatives.hpp"
#include "limber/dynamics/elements.hpp"
#include "limber/model/contacts.hpp"
#include "limber/model/manifold.hpp"
#include "limber/simulate/equilibrium.hpp"
#include "limber/simulate/force_laws.hpp"
#include "limber/spatial/rotation.hpp"
#include "support/no_alloc.hpp"

namespace limber::test {
namespace {

constexpr double kEarth = 9.81;

ElementEnd end_at(NodeRef node, const Vector3d& p = Vector3d::Zero(), const Vector3d& rpy = Vector3d::Zero()) {
  return {node, {rpy_rotation(rpy), p}};
}

ForceElement spring(const char* name, const ElementEnd& a, const ElementEnd& b, double k, double d, double length) {
  ForceElement e;
  e.name = name;
  e.a = a;
  e.b = b;
  e.stiffness = k;
  e.damping = d;
  e.length = length;
  return e;
}

ForceElement bushing(const char* name, const ElementEnd& a, const ElementEnd& b, double scale) {
  ForceElement e;
  e.name = name;
  e.kind = ForceElement::Kind::bushing;
  e.a = a;
  e.b = b;
  MatrixXd A(6, 6);
  for (int i = 0; i < 36; ++i) A(i / 6, i % 6) = std::sin(1 + 1.7 * i);
  e.K = scale * (A * A.transpose() + 3 * MatrixXd::Identity(6, 6));
  e.D = 0.02 * e.K;
  return e;
}

ForceElement law(ForceElement e, const Model& model, const std::vector<ForceElement>& known, const std::string& text) {
  std::vector<std::string> names = {"x", "v"};
  for (const std::string& name : names_in_expression(text)) {
    e.channels.push_back(find_state_channel(model, known, name));
    names.push_back(name);
  }
  e.law = std::make_shared<ExpressionLaw>(text, names);
  return e;
}

ForceElement rope(const char* name, const ElementEnd& a, std::vector<ElementEnd> over, const ElementEnd& b, double k,
                  double d, double length) {
  ForceElement e = spring(name, a, b, k, d, length);
  e.kind = ForceElement::Kind::rope;
  e.over = std::move(over);
  return e;
}

void give(Model& model, std::vector<ForceElement> list, std::vector<JointRest> rests = {}) {
  model.elements = std::make_shared<ForceElements>(ForceElements{std::move(list), std::move(rests)});
}

// One of each kind, between bodies of the model except those on joints.
void give_all(Model& model, bool conservative) {
  const NodeRef hub{1, kBodyFrame}, boom_tip{2, 1}, mast_tip{3, 1}, load{4, kBodyFrame}, mast{3, 0};
  const double d = conservative ? 0 : 0.7;
  std::vector<ForceElement> list;
  list.push_back(spring("strut", end_at(hub, {0.1, 0.2, -0.1}), end_at(load, {0.05, 0.1, 0.2}), 30, d, 0.9));
  list.push_back(rope("line", end_at(hub, {0, 0, 0.4}), {end_at(mast, {0.02, 0.1, 0})}, end_at(load), 60, d, 0.8));
  ForceElement mount = bushing("mount", end_at(boom_tip, {0.1, 0, 0}, {0.2, 0.1, 0.3}), end_at(load), 4);
  if (conservative) mount.D.setZero();
  list.push_back(mount);
  ForceElement hinge = spring("hinge spring", {}, {}, 3, d, 0.2);
  hinge.joint = 2;
  list.push_back(hinge);
  VectorXd x(4), y(4);
  x << 0.2, 0.8, 1.5, 3;
  y << 4, 0.5, -2, -9;
  ForceElement table = spring("table", end_at(hub), end_at(mast_tip), 0, d, 0);
  table.law = std::make_shared<TableLaw>(x, y, Interpolation::cubic);
  list.push_back(table);
  if (!conservative) {
    list.push_back(law(spring("drive", end_at(boom_tip), end_at(load, {0, 0.3, 0}), 0, 0, 0), model, list,
                       "-2*(x - 0.3) - 0.5*v*x + 0.3*hinge^2 - 0.2*hinge.rate*x + 0.1*mast.tip.z*load.vx + "
                       "0.4*strut.length*line.rate + 0.2*sin(t) + 0.1*cross.angle1"));
  }
  give(model, std::move(list));
}

struct Loaded {
  const Model& model;
  KinematicsWorkspace kin;
  ElementLoads loads;
  RneaWorkspace rnea_ws;
  VectorXd a;
  explicit Loaded(const Model& m) : model(m), kin(m), loads(m), rnea_ws(m), a(VectorXd::LinSpaced(m.nv, -1, 2)) {}

  void set(const State& x, bool update) {
    compute_kinematics(model, x, kin);
    compute_world_poses(model, kin);
    if (update) loads.update(x, kin);
    loads.compute(x, kin, {});
  }
  // Forces on the speeds for the accelerations a.
  VectorXd needed(const State& x) {
    set(x, false);
    VectorXd tau(model.nv);
    rnea(model, x, a, loads.wrenches(), rnea_ws, tau);
    return tau - loads.torques();
  }
};

// Derivatives in q and v of all forces against central differences.
void expect_exact_derivatives(const Model& model, const State& x, double step) {
  constexpr double kTolerance = 2e-9;
  Loaded at(model);
  const int nv = model.nv;
  at.set(x, true);
  DerivativesWorkspace ws(model);
  watch_nodes(model, at.loads.nodes(), ws);
  State still = x;
  still.v.setZero();
  MatrixXd by_q(nv, nv), by_v(nv, nv), own_q = MatrixXd::Zero(nv, nv), own_v = own_q;
  rnea_derivatives(model, still, x.v, {}, ws, by_q, by_v);
  const MatrixXd velocity_q = ws.node_dq();
  at.set(x, false);
  rnea_derivatives(model, x, at.a, at.loads.wrenches(), ws, by_q, by_v);
  at.loads.add_derivatives(x, at.kin, velocity_q, own_q, own_v);
  by_q -= own_q;
  by_v -= own_v;
  for (int k = 0; k < nv; ++k) {
    VectorXd ahead = VectorXd::Zero(nv);
    const auto differ = [&](const auto& shift) {  // fourth order
      return VectorXd((8 * (shift(step) - shift(-step)) - (shift(2 * step) - shift(-2 * step))) / (12 * step));
    };
    const VectorXd dq = differ([&](double h) {
      State moved = x;
      ahead.setZero();
      ahead[k] = h;
      move(model, x.q, ahead, moved.q);
      return at.needed(moved);
    });
    const VectorXd dv = differ([&](double h) {
      State moved = x;
      moved.v[k] += h;
      return at.needed(moved);
    });
    EXPECT_LT((dq - by_q.col(k)).norm(), kTolerance * (1 + by_q.norm())) << model.speeds[k];
    EXPECT_LT((dv - by_v.col(k)).norm(), kTolerance * (1 + by_v.norm())) << model.speeds[k];
  }
}

Model make_sliders(double m1, double m2, const Vector3d& axis = Vector3d::UnitX()) {
  ModelBuilder builder("sliders");
  RigidSpec one;
  one.mass = m1;
  RigidSpec two = one;
  two.mass = m2;
  builder.add_joint(joint("first", JointKind::prismatic, kGround, kBodyFrame, axis),
                    builder.add_body(named(make_rigid_body(one), "one")));
  builder.add_joint(joint("second", JointKind::prismatic, kGround, kBodyFrame, axis),
                    builder.add_body(named(make_rigid_body(two), "two")));
  return builder.build();
}

TEST(Elements, TwoMassesOnASpringSwingAtTheClosedFormFrequency) {
  const double m1 = 2, m2 = 3, k = 50, length = 0.4;
  Model model = make_sliders(m1, m2);
  give(model, {spring("coil", end_at({1, kBodyFrame}), end_at({2, kBodyFrame}), k, 0, length)});
  State x = make_zero_state(model);
  x.q << 0, 0.5;
  x.v << 0.3, 0.3;
  const Outcome out = run(model, {}, tight(), x, 10, 0.1);
  const double w = std::sqrt(k * (1 / m1 + 1 / m2));
  for (std::size_t i = 0; i < out.seen.t.size(); ++i) {
    const double t = out.seen.t[i], apart = length + 0.1 * std::cos(w * t);
    EXPECT_NEAR(out.seen.q[i][1] - out.seen.q[i][0], apart, 1e-9);
    EXPECT_NEAR((m1 * out.seen.q[i][0] + m2 * out.seen.q[i][1]) / (m1 + m2), 0.3 + 0.3 * t, 1e-9);
  }
  EXPECT_LT(out.result.energy_error, 1e-10 * out.result.energy_scale);
}

TEST(Elements, KeepEnergyAndMomentumOfATumblingMachine) {
  Model model = make_tree();
  give_all(model, true);
  const Outcome out = run(model, {}, tight(), make_state(model), 1, 0.1);
  EXPECT_LT(out.result.energy_error, 1e-9 * out.result.energy_scale);
  for (const Momentum& p : out.seen.momentum) {
    EXPECT_CLOSE(p.linear, out.seen.momentum[0].linear, 1e-9);
    EXPECT_CLOSE(p.angular, out.seen.momentum[0].angular, 1e-9);
  }
}

TEST(Elements, TheLedgerHoldsWithDampersLawsAndCommands) {
  Model model = make_tree({.gravity = {0, 1, -kEarth}});
  give_all(model, false);
  auto elements = std::make_shared<ForceElements>(*model.elements);
  elements->list.push_back(spring("ram", end_at({1, kBodyFrame}), end_at({3, 1}), 0, 0, 0));
  elements->list.back().kind = ForceElement::Kind::actuator;
  model.elements = elements;
  Inputs inputs;
  inputs.elements.push_back({6, Signal::expression("3*cos(4*t)"), "ram"});
  const Outcome out = run(model, inputs, tight(), make_state(model), 1, 0.1);
  EXPECT_LT(out.result.energy_error, 1e-9 * out.result.energy_scale);
  EXPECT_GT(out.seen.dissipated.back(), 0.1);
  EXPECT_GT(std::abs(out.seen.work.back()), 1e-2);
}

TEST(Elements, DerivativesAreExact) {
  for (const bool still : {true, false}) {
    Model model = make_tree({.gravity = {0, 1, -kEarth}});
    give_all(model, false);
    State x = make_state(model, still ? 0 : 1);
    x.t = 0.3;
    expect_exact_derivatives(model, x, 2e-4);
  }
}

TEST(Elements, ContactDerivativesAreExact) {
  for (const auto shape : {Contact::Shape::plane, Contact::Shape::box, Contact::Shape::cylinder}) {
    for (const double radius : {0.0, 0.3}) {
      for (const bool moving : {false, true}) {
        Model model = make_tree();
        const State x = make_state(model, moving ? 1 : 0);
        Contact c;
        c.name = "touch";
        c.point = end_at({4, kBodyFrame}, {0.05, 0.02, 0});
        c.radius = radius;
        c.shape = shape;
        c.size = shape == Contact::Shape::box ? Vector3d(0.7, 0.8, 0.9) : Vector3d(0.4, 0.9, 0);
        c.stiffness = c.stick_stiffness = 100;
        c.damping = c.stick_damping = 1;
        c.friction = 0.4;
        c.slip_speed = 0.2;
        // Places the shape on the hub such that the point is inside it, or its sphere touches it.
        Loaded place(model);
        compute_kinematics(model, x, place.kin);
        compute_world_poses(model, place.kin);
        const Pose hub = node_pose(model, place.kin, {1, kBodyFrame}), load = node_pose(model, place.kin, {4, -1});
        const Vector3d at = hub.R.transpose() * (load.p + load.R * c.point.at.p - hub.p);
        const Matrix3d R = rpy_rotation({0.3, -0.2, 0.5});
        const Vector3d inside = radius > 0 ? Vector3d(0.45, 0.42, 0.2) : Vector3d(0.25, 0.05, -0.02);
        c.on = {{1, kBodyFrame}, {R, at - R * inside}};
        model.contacts = std::make_shared<Contacts>(Contacts{{c}, {}});
        Loaded loaded(model);
        loaded.set(x, true);
        ASSERT_GT(loaded.loads.values()[1], 0) << to_string(shape) << " " << radius;
        expect_exact_derivatives(model, x, 2e-5);
      }
    }
  }
}

TEST(Elements, ABushingBendsAsItsStiffnessSays) {
  ModelBuilder builder("engine");
  builder.gravity({0, 0, -kEarth});
  RigidSpec spec;
  spec.mass = 40;
  spec.inertia = Vector3d(1, 2, 3).asDiagonal();
  builder.add_joint(joint("base", JointKind::free, kGround, kBodyFrame),
                    builder.add_body(named(make_rigid_body(spec), "engine")));
  Model model = builder.build();
  ForceElement mount;
  mount.name = "mount";
  mount.kind = ForceElement::Kind::bushing;
  mount.a = end_at({});
  mount.b = end_at({1, kBodyFrame});
  VectorXd k(6);
  k << 500, 600, 700, 1e5, 2e5, 3e5;
  mount.K = k.asDiagonal();
  mount.D = MatrixXd::Zero(6, 6);
  give(model, {mount});
  const Equilibrium rest = find_equilibrium(model, {}, make_zero_state(model));
  EXPECT_NEAR(rest.x.q[6], -spec.mass * kEarth / 3e5, 1e-15);
  EXPECT_TRUE(rest.stable);
  // Small vibrations about it: displaced along x, rotated about y.
  State x = rest.x;
  x.q[4] += 1e-4;
  x.q[2] = 0.5e-4;
  const Outcome out = run(model, {}, tight(), x, 0.5, 0.05);
  for (std::size_t i = 0; i < out.seen.t.size(); ++i) {
    EXPECT_NEAR(out.seen.q[i][4], 1e-4 * std::cos(std::sqrt(1e5 / spec.mass) * out.seen.t[i]), 1e-9);
    EXPECT_NEAR(out.seen.q[i][2], 0.5e-4 * std::cos(std::sqrt(600 / 2.0) * out.seen.t[i]), 1e-9);
  }
}

TEST(Elements, ARopeIsSlackThenTautAtTheTimesOfTheClosedForm) {
  // Falls from rest by h until the rope is taut, then hangs on a damped spring until it is slack again.
  const double m = 2, h = 0.3, k = 5000, d = 40;
  Model model = make_sliders(m, 1, Vector3d::UnitZ());
  model.gravity = {0, 0, -kEarth};
  give(model, {rope("line", end_at({}, {0, 0, 1}), {}, end_at({1, kBodyFrame}), k, d, 1 + h)});
  const double touch = std::sqrt(2 * h / kEarth), v0 = kEarth * touch;
  const double decay = d / (2 * m), w = std::sqrt(k / m - decay * decay), sag = m * kEarth / k;
  // Stretch y: m y'' + d y' + k y = m g.
  const double c1 = -sag, c2 = (v0 + decay * c1) / w;
  const auto stretch = [&](double t) {
    return sag + std::exp(-decay * t) * (c1 * std::cos(w * t) + c2 * std::sin(w * t));
  };
  SolverOptions solver = tight();
  const Outcome out = run(model, {}, solver, make_zero_state(model), touch + 0.04, 0.001);
  for (std::size_t i = 0; i < out.seen.t.size(); ++i) {
    const double t = out.seen.t[i];
    const double expected = t < touch ? -0.5 * kEarth * t * t : -h - stretch(t - touch);
    EXPECT_NEAR(out.seen.q[i][0], expected, 1e-10);
  }
  const bool located =
      std::any_of(out.seen.steps.begin(), out.seen.steps.end(), [&](double t) { return std::abs(t - touch) < 1e-12; });
  EXPECT_TRUE(located);
  EXPECT_LT(out.result.energy_error, 1e-9 * out.result.energy_scale);
  const Outcome longer = run(model, {}, solver, make_zero_state(model), 2, 0.01);
  EXPECT_LT(longer.result.energy_error, 1e-8 * longer.result.energy_scale);
}

TEST(Elements, ARopeOverAPulleyIsAnAtwoodMachine) {
  const double m1 = 2, m2 = 3, k = 1e5;
  Model model = make_sliders(m1, m2, Vector3d::UnitZ());
  model.gravity = {0, 0, -kEarth};
  const double tension = 2 * m1 * m2 / (m1 + m2) * kEarth;
  const double path = 1 + 2 + 2;
  give(model, {rope("line", end_at({1, kBodyFrame}, {-0.5, 0, 0}), {end_at({}, {-0.5, 0, 2}), end_at({}, {0.5, 0, 2})},
                    end_at({2, kBodyFrame}, {0.5, 0, 0}), k, 0, path - tension / k)});
  const Outcome out = run(model, {}, tight(), make_zero_state(model), 0.5, 0.05);
  const double a = (m2 - m1) / (m1 + m2) * kEarth;
  for (std::size_t i = 0; i < out.seen.t.size(); ++i) {
    EXPECT_NEAR(out.seen.q[i][0], 0.5 * a * out.seen.t[i] * out.seen.t[i], 1e-9);
    EXPECT_NEAR(out.seen.q[i][1], -0.5 * a * out.seen.t[i] * out.seen.t[i], 1e-9);
  }
}

TEST(Elements, AStiffSpringStaysStableInImplicitSteps) {
  // h omega = 190: the mean motion is that of the rigid pair, and no component grows.
  const double m1 = 2, m2 = 3;
  Model model = make_sliders(m1, m2);
  give(model, {spring("bar", end_at({1, kBodyFrame}), end_at({2, kBodyFrame}), 4.3e8, 0, 0.5)});
  Inputs inputs;
  inputs.speeds.push_back({0, Signal(10.0), "push"});
  State x = make_zero_state(model);
  x.q << 0, 0.5;
  SolverOptions solver = fixed("implicit", 0.01);
  const Outcome out = run(model, inputs, solver, x, 2, 0.1);
  for (std::size_t i = 0; i < out.seen.t.size(); ++i) {
    EXPECT_NEAR((m1 * out.seen.q[i][0] + m2 * out.seen.q[i][1]) / (m1 + m2), 0.3 + out.seen.t[i] * out.seen.t[i], 1e-9);
    EXPECT_NEAR(out.seen.q[i][1] - out.seen.q[i][0], 0.5, 1e-7);
  }
}

TEST(Elements, ImplicitStepsConvergeWithTheSquareOfTheStep) {
  Model model = make_tree({.gravity = {0, 1, -kEarth}});
  give_all(model, false);
  const State x = make_state(model);
  const Outcome exact = run(model, {}, tight(), x, 0.2);
  double error[2];
  for (int k = 0; k < 2; ++k) {
    SolverOptions solver = fixed("implicit", k == 0 ? 1e-3 : 0.5e-3);
    solver.passes = 8;
    error[k] = distance(model, run(model, {}, solver, x, 0.2).seen.q.back(), exact.seen.q.back());
  }
  EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.15) << error[0];
}

// Crank, coupler and rocker, the last attached by a closure.
Model make_strutted_bar() {
  ModelBuilder builder("four-bar");
  builder.gravity({0, -kEarth, 0});
  const double lengths[] = {0.2, 0.8, 0.5};
  const char* const names[] = {"crank", "coupler", "rocker"};
  int bodies[3];
  for (int k = 0; k < 3; ++k) {
    RigidSpec spec;
    spec.mass = 1 + k;
    spec.com = {0.5 * lengths[k], 0, 0};
    spec.inertia = Vector3d(0.001, 0.02, 0.02).asDiagonal();
    Node pin;
    pin.name = "pin";
    pin.position = {lengths[k], 0, 0};
    spec.nodes.push_back(pin);
    bodies[k] = builder.add_body(named(make_rigid_body(spec), names[k]));
  }
  builder.add_joint(joint("motor", JointKind::revolute, kGround, kBodyFrame), bodies[0]);
  builder.add_joint(joint("big end", JointKind::revolute, bodies[0], 0), bodies[1]);
  Joint pivot = joint("pivot", JointKind::revolute, kGround, kBodyFrame);
  pivot.origin.p = {0.7, 0, 0};
  builder.add_joint(pivot, bodies[2]);
  Closure closure;
  closure.name = "small end";
  closure.kind = JointKind::revolute;
  closure.a = {bodies[1], 0};
  closure.b = {bodies[2], 0};
  builder.add_closure(closure);
  return builder.build();
}

TEST(Elements, ClosedChainsTakeStiffElementsInImplicitSteps) {
  for (const bool stiff : {false, true}) {
    Model model = make_strutted_bar();
    // A soft spring, or one that almost locks the chain: h omega is several hundred.
    const double k = stiff ? 1e9 : 300;
    State x = make_zero_state(model);
    x.q << 1, -0.3, 1.8;
    System assembled(model, {});
    assembled.assemble(x);
    const Kinematics& kin = assembled.compute_kinematics(x);
    const double length = (node_pose(model, kin, {3, 0}).p - Vector3d(0.2, 1.1, 0)).norm();
    give(model, {spring("strut", end_at({}, {0.2, 1.1, 0}), end_at({3, 0}), k, 0, stiff ? length : 0.3)});
    if (stiff) {
      const Outcome out = run(model, {}, fixed("implicit", 1e-3), x, 0.5, 0.1);
      EXPECT_LT((out.seen.q.back() - x.q).norm(), 1e-4);
      continue;
    }
    const Outcome exact = run(model, {}, tight(), x, 0.3);
    EXPECT_LT(exact.result.energy_error, 1e-8 * exact.result.energy_scale);
    double error[2];
    for (int i = 0; i < 2; ++i) {
      SolverOptions solver = fixed("implicit", i == 0 ? 1e-3 : 0.5e-3);
      solver.passes = 8;
      error[i] = (run(model, {}, solver, x, 0.3).seen.q.back() - exact.seen.q.back()).norm();
    }
    EXPECT_NEAR(std::log2(error[0] / error[1]), 2, 0.15) << error[0];
  }
}

TEST(Elements, StepsOfClosedChainsDoNotAllocate) {
  Model model = make_strutted_bar();
  ForceElement rope = spring("rope", end_at({}, {0.2, -1, 0}), end_at({1, 0}), 500, 3, 0.5);
  rope.kind = ForceElement::Kind::rope;
  give(model, {spring("strut", end_at({}, {0.2, 1.1, 0}), end_at({3, 0}), 300, 2, 0.3),
               bushing("mount", end_at({2, 0}), end_at({}, {0.6, 0.4, 0}), 1), rope});
  State x = make_zero_state(model);
  x.q << 1, -0.3, 1.8;
  for (const char* method : {"implicit", "rk4", "dopri5"}) {
    System system(model, {});
    system.assemble(x);
    SolverOptions solver;
    solver.method = method;
    const auto stepper = make_stepper(system, solver);
    ASSERT_EQ(stepper->start(Motion{x}), Status::ok);
    ASSERT_EQ(stepper->step(1), Status::ok);
    NoAlloc guard;
    for (int k = 0; k < 10; ++k) ASSERT_EQ(stepper->step(1), Status::ok) << method;
  }
}

TEST(Elements, JointSpringsRestWhereTheyAreTold) {
  Model bare = make_sliders(2, 3);
  ModelBuilder builder("spring");
  RigidSpec spec;
  spec.mass = 2;
  Joint rail = joint("rail", JointKind::prismatic, kGround, kBodyFrame, Vector3d::UnitZ());
  rail.stiffness[0] = 80;
  builder.gravity({0, 0, -kEarth});
  builder.add_joint(rail, builder.add_body(named(make_rigid_body(spec), "mass")));
  Model model = builder.build();
  give(model, {}, {{1, VectorXd::Constant(1, 0.25)}});
  const Equilibrium rest = find_equilibrium(model, {}, make_zero_state(model));
  EXPECT_NEAR(rest.x.q[0], 0.25 - spec.mass * kEarth / 80, 1e-14);
  const Outcome out = run(model, {}, tight(), make_zero_state(model), 2, 0.1);
  const double w = std::sqrt(80 / spec.mass);
  for (std::size_t i = 0; i < out.seen.t.size(); ++i)
    EXPECT_NEAR(out.seen.q[i][0], rest.x.q[0] * (1 - std::cos(w * out.seen.t[i])), 1e-9);
  EXPECT_LT(out.result.energy_error, 1e-10 * out.result.energy_scale);
  System system(model, {});
  EXPECT_NEAR(system.energy(make_zero_state(model)).springs, 0.5 * 80 * 0.25 * 0.25, 1e-13);
}

TEST(Elements, TableLawsHaveTheIntegralAsEnergy) {
  VectorXd x(5), y(5);
  x << 0, 0.1, 0.3, 0.6, 1;
  y << 5, 2, -1, -4, -20;
  for (const Interpolation kind : {Interpolation::linear, Interpolation::cubic, Interpolation::quintic}) {
    const TableLaw table(x, y, kind);
    for (const double at : {-0.5, 0.05, 0.25, 0.7, 1.4}) {
      constexpr double kStep = 1e-5;
      const double values[] = {at, 0};
      double slopes[2];
      const double force = table.force(0, values, slopes);
      EXPECT_NEAR(-(*table.energy(at + kStep) - *table.energy(at - kStep)) / (2 * kStep), force, 1e-6);
    }
  }
}

}  // namespace
}  // namespace limber::test
