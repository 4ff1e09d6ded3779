// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Attitude by wheels and thrusters: slews, limits, allocation, limit cycles.
#include "limber/control/loop.hpp"
#include "limber/dynamics/aba.hpp"
#include "support/close.hpp"
#include "support/random.hpp"
#include "support/satellite.hpp"

namespace limber::test {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

TEST(AttitudePath, TakesTheShortestWayToEitherSignOfAQuaternion) {
  const Eigen::Quaterniond start(Eigen::AngleAxisd(0.4, Vector3d(1, 2, 3).normalized()));
  const Eigen::Quaterniond to(Eigen::AngleAxisd(3.5, Vector3d(0, 1, 1).normalized()));
  AttitudeWaypoint plus, minus;
  plus.quaternion = to;
  minus.quaternion = Eigen::Quaterniond(-to.w(), -to.x(), -to.y(), -to.z());
  plus.duration = minus.duration = 10;
  const AttitudePath a(Profile::quintic, start, 1, {plus}, {}), b(Profile::quintic, start, 1, {minus}, {});
  EXPECT_LE(a.slews()[0].angle, std::numbers::pi);
  EXPECT_NEAR(a.slews()[0].angle, b.slews()[0].angle, 1e-14);
  for (const double t : {0.0, 1.0, 4.0, 7.7, 11.0, 20.0}) {
    EXPECT_LT(attitude_error(a.at(t).turn, b.at(t).turn).norm(), 1e-14);
    EXPECT_LT((a.at(t).rate - b.at(t).rate).norm(), 1e-14);
  }
  EXPECT_LT(attitude_error(a.at(11).turn, to).norm(), 1e-14);
  EXPECT_LT(attitude_error(a.at(0).turn, start).norm(), 1e-14);
  // Rates are the derivatives of the attitudes.
  const double h = 1e-5;
  const Vector3d rate = attitude_error(a.at(5 - h).turn, a.at(5 + h).turn) / (2 * h);
  EXPECT_LT((rate - a.at(5).rate).norm(), 1e-9);
  // An angle above half a turn is kept as given.
  AttitudeWaypoint round;
  round.angle = 1.5 * std::numbers::pi;
  round.duration = 10;
  EXPECT_NEAR(AttitudePath(Profile::cycloid, start, 0, {round}, {}).slews()[0].angle, 1.5 * std::numbers::pi, 1e-14);
}

TEST(AttitudePath, TrapezoidsTakeTheLeastTimeWithinLimits) {
  AttitudeWaypoint to;
  to.angle = 60 * kDegree;
  const double a = 0.01, v = 0.03, d = to.angle;
  const SlewLimits limits{v, a}, torque{1, a};
  const auto end = [&](const SlewLimits& given, Profile profile) {
    return AttitudePath(profile, Eigen::Quaterniond::Identity(), 0, {to}, given).end();
  };
  EXPECT_NEAR(end(limits, Profile::trapezoid), d / v + v / a, 1e-9);
  EXPECT_NEAR(end(torque, Profile::trapezoid), 2 * std::sqrt(d / a), 1e-9);  // bang-bang
  EXPECT_GT(end(torque, Profile::cycloid), 2 * std::sqrt(d / a));
  EXPECT_THROW(end({}, Profile::cycloid), InputError);
}

TEST(AttitudePath, RefusesNumbersWithoutSense) {
  const double nan = std::nan("");
  std::vector<AttitudeWaypoint> waypoints(5);
  for (AttitudeWaypoint& one : waypoints) {
    one.angle = 1;
    one.duration = 10;
  }
  waypoints[0].angle = nan;
  waypoints[1].axis.setZero();
  waypoints[2].duration = nan;
  waypoints[3].dwell = -1;
  waypoints[4].quaternion = Eigen::Quaterniond(nan, 0, 0, 1);
  const auto make = [](const AttitudeWaypoint& one, double begin, const std::vector<Signal::Impulse>& shaper) {
    return AttitudePath(Profile::cycloid, Eigen::Quaterniond::Identity(), begin, {one}, {}, shaper);
  };
  for (const AttitudeWaypoint& one : waypoints) EXPECT_THROW(make(one, 0, {{0, 1}}), InputError);
  AttitudeWaypoint good;
  good.angle = good.duration = 1;
  EXPECT_THROW(make(good, nan, {{0, 1}}), InputError);
  EXPECT_THROW(make(good, 0, {}), InputError);
}

// S a + w x (J w + H Omega) + B u = T, against the articulated-body algorithm.
TEST(AttitudeInertia, TellsHowTheRigidMachineTurns) {
  const Model model = make_satellite({.modes = 0});
  State x = make_zero_state(model);
  const int hub = find_attitude_body(model, "hub");
  const std::vector<int> wheels = find_wheels(model, {"wheel1", "wheel2", "wheel3", "wheel4"});
  const AttitudeInertia inertia = compute_attitude_inertia(model, x, hub, wheels);
  x.v.head<3>() << 0.3, -0.2, 0.1;
  VectorXd tau = VectorXd::Zero(model.nv), u(4), spin(4);
  u << 0.3, -0.1, 0.7, 0.2;
  spin << 50, -30, 20, 10;
  const Vector3d T(1, -2, 0.5);
  tau.head<3>() = T;
  for (int k = 0; k < 4; ++k) {
    tau[model.joints[wheels[static_cast<std::size_t>(k)]].v] = u[k];
    x.v[model.joints[wheels[static_cast<std::size_t>(k)]].v] = spin[k];
  }
  // The center of mass is at rest: the hub's origin moves about it.
  KinematicsWorkspace kin(model);
  compute_kinematics(model, x, kin);
  compute_world_poses(model, kin);
  x.v.segment<3>(3) = compute_center_of_mass(model, kin).cross(Vector3d(x.v.head<3>()));
  AbaWorkspace ws(model);
  VectorXd vdot(model.nv);
  ASSERT_EQ(aba(model, x, {tau, {}}, ws, vdot), Status::ok);
  const Vector3d w = x.v.head<3>(), momentum = inertia.J * w + inertia.H * spin;
  const Vector3d left = inertia.S * vdot.head<3>() + w.cross(momentum) + inertia.B * u;
  EXPECT_LT((left - T).norm(), 1e-10);
}

TEST(AttitudeSlew, HybridFeedForwardIsExactAndKeepsTheMomentum) {
  const Model model = make_satellite();
  double before = 0;
  for (const double rate : {10.0, 20.0}) {
    AttitudeOptions options = make_slew_options(model);
    options.rate = rate;
    options.feed_forward = FeedForward::hybrid;
    const State start = make_zero_state(model);
    AttitudeLoop loop(model, start, options);
    const AttitudeRun run = run_attitude(model, loop, start, 32, 1e-11);
    ASSERT_EQ(run.result.status, Status::ok) << run.result.failure;
    EXPECT_LT(run.momentum, 1e-10);
    const double error = run.tracking.largest.norm();
    EXPECT_LT(error, 1e-4);  // no feedback: the error of held torques in a rotation of 1 rad
    if (before > 0) {
      EXPECT_NEAR(before / error, 4, 0.6);  // second order in the period
    }
    before = error;
  }
}

TEST(AttitudeSlew, FeedbackFollowsAMachineThatDiffers) {
  const Model model = make_satellite(), plant = make_satellite({.EI = 300, .damping = 0.004});
  AttitudeOptions options = make_slew_options(model);
  options.feed_forward = FeedForward::hybrid;
  options.feedback = TrackingOptions{0.1, 1};
  State start = make_zero_state(plant);
  start.v[plant.speed("wheel1")] = 40;  // momentum in addition to that of the slew
  AttitudeLoop loop(plant, start, options);
  const AttitudeRun run = run_attitude(plant, loop, start, 60);
  ASSERT_EQ(run.result.status, Status::ok) << run.result.failure;
  EXPECT_LT(run.tracking.largest.maxCoeff(), 0.02);
  EXPECT_LT(run.tracking.last.norm(), 1e-3);
  EXPECT_LT(run.momentum, 1e-7);  // limited by the tolerance of the solver
}

TEST(AttitudeSlew, ShapingLeavesLittleVibration) {
  const Model model = make_satellite();
  const auto residual = [&](bool shaped, FeedForward kind) {
    AttitudeOptions options = make_slew_options(model);
    options.profile = Profile::trapezoid;
    options.waypoints[0].axis = Vector3d::UnitX();
    options.waypoints[0].duration = 14;
    options.feed_forward = kind;
    options.feedback = TrackingOptions{0.02, 1};
    if (shaped) options.shaping.emplace();  // zvd
    const State start = make_zero_state(model);
    AttitudeLoop loop(model, start, options);
    const AttitudeRun run = run_attitude(model, loop, start, loop.path().end() + 15, 1e-8);
    EXPECT_EQ(run.result.status, Status::ok) << run.result.failure;
    if (shaped) {
      EXPECT_EQ(loop.options().shaping->chosen.size(), 1u);
      EXPECT_TRUE(loop.options().shaping->chosen[0].node.starts_with("panel"));
    }
    return run.tracking.residual;
  };
  EXPECT_LT(residual(true, FeedForward::hybrid), 0.05 * residual(false, FeedForward::hybrid));
  EXPECT_LT(residual(true, FeedForward::rigid), 0.2 * residual(false, FeedForward::rigid));
}

// The least slew time for a torque: 2 sqrt(angle J / torque), reached by wheels at their limit.
TEST(AttitudeSlew, RigidBodyReachesTheBangBangBound) {
  const Model model = make_satellite({.panels = false, .wheels = 3});
  const State start = make_zero_state(model);
  AttitudeOptions options = make_slew_options(model, 3);
  options.feed_forward = FeedForward::rigid;
  options.feedback = TrackingOptions{0.05, 1};
  options.profile = Profile::trapezoid;
  const AttitudeInertia inertia = compute_attitude_inertia(model, start, find_attitude_body(model, "hub"),
                                                           find_wheels(model, options.wheels.joints));
  const double torque = 0.5, angle = 60 * kDegree;
  Vector3d axis = (inertia.S.inverse() * Vector3d::UnitZ()).normalized();  // about which wheel 3 rotates it
  options.waypoints[0] = AttitudeWaypoint();
  options.waypoints[0].axis = axis;
  options.waypoints[0].angle = angle;
  options.limits.acceleration = torque * (inertia.S.inverse() * Vector3d::UnitZ()).norm();
  options.wheels.max_torque = VectorXd::Constant(3, 1.05 * torque);
  options.rate = 50;
  AttitudeLoop loop(model, start, options);
  const double bound = 2 * std::sqrt(angle / options.limits.acceleration);
  EXPECT_NEAR(loop.path().end(), bound, 1e-9 * bound);
  const AttitudeRun run = run_attitude(model, loop, start, bound + 1);
  EXPECT_LT(run.tracking.largest.norm(), 2e-3);  // gyroscopic cross-coupling of the bang-bang slew
  EXPECT_LT(run.tracking.saturated.maxCoeff(), 0.02 * static_cast<double>(run.tracking.samples));
  options.wheels.max_torque.setConstant(0.4 * torque);  // too small: reported before the run, and counted
  AttitudeLoop weak(model, start, options);
  EXPECT_FALSE(weak.warnings().empty());
  EXPECT_GT(run_attitude(model, weak, start, bound).tracking.saturated.maxCoeff(), 100);
}

// The verdict on the sampled loop agrees with the growth of a small deviation.
TEST(AttitudeSlew, UnstableFeedbackIsTold) {
  const Model model = make_satellite({.EI = 4000});
  const State start = make_zero_state(model);
  AttitudeOptions options = make_slew_options(model);
  options.waypoints.clear();
  options.rate = 10;
  options.feedback = TrackingOptions{0.02, 1};
  AttitudeLoop calm(model, start, options);
  EXPECT_TRUE(calm.warnings().empty());
  AttitudeVerdict verdict;
  for (double hertz = 0.1; verdict.growth < 0.2 && hertz < 1; hertz *= 1.1) {
    options.feedback = TrackingOptions{hertz, 1};
    verdict = judge_attitude(model, start, options, calm.inertia());
    ASSERT_TRUE(verdict.judged);
  }
  ASSERT_GT(verdict.growth, 0.2);
  AttitudeLoop wild(model, start, options);
  ASSERT_EQ(wild.warnings().size(), 1u);
  EXPECT_NE(wild.warnings()[0].find("unstable"), std::string::npos);
  // A small deviation grows by e^4 and by e^8 in times that are integer numbers of samples.
  State off = start;
  off.v.head<3>().setConstant(1e-9);
  const double time = std::ceil(4 / verdict.growth / wild.period()) * wild.period();
  const auto size = [&](double duration) {
    AttitudeLoop loop(model, start, options);
    return run_attitude(model, loop, off, duration, 1e-10).end.v.norm();
  };
  EXPECT_NEAR(std::log(size(3 * time) / size(2 * time)) / time, verdict.growth, 0.25 * verdict.growth);
}

TEST(AttitudeWheels, ShareATorqueAndKeepTheirBiasWithoutTurningAnything) {
  const Model model = make_satellite({.panels = false});
  const State start = make_zero_state(model);
  AttitudeOptions options = make_slew_options(model);
  options.waypoints.clear();
  options.feedback = TrackingOptions{0.05, 1};
  options.wheels.bias = VectorXd::Zero(4);
  options.wheels.bias << 60, -60, 60, -60;  // the null motion of a pyramid
  options.wheels.bias_time = 5;
  AttitudeLoop loop(model, start, options);
  const AttitudeRun run = run_attitude(model, loop, start, 40);
  for (int k = 0; k < 4; ++k)
    EXPECT_NEAR(run.end.v[model.speed("wheel" + std::to_string(k + 1))], options.wheels.bias[k], 0.1);
  EXPECT_LT(run.tracking.largest.norm(), 1e-9);
  // The minimum torques, and speed limits.
  const AttitudeInertia& inertia = loop.inertia();
  Wheels wheels({options.wheels.joints, VectorXd::Constant(4, 1.0), VectorXd::Constant(4, 100.0), {}, 100}, inertia,
                0.1);
  const Vector3d T(0.3, -0.2, 0.4);
  EXPECT_TRUE(wheels.allocate(T, VectorXd::Zero(4), VectorXd::Zero(4)));
  EXPECT_LT((wheels.delivered() - T).norm(), 1e-12);
  EXPECT_FALSE(wheels.allocate(100 * T, VectorXd::Zero(4), VectorXd::Zero(4)));
  EXPECT_LT(wheels.delivered().cross(T).norm(), 1e-12);  // the direction is unchanged
  EXPECT_NEAR(wheels.torques().cwiseAbs().maxCoeff(), 1, 1e-12);
  VectorXd fast = VectorXd::Constant(4, 99.99);
  wheels.allocate(Vector3d(0, 0, -4), VectorXd::Zero(4), fast);
  EXPECT_LE((fast + 0.1 / kWheelInertia * wheels.torques()).maxCoeff(), 100 + 1e-9);
  const Model flat = make_satellite({.wheels = 2});
  AttitudeOptions few = make_slew_options(flat, 2);
  few.feedback = TrackingOptions{0.05, 1};
  EXPECT_THROW(AttitudeLoop(flat, make_zero_state(flat), few), InputError);
}

// Pairs at the arms: couples about each axis.
ThrusterSetOptions make_couples(double force) {
  ThrusterSetOptions out;
  for (int axis = 0; axis < 3; ++axis) {
    for (int sign = 0; sign < 2; ++sign) {
      for (int side = 0; side < 2; ++side) {
        ThrusterOptions one;
        const int arm = (axis + 1) % 3;
        one.node = "hub.n" + std::to_string(2 * arm + side);
        one.name = "t" + std::to_string(out.thrusters.size());
        one.direction = ((sign + side) % 2 == 0 ? 1 : -1) * Vector3d::Unit((axis + 2) % 3);
        one.force = force;
        out.thrusters.push_back(one);
      }
    }
  }
  return out;
}

// One axis of a rigid body: it coasts at the rate dw/2 between the edges of the dead zone, where a minimum pulse
// reverses it; e + lead w = deadband there, and the overshoot is (dw/2) pulse/4.  [Sidi 1997] chapter 9.
TEST(AttitudeThrusters, LimitCycleIsThatOfTheClosedForm) {
  const Model model = make_satellite({.panels = false, .wheels = 0, .thrusters = true});
  State start = make_zero_state(model);
  AttitudeOptions options = make_slew_options(model, 0);
  options.waypoints.clear();
  options.rate = 100;
  options.feedback = TrackingOptions{0.05, 1};
  options.thrusters = make_couples(1);
  options.thrusters.modulation = Modulation::deadband;
  options.thrusters.deadband = 0.01;
  options.thrusters.minimum_pulse = 0.1;
  const AttitudeInertia inertia = compute_attitude_inertia(model, start, 1, {});
  // About a principal axis, so that the others stay at rest.
  const double torque = 2, lead = 2 / (2 * std::numbers::pi * 0.05);
  const Vector3d kick = inertia.S.inverse() * Vector3d(0, 0, torque * options.thrusters.minimum_pulse);
  start.v.head<3>() = 0.5 * kick;
  AttitudeLoop loop(model, start, options);
  class Amplitude : public RunListener {
   public:
    void record(const Record& record) override {
      const double angle = 2 * record.motion.x.q[3];
      if (record.motion.x.t > 60) most = std::max(most, std::abs(angle));
      if (angle > 0 && last <= 0) crossings.push_back(record.motion.x.t);
      last = angle;
    }
    double most = 0, last = 0;
    std::vector<double> crossings;
  } watch;
  Inputs inputs;
  inputs.laws = loop.wrench_laws();
  System system(model, inputs);
  ASSERT_EQ(simulate(system, {}, {200, 0.01}, start, watch, &loop).status, Status::ok);
  const double rate = 0.5 * kick[2], pulse = options.thrusters.minimum_pulse;
  const double edge = options.thrusters.deadband - lead * rate, amplitude = edge + rate * pulse / 4;
  EXPECT_NEAR(watch.most, amplitude, 1.01 * rate / options.rate + 1e-5);  // sampled: up to one period late
  ASSERT_GT(watch.crossings.size(), 3u);
  const double period = watch.crossings.back() - watch.crossings[watch.crossings.size() - 2];
  EXPECT_NEAR(period, 4 * edge / rate + 2 * pulse, 0.02 * period);
  EXPECT_GT(loop.thrusters()->pulses(), 4);
}

TEST(AttitudeThrusters, PulsesAreAsLongAsTheTorqueAsksFor) {
  const Model model = make_satellite({.panels = false, .wheels = 0, .thrusters = true});
  const State start = make_zero_state(model);
  AttitudeOptions options = make_slew_options(model, 0);
  options.thrusters = make_couples(1);
  options.thrusters.period = 1;
  options.thrusters.minimum_pulse = 0.02;
  options.rate = 100;
  options.feed_forward = FeedForward::rigid;
  options.feedback = TrackingOptions{0.05, 1};
  AttitudeLoop loop(model, start, options);
  const AttitudeRun run = run_attitude(model, loop, start, 45, 1e-8);
  ASSERT_EQ(run.result.status, Status::ok) << run.result.failure;
  EXPECT_LT(run.tracking.largest.norm(), 0.06);
  EXPECT_LT(run.tracking.last.norm(), 0.01);
  EXPECT_LT(run.end.q.segment<3>(4).norm(), 1e-3);  // couples: no translation
  // The twelve thrusters of the table alone: mean torque over a period.
  Matrix6X wrench(6, 12);
  for (int k = 0; k < 12; ++k) {
    const ThrusterOptions& one = options.thrusters.thrusters[static_cast<std::size_t>(k)];
    const int node = one.node.back() - '0';
    const Vector3d arm = (node % 2 == 0 ? 1 : -1) * Vector3d::Unit(node / 2);
    wrench.col(k) << arm.cross(one.direction), one.direction;
  }
  Thrusters thrusters(options.thrusters, wrench, 0.01);
  const Vector3d T(0.3, -1.1, 0.01);  // the last one is below the minimum pulse
  Vector3d mean = Vector3d::Zero();
  for (int k = 0; k < 100; ++k) {
    EXPECT_TRUE(thrusters.fire(T, Vector3d::Zero()));
    mean += 0.01 * thrusters.delivered();
  }
  EXPECT_LT((mean - Vector3d(0.3, -1.1, 0)).norm(), 0.02);
  ThrusterSetOptions half = options.thrusters;  // none about z
  half.thrusters.resize(8);
  EXPECT_THROW(Thrusters(half, wrench.leftCols(8), 0.01), InputError);
}

TEST(AttitudeThrusters, UnloadTheWheels) {
  const Model model = make_satellite({.panels = false, .wheels = 3, .thrusters = true});
  State start = make_zero_state(model);
  start.v[model.speed("wheel2")] = 100;  // 5 N m s
  AttitudeOptions options = make_slew_options(model, 3);
  options.waypoints.clear();
  options.feedback = TrackingOptions{0.05, 1};
  options.thrusters = make_couples(0.2);
  options.thrusters.unload = 2;
  AttitudeLoop loop(model, start, options);
  const AttitudeRun run = run_attitude(model, loop, start, 90, 1e-7);
  ASSERT_EQ(run.result.status, Status::ok) << run.result.failure;
  EXPECT_LT(std::abs(run.end.v[model.speed("wheel2")]) * kWheelInertia, 0.25);
  EXPECT_LT(run.tracking.largest.norm(), 0.02);
}

TEST(AttitudeLoop, DoesNotAllocateAndResumesWhereItWasSaved) {
  const Model model = make_satellite({.thrusters = true});
  const State start = make_zero_state(model);
  AttitudeOptions options = make_slew_options(model);
  options.feed_forward = FeedForward::hybrid;
  options.feedback = TrackingOptions{0.05, 1};
  options.sensors.gyro = GyroOptions{.noise = Vector3d::Constant(1e-5), .bias = Vector3d(1e-4, 0, 0), .delay = 1};
  options.sensors.star_tracker = StarTrackerOptions{.noise = Vector3d::Constant(1e-4), .delay = 3, .every = 4};
  options.estimator.emplace();
  AttitudeLoop loop(model, start, options), other(model, start, options);
  KinematicsWorkspace kin(model);
  VectorXd torques = VectorXd::Zero(model.nv), again = torques;
  const auto sample = [&](AttitudeLoop& one, int k, VectorXd& out) {
    State x = start;
    x.t = k * loop.period();
    x.v.head<3>() << 0, 0, 1e-3 * k;
    compute_kinematics(model, x, kin);
    compute_world_poses(model, kin);
    NoAlloc guard;
    return one.sample(x, kin, VectorXd(), out);
  };
  State x0 = start;
  for (int k = 0; k < 3; ++k) {
    State x = start;
    x.t = k * loop.period();
    compute_kinematics(model, x, kin);
    compute_world_poses(model, kin);
    ASSERT_EQ(loop.sample(x, kin, VectorXd(), torques), Status::ok) << loop.failure();
  }
  for (int k = 3; k < 20; ++k) ASSERT_EQ(sample(loop, k, torques), Status::ok) << loop.failure();
  Archive out;
  loop.transfer(out);
  compute_kinematics(model, x0, kin);
  compute_world_poses(model, kin);
  ASSERT_EQ(other.sample(x0, kin, VectorXd(), again), Status::ok);
  Archive in(out.bytes());
  other.transfer(in);
  EXPECT_TRUE(in.at_end());
  for (int k = 20; k < 30; ++k) {
    ASSERT_EQ(sample(loop, k, torques), Status::ok);
    ASSERT_EQ(sample(other, k, again), Status::ok);
    EXPECT_EQ(torques, again);
  }
}

}  // namespace
}  // namespace limber::test
