// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scenario/simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/scenario/run.hpp"
#include "support/no_alloc.hpp"

namespace limber {
namespace {

using test::NoAlloc;

constexpr const char* kArm = R"(
model:
  limber: 1
  name: arm
  gravity: [0, -9.81, 0]
  bodies:
    - {name: upper, beam: {length: 1, mass: 2, EIy: 300, EIz: 300, modes: {bending_y: 2}, damping: 0.01}}
    - {name: fore, beam: {length: 0.8, mass: 1, EIy: 200, EIz: 200, modes: {bending_y: 1}, damping: 0.01}}
  joints:
    - {name: shoulder, type: revolute, axis: [0, 0, 1], parent: world, child: upper, armature: 0.4}
    - {name: elbow, type: revolute, axis: [0, 0, 1], parent: upper.tip, child: fore, damping: 0.1, armature: 0.4,
       limits: {lower: -2.5, upper: 0.4, stiffness: 2000, damping: 5}}
inputs:
  - {joint: shoulder, torque: {pieces: [{until: 0.1234, value: "20"}, {value: '12*cos(3*t)'}]}}
  - {node: fore.tip, force: [0, '2*sin(5*t)', 0]}
)";

constexpr const char* kLoop = R"(
model:
  limber: 1
  name: four-bar
  gravity: [0, -9.81, 0]
  bodies:
    - name: crank
      rigid: {mass: 0.8, com: [0.2, 0, 0], inertia: [0.001, 0.0107, 0.0107, 0, 0, 0]}
      nodes: [{name: tip, position: [0.4, 0, 0]}]
    - {name: coupler, beam: {length: 1.1, mass: 0.6, EIy: 60, EIz: 60, modes: {bending_y: 2}, damping: 0.005}}
    - {name: rocker, beam: {length: 0.9, mass: 0.5, EIy: 60, EIz: 60, modes: {bending_y: 1}, damping: 0.005}}
  joints:
    - {name: drive, type: revolute, axis: [0, 0, 1], parent: world, child: crank}
    - {name: pin, type: revolute, axis: [0, 0, 1], parent: crank.tip, child: coupler}
    - {name: pivot, type: revolute, axis: [0, 0, 1], parent: world, child: rocker, origin: {xyz: [1.2, 0, 0]}}
  closures:
    - {name: loop, type: revolute, axis: [0, 0, 1], a: coupler.tip, b: rocker.tip}
initial: {drive: {q: 0.7}, pin: {q: -0.2}, pivot: {q: 1.7}}
inputs:
  - joint: drive
    motion: {pieces: [{until: 0.3, value: "0.7 + 3*t^2"}, {value: '0.97 + 1.8*(t - 0.3)'}]}
)";

constexpr const char* kControl = R"(
control:
  rate: 500
  desired: {waypoints: [{q: [0.5, -0.4], duration: 0.4}]}
  servos: {max_torque: 60, max_torque_rate: 5000, bandwidth: 60}
  sensors: {resolution: 1e-5, noise: 1e-5, tachometer: false, delay: 0.005, seed: 7,
            strains: [{from: upper.root, to: upper.tip, axis: z, noise: 1e-4}]}
)";

const char* const kPid = "  feed_forward: hybrid\n  feedback: {pid: {frequency: 2, ki: 5}}\n";
const char* const kCorrection = "  feedback: {correction: {frequency: 2}}\n  damping: {ratio: 0.05}\n";
const char* const kPropagated = "  feedback: {correction: {frequency: 2, embodiment: propagated}}\n";
const char* const kComputed = "  feedback: {computed_torque: {frequency: 2}}\n";

struct Case {
  std::string name, text;
};

Scenario make_simulation(const std::string& text) {
  return parse_scenario("limber: 1\nscenario: test\nduration: 0.5\nrecord: {every: 0.01}\n" + text, "test.yaml", "");
}

std::vector<std::string> solvers() {
  std::vector<std::string> out;
  for (const char* text :
       {"{method: rk4, step: 1e-3}", "{method: dopri5, rtol: 1e-7, atol: 1e-9}",
        "{method: implicit, step: 1e-3, rho_inf: 0.8}", "{method: cvode, rtol: 1e-8, atol: 1e-10}"}) {
    try {
      Simulation sim(make_simulation(std::string(kArm) + "solver: " + text + "\n"));
      out.push_back(std::string("solver: ") + text + "\n");
    } catch (const InputError&) {  // cvode is not part of this build
    }
  }
  return out;
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const std::string& solver : solvers()) {
    out.push_back({"open, " + solver, kArm + solver});
    out.push_back({"closed, " + solver, kLoop + solver});
    out.push_back({"pid, " + solver, kArm + solver + kControl + kPid});
  }
  for (const char* law : {kCorrection, kPropagated, kComputed}) {
    out.push_back({law, std::string(kArm) + kControl + law});
  }
  return out;
}

