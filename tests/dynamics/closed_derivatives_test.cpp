// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The derivatives of closed chains against differences of aba and close_accelerations.
#include "limber/dynamics/closed_derivatives.hpp"

#include <gtest/gtest.h>

#include "limber/model/manifold.hpp"
#include "support/close.hpp"
#include "support/closed_trees.hpp"

namespace limber::test {
namespace {

// Central differences of steps 2h and h by Richardson's rule.
constexpr double kStep = 1e-3, kRelative = 2e-6;

class ClosedChain {
 public:
  ClosedChain(const Model& model, const Sample& s, std::vector<std::uint8_t> prescribed)
      : model_(model), sample_(s), prescribed_(std::move(prescribed)), ws_(model), cw_(model), tau_(model.nv) {}

  VectorXd accelerations(const State& x, const VectorXd& tau) {
    VectorXd vdot = sample_.vdot;
    const Forces forces{tau, sample_.wrenches};
    EXPECT_EQ(hybrid(model_, x, forces, prescribed_, ws_, vdot, tau_), Status::ok);
    EXPECT_EQ(close_accelerations(model_, ws_, cw_, vdot), Status::ok);
    return vdot;
  }

  enum class By { q, v, tau };
  MatrixXd differences(By by) {
    MatrixXd out(model_.nv, model_.nv);
    for (int j = 0; j < model_.nv; ++j) {
      const auto at = [&](double h) {
        State x = sample_.x;
        VectorXd tau = sample_.tau;
        const VectorXd step = h * VectorXd::Unit(model_.nv, j);
        if (by == By::q) move(model_, sample_.x.q, step, x.q);
        if (by == By::v) x.v += step;
        if (by == By::tau) tau += step;
        return accelerations(x, tau);
      };
      out.col(j) = (8 * (at(kStep) - at(-kStep)) - (at(2 * kStep) - at(-2 * kStep))) / (12 * kStep);
    }
    return out;
  }

 private:
  const Model& model_;
  const Sample& sample_;
  std::vector<std::uint8_t> prescribed_;
  AbaWorkspace ws_;
  ClosureWorkspace cw_;
  VectorXd tau_;
};

// False: rows of the closure are dependent here, so that the motion from an arbitrary state is not determined.
bool expect_differences(const Model& model, const Sample& s, const std::vector<std::uint8_t>& prescribed,
                        Worst& worst) {
  DerivativesWorkspace ws(model);
  ClosureWorkspace cw(model);
  VectorXd vdot = s.vdot;
  MatrixXd dq(model.nv, model.nv), dv = dq, dtau = dq;
  const Status status =
      closed_forward_derivatives(model, s.x, {s.tau, s.wrenches}, prescribed, ws, cw, vdot, dq, dv, dtau);
  if (cw.rank() < cw.count()) return false;
  EXPECT_EQ(status, Status::ok);
  ClosedChain chain(model, s, prescribed);
  EXPECT_CLOSE(vdot, chain.accelerations(s.x, s.tau), 1e-12 * (1 + vdot.norm()));
  const auto expect = [&](const MatrixXd& exact, ClosedChain::By by, const char* what) {
    const MatrixXd differences = chain.differences(by);
    const double bound = kRelative * (1 + differences.norm());
    worst.add((exact - differences).norm(), bound);
    EXPECT_CLOSE(exact, differences, bound) << what;
  };
  expect(dq, ClosedChain::By::q, "by q");
  expect(dv, ClosedChain::By::v, "by v");
  expect(dtau, ClosedChain::By::tau, "by tau");
  return true;
}

TEST(ClosedDerivatives, AreDifferences) {
  Worst worst("worst");
  int checked = 0;
  for (const JointKind kind : kClosureKinds) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + " seed " + std::to_string(seed));
      const Model model = random_closed(seed, kind, 1);
      const Sample s = random_sample(model, seed, {.special = 0, .wrenches = 2});
      checked += expect_differences(model, s, std::vector<std::uint8_t>(model.bodies.size(), 0), worst) ? 1 : 0;
    }
  }
  EXPECT_GE(checked, 36);
}

TEST(ClosedDerivatives, KnowPrescribedJoints) {
  Worst worst("worst");
  int checked = 0;
  for (std::uint64_t seed = 20; seed <= 26; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = random_closed(seed, JointKind::revolute, 1);
    const Sample s = random_sample(model, seed, {.special = 0});
    std::vector<std::uint8_t> prescribed(model.bodies.size(), 0);
    prescribed[1] = 1;
    checked += expect_differences(model, s, prescribed, worst) ? 1 : 0;
  }
  EXPECT_GE(checked, 4);
}

}  // namespace
}  // namespace limber::test
