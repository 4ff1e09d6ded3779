// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Joint kinds added here, through the table only, pass the suites of the built-in ones: a helical joint (one screw with
// a pitch), a planar one (H depends on q), three rotations about different axes, and built-in kinds described again as
// products of exponentials.
#include <gtest/gtest.h>

#include "limber/dynamics/closures.hpp"
#include "limber/dynamics/derivatives.hpp"
#include "limber/model/manifold.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "support/engine.hpp"
#include "support/mixed_trees.hpp"
#include "support/no_alloc.hpp"
#include "support/random.hpp"

namespace limber::test::added_joint {
namespace {

Vector6 twist(const Vector3d& angular, const Vector3d& linear) { return (Vector6() << angular, linear).finished(); }

constexpr double kPitch = 0.3;  // m per rad

std::vector<Vector6> helical_screws(const Joint& joint) { return {twist(joint.axis, kPitch * joint.axis)}; }

// Translations in the plane across the axis, then a rotation about it.
std::vector<Vector6> planar_screws(const Joint& joint) {
  const Vector3d x = joint.axis.cross(joint.axis2).normalized(), y = joint.axis.cross(x), none = Vector3d::Zero();
  return {twist(none, x), twist(none, y), twist(joint.axis, none)};
}

std::vector<ClosureRow> planar_rows(const Closure& closure) {
  const Vector3d x = closure.axis.cross(closure.axis2).normalized(), y = closure.axis.cross(x);
  return {{0, false, closure.axis, Vector3d::Zero(), 0}, {0, true, x, closure.axis, 0}, {0, true, y, closure.axis, 0}};
}

std::vector<Vector6> gimbal_screws(const Joint& joint) {
  const Vector3d none = Vector3d::Zero();
  return {twist(joint.axis, none), twist(joint.axis2, none), twist(joint.axis.cross(joint.axis2).normalized(), none)};
}

std::vector<Vector6> cardan_screws(const Joint& joint) {
  return {twist(joint.axis, Vector3d::Zero()), twist(joint.axis2, Vector3d::Zero())};
}

std::vector<Vector6> sleeve_screws(const Joint& joint) {
  return {twist(joint.axis, Vector3d::Zero()), twist(Vector3d::Zero(), joint.axis)};
}

JointTraits traits(const char* name, std::vector<JointCoordinate> coordinates, int axes, const char* drawn_as,
                   std::vector<Vector6> (*screws)(const Joint&)) {
  JointTraits out;
  out.name = name;
  out.positions = out.speeds = std::move(coordinates);
  out.axes = axes;
  out.driven = true;
  out.stops = out.speeds.size() == 1;
  out.drawn_as = drawn_as;
  out.screws = screws;
  return out;
}

struct Added {
  JointKind helical = add_joint_kind(traits("helical", {{"", "rad"}}, 1, "cylindrical", helical_screws));
  JointKind gimbal = add_joint_kind(
      traits("gimbal", {{"angle1", "rad"}, {"angle2", "rad"}, {"angle3", "rad"}}, 2, "universal", gimbal_screws));
  JointKind cardan =
      add_joint_kind(traits("cardan", {{"angle1", "rad"}, {"angle2", "rad"}}, 2, "universal", cardan_screws));
  JointKind sleeve =
      add_joint_kind(traits("sleeve", {{"angle", "rad"}, {"slide", "m"}}, 1, "cylindrical", sleeve_screws));
  JointKind planar = add_planar();