bool same(const State& a, const State& b) { return a.t == b.t && a.q == b.q && a.v == b.v; }

// All observable values.
std::vector<double> sight(Simulation& sim) {
  std::vector<double> out = {sim.time(), sim.balance(), static_cast<double>(sim.result().counts.evaluations)};
  VectorXd values;
  for (const Port& port : sim.ports()) {
    values.resize(port.size());
    sim.read(sim.port(port.name), values);
    out.insert(out.end(), values.begin(), values.end());
  }
  return out;
}

struct Keeper : RunListener {
  std::vector<State> x;
  std::vector<VectorXd> torques;
  void record(const Record& r) override {
    x.push_back(r.motion.x);
    torques.push_back(r.torques);
  }
};

TEST(Simulation, DoesWhatTheSnippetSays) {
  Simulation sim(make_simulation(kArm));
  sim.set_torque("elbow", 20.0);
  double highest = -10;
  while (sim.time() < 0.2) {
    sim.step(1e-3);
    highest = std::max(highest, sim.position("fore.tip").y());
  }
  EXPECT_EQ(sim.time(), 0.2);
  EXPECT_GT(highest, 0);
  const SavedState saved = sim.save();
  sim.advance_to(0.3);
  const State later = sim.state();
  sim.restore(saved);
  EXPECT_EQ(sim.time(), 0.2);
  sim.advance_to(0.3);
  EXPECT_TRUE(same(sim.state(), later));
  sim.reset();
  EXPECT_EQ(sim.time(), 0);
  EXPECT_EQ(sim.q("elbow"), 0);
  EXPECT_EQ(sim.read("elbow/effort")[0], 0);
  EXPECT_LT(std::abs(sim.result().energy_error), 1e-3);
}

TEST(Simulation, SteppedAtTheTimesOfRecordsEqualsARun) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const Scenario scenario = make_simulation(one.text);
    Keeper kept;
    Simulation whole(scenario);
    const RunResult result = whole.run(kept);
    ASSERT_EQ(result.status, Status::ok) << result.failure;
    ASSERT_EQ(kept.x.size(), 51U);
    Simulation sim(scenario);
    for (std::size_t k = 0; k < kept.x.size(); ++k) {
      sim.advance_to(record_time(scenario.run, static_cast<long>(k)));
      ASSERT_TRUE(same(sim.state(), kept.x[k])) << "record " << k;
      ASSERT_EQ(VectorXd(sim.record().torques), kept.torques[k]) << "record " << k;
    }
    EXPECT_EQ(sim.result().energy_error, result.energy_error);
  }
}

// Simulation and simulate() use the same time loop.
TEST(Simulation, ARunEqualsSimulate) {
  const Scenario scenario = make_simulation(kArm);
  Keeper direct, kept;
  System system(*scenario.model, scenario.inputs);
  const RunResult a = simulate(system, scenario.solver, scenario.run, scenario.initial, direct);
  const RunResult b = Simulation(scenario).run(kept);
  EXPECT_EQ(a.counts.evaluations, b.counts.evaluations);
  ASSERT_EQ(direct.x.size(), kept.x.size());
  for (std::size_t k = 0; k < kept.x.size(); ++k) EXPECT_TRUE(same(direct.x[k], kept.x[k]));
}

TEST(Simulation, GoesOnFromASavedStateBitByBit) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const Scenario scenario = make_simulation(one.text);
    Simulation sim(scenario), other(scenario);
    const std::vector<double> first = sight(sim);
    sim.advance_to(0.1537);  // inside a step of the adaptive methods
    const SavedState saved = sim.save();
    const std::vector<double> then = sight(sim);
    std::vector<std::vector<double>> seen;
    const auto follow = [&](Simulation& one_more) {
      seen.clear();
      for (const double t : {0.2, 0.31, 0.4003}) {
        one_more.advance_to(t);
        seen.push_back(sight(one_more));
      }
      return seen;
    };
    const auto wanted = follow(sim);
    sim.restore(saved);
    EXPECT_EQ(sight(sim), then);
    EXPECT_EQ(follow(sim), wanted) << "in the same";
    other.restore(saved);
    EXPECT_EQ(follow(other), wanted) << "in another";
    sim.reset();
    EXPECT_EQ(sight(sim), first);
    sim.advance_to(0.1537);
    (void)sim.save();  // cvode restarts there
    EXPECT_EQ(sight(sim), then);
    EXPECT_EQ(follow(sim), wanted) << "after reset";
  }
}

