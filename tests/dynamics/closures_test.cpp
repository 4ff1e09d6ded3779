// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Closed chains at one state, against the dense equations [M J^T; J 0].
#include "limber/dynamics/detail/closures.hpp"

#include <gtest/gtest.h>

#include "limber/model/manifold.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "support/closed_trees.hpp"
#include "support/no_alloc.hpp"

namespace limber::test {
namespace {

// Rates of the rows by fourth-order central differences along v.
VectorXd differences(const Model& model, const State& x, const VectorXd& v, ClosureWorkspace& cw, bool of_rate,
                     const VectorXd& vdot) {
  KinematicsWorkspace kin(model);
  const double h = 1e-3 / (1 + v.norm() + vdot.norm());
  const auto at = [&](double t) -> VectorXd {
    State y = x;
    move(model, x.q, t * v + t * t / 2 * vdot, y.q);
    y.v = v + t * vdot;
    compute_kinematics(model, y, kin);
    compute_world_poses(model, kin);
    compute_closures(model, kin, cw);
    return of_rate ? cw.rate() : cw.error();
  };
  return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

TEST(Closures, RatesAreTheDerivativesOfTheErrors) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Model model = random_closed(seed, kClosureKinds[seed % kClosureKinds.size()]);
    const Sample s = random_sample(model, seed);
    ClosureWorkspace cw(model);
    const VectorXd none = VectorXd::Zero(model.nv);
    const VectorXd expected = differences(model, s.x, s.x.v, cw, false, none);
    Engine engine(model);
    compute_closures(model, engine.kinematics(s.x), cw);
    EXPECT_CLOSE(cw.rate(), expected, 1e-8 * (1 + s.x.v.norm()) * (1 + cw.error().norm())) << seed;
  }
}

MatrixXd jacobian(const Model& model, Engine& engine, const State& x, const ClosureWorkspace& cw) {
  MatrixXd J = MatrixXd::Zero(cw.count(), model.nv);
  for (int i = 0; i < cw.count(); ++i) {
    const Closure& closure = model.closures[cw->rows[i].closure];
    if (closure.a.body != kGround) J.row(i) += cw->on_a.col(i).transpose() * engine.jacobian(x, closure.a);
    if (closure.b.body != kGround) J.row(i) += cw->on_b.col(i).transpose() * engine.jacobian(x, closure.b);
  }
  return J;
}

TEST(Closures, AccelerationsAreThoseOfTheDenseEquations) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const Model model = random_closed(seed, kClosureKinds[seed % kClosureKinds.size()]);
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    AbaWorkspace ws(model);
    ClosureWorkspace cw(model);
    VectorXd vdot(model.nv);
    Status status{};
    status = aba(model, s.x, {s.tau, s.wrenches}, ws, vdot);
    if (status == Status::ok) status = close_accelerations(model, ws, cw, vdot);
    const VectorXd open = engine.forward(s.x, s.tau, s.wrenches);
    // The result after another algorithm is the same.
    VectorXd other = open;
    const Status again = close_other(model, s.x, ws, cw, other);
    const MatrixXd M = engine.mass(s.x), J = jacobian(model, engine, s.x, cw);
    if (pivoted_qr(J, 1e-6).rank < cw.count()) continue;  // redundant constraints by chance
    ASSERT_EQ(status, Status::ok) << seed;
    ASSERT_EQ(again, Status::ok) << seed;
    EXPECT_CLOSE(other, vdot, 1e-8 * (1 + vdot.norm())) << seed;
    // M (vdot - open) lies in the range of J^T, and the second derivative of the errors vanishes.
    const VectorXd push = M * (vdot - open);
    EXPECT_CLOSE(push, J.transpose() * cw.lambda(), 1e-8 * (1 + push.norm())) << seed;
    const VectorXd second = differences(model, s.x, s.x.v, cw, true, vdot);
    EXPECT_LT(second.norm(), 1e-6 * (1 + vdot.norm() + s.x.v.squaredNorm()) * (1 + cw.error().norm())) << seed;
  }
}

