// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Every kind of closure, against the world and against bodies, by a formulation independent of closures.cpp: the
// constraints as functions of the two poses, all derivatives by differences, and the accelerations by Gauss's principle
// of least constraint in the null space, with the mass matrix of crba.
#include <gtest/gtest.h>

#include "limber/dynamics/closures.hpp"
#include "limber/model/manifold.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "support/closed_trees.hpp"

namespace limber::test {
namespace {

// Zero if the poses satisfy a joint of this kind; redundant, smooth.
VectorXd forbidden(const Closure& closure, const Pose& a, const Pose& b) {
  const Vector3d r = a.R.transpose() * (b.p - a.p), x = closure.axis;
  const Matrix3d Q = a.R.transpose() * b.R;
  const Vector3d turn(Q(2, 1) - Q(1, 2), Q(0, 2) - Q(2, 0), Q(1, 0) - Q(0, 1));
  const Vector3d off = x.cross(r), tilt = x.cross(Q * x);
  VectorXd c(6);
  switch (closure.kind) {
    case JointKind::fixed:
      c << r, turn;
      return c;
    case JointKind::revolute:
      c << r, tilt;
      return c;
    case JointKind::prismatic:
      c << off, turn;
      return c;
    case JointKind::cylindrical:
      c << off, tilt;
      return c;
    case JointKind::universal:
      c << r, x.dot(Q * closure.axis2) - x.dot(closure.axis2), 0, 0;
      return c;
    default:
      c << r, 0, 0, 0;
      return c;
  }
}

// Excludes opposite orientations: of the axis, or of the frame.
bool face_each_other(const Closure& closure, const Pose& a, const Pose& b) {
  const Matrix3d Q = a.R.transpose() * b.R;
  switch (closure.kind) {
    case JointKind::fixed:
    case JointKind::prismatic:
      return Q.trace() > 2.9;
    case JointKind::revolute:
    case JointKind::cylindrical:
      return closure.axis.dot(Q * closure.axis) > 0.9;
    default:
      return true;
  }
}

class Geometry {
 public:
  explicit Geometry(const Model& model) : model_(model), kin_(model), y_(make_zero_state(model)) {}
  VectorXd at(const VectorXd& q, const VectorXd& step) {
    move(model_, q, step, y_.q);
    compute_kinematics(model_, y_, kin_);
    compute_world_poses(model_, kin_);
    const Closure& closure = model_.closures[0];
    return forbidden(closure, node_pose(model_, kin_, closure.a), node_pose(model_, kin_, closure.b));
  }
  bool faces() const {
    const Closure& closure = model_.closures[0];
    return face_each_other(closure, node_pose(model_, kin_, closure.a), node_pose(model_, kin_, closure.b));
  }
  // By sixth-order differences: errors of 1e-13 / h and h^6.
  MatrixXd jacobian(const VectorXd& q) {
    const double h = 2e-3;
    MatrixXd C(6, model_.nv);
    for (int k = 0; k < model_.nv; ++k) {
      const auto along = [&](double t) -> VectorXd { return at(q, t * VectorXd::Unit(model_.nv, k)); };
      C.col(k) =
          (45 * (along(h) - along(-h)) - 9 * (along(2 * h) - along(-2 * h)) + along(3 * h) - along(-3 * h)) / (60 * h);
    }
    return C;
  }
  // Second derivative at constant speeds.
  VectorXd bias(const VectorXd& q, const VectorXd& v) {
    const double h = 1e-2 / (1 + v.norm());
    const auto sum = [&](double t) -> VectorXd { return at(q, t * v) + at(q, -t * v); };
    return (270 * sum(h) - 27 * sum(2 * h) + 2 * sum(3 * h) - 490 * at(q, 0 * v)) / (180 * h * h);
  }

 private:
  const Model& model_;
  KinematicsWorkspace kin_;
  State y_;
};

// Minimises (vdot - open)^T M (vdot - open) subject to C vdot = -bias.
VectorXd least_constraint(const MatrixXd& M, const VectorXd& open, const MatrixXd& C, const VectorXd& bias, int& rank) {
  const Svd parts = svd(C, SvdParts::both);
  const VectorXd& s = parts.values;
  rank = 0;
  while (rank < s.size() && s[rank] > 1e-7 * s[0]) ++rank;
  const VectorXd some =
      parts.V.leftCols(rank) * (-(parts.U.leftCols(rank).transpose() * bias).cwiseQuotient(s.head(rank)));
  const MatrixXd Z = parts.V.rightCols(C.cols() - rank);
  const MatrixXd reduced = Z.transpose() * M * Z;
  return some + Z * Cholesky(reduced).solve(VectorXd(Z.transpose() * (M * (open - some))));
}

// A state on the closure with consistent speeds, or false.
bool assemble(const Model& model, State& x, AbaWorkspace& ws, ClosureWorkspace& cw) {
  AbaWorkspace stiff(model);
  set_implicit(model, 0, 1, VectorXd::Zero(model.nv), stiff);
  return project_position(model, x, {}, 1e-13, stiff, cw) >= 0 &&
         project_velocity(model, x, {}, ws, cw) == Status::ok && x.q.norm() < 1e2;
}

void check_kind(JointKind kind, Against against) {
  int seen = 0;
  for (std::uint64_t seed = 1; seed <= 60 && seen < 12; ++seed) {
    const Model model = random_closed(seed, kind, 1, against);
    SampleOptions o;
    o.modal = 0.1;
    const Sample s = random_sample(model, seed, o);
    State x = make_zero_state(model);
    x.v = s.x.v;
    AbaWorkspace ws(model);
    ClosureWorkspace cw(model);
    if (!assemble(model, x, ws, cw)) continue;
    Engine engine(model);
    Geometry geometry(model);
    VectorXd vdot = engine.forward(x, s.tau, s.wrenches);
    const VectorXd none = VectorXd::Zero(model.nv), open = vdot;
    EXPECT_LT(geometry.at(x.q, none).norm(), 1e-12) << to_string(kind) << " " << seed;
    EXPECT_TRUE(geometry.faces()) << to_string(kind) << " " << seed;
    int rank = 0;
    const VectorXd expected =
        least_constraint(engine.mass(x), open, geometry.jacobian(x.q), geometry.bias(x.q, x.v), rank);
    ASSERT_EQ(aba(model, x, {s.tau, s.wrenches}, ws, vdot), Status::ok);
    ASSERT_EQ(close_accelerations(model, ws, cw, vdot), Status::ok);
    if (cw.rank() != rank) continue;  // nearly dependent: the rank depends on the threshold
    ++seen;
    EXPECT_CLOSE(vdot, expected, 2e-7 * (1 + expected.norm() + open.norm() + x.v.squaredNorm()))
        << to_string(kind) << " " << seed << ", rank " << rank;
  }
  EXPECT_GE(seen, 8) << to_string(kind);
}

TEST(ClosureKinds, AgainstTheWorldAreWhatGeometrySays) {
  for (const JointKind kind : kClosureKinds) check_kind(kind, Against::world);
}

TEST(ClosureKinds, AgainstBodiesAreWhatGeometrySays) {
  for (const JointKind kind : kClosureKinds) check_kind(kind, Against::body);
}

}  // namespace
}  // namespace limber::test
