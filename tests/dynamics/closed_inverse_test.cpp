// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Inverse and hybrid dynamics of closed chains: forward and inverse dynamics are inverse, closures do no work.
#include "limber/dynamics/detail/closed_inverse.hpp"

#include <gtest/gtest.h>

#include "limber/spatial/detail/solvers.hpp"
#include "support/closed_trees.hpp"

namespace limber::test {
namespace {

// Speeds consistent with the closures (positions need not be: the equations hold at every state), forces, and the
// resulting motion.
struct Case {
  Case(std::uint64_t seed, int closures)
      : model(random_closed(seed, kClosureKinds[seed % kClosureKinds.size()], closures)),
        s(random_sample(model, seed)),
        ws(model),
        cw(model),
        vdot(model.nv) {
    determined = project_velocity(model, s.x, {}, ws, cw) == Status::ok && cw.rank() == cw.count();
  }
  Status forward(const VectorXd& tau, VectorXd& out) {
    if (const Status status = aba(model, s.x, {tau, s.wrenches}, ws, out); status != Status::ok) return status;
    return close_accelerations(model, ws, cw, out);
  }
  Model model;
  Sample s;
  AbaWorkspace ws;
  ClosureWorkspace cw;
  VectorXd vdot;
  bool determined = false;
};

// Actuators on the joints, or on some of them; never on modes.
std::vector<std::uint8_t> actuators(const Model& model, std::uint64_t seed, double part) {
  Random random(seed);
  std::vector<std::uint8_t> actuated(model.nv);
  for (int i = 1; i < model.body_count(); ++i) {
    const Link& link = model.layout->links[i];
    for (int k = 0; k < link.nr; ++k) actuated[link.v + k] = random.chance(part) ? 1 : 0;
  }
  return actuated;
}

VectorXd pick(const VectorXd& tau, const std::vector<std::uint8_t>& actuated) {
  VectorXd out = tau;
  for (Eigen::Index k = 0; k < out.size(); ++k) out[k] *= actuated[k];
  return out;
}

// The motion due to given torques is reproduced: by these torques, or by smaller equivalent ones.
TEST(ClosedInverse, IsUndoneByForward) {
  int checked = 0, redundant = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Case c(seed, 1 + static_cast<int>(seed % 2));
    if (!c.determined) continue;
    const auto actuated = actuators(c.model, seed, 0.3 + 0.7 * static_cast<double>(seed % 3) / 2);
    const VectorXd given = pick(c.s.tau, actuated);
    ASSERT_EQ(c.forward(given, c.vdot), Status::ok) << seed;
    ClosedInverseWorkspace iw(c.model, actuated);
    VectorXd tau(c.model.nv), again(c.model.nv);
    ASSERT_EQ(inverse_closed(c.model, c.s.x, c.vdot, c.s.wrenches, iw, tau), Status::ok)
        << seed << ": residual " << iw.residual().norm() << ", closures " << iw.closure_acceleration().norm();
    const double scale = 1 + iw->needed.norm() + given.norm();
    EXPECT_LE(tau.norm(), given.norm() + 1e-8 * scale) << seed;
    EXPECT_CLOSE(tau, pick(tau, actuated), 0) << seed;
    if ((tau - given).norm() > 1e-6 * scale) ++redundant;
    ASSERT_EQ(c.forward(tau, again), Status::ok) << seed;
    const double stiff =
        Cholesky(Engine(c.model).mass(c.s.x)).solve(MatrixXd(MatrixXd::Identity(c.model.nv, c.model.nv))).norm();
    EXPECT_CLOSE(again, c.vdot, 1e-9 * (1 + stiff) * scale) << seed;
    // The multipliers are those of the forward problem with the same torques.
    EXPECT_CLOSE(iw.closure_forces(), c.cw.forces(), 1e-6 * (1 + c.cw.forces().norm()) * (1 + stiff)) << seed;
    ++checked;
  }
  EXPECT_GE(checked, 80);
  EXPECT_GE(redundant, 10);
}

// At consistent speeds the closures have no power; otherwise it is the multipliers times the constraint rates.
TEST(ClosedInverse, ClosuresHaveNoPower) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Case c(seed, 2);
    if (!c.determined) continue;
    ASSERT_EQ(c.forward(c.s.tau, c.vdot), Status::ok) << seed;
    const Kinematics& kin = c.ws.kinematics();
    double power = 0, size = 0;
    for (std::size_t k = 0; k < c.cw->nodes.size(); ++k) {
      const Vector6 wrench = c.cw->wrenches.segment<6>(static_cast<Eigen::Index>(6 * k));
      const Vector6 V = node_velocity(c.model, kin, c.cw->nodes[k], c.s.x.v);
      power += wrench.dot(V);
      size += wrench.norm() * V.norm();
    }
    EXPECT_LE(std::abs(power), 1e-9 * (1 + size)) << seed;
  }
}

