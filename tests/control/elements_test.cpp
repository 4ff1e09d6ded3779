// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Force elements and friction in the controller's own model; actuators commanded by a controller.
#include "limber/model/elements.hpp"

#include <numbers>

#include "limber/control/element_rnea.hpp"
#include "limber/control/linear_loop.hpp"
#include "limber/control/prepare.hpp"
#include "limber/control/shaping.hpp"
#include "limber/control/static_hold.hpp"
#include "limber/model/friction.hpp"
#include "limber/model/manifold.hpp"
#include "support/arm.hpp"
#include "support/close.hpp"

namespace limber::test {
namespace {

using Eigen::Vector2d;

constexpr double kMillisecond = 1e-3;

// A boom and a stick in a vertical plane, rigid or flexible, with attachments for cylinders on both.
Model make_digger(bool flexible, bool dry = false) {
  ModelBuilder builder("digger");
  builder.gravity({0, -9.81, 0});
  constexpr const char* kBodies[] = {"boom", "stick"};
  constexpr const char* kJoints[] = {"boom_pin", "stick_pin"};
  NodeRef at;
  for (int i = 0; i < 2; ++i) {
    BeamSpec beam;
    beam.length = 3 - i;
    beam.mass_per_length = 100;
    beam.EIz = 2e6;
    beam.modes = {flexible ? 2 : 0, 0, 0, 0};
    beam.damping = {0.02};
    Body body = make_beam_body(beam, false);
    if (!flexible) {
      RigidSpec rigid;
      rigid.mass = 100 * beam.length;
      rigid.com = {0.5 * beam.length, 0, 0};
      rigid.inertia = (rigid.mass * beam.length * beam.length / 12 * Vector3d(0.01, 1, 1)).asDiagonal();
      rigid.nodes = {{"tip", {beam.length, 0, 0}, Matrix3d::Identity(), Matrix3Xd(3, 0), Matrix3Xd(3, 0), {}}};
      body = make_rigid_body(rigid);
    }
    body.name = kBodies[i];
    const int tip = body.node_index("tip");
    const int child = builder.add_body(std::move(body));
    Joint joint;
    joint.name = kJoints[i];
    joint.kind = JointKind::revolute;
    joint.parent = at;
    joint.stiffness = joint.damping = VectorXd::Zero(1);
    joint.armature = VectorXd::Constant(1, 5);
    if (dry) {
      JointFriction friction;
      friction.viscous = 20;
      friction.coulomb = friction.breakaway = 60;
      joint.friction = std::make_shared<JointFriction>(friction);
    }
    builder.add_joint(joint, child);
    at = {child, tip};
  }
  return builder.build();
}

NodeRef tip_of(const Model& model, int body) { return {body, model.body(body).node_index("tip")}; }

ForceElement make_line(const char* name, ForceElement::Kind kind, const ElementEnd& a, const ElementEnd& b) {
  ForceElement out;
  out.name = name;
  out.kind = kind;
  out.a = a;
  out.b = b;
  return out;
}

// From the ground to the boom: it supports about half the weight.
ForceElement make_gas_spring(const Model& model) {
  ForceElement out = make_line("gas", ForceElement::Kind::spring, {{}, {Matrix3d::Identity(), {0.5, -1, 0}}},
                               {tip_of(model, 1), {Matrix3d::Identity(), {0, -0.2, 0}}});
  out.stiffness = 1500;
  out.damping = 100;
  out.length = 5;
  return out;
}

std::vector<ForceElement> make_cylinders() {
  return {make_line("boom_ram", ForceElement::Kind::actuator, {{}, {Matrix3d::Identity(), {0.4, -1, 0}}},
                    {{1, kBodyFrame}, {Matrix3d::Identity(), {1.2, -0.1, 0}}}),
          make_line("stick_ram", ForceElement::Kind::actuator, {{1, kBodyFrame}, {Matrix3d::Identity(), {1.5, 0.4, 0}}},
                    {{2, kBodyFrame}, {Matrix3d::Identity(), {-0.4, 0.2, 0}}})};
}

Model with(Model model, std::vector<ForceElement> list) {
  model.elements = std::make_shared<ForceElements>(ForceElements{std::move(list), {}});
  return model;
}

ControlOptions make_move(const Model& model, double duration = 2) {
  ControlOptions out;
  out.model = std::make_shared<const Model>(model);
  out.driven = find_driven_joints(*out.model, {});
  VectorXd from(2), to(2);
  from << 0.2, -0.6;
  to << 0.7, -1.2;
  const JointPath path = make_path(Profile::cycloid, from, 0, {{to, duration, 0}}, {});
  out.desired = path.joints;
  out.end = path.end;
  return out;
}

State start_of(const Model& model, const ControlOptions& options) {
  State x = make_zero_state(model);
  const DrivenJoints driven = find_same_joints(*options.model, options.driven, model);
  for (int k = 0; k < driven.size(); ++k) x.q[driven.q[k]] = options.desired[k].at(0).value;
  return x;
}

struct Followed {
  double rms = 0, largest = 0;
  std::string failure;
};

// From static balance; returns the errors of the driven joints at the samples.
Followed follow_move(const Model& plant, const ControlOptions& options, double duration = 2.5, bool held = true) {
  ControlLoop loop(plant, {}, options);
  const DrivenJoints& driven = loop.driven_joints();
  State x = start_of(plant, options);
  Inputs inputs = with_actuators({}, driven, [&loop] { return &loop; });
  if (held) {
    const StaticHold hold = find_static_hold(plant, {}, x, driven.joints, driven);
    x = hold.equilibrium.x;
    EXPECT_EQ(loop.hold(x, hold.torques), Status::ok) << loop.failure();
  }
  System system(plant, inputs);
  SolverOptions solver;
  solver.rtol = 1e-8;
  solver.atol = 1e-10;
  RunListener listener;
  const RunResult result = simulate(system, solver, {kSanitized ? 0.02 : duration, 0.1}, x, listener, &loop);
  const Tracking tracking = loop.tracking();
  Followed out;
  out.failure = result.failure;
  out.rms = tracking.rms().maxCoeff();
  out.largest = tracking.largest.maxCoeff();
  return out;
}

State some_state(const Model& model) {
  State x = make_zero_state(model);
  for (int k = 0; k < model.nq; ++k) x.q[k] = 0.02 * std::sin(1 + k);
  for (int k = 0; k < model.nv; ++k) x.v[k] = 0.3 * std::cos(2 + k);
  const DrivenJoints driven = find_driven_joints(model, {});
  x.q[driven.q[0]] = 0.3;
  x.q[driven.q[1]] = -0.8;
  return x;
}

// The mean accelerations satisfy the equation of motion in the middle of the period.
TEST(ElementsInControl, MeanAccelerationsHoldInTheMiddle) {
  for (const bool flexible : {false, true}) {
    Model model = make_digger(flexible);
    ForceElement hinge = make_line("hinge", ForceElement::Kind::spring, {}, {});
    hinge.joint = 2;
    hinge.stiffness = 300;
    hinge.damping = 8;
    hinge.length = 0.1;
    model = with(model, {make_gas_spring(model), hinge});
    const DrivenJoints driven = find_driven_joints(model, {});
    const State x = some_state(model);
    const Vector2d torques(400, -300);
    MeanAccelerations mean(model, driven, 20 * kMillisecond);
    for (int pass = 0; pass < 60; ++pass) ASSERT_EQ(mean.forward(x, torques), Status::ok);
    const VectorXd a = mean.now();
    System system(model, {});
    VectorXd tau = VectorXd::Zero(model.nv), vdot = tau;
    tau(driven.v) = torques;
    system.set_control_torques(tau);
    ASSERT_EQ(system.accelerate(mean.middle(x), vdot), Status::ok);
    EXPECT_CLOSE(a, vdot, 1e-9 * vdot.cwiseAbs().maxCoeff());
    // Conversely: the torques for these accelerations.
    Vector2d again = Vector2d::Zero();
    for (int pass = 0; pass < 60; ++pass) ASSERT_EQ(mean.hybrid(x, a(driven.v), again), Status::ok);
    EXPECT_CLOSE(VectorXd(again), VectorXd(torques), 1e-7 * torques.cwiseAbs().maxCoeff());
    EXPECT_CLOSE(mean.now(), a, 1e-8 * a.cwiseAbs().maxCoeff());
  }
}

// N is the derivative of the torques in the accelerations: by differences of the mean accelerations.
TEST(ElementsInControl, NaturalGainHasTheirStiffness) {
  for (const bool flexible : {false, true}) {
    Model model = make_digger(flexible);
    model.gravity.setZero();
    ForceElement stiff = make_gas_spring(model);
    stiff.stiffness = 2e8;  // T^2/4 K is of the order of the inertia
    stiff.length =
        Vector2d(3 * std::cos(0.3) + 0.2 * std::sin(0.3) - 0.5, 3 * std::sin(0.3) - 0.2 * std::cos(0.3) + 1).norm();
    model = with(std::move(model), {stiff});
    const DrivenJoints driven = find_driven_joints(model, {});
    State x = some_state(model);
    x.v.setZero();
    x.q.setZero();
    x.q[driven.q[0]] = 0.3;
    x.q[driven.q[1]] = -0.8;
    const double T = 5 * kMillisecond;
    NaturalGain gain(model, driven, T);
    ASSERT_EQ(gain.set(x), Status::ok);
    MeanAccelerations mean(model, driven, T);
    const auto accelerations = [&](const Vector2d& torques) {
      mean.reset();
      for (int pass = 0; pass < 20; ++pass) EXPECT_EQ(mean.forward(x, torques), Status::ok);
      return VectorXd(mean.now()(driven.v));
    };
    MatrixXd slope(2, 2), N(2, 2);
    for (int k = 0; k < 2; ++k) {
      const Vector2d step = 1e-2 * Vector2d::Unit(k);
      slope.col(k) = (accelerations(step) - accelerations(-step)) / 2e-2;
      VectorXd column = VectorXd::Zero(2);
      gain.add(Vector2d::Unit(k), column);
      N.col(k) = column;
    }
    EXPECT_CLOSE(MatrixXd(N * slope), MatrixXd(MatrixXd::Identity(2, 2)), 1e-3);  // N is that at x, not in the middle
    // Without the element the inertia differs.
    Model bare = model;
    bare.elements = nullptr;
    NaturalGain without(bare, driven, T);
    ASSERT_EQ(without.set(x), Status::ok);
    VectorXd column = VectorXd::Zero(2);
    without.add(Vector2d::Unit(0), column);
    if (flexible) continue;  // with modes the compliance of these adds
    EXPECT_GT(N(0, 0), 1.2 * column[0]);
  }
}

// The operating point is at rest, and the matrix agrees with differences.
TEST(ElementsInControl, LinearisedAtRestUnderTheirForces) {
  Model model = make_digger(true);
  model = with(model, {make_gas_spring(model)});
  State x = some_state(model);
  x.v.setZero();
  const LinearSystem machine = linearize_at_rest(model, x, {});
  EXPECT_LT(machine.acceleration.cwiseAbs().maxCoeff(), 1e-8);
  System system(model, {});
  VectorXd vdot(model.nv), tau = VectorXd::Zero(model.nv), zero = tau;
  ElementRnea inverse_dynamics(model);
  inverse_dynamics(x, zero, tau);
  system.set_control_torques(tau);
  const double step = 1e-6;
  MatrixXd by_q(model.nv, model.nv);
  for (int k = 0; k < model.nv; ++k) {
    VectorXd sides[2];
    for (const int side : {0, 1}) {
      State moved = x;
      VectorXd dq = VectorXd::Zero(model.nv);
      dq[k] = side == 0 ? step : -step;
      move(model, x.q, dq, moved.q);
      ASSERT_EQ(system.accelerate(moved, vdot), Status::ok);
      sides[side] = vdot;
    }
    by_q.col(k) = (sides[0] - sides[1]) / (2 * step);
  }
  EXPECT_CLOSE(MatrixXd(machine.A.bottomLeftCorner(model.nv, model.nv)), by_q, 1e-6 * by_q.cwiseAbs().maxCoeff());
}

// The same arm, its controller with and without the gas spring in its model.
TEST(ElementsInControl, GasSpringInTheModelCutsTheError) {
  const auto errors = [](bool flexible, bool known, const auto& choose) {
    const Model bare = make_digger(flexible), plant = with(bare, {make_gas_spring(bare)});
    ControlOptions options = make_move(known ? plant : bare);
    choose(options);
    return follow_move(plant, options);
  };
  const auto correction = [](ControlOptions& o) { o.correction = TrackingOptions{}; };
  const auto pipelined = [](ControlOptions& o) {
    o.correction = TrackingOptions{};
    o.embodiment = Embodiment::pipelined;
  };
  const auto torque = [](ControlOptions& o) { o.computed_torque = TrackingOptions{}; };
  const auto lqr = [](ControlOptions& o) {
    o.feed_forward = FeedForward::hybrid;
    o.lqr = LqrOptions{};
  };
  const auto rigid = [](ControlOptions& o) {
    o.feed_forward = FeedForward::rigid;
    o.pid = make_pid(*o.model, o.driven, make_zero_state(*o.model), {0.5, 1});
  };
  const auto check = [&](const char* name, const auto& law, double gain, bool flexible = true) {
    const Followed known = errors(flexible, true, law), unknown = errors(flexible, false, law);
    EXPECT_EQ(known.failure + unknown.failure, "") << name;
    std::printf("%-12s rms %.2e with the spring in the model, %.2e without\n", name, known.rms, unknown.rms);
    if (kSanitized) return;
    EXPECT_LT(gain * known.rms, unknown.rms) << name;
  };
  check("correction", correction, 20);
  check("pipelined", pipelined, 20);
  check("computed", torque, 20);
  check("lqr, hybrid", lqr, 20);
  check("pid, rigid", rigid, 100, false);
}

// At rest: gravity compensation supplies the weight minus the force of the spring.
TEST(ElementsInControl, GravityCompensationKnowsTheGasSpring) {
  const Model bare = make_digger(false), plant = with(bare, {make_gas_spring(bare)});
  for (const bool known : {true, false}) {
    ControlOptions options = make_move(known ? plant : bare);
    for (Signal& signal : options.desired) signal = Signal(signal.at(0).value);
    options.end = 0;
    options.pid = make_pid(*options.model, options.driven, make_zero_state(*options.model), {0.5, 1});
    options.pid->gravity = true;
    const Followed out = follow_move(plant, options, 1, false);
    EXPECT_EQ(out.failure, "");
    if (known) {
      EXPECT_LT(out.largest, 1e-9);
    } else if (!kSanitized) {
      EXPECT_GT(out.largest, 1e-2);
    }
  }
}

// Dry friction is compensated by the desired rate; without it in the model the joints lag.
TEST(ElementsInControl, DryFrictionInTheModelCutsTheError) {
  const Model plant = make_digger(false, true), smooth = make_digger(false, false);
  for (const bool correction : {true, false}) {
    const auto error = [&](const Model& believed) {
      ControlOptions options = make_move(believed);
      (correction ? options.correction : options.computed_torque) = TrackingOptions{};
      return follow_move(plant, options, 2, false);
    };
    const Followed known = error(plant), unknown = error(smooth);
    EXPECT_EQ(known.failure + unknown.failure, "");
    std::printf("dry friction: rms %.2e known, %.2e unknown\n", known.rms, unknown.rms);
    if (kSanitized) continue;
    EXPECT_LT(10 * known.rms, unknown.rms);
  }
}

// ---- actuators -----------------------------------------------------------------------------------------

ControlOptions make_ram_move(const Model& model) {
  ControlOptions out = make_move(model);
  set_actuators(*out.model, {{"boom_pin", "boom_ram"}, {"stick_pin", "stick_ram"}}, out.driven);
  return out;
}

// Columns are derivatives of the lengths by q: virtual work.
TEST(Actuators, ForcesAreDerivativesOfTheirLengths) {
  for (const bool flexible : {false, true}) {
    Model model = make_digger(flexible);
    model = with(std::move(model), make_cylinders());
    const ControlOptions options = make_ram_move(model);
    Actuation actuation(*options.model, options.driven);
    const State x = some_state(model);
    ASSERT_EQ(actuation.set(x), Status::ok);
    const auto length = [&](const VectorXd& dq, int element) {
      State moved = x;
      move(model, x.q, dq, moved.q);
      KinematicsWorkspace kin(model);
      compute_kinematics(model, moved, kin);
      compute_world_poses(model, kin);
      const ForceElement& e = model.elements->list[static_cast<std::size_t>(element)];
      const auto place = [&](const ElementEnd& end) {
        return end.node.body == kGround ? Vector3d(end.at.p) : Vector3d((node_pose(model, kin, end.node) * end.at).p);
      };
      return (place(e.b) - place(e.a)).norm();
    };
    for (int k = 0; k < model.nv; ++k) {
      const VectorXd step = 1e-5 * VectorXd::Unit(model.nv, k);
      for (int element = 0; element < 2; ++element)
        EXPECT_NEAR(actuation.forces()(k, element), (length(step, element) - length(-step, element)) / 2e-5, 1e-8);
    }
    // Inputs and torques are inverse to each other, and torques on the driven joints are unchanged.
    VectorXd inputs = Vector2d(3e3, -2e3), torques(2), again(2);
    actuation.to_torques(inputs, torques);
    actuation.to_inputs(torques, again);
    EXPECT_CLOSE(again, inputs, 1e-9);
    const MatrixXd spread = actuation.spread();
    EXPECT_CLOSE(MatrixXd(spread(options.driven.v, Eigen::all)), MatrixXd(MatrixXd::Identity(2, 2)), 1e-12);
    EXPECT_CLOSE(MatrixXd(spread * torques), MatrixXd(actuation.forces() * inputs), 1e-9);
  }
}

// Rigid bodies: a cylinder with the force torque / lever is equivalent to a torque, for any law.
TEST(Actuators, RigidMachineFollowsAsUnderTorques) {
  const Model bare = make_digger(false), plant = with(bare, make_cylinders());
  struct Case {
    const char* name;
    void (*choose)(ControlOptions&);
  };
  const Case kCases[] = {{"pd",
                          [](ControlOptions& o) {
                            o.feed_forward = FeedForward::rigid;
                            o.pid = make_pid(*o.model, o.driven, make_zero_state(*o.model), {1, 1});
                          }},
                         {"correction", [](ControlOptions& o) { o.correction = TrackingOptions{}; }},
                         {"lqr", [](ControlOptions& o) {
                            o.feed_forward = FeedForward::hybrid;
                            o.lqr = LqrOptions{};
                          }}};
  for (const Case& law : kCases) {
    ControlOptions torques = make_move(plant), rams = make_ram_move(plant);
    law.choose(torques);
    law.choose(rams);
    const Followed by_torques = follow_move(plant, torques), by_rams = follow_move(plant, rams);
    EXPECT_EQ(by_torques.failure + by_rams.failure, "") << law.name;
    std::printf("%-12s rms %.2e by torques, %.2e by cylinders\n", law.name, by_torques.rms, by_rams.rms);
    EXPECT_LT(by_rams.rms, by_torques.rms + 1e-6) << law.name;
  }
}

// Flexible bodies: regulator and PID, with the effect of the cylinders on the modes in B; the static start is in
// balance.
TEST(Actuators, FlexibleMachineUnderPidAndRegulator) {
  const Model bare = make_digger(true);
  std::vector<ForceElement> cylinders = make_cylinders();
  cylinders[0].b.node = tip_of(bare, 1);  // acts on the modes
  cylinders[0].b.at.p = {-1, -0.1, 0};
  const Model plant = with(bare, cylinders);
  ControlOptions options = make_ram_move(plant);
  options.feed_forward = FeedForward::rigid;
  options.lqr = LqrOptions{};
  const MatrixXd spread = compute_spread(plant, options.driven, start_of(plant, options));
  EXPECT_GT(spread.cwiseAbs().col(0).sum(), 1.01);  // not only on the joint
  const auto loop = linearize_loop(plant, {}, settle_loop(prepare_control(options)), 0);
  ASSERT_TRUE(loop);
  EXPECT_LT(find_dominant_pole(*loop).growth, 0);
  Followed run = follow_move(plant, options);
  EXPECT_EQ(run.failure, "");
  std::printf("lqr, flexible: rms %.2e\n", run.rms);
  EXPECT_LT(run.largest, 0.02);
  options.lqr.reset();
  options.pid = make_pid(plant, options.driven, make_zero_state(plant), {0.2, 1});
  run = follow_move(plant, options);
  EXPECT_EQ(run.failure, "");
  std::printf("pd, flexible: rms %.2e\n", run.rms);
  EXPECT_LT(run.largest, 0.05);
  // Laws that use joint torques only.
  options.pid.reset();
  options.correction = TrackingOptions{};
  EXPECT_THROW(prepare_control(options), InputError);
}

TEST(Actuators, StaticStartStaysWhereItIs) {
  for (const bool flexible : {false, true}) {
    const Model bare = make_digger(flexible), plant = with(bare, make_cylinders());
    ControlOptions options = make_ram_move(plant);
    for (Signal& signal : options.desired) signal = Signal(signal.at(0).value);
    options.end = 0;
    options.lqr = LqrOptions{};
    const Followed run = follow_move(plant, options, 0.2);
    EXPECT_EQ(run.failure, "");
    EXPECT_LT(run.largest, 1e-9);
  }
}

TEST(Actuators, RefusesWhatDoesNotFit) {
  Model model = make_digger(false);
  std::vector<ForceElement> list = make_cylinders();
  list.push_back(make_gas_spring(model));
  model = with(std::move(model), list);
  DrivenJoints driven = find_driven_joints(model, {});
  const auto refused = [&](const std::vector<std::pair<std::string, std::string>>& pairs) {
    try {
      set_actuators(model, pairs, driven);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(refused({{"boom_pin", "gas"}}).find("takes no commands"), std::string::npos);
  EXPECT_NE(refused({{"boom_pin", "none"}}).find("no element 'none'"), std::string::npos);
  EXPECT_NE(refused({{"arm", "boom_ram"}}).find("not among the controlled joints"), std::string::npos);
  EXPECT_NE(refused({{"boom_pin", "boom_ram"}, {"stick_pin", "boom_ram"}}).find("moves two joints"), std::string::npos);
  // Zero lever: the cylinder's line passes through the pin.
  list[0].a.at.p = {-1, 0, 0};
  list[0].b.at.p = {1, 0, 0};
  const Model dead = with(model, list);
  ControlOptions options = make_ram_move(dead);
  options.desired[0] = Signal(0.0);
  EXPECT_THROW(compute_spread(dead, options.driven, make_zero_state(dead)), InputError);
}

}  // namespace
}  // namespace limber::test
