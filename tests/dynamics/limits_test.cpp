// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Flexible bodies without modes, or with very stiff ones, are rigid.
#include <gtest/gtest.h>

#include "limber/spatial/detail/solvers.hpp"
#include "support/brute_force.hpp"
#include "support/engine.hpp"
#include "support/random.hpp"
#include "support/random_tree.hpp"

namespace limber::test {
namespace {

// Mass, centre and inertia of points: the rigid body without deformation.
RigidSpec frozen(const ModalSpec& modal) {
  RigidSpec rigid;
  for (const MassPoint& p : modal.points) {
    rigid.mass += p.mass;
    rigid.com += p.mass * p.position;
  }
  rigid.com /= rigid.mass;
  for (const MassPoint& p : modal.points) {
    const Vector3d r = p.position - rigid.com;
    rigid.inertia += p.mass * (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose());
  }
  rigid.nodes = modal.nodes;
  for (Node& node : rigid.nodes) {
    node.translation = node.turn = Matrix3Xd(3, 0);
    node.second = {};
  }
  return rigid;
}

Machine frozen(Machine machine) {
  for (BodySpec& spec : machine.bodies) {
    if (const auto* modal = std::get_if<ModalSpec>(&spec)) spec = frozen(*modal);
  }
  return machine;
}

TEST(Limits, ZeroModesAreARigidBody) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Machine rigid = frozen(random_machine({.bodies = 4, .flexible = 1}, seed));
    Machine modal = random_machine({.bodies = 4, .flexible = 1}, seed);
    for (BodySpec& spec : modal.bodies) {
      auto& m = std::get<ModalSpec>(spec);
      m.nodes = frozen(m).nodes;
      for (MassPoint& p : m.points) p.shape = Matrix3Xd(3, 0);
      m.stiffness = m.damping = MatrixXd(0, 0);
    }
    const Model a = make_model(rigid), b = make_model(modal);
    ASSERT_EQ(a.nv, b.nv);
    if (a.nv == 0) continue;
    const Sample s = random_sample(a, seed);
    Engine ea(a), eb(b);
    const MatrixXd M = ea.mass(s.x);
    const VectorXd h = ea.inverse(s.x, VectorXd::Zero(a.nv));
    EXPECT_CLOSE(eb.mass(s.x), M, 32 * kEps * a.body_count() * M.norm());
    EXPECT_CLOSE(eb.inverse(s.x, s.vdot), ea.inverse(s.x, s.vdot), 2 * force_bound(a, M, s.vdot, h.norm()));
  }
}

// Joint accelerations in the quasi-static motion of a stiff model: etaddot = 0 and eta such that this needs no modal
// force.  Newton's iteration on eta with K as its derivative converges by a factor 1/K per step.
VectorXd quasi_static(const Model& model, const std::vector<int>& hinges, const std::vector<int>& modes,
                      const State& rigid_state, const VectorXd& tau) {
  Engine engine(model);
  State x = make_zero_state(model);
  for (int i = 1; i < model.body_count(); ++i) {  // joint coordinates, in the order of the rigid model
    x.q[model.joints[i].q] = rigid_state.q[i - 1];
    x.v[model.joints[i].v] = rigid_state.v[i - 1];
  }
  const int nh = static_cast<int>(hinges.size());
  VectorXd beta(nh);
  for (int pass = 0; pass < 60; ++pass) {
    const VectorXd h = engine.inverse(x, VectorXd::Zero(model.nv));
    const MatrixXd M = engine.mass(x);
    beta = Cholesky(M(hinges, hinges)).solve(VectorXd(tau - h(hinges)));
    const VectorXd need = h(modes) + M(modes, hinges) * beta;
    for (int i = 1, k = 0; i < model.body_count(); ++i) {
      const int n = model.body(i).modes;
      x.q.segment(model.first_mode_q(i), n) -= Cholesky(model.body(i).stiffness).solve(VectorXd(need.segment(k, n)));
      k += n;
    }
  }
  return beta;
}

TEST(Limits, StiffBodiesTendToRigidOnesWithTheInverseOfTheStiffness) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const TreeOptions o{.bodies = 3, .modes = 3, .joints = {JointKind::revolute}, .flexible = 1};
    const Machine machine = random_machine(o, seed);
    const Model rigid = make_model(frozen(machine));
    const Sample s = random_sample(rigid, seed);
    Engine exact(rigid);
    const VectorXd limit = exact.forward(s.x, s.tau);
    std::vector<double> errors;
    for (const double factor : {1e3, 1e4, 1e5}) {
      Machine stiff = machine;
      for (BodySpec& spec : stiff.bodies) std::get<ModalSpec>(spec).stiffness *= factor;
      const Model model = make_model(stiff);
      std::vector<int> hinges, modes;
      for (int i = 1; i < model.body_count(); ++i) {
        hinges.push_back(model.joints[i].v);
        for (int k = 0; k < model.body(i).modes; ++k) modes.push_back(model.first_mode(i) + k);
      }
      errors.push_back((quasi_static(model, hinges, modes, s.x, s.tau) - limit).norm());
    }
    // Order 1: ten times stiffer, ten times closer.  The next order contributes 1e-2 of the ratio.
    EXPECT_NEAR(errors[0] / errors[1], 10, 1) << describe(o, seed);
    EXPECT_NEAR(errors[1] / errors[2], 10, 0.1) << describe(o, seed);
    EXPECT_LT(errors[2], 1e-3 * (1 + limit.norm()));
  }
}

TEST(Limits, FidelitiesAgreeAtRest) {
  // Without deformation and modal speeds all three have the same equations of motion.
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::vector<VectorXd> taus;
    std::vector<MatrixXd> masses;
    for (const Fidelity f : {Fidelity::stiffened, Fidelity::full, Fidelity::ruthless}) {
      Machine machine = random_machine({.bodies = 4, .fidelity = Fidelity::stiffened}, seed);
      machine.fidelity = f;
      const Model model = make_model(machine);
      Sample s = random_sample(model, seed);
      for (int i = 1; i < model.body_count(); ++i) {
        s.x.q.segment(model.first_mode_q(i), model.body(i).modes).setZero();
        s.x.v.segment(model.first_mode(i), model.body(i).modes).setZero();
      }
      Engine engine(model);
      taus.push_back(engine.inverse(s.x, s.vdot, s.wrenches));
      masses.push_back(engine.mass(s.x));
    }
    for (const int k : {1, 2}) {
      EXPECT_CLOSE(masses[k], masses[0], 128 * kEps * masses[0].norm());
      EXPECT_CLOSE(taus[k], taus[0], 1024 * kEps * (taus[0].norm() + masses[0].norm()));
    }
  }
}

}  // namespace
}  // namespace limber::test
