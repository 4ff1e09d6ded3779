// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Linearisation of models with force elements and contacts: closed forms, and differences of the accelerations.
#include "limber/model/elements.hpp"

#include <gtest/gtest.h>

#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/elements.hpp"
#include "limber/linear/facts.hpp"
#include "limber/linear/linearize.hpp"
#include "limber/model/contacts.hpp"
#include "limber/model/manifold.hpp"

namespace limber::test {
namespace {

Joint one_joint(const char* name, JointKind kind, int parent, const Vector3d& axis) {
  Joint out;
  out.name = name;
  out.kind = kind;
  out.axis = axis;
  out.parent = {parent, kBodyFrame};
  out.stiffness = out.damping = out.armature = VectorXd::Zero(speed_count(kind));
  return out;
}

Body make_lump(const char* name, double mass, const Vector3d& com) {
  RigidSpec spec;
  spec.mass = mass;
  spec.com = com;
  spec.inertia = Vector3d(0.1, 0.2, 0.3).asDiagonal();
  Body body = make_rigid_body(spec);
  body.name = name;
  return body;
}

// Two sliders on a line, m1 and m2, with a spring and a damper between them.
TEST(LinearElements, TwoMassesHaveTheClosedFormMatrices) {
  const double m1 = 2, m2 = 3, k = 50, d = 4;
  ModelBuilder builder("sliders");
  builder.add_joint(one_joint("first", JointKind::prismatic, kGround, Vector3d::UnitX()),
                    builder.add_body(make_lump("one", m1, {0, 0, 0})));
  builder.add_joint(one_joint("second", JointKind::prismatic, kGround, Vector3d::UnitX()),
                    builder.add_body(make_lump("two", m2, {0, 0, 0})));
  Model model = builder.build();
  ForceElement coil;
  coil.name = "coil";
  coil.a.node = {1, kBodyFrame};
  coil.b.node = {2, kBodyFrame};
  coil.stiffness = k;
  coil.damping = d;
  coil.length = 0.5;
  model.elements = std::make_shared<ForceElements>(ForceElements{{coil}, {}});
  State x = make_zero_state(model);
  x.q << 0, 0.5;
  const LinearSystem system = linearize(model, x, {});
  MatrixXd K(2, 2), D(2, 2);
  K << k, -k, -k, k;
  D << d, -d, -d, d;
  EXPECT_LT((system.stiffness - K).norm(), 1e-12);
  EXPECT_LT((system.damping - D).norm(), 1e-12);
  EXPECT_NEAR(system.A(2, 1), k / m1, 1e-12);
  EXPECT_NEAR(system.A(3, 1), -k / m2, 1e-12);
  EXPECT_LT(system.acceleration.norm(), 1e-14);
}

// A free arm of two links with a strut to the world, a bushing at its elbow, and a contact with the ground.
Model make_held_arm() {
  ModelBuilder builder("arm");
  builder.gravity({0, 0, -9.81});
  const int a = builder.add_body(make_lump("upper", 3, {0.4, 0, 0.1}));
  const int b = builder.add_body(make_lump("fore", 2, {0.3, 0.1, 0}));
  builder.add_joint(one_joint("base", JointKind::free, kGround, Vector3d::UnitZ()), a);
  Joint elbow = one_joint("elbow", JointKind::revolute, a, Vector3d(0, 0.6, 0.8));
  elbow.origin.p = {0.8, 0, 0};
  builder.add_joint(elbow, b);
  Model model = builder.build();
  ForceElement strut, mount;
  strut.name = "strut";
  strut.a.at.p = {0.2, 0.3, 1};
  strut.b = {{2, kBodyFrame}, {Matrix3d::Identity(), {0.4, 0, 0.1}}};
  strut.stiffness = 80;
  strut.damping = 3;
  strut.length = 0.3;
  mount.name = "mount";
  mount.kind = ForceElement::Kind::bushing;
  mount.a.node = {1, kBodyFrame};
  mount.b = {{2, kBodyFrame}, {Matrix3d::Identity(), {-0.2, 0.1, 0}}};
  mount.K = Vector6{{1, 2, 3, 40, 50, 60}}.asDiagonal();
  mount.D = 0.1 * mount.K;
  model.elements = std::make_shared<ForceElements>(ForceElements{{strut, mount}, {}});
  Contact foot;
  foot.name = "foot";
  foot.point.node = {1, kBodyFrame};
  foot.on.at.p = {0, 0, 0.05};
  foot.stiffness = foot.stick_stiffness = 200;
  foot.damping = foot.stick_damping = 5;
  foot.friction = 0.6;
  model.contacts = std::make_shared<Contacts>(Contacts{{foot}, {}});
  return model;
}

TEST(LinearElements, AIsTheDerivativeOfTheAccelerations) {
  const Model model = make_held_arm();
  State x = make_zero_state(model);
  x.q[7] = 0.4;
  for (int k = 0; k < model.nv; ++k) x.v[k] = 0.3 * std::sin(1.0 + k);
  const LinearSystem system = linearize(model, x, {});

  ElementLoads loads(model);
  AbaWorkspace ws(model);
  KinematicsWorkspace kin(model);
  bool first = true;
  const auto accelerations = [&](const State& at) {
    compute_kinematics(model, at, kin);
    compute_world_poses(model, kin);
    if (first) loads.update(at, kin);
    first = false;
    loads.compute(at, kin, {});
    VectorXd vdot(model.nv);
    EXPECT_EQ(aba(model, at, {loads.torques(), loads.wrenches()}, ws, vdot), Status::ok);
    return vdot;
  };
  EXPECT_LT((accelerations(x) - system.acceleration).norm(), 1e-12 * system.acceleration.norm());
  constexpr double kStep = 1e-4;
  const int n = model.nv;
  for (int k = 0; k < n; ++k) {
    const auto differ = [&](const auto& at) {
      return VectorXd((8 * (at(kStep) - at(-kStep)) - (at(2 * kStep) - at(-2 * kStep))) / (12 * kStep));
    };
    const VectorXd by_q = differ([&](double h) {
      State moved = x;
      VectorXd dq = VectorXd::Zero(n);
      dq[k] = h;
      move(model, x.q, dq, moved.q);
      return accelerations(moved);
    });
    const VectorXd by_v = differ([&](double h) {
      State moved = x;
      moved.v[k] += h;
      return accelerations(moved);
    });
    EXPECT_LT((by_q - system.A.block(n, k, n, 1)).norm(), 1e-8 * system.A.norm()) << k;
    EXPECT_LT((by_v - system.A.block(n, n + k, n, 1)).norm(), 1e-8 * system.A.norm()) << k;
  }
}

// A cantilever with a spring of stiffness c under its tip: b^3 (1 + cos b cosh b) = c L^3/EI (cos b sinh b - sin b cosh
// b), w = b^2 sqrt(EI / mu L^4).  Craig & Kurdila, Fundamentals of Structural Dynamics, §13.2 with a spring at the end.
TEST(LinearElements, NaturalFrequenciesHaveTheirStiffness) {
  BeamSpec spec;
  spec.length = 2;
  spec.mass_per_length = 3;
  spec.EIy = spec.EIz = 4000;
  spec.basis = BeamBasis::polynomial;
  spec.modes = {0, 9, 0, 0};
  ModelBuilder builder("propped");
  Body beam = make_beam_body(spec, false);
  beam.name = "beam";
  builder.add_joint(one_joint("clamp", JointKind::fixed, kGround, Vector3d::UnitX()), builder.add_body(beam));
  Model model = builder.build();
  ForceElement prop;
  prop.name = "prop";
  prop.a.at.p = {2, 0, -1};
  prop.b.node = {1, 1};
  prop.stiffness = 2e4;
  prop.length = 1;
  model.elements = std::make_shared<ForceElements>(ForceElements{{prop}, {}});
  const std::vector<double> found = compute_frequencies(model, make_zero_state(model)).joints_free;
  const double ratio = prop.stiffness * std::pow(spec.length, 3) / spec.EIy;
  const auto residual = [&](double b) {
    return b * b * b * (1 + std::cos(b) * std::cosh(b)) -
           ratio * (std::cos(b) * std::sinh(b) - std::sin(b) * std::cosh(b));
  };
  for (int mode = 0; mode < 2; ++mode) {  // higher ones need more shapes
    const double b = std::sqrt(2 * M_PI * found[static_cast<std::size_t>(mode)] * spec.length * spec.length /
                               std::sqrt(spec.EIy / spec.mass_per_length));
    EXPECT_LT(residual(b * (1 - 1e-8)) * residual(b * (1 + 1e-8)), 0) << mode << " " << b;
  }
}

// A bead between two taut springs vibrates transversely with w^2 = 2 T / (l m).
TEST(LinearElements, NaturalFrequenciesKnowTension) {
  ModelBuilder builder("bead");
  builder.add_joint(one_joint("aside", JointKind::prismatic, kGround, Vector3d::UnitY()),
                    builder.add_body(make_lump("bead", 0.3, {0, 0, 0})));
  Model model = builder.build();
  std::vector<ForceElement> list;
  for (const double side : {-0.5, 0.5}) {
    ForceElement wire;
    wire.name = side < 0 ? "left" : "right";
    wire.a.at.p = {side, 0, 0};
    wire.b.node = {1, kBodyFrame};
    wire.stiffness = 1000;
    wire.length = 0.4;
    list.push_back(wire);
  }
  model.elements = std::make_shared<ForceElements>(ForceElements{list, {}});
  const std::vector<double> found = compute_frequencies(model, make_zero_state(model)).joints_free;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0], std::sqrt(2 * 1000 * 0.1 / (0.5 * 0.3)) / (2 * M_PI), 1e-12 * found[0]);
}

}  // namespace
}  // namespace limber::test