// The first call allocates the memory of the recursion.
TEST(Closures, DoNotAllocateTwice) {
  for (const int count : {1, 3, 6}) {
    const Model model = random_closed(14, JointKind::revolute, count);
    const Sample s = random_sample(model, 14);
    AbaWorkspace ws(model);
    ClosureWorkspace cw(model);
    VectorXd vdot(model.nv), tau(model.nv);
    State x = s.x;
    static_cast<void>(project_velocity(model, x, {}, ws, cw));
    const NoAlloc guard;
    ASSERT_EQ(aba(model, x, {s.tau}, ws, vdot), Status::ok);
    static_cast<void>(close_accelerations(model, ws, cw, vdot));
    ASSERT_EQ(aba(model, x, {s.tau}, ws, vdot), Status::ok);
    static_cast<void>(close_hybrid(model, ws, cw, vdot, tau));
    static_cast<void>(close_other(model, x, ws, cw, vdot));
    static_cast<void>(project_velocity(model, x, {}, ws, cw));
  }
}

TEST(Closures, DependentRowsAreFoundAndShared) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Model model = random_closed(seed, JointKind::spherical);
    const Sample s = random_sample(model, seed);
    Model twice = model;
    Closure again = model.closures[0];
    again.name = "again";
    twice.add_closure(again);
    AbaWorkspace ws(model);
    ClosureWorkspace once(model), both(twice);
    VectorXd a(model.nv), b(model.nv);
    ASSERT_EQ(aba(model, s.x, {s.tau}, ws, a), Status::ok);
    b = a;
    if (close_accelerations(model, ws, once, a) != Status::ok || once.rank() < 3) continue;
    ASSERT_EQ(close_other(twice, s.x, ws, both, b), Status::ok);
    EXPECT_EQ(both.rank(), once.rank());
    EXPECT_CLOSE(a, b, 1e-8 * (1 + a.norm())) << seed;
    EXPECT_CLOSE(both.lambda().head(3), once.lambda() / 2, 1e-7 * (1 + once.lambda().norm())) << seed;
  }
}

TEST(Closures, ProjectionMeetsThem) {
  int met = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Model model = random_closed(seed, kClosureKinds[seed % kClosureKinds.size()]);
    State x = make_zero_state(model);
    AbaWorkspace ws(model), stiff(model);
    set_implicit(model, 0, 1, VectorXd::Zero(model.nv), stiff);
    ClosureWorkspace cw(model);
    Engine engine(model);
    // A state that satisfies them is not known in advance; near the closest one Newton's method converges.
    if (project_position(model, x, {}, 1e-12, stiff, cw) < 0) continue;
    ++met;
    State y = x;
    VectorXd kick = VectorXd::Constant(model.nv, 1e-3);
    move(model, x.q, kick, y.q);
    y.v = random_sample(model, seed).x.v;
    const int iterations = project_position(model, y, {}, 1e-12, stiff, cw);
    EXPECT_GE(iterations, 1) << seed;
    EXPECT_LE(iterations, 6) << seed;
    if (project_velocity(model, y, {}, ws, cw) != Status::ok) continue;
    compute_closures(model, engine.kinematics(y), cw);
    EXPECT_LT(cw.error().lpNorm<Eigen::Infinity>(), 1e-12) << seed;
    EXPECT_LT(cw.rate().lpNorm<Eigen::Infinity>(), 1e-9 * (1 + y.v.norm())) << seed;
  }
  EXPECT_GE(met, 30);
}

TEST(Closures, RuthlessIsRefused) {
  TreeOptions o;
  o.fidelity = Fidelity::ruthless;
  Model model = make_model(random_machine(o, 3));
  model.add_closure({"pin", JointKind::spherical, Vector3d::UnitZ(), Vector3d::UnitX(), {1, kBodyFrame}, {}});
  EXPECT_THROW(ClosureWorkspace{model}, InputError);
}

}  // namespace
}  // namespace limber::test
