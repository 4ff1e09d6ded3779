// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Backlash, efficiency and brakes of drives, load-dependent friction of a bearing, motors under voltage.
#include <cmath>

#include "limber/dynamics/derivatives.hpp"
#include "limber/dynamics/rnea.hpp"
#include "limber/simulate/equilibrium.hpp"
#include "one_joint.hpp"

namespace limber::test {
namespace {

constexpr double kFall = 9.81;

// ---- backlash -----------------------------------------------------------------------------------------

constexpr double kRatio = 10, kRotor = 5e-3, kGear = 800, kPlay = 0.04, kLink = 2;

Model with_backlash(double damping = 0, double gear = kGear, double spring = 0) {
  OneJoint with;
  with.stiffness = spring;
  with.drive = elastic(kRatio, kRotor, gear, damping);
  with.drive->backlash = kPlay;
  return make_one_joint(with);
}

// Twist phi: phi'' = -w^2 (|phi| - b/2) sign(phi) outside the backlash.
double twist_rate() { return std::sqrt(kGear * (1 / kLink + 1 / (kRatio * kRatio * kRotor))); }

// The twist of two masses that start in the middle of the backlash with the relative rate r: linear within the
// backlash, half a sine in contact, and back.
double flying_twist(double t, double rate, double w) {
  const double flight = kPlay / rate, touch = M_PI / w, half = flight + touch;
  double since = std::fmod(t + 0.5 * flight, 2 * half);
  const double sign = since < half ? 1 : -1;
  if (since >= half) since -= half;
  return sign *
         (since < flight ? -0.5 * kPlay + rate * since : 0.5 * kPlay + rate / w * std::sin(w * (since - flight)));
}

TEST(BacklashRuns, FlightAndImpactsAreTheClosedForm) {
  const Model model = with_backlash();
  const double rate = 0.9, w = twist_rate(), whole = kLink + kRatio * kRatio * kRotor;
  for (const auto& [name, step, bound] :
       {std::tuple{"dopri5", 1e-3, 2e-9}, {"rk4", 2e-4, 1e-8}, {"implicit", 1e-4, 3e-6}}) {
    State x = make_zero_state(model);
    x.v[1] = kRatio * rate;
    System system(model, {});
    Kept kept;
    const RunResult result = simulate(system, method(name, step), {1.5, 0.01}, x, kept);
    ASSERT_EQ(result.status, Status::ok) << result.failure;
    for (std::size_t k = 0; k < kept.t.size(); ++k) {
      EXPECT_NEAR(kept.q[k][1] / kRatio - kept.q[k][0], flying_twist(kept.t[k], rate, w), bound) << name << kept.t[k];
      EXPECT_NEAR(kLink * kept.v[k][0] + kRatio * kRotor * kept.v[k][1], kRotor * kRatio * kRatio * rate, 1e-12 * whole)
          << name;
    }
    EXPECT_LT(relative_error(result), 1e-8) << name;
  }
}

// With a damper d: depth = r / w_d exp(-D t) sin(w_d t), until k depth + d depth' = 0; the force is never tensile.
TEST(BacklashRuns, AnImpactWithADamperLosesWhatTheClosedFormSays) {
  const double d = 12, rate = 0.9, lightness = 1 / kLink + 1 / (kRatio * kRatio * kRotor);
  const double D = 0.5 * d * lightness, w = std::sqrt(kGear * lightness - D * D);
  // k sin(w t) + d (w cos(w t) - D sin(w t)) = 0
  const double leaves = (M_PI - std::atan(d * w / (kGear - d * D))) / w;
  const double after = rate * std::exp(-D * leaves) * (std::cos(w * leaves) - D / w * std::sin(w * leaves));
  const Model model = with_backlash(d);
  State x = make_zero_state(model);
  x.v[1] = kRatio * rate;
  System system(model, {});
  Kept kept;
  const double end = 0.5 * kPlay / rate + leaves + 0.01;
  const RunResult result = simulate(system, method("dopri5"), {end, end}, x, kept);
  ASSERT_EQ(result.status, Status::ok) << result.failure;
  EXPECT_NEAR(kept.v.back()[1] / kRatio - kept.v.back()[0], after, 1e-8);
  EXPECT_LT(relative_error(result), 1e-8);
}

// Chatter against a flank of 10^9 N m/rad, with a frequency of 50 000 rad/s, in steps of 10 ms.
TEST(BacklashRuns, TheImplicitStepIsStable) {
  const Model model = with_backlash(1e4, 1e9);
  Inputs inputs;
  inputs.speeds.push_back(push(1, Signal(0.2)));
  System system(model, inputs);
  Kept kept;
  const RunResult result = simulate(system, method("implicit", 1e-2), {2, 0.1}, make_zero_state(model), kept);
  ASSERT_EQ(result.status, Status::ok) << result.failure;
  for (std::size_t k = 0; k < kept.t.size(); ++k) {
    const double t = kept.t[k], twist = kept.q[k][1] / kRatio - kept.q[k][0];
    EXPECT_NEAR(kLink * kept.v[k][0] + kRatio * kRotor * kept.v[k][1], kRatio * 0.2 * t, 1e-9);
    EXPECT_LT(std::abs(twist), 0.5 * kPlay + 1e-3);
    EXPECT_LT(std::abs(kept.v[k][1] / kRatio - kept.v[k][0]), 0.4 + 1e-6);  // that of the first impact
  }
}

TEST(BacklashRuns, DerivativesAreThoseOfTheBranch) {
  const Model model = with_backlash(7);
  DerivativesWorkspace ws(model);
  RneaWorkspace rnea_ws(model);
  for (const double twist : {0.01, 0.05, -0.03}) {
    State x = make_zero_state(model);
    x.q << 0.3, kRatio * (0.3 + twist);
    x.v << 0.1, 1.3 + 10 * twist;
    MatrixXd by_q(2, 2), by_v(2, 2);
    const VectorXd a = VectorXd::Zero(2);
    rnea_derivatives(model, x, a, {}, ws, by_q, by_v);
    for (int k = 0; k < 2; ++k) {
      constexpr double kStep = 1e-5;
      VectorXd up(2), down(2);
      const auto slope = [&](VectorXd State::*part) {
        State moved = x;
        (moved.*part)[k] += kStep;
        rnea(model, moved, a, {}, rnea_ws, up);
        (moved.*part)[k] -= 2 * kStep;
        rnea(model, moved, a, {}, rnea_ws, down);
        return VectorXd((up - down) / (2 * kStep));
      };
      EXPECT_LT((by_q.col(k) - slope(&State::q)).norm(), 1e-6) << twist;
      EXPECT_LT((by_v.col(k) - slope(&State::v)).norm(), 1e-6) << twist;
    }
    EXPECT_EQ(by_q.isZero(0), std::abs(twist) < 0.5 * kPlay);
  }
}

TEST(BacklashRuns, AnEquilibriumLoadsOneFlank) {
  const Model model = with_backlash(0, kGear, 50);
  for (const double torque : {2.0, -2.0, 0.0}) {
    Inputs inputs;
    inputs.speeds = {push(0, Signal(3.0)), push(1, Signal(torque))};
    const Equilibrium found = find_equilibrium(model, inputs, make_zero_state(model));
    const double q = (3 + kRatio * torque) / 50;
    EXPECT_NEAR(found.x.q[0], q, 1e-12);
    const double twist = found.x.q[1] / kRatio - found.x.q[0];
    if (torque != 0) {
      EXPECT_NEAR(twist, kRatio * torque / kGear + std::copysign(0.5 * kPlay, torque), 1e-12);
    } else {
      EXPECT_LE(std::abs(twist), 0.5 * kPlay + 1e-15);
    }
  }
}

// ---- efficiency ---------------------------------------------------------------------------------------

// A hoist: a mass m on a joint that slides upward, a rigid gear with the rotor J, the force F of the motor at the
// joint.
//   up    m a = eta T - m g      T = F - n^2 J a
//   down  m a = T / eta - m g
struct Hoist {
  double mass = 20, ratio = 50, rotor = 2e-3, eta = 0.7;
  Model model(double stiffness = 0) const {
    OneJoint with;
    with.kind = JointKind::prismatic;
    with.inertia = mass;
    with.gravity = {-kFall, 0, 0};
    with.drive = elastic(ratio, rotor, stiffness);
    with.drive->efficiency = eta;
    return make_one_joint(with);
  }
  double at_joint() const { return ratio * ratio * rotor; }
};

TEST(EfficiencyRuns, AHoistGoesUpAndDownAsTheClosedFormSays) {
  for (const double eta : {0.7, 0.3}) {
    const Hoist hoist{20, 50, 2e-3, eta};
    const Model model = hoist.model();
    const double weight = hoist.mass * kFall, J = hoist.at_joint();
    const double up = (eta * 1.9 * weight - weight) / (hoist.mass + eta * J);
    const double down = (1.9 * weight / eta - weight) / (hoist.mass + J / eta);
    for (const char* name : {"dopri5", "implicit"}) {
      for (const double speed : {2.0, -2.0}) {
        Inputs inputs;
        inputs.speeds.push_back(push(0, Signal(1.9 * weight)));
        System system(model, inputs);
        State x = make_zero_state(model);
        x.v[0] = speed;
        Kept kept;
        const RunResult result = simulate(system, method(name, 1e-3), {0.05, 0.01}, x, kept);
        ASSERT_EQ(result.status, Status::ok) << result.failure;
        const double a = speed > 0 ? up : down;
        EXPECT_NEAR(kept.v.back()[0], speed + 0.05 * a, 1e-9) << name << eta;
        EXPECT_LT(relative_error(result), 1e-8) << name;
      }
    }
  }
}

// At constant speed a motor lifts with m g / eta and lowers with eta m g.
TEST(EfficiencyRuns, APrescribedHoistNeedsWhatTheGearLoses) {
  const Hoist hoist;
  const Model model = hoist.model();
  const double weight = hoist.mass * kFall;
  for (const double speed : {0.4, -0.4}) {
    Inputs inputs;
    inputs.motions.push_back({1, {Signal::polynomial(0, std::vector<double>{0, speed})}, "motion"});
    System system(model, inputs);
    State x = make_zero_state(model);
    system.select_interval(1);
    system.prescribe(x);
    VectorXd vdot(1);
    ASSERT_EQ(system.accelerate(x, vdot), Status::ok);
    EXPECT_NEAR(system.torques()[0], speed > 0 ? weight / hoist.eta : weight * hoist.eta, 1e-9 * weight);
  }
}

// At rest any force of the motor between eta m g and m g / eta holds the load.
TEST(EfficiencyRuns, ALoadIsHeldBetweenBothForces) {
  const Hoist hoist;
  const Model model = hoist.model();
  const double weight = hoist.mass * kFall;
  for (const auto& [share, moves] : {std::pair{0.72, 0}, {1.4, 0}, {0.65, -1}, {1.5, 1}}) {
    Inputs inputs;
    inputs.speeds.push_back(push(0, Signal(share * weight)));
    System system(model, inputs);
    Kept kept;
    const RunResult result = simulate(system, method("implicit", 1e-2), {5, 1}, make_zero_state(model), kept);
    ASSERT_EQ(result.status, Status::ok) << result.failure;
    if (moves == 0) {
      EXPECT_NEAR(kept.q.back()[0], 0, 1e-9) << share;
    } else {
      EXPECT_GT(moves * kept.q.back()[0], 0.1) << share;
    }
  }
}

// phi'' + w^2 phi = u / n J + g, w^2 = k (1 / n^2 J + eta / m), while it lifts.
TEST(EfficiencyRuns, AnElasticHoistIsTheClosedForm) {
  const Hoist hoist;
  const double k = 4e4, u = 6, m = hoist.mass, J = hoist.rotor, n = hoist.ratio;
  const Model model = hoist.model(k);
  const double w = std::sqrt(k * (1 / (n * n * J) + hoist.eta / m)), rest = (u / (n * J) + kFall) / (w * w);
  State x = make_zero_state(model);
  x.q[1] = n * 1.2 * rest;
  x.v << 1.5, n * 1.5;
  Inputs inputs;
  inputs.speeds.push_back(push(1, Signal(u)));
  System system(model, inputs);
  Kept kept;
  const RunResult result = simulate(system, method("dopri5"), {0.3, 0.01}, x, kept);
  ASSERT_EQ(result.status, Status::ok) << result.failure;
  for (std::size_t i = 0; i < kept.t.size(); ++i) {
    const double t = kept.t[i], phi = rest + 0.2 * rest * std::cos(w * t);
    ASSERT_GT(kept.v[i][0], 0);
    EXPECT_NEAR(kept.q[i][1] / n - kept.q[i][0], phi, 1e-9);
    const double c = hoist.eta * k / m;  // q'' = c phi - g
    EXPECT_NEAR(kept.q[i][0],
                1.5 * t + 0.5 * (c * rest - kFall) * t * t + c * 0.2 * rest * (1 - std::cos(w * t)) / (w * w), 1e-9);
  }
  EXPECT_LT(relative_error(result), 1e-8);
}

// ---- brakes -------------------------------------------------------------------------------------------

Signal switched(std::initializer_list<std::pair<double, double>> until_and_value, double last) {
  std::vector<Signal::Piece> pieces;
  for (const auto& [until, value] : until_and_value) pieces.push_back({until, Signal(value)});
  pieces.push_back({0, Signal(last)});
  return Signal::pieces(pieces);
}

TEST(BrakeRuns, AHeldLoadDoesNotDrift) {
  for (const bool on_motor : {false, true}) {
    OneJoint with;
    with.kind = JointKind::prismatic;
    with.gravity = {-kFall, 0, 0};
    with.drive = elastic(30, 1e-3, on_motor ? 5e4 : 0, on_motor ? 300 : 0);
    with.drive->brake = Brake{1, 1.2};  // 36 N at the joint, of 20 N
    const Model model = make_one_joint(with);
    Inputs inputs;
    inputs.brakes.push_back({1, Signal(1.0), "brake"});
    System system(model, inputs);
    State x = make_zero_state(model);
    if (on_motor) x.q[1] = 30 * (2 * kFall) / 5e4;  // the transmission bears the load
    const VectorXd start = x.q;
    Kept kept;
    const RunResult result = simulate(system, method("implicit", 0.1), {1e4, 1000}, x, kept);
    ASSERT_EQ(result.status, Status::ok) << result.failure;
    for (const VectorXd& q : kept.q) EXPECT_LT((q - start).norm(), 1e-12);
    EXPECT_TRUE(result.saturation.empty());
  }
}

// From 5 rad/s with n T = 12 N m on I + n^2 J: at rest after 5 (I + n^2 J) / 12 s; after release it follows the torque.
TEST(BrakeRuns, ASlippingBrakeStopsTheJointAndLetsItGo) {
  for (const auto& [name, step, bound] : {std::tuple{"dopri5", 1e-3, 1e-8}, {"implicit", 1e-3, 1e-5}}) {
    OneJoint with;
    with.drive = elastic(-4, 0.01, 0);
    with.drive->brake = Brake{3, 3.5, false, 1e-7};
    const Model model = make_one_joint(with);
    const double whole = 2 + 16 * 0.01, slows = 12 / whole;
    Inputs inputs;
    inputs.brakes.push_back({1, switched({{0.5, 0}, {3, 1}}, 0), "brake"});
    inputs.speeds.push_back(push(0, switched({{2, 0}}, 6)));
    State x = make_zero_state(model);
    x.v[0] = 5;
    System system(model, inputs);
    Kept kept;
    const RunResult result = simulate(system, method(name, step), {4, 0.25}, x, kept);
    ASSERT_EQ(result.status, Status::ok) << result.failure;
    const double stands = 2.5 + 0.5 * 25 / slows;
    for (std::size_t k = 0; k < kept.t.size(); ++k) {
      const double t = kept.t[k], since = std::min(t - 0.5, 5 / slows), free = std::max(0.0, t - 3);
      const double q = t <= 0.5 ? 5 * t : t <= 3 ? 2.5 + 5 * since - 0.5 * slows * since * since : stands;
      EXPECT_NEAR(kept.q[k][0], q + 0.5 * 6 / whole * free * free, bound + 1e-6) << name << t;
    }
    ASSERT_EQ(result.saturation.size(), 1u);
    EXPECT_EQ(result.saturation[0].speed, "elbow brake");
    EXPECT_EQ(result.saturation[0].spells, 1);
    EXPECT_NEAR(result.saturation[0].seconds, 5 / slows, 2e-3);
    EXPECT_LT(relative_error(result), 1e-8) << name;
  }
}

// A load above the static torque of the brake makes it slip from the start: a = (F - T) / m.
TEST(BrakeRuns, ABrakeThatIsTooWeakSlips) {
  OneJoint with;
  with.drive = elastic(1, 0, 0);
  with.drive->brake = Brake{3, 3.5, true, 1e-8};
  const Model model = make_one_joint(with);
  Inputs inputs;
  inputs.brakes.push_back({1, Signal(1.0), "brake"});
  inputs.speeds.push_back(push(0, Signal(5.0)));
  System system(model, inputs);
  Kept kept;
  const RunResult result = simulate(system, method("dopri5"), {2, 1}, make_zero_state(model), kept);
  ASSERT_EQ(result.status, Status::ok) << result.failure;
  EXPECT_NEAR(kept.v.back()[0], (5 - 3) / 2.0 * 2, 1e-3);
  EXPECT_LT(relative_error(result), 1e-8);
}

// A brake engaged slowly, u = t: it slips while the load exceeds its torque.
TEST(BrakeRuns, ARampOfTheCommandIsFollowed) {
  OneJoint with;
  with.drive = elastic(1, 0, 0);
  with.drive->brake = Brake{4, 4, true, 1e-8};
  const Model model = make_one_joint(with);
  Inputs inputs;
  VectorXd t(2), y(2);
  t << 0, 2;
  y << 1, 0;
  inputs.brakes.push_back({1, Signal::table(t, y, Interpolation::linear), "brake"});
  inputs.speeds.push_back(push(0, Signal(2.0)));
  System system(model, inputs);
  Kept kept;
  const RunResult result = simulate(system, method("dopri5"), {2, 0.5}, make_zero_state(model), kept);
  ASSERT_EQ(result.status, Status::ok) << result.failure;
  EXPECT_NEAR(kept.v[2][0], 0, 1e-6);  // 4 (1 - t / 2) = 2 at t = 1; then 2 v' = 2 - 4 (1 - t / 2)
  EXPECT_NEAR(kept.v.back()[0], 0.5, 1e-6);
  EXPECT_LT(relative_error(result), 1e-8);
}

// ---- load-dependent friction --------------------------------------------------------------------------

Model block_on_incline(double angle, double coefficient) {
  OneJoint with;
  with.kind = JointKind::prismatic;
  with.gravity = {0, 0, -kFall};
  with.tilt = Eigen::AngleAxisd(angle, Vector3d::UnitY()).toRotationMatrix();
  with.friction = JointFriction{};
  with.friction->load = LoadFriction{coefficient, coefficient, 0};
  with.friction->presliding = 1e-6;
  return make_one_joint(with);
}

TEST(LoadFrictionRuns, ABlockSlidesAsCoulombSays) {
  const Model model = block_on_incline(0.5, 0.3);
  for (const char* name : {"dopri5", "implicit"}) {
    System system(model, {});
    State x = make_zero_state(model);
    x.v[0] = 1e-3;
    Kept kept;
    const RunResult result = simulate(system, method(name), {2, 0.5}, x, kept);
    ASSERT_EQ(result.status, Status::ok) << result.failure;
    const double a = kFall * (std::sin(0.5) - 0.3 * std::cos(0.5));
    EXPECT_NEAR(kept.v.back()[0], 1e-3 + 2 * a, 1e-9);
    EXPECT_NEAR(kept.q.back()[0], 2e-3 + 2 * a, 1e-9);
    EXPECT_LT(relative_error(result), 1e-8) << name;
  }
}

TEST(LoadFrictionRuns, ABlockBelowTheFrictionAngleSticks) {
  const double angle = 0.99 * std::atan(0.3);
  const Model model = block_on_incline(angle, 0.3);
  System system(model, {});
  Kept kept;
  const RunResult result = simulate(system, method("implicit", 0.1), {1e4, 1000}, make_zero_state(model), kept);
  ASSERT_EQ(result.status, Status::ok) << result.failure;
  for (const VectorXd& q : kept.q) EXPECT_NEAR(q[0], 0, 1e-15);
  // Above the friction angle it slides.
  const Model steeper = block_on_incline(1.01 * std::atan(0.3), 0.3);
  System slides(steeper, {});
  Kept slid;
  ASSERT_EQ(simulate(slides, method("implicit", 0.01), {10, 1}, make_zero_state(steeper), slid).status, Status::ok);
  const double tilt = 1.01 * std::atan(0.3), a = kFall * (std::sin(tilt) - 0.3 * std::cos(tilt));
  EXPECT_NEAR(slid.q.back()[0], 0.5 * a * 100, 0.02 * 50 * a);
}

// A pendulum in a journal bearing of radius r with the force N on its pin, implicit in the acceleration:
//   I a = -m g L sin(q) - mu r N sign(v)      N = m |(g cos q + L v^2, g sin q + L a)|
// By SciPy's DOP853 (rtol 1e-12), between reversals, with a by Brent's method.
TEST(LoadFrictionRuns, AJournalBearingIsThatOfAReference) {
  OneJoint with;
  with.mass = 1.5;
  with.inertia = 0.02;
  with.com = {0.4, 0, 0};
  with.gravity = {kFall, 0, 0};
  with.friction = JointFriction{};
  with.friction->load = LoadFriction{0.3, 0.3, 0.03};
  with.friction->presliding = 1e-8;
  const Model model = make_one_joint(with);
  State x = make_zero_state(model);
  x.q[0] = 1.2;
  x.v[0] = -1e-13;
  System system(model, {});
  Kept kept;
  SolverOptions fine = method("dopri5");
  fine.rtol = 1e-11;
  const RunResult result = simulate(system, fine, {3, 0.1}, x, kept);
  ASSERT_EQ(result.status, Status::ok) << result.failure;
  for (const auto& [k, q, v, bound] : {std::tuple{3, 0.346565432400, -5.005569738489, 1e-8},
                                       {5, -0.637016662614, -4.112852698099, 1e-8},
                                       {10, -0.396767902744, 4.573118049147, 2e-5},
                                       {20, -0.790544234849, -2.450337583899, 5e-5},
                                       {30, 0.656812323106, -2.671281161571, 5e-5}}) {
    EXPECT_NEAR(kept.q[static_cast<std::size_t>(k)][0], q, bound) << k;
    EXPECT_NEAR(kept.v[static_cast<std::size_t>(k)][0], v, 5 * bound) << k;
  }
  EXPECT_LT(relative_error(result), 1e-8);
}

// ---- motors -------------------------------------------------------------------------------------------

// (I + n^2 J) w' = n k_t (u - k_e n w) / R.
TEST(MotorRuns, AStepOfVoltageIsTheClosedForm) {
  OneJoint with;
  with.drive = elastic(20, 1e-3, 0);
  with.drive->motor = Motor{0.1, 0.08, 0.5, 0, 0, {}};
  const Model model = make_one_joint(with);
  const double whole = 2 + 400 * 1e-3, end = 12 / (0.08 * 20), lag = whole * 0.5 / (0.1 * 0.08 * 400);
  for (const auto& [name, step, bound] :
       {std::tuple{"dopri5", 1e-3, 1e-8}, {"implicit", 1e-3, 1e-5}, {"implicit", 5.0, end}}) {
    Inputs inputs;
    inputs.speeds.push_back({0, Signal(12.0), "step", DriveCommand::voltage});
    System system(model, inputs);
    Kept kept;
    SolverOptions solver = method(name, step);
    solver.rho_inf = step > lag ? 0 : 1;
    const RunResult result = simulate(system, solver, {50, 5}, make_zero_state(model), kept);
    ASSERT_EQ(result.status, Status::ok) << result.failure;
    for (std::size_t k = 0; k < kept.t.size(); ++k)
      EXPECT_NEAR(kept.v[k][0], end * (1 - std::exp(-kept.t[k] / lag)), bound) << name << step;
    EXPECT_NEAR(kept.v.back()[0], end, 1e-3);
  }
}

TEST(MotorRuns, ACurrentIsATorqueAndAnUnknownMotorIsRefused) {
  OneJoint with;
  with.drive = elastic(20, 1e-3, 500);
  with.drive->motor = Motor{0.1, 0.1, 0, 0, 0, {}};
  const Model model = make_one_joint(with);
  Inputs inputs;
  inputs.speeds.push_back({1, Signal(3.0), "step", DriveCommand::current});
  System system(model, inputs);
  VectorXd vdot(2);
  ASSERT_EQ(system.accelerate(make_zero_state(model), vdot), Status::ok);
  EXPECT_NEAR(vdot[1], 0.3 / 1e-3, 1e-9);
  inputs.speeds[0].command = DriveCommand::voltage;  // no resistance
  EXPECT_THROW(System(model, inputs), InputError);
  inputs.speeds[0] = {0, Signal(3.0), "step", DriveCommand::current};  // the joint after the spring
  EXPECT_THROW(System(model, inputs), InputError);
  inputs = {};
  inputs.brakes.push_back({1, Signal(1.0), "brake"});
  EXPECT_THROW(System(model, inputs), InputError);
}

}  // namespace
}  // namespace limber::test
