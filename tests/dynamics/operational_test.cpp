// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Uses of M^-1 without forming it, against dense matrices.
#include "limber/dynamics/detail/operational.hpp"

#include <gtest/gtest.h>

#include "limber/spatial/detail/solvers.hpp"
#include "support/engine.hpp"
#include "support/mixed_trees.hpp"
#include "support/no_alloc.hpp"
#include "support/random.hpp"

namespace limber::test {
namespace {

constexpr std::array kChoices = {Elimination::automatic, Elimination::active, Elimination::all_modes};

Model operational_model(std::uint64_t seed) {
  return make_model(random_machine(mixed_tree(seed), seed), kChoices[seed / 3 % 3]);
}

std::vector<std::uint8_t> prescribe_every(const Model& model, int every) {
  std::vector<std::uint8_t> prescribed(static_cast<std::size_t>(model.body_count()));
  for (int i = 1; every > 0 && i < model.body_count(); ++i) prescribed[i] = i % every == 0;
  return prescribed;
}

// The inverse of M of the coordinates that are not prescribed, zero elsewhere.
struct Dense {
  MatrixXd inverse;
  double log_det = 0, condition = 1;
};

Dense invert(const Model& model, const MatrixXd& M, const std::vector<std::uint8_t>& prescribed) {
  std::vector<int> free;
  for (int i = 1; i < model.body_count(); ++i) {
    const Link& link = model.layout->links[i];
    for (int k = 0; prescribed[i] == 0 && k < link.nr; ++k) free.push_back(link.v + k);
    for (int k = 0; k < link.n; ++k) free.push_back(link.vm + k);
  }
  Dense out;
  out.inverse.setZero(model.nv, model.nv);
  if (free.empty()) return out;
  const MatrixXd part = M(free, free);
  const MatrixXd inverse = Cholesky(part).solve(MatrixXd(MatrixXd::Identity(part.rows(), part.cols())));
  out.inverse(free, free) = inverse;
  const VectorXd eigenvalues = eigenvalues_symmetric(part);
  out.log_det = eigenvalues.array().log().sum();
  out.condition = eigenvalues[eigenvalues.size() - 1] / eigenvalues[0];
  return out;
}

// Both inversions lose digits by the condition number; every body on the path adds a few rounding errors.
double inverse_bound(const Model& model, const Dense& dense) {
  return 16 * kEps * model.body_count() * dense.condition * dense.inverse.norm();
}

// Nodes of arbitrary bodies, one of the ground, one repeated.
std::vector<NodeRef> some_nodes(const Model& model, std::uint64_t seed, int count) {
  Random random(seed);
  const std::vector<NodeRef> all = all_nodes(model);
  std::vector<NodeRef> nodes;
  for (int k = 0; k < count; ++k) nodes.push_back(all[random.index(static_cast<int>(all.size()))]);
  if (count > 2) nodes[1] = {kGround, kBodyFrame};
  if (count > 3) nodes[3] = nodes[0];
  return nodes;
}

MatrixXd jacobians(Engine& engine, const State& x, const std::vector<NodeRef>& nodes) {
  MatrixXd J(6 * nodes.size(), engine.model().nv);
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    J.middleRows(static_cast<Eigen::Index>(6 * a), 6) = engine.jacobian(x, nodes[a]);
  }
  return J;
}

TEST(SolveFactored, IsTheInverseOfTheMassMatrix) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Model model = operational_model(seed);
    const Sample s = random_sample(model, seed);
    const MatrixXd M = Engine(model).mass(s.x);
    AbaWorkspace ws(model);
    for (const int every : {0, 1, 2, 3}) {
      const auto prescribed = prescribe_every(model, every);
      const Dense dense = invert(model, M, prescribed);
      VectorXd x = s.tau, y(model.nv);
      {
        const NoAlloc guard;
        ASSERT_EQ(factor_mass(model, s.x, ws, prescribed), Status::ok);
        solve_factored(model, s.vdot, ws, y);  // several right-hand sides in succession
        solve_factored(model, x, ws, x);       // in place
      }
      EXPECT_CLOSE(x, VectorXd(dense.inverse * s.tau), inverse_bound(model, dense) * s.tau.norm())
          << describe(mixed_tree(seed), seed);
      EXPECT_CLOSE(y, VectorXd(dense.inverse * s.vdot), inverse_bound(model, dense) * s.vdot.norm());
      const double quadratic = compute_quadratic_inverse(model, s.tau, ws);
      EXPECT_CLOSE(quadratic, s.tau.dot(dense.inverse * s.tau), inverse_bound(model, dense) * s.tau.squaredNorm());
    }
  }
}

