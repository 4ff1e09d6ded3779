// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rotors on flexible supports: steady motions, Floquet frequencies and multi-blade coordinates against closed forms,
// against each other, and against the motion itself.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "limber/dynamics/aba.hpp"
#include "limber/linear/campbell.hpp"
#include "limber/linear/linearize.hpp"
#include "limber/model/manifold.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "support/close.hpp"
#include "support/turbine.hpp"

namespace limber::test {
namespace {

using Complex = std::complex<double>;
constexpr double kPi = std::numbers::pi;

RotorOptions shaft(const Model& model, bool free = false) {
  RotorOptions options;
  options.rotor = model.joint_index("shaft");
  options.free = free;
  return options;
}

// The model integrated by the Runge-Kutta method; the rotor at constant speed, or free under a torque.
class Motion4 {
 public:
  Motion4(const Model& model, const RotorOptions& options, double torque = 0)
      : model_(model), ws_(model), held_(model.bodies.size(), 0), tau_(VectorXd::Zero(model.nv)), needed_(tau_) {
    if (!options.free) held_[static_cast<std::size_t>(options.rotor)] = 1;
    tau_[model.joints[options.rotor].v] = torque;
  }
  void step(State& x, double h) {
    const auto rate = [&](const State& y) {
      State d{1, y.v, VectorXd::Zero(model_.nv)};
      EXPECT_EQ(hybrid(model_, y, Forces{tau_}, held_, ws_, d.v, needed_), Status::ok);
      return d;
    };
    const auto plus = [&](const State& d, double s) { return State{x.t, x.q + s * d.q, x.v + s * d.v}; };
    const State a = rate(x), b = rate(plus(a, h / 2)), c = rate(plus(b, h / 2)), d = rate(plus(c, h));
    x.q += h / 6 * (a.q + 2 * b.q + 2 * c.q + d.q);
    x.v += h / 6 * (a.v + 2 * b.v + 2 * c.v + d.v);
    x.t += h;
  }
  State after(State x, double t, int steps) {
    for (int k = 0; k < steps; ++k) step(x, t / steps);
    return x;
  }

