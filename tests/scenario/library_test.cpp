// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Simulation as a program uses it: wrong values, changes of mind, objects that were moved from.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "limber/dynamics/elements.hpp"
#include "limber/limber.hpp"

namespace limber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Model arm() {
  return parse_model(R"(
limber: 1
name: arm
gravity: [0, 0, -9.81]
bodies:
  - {name: upper, beam: {length: 2, mass: 6, EIy: 4000, EIz: 4000, modes: {bending_z: 2}, damping: 0.01}}
  - {name: fore, rigid: {mass: 3, com: [0.5, 0, 0], inertia: [0.1, 0.3, 0.3, 0, 0, 0]}}
joints:
  - {name: shoulder, type: revolute, axis: [0, -1, 0], parent: world, child: upper}
  - {name: elbow, type: revolute, axis: [0, -1, 0], parent: upper.tip, child: fore}
)",
                     "arm.yaml");
}

// Those of this build: cvode needs SUNDIALS.
std::vector<std::string> built_steppers() {
  const Model model = arm();
  System system(model, {});
  std::vector<std::string> built;
  for (const std::string& method : stepper_names()) {
    try {
      (void)make_stepper(system, {.method = method});
      built.push_back(method);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("not part of this build"), std::string::npos) << error.what();
    }
  }
  return built;
}

// Cannot be closed from its zero state.
Model four_bar() {
  return parse_model(R"(
limber: 1
name: four-bar
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}, nodes: [{name: pin, position: [0.2, 0, 0]}]}
  - {name: rod, beam: {length: 0.8, mass: 1.6, EIy: 60, EIz: 60, modes: {bending_y: 2}, damping: 0.01}}
  - {name: rocker, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}, nodes: [{name: pin, position: [0.5, 0, 0]}]}
joints:
  - {name: motor, type: revolute, axis: [0, 0, 1], parent: world, child: crank}
  - {name: big_end, type: revolute, axis: [0, 0, 1], parent: crank.pin, child: rod}
  - {name: pivot, type: revolute, axis: [0, 0, 1], parent: world, child: rocker, origin: {xyz: [0.7, 0, 0]}}
closures:
  - {name: small_end, type: revolute, axis: [0, 0, 1], a: rod.tip, b: rocker.pin}
)",
                     "four-bar.yaml");
}

template <class Action>
std::string message(Action action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "none";
}

bool equal(const State& a, const State& b) { return a.t == b.t && a.q == b.q && a.v == b.v; }

TEST(Library, ClosedChainsStartFromAGivenState) {
  const Model model = four_bar();
  EXPECT_TRUE(message([&] { Simulation{model}; }).starts_with("closure 'small_end' cannot be satisfied: an error of "));
  State start = make_zero_state(model);
  start.t = 3;
  start.q[model.coordinate("motor")] = 0.6;
  start.q[model.coordinate("pivot")] = 1;
  Simulation sim(model, {.method = "implicit", .step = 1e-3}, {}, start);
  EXPECT_EQ(sim.time(), 3);
  sim.advance_to(3.2);
  EXPECT_LT((sim.position("rod.tip") - sim.position("rocker.pin")).norm(), 1e-10);
  sim.reset();
  EXPECT_EQ(sim.time(), 3);
  EXPECT_NEAR(sim.q("motor"), 0.6, 0.3);
  start.q.conservativeResize(2);
  EXPECT_EQ(message([&] { Simulation(model, {}, {}, start); }),
            "q has 2 numbers; the model needs " + std::to_string(model.nq));
}