TEST(SolveFactored, IsSolveMassToTheBit) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Model model = operational_model(seed);
    const Sample s = random_sample(model, seed);
    AbaWorkspace ws(model), other(model);
    VectorXd x(model.nv), y(model.nv), vdot(model.nv);
    ASSERT_EQ(solve_mass(model, s.x, s.tau, ws, x), Status::ok);
    ASSERT_EQ(aba(model, s.x, {s.vdot, s.wrenches}, other, vdot), Status::ok);
    solve_factored(model, s.tau, other, y);  // aba leaves the factors as well
    EXPECT_TRUE(is_same_bits(x, y));
    ASSERT_EQ(factor_mass(model, s.x, other), Status::ok);
    solve_factored(model, s.tau, other, y);
    EXPECT_TRUE(is_same_bits(x, y));
  }
}

TEST(LogDetMass, IsThatOfTheMassMatrixForEveryElimination) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    TreeOptions o = mixed_tree(seed);
    if (seed % 2 == 0) o.modal_mass = ModalMass::diagonal;
    if (o.fidelity == Fidelity::stiffened && seed % 2 == 0) o.fidelity = Fidelity::full;
    const Machine machine = random_machine(o, seed);
    for (const Elimination choice : kChoices) {
      const Model model = make_model(machine, choice);
      const Sample s = random_sample(model, seed);
      const MatrixXd M = Engine(model).mass(s.x);
      AbaWorkspace ws(model);
      for (const int every : {0, 1, 2}) {
        const auto prescribed = prescribe_every(model, every);
        const Dense dense = invert(model, M, prescribed);
        ASSERT_EQ(factor_mass(model, s.x, ws, prescribed), Status::ok);
        const NoAlloc guard;
        // A pivot has at worst an error of eps times the condition number, and so has its logarithm.
        EXPECT_CLOSE(compute_log_det_mass(model, ws), dense.log_det, 16 * kEps * model.nv * dense.condition)
            << describe(o, seed);
      }
    }
  }
}

TEST(OperationalInertia, IsJTimesInverseMassTimesJ) {
  Worst worst("operational_inertia");
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Model model = operational_model(seed);
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    const MatrixXd M = engine.mass(s.x);
    AbaWorkspace ws(model);
    OperationalWorkspace scratch(model);
    for (const int every : {0, 1, 2, 3}) {
      const auto prescribed = prescribe_every(model, every);
      const Dense dense = invert(model, M, prescribed);
      const std::vector<NodeRef> nodes = some_nodes(model, seed, 1 + static_cast<int>((seed + every) % 7));
      const MatrixXd J = jacobians(engine, s.x, nodes);
      ASSERT_EQ(factor_mass(model, s.x, ws, prescribed), Status::ok);
      MatrixXd result(J.rows(), J.rows());
      compute_operational_inertia(model, nodes, ws, scratch, result);
      const MatrixXd expected = J * dense.inverse * J.transpose();
      const double bound = inverse_bound(model, dense) * J.squaredNorm();
      EXPECT_CLOSE(result, expected, bound) << describe(mixed_tree(seed), seed);
      if (bound > 0) worst.add((result - expected).norm(), bound);
      EXPECT_EQ(result, MatrixXd(result.transpose())) << "both triangles hold the same numbers";
    }
  }
}

TEST(OperationalInertia, FollowsImplicitSteps) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Model model = operational_model(seed);
    if (model.nv == 0) continue;
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    AbaWorkspace ws(model);
    OperationalWorkspace scratch(model);
    set_implicit(model, 0.05, 0.01, VectorXd::Constant(model.nv, 0.01), ws);
    const std::vector<NodeRef> nodes = some_nodes(model, seed, 4);
    const MatrixXd J = jacobians(engine, s.x, nodes);
    ASSERT_EQ(factor_mass(model, s.x, ws), Status::ok);
    MatrixXd expected(J.rows(), J.rows()), result = expected;
    VectorXd x(model.nv);
    for (Eigen::Index k = 0; k < J.rows(); ++k) {
      solve_factored(model, J.row(k).transpose(), ws, x);
      expected.col(k) = J * x;
    }
    compute_operational_inertia(model, nodes, ws, scratch, result);
    const Dense dense = invert(model, engine.mass(s.x), prescribe_every(model, 0));
    EXPECT_CLOSE(result, expected, inverse_bound(model, dense) * J.squaredNorm()) << describe(mixed_tree(seed), seed);
  }
}

TEST(OperationalInertia, DoesNotAllocateTwice) {
  const Model model = operational_model(23);
  const Sample s = random_sample(model, 23);
  const std::vector<NodeRef> nodes = some_nodes(model, 23, 5);
  AbaWorkspace ws(model);
  OperationalWorkspace scratch(model);
  ASSERT_EQ(factor_mass(model, s.x, ws), Status::ok);
  MatrixXd first(30, 30), second(30, 30);
  VectorXd x = VectorXd::Ones(30), dv(model.nv);
  compute_operational_inertia(model, nodes, ws, scratch, first);
  {
    const NoAlloc guard;
    compute_operational_inertia(model, nodes, ws, scratch, second);
    respond(model, nodes, x, ws, scratch, dv);
  }
  EXPECT_TRUE(is_same_bits(first, second));
}