  static JointKind add_planar() {
    JointTraits out = traits("planar", {{"x", "m"}, {"y", "m"}, {"angle", "rad"}}, 2, "prismatic", planar_screws);
    out.closure_rows = planar_rows;
    out.alignment = ClosureAlignment::axis;
    return add_joint_kind(out);
  }
};

const Added& added() {
  static const Added kinds;
  return kinds;
}

TreeOptions tree(std::uint64_t seed) {
  TreeOptions o = mixed_tree(seed, 8);
  const Added& a = added();
  o.joints = {a.helical, a.planar, a.gimbal, a.planar, a.cardan, a.sleeve, JointKind::universal, JointKind::spherical};
  o.child_on_node = 0.5;
  return o;
}

TEST(AddedJoint, StandsInTheTable) {
  const JointKind planar = added().planar;
  EXPECT_STREQ(to_string(planar), "planar");
  EXPECT_EQ(speed_count(planar), 3);
  EXPECT_EQ(speed_units(planar), (std::vector<std::string>{"m/s", "m/s", "rad/s"}));
  EXPECT_EQ(force_units(planar), (std::vector<std::string>{"N", "N", "N m"}));
  EXPECT_EQ(joint_kinds().back(), planar);
  JointTraits again = joint_traits(planar);
  EXPECT_THROW(add_joint_kind(again), InputError);
  again.name = "other";
  again.screws = nullptr;
  EXPECT_THROW(add_joint_kind(again), InputError);
  EXPECT_THROW(joint_traits(static_cast<JointKind>(100)), InputError);
}

TEST(AddedJoint, AbaIsUndoneByRneaAndAllAlgorithmsAgree) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const TreeOptions o = tree(seed);
    SCOPED_TRACE(describe(o, seed));
    const Model model = make_model(random_machine(o, seed));
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    const MatrixXd M = engine.mass(s.x);
    const double h = engine.inverse(s.x, VectorXd::Zero(model.nv)).norm() + s.tau.norm();
    const VectorXd vdot = engine.forward(s.x, s.tau);
    EXPECT_CLOSE(engine.inverse(s.x, vdot), s.tau, 4 * force_bound(model, M, vdot, h));
    EXPECT_EQ(M, M.transpose());
    EXPECT_TRUE(Cholesky(M).positive_definite());
    for (int k = 0; k < model.nv; ++k) {
      const VectorXd column = engine.mass_times(s.x, VectorXd::Unit(model.nv, k));
      EXPECT_CLOSE(VectorXd(M.col(k)), column, 16 * kEps * model.body_count() * M.norm());
    }
    for (const std::string& name : general_algorithms()) {
      const auto algorithm = make_forward_dynamics(model, name);
      VectorXd other(model.nv);
      ASSERT_EQ((*algorithm)(s.x, {s.tau, {}}, other), Status::ok) << name;
      EXPECT_CLOSE(VectorXd(M * other), VectorXd(M * vdot), 64 * force_bound(model, M, vdot, h)) << name;
    }
  }
}

TEST(AddedJoint, DoesNotAllocate) {
  const TreeOptions o = tree(7);
  const Model model = make_model(random_machine(o, 7));
  const Sample s = random_sample(model, 7);
  AbaWorkspace ws(model);
  VectorXd vdot(model.nv);
  NoAlloc guard;
  EXPECT_EQ(aba(model, s.x, {s.tau, {}}, ws, vdot), Status::ok);
}

TEST(AddedJoint, DerivativesAreDifferences) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    TreeOptions o = tree(seed);
    std::erase(o.joints, JointKind::spherical);  // its spring is discontinuous at half a turn
    o.free_base = false;
    SCOPED_TRACE(describe(o, seed));
    const Model model = make_model(random_machine(o, seed));
    const Sample s = random_sample(model, seed, {.special = 0});
    DerivativesWorkspace ws(model);
    MatrixXd dq(model.nv, model.nv), dv(model.nv, model.nv);
    rnea_derivatives(model, s.x, s.vdot, s.wrenches, ws, dq, dv);
    Engine engine(model);
    const double h = 1e-3;
    for (int j = 0; j < model.nv; ++j) {
      for (const bool rate : {false, true}) {
        const auto at = [&](double step) {
          State y = s.x;
          if (rate) {
            y.v[j] += step;
          } else {
            move(model, s.x.q, step * VectorXd::Unit(model.nv, j), y.q);
          }
          return engine.inverse(y, s.vdot, s.wrenches);
        };
        const VectorXd slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);  // error h^4, eps / h
        EXPECT_CLOSE(VectorXd((rate ? dv : dq).col(j)), slope, 1e-6 * (1 + slope.norm())) << j << (rate ? " v" : " q");
      }
    }
  }
}

TEST(AddedJoint, MovesAndChartsAreInverse) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model model = make_model(random_machine(tree(seed), seed));
    const Sample s = random_sample(model, seed);
    Random random(seed);
    const VectorXd dv = random.vector(model.nv, 0.3);
    VectorXd q(model.nq), y(model.nv), back(model.nq), rate(model.nv);
    move(model, s.x.q, dv, q);
    chart_coordinates(model, s.x.q, q, y);
    chart_point(model, s.x.q, y, back);
    EXPECT_CLOSE(back, q, 1e-14 * (1 + q.norm()));
    EXPECT_CLOSE(VectorXd(moved(model, s.x.q, 1e-6 * dv) - s.x.q).eval(), VectorXd([&] {
                   VectorXd out(model.nq);
                   move(model, s.x.q, 1e-6 * dv, out);
                   return VectorXd(out - s.x.q);
                 }()),
                 1e-11);
    chart_rate(model, s.x.q, VectorXd::Zero(model.nv), s.x.v, rate);
    for (int i = 1; i < model.body_count(); ++i) {
      const Joint& joint = model.joints[i];
      if (joint_traits(joint.kind).quaternion) continue;
      for (int k = 0; k < speed_count(joint.kind); ++k) EXPECT_EQ(rate[joint.v + k], s.x.v[joint.v + k]);
    }
  }
}