TEST(Simulation, DoesNotAllocateInSteps) {
  for (const Case& one : cases()) {
    if (one.text.find("cvode") != std::string::npos) continue;
    SCOPED_TRACE(one.name);
    Simulation sim(make_simulation(one.text));
    VectorXd effort = VectorXd::Zero(1), pose = VectorXd::Zero(7);
    const int out = sim.port(one.text.find("coupler") != std::string::npos ? "coupler.tip/pose" : "fore.tip/pose");
    const int in = sim.port(one.text.find("coupler") != std::string::npos ? "pin/effort" : "elbow/effort");
    sim.step(1e-3);
    const NoAlloc guard;
    for (int k = 0; k < 400; ++k) {
      effort[0] = 0.01 * k;
      if (k % 10 == 0) sim.write(in, effort);
      sim.step(1e-3);
      sim.read(out, pose);
    }
  }
}

// A torque given by a signal, and the same torque set step by step.
TEST(Simulation, TakesInputsAtRunTime) {
  for (const std::string& solver : solvers()) {
    SCOPED_TRACE(solver);
    const std::string model = std::string(kArm).substr(0, std::string(kArm).find("inputs:"));
    Simulation sim(make_simulation(model + solver));
    Simulation wanted(
        make_simulation(model + solver +
                        "inputs:\n  - {joint: shoulder, torque: {pieces: [{until: 0.1, value: 5}, {value: -3}]}}\n"
                        "  - {node: fore.tip, force: [0, 4, 0]}\n"));
    sim.set_torque("shoulder", 5);
    sim.set_force("fore.tip", {0, 4, 0});
    for (int k = 1; k <= 20; ++k) {
      if (k == 11) sim.set_torque("shoulder", -3);
      sim.advance_to(0.01 * k);
      wanted.advance_to(0.01 * k);
    }
    EXPECT_LT((sim.state().q - wanted.state().q).norm(), 2e-6);
    EXPECT_EQ(sim.read("shoulder/effort")[0], -3);
    EXPECT_EQ(sim.read("fore.tip/force")[4], 4);
    EXPECT_NEAR(sim.balance(), wanted.balance(), 1e-5);
  }
}

// An adaptive method has stepped beyond the time at which the input changes: this must have no effect.
TEST(Simulation, AnInputCutsAStepShort) {
  const Scenario scenario = make_simulation(
      "model:\n  name: cart\n  bodies: [{name: cart, rigid: {mass: 2, inertia: [1, 1, 1, 0, 0, 0]}}]\n"
      "  joints: [{name: rail, type: prismatic, axis: [1, 0, 0], parent: world, child: cart}]\n");
  Simulation sim(scenario);
  sim.advance_to(0.25);
  sim.set_torque("rail", 6);  // 3 m/s^2
  sim.advance_to(0.5);
  EXPECT_NEAR(sim.q("rail"), 0.5 * 3 * 0.25 * 0.25, 1e-12);
  EXPECT_NEAR(sim.v("rail"), 0.75, 1e-12);
  EXPECT_NEAR(sim.balance(), 0, 1e-12);
  sim.advance_to(2);  // beyond the end of the scenario
  EXPECT_NEAR(sim.v("rail"), 3 * 1.75, 1e-11);
}

TEST(Simulation, PrescribesMotionsAtRunTime) {
  Simulation sim(make_simulation(kLoop));
  sim.advance_to(0.1);
  const double there = sim.q("drive"), speed = sim.v("drive");
  EXPECT_THROW(sim.set_motion("drive", there + 0.1), InputError);
  EXPECT_THROW(sim.set_motion("pin", sim.q("pin")), InputError);
  sim.set_motion("drive", there, speed, 2);
  sim.advance_to(0.3);
  EXPECT_NEAR(sim.q("drive"), there + 0.2 * speed + 0.04, 1e-12);
  EXPECT_NEAR(sim.v("drive"), speed + 0.4, 1e-12);
  EXPECT_LT(std::abs(sim.balance()), 1e-4);
}

