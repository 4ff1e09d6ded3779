// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Closed chains at one state, against the dense equations [M J^T; J 0].
#include "limber/dynamics/closures.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>

#include "limber/model/manifold.hpp"
#include "support/close.hpp"
#include "support/engine.hpp"
#include "support/random.hpp"
#include "support/random_tree.hpp"

namespace limber::test {
namespace {

const std::vector<JointKind> kKinds = {JointKind::fixed,     JointKind::revolute,  JointKind::prismatic,
                                       JointKind::universal, JointKind::spherical, JointKind::cylindrical};

TreeOptions options_of(std::uint64_t seed) {
  TreeOptions o;
  o.bodies = 3 + static_cast<int>(seed % 6);
  o.modes = static_cast<int>(seed % 6);
  o.fidelity = seed % 2 == 0 ? Fidelity::full : Fidelity::stiffened;
  o.chain = seed % 3 == 0;
  o.beams = 0.3;
  return o;
}

// A random tree with closures between random nodes, all of one kind.
Model random_closed(std::uint64_t seed, JointKind kind, int count = 1) {
  Model model = make_model(random_machine(options_of(seed), seed));
  Random random(seed + 1000);
  const std::vector<NodeRef> nodes = all_nodes(model);
  for (int k = 0; k < count; ++k) {
    Closure closure;
    closure.name = "pin" + std::to_string(k);
    closure.kind = kind;
    closure.axis = random.direction();
    closure.axis2 = random.direction();
    closure.a = nodes[random.index(static_cast<int>(nodes.size()))];
    do {
      closure.b = random.chance(0.2) ? NodeRef{} : nodes[random.index(static_cast<int>(nodes.size()))];
    } while (closure.b.body == closure.a.body);
    model.closures.push_back(closure);
  }
  return model;
}

// Rates of the rows by central differences of fourth order along v.
VectorX differences(const Model& model, const State& x, const VectorX& v, ClosureWorkspace& cw, bool of_rate,
                    const VectorX& vdot) {
  Kinematics kin(model);
  const double h = 1e-3 / (1 + v.norm() + vdot.norm());
  const auto at = [&](double t) -> VectorX {
    State y = x;
    move(model, x.q, t * v + t * t / 2 * vdot, y.q);
    y.v = v + t * vdot;
    compute_kinematics(model, y, kin);
    compute_world_poses(model, kin);
    compute_closures(model, kin, y.v, cw);
    return of_rate ? cw.rate : cw.error;
  };
  return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

TEST(Closures, RatesAreTheDerivativesOfTheErrors) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Model model = random_closed(seed, kKinds[seed % kKinds.size()]);
    const Sample s = random_sample(model, seed);
    ClosureWorkspace cw(model);
    const VectorX none = VectorX::Zero(model.nv);
    const VectorX expected = differences(model, s.x, s.x.v, cw, false, none);
    Engine engine(model);
    compute_closures(model, engine.kinematics(s.x), s.x.v, cw);
    EXPECT_CLOSE(cw.rate, expected, 1e-8 * (1 + s.x.v.norm()) * (1 + cw.error.norm())) << seed;
  }
}

MatrixX jacobian(const Model& model, Engine& engine, const State& x, const ClosureWorkspace& cw) {
  MatrixX J = MatrixX::Zero(cw.count(), model.nv);
  for (int i = 0; i < cw.count(); ++i) {
    const Closure& closure = model.closures[cw.rows[i].closure];
    if (closure.a.body != kGround) J.row(i) += cw.on_a.col(i).transpose() * engine.jacobian(x, closure.a);
    if (closure.b.body != kGround) J.row(i) += cw.on_b.col(i).transpose() * engine.jacobian(x, closure.b);
  }
  return J;
}

TEST(Closures, AccelerationsAreThoseOfTheDenseEquations) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const Model model = random_closed(seed, kKinds[seed % kKinds.size()]);
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    AbaWorkspace ws(model);
    ClosureWorkspace cw(model);
    VectorX vdot(model.nv);
    Status status{};
    status = aba(model, s.x, {s.tau, s.wrenches}, ws, vdot);
    if (status == Status::ok) status = close_accelerations(model, s.x.v, ws, cw, vdot);
    const VectorX open = engine.forward(s.x, s.tau, s.wrenches);
    const MatrixX M = engine.mass(s.x), J = jacobian(model, engine, s.x, cw);
    Eigen::FullPivHouseholderQR<MatrixX> qr(J);
    qr.setThreshold(1e-6);
    if (qr.rank() < cw.count()) continue;  // over-constrained by chance
    ASSERT_EQ(status, Status::ok) << seed;
    // M (vdot - open) lies in the range of J^T, and the second derivative of the errors vanishes.
    const VectorX push = M * (vdot - open);
    EXPECT_CLOSE(push, J.transpose() * cw.lambda, 1e-8 * (1 + push.norm())) << seed;
    const VectorX second = differences(model, s.x, s.x.v, cw, true, vdot);
    EXPECT_LT(second.norm(), 1e-6 * (1 + vdot.norm() + s.x.v.squaredNorm()) * (1 + cw.error.norm())) << seed;
  }
}

