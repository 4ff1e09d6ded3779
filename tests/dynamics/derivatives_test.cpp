// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The derivatives of inverse and forward dynamics against differences of rnea, aba and hybrid, and against identities.
#include "limber/dynamics/derivatives.hpp"

#include <gtest/gtest.h>

#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/energy.hpp"
#include "limber/model/manifold.hpp"
#include "support/close.hpp"
#include "support/engine.hpp"
#include "support/mixed_trees.hpp"
#include "support/no_alloc.hpp"

namespace limber::test {
namespace {

// Central differences of steps 2h and h by Richardson's rule: errors h^4 of the fifth derivative, and eps/h.
constexpr double kDifferenceStep = 1e-3;
constexpr double kBound = 1e-6;

template <class F>
VectorXd slope(const F& f) {
  const double h = kDifferenceStep;
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

// The spring of a quaternion is discontinuous at half a turn: states of models with springs stay away from it.
Sample smooth_sample(const Model& model, std::uint64_t seed, SampleOptions options = {.special = 0}) {
  Sample s = random_sample(model, seed, options);
  for (const Joint& joint : model.joints) {
    if (position_count(joint.kind) < 4 || std::abs(s.x.q[joint.q]) > 0.05) continue;
    VectorXd turn = VectorXd::Zero(model.nv);
    turn.segment<3>(joint.v) = s.x.q.segment<3>(joint.q + 1);  // by 1 about its own axis
    move(model, s.x.q, turn, s.x.q);
  }
  return s;
}

State along(const Model& model, const State& x, int j, bool rate, double step) {
  State y = x;
  const VectorXd direction = step * VectorXd::Unit(model.nv, j);
  if (rate) {
    y.v += direction;
  } else {
    move(model, x.q, direction, y.q);
  }
  return y;
}

template <class F>
MatrixXd differences_of(const Model& model, const State& x, bool rate, const F& f) {
  MatrixXd out(f(x).size(), model.nv);
  for (int j = 0; j < model.nv; ++j) {
    out.col(j) = slope([&](double step) { return f(along(model, x, j, rate, step)); });
  }
  return out;
}

struct Slopes {
  MatrixXd dq, dv, dtau;
  explicit Slopes(const Model& model) : dq(model.nv, model.nv), dv(dq), dtau(dq) {}
};

void expect_relative(const MatrixXd& exact, const MatrixXd& differences, const char* what, Worst& worst) {
  const double bound = kBound * (1 + differences.norm());
  worst.add((exact - differences).norm(), bound);
  EXPECT_CLOSE(exact, differences, bound) << what;
}

TEST(Derivatives, OfInverseDynamicsAreDifferences) {
  Worst worst("worst");
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    TreeOptions o = mixed_tree(seed, 6);
    o.springs = seed % 4 != 3;
    SCOPED_TRACE(describe(o, seed));
    const Model model = make_model(random_machine(o, seed));
    const Sample s = o.springs ? smooth_sample(model, seed, {.special = 0, .wrenches = 4})
                               : random_sample(model, seed, {.special = 0.3, .wrenches = 4});
    DerivativesWorkspace ws(model);
    Slopes exact(model);
    rnea_derivatives(model, s.x, s.vdot, s.wrenches, ws, exact.dq, exact.dv);
    RneaWorkspace rw(model);
    const auto tau = [&](const State& y) {
      VectorXd out(model.nv);
      rnea(model, y, s.vdot, s.wrenches, rw, out);
      return out;
    };
    expect_relative(exact.dq, differences_of(model, s.x, false, tau), "by q", worst);
    expect_relative(exact.dv, differences_of(model, s.x, true, tau), "by v", worst);
  }
}

TEST(Derivatives, OfForwardDynamicsAreDifferences) {
  Worst worst("worst");
  for (std::uint64_t seed = 101; seed <= 200; ++seed) {
    const TreeOptions o = mixed_tree(seed, 5);
    SCOPED_TRACE(describe(o, seed));
    const Model model = make_model(random_machine(o, seed));
    const Sample s = smooth_sample(model, seed, {.speed = 0.5, .special = 0});
    DerivativesWorkspace ws(model);
    Slopes exact(model);
    VectorXd vdot(model.nv);
    const Forces forces{s.tau, s.wrenches};
    ASSERT_EQ(forward_derivatives(model, s.x, forces, {}, ws, vdot, exact.dq, exact.dv, exact.dtau), Status::ok);
    AbaWorkspace aw(model);
    const auto acceleration = [&](const State& y) {
      VectorXd out(model.nv);
      EXPECT_EQ(aba(model, y, forces, aw, out), Status::ok);
      return out;
    };
    EXPECT_TRUE(is_same_bits(vdot, acceleration(s.x)));
    expect_relative(exact.dq, differences_of(model, s.x, false, acceleration), "by q", worst);
    expect_relative(exact.dv, differences_of(model, s.x, true, acceleration), "by v", worst);
    CrbaWorkspace cw(model);
    MatrixXd M(model.nv, model.nv);
    crba(model, s.x, cw, M);
    EXPECT_CLOSE(M * exact.dtau, MatrixXd::Identity(model.nv, model.nv), 1e-9) << "M d vdot / d tau";
    EXPECT_CLOSE(exact.dtau, exact.dtau.transpose(), 1e-9 * exact.dtau.norm());
  }
}

TEST(Derivatives, WithPrescribedJointsAreDifferencesOfHybrid) {
  Worst worst("worst");
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const TreeOptions o = mixed_tree(seed, 5);
    SCOPED_TRACE(describe(o, seed));
    const Model model = make_model(random_machine(o, seed));
    const Sample s = smooth_sample(model, seed, {.speed = 0.5, .special = 0});
    std::vector<std::uint8_t> prescribed(static_cast<std::size_t>(model.body_count()), 0);
    for (int i = 1; i < model.body_count(); ++i) prescribed[i] = (seed + static_cast<std::uint64_t>(i)) % 2;
    DerivativesWorkspace ws(model);
    Slopes exact(model);
    VectorXd vdot = s.vdot, needed(model.nv);
    const Forces forces{s.tau, s.wrenches};
    ASSERT_EQ(forward_derivatives(model, s.x, forces, prescribed, ws, vdot, exact.dq, exact.dv, exact.dtau),
              Status::ok);
    AbaWorkspace aw(model);
    const auto acceleration = [&](const State& y) {
      VectorXd out = s.vdot;
      EXPECT_EQ(hybrid(model, y, forces, prescribed, aw, out, needed), Status::ok);
      return out;
    };
    expect_relative(exact.dq, differences_of(model, s.x, false, acceleration), "by q", worst);
    expect_relative(exact.dv, differences_of(model, s.x, true, acceleration), "by v", worst);
  }
}

TEST(Derivatives, OfNodeAccelerationsAreDifferences) {
  Worst worst("worst");
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const TreeOptions o = mixed_tree(seed, 5);
    SCOPED_TRACE(describe(o, seed));
    const Model model = make_model(random_machine(o, seed));
    const Sample s = random_sample(model, seed, {.special = 0});
    const std::vector<NodeRef> nodes = all_nodes(model);
    DerivativesWorkspace ws(model);
    watch_nodes(model, nodes, ws);
    Slopes exact(model);
    Engine engine(model);
    const auto stacked = [&](const State& y, bool velocity) {
      const Kinematics& kin = engine.kinematics(y);
      VectorXd out(6 * nodes.size());
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        out.segment<6>(static_cast<Eigen::Index>(6 * k)) =
            velocity ? node_velocity(model, kin, nodes[k], s.x.v) : node_acceleration(model, kin, nodes[k], s.vdot);
      }
      return out;
    };
    rnea_derivatives(model, s.x, s.vdot, {}, ws, exact.dq, exact.dv);
    const auto acceleration = [&](const State& y) { return stacked(y, false); };
    expect_relative(ws.node_dq(), differences_of(model, s.x, false, acceleration), "acceleration by q", worst);
    expect_relative(ws.node_dv(), differences_of(model, s.x, true, acceleration), "acceleration by v", worst);
    State still = s.x;
    still.v.setZero();
    rnea_derivatives(model, still, s.x.v, {}, ws, exact.dq, exact.dv);
    const auto velocity = [&](const State& y) { return stacked(y, true); };
    expect_relative(ws.node_dq(), differences_of(model, s.x, false, velocity), "velocity by q", worst);
  }
}