TEST(Simulation, TakesATorqueLawInOneLine) {
  Simulation sim(make_simulation(std::string(kArm).substr(0, std::string(kArm).find("inputs:"))));
  const int shoulder = 0, elbow = sim.model().joints[2].v;
  sim.set_controller(500, [=](const State& x, Vec tau) {
    tau[shoulder] = 20 - 30 * x.v[0];
    tau[elbow] = -20 * (x.q[elbow] + 0.5) - 4 * x.v[elbow];
  });
  sim.advance_to(0.0031);
  const VectorXd first = sim.read("elbow/torque");
  sim.advance_to(0.0039);
  EXPECT_EQ(sim.read("elbow/torque"), first);  // constant between samples
  sim.advance_to(0.0041);
  EXPECT_NE(sim.read("elbow/torque"), first);
  sim.reset();  // with the same law
  EXPECT_EQ(sim.time(), 0);
  sim.advance_to(0.0031);
  EXPECT_EQ(sim.read("elbow/torque"), first);
}

TEST(Simulation, RefusesATorqueThatIsNotFinite) {
  Simulation sim(make_simulation(kArm));
  EXPECT_THROW(sim.set_controller(100, [](const State&, Vec tau) { tau[0] = std::nan(""); }), NumericalError);
  EXPECT_THROW(sim.step(0.1), NumericalError);
  EXPECT_THROW(sim.set_torque("elbow", std::nan("")), InputError);
  EXPECT_THROW(sim.set_torque("wrist", 1), InputError);
  EXPECT_THROW(sim.write("fore.tip/pose", VectorXd::Zero(7)), InputError);
  EXPECT_THROW(sim.write("elbow/effort", VectorXd::Zero(2)), InputError);
  EXPECT_THROW(sim.position("fore.Tip"), InputError);
  EXPECT_THROW(sim.step(-1), InputError);
}

// The stop is met, the second piece of the signal begins, and the chain is closed: a loop over a Stepper alone handles
// none of these.
TEST(Simulation, MeetsStopsBreaksAndClosures) {
  Simulation arm(make_simulation(kArm));
  arm.set_torque("elbow", 20);
  arm.advance_to(0.5);
  EXPECT_LT(arm.q("elbow"), 0.45);
  EXPECT_NEAR(arm.read("shoulder/torque")[0], 12 * std::cos(1.5), 1e-12);
  Simulation loop(make_simulation(kLoop));
  for (const double t : {0.0, 0.2, 0.4}) {
    loop.advance_to(t);
    EXPECT_LT((loop.position("coupler.tip") - loop.position("rocker.tip")).norm(), 1e-10);
  }
}

TEST(Simulation, ListsPortsWithUnits) {
  Simulation sim(make_simulation(kLoop));
  const Port& drive = sim.ports()[static_cast<std::size_t>(sim.port("drive/position"))];
  EXPECT_EQ(drive.units, std::vector<std::string>{"rad"});
  EXPECT_EQ(drive.direction, PortDirection::output);
  const Port& motion = sim.ports()[static_cast<std::size_t>(sim.port("drive/motion"))];
  EXPECT_EQ(motion.direction, PortDirection::input);
  EXPECT_EQ(motion.units, (std::vector<std::string>{"rad", "rad/s", "rad/s^2"}));
  EXPECT_EQ(sim.read("coupler/modes").size(), 2);
  EXPECT_THROW(sim.port("drive/effort"), InputError);
  const VectorXd pose = sim.read("crank.tip/pose");
  EXPECT_NEAR(pose.tail<4>().norm(), 1, 1e-12);
  EXPECT_EQ(Vector3d(pose.head<3>()), sim.position("crank.tip"));
}

TEST(Simulation, RefusesTheStateOfAnother) {
  Simulation arm(make_simulation(kArm)), loop(make_simulation(kLoop));
  SavedState saved = arm.save();
  EXPECT_THROW(loop.restore(saved), InputError);
  saved.bytes.pop_back();
  EXPECT_THROW(arm.restore(saved), InputError);
}

TEST(Simulation, NumericalFailureThrowsUntilReset) {
  const std::string model = std::string(kArm).substr(0, std::string(kArm).find("inputs:"));
  Simulation sim(make_simulation(model + "solver: {method: rk4, step: 0.05}\n"));
  EXPECT_THROW(
      {
        for (int k = 0; k < 1000; ++k) sim.step(0.05);
      },
      NumericalError);
  EXPECT_THROW(sim.step(0.05), NumericalError);
  EXPECT_THROW((void)sim.save(), NumericalError);
  sim.reset();
  sim.step(0.05);
}