 private:
  const Model& model_;
  AbaWorkspace ws_;
  std::vector<std::uint8_t> held_;
  VectorXd tau_, needed_;
};

// ---- closed forms ------------------------------------------------------------------------------------

// A disk on a shaft that tilts against springs (Jeffcott's rotor with gyroscopic effect):
//   I a'' + Ip W b' + k a = 0,  I b'' - Ip W a' + k b = 0:  omega = sqrt(k / I + (g / 2)^2) +- g / 2, g = Ip W / I
// (Genta, Dynamics of Rotating Systems, 2005, section 2.6).
struct Disk {
  double I = 3, Ip = 4, k = 700, frame = 0.5, offset = 0, gravity = 0;
  JointKind support = JointKind::universal;
};
Model make_disk(const Disk& d) {
  ModelBuilder builder("disk");
  builder.gravity({0, -d.gravity, 0});
  RigidSpec mast, disk;
  mast.mass = disk.mass = 1;
  mast.inertia = d.frame * Matrix3d::Identity();
  disk.inertia = Vector3d(d.I - d.frame, d.I - d.frame, d.Ip).asDiagonal();
  disk.com = {d.offset, 0, d.offset};
  Body mast_body = make_rigid_body(mast), disk_body = make_rigid_body(disk);
  mast_body.name = "mast", disk_body.name = "disk";
  builder.add_body(mast_body), builder.add_body(disk_body);
  Joint tilt;
  tilt.name = "tilt", tilt.kind = d.support, tilt.axis = Vector3d::UnitX(), tilt.axis2 = Vector3d::UnitY();
  tilt.stiffness = VectorXd::Constant(speed_count(d.support), d.k);
  tilt.damping = tilt.armature = VectorXd::Zero(speed_count(d.support));
  builder.add_joint(tilt, "world", "mast");
  Joint turn;
  turn.name = "shaft", turn.kind = JointKind::revolute;
  turn.stiffness = turn.damping = turn.armature = VectorXd::Zero(1);
  builder.add_joint(turn, "mast", "disk");
  return builder.build();
}

TEST(RotorModes, GyroscopicSplitOfADisk) {
  const Disk disk;
  const auto [I, Ip, k, frame, offset, gravity, support] = disk;
  const Model model = make_disk(disk);
  for (const double speed : {0.5, 5.0, -20.0, 80.0}) {
    const RotorModes found = compute_rotor_modes(model, make_zero_state(model), shaft(model), speed);
    EXPECT_EQ(found.method, RotorMethod::constant);
    const double g = Ip * std::abs(speed) / I, middle = std::sqrt(k / I + g * g / 4);
    ASSERT_EQ(found.modes.size(), 2U);
    EXPECT_NEAR(found.modes[0].frequency, middle - g / 2, 1e-10 * middle) << speed;
    EXPECT_NEAR(found.modes[1].frequency, middle + g / 2, 1e-10 * middle) << speed;
    EXPECT_NEAR(found.modes[1].damping, 0, 1e-12);
    // Forward whirl turns with the rotor.
    const VectorXcd& shape = found.modes[1].harmonics[0].shape;
    EXPECT_NEAR(std::abs(shape[1] / shape[0] - Complex(0, speed > 0 ? -1 : 1)), 0, 1e-9);
  }
}

// The same on a spherical joint, whose coordinates are a quaternion: there is a torsional mode as well.
TEST(RotorModes, GyroscopicSplitOnABallJoint) {
  Disk disk;
  disk.support = JointKind::spherical;
  const Model model = make_disk(disk);
  const RotorModes found = compute_rotor_modes(model, make_zero_state(model), shaft(model), 20);
  const double g = disk.Ip * 20 / disk.I, middle = std::sqrt(disk.k / disk.I + g * g / 4);
  ASSERT_EQ(found.modes.size(), 3U);
  EXPECT_NEAR(found.modes[0].frequency, middle - g / 2, 1e-10 * middle);
  EXPECT_NEAR(found.modes[1].frequency, std::sqrt(disk.k / (disk.frame + disk.Ip)), 1e-10 * middle);
  EXPECT_NEAR(found.modes[2].frequency, middle + g / 2, 1e-10 * middle);
}

// Between its points, too, the steady motion of an unbalanced disk under gravity satisfies the equations of motion.
TEST(SteadyMotion, HoldsBetweenItsPoints) {
  for (const JointKind support : {JointKind::universal, JointKind::spherical}) {
    const Model model = make_disk({.offset = 0.4, .gravity = 9.81, .support = support});
    const RotorOptions options = shaft(model);
    const SteadyMotion motion = find_steady_motion(model, make_zero_state(model), options, 7);
    EXPECT_GT(motion.speeds.cwiseAbs().maxCoeff(), 7.0 - 1e-12);
    EXPECT_GT((motion.speeds.colwise() - motion.speeds.col(0)).norm(), 0.1);  // it is not constant
    AbaWorkspace ws(model);
    std::vector<std::uint8_t> held(model.bodies.size(), 0);
    held[static_cast<std::size_t>(options.rotor)] = 1;
    const VectorXd none = VectorXd::Zero(model.nv);
    constexpr double h = 1e-4;
    for (double t = 0.013; t < motion.period(); t += 0.1) {
      const State x = motion.at(model, t), before = motion.at(model, t - h), after = motion.at(model, t + h);
      VectorXd vdot = none, needed = none, way(model.nv);
      ASSERT_EQ(hybrid(model, x, Forces{none}, held, ws, vdot, needed), Status::ok);
      EXPECT_CLOSE(((after.v - before.v) / (2 * h)).eval(), vdot, 1e-4);
      chart_coordinates(model, before.q, after.q, way);
      EXPECT_CLOSE((way / (2 * h)).eval(), x.v, 1e-4);
    }
  }
}

// ---- against the motion ------------------------------------------------------------------------------

struct TurbineCase {
  const char* name;
  TurbineSpec spec;
  double speed;
  bool free;
};
std::vector<TurbineCase> turbine_cases() {
  return {{"two blades", {.blade_mass = {6, 6}}, 6, false},
          {"unequal blades and weight", {.blade_mass = {6, 5}, .damping = 0.01, .gravity = 9.81}, -4, false},
          {"one blade, free", {.blade_mass = {6}, .damping = 0.02, .rotor_damping = 3, .gravity = 9.81}, 5, true},
          {"flexible blades and weight", {.blade_mass = {6, 6}, .blade_EI = 4e4, .gravity = 9.81}, 6, false}};
}

TEST(SteadyMotion, RepeatsItselfAfterATurn) {
  for (const TurbineCase& c : turbine_cases()) {
    SCOPED_TRACE(c.name);
    const Model model = make_turbine(c.spec);
    const RotorOptions options = shaft(model, c.free);
    const SteadyMotion motion = find_steady_motion(model, make_zero_state(model), options, c.speed);
    Motion4 flow(model, options, motion.torque);
    State x = flow.after(motion.at(model, 0), motion.period(), 4000);
    EXPECT_NEAR(x.q[model.coordinate("shaft")],
                motion.at(model, 0).q[model.coordinate("shaft")] + (c.speed > 0 ? 2 : -2) * kPi, 2e-9);
    x.q[model.coordinate("shaft")] -= (c.speed > 0 ? 2 : -2) * kPi;
    const State start = motion.at(model, 0), half = motion.at(model, motion.period() / 2);
    EXPECT_CLOSE(x.q, start.q, 2e-9);
    EXPECT_CLOSE(x.v, start.v, 2e-8);
    if (c.spec.gravity > 0 || c.spec.blade_mass.size() < 2) {
      EXPECT_GT((half.v - start.v).norm(), 1e-4);
    }
  }
}

// P by differences of motions over a period, against the exponents.
TEST(RotorModes, MultipliersAreThoseOfTheMotion) {
  for (const TurbineCase& c : turbine_cases()) {
    SCOPED_TRACE(c.name);
    const Model model = make_turbine(c.spec);
    const RotorOptions options = shaft(model, c.free);
    const RotorModes found = compute_rotor_modes(model, make_zero_state(model), options, c.speed);
    EXPECT_EQ(found.method, RotorMethod::floquet);
    Motion4 flow(model, options, found.torque);
    const State start = found.motion.at(model, 0);
    std::vector<int> free;
    for (int k = 0; k < model.nv; ++k)
      if (c.free || k != model.speed("shaft")) free.push_back(k);
    const auto n = static_cast<Eigen::Index>(free.size());
    constexpr double eps = 1e-5;
    MatrixXd P(2 * n, 2 * n);
    for (Eigen::Index j = 0; j < 2 * n; ++j) {
      State ends[2];
      for (int side = 0; side < 2; ++side) {
        State x = start;
        (j < n ? x.q : x.v)[free[static_cast<std::size_t>(j % n)]] += side == 0 ? eps : -eps;
        ends[side] = flow.after(x, found.motion.period(), 2000);
      }
      P.col(j) << (ends[0].q - ends[1].q)(free) / (2 * eps), (ends[0].v - ends[1].v)(free) / (2 * eps);
    }
    // Each multiplier is an eigenvalue of P, by comparison with the exact ones.
    const VectorXcd exact = eigenvalues_general(P);
    for (const Complex& mu : found.multipliers) {
      const double tolerance = c.free && std::abs(mu - 1.0) < 1e-3
                                   ? 1e-3
                                   : 2e-6;  // a double eigenvalue changes by the square root of the error
      EXPECT_LT((exact.array() - mu).abs().minCoeff(), tolerance) << mu;
    }
    if (c.free) {  // a shift in time
      EXPECT_NEAR((found.multipliers.array() - 1.0).abs().minCoeff(), 0, 1e-7);
    }
  }
}

// The frequency between two bounds at which a signal with Hann window has its largest amplitude.
double peak(const std::vector<double>& signal, double dt, double from, double to) {
  double best = 0, at = 0;
  for (double omega = from; omega <= to; omega += 2e-4 * from) {
    Complex sum = 0;
    for (std::size_t k = 0; k < signal.size(); ++k) {
      const double window = 1 - std::cos(2 * kPi * static_cast<double>(k) / static_cast<double>(signal.size()));
      sum += window * signal[k] * std::polar(1.0, -omega * dt * static_cast<double>(k));
    }
    if (std::abs(sum) > best) best = std::abs(sum), at = omega;
  }
  return at;
}

// Free vibration of the tower has the Floquet frequencies, not those of a frozen A.
TEST(RotorModes, TowerFrequenciesAreThoseOfFreeVibration) {
  const Model model = make_turbine({.blade_mass = {12, 12}});
  const RotorOptions options = shaft(model);
  const double speed = 6;
  const RotorModes found = compute_rotor_modes(model, make_zero_state(model), options, speed);
  LinearizeOptions frozen_options;
  frozen_options.held.assign(model.bodies.size(), 0);
  frozen_options.held[static_cast<std::size_t>(options.rotor)] = 1;
  State x = make_zero_state(model);
  x.v[model.speed("shaft")] = speed;
  const std::vector<VibrationMode> frozen = compute_modes(linearize(model, x, frozen_options));
  ASSERT_EQ(found.modes.size(), 2U);
  const double dt = 0.05;
  for (int direction = 0; direction < 2; ++direction) {
    const int coordinate = model.coordinate(direction == 0 ? "tower.bending_y1" : "tower.bending_z1");
    State y = x;
    y.q[coordinate] = 0.01;
    Motion4 flow(model, options);
    std::vector<double> signal;
    for (int k = 0; k < 4800; ++k, flow.step(y, dt)) signal.push_back(y.q[coordinate]);
    double nearest = 1e9;
    const double rings = peak(signal, dt, 0.9 * found.modes[0].frequency, 1.1 * found.modes[1].frequency);
    for (const RotorMode& mode : found.modes) nearest = std::min(nearest, std::abs(mode.frequency - rings));
    EXPECT_LT(nearest, 3e-4 * rings) << "rings at " << rings << ", found " << found.modes[0].frequency << " and "
                                     << found.modes[1].frequency << ", frozen " << frozen[0].frequency << " and "
                                     << frozen[1].frequency;
  }
  EXPECT_GT(std::abs(frozen[0].frequency - found.modes[0].frequency), 1e-3 * frozen[0].frequency);
}

// ---- multi-blade coordinates -------------------------------------------------------------------------

// A in the coordinates of the blades, along the steady motion.
PeriodicSystem blade_coordinates(const Model& model, const RotorOptions& options, const SteadyMotion& motion) {
  LinearizeOptions all;
  all.held.assign(model.bodies.size(), 0);
  all.held[static_cast<std::size_t>(options.rotor)] = 1;
  return {motion.period(),
          [&model, all, &motion](double t, MatrixXd& A) { A = linearize(model, motion.at(model, t), all).A; }};
}

TEST(RotorModes, MultiBladeCoordinatesAgreeWithFloquet) {
  for (const std::size_t blades : {3, 4, 5}) {
    SCOPED_TRACE(blades);
    const Model model = make_turbine({.blade_mass = std::vector<double>(blades, 6.0),
                                      .blade_EI = 4e4,
                                      .damping = 0.01,
                                      .fidelity = Fidelity::stiffened});
    const RotorOptions options = shaft(model);
    const RotorModes found = compute_rotor_modes(model, make_zero_state(model), options, 6);
    EXPECT_EQ(found.method, RotorMethod::multi_blade);
    const PeriodicSystem system = blade_coordinates(model, options, found.motion);
    const FloquetSolutions floquet = compute_floquet(compute_transition(system, 64).parts, system.period);
    ASSERT_EQ(floquet.exponents.size(), found.multipliers.size());
    for (const Complex& exponent : floquet.exponents) {
      const Complex mu = std::exp(exponent * system.period);
      EXPECT_LT((found.multipliers.array() - mu).abs().minCoeff(), 1e-8) << mu;
    }
  }
}

// With a small weight A is not constant; modes are still described in the fixed frame.
TEST(RotorModes, ALittleWeightMovesFrequenciesLittle) {
  TurbineSpec spec{.blade_mass = {6, 6, 6}, .blade_EI = 4e4, .damping = 0.01, .fidelity = Fidelity::stiffened};
  const Model even = make_turbine(spec);
  const RotorModes exact = compute_rotor_modes(even, make_zero_state(even), shaft(even), 6);
  spec.gravity = 0.1;
  const Model heavy = make_turbine(spec);
  const RotorModes weighed = compute_rotor_modes(heavy, make_zero_state(heavy), shaft(heavy), 6);
  EXPECT_EQ(weighed.method, RotorMethod::floquet);
  ASSERT_EQ(weighed.modes.size(), exact.modes.size());
  for (std::size_t k = 0; k < exact.modes.size(); ++k) {
    EXPECT_NEAR(weighed.modes[k].frequency, exact.modes[k].frequency, 0.01 * exact.modes[k].frequency) << k;
    EXPECT_NEAR(weighed.modes[k].damping, exact.modes[k].damping, 0.1 * exact.modes[k].damping) << k;
    EXPECT_GT(weighed.modes[k].harmonics[0].share, 0.9) << k;
  }
}

// ---- over speed ----------------------------------------------------------------------------------------

TEST(Campbell, BranchesAreLines) {
  const Model model =
      make_turbine({.blade_mass = {6, 6, 6}, .blade_EI = 4e4, .damping = 0.005, .fidelity = Fidelity::stiffened});
  std::vector<double> speeds;
  for (double speed = 0; speed < 12.1; speed += 0.5) speeds.push_back(speed);
  double done = 0;
  const Campbell found =
      compute_campbell(model, make_zero_state(model), shaft(model), speeds, [&](double share) { done = share; });
  EXPECT_EQ(done, 1);
  ASSERT_EQ(found.at.size(), speeds.size());
  for (std::size_t b = 0; b < found.branches(); ++b) {
    for (std::size_t k = 2; k < speeds.size(); ++k) {
      const auto f = [&](std::size_t at) { return found.at[at].modes[b].frequency; };
      EXPECT_LT(std::abs(f(k) - f(k - 1)), 1.0) << "branch " << b << " at " << speeds[k];  // whirl: 0.5, and stiffening
      EXPECT_LT(std::abs(f(k) - 2 * f(k - 1) + f(k - 2)), k < 6 ? 0.3 : 0.1) << "branch " << b << " at " << speeds[k];
      EXPECT_GT(found.at[k].modes[b].damping, 0);
    }
  }
}

// A slowly rotating rotor: exponents are the mean of those at rest over its angles (adiabatic), although solutions
// decay by e^-120 in a revolution.
TEST(Campbell, SlowTurningIsTheMeanOfRest) {
  const Model model = make_turbine({.blade_mass = {6, 6}, .blade_EI = 4e4, .damping = 0.05});
  const RotorModes slow = compute_rotor_modes(model, make_zero_state(model), shaft(model), 0.1);
  EXPECT_EQ(slow.method, RotorMethod::floquet);
  constexpr int kAngles = 16;
  std::vector<Complex> mean(slow.modes.size());
  for (int k = 0; k < kAngles; ++k) {
    State x = make_zero_state(model);
    x.q[model.coordinate("shaft")] = kPi * k / kAngles;
    const RotorModes rest = compute_rotor_modes(model, x, shaft(model), 0);
    EXPECT_EQ(rest.method, RotorMethod::rest);
    ASSERT_EQ(rest.modes.size(), mean.size());
    for (std::size_t m = 0; m < mean.size(); ++m) mean[m] += rest.modes[m].exponent / double{kAngles};
  }
  for (std::size_t m = 0; m < mean.size(); ++m) {
    EXPECT_NEAR(slow.modes[m].exponent.imag(), mean[m].imag(), 0.01 * mean[m].imag()) << m;
    EXPECT_NEAR(slow.modes[m].exponent.real(), mean[m].real(), -0.02 * mean[m].real()) << m;
  }
}

TEST(Campbell, RefusesWhatIsNoRotor) {
  const Model model = make_turbine();
  RotorOptions options = shaft(model);
  options.held.assign(model.bodies.size(), 1);
  EXPECT_THROW(compute_rotor_modes(model, make_zero_state(model), options, 1), InputError);
  options = shaft(model);
  options.rotor = model.joint_index("yaw");
  EXPECT_THROW(compute_rotor_modes(model, make_zero_state(model), options, 1), InputError);
  EXPECT_EQ(find_rotors(model), std::vector<int>{model.joint_index("shaft")});
}

}  // namespace
}  // namespace limber::test
