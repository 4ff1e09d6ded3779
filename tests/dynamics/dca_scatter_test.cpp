// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Divide and conquer on trees with masses over a range of twelve decades.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/dca.hpp"
#include "limber/dynamics/detail/dca.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "support/brute_force.hpp"
#include "support/random.hpp"
#include "support/random_tree.hpp"

namespace limber::test {
namespace {

Machine scattered(std::uint64_t seed, double decades) {
  TreeOptions o;
  o.bodies = 3 + static_cast<int>(seed % 10);
  o.modes = seed % 4 == 0 ? 2 : 0;
  o.flexible = seed % 4 == 0 ? 0.5 : 0;
  o.chain = seed % 3 == 0;
  o.armature = o.springs = false;
  o.joints = {JointKind::revolute, JointKind::prismatic, JointKind::universal, JointKind::spherical, JointKind::free};
  Machine machine = random_machine(o, seed);
  Random random(seed + 5);
  for (BodySpec& body : machine.bodies) {
    const double factor = std::pow(10, random.uniform(-decades, decades));
    if (auto* rigid = std::get_if<RigidSpec>(&body)) {
      rigid->mass *= factor;
      rigid->inertia *= factor;
    }
    if (auto* modal = std::get_if<ModalSpec>(&body)) {
      for (MassPoint& point : modal->points) point.mass *= factor;
    }
  }
  return machine;
}

// Condition number of M, scaled to unit diagonal.
double condition(const MatrixXd& M) {
  const VectorXd s = M.diagonal().cwiseSqrt().cwiseInverse();
  const VectorXd values = eigenvalues_symmetric(MatrixXd(s.asDiagonal() * M * s.asDiagonal()));
  return values.maxCoeff() / values.minCoeff();
}

}  // namespace

// They include pairs whose outboard half has almost no inertia along an axis of its frame, where pivoting is decisive.
// LIMBER_CASES sets the number of cases.
TEST(DcaScatter, KeepsTenDigitsOrAsksTheWhole) {
  int own = 0, well = 0;
  const char* wish = std::getenv("LIMBER_CASES");
  const std::uint64_t count = wish != nullptr ? std::strtoull(wish, nullptr, 10) : 150;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t seed = k == 0 ? 3465 : k == 1 ? 5895 : k;  // the first two: 2e-7 without pivoting
    const Machine machine = scattered(seed, 6 * static_cast<double>(seed % 5) / 4);
    const Model model = make_model(machine);
    const Sample s = random_sample(model, seed);
    const BruteForce exact(machine, s.x);
    if (!(condition(exact.mass()) < 1e4)) continue;
    ++well;
    const VectorXd wanted = exact.acceleration(s.tau, s.wrenches);
    DcaWorkspace ws(model);
    VectorXd vdot(model.nv);
    ASSERT_EQ(dca(model, s.x, {s.tau, s.wrenches}, ws, vdot), Status::ok) << seed;
    const double error = (vdot - wanted).norm() / wanted.norm();
    EXPECT_LT(error, 1e-10) << seed;
    if (ws.answered_serially()) continue;
    ++own;
    EXPECT_LT(error, 100 * std::numeric_limits<double>::epsilon() * (10 + ws->loss)) << seed;  // its own estimate
  }
  EXPECT_GT(own, 0.8 * well);
}

}  // namespace limber::test