TEST(Library, ARefusedStateChangesNothing) {
  const Model model = four_bar();
  State start = make_zero_state(model);
  start.q[model.coordinate("motor")] = 0.6;
  start.q[model.coordinate("pivot")] = 1;
  Inputs inputs;
  inputs.speeds.push_back({.speed = 0, .force = Signal::pieces({{0.1, Signal(5.0)}, {0, Signal(-5.0)}})});
  Simulation plain(model, {.method = "dopri5"}, inputs, start), sim(model, {.method = "dopri5"}, inputs, start);
  plain.advance_to(0.2);
  sim.advance_to(0.2);
  EXPECT_EQ(message([&] { sim.set_state(make_zero_state(model)); }).substr(0, 29), "set_state: closure 'small_end");
  for (const double t : {kNan, std::numeric_limits<double>::infinity()}) {
    start.t = t;
    EXPECT_EQ(message([&] { sim.set_state(start); }), "set_state: the time t is not finite; write a number");
  }
  plain.advance_to(0.3);
  sim.advance_to(0.3);
  EXPECT_TRUE(equal(plain.state(), sim.state()));
}

TEST(Library, ARefusedSavedStateChangesNothing) {
  for (const std::string& method : built_steppers()) {
    Simulation sim(arm(), {.method = method});
    sim.set_torque("elbow", 3);
    sim.advance_to(0.1);
    SavedState saved = sim.save();
    const State there = sim.state();
    const double balance = sim.balance();
    const auto refused = [&](const SavedState& wrong) {
      EXPECT_THROW(sim.restore(wrong), InputError) << method;
      EXPECT_TRUE(equal(sim.state(), there)) << method;
      EXPECT_EQ(sim.balance(), balance) << method;
    };
    refused({});
    for (const std::size_t kept : {saved.bytes.size() / 4, saved.bytes.size() / 2, saved.bytes.size() - 1})
      refused({{saved.bytes.begin(), saved.bytes.begin() + static_cast<std::ptrdiff_t>(kept)}});
    SavedState longer = saved;
    longer.bytes.resize(saved.bytes.size() + 1);
    refused(longer);
    sim.advance_to(0.2);
    const State later = sim.state();
    sim.restore(saved);
    sim.advance_to(0.2);
    EXPECT_TRUE(equal(sim.state(), later)) << method;
  }
}

TEST(Library, MovedSimulationsAreRefused) {
  Simulation first(arm());
  Simulation second = std::move(first);
  second.step(0.01);
  const std::string moved = "the object was moved from; assign another to it, or make a new one";
  EXPECT_EQ(message([&] { first.step(0.01); }), moved);    // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(message([&] { (void)first.time(); }), moved);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(message([&] { first.set_torque("elbow", 1); }), moved);
  first = std::move(second);
  first.step(0.01);
  EXPECT_EQ(first.time(), 0.02);
}

TEST(Library, MessagesNameTheCallAndTheCure) {
  Simulation sim(arm());
  const std::vector<std::pair<std::string, std::function<void()>>> cases = {
      {"step(-1): a step must be above 0 s and finite", [&] { sim.step(-1); }},
      {"step(inf): a step must be above 0 s and finite", [&] { sim.step(1 / 0.0); }},
      {"advance_to(nan): the time must be finite", [&] { sim.advance_to(kNan); }},
      {"advance_to: t = -1 s is before the present time, 0 s", [&] { sim.advance_to(-1); }},
      {"'Elbow' is not a speed; did you mean 'elbow'? speeds: shoulder, upper.bending_z1, upper.bending_z2, elbow",
       [&] { sim.set_torque("Elbow", 1); }},
      {"'upper' has 2 coordinates; name one: upper.bending_z1, upper.bending_z2", [&] { (void)sim.q("upper"); }},
      {"set_torque: the torque on 'elbow' must be finite", [&] { sim.set_torque("elbow", kNan); }},
      {"set_torques: give 4 finite numbers, one for each speed", [&] { sim.set_torques(VectorXd::Zero(1)); }},
      {"set_controller: the rate is 0 Hz; it must lie between 0.001 and 1e7 Hz",
       [&] { sim.set_controller(0, [](const State&, Vec) {}); }},
      {"set_controller: the torque law is empty; give it a function", [&] { sim.set_controller(100, nullptr); }},
      {"port 'upper.tip/force' takes a vector of 6 finite numbers: tx, ty, tz, fx, fy, fz",
       [&] { sim.write("upper.tip/force", VectorXd::Zero(3)); }},
      {"port 'elbow/position': the size of the vector must be 1, not 2",
       [&] {
         VectorXd two(2);
         sim.read(sim.port("elbow/position"), two);
       }},
      {"an input: there is no speed 77; Model::speed gives the index by name",
       [&] {
         Inputs inputs;
         inputs.speeds.push_back({.speed = 77, .force = 1.0});
         Simulation(arm(), {}, inputs);
       }},
  };
  for (const auto& [expected, action] : cases) EXPECT_EQ(message(action), expected);
  EXPECT_TRUE(message([&] {
                (void)sim.port("elbow/positio");
              }).starts_with("'elbow/positio' is not a port; did you mean 'elbow/position'? ports: shoulder/position"));
}

