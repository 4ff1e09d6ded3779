// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The lemmas of [JR] as identities of dense matrices, on flexible trees with all joint kinds.  [JR] proves them for
// chains of bodies; for a tree only the pattern of E_Phi changes.
#include "limber/dynamics/detail/operators.hpp"

#include <gtest/gtest.h>

#include "limber/spatial/detail/solvers.hpp"
#include "support/engine.hpp"
#include "support/mixed_trees.hpp"
#include "support/no_alloc.hpp"
#include "support/random.hpp"

namespace limber::test {
namespace {

// A tree at a state with all its operators.
struct OperatorCase {
  Model model;
  Sample s;
  SpatialOperators o;
  MatrixXd one;       // rows x rows
  MatrixXd one_v;     // nv x nv
  MatrixXd armature;  // nv x nv
  double rounding;    // every number is a result of at most `bodies` products of blocks

  explicit OperatorCase(std::uint64_t seed)
      : model(make_model(random_machine(mixed_tree(seed), seed))), s(random_sample(model, seed)), o(model) {
    compute_kinematics(model, s.x, o.kin);
    EXPECT_EQ(compute_operators(model, o), Status::ok) << describe(mixed_tree(seed), seed);
    one.setIdentity(o.rows, o.rows);
    one_v.setIdentity(model.nv, model.nv);
    armature.setZero(model.nv, model.nv);
    for (const Link& link : model.layout->links) {
      for (int k = 0; k < link.nr; ++k) armature(link.v + k, link.v + k) = link.armature[k];
    }
    rounding = 64 * kEps * model.body_count();
  }
};

template <class Check>
void for_trees(const Check& check) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(describe(mixed_tree(seed), seed));
    const OperatorCase c(seed);
    check(c);
  }
}

TEST(Operators, PhiAndPsiAreInverses) {  // [JR] (19), (53)
  for_trees([](const OperatorCase& c) {
    EXPECT_CLOSE(MatrixXd((c.one - c.o.E_Phi) * c.o.Phi), c.one, c.rounding * c.o.E_Phi.norm() * c.o.Phi.norm());
    EXPECT_CLOSE(MatrixXd((c.one - c.o.E_Psi) * c.o.Psi), c.one, c.rounding * c.o.E_Psi.norm() * c.o.Psi.norm());
    EXPECT_EQ(c.o.E_Phi, MatrixXd(c.o.E_Phi.triangularView<Eigen::StrictlyUpper>()));
  });
}

TEST(Operators, NewtonEulerFactorsAreTheMassMatrix) {  // [JR] (43)
  for_trees([](const OperatorCase& c) {
    const MatrixXd HPhi = c.o.H * c.o.Phi;
    EXPECT_CLOSE(MatrixXd(HPhi * c.o.M_m * HPhi.transpose() + c.armature), Engine(c.model).mass(c.s.x),
                 c.rounding * HPhi.squaredNorm() * c.o.M_m.norm());
  });
}

TEST(Operators, HaveTheVelocities) {  // V_m = Phi^T H^T v, [JR] (20)
  for_trees([](const OperatorCase& c) {
    const VectorXd V = c.o.Phi.transpose() * c.o.H.transpose() * c.s.x.v;
    if (c.model.fidelity == Fidelity::ruthless) return;  // its velocities exclude the modal speeds
    for (int i = 1; i < c.model.body_count(); ++i) {
      const int n = c.model.body(i).modes;
      EXPECT_CLOSE(VectorXd(V.segment(c.o.row[i], n)), VectorXd(c.s.x.v.segment(c.model.first_mode(i), n)), 0);
      EXPECT_CLOSE(VectorXd(V.segment(c.o.row[i] + n, 6)), VectorXd(to_vector(c.o.kin->links[i].V)),
                   c.rounding * c.o.Phi.norm() * c.o.H.norm() * c.s.x.v.norm());
    }
  });
}

TEST(Operators, Lemma51CompositeBodies) {  // Phi M_m Phi^T = R + Phi~ R + R Phi~^T, [JR] (48)
  for_trees([](const OperatorCase& c) {
    const MatrixXd& Phi = c.o.Phi;
    const MatrixXd tilde = Phi - c.one;
    EXPECT_CLOSE(MatrixXd(Phi * c.o.M_m * Phi.transpose()), MatrixXd(c.o.R + tilde * c.o.R + c.o.R * tilde.transpose()),
                 c.rounding * Phi.squaredNorm() * c.o.M_m.norm());
  });
}

