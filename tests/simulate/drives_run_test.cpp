// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Drives and friction in time: two masses with a gear spring, stick-slip, limits.
#include <cmath>

#include "limber/simulate/equilibrium.hpp"
#include "one_joint.hpp"

namespace limber::test {
namespace {

// ---- two masses ---------------------------------------------------------------------------------------

// J theta'' = u - k phi / n, I q'' = k phi, phi = theta / n - q: phi'' + w^2 phi = u / (n J), w^2 = k (1 / I + 1 / n^2
// J).
TEST(DriveRuns, AStepOfMotorTorqueIsTheClosedForm) {
  OneJoint with;
  with.drive = elastic(10, 5e-3, 800);
  const Model model = make_one_joint(with);
  const double n = 10, J = 5e-3, k = 800, I = 2, u = 1.5;
  const double w = std::sqrt(k * (1 / I + 1 / (n * n * J))), whole = I + n * n * J;
  ASSERT_EQ(model.speeds[1], "elbow.motor");
  for (const auto& [name, step, bound] :
       {std::tuple{"dopri5", 1e-3, 1e-9}, {"rk4", 1e-4, 1e-9}, {"implicit", 1e-4, 1e-6}}) {
    Inputs inputs;
    inputs.speeds.push_back(push(1, Signal(u)));
    System system(model, inputs);
    Kept kept;
    const RunResult result = simulate(system, method(name, step), {1, 0.01}, make_zero_state(model), kept);
    ASSERT_EQ(result.status, Status::ok) << result.failure;
    for (std::size_t i = 0; i < kept.t.size(); ++i) {
      const double t = kept.t[i], phi = u / (n * J * w * w) * (1 - std::cos(w * t));
      const double mean = 0.5 * n * u / whole * t * t;  // (I q + n J theta) / whole
      EXPECT_NEAR(kept.q[i][0], mean - n * n * J / whole * phi, bound) << name << t;
      EXPECT_NEAR(kept.q[i][1] / n, mean + I / whole * phi, bound) << name << t;
    }
    EXPECT_LT(relative_error(result), 1e-8) << name;
  }
}

TEST(DriveRuns, TheImplicitStepIsStableWithAStiffTransmission) {
  OneJoint with;
  with.drive = elastic(100, 1e-4, 1e9, 10);
  const Model model = make_one_joint(with);
  Inputs inputs;
  inputs.speeds.push_back(push(1, Signal(0.2)));
  System system(model, inputs);
  Kept kept;
  const RunResult result = simulate(system, method("implicit", 1e-2), {1, 0.1}, make_zero_state(model), kept);
  ASSERT_EQ(result.status, Status::ok) << result.failure;
  EXPECT_NEAR(kept.q.back()[0], 0.5 * 20 / 3.0, 1e-3);
  EXPECT_LT(relative_error(result), 1e-8);
}

TEST(DriveRuns, AnEquilibriumTwistsTheTransmission) {
  OneJoint with;
  with.stiffness = 50;
  with.drive = elastic(-4, 0.01, 300);
  const Model model = make_one_joint(with);
  Inputs inputs;
  inputs.speeds = {push(0, Signal(3.0)), push(1, Signal(2.0))};
  const Equilibrium found = find_equilibrium(model, inputs, make_zero_state(model));
  const double q = (3 - 4 * 2.0) / 50;  // all torques referred to the joint
  EXPECT_NEAR(found.x.q[0], q, 1e-12);
  EXPECT_NEAR(found.x.q[1], -4 * (q + (-4 * 2.0) / 300), 1e-11);
}

// ---- friction -----------------------------------------------------------------------------------------

JointFriction dry(double coulomb, double breakaway, double stribeck, double presliding) {
  JointFriction out;
  out.coulomb = coulomb;
  out.breakaway = breakaway;
  out.stribeck = stribeck;
  out.presliding = presliding;
  return out;
}

TEST(FrictionRuns, ABlockOnAnInclineSticks) {
  OneJoint with;
  with.kind = JointKind::prismatic;
  with.gravity = {0, 0, -9.81};
  with.tilt = Eigen::AngleAxisd(0.3, Vector3d::UnitY()).toRotationMatrix();
  with.friction = dry(6, 7, 0, 1e-5);
  const Model model = make_one_joint(with);
  System system(model, {});
  Kept kept;
  const RunResult result = simulate(system, method("implicit", 0.1), {1e4, 1000}, make_zero_state(model), kept);
  ASSERT_EQ(result.status, Status::ok) << result.failure;
  for (const VectorXd& q : kept.q) EXPECT_EQ(q[0], 0);  // held without a transient
  EXPECT_LT(relative_error(result), 1e-8);

  State pushed = make_zero_state(model);
  pushed.v[0] = 1e-3;
  System again(model, {});
  Kept slid;
  ASSERT_EQ(simulate(again, method("implicit", 0.1), {1e4, 1000}, pushed, slid).status, Status::ok);
  const double mg = 2 * 9.81 * std::sin(0.3), way = 1e-6 / (6 - mg);
  EXPECT_NEAR(slid.q[1][0], way, 0.02 * way + 2e-5);
  for (std::size_t k = 2; k < slid.q.size(); ++k) EXPECT_NEAR(slid.q[k][0], slid.q[1][0], 1e-9);
}

// A sliding block stops after v^2 m / 2 C, except for the presliding.
TEST(FrictionRuns, ASlidingBlockStopsWhereCoulombSays) {
  for (const char* name : {"dopri5", "rk4", "implicit", "cvode"}) {
    OneJoint with;
    with.kind = JointKind::prismatic;
    with.friction = dry(4, 4, 0, 1e-6);
    const Model model = make_one_joint(with);
    State x = make_zero_state(model);
    x.v[0] = -1.5;
    System system(model, {});
    Kept kept;
    RunResult result;
    try {
      result = simulate(system, method(name, 2e-5), {1, 0.1}, x, kept);
    } catch (const InputError&) {
      continue;  // a build without cvode
    }
    ASSERT_EQ(result.status, Status::ok) << name << result.failure;
    EXPECT_NEAR(kept.q.back()[0], -1.5 * 1.5 * 2 / 8, 1.1e-6) << name;
    EXPECT_NEAR(kept.v.back()[0], 0, 1e-9) << name;
    EXPECT_LT(relative_error(result), std::string(name) == "cvode" ? 1e-6 : 1e-8) << name;
  }
}

// A block of 1 kg pulled at 0.1 m/s by a spring of 100 N/m with 0.5 N s/m, C = 5 N, S = 8 N, v_s = 0.05 m/s, with ideal
// sticking: SciPy's DOP853 (rtol 1e-13) from slip to slip:
//   period 1.050207819090 s, slip 0.427698571907 s, jump 0.105020781909 m
TEST(FrictionRuns, StickSlipHasTheLimitCycleOfAReference) {
  constexpr double kPeriod = 1.050207819090, kJump = 0.105020781909;
  for (const auto& [name, step, bound] : {std::tuple{"dopri5", 1e-3, 2e-4}, {"implicit", 2e-4, 5e-4}}) {
    OneJoint with;
    with.kind = JointKind::prismatic;
    with.inertia = 1;
    with.stiffness = 100;
    with.damping = 0.5;
    with.friction = dry(5, 8, 0.05, 1e-6);
    const Model model = make_one_joint(with);
    Inputs inputs;
    inputs.speeds.push_back(push(0, Signal::expression("10*t")));
    System system(model, inputs);
    Kept kept;
    const RunResult result = simulate(system, method(name, step), {12, 1e-3}, make_zero_state(model), kept);
    ASSERT_EQ(result.status, Status::ok) << result.failure;
    std::vector<double> slips, places;
    for (std::size_t k = 1; k < kept.t.size(); ++k) {
      const bool before = std::abs(kept.v[k - 1][0]) > 1e-3, now = std::abs(kept.v[k][0]) > 1e-3;
      if (!before && now && kept.t[k] > 3) {
        slips.push_back(kept.t[k]);
        places.push_back(kept.q[k - 1][0]);
      }
    }
    ASSERT_GE(slips.size(), 6u);
    const double periods = static_cast<double>(slips.size() - 1);
    EXPECT_NEAR((slips.back() - slips.front()) / periods, kPeriod, 1e-3 / periods + bound) << name;
    EXPECT_NEAR((places.back() - places.front()) / periods, kJump, bound) << name;
    EXPECT_LT(relative_error(result), 1e-8) << name;
  }
}

TEST(FrictionRuns, AJointWithPrescribedMotionNeedsTheForceOfFriction) {
  OneJoint with;
  with.friction = dry(3, 3, 0, 1e-4);
  const Model model = make_one_joint(with);
  Inputs inputs;
  inputs.motions.push_back({1, {Signal::expression("sin(2*t)")}, "motion"});
  System system(model, inputs);
  State x = make_zero_state(model);
  x.t = 1;
  VectorXd vdot(1);
  system.select_interval(1);
  system.prescribe(x);
  ASSERT_EQ(system.accelerate(x, vdot), Status::ok);
  EXPECT_NEAR(system.torques()[0], -2 * 4 * std::sin(2.0) - 3, 1e-12);  // cos 2 < 0
}

// ---- limits -------------------------------------------------------------------------------------------

// Controllers are clipped; torque inputs are loads.
TEST(LimitRuns, EffortIsCutAndCounted) {
  OneJoint with;
  with.effort = 3;
  const Model model = make_one_joint(with);
  Inputs inputs;
  inputs.speeds.push_back(push(0, Signal(5.0)));
  System system(model, inputs);
  system.set_control_torques(VectorXd::Constant(1, -10));
  Kept kept;
  const RunResult result = simulate(system, method("rk4", 1e-3), {2, 0.1}, make_zero_state(model), kept);
  ASSERT_EQ(result.saturation.size(), 1u);
  EXPECT_EQ(result.saturation[0].speed, "elbow");
  EXPECT_EQ(result.saturation[0].spells, 1);
  EXPECT_NEAR(result.saturation[0].seconds, 2, 1e-9);
  EXPECT_NEAR(kept.v.back()[0], (5 - 3) / 2.0 * 2, 1e-9);
  EXPECT_LT(relative_error(result), 1e-8);
}

TEST(LimitRuns, VelocityBeyondItsLimitIsTold) {
  OneJoint with;
  with.velocity = 2;
  const Model model = make_one_joint(with);
  System system(model, {});
  system.set_control_torques(VectorXd::Constant(1, 4));
  Kept kept;
  const RunResult result = simulate(system, method("rk4", 1e-3), {2, 0.1}, make_zero_state(model), kept);
  ASSERT_EQ(result.saturation.size(), 1u);
  EXPECT_EQ(result.saturation[0].speed, "elbow velocity");
  EXPECT_NEAR(result.saturation[0].seconds, 1, 3e-3);
  EXPECT_NEAR(kept.v.back()[0], 4, 1e-9);
}

// k_t (V - k_e w) / R at the speed w, k_t I below.
TEST(LimitRuns, AMotorIsLimitedByCurrentAndVoltage) {
  Drive drive = elastic(20, 1e-4, 0);
  drive.motor = Motor{0.1, 0.1, 0.5, 20, 24, {}};
  EXPECT_DOUBLE_EQ(motor_torque_range(drive, 0).second, 2);
  EXPECT_DOUBLE_EQ(motor_torque_range(drive, 200).second, 0.1 * (24 - 20) / 0.5);
  EXPECT_DOUBLE_EQ(motor_torque_range(drive, 200).first, -2);
  EXPECT_DOUBLE_EQ(motor_torque_range(drive, 300).second, 0.1 * (24 - 30) / 0.5);  // it brakes
  drive.motor->curve = {{0, 1.5}, {100, 1.5}, {300, 0.5}};
  EXPECT_DOUBLE_EQ(motor_torque_range(drive, -100).first, -1.5);
  EXPECT_DOUBLE_EQ(motor_torque_range(drive, 200).first, -1);
  OneJoint with;
  with.drive = drive;
  const Model model = make_one_joint(with);
  Inputs inputs;
  inputs.speeds.push_back(push(0, Signal(1000.0)));
  System system(model, inputs);
  VectorXd vdot(1);
  ASSERT_EQ(system.accelerate(make_zero_state(model), vdot), Status::ok);
  EXPECT_NEAR(system.torques()[0], 20 * 1.5, 1e-12);
  EXPECT_NEAR(vdot[0], 30 / (2 + 400 * 1e-4), 1e-12);
}

}  // namespace
}  // namespace limber::test