// Without speeds, accelerations and follower forces the forces are the gradient of a potential: its second derivatives
// are symmetric where coordinates are (not quaternions), and vanish with a free base along translations and rotations.
TEST(Derivatives, StaticStiffnessIsSymmetric) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    TreeOptions o = mixed_tree(seed, 6);
    o.free_base = false;
    o.joints = {JointKind::fixed, JointKind::revolute, JointKind::prismatic, JointKind::cylindrical,
                JointKind::universal};
    if (o.fidelity == Fidelity::ruthless) o.fidelity = Fidelity::full;  // its forces have no potential
    SCOPED_TRACE(describe(o, seed));
    const Model model = make_model(random_machine(o, seed));
    Sample s = random_sample(model, seed);
    s.x.v.setZero();
    DerivativesWorkspace ws(model);
    Slopes exact(model);
    rnea_derivatives(model, s.x, VectorXd::Zero(model.nv), {}, ws, exact.dq, exact.dv);
    EXPECT_CLOSE(exact.dq, exact.dq.transpose(), 1e-10 * (1 + exact.dq.norm()));
  }
}

// ... and of the energy itself: along a motion with constant speeds d the potential has the second derivative d^T K d,
// quaternions or not.
TEST(Derivatives, StaticStiffnessIsThatOfTheEnergy) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    TreeOptions o = mixed_tree(seed, 6);
    if (o.fidelity == Fidelity::ruthless) o.fidelity = Fidelity::full;
    SCOPED_TRACE(describe(o, seed));
    const Model model = make_model(random_machine(o, seed));
    Sample s = smooth_sample(model, seed);
    s.x.v.setZero();
    DerivativesWorkspace ws(model);
    Slopes exact(model);
    rnea_derivatives(model, s.x, VectorXd::Zero(model.nv), {}, ws, exact.dq, exact.dv);
    RneaWorkspace rw(model);
    const VectorXd d = s.tau.normalized();
    const auto potential = [&](double step) {
      State y = s.x;
      move(model, s.x.q, step * d, y.q);
      return compute_energy(model, y, rw).potential();
    };
    // Fourth order: -1 16 -30 16 -1 over 12 h^2; rounding eps V / h^2.
    const double h = 4e-3, at = potential(0);
    const double second =
        (16 * (potential(h) + potential(-h)) - potential(2 * h) - potential(-2 * h) - 30 * at) / (12 * h * h);
    EXPECT_NEAR(d.dot(exact.dq * d), second, 1e-6 * (1 + exact.dq.norm() + std::abs(at)));
  }
}

