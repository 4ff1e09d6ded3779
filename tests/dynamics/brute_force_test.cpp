// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Every algorithm against the mass points themselves, on 300 random trees: all joint kinds, fidelities and body kinds,
// joints on frames and on moving nodes, both eliminations, wrenches in world and in node components.
#include "support/brute_force.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>

#include "limber/model/detail/layout.hpp"
#include "support/engine.hpp"
#include "support/random_tree.hpp"

namespace limber::test {
namespace {

constexpr std::uint64_t kTrees = 300;

TreeOptions brute_force_options(std::uint64_t seed) {
  constexpr std::array fidelities = {Fidelity::ruthless, Fidelity::full, Fidelity::stiffened};
  TreeOptions o;
  o.bodies = 1 + static_cast<int>(seed % 8);
  o.modes = static_cast<int>(seed % 6);
  o.fidelity = fidelities[seed / 2 % 3];
  o.chain = seed % 4 == 0;
  o.free_base = seed % 5 == 0;
  return o;
}

struct Tree {
  std::string name;
  Machine machine;
  Model model;
  Sample s;
  BruteForce exact;
  VectorXd wrench_force;
};

Tree make_tree(std::uint64_t seed) {
  const TreeOptions o = brute_force_options(seed);
  const Machine machine = random_machine(o, seed);
  const Model model = make_model(machine, seed % 2 == 0 ? Elimination::active : Elimination::all_modes);
  const Sample s = random_sample(model, seed);
  const BruteForce exact(machine, s.x);
  return {describe(o, seed), machine, model, s, exact, exact.wrench_force(s.wrenches)};
}

// Built once for all tests.
const std::vector<std::unique_ptr<const Tree>>& trees() {
  static const auto all = [] {
    std::vector<std::unique_ptr<const Tree>> list;
    for (std::uint64_t seed = 1; seed <= kTrees; ++seed) list.push_back(std::make_unique<const Tree>(make_tree(seed)));
    return list;
  }();
  return all;
}

double force_bound_of(const Tree& t, const VectorXd& vdot) {
  double wrenches = 0;
  for (const NodeWrench& w : t.s.wrenches) wrenches += t.exact.node_jacobian(w.at).norm() * w.wrench.norm();
  return force_bound(t.model, t.exact.mass(), vdot, t.exact.gross().norm() + wrenches + t.s.tau.norm());
}

// Backward error of an acceleration: the residual M vdot + h - wrenches - tau.
VectorXd residual(const Tree& t, const VectorXd& vdot) {
  return t.exact.mass() * vdot + t.exact.bias() - t.wrench_force - t.s.tau;
}

void expect_residual(const Tree& t, const VectorXd& vdot, Worst& worst) {
  const VectorXd r = residual(t, vdot);
  const double bound = force_bound_of(t, vdot);
  EXPECT_CLOSE(r, VectorXd::Zero(r.size()), bound) << t.name;
  if (r.size() > 0) worst.add(r.norm(), bound);
}

TEST(BruteForceTrees, CoverWhatTheyShould) {
  int active = 0, all_modes = 0, rooted = 0, handles = 0;
  std::set<JointKind> kinds;
  for (const auto& t : trees()) {
    for (std::size_t i = 1; i < t->model.layout->links.size(); ++i) {
      const Link& link = t->model.layout->links[i];
      kinds.insert(link.kind);
      if (link.n > 0) ++(link.elimination == Elimination::active ? active : all_modes);
      rooted += link.inboard >= 0 ? 1 : 0;
      handles += link.attachment >= 0 ? 1 : 0;
    }
  }
  EXPECT_EQ(kinds.size(), 7U);
  EXPECT_GT(active, 50);
  EXPECT_GT(all_modes, 50);
  EXPECT_GT(rooted, 50);
  EXPECT_GT(handles, 50);
}

TEST(Rnea, AgreesWithMassPoints) {
  Worst worst("rnea");
  for (const auto& t : trees()) {
    const VectorXd tau = Engine(t->model).inverse(t->s.x, t->s.vdot, t->s.wrenches);
    const VectorXd expected = t->exact.mass() * t->s.vdot + t->exact.bias() - t->wrench_force;
    const double bound = force_bound_of(*t, t->s.vdot);
    EXPECT_CLOSE(tau, expected, bound) << t->name;
    if (t->model.nv > 0) worst.add((tau - expected).norm(), bound);
  }
}

TEST(Crba, AgreesWithMassPoints) {
  Worst worst("crba");
  for (const auto& t : trees()) {
    const MatrixXd M = Engine(t->model).mass(t->s.x);
    const double bound = 16 * kEps * t->model.body_count() * t->exact.mass().norm();
    EXPECT_CLOSE(M, t->exact.mass(), bound) << t->name;
    if (t->model.nv > 0) worst.add((M - t->exact.mass()).norm(), bound);
  }
}

TEST(Aba, AgreesWithMassPoints) {
  Worst worst("aba");
  for (const auto& t : trees()) expect_residual(*t, Engine(t->model).forward(t->s.x, t->s.tau, t->s.wrenches), worst);
}

TEST(CrbaForward, AgreesWithMassPoints) {
  Worst worst("crba_forward");
  for (const auto& t : trees()) {
    expect_residual(*t, Engine(t->model).dense_forward(t->s.x, t->s.tau, t->s.wrenches), worst);
  }
}

TEST(MassProducts, AgreeWithMassPoints) {
  Worst times("multiply_mass"), solve("solve_mass");
  for (const auto& t : trees()) {
    if (t->model.nv == 0) continue;
    Engine engine(t->model);
    const MatrixXd& M = t->exact.mass();
    const double bound = force_bound(t->model, M, t->s.vdot, 0);
    const VectorXd product = engine.mass_times(t->s.x, t->s.vdot);
    EXPECT_CLOSE(product, VectorXd(M * t->s.vdot), bound) << t->name;
    times.add((product - M * t->s.vdot).norm(), bound);
    const VectorXd a = engine.mass_solve(t->s.x, t->s.tau);
    const double solve_bound = force_bound(t->model, M, a, t->s.tau.norm());
    EXPECT_CLOSE(VectorXd(M * a), t->s.tau, solve_bound) << t->name;
    solve.add((M * a - t->s.tau).norm(), solve_bound);
  }
}

TEST(Hybrid, AgreesWithMassPoints) {
  Worst worst("hybrid");
  for (const auto& t : trees()) {
    std::vector<std::uint8_t> prescribed(t->model.body_count(), 0);
    for (int i = 1; i < t->model.body_count(); ++i) prescribed[i] = (i + static_cast<int>(t->s.x.q.size())) % 2;
    VectorXd vdot = t->s.vdot;
    const VectorXd tau = Engine(t->model).mixed(t->s.x, t->s.tau, prescribed, vdot, t->s.wrenches);
    const VectorXd missing = t->exact.mass() * vdot + t->exact.bias() - t->wrench_force - tau;
    const double bound = force_bound_of(*t, vdot) + 16 * kEps * tau.norm();
    EXPECT_CLOSE(missing, VectorXd::Zero(t->model.nv), bound) << t->name;
    if (t->model.nv > 0) worst.add(missing.norm(), bound);
    for (int i = 1; i < t->model.body_count(); ++i) {
      const Joint& j = t->model.joints[i];
      const int nr = speed_count(j.kind), n = t->model.body(i).modes;
      EXPECT_EQ(tau.segment(j.v + nr, n), t->s.tau.segment(j.v + nr, n)) << "modal forces are given";
      if (prescribed[i] != 0) {
        EXPECT_EQ(vdot.segment(j.v, nr), t->s.vdot.segment(j.v, nr)) << "prescribed accelerations are given";
      } else {
        EXPECT_EQ(tau.segment(j.v, nr), t->s.tau.segment(j.v, nr)) << "other torques are given";
      }
    }
  }
}

TEST(Energy, AgreesWithMassPoints) {
  for (const auto& t : trees()) {
    const Energy e = Engine(t->model).energy(t->s.x);
    const Energy& x = t->exact.energy();
    const double c = 16 * kEps * t->model.body_count();
    EXPECT_CLOSE(e.kinetic, x.kinetic, c * t->exact.mass().norm() * t->s.x.v.squaredNorm()) << t->name;
    // Positions are sums over the chain, each term about 1.
    const double reach = t->model.body_count() + t->exact.center_of_mass().norm();
    EXPECT_CLOSE(e.gravity, x.gravity, c * t->exact.total_mass() * t->machine.gravity.norm() * reach) << t->name;
    EXPECT_CLOSE(e.elastic, x.elastic, c * x.elastic) << t->name;
    EXPECT_CLOSE(e.springs, x.springs, c * x.springs) << t->name;
    EXPECT_CLOSE(e.potential(), x.potential(),
                 c * (std::abs(x.gravity) + x.elastic + x.springs) +
                     c * reach * t->exact.total_mass() * t->machine.gravity.norm());
  }
}

TEST(Momentum, AgreesWithMassPoints) {
  for (const auto& t : trees()) {
    const Momentum m = Engine(t->model).momentum(t->s.x);
    const double reach = t->model.body_count() + t->exact.center_of_mass().norm();
    // |p| <= sqrt(2 m T): the size of the terms of the sum.
    const double size = std::sqrt(2 * t->exact.total_mass() * t->exact.energy().kinetic);
    const double c = 16 * kEps * t->model.body_count();
    EXPECT_CLOSE(m.linear, t->exact.momentum().linear, c * size) << t->name;
    EXPECT_CLOSE(m.angular, t->exact.momentum().angular, c * size * reach) << t->name;
  }
}

TEST(CenterOfMass, AgreesWithMassPoints) {
  for (const auto& t : trees()) {
    EXPECT_CLOSE(total_mass(t->model), t->exact.total_mass(), 16 * kEps * t->exact.total_mass());
    const double reach = t->model.body_count() + t->exact.center_of_mass().norm();
    EXPECT_CLOSE(Engine(t->model).center_of_mass(t->s.x), t->exact.center_of_mass(),
                 16 * kEps * t->model.body_count() * reach)
        << t->name;
  }
}

TEST(Nodes, AgreeWithMassPoints) {
  for (const auto& t : trees()) {
    Engine engine(t->model);
    const Kinematics& kin = engine.kinematics(t->s.x);
    const double c = 16 * kEps * t->model.body_count();
    for (const NodeRef node : all_nodes(t->model)) {
      const Pose pose = node_pose(t->model, kin, node), exact_pose = t->exact.node_pose(node);
      const double reach = t->model.body_count() + exact_pose.p.norm();
      EXPECT_CLOSE(pose.R, exact_pose.R, c) << t->name;
      EXPECT_CLOSE(pose.p, exact_pose.p, c * reach) << t->name;
      const Matrix6X exact_J = t->exact.node_jacobian(node);
      Matrix6X J(6, t->model.nv);
      compute_node_jacobian(t->model, kin, node, J);
      // Columns of size 1 cancel if a joint fixes the node.
      const double size = 1 + exact_J.norm();
      EXPECT_CLOSE(J, exact_J, c * reach * size) << t->name;
      // The bias is quadratic in the rates; gravity is included in the sweep and subtracted again.
      const double rate = size * t->s.x.v.norm();
      const Vector6 bias = t->exact.node_bias_acceleration(node);
      const double bias_bound = c * (reach * (rate + rate * rate) + t->machine.gravity.norm());
      EXPECT_CLOSE(node_bias_acceleration(t->model, kin, node), bias, bias_bound) << t->name;
      if (t->model.nv == 0) continue;
      EXPECT_CLOSE(node_velocity(t->model, kin, node, t->s.x.v), Vector6(exact_J * t->s.x.v), c * reach * rate);
      EXPECT_CLOSE(node_acceleration(t->model, kin, node, t->s.vdot), Vector6(exact_J * t->s.vdot + bias),
                   bias_bound + c * reach * size * t->s.vdot.norm());
    }
  }
}

}  // namespace
}  // namespace limber::test
