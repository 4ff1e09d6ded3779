// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Jumps of prescribed speeds in closed chains, against dense algebra.
#include <cstdlib>

#include "fixtures.hpp"
#include "limber/dynamics/closures.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/detail/closures.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "support/closed_trees.hpp"

namespace limber::test {
namespace {

constexpr double kJump = 0.02;  // s

// Speeds nearest to v, in the metric of M, with C v = right.
VectorXd nearest(const MatrixXd& M, const VectorXd& v, const MatrixXd& C, const VectorXd& right) {
  // v + S w with S S^T = M^-1: the least w with C S w = right - C v.
  const SymmetricEigen mass = eigen_symmetric(M);
  const MatrixXd S = mass.vectors * mass.values.cwiseSqrt().cwiseInverse().asDiagonal();
  const Svd parts = svd(C * S, SvdParts::both);
  const Eigen::Index rank = (parts.values.array() > 1e-9 * parts.values[0]).count();
  const VectorXd along = parts.U.leftCols(rank).transpose() * (right - C * v);
  return v + S * (parts.V.leftCols(rank) * along.cwiseQuotient(parts.values.head(rank)));
}

struct Chain {
  Model model;
  Inputs inputs;
  int joint = 0;
  State start;
};

// A random closed chain with one prescribed joint whose speed jumps from `rate` to another one; false: not possible.
bool make_closed_chain(std::uint64_t seed, Chain& out) {
  const JointKind kind = kClosureKinds[seed % kClosureKinds.size()];
  out.model = random_closed(seed, kind, 1);
  Random random(seed + 77);
  out.joint = 0;
  for (int i = 1; i < out.model.body_count() && out.joint == 0; ++i) {
    const JointKind own = out.model.joints[i].kind;
    if (own == JointKind::revolute || own == JointKind::prismatic) out.joint = i;
  }
  if (out.joint == 0) return false;
  SampleOptions o;
  o.modal = 0;
  out.start = random_sample(out.model, seed, o).x;
  out.start.t = 0;
  out.start.v *= 0.1;
  const double q = out.start.q[out.model.joints[out.joint].q], before = random.uniform(-0.5, 0.5),
               after = random.uniform(-0.5, 0.5);
  out.inputs = {};
  out.inputs.motions.push_back(
      {out.joint,
       {Signal::table(Vector3d(0, kJump, 2 * kJump), Vector3d(q, q + kJump * before, q + kJump * (before + after)),
                      Interpolation::linear)},
       "m"});
  try {
    System system(out.model, out.inputs);
    system.select_interval(0.5 * kJump);
    system.assemble(out.start);
  } catch (const InputError&) {
    return false;
  }
  return out.start.q.norm() < 30;
}

// The impulse alone: from the state before the jump, by System and by dense algebra.
void check_impulse(const Chain& chain, const State& before, std::uint64_t seed) {
  const Model& model = chain.model;
  System system(model, chain.inputs);
  State assembled = before;
  system.select_interval(0.5 * kJump);
  system.assemble(assembled);
  system.select_interval(1.5 * kJump);
  Motion m{before};
  ASSERT_EQ(system.apply_jump(m), Status::ok) << seed;
  KinematicsWorkspace kin(model);
  compute_kinematics(model, before, kin);
  compute_world_poses(model, kin);
  ClosureWorkspace cw(model);
  compute_closures(model, kin, cw);
  Matrix6X scratch(6, model.nv);
  MatrixXd C = MatrixXd::Zero(cw.count() + 1, model.nv), M(model.nv, model.nv);
  compute_closure_jacobian(model, kin, cw, scratch, C.topRows(cw.count()));
  const int speed = model.joints[chain.joint].v;
  C(cw.count(), speed) = 1;
  CrbaWorkspace crba_ws(model);
  crba(model, before, crba_ws, M);
  VectorXd right = VectorXd::Zero(cw.count() + 1);
  right[cw.count()] = m.x.v[speed];
  const VectorXd v = nearest(M, before.v, C, right);
  const double scale = before.v.norm() + v.norm();
  EXPECT_LT((m.x.v - v).norm(), 1e-8 * scale) << seed;
  const double work = 0.5 * v.dot(M * v) - 0.5 * before.v.dot(M * before.v);
  EXPECT_NEAR(m.work, work, 1e-9 * (v.dot(M * v) + before.v.dot(M * before.v))) << seed;
}

}  // namespace

// LIMBER_CASES sets the number of cases (scripts/stress).
TEST(Jumps, OfRandomClosedChainsCloseTheLedger) {
  const char* wish = std::getenv("LIMBER_CASES");
  const int count = wish != nullptr ? std::atoi(wish) : 12;
  int done = 0;
  for (std::uint64_t seed = 1; done < count && seed < 100u * static_cast<unsigned>(count); ++seed) {
    Chain chain;
    if (!make_closed_chain(seed, chain)) continue;
    System system(chain.model, chain.inputs);
    Kept seen;
    const RunResult result = simulate(system, tight(), {2 * kJump, kJump}, chain.start, seen);
    if (result.status != Status::ok) continue;  // singular along the motion
    ++done;
    EXPECT_LT(result.energy_error, 1e-9 * result.energy_scale) << seed;
    State before = chain.start;
    before.t = kJump;
    before.q = seen.q[1];
    before.v = seen.v[1];
    check_impulse(chain, before, seed);
  }
  EXPECT_EQ(done, count);
}

}  // namespace limber::test