TEST(OperationalInertia, RefusesWrongSizesAndNodes) {
  const Model model = operational_model(7);
  AbaWorkspace ws(model);
  OperationalWorkspace scratch(model);
  ASSERT_EQ(factor_mass(model, make_zero_state(model), ws), Status::ok);
  MatrixXd small(6, 6), right(12, 12);
  VectorXd dv(model.nv), shorter(model.nv - 1);
  const std::vector<NodeRef> nodes = {{1, kBodyFrame}, {1, 99}};
  EXPECT_THROW(compute_operational_inertia(model, nodes, ws, scratch, small), InputError);
  EXPECT_THROW(compute_operational_inertia(model, nodes, ws, scratch, right), InputError);
  EXPECT_THROW(respond(model, nodes, VectorXd::Zero(12), ws, scratch, dv), InputError);
  EXPECT_THROW(respond(model, std::span(nodes).first(1), VectorXd::Zero(6), ws, scratch, shorter), InputError);
  EXPECT_THROW(solve_factored(model, shorter, ws, dv), InputError);
  const std::vector<std::uint8_t> few(1);
  EXPECT_THROW(static_cast<void>(factor_mass(model, make_zero_state(model), ws, few)), InputError);
}

TEST(Respond, IsInverseMassTimesTransposedJacobian) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Model model = operational_model(seed);
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    const auto prescribed = prescribe_every(model, static_cast<int>(seed % 3));
    const Dense dense = invert(model, engine.mass(s.x), prescribed);
    const std::vector<NodeRef> nodes = some_nodes(model, seed, 5);
    const MatrixXd J = jacobians(engine, s.x, nodes);
    const VectorXd lambda = Random(seed).vector(30);
    AbaWorkspace ws(model);
    OperationalWorkspace scratch(model);
    ASSERT_EQ(factor_mass(model, s.x, ws, prescribed), Status::ok);
    VectorXd dv(model.nv);
    respond(model, nodes, lambda, ws, scratch, dv);
    EXPECT_CLOSE(dv, VectorXd(dense.inverse * J.transpose() * lambda),
                 inverse_bound(model, dense) * J.norm() * lambda.norm());
  }
}

// Subnormal numbers would be about a hundred times slower.
TEST(Respond, HasNoSubnormalNumbers) {
  TreeOptions o;
  o.bodies = 1500;
  o.modes = 3;
  o.chain = true;
  o.joints = {JointKind::revolute};
  const Model model = make_model(random_machine(o, 5));
  const Sample s = random_sample(model, 5);
  const std::vector<NodeRef> nodes = {{1500, kBodyFrame}};
  AbaWorkspace ws(model);
  OperationalWorkspace scratch(model);
  ASSERT_EQ(factor_mass(model, s.x, ws), Status::ok);
  VectorXd dv(model.nv);
  respond(model, nodes, VectorXd::Ones(6), ws, scratch, dv);
  int zero = 0;
  for (const double x : dv) {
    EXPECT_TRUE(x == 0 || std::abs(x) > 1e-300) << x;
    zero += x == 0 ? 1 : 0;
  }
  EXPECT_GT(zero, 0) << "nothing faded: the chain is too short for this test";
}

// A chain of 500 links: against solves with J, which share the factors but not the recursion.
TEST(OperationalInertia, OfALongChain) {
  TreeOptions o;
  o.bodies = 500;
  o.modes = 3;
  o.chain = true;
  o.joints = {JointKind::revolute, JointKind::universal, JointKind::spherical};
  Worst worst("long_chain");
  for (const Elimination choice : {Elimination::active, Elimination::all_modes}) {
    const Model model = make_model(random_machine(o, 5), choice);
    const Sample s = random_sample(model, 5);
    Engine engine(model);
    const std::vector<NodeRef> nodes = {{500, kBodyFrame}, {1, 0}, {250, 1}, {499, 0}};
    const MatrixXd J = jacobians(engine, s.x, nodes);
    AbaWorkspace ws(model);
    OperationalWorkspace scratch(model);
    ASSERT_EQ(factor_mass(model, s.x, ws), Status::ok);
    MatrixXd expected(24, 24), result(24, 24);
    VectorXd x(model.nv);
    for (Eigen::Index k = 0; k < J.rows(); ++k) {
      solve_factored(model, J.row(k).transpose(), ws, x);
      expected.col(k) = J * x;
    }
    compute_operational_inertia(model, nodes, ws, scratch, result);
    // J M^-1 J^T is positive semidefinite: blocks are compared with those on the diagonal.  Near the base, where a node
    // cannot move in every direction, these are small in some directions, but not as a whole.
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < 4; ++b) {
        const auto block = [&](const MatrixXd& of, int r, int c) { return of.block<6, 6>(6 * r, 6 * c); };
        const double size = std::sqrt(block(expected, a, a).norm() * block(expected, b, b).norm());
        EXPECT_CLOSE(block(result, a, b), block(expected, a, b), 1e-10 * size);
        worst.add((block(result, a, b) - block(expected, a, b)).norm(), 1e-10 * size);
      }
    }
  }
}

}  // namespace
}  // namespace limber::test
