// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The articulated stiffness against the exact derivatives of inverse dynamics.
#include "limber/dynamics/statics.hpp"

#include <gtest/gtest.h>

#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/derivatives.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "support/engine.hpp"
#include "support/mixed_trees.hpp"

namespace limber::test {
namespace {

// Forces and the dense tangent of the same state.
struct DenseStatics {
  VectorXd forces;
  MatrixXd K, M;
};

DenseStatics dense_tangent(const Model& model, const State& x, std::span<const NodeWrench> wrenches) {
  const State rest{x.t, x.q, VectorXd::Zero(model.nv)};
  DenseStatics out{VectorXd(model.nv), MatrixXd(model.nv, model.nv), MatrixXd(model.nv, model.nv)};
  MatrixXd by_v(model.nv, model.nv);
  DerivativesWorkspace ws(model);
  rnea_derivatives(model, rest, VectorXd::Zero(model.nv), wrenches, ws, out.K, by_v);
  RneaWorkspace rw(model);
  rnea(model, rest, VectorXd::Zero(model.nv), wrenches, rw, out.forces);
  CrbaWorkspace cw(model);
  crba(model, rest, cw, out.M);
  return out;
}

// Springs of different stiffness on all coordinates: the elimination has no pivoting, and a single leaf may have no
// stiffness.
VectorXd spread_springs(int n) { return VectorXd::LinSpaced(n, 3, 11); }

TEST(Statics, SolvesTheExactTangentOnRandomTrees) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const TreeOptions options = mixed_tree(seed);
    const Model model = make_model(random_machine(options, seed));
    if (model.nv == 0) continue;
    const Sample s = random_sample(model, seed, {.special = 0});
    const DenseStatics dense = dense_tangent(model, s.x, s.wrenches);
    StaticTangent tangent(model);
    tangent.set(s.x, model.gravity, s.wrenches);
    EXPECT_LE((tangent.forces() - dense.forces).norm(), 1e-13 * (1 + dense.forces.norm())) << describe(options, seed);
    // In `ruthless` sigma M is only a regularisation: poses do not depend on the modes.
    const double sigma = model.fidelity == Fidelity::ruthless || seed % 2 == 0 ? 0 : 3;
    const VectorXd added = spread_springs(model.nv);
    MatrixXd K = dense.K + sigma * dense.M;
    K += added.asDiagonal();
    VectorXd dq(model.nv);
    tangent.solve(sigma, added, {}, s.tau, dq);
    const double condition = K.norm() * dq.norm() + s.tau.norm();
    EXPECT_LE((K * dq - s.tau).norm(), 1e-9 * condition) << describe(options, seed);
  }
}

TEST(Statics, LeavesPrescribedJointsAlone) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const TreeOptions options = mixed_tree(seed);
    const Model model = make_model(random_machine(options, seed));
    const Sample s = random_sample(model, seed, {.special = 0});
    std::vector<std::uint8_t> prescribed(static_cast<std::size_t>(model.body_count()), 0);
    std::vector<int> free;
    for (int i = 1; i < model.body_count(); ++i) {
      prescribed[static_cast<std::size_t>(i)] = (seed + static_cast<std::uint64_t>(i)) % 2;
      const int v = model.joints[i].v, nr = speed_count(model.joints[i].kind);
      for (int k = prescribed[static_cast<std::size_t>(i)] != 0 ? nr : 0; k < nr + model.body(i).modes; ++k)
        free.push_back(v + k);
    }
    const DenseStatics dense = dense_tangent(model, s.x, s.wrenches);
    StaticTangent tangent(model);
    tangent.set(s.x, model.gravity, s.wrenches);
    VectorXd dq(model.nv);
    const VectorXd added = spread_springs(model.nv);
    tangent.solve(0, added, prescribed, s.tau, dq);
    const VectorXd left = (dense.K * dq + added.cwiseProduct(dq) - s.tau)(free);
    EXPECT_LE(left.norm(), 1e-9 * (dense.K.norm() * dq.norm() + s.tau.norm())) << describe(options, seed);
  }
}

// Sylvester's law of inertia with Haynsworth's additivity: pivots of a symmetric matrix count its eigenvalues.
TEST(Statics, CountsWhatIsNotPositive) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    TreeOptions options = mixed_tree(seed);
    options.joints = {JointKind::revolute, JointKind::prismatic};
    options.free_base = false;
    if (options.fidelity == Fidelity::ruthless) options.fidelity = Fidelity::full;
    const Model model = make_model(random_machine(options, seed));
    if (model.nv == 0) continue;
    const Sample s = random_sample(model, seed, {.special = 0});
    MatrixXd K = dense_tangent(model, s.x, {}).K;
    const VectorXd added = VectorXd::Constant(model.nv, 0.7);
    K += added.asDiagonal();
    if ((K - K.transpose()).norm() > 1e-12 * K.norm()) continue;  // joints on moving nodes away from equilibrium
    StaticTangent tangent(model);
    tangent.set(s.x, model.gravity, {});
    VectorXd dq(model.nv);
    const auto expected = (eigenvalues_symmetric(K).array() <= 0).count();
    EXPECT_EQ(tangent.solve(0, added, {}, s.tau, dq), expected) << describe(options, seed);
    ++compared;
  }
  EXPECT_GE(compared, 10);
}

TEST(Statics, AsksForAConfigurationFirst) {
  const Model model = make_model(random_machine(mixed_tree(3), 3));
  StaticTangent tangent(model);
  const VectorXd r = VectorXd::Ones(model.nv);
  VectorXd dq(model.nv);
  EXPECT_THROW(tangent.solve(0, r, {}, r, dq), InputError);
  EXPECT_THROW((void)tangent.forces(), InputError);
  EXPECT_THROW((void)tangent.scale(), InputError);
  EXPECT_THROW((void)tangent.mass(), InputError);
}

}  // namespace
}  // namespace limber::test
