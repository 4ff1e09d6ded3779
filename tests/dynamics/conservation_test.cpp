// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Power balance and momentum.  A rate along the motion is a fourth-order central difference over the curve q(t) = q + v
// t + vdot t^2/2.
#include <gtest/gtest.h>

#include <functional>

#include "support/engine.hpp"
#include "support/random_tree.hpp"

namespace limber::test {
namespace {

// With r = 1 + |v| + |vdot|, the speed of the motion, a step of kTimeStep/r and a value of size E: error E r
// kTimeStep^4 from the formula (times the fifth derivative of a product of a few sines, at most some hundreds) and E r
// eps/kTimeStep.
constexpr double kTimeStep = 1e-3;
constexpr double kRateError = 1e-9;

TreeOptions conservation_options(std::uint64_t seed) {
  TreeOptions o;
  o.bodies = 1 + static_cast<int>(seed % 7);
  o.modes = static_cast<int>(seed % 5);
  o.fidelity = seed % 2 == 0 ? Fidelity::full : Fidelity::stiffened;
  o.chain = seed % 3 == 0;
  o.free_base = seed % 4 == 0;
  o.beams = 0.4;
  return o;
}

// The motion through a state with given accelerations.
class Motion {
 public:
  Motion(const Model& model, const State& x, const VectorXd& vdot)
      : model_(model), x_(x), vdot_(vdot), speed_(1 + x.v.norm() + vdot.norm()) {}

  double speed() const { return speed_; }
  State at(double t) const {
    State y = x_;
    y.q = moved(model_, x_.q, t * x_.v + t * t / 2 * vdot_);
    y.v += t * vdot_;
    return y;
  }
  VectorXd rate(const std::function<VectorXd(const State&)>& f) const {
    const double h = kTimeStep / speed_;
    return (8 * (f(at(h)) - f(at(-h))) - (f(at(2 * h)) - f(at(-2 * h)))) / (12 * h);
  }

 private:
  const Model& model_;
  State x_;
  VectorXd vdot_;
  double speed_;
};

double dissipation(const Model& model, const VectorXd& v) {
  double power = 0;
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    const int nr = speed_count(joint.kind), n = model.body(i).modes;
    power += joint.damping.dot(v.segment(joint.v, nr).cwiseAbs2());
    const auto etadot = v.segment(joint.v + nr, n);
    if (n > 0 && model.body(i).damping.size() > 0) power += etadot.dot(model.body(i).damping * etadot);
  }
  return power;
}

double wrench_power(Engine& engine, const Sample& s) {
  double power = 0;
  for (const NodeWrench& w : s.wrenches) {
    const Kinematics& kin = engine.kinematics(s.x);
    Vector6 V = node_velocity(engine.model(), kin, w.at, s.x.v);
    const Matrix3d R = node_pose(engine.model(), kin, w.at).R;
    if (w.frame == Frame::node) V << R.transpose() * V.head<3>(), R.transpose() * V.tail<3>();
    power += w.wrench.dot(V);
  }
  return power;
}

TEST(Energy, ChangesByThePowerOfAllForces) {
  Worst worst("power");
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const Model model = make_model(random_machine(conservation_options(seed), seed));
    if (model.nv == 0) continue;
    // Away from the angle at which the spring of a spherical joint jumps from +pi to -pi.
    const Sample s = random_sample(model, seed, {.speed = 0.5, .special = 0});
    Engine engine(model);
    const VectorXd vdot = engine.forward(s.x, s.tau, s.wrenches);
    const Motion motion(model, s.x, vdot);
    const double change = motion.rate([&](const State& y) {
      const Energy e = engine.energy(y);
      return VectorXd::Constant(1, e.kinetic + e.potential());
    })[0];
    const double work = s.tau.dot(s.x.v) + wrench_power(engine, s), lost = dissipation(model, s.x.v);
    const Energy e = engine.energy(s.x);
    // A step changes v by kTimeStep of at most 1 in the direction of vdot: M |1| |v| of energy.
    const double size = 1 + e.kinetic + std::abs(e.gravity) + e.elastic + e.springs + engine.mass(s.x).norm();
    EXPECT_NEAR(change, work - lost, kRateError * size * motion.speed()) << describe(conservation_options(seed), seed);
    worst.add(std::abs(change - work + lost), kRateError * size * motion.speed());
  }
}

// A floating model: only its own joints act between bodies, nothing on the world.
Machine floating(std::uint64_t seed) {
  TreeOptions o = conservation_options(seed);
  o.free_base = true;
  Machine machine = random_machine(o, seed);
  machine.joints[0].stiffness = machine.joints[0].damping = machine.joints[0].armature = VectorXd();
  return machine;
}