// An exception of the caller's own passes through, and the run can go on.
TEST(Library, ExceptionsOfCallbacksPassThrough) {
  struct Own {};
  for (const std::string& method : built_steppers()) {
    bool fails = false;
    const auto law = [&](const State& x, Vec torques) {
      if (fails) throw Own();
      torques[0] = 10 - x.q[0];
    };
    Simulation sim(arm(), {.method = method}), plain(arm(), {.method = method});
    sim.set_controller(100, law);
    plain.set_controller(100, [](const State& x, Vec torques) { torques[0] = 10 - x.q[0]; });
    sim.advance_to(0.095);
    fails = true;
    EXPECT_THROW(sim.advance_to(0.2), Own) << method;
    fails = false;
    sim.advance_to(0.2);
    plain.advance_to(0.095);
    plain.advance_to(0.2);
    EXPECT_TRUE(equal(sim.state(), plain.state())) << method;
  }
}

// A law that throws at its first sample is called again; its exception never leaves a simulation that cannot go on.
TEST(Library, ALawMayThrowAtItsFirstSample) {
  Simulation sim(arm(), {.method = "implicit"});
  int calls = 0;
  const auto law = [&](const State& x, Vec tau) {
    if (++calls % 3 != 0) throw std::runtime_error("not yet");
    tau[0] = 1 + x.t;
  };
  sim.advance_to(0.105);
  EXPECT_THROW(sim.set_controller(100, law), std::runtime_error);
  EXPECT_THROW(sim.advance_to(0.2), std::runtime_error);
  EXPECT_EQ(sim.time(), 0.105);
  EXPECT_THROW(sim.advance_to(0.2), std::runtime_error);  // at the next sample
  EXPECT_THROW(sim.advance_to(0.2), std::runtime_error);
  EXPECT_EQ(calls, 5);
  sim.set_controller(100, [](const State&, Vec tau) { tau[0] = 2; });
  sim.advance_to(0.2);
  EXPECT_EQ(sim.record().torques[0], 2);
}

TEST(Library, AListenerStopsASingleStep) {
  struct Half : RunListener {
    bool go_on(double t, const StepCounts&) override { return t < 0.5; }
  } half;
  Simulation sim(arm(), {.method = "implicit"});
  EXPECT_FALSE(sim.step(1, half));
  EXPECT_GE(sim.time(), 0.5);
  EXPECT_LT(sim.time(), 1);
}

TEST(Library, EmptyModelsAreRefused) {
  const Model none;
  const std::string expected = "model; make it by ModelBuilder::build, or read it by read_model or parse_model";
  for (const auto& action : std::vector<std::function<void()>>{
           [&] { AbaWorkspace{none}; }, [&] { KinematicsWorkspace{none}; }, [&] { ClosureWorkspace{none}; },
           [&] { Simulation{none}; }, [&] { System(none, {}); }, [&] { Simulation{Scenario{}}; }})
    EXPECT_NE(message(action).find(" model"), std::string::npos);
  EXPECT_EQ(message([&] { Simulation{none}; }), "a scenario needs a " + expected);
  EXPECT_EQ(message([&] { (void)none.node("tip"); }), "'tip' is not a body; bodies: none");
  EXPECT_EQ(message([&] { Simulation{ModelBuilder("nothing").build()}; }),
            "the machine has no bodies; add at least one, and a joint for it");
}