TEST(Operators, ArticulatedInertiasSolveTheirEquation) {  // M_m = P - E_Phi P E_Phi^T + K D K^T, [JR] (66)
  for_trees([](const OperatorCase& c) {
    const auto& [E, K, P] = std::tie(c.o.E_Phi, c.o.K, c.o.P);
    EXPECT_CLOSE(MatrixXd(P - E * P * E.transpose() + K * c.o.D * K.transpose()), c.o.M_m,
                 c.rounding * (1 + E.squaredNorm()) * P.norm());
    EXPECT_CLOSE(MatrixXd(P - c.o.E_Psi * P * E.transpose()), c.o.M_m, c.rounding * (1 + E.squaredNorm()) * P.norm());
  });
}

TEST(Operators, Lemma61Innovations) {  // M = (1 + H Phi K) D (1 + H Phi K)^T, [JR] (54)
  for_trees([](const OperatorCase& c) {
    const MatrixXd L = c.one_v + c.o.H * c.o.Phi * c.o.K;
    const double size = c.o.H.squaredNorm() * c.o.Phi.squaredNorm() * c.o.M_m.norm();
    EXPECT_CLOSE(MatrixXd(L * c.o.D * L.transpose()), Engine(c.model).mass(c.s.x), c.rounding * size);
  });
}

TEST(Operators, Lemma62InverseFactor) {  // (1 + H Phi K)^-1 = 1 - H Psi K, [JR] (55); Psi^-1 = Phi^-1 + K H, (68)
  for_trees([](const OperatorCase& c) {
    const MatrixXd L = c.one_v + c.o.H * c.o.Phi * c.o.K, W = c.one_v - c.o.H * c.o.Psi * c.o.K;
    const double HK = c.o.H.norm() * c.o.K.norm();
    const double size = HK * (c.o.Phi.norm() * W.norm() + L.norm() * c.o.Psi.norm());
    EXPECT_CLOSE(MatrixXd(L * W), c.one_v, c.rounding * (1 + size));
    EXPECT_CLOSE(MatrixXd(c.one - c.o.E_Psi), MatrixXd(c.one - c.o.E_Phi + c.o.K * c.o.H),
                 c.rounding * (1 + c.o.K.norm() * c.o.H.norm()));
    EXPECT_CLOSE(MatrixXd(W * c.o.H * c.o.Phi), MatrixXd(c.o.H * c.o.Psi),  // (70)
                 c.rounding * (1 + size) * c.o.H.norm() * c.o.Phi.norm());
  });
}

double condition_number(const MatrixXd& M) {
  const VectorXd e = eigenvalues_symmetric(M);
  return e[e.size() - 1] / e[0];
}

TEST(Operators, Lemma63InverseMassMatrix) {  // M^-1 = (1 - H Psi K)^T D^-1 (1 - H Psi K), [JR] (56)
  for_trees([](const OperatorCase& c) {
    if (c.model.nv == 0) return;
    const MatrixXd W = c.one_v - c.o.H * c.o.Psi * c.o.K, M = Engine(c.model).mass(c.s.x);
    const MatrixXd inverse = W.transpose() * Cholesky(c.o.D).solve(W);
    EXPECT_CLOSE(MatrixXd(inverse * M), c.one_v, c.rounding * condition_number(M) * M.rows());
  });
}

TEST(Operators, Lemma71Accelerations) {  // [JR] (57), for any a_m, b_m
  for_trees([](const OperatorCase& c) {
    if (c.model.nv == 0) return;
    Random random(c.model.nv);
    const VectorXd T = c.s.tau, a_m = random.vector(c.o.rows), b_m = random.vector(c.o.rows);
    const MatrixXd W = c.one_v - c.o.H * c.o.Psi * c.o.K, M = Engine(c.model).mass(c.s.x);
    const VectorXd innovations = T - c.o.H * c.o.Psi * (c.o.K * T + c.o.P * a_m + b_m);
    const VectorXd vdot =
        W.transpose() * Cholesky(c.o.D).solve(innovations) - c.o.K.transpose() * c.o.Psi.transpose() * a_m;
    const VectorXd C = c.o.H * c.o.Phi * (c.o.M_m * (c.o.Phi.transpose() * a_m) + b_m);  // (43)
    const VectorXd expected = Cholesky(M).solve(VectorXd(T - C));
    EXPECT_CLOSE(vdot, expected,
                 c.rounding * condition_number(M) * (expected.norm() + (T.norm() + C.norm()) / M.norm()));
  });
}