// Forces are quadratic in v, so that differences of any step size give the exact derivative along v.
TEST(Derivatives, ByVelocityObeyEulersTheorem) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const TreeOptions o = mixed_tree(seed, 6);
    SCOPED_TRACE(describe(o, seed));
    const Model model = make_model(random_machine(o, seed));
    const Sample s = random_sample(model, seed);
    DerivativesWorkspace ws(model);
    Slopes exact(model);
    rnea_derivatives(model, s.x, s.vdot, {}, ws, exact.dq, exact.dv);
    RneaWorkspace rw(model);
    const auto tau = [&](double scale) {
      State y = s.x;
      y.v *= scale;
      VectorXd out(model.nv);
      rnea(model, y, s.vdot, {}, rw, out);
      return out;
    };
    // d/ds tau(s v) at s = 1 of a + b s + c s^2: b + 2 c.
    const VectorXd c = 2 * (tau(1) - 2 * tau(0.5) + tau(0)), b = tau(1) - tau(0) - c;
    EXPECT_CLOSE(exact.dv * s.x.v, b + 2 * c, 1e-10 * (1 + tau(1).norm() + tau(0).norm()));
  }
}

TEST(Derivatives, DoNotAllocate) {
  const TreeOptions o{.bodies = 6, .modes = 4, .fidelity = Fidelity::stiffened, .beams = 0.5};
  const Model model = make_model(random_machine(o, 7));
  const Sample s = random_sample(model, 7);
  DerivativesWorkspace ws(model);
  Slopes exact(model);
  VectorXd vdot(model.nv);
  const Forces forces{s.tau, s.wrenches};
  Status status = forward_derivatives(model, s.x, forces, {}, ws, vdot, exact.dq, exact.dv, exact.dtau);
  {
    NoAlloc guard;
    status = forward_derivatives(model, s.x, forces, {}, ws, vdot, exact.dq, exact.dv, exact.dtau);
  }
  EXPECT_EQ(status, Status::ok);
}

TEST(Derivatives, RefuseMatricesOfAnotherSize) {
  const Model model = make_model(random_machine({.bodies = 2}, 1));
  const Sample s = random_sample(model, 1);
  DerivativesWorkspace ws(model);
  MatrixXd right(model.nv, model.nv), wrong(model.nv + 1, model.nv);
  EXPECT_THROW(rnea_derivatives(model, s.x, s.vdot, {}, ws, right, wrong), InputError);
  EXPECT_THROW(watch_nodes(model, std::vector<NodeRef>{{1, 99}}, ws), InputError);
}

}  // namespace
}  // namespace limber::test