TEST(Simulation, StartsAtTheTimeOfItsState) {
  Scenario scenario = make_simulation(kArm);
  State late = scenario.initial;
  late.t = 1;
  Simulation sim(scenario);
  sim.set_state(late);
  EXPECT_EQ(sim.time(), 1);
  sim.step(0.01);
  EXPECT_NEAR(sim.read("shoulder/torque")[0], 12 * std::cos(3.03), 1e-12);
  Keeper kept;
  System system(*scenario.model, scenario.inputs);
  (void)simulate(system, scenario.solver, {0.1, 0.05}, late, kept);
  ASSERT_EQ(kept.x.size(), 3U);
  EXPECT_EQ(kept.x[0].t, 1);
  EXPECT_EQ(kept.x[2].t, 1.1);
  EXPECT_NEAR(kept.torques[0][0], 12 * std::cos(3), 1e-12);
}

TEST(Simulation, OfAModelMadeInCode) {
  const Scenario read = make_simulation(kArm);
  Inputs inputs;
  inputs.speeds.push_back({0, Signal::callback([](double t) { return Jet{5 * t, 5, 0}; }), "ramp"});
  inputs.laws.push_back({{2, 1},
                         Frame::world,
                         [&](const State& x, const Kinematics& kin) -> Vector6 {  // drag
                           return -0.5 * node_velocity(*read.model, kin, {2, 1}, x.v);
                         },
                         "drag"});
  Simulation sim(*read.model, {.method = "implicit", .step = 1e-3}, inputs);
  sim.advance_to(0.5);
  EXPECT_NEAR(sim.read("shoulder/torque")[0], 2.5, 1e-12);
  EXPECT_LT(std::abs(sim.balance()), 1e-2);
  Scenario own;  // a model only
  own.model = read.model;
  own.run = {0.1, 0.05};
  const RecordedRun run = record_run(own);
  EXPECT_TRUE(run.complete());
  EXPECT_EQ(run.records, 3);
}

// Inside the step that ends at a stop, records are interpolated.
TEST(Simulation, RecordsBeforeAContact) {
  const Scenario scenario = make_simulation(
      "model:\n  name: cart\n  bodies: [{name: cart, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}]\n"
      "  joints: [{name: rail, type: prismatic, axis: [1, 0, 0], parent: world, child: cart,\n"
      "             limits: {lower: -1, upper: 0.2505, stiffness: 1e4, damping: 0}}]\n"
      "initial: {rail: {v: 1}}\n");
  Keeper kept;
  ASSERT_EQ(Simulation(scenario).run(kept).status, Status::ok);
  for (const State& x : kept.x) {
    if (x.t >= 0.25) continue;
    EXPECT_NEAR(x.q[0], x.t, 1e-12);
  }
}

TEST(Stepper, SaysWhatIsMissing) {
  const Scenario scenario = make_simulation(kArm);
  System system(*scenario.model, scenario.inputs);
  for (const char* method : {"rk4", "dopri5", "implicit"}) {
    SolverOptions options;
    options.method = method;
    const auto stepper = make_stepper(system, options);
    EXPECT_THROW((void)stepper->step(1), InputError);
    EXPECT_THROW((void)stepper->start({}), InputError);
  }
  EXPECT_THROW(system.set_control_torques(VectorXd()), InputError);
  static_assert(!std::is_constructible_v<System, Model, Inputs>);  // would keep a dangling reference
}

// Controllers at addresses that the allocator hands out again are still other controllers.
TEST(Simulation, ResetsWithTheControllerOfTheMoment) {
  Simulation sim(make_simulation(std::string(kArm).substr(0, std::string(kArm).find("inputs:"))));
  const double start = sim.q("elbow");
  for (int k = 0; k < 6; ++k) {
    for (int again = 0; again <= k % 3; ++again)
      sim.set_controller(100 / (1 + k), [=](const State&, Vec tau) { tau[0] = k; });
    sim.advance_to(sim.time() + 0.05);
    sim.reset();
    EXPECT_EQ(sim.time(), 0);
    EXPECT_EQ(sim.q("elbow"), start);
    EXPECT_EQ(sim.read("shoulder/torque")[0], k);
    sim.advance_to(0.02);
    sim.reset();
    EXPECT_EQ(sim.q("elbow"), start);
  }
}

TEST(Simulation, RefusesPortsThatItHasNot) {
  Simulation sim(make_simulation(kArm));
  VectorXd values(1);
  for (const int port : {-1, 9999}) {
    EXPECT_THROW(sim.read(port, values), InputError);
    EXPECT_THROW(sim.write(port, values), InputError);
  }
}

}  // namespace
}  // namespace limber