// The actual a_m and b_m of the state, from the motion without accelerations: a_m = (1 - E_Phi)^T alpha_m, b_m = p -
// M_m alpha_m.  Then (57) is the motion of the model.
TEST(Operators, Lemma71IsForwardDynamics) {
  for_trees([](const OperatorCase& c) {
    if (c.model.nv == 0) return;
    VectorXd alpha = VectorXd::Zero(c.o.rows), p = alpha;
    for (int i = 1; i < c.model.body_count(); ++i) {
      const Link& link = c.model.layout->links[i];
      const LinkFrame& f = c.o.kin->links[i];
      for (int k = 0; k < link.n; ++k) p[c.o.row[i] + k] = c.o.kin->p_f[link.scalars + k];
      p.segment<6>(c.o.row[i] + link.n) = to_vector(f.p);
      alpha.segment<6>(c.o.row[i] + link.n) = to_vector(Spatial{f.a.ang, f.a.lin + cross(f.V.ang, f.V.lin)});
    }
    const VectorXd a_m = alpha - c.o.E_Phi.transpose() * alpha, b_m = p - c.o.M_m * alpha;
    Engine engine(c.model);
    // Forces minus the elastic ones: rnea at zero acceleration, minus H Phi p.
    const VectorXd bias = engine.inverse(c.s.x, VectorXd::Zero(c.model.nv));
    const VectorXd T = c.s.tau - (bias - c.o.H * c.o.Phi * p);
    const MatrixXd W = c.one_v - c.o.H * c.o.Psi * c.o.K, M = engine.mass(c.s.x);
    const VectorXd innovations = T - c.o.H * c.o.Psi * (c.o.K * T + c.o.P * a_m + b_m);
    const VectorXd vdot =
        W.transpose() * Cholesky(c.o.D).solve(innovations) - c.o.K.transpose() * c.o.Psi.transpose() * a_m;
    const VectorXd expected = engine.forward(c.s.x, c.s.tau);
    EXPECT_CLOSE(vdot, expected,
                 c.rounding * condition_number(M) * (expected.norm() + (bias.norm() + T.norm()) / M.norm()));
  });
}

TEST(OperatorsForward, IsAbaOn200Trees) {
  Worst worst("operators_aba");
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Model model = make_model(random_machine(mixed_tree(seed), seed));
    if (model.nv == 0) continue;
    const Sample s = random_sample(model, seed);
    OperatorsWorkspace ws(model);
    VectorXd vdot(model.nv), again(model.nv);
    Status status{};
    {
      const NoAlloc guard;
      status = operators_forward(model, s.x, {s.tau, s.wrenches}, ws, vdot);
      EXPECT_EQ(operators_forward(model, s.x, {s.tau, s.wrenches}, ws, again), Status::ok);
    }
    ASSERT_EQ(status, Status::ok);
    EXPECT_TRUE(is_same_bits(vdot, again));
    const VectorXd expected = Engine(model).forward(s.x, s.tau, s.wrenches);
    EXPECT_CLOSE(vdot, expected, 1e-9 * expected.norm()) << describe(mixed_tree(seed), seed);
    worst.add((vdot - expected).norm(), 1e-9 * expected.norm());
  }
}

TEST(OperatorsForward, RefusesLargeMachines) {
  TreeOptions o;
  o.bodies = 400;
  o.modes = 0;
  o.joints = {JointKind::revolute};
  const Model model = make_model(random_machine(o, 1));
  EXPECT_THROW(SpatialOperators{model}, InputError);
  EXPECT_THROW(make_forward_dynamics(model, "operators"), InputError);
}

}  // namespace
}  // namespace limber::test
