// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Closed chains near an equilibrium.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "limber/dynamics/closures.hpp"
#include "limber/linear/analysis.hpp"
#include "limber/model/manifold.hpp"
#include "support/close.hpp"

namespace limber::test {
namespace {

constexpr double kGravity = 9.81;

struct Bar {
  double length = 1, mass = 1, inertia = 0.1;  // about the center
};

Body bar_body(const Bar& bar, const char* name) {
  RigidSpec spec;
  spec.mass = bar.mass;
  spec.com = {bar.length / 2, 0, 0};
  spec.inertia = bar.inertia * Matrix3d::Identity();
  Node end;
  end.name = "end";
  end.position = {bar.length, 0, 0};
  end.translation = end.turn = Matrix3Xd(3, 0);
  spec.nodes = {end};
  Body body = make_rigid_body(spec);
  body.name = name;
  return body;
}

// Three bars in series, from the point `from` to the origin.
Model four_bar(const Bar& first, const Bar& second, const Bar& third, const Vector3d& from, JointKind closing) {
  ModelBuilder builder("four-bar");
  builder.gravity({0, -kGravity, 0});
  const char* names[] = {"a", "b", "c"};
  const Bar bars[] = {first, second, third};
  int parent = kGround;
  for (int k = 0; k < 3; ++k) {
    const int body = builder.add_body(bar_body(bars[k], names[k]));
    Joint joint;
    joint.name = std::string("joint_") + names[k];
    joint.kind = JointKind::revolute;
    joint.parent = {parent, parent == kGround ? kBodyFrame : 0};
    if (parent == kGround) joint.origin.p = from;
    builder.add_joint(joint, body);
    parent = body;
  }
  Closure closure;
  closure.name = "loop";
  closure.kind = closing;
  closure.b = {parent, 0};
  builder.add_closure(closure);
  return builder.build();
}

// A swing: two equal parallel bars carry a third.  It moves like a pendulum, the third bar in translation.
TEST(LinearizeClosed, ASwingIsAPendulum) {
  const Bar rope{0.8, 0.3, 0.02}, seat{0.5, 2, 0.1};
  for (const JointKind closing : {JointKind::spherical, JointKind::revolute}) {  // the second is redundant in the plane
    const Model model = four_bar(rope, seat, rope, {-seat.length, 0, 0}, closing);
    State x = make_zero_state(model);
    x.q << -std::numbers::pi / 2, std::numbers::pi / 2, std::numbers::pi / 2;
    const LinearSystem system = linearize(model, x, make_joint_options(model));
    ASSERT_EQ(system.coordinates(), 1);
    const double inertia = seat.mass * 0.8 * 0.8 + 2 * (rope.inertia + rope.mass * 0.4 * 0.4);
    const double omega = std::sqrt(kGravity * (seat.mass * 0.8 + 2 * rope.mass * 0.4) / inertia);
    EXPECT_NEAR(compute_modes(system)[0].frequency, omega, 1e-10 * omega);
    // The three angles are coupled: a = -b = c, up to the choice of the independent one.
    EXPECT_CLOSE((system.basis / system.basis(0, 0)).eval(), Vector3d(1, -1, 1), 1e-12);
    EXPECT_NEAR(system.basis(0, 0) * system.basis(0, 0) * inertia, system.M(0, 0), 1e-12);
    EXPECT_EQ(system.B.cols(), 3);
    EXPECT_CLOSE(system.C.leftCols(1), system.basis, 0);
  }
}

// The accelerations of a four-bar with four different sides, held by a torque, against differences along its motion.
TEST(LinearizeClosed, AFourBarIsWhatItsAccelerationsSay) {
  const Model model = four_bar({0.5, 1, 0.05}, {1.1, 2, 0.2}, {0.9, 1.5, 0.1}, {-0.8, 0.1, 0}, JointKind::revolute);
  const std::vector<std::uint8_t> none(static_cast<std::size_t>(model.body_count()), 0);
  AbaWorkspace ws(model);
  ClosureWorkspace cw(model);
  State x = make_zero_state(model);
  x.q << 1.2, -1.0, -1.1;
  ASSERT_GE(project_position(model, x, {}, 1e-14, ws, cw), 0);
  VectorXd tau = VectorXd::Zero(3);
  const auto acceleration = [&](const State& y) {
    VectorXd vdot = VectorXd::Zero(3), needed(3);
    EXPECT_EQ(hybrid(model, y, Forces{tau}, none, ws, vdot, needed), Status::ok);
    EXPECT_EQ(close_accelerations(model, ws, cw, vdot), Status::ok);
    return vdot;
  };
  const VectorXd without = acceleration(x);
  tau[0] = 1;
  const VectorXd with = acceleration(x);
  tau[0] = -without[0] / (with[0] - without[0]);  // linear in the torque
  LinearizeOptions options = make_joint_options(model);
  options.tau = tau;
  const LinearSystem system = linearize(model, x, options);
  ASSERT_EQ(system.coordinates(), 1);
  const int speed = system.free[0];
  const auto moved = [&](double size) {
    State y = x;
    move(model, x.q, size * system.basis.col(0), y.q);
    EXPECT_GE(project_position(model, y, {}, 1e-14, ws, cw), 0);
    return y;
  };
  const State plus = moved(1e-4), minus = moved(-1e-4);
  const double slope = (acceleration(plus)[speed] - acceleration(minus)[speed]) / (plus.q[speed] - minus.q[speed]);
  EXPECT_NEAR(system.A(1, 0), slope, 1e-6 * (1 + std::abs(slope)));
  EXPECT_NEAR(system.B(1, 0), (with[0] - without[0]) * system.basis(speed, 0) / system.basis(0, 0),
              1e-10 * std::abs(system.B(1, 0)));
}

TEST(LinearizeClosed, RefusesWhatIsNoEquilibrium) {
  const Bar rope{0.8, 0.3, 0.02}, seat{0.5, 2, 0.1};
  const Model model = four_bar(rope, seat, rope, {-seat.length, 0, 0}, JointKind::revolute);
  State x = make_zero_state(model);
  EXPECT_THROW(linearize(model, x, {}), InputError);  // open chain
  x.q << -std::numbers::pi / 2 + 0.3, std::numbers::pi / 2 - 0.3, std::numbers::pi / 2 + 0.3;
  EXPECT_THROW(linearize(model, x, {}), InputError);  // accelerates
  x.q << -std::numbers::pi / 2, std::numbers::pi / 2, std::numbers::pi / 2;
  x.v << 1, -1, 1;
  EXPECT_THROW(linearize(model, x, {}), InputError);  // not at rest
}

}  // namespace
}  // namespace limber::test