VectorXd stacked(const Momentum& m) {
  Vector6 p;
  p << m.linear, m.angular;
  return p;
}

TEST(Momentum, OfAFloatingMachineIsConstant) {
  Worst worst("momentum");
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    Machine machine = floating(seed);
    machine.gravity.setZero();
    const Model model = make_model(machine);
    Sample s = random_sample(model, seed, {.speed = 0.5, .special = 0});
    s.tau.head<6>().setZero();
    Engine engine(model);
    const VectorXd vdot = engine.forward(s.x, s.tau);
    const Motion motion(model, s.x, vdot);
    const VectorXd change = motion.rate([&](const State& y) { return stacked(engine.momentum(y)); });
    const double bound = kRateError * engine.mass(s.x).norm() * (1 + s.x.v.norm()) * motion.speed();
    EXPECT_CLOSE(change, Vector6::Zero(), bound) << describe(conservation_options(seed), seed);
    worst.add(change.norm(), bound);
  }
}

TEST(Momentum, OfAFloatingMachineFollowsGravityAndWrenches) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Machine machine = floating(seed);
    const Model model = make_model(machine);
    Sample s = random_sample(model, seed, {.speed = 0.5, .special = 0});
    s.tau.head<6>().setZero();
    Engine engine(model);
    const VectorXd vdot = engine.forward(s.x, s.tau, s.wrenches);
    const Motion motion(model, s.x, vdot);
    const VectorXd change = motion.rate([&](const State& y) { return stacked(engine.momentum(y)); });
    Vector6 expected;
    const Vector3d weight = total_mass(model) * machine.gravity;
    expected << weight, engine.center_of_mass(s.x).cross(weight);
    for (const NodeWrench& w : s.wrenches) {
      const Pose pose = node_pose(model, engine.kinematics(s.x), w.at);
      const Matrix3d R = w.frame == Frame::node ? pose.R : Matrix3d(Matrix3d::Identity());
      const Vector3d f = R * w.wrench.tail<3>();
      expected.head<3>() += f;
      expected.tail<3>() += R * w.wrench.head<3>() + pose.p.cross(f);
    }
    const double bound = kRateError * engine.mass(s.x).norm() * (1 + s.x.v.norm()) * motion.speed();
    EXPECT_CLOSE(change, expected, bound) << describe(conservation_options(seed), seed);
  }
}

TEST(Momentum, IsMassTimesTheVelocityOfTheCenter) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Model model = make_model(random_machine(conservation_options(seed), seed));
    const Sample s = random_sample(model, seed, {.speed = 0.5});
    Engine engine(model);
    const Motion motion(model, s.x, VectorXd::Zero(model.nv));
    const VectorXd velocity = motion.rate([&](const State& y) { return engine.center_of_mass(y); });
    const Vector3d p = engine.momentum(s.x).linear;
    const double size = total_mass(model) * (model.body_count() + engine.center_of_mass(s.x).norm());
    EXPECT_CLOSE(Vector3d(total_mass(model) * velocity), p, kRateError * size * motion.speed());
  }
}

TEST(Energy, IsTheQuadraticFormOfTheMassMatrix) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Model model = make_model(random_machine(conservation_options(seed), seed));
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    const MatrixXd M = engine.mass(s.x);
    EXPECT_NEAR(engine.energy(s.x).kinetic, 0.5 * s.x.v.dot(M * s.x.v),
                16 * kEps * model.body_count() * M.norm() * s.x.v.squaredNorm());
  }
}

TEST(Energy, GradientOfThePotentialIsTheStaticForce) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Model model = make_model(random_machine(conservation_options(seed), seed));
    Sample s = random_sample(model, seed, {.special = 0});
    s.x.v.setZero();
    Engine engine(model);
    const VectorXd force = engine.inverse(s.x, VectorXd::Zero(model.nv));
    const Energy e = engine.energy(s.x);
    const double size = 1 + std::abs(e.gravity) + e.elastic + e.springs + force.norm();
    for (int j = 0; j < model.nv; ++j) {
      State along = s.x;
      along.v = VectorXd::Unit(model.nv, j);
      const Motion motion(model, along, VectorXd::Zero(model.nv));
      const double slope =
          motion.rate([&](const State& y) { return VectorXd::Constant(1, engine.energy(y).potential()); })[0];
      EXPECT_NEAR(slope, force[j], kRateError * size * motion.speed())
          << describe(conservation_options(seed), seed) << " " << model.speeds[j];
    }
  }
}

}  // namespace
}  // namespace limber::test