// Which vector it is, its size and the one that it must have.
TEST(Library, WrongSizesAreNamed) {
  const Model model = arm();
  const State x = make_zero_state(model);
  const std::string nv = std::to_string(model.nv), nq = std::to_string(model.nq);
  VectorXd right = VectorXd::Zero(model.nv), two = VectorXd::Zero(2);
  MatrixXd M(3, 4);
  AbaWorkspace aba_ws(model);
  RneaWorkspace rnea_ws(model);
  CrbaWorkspace crba_ws(model);
  State wrong = x;
  wrong.q.resize(2);
  EXPECT_EQ(message([&] {
              (void)aba(model, wrong, {right, {}}, aba_ws, right);
            }),
            "q has 2 numbers; the model needs " + nq + " (nq)");
  EXPECT_EQ(message([&] {
              (void)aba(model, x, {two, {}}, aba_ws, right);
            }),
            "the given forces or accelerations have 2 numbers; the model needs " + nv + " (nv)");
  EXPECT_EQ(message([&] { rnea(model, x, right, {}, rnea_ws, two); }),
            "the vector for the result has 2 numbers; the model needs " + nv + " (nv)");
  EXPECT_EQ(message([&] { crba(model, x, crba_ws, M); }),
            "the mass matrix is 3 x 4; it must be nv x nv, " + nv + " x " + nv);
  KinematicsWorkspace kin(model);
  compute_kinematics(model, x, kin);
  compute_world_poses(model, kin);
  ElementLoads loads(model);
  const std::vector<double> commands(2);
  EXPECT_EQ(message([&] { loads.compute(x, kin, commands); }),
            "ElementLoads: 2 commands; give one for each of the 0 elements, or none");
}

// Of a model alone, whose run has no end.
TEST(Library, EveryMethodRunsWithoutAnEnd) {
  Simulation exact(arm(), {.method = "dopri5", .rtol = 1e-10, .atol = 1e-12});
  exact.advance_to(0.3);
  for (const std::string& method : built_steppers()) {
    Simulation sim(arm(), {.method = method});
    sim.advance_to(0.3);
    EXPECT_NEAR(sim.q("shoulder"), exact.q("shoulder"), 1e-4) << method;
  }
}

// Names, units and values of the recording's own table.
TEST(Library, ChannelsArePorts) {
  const Model model = four_bar();
  State start = make_zero_state(model);
  start.q[model.coordinate("motor")] = 0.6;
  start.q[model.coordinate("pivot")] = 1;
  Simulation sim(model, {.method = "implicit", .step = 1e-3}, {}, start);
  sim.set_torque("motor", 4);
  sim.advance_to(0.1);
  const auto port = [&](const char* name) { return sim.ports()[static_cast<std::size_t>(sim.port(name))]; };
  EXPECT_EQ(port("rod/modes").units, (std::vector<std::string>{"modal", "modal"}));
  EXPECT_EQ(port("rod/mode_rates").components, (std::vector<std::string>{"rod.bending_y1", "rod.bending_y2"}));
  EXPECT_EQ(port("motor/torque").components, std::vector<std::string>{"motor"});
  EXPECT_EQ(port("motor/effort").components, std::vector<std::string>{"motor"});
  EXPECT_EQ(port("motor/effort").units, std::vector<std::string>{"N m"});
  EXPECT_EQ(port("motor/effort").direction, PortDirection::input);
  EXPECT_EQ(port("energy/kinetic").components, std::vector<std::string>{"energy/kinetic"});
  EXPECT_EQ(port("closures/small_end/force").units[5], "N");
  EXPECT_EQ(sim.read("motor/torque")[0], 4);
  EXPECT_EQ(sim.read("energy/kinetic")[0], sim.energy().kinetic);
  EXPECT_EQ(sim.read("energy/balance")[0], sim.balance());
  EXPECT_EQ(sim.read("time")[0], sim.time());
  EXPECT_EQ(sim.read("q"), sim.state().q);
  EXPECT_EQ(sim.read("closures/small_end/force"), VectorXd(sim.record().closure_forces));
  for (const Port& each : sim.ports()) {
    EXPECT_EQ(each.units.size(), each.components.size()) << each.name;
    EXPECT_TRUE(sim.read(each.name).allFinite()) << each.name;
  }
}