// The rate of the rows is the derivative of their errors along the motion.
TEST(AddedJoint, ClosureRowsAreDifferentiatedRight) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TreeOptions o = tree(seed);
    o.bodies = 3;
    o.fidelity = Fidelity::full;
    Model model = make_model(random_machine(o, seed));
    const Sample s = random_sample(model, seed, {.special = 0});
    Closure closure{"plane", added().planar, Vector3d(1, 2, 3), Vector3d(1, 0, 0), {3, 0}, {1, 0}};
    model.add_closure(closure);
    ClosureWorkspace cw(model);
    ASSERT_EQ(cw.count(), 3);
    Engine engine(model);
    const auto error = [&](double t) {
      State y = s.x;
      move(model, s.x.q, t * s.x.v, y.q);
      compute_closures(model, engine.kinematics(y), cw);
      return VectorXd(cw.error());
    };
    const double h = 2e-4;
    const VectorXd slope = (8 * (error(h) - error(-h)) - (error(2 * h) - error(-2 * h))) / (12 * h);
    compute_closures(model, engine.kinematics(s.x), cw);
    EXPECT_CLOSE(cw.rate(), slope, 1e-8 * (1 + slope.norm()));
  }
  Closure closure{"thread", added().helical, Vector3d::UnitX(), Vector3d::UnitZ(), {1, kBodyFrame}, {}};
  Model model = make_model(random_machine({}, 1));
  EXPECT_THROW(model.add_closure(closure), InputError);  // it has no closure rows
}

// The same model with equivalent joints of another kind.
Model renamed(Machine machine, JointKind from, JointKind to) {
  for (Joint& joint : machine.joints) {
    if (joint.kind == from) joint.kind = to;
  }
  return make_model(machine);
}

TEST(AddedJoint, ABuiltInKindAsAProductOfExponentialsIsTheSame) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const auto& [own, built_in] :
         {std::pair(added().cardan, JointKind::universal), std::pair(added().sleeve, JointKind::cylindrical)}) {
      TreeOptions o = mixed_tree(seed, 8);
      o.joints = {built_in};
      const Machine machine = random_machine(o, seed);
      const Model expected = make_model(machine), given = renamed(machine, built_in, own);
      const Sample s = random_sample(expected, seed);
      Engine a(expected), b(given);
      const MatrixXd M = a.mass(s.x);
      const double h = a.inverse(s.x, VectorXd::Zero(expected.nv)).norm();
      EXPECT_CLOSE(b.mass(s.x), M, 64 * kEps * expected.body_count() * M.norm());
      EXPECT_CLOSE(b.inverse(s.x, s.vdot), a.inverse(s.x, s.vdot), 16 * force_bound(expected, M, s.vdot, h));
    }
  }
}

// A planar joint equals two prismatic joints and a revolute one with massless bodies between them.
TEST(AddedJoint, PlanarIsTwoSlidesAndARotation) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TreeOptions o;
    o.bodies = 1;
    o.modes = 3;
    o.joints = {added().planar};
    o.child_on_node = 0.5;
    const Machine machine = random_machine(o, seed);
    const Joint& joint = machine.joints[0];
    const std::vector<Vector6> screws = planar_screws(joint);
    Machine chain = machine;
    chain.bodies = {RigidSpec{}, RigidSpec{}, machine.bodies[0]};
    chain.joints.assign(3, Joint{});
    for (int k = 0; k < 3; ++k) {
      Joint& part = chain.joints[k];
      part.kind = k < 2 ? JointKind::prismatic : JointKind::revolute;
      part.axis = k < 2 ? screws[k].tail<3>() : screws[k].head<3>();
      part.parent.body = k;
      for (auto [from, to] : {std::pair(&joint.stiffness, &part.stiffness), std::pair(&joint.damping, &part.damping),
                              std::pair(&joint.armature, &part.armature)}) {
        if (from->size() > 0) *to = from->segment<1>(k);
      }
    }
    chain.joints[0].origin = joint.origin;
    chain.joints[2].child_node = joint.child_node;
    const Model planar = make_model(machine), parts = make_model(chain);
    ASSERT_EQ(planar.nv, parts.nv);
    const Sample s = random_sample(planar, seed);
    Engine a(parts), b(planar);
    const MatrixXd M = a.mass(s.x);
    const double h = a.inverse(s.x, VectorXd::Zero(parts.nv)).norm();
    EXPECT_CLOSE(b.mass(s.x), M, 64 * kEps * M.norm());
    EXPECT_CLOSE(b.inverse(s.x, s.vdot), a.inverse(s.x, s.vdot), 64 * force_bound(parts, M, s.vdot, h));
  }
}

}  // namespace
}  // namespace limber::test::added_joint