TEST(Closures, DependentRowsAreFoundAndShared) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Model model = random_closed(seed, JointKind::spherical);
    const Sample s = random_sample(model, seed);
    Model twice = model;
    twice.closures.push_back(model.closures[0]);
    AbaWorkspace ws(model);
    ClosureWorkspace once(model), both(twice);
    VectorX a(model.nv), b(model.nv);
    ASSERT_EQ(aba(model, s.x, {s.tau}, ws, a), Status::ok);
    b = a;
    if (close_accelerations(model, s.x.v, ws, once, a) != Status::ok || once.rank < 3) continue;
    ASSERT_EQ(close_accelerations(twice, s.x.v, ws, both, b), Status::ok);
    EXPECT_EQ(both.rank, once.rank);
    EXPECT_CLOSE(a, b, 1e-8 * (1 + a.norm())) << seed;
    EXPECT_CLOSE(both.lambda.head(3), once.lambda / 2, 1e-7 * (1 + once.lambda.norm())) << seed;
  }
}

TEST(Closures, ProjectionMeetsThem) {
  int met = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Model model = random_closed(seed, kKinds[seed % kKinds.size()]);
    State x = make_zero_state(model);
    AbaWorkspace ws(model), stiff(model);
    set_implicit(model, 0, 1, VectorX::Zero(model.nv), stiff);
    ClosureWorkspace cw(model);
    Engine engine(model);
    // A state that fulfils them to start from is not known; near the nearest one Newton's method converges.
    if (project_position(model, x, {}, 1e-12, stiff, cw) < 0) continue;
    ++met;
    State y = x;
    VectorX kick = VectorX::Constant(model.nv, 1e-3);
    move(model, x.q, kick, y.q);
    y.v = random_sample(model, seed).x.v;
    const int iterations = project_position(model, y, {}, 1e-12, stiff, cw);
    EXPECT_GE(iterations, 1) << seed;
    EXPECT_LE(iterations, 6) << seed;
    if (project_velocity(model, y, {}, ws, cw) != Status::ok) continue;
    compute_closures(model, engine.kinematics(y), y.v, cw);
    EXPECT_LT(cw.error.lpNorm<Eigen::Infinity>(), 1e-12) << seed;
    EXPECT_LT(cw.rate.lpNorm<Eigen::Infinity>(), 1e-9 * (1 + y.v.norm())) << seed;
  }
  EXPECT_GE(met, 30);
}

TEST(Closures, RuthlessIsRefused) {
  TreeOptions o;
  o.fidelity = Fidelity::ruthless;
  Model model = make_model(random_machine(o, 3));
  model.closures.push_back({"pin", JointKind::spherical, Vector3::UnitZ(), Vector3::UnitX(), {1, kBodyFrame}, {}});
  EXPECT_THROW(ClosureWorkspace{model}, InputError);
}

}  // namespace
}  // namespace limber::test