// Inconsistent accelerations are reported: of modes without forces, and across the closures.
TEST(ClosedInverse, SaysWhatIsMissing) {
  int lacking = 0, parting = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Case c(seed, 1);
    if (!c.determined || c.model.nv == 0) continue;
    const std::vector<std::uint8_t> none(static_cast<std::size_t>(c.model.nv));
    ASSERT_EQ(c.forward(c.s.tau, c.vdot), Status::ok);
    ClosedInverseWorkspace iw(c.model, none);
    VectorXd tau(c.model.nv);
    const Status status = inverse_closed(c.model, c.s.x, c.vdot, c.s.wrenches, iw, tau);
    if (c.model.nv > c.cw.count()) {
      EXPECT_EQ(status, Status::no_convergence) << seed;
      EXPECT_EQ(tau.norm(), 0);
      // Under these forces the motion is reproduced.
      VectorXd again(c.model.nv);
      ASSERT_EQ(c.forward(iw.residual(), again), Status::ok);
      const double stiff =
          Cholesky(Engine(c.model).mass(c.s.x)).solve(MatrixXd(MatrixXd::Identity(c.model.nv, c.model.nv))).norm();
      EXPECT_CLOSE(again, c.vdot, 1e-9 * (1 + stiff) * (1 + iw->needed.norm())) << seed;
      ++lacking;
    }
    const std::vector<std::uint8_t> all(static_cast<std::size_t>(c.model.nv), 1);
    ClosedInverseWorkspace full(c.model, all);
    const VectorXd other = c.vdot + c.s.vdot;
    EXPECT_EQ(inverse_closed(c.model, c.s.x, other, c.s.wrenches, full, tau), Status::no_convergence) << seed;
    EXPECT_CLOSE(full.closure_acceleration(), full->C * c.s.vdot, 1e-8 * (1 + full->C.norm()) * (1 + other.norm()))
        << seed;
    ++parting;
  }
  EXPECT_GE(lacking, 20);
  EXPECT_GE(parting, 20);
}

TEST(ClosedInverse, RefusesWrongSizes) {
  const Model model = random_closed(4, JointKind::spherical);
  const std::vector<std::uint8_t> few(1), right(static_cast<std::size_t>(model.nv));
  EXPECT_THROW(ClosedInverseWorkspace(model, few), InputError);
  ClosedInverseWorkspace iw(model, right);
  VectorXd shorter(model.nv - 1), tau(model.nv);
  EXPECT_THROW(static_cast<void>(inverse_closed(model, make_zero_state(model), shorter, {}, iw, tau)), InputError);
}

// Some joints prescribed: with their torques as inputs, the closed chain has the same motion.
TEST(ClosedHybrid, IsForwardWithItsTorques) {
  int checked = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Case c(seed, 1 + static_cast<int>(seed % 2));
    if (!c.determined) continue;
    Random random(seed);
    std::vector<std::uint8_t> prescribed(static_cast<std::size_t>(c.model.body_count()));
    for (int i = 1; i < c.model.body_count(); ++i) prescribed[i] = random.chance(0.3) ? 1 : 0;
    VectorXd vdot = c.s.vdot, tau(c.model.nv), again(c.model.nv);
    ASSERT_EQ(hybrid(c.model, c.s.x, {c.s.tau, c.s.wrenches}, prescribed, c.ws, vdot, tau), Status::ok);
    const Status status = close_hybrid(c.model, c.ws, c.cw, vdot, tau);
    if (status == Status::no_convergence || c.cw.rank() < c.cw.count()) continue;  // conflict with the closures
    ASSERT_EQ(status, Status::ok) << seed;
    for (int i = 1; i < c.model.body_count(); ++i) {
      const Link& link = c.model.layout->links[i];
      for (int k = 0; prescribed[i] != 0 && k < link.nr; ++k) EXPECT_EQ(vdot[link.v + k], c.s.vdot[link.v + k]) << seed;
      for (int k = 0; prescribed[i] == 0 && k < link.nr; ++k) EXPECT_EQ(tau[link.v + k], c.s.tau[link.v + k]) << seed;
    }
    ASSERT_EQ(c.forward(tau, again), Status::ok) << seed;
    const double stiff =
        Cholesky(Engine(c.model).mass(c.s.x)).solve(MatrixXd(MatrixXd::Identity(c.model.nv, c.model.nv))).norm();
    EXPECT_CLOSE(again, vdot, 1e-9 * (1 + stiff) * (1 + tau.norm() + c.cw.forces().norm())) << seed;
    // And by inverse dynamics with the forces of the closures as wrenches.
    std::vector<NodeWrench> all = c.s.wrenches;
    for (std::size_t k = 0; k < c.cw->nodes.size(); ++k) {
      all.push_back({c.cw->nodes[k], c.cw->wrenches.segment<6>(static_cast<Eigen::Index>(6 * k)), Frame::world});
    }
    EXPECT_CLOSE(Engine(c.model).inverse(c.s.x, again, all), tau, 1e-8 * (1 + tau.norm() + c.cw.forces().norm()))
        << seed;
    ++checked;
  }
  EXPECT_GE(checked, 40);
}

}  // namespace
}  // namespace limber::test