// Steps of another method than the usual one, one call at a time.
TEST(Library, SteppersSayWhatIsMissing) {
  const Model model = arm();
  System system(model, {});
  for (const std::string& method : built_steppers()) {
    const auto stepper = make_stepper(system, {.method = method});
    Motion shown{make_zero_state(model)};
    EXPECT_THROW((void)stepper->cut(0.1), InputError) << method;
    EXPECT_THROW(stepper->at(0, shown), InputError) << method;
    ASSERT_EQ(stepper->start(shown), Status::ok);
    EXPECT_THROW((void)stepper->cut(0.1), InputError) << method;
    EXPECT_THROW(stepper->at(0, shown), InputError) << method;
    ASSERT_EQ(stepper->step(0.1), Status::ok);
    const double end = stepper->now().x.t;
    for (const double t : {-1.0, 0.0, 2 * end, kNan}) EXPECT_THROW((void)stepper->cut(t), InputError) << method;
    if (stepper->dense()) stepper->at(end / 2, shown);
    EXPECT_EQ(stepper->cut(end / 2), Status::ok) << method;
    EXPECT_DOUBLE_EQ(stepper->now().x.t, end / 2) << method;
  }
}

TEST(Library, SteppersStartWithClosedChains) {
  const Model model = four_bar();
  System system(model, {});
  Motion start{make_zero_state(model)};
  start.x.q[model.coordinate("motor")] = 0.6;
  start.x.q[model.coordinate("pivot")] = 1;
  const auto stepper = make_stepper(system, {.method = "rk4"});
  EXPECT_EQ(message([&] { (void)stepper->start(start); }),
            "Stepper::start: the chains of the model are not closed; call System::assemble first");
  system.assemble(start.x);
  EXPECT_EQ(stepper->start(start), Status::ok);
}

TEST(Library, ControllersNeedDrivenJoints) {
  ControlOptions options;
  options.model = std::make_shared<const Model>(arm());
  const std::string missing =
      "a controller needs driven joints of its model; find_driven_joints(model, {}) gives all of them";
  EXPECT_EQ(message([&] { Controller{options}; }), missing);
  options.driven = find_driven_joints(four_bar(), {});
  EXPECT_EQ(message([&] { Controller{options}; }), missing);
}

TEST(Library, ClosuresNeedPosesAndTheirModel) {
  const Model model = four_bar();
  KinematicsWorkspace kin(model);
  ClosureWorkspace closures(model);
  EXPECT_THROW(compute_closures(model, kin, closures), InputError);
  compute_kinematics(model, make_zero_state(model), kin);
  EXPECT_THROW(compute_closures(model, kin, closures), InputError);
  compute_world_poses(model, kin);
  compute_closures(model, kin, closures);
  EXPECT_GT(closures.closure_error(0), 0.1);
  EXPECT_THROW((void)closures.closure_error(1), InputError);
  Model more = model;
  more.add_closure({.name = "other", .a = more.node("rod"), .b = more.node("rocker")});
  EXPECT_THROW(compute_closures(more, kin, closures), InputError);
}

// A program that names what it needs compiles without warnings: every member of the specifications has a default.
TEST(Library, SpecificationsHaveDefaults) {
  const Body load = make_rigid_body({.mass = 2, .com = {0.1, 0, 0}});
  EXPECT_EQ(load.mass, 2);
  const Closure pin{.name = "pin", .kind = JointKind::revolute};
  const MotionInput motion{.joint = 1, .motion = {Signal::expression("sin(t)")}};
  const State x{.t = 1};
  EXPECT_EQ(pin.a.body, kGround);
  EXPECT_EQ(motion.label, "");
  EXPECT_EQ(x.q.size(), 0);
  EXPECT_THROW((void)Signal::shaped(Signal(1.0), {}), InputError);
}

}  // namespace
}  // namespace limber
