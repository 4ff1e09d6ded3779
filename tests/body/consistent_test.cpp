// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Modal bodies from a finite-element mesh with a consistent mass matrix, and payloads on bodies.
#include "limber/body/consistent.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "limber/body/payload.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/rotation.hpp"
#include "limber/spatial/status.hpp"
#include "support/close.hpp"

namespace limber::consistent_test {
namespace {

using test::is_close;
constexpr double kHalfTurn = std::numbers::pi;

// A straight bar along x of equal linear elements, [Craig & Kurdila, 14.2]: m = rho A h / 6 [2 1; 1 2] for each of x,
// y, z; k = EA / h [1 -1; -1 1] along x.
struct Bar {
  int elements = 40;
  double length = 2, mass = 3, EA = 500;

  ConsistentSpec spec(bool lumped, int modes) const {
    const int points = elements + 1;
    const double h = length / elements, part = mass / elements;
    MatrixXd m = MatrixXd::Zero(points, points), k = m;
    for (int e = 0; e < elements; ++e) {
      const Eigen::Matrix2d own = lumped ? Eigen::Matrix2d((part / 2) * Eigen::Matrix2d::Identity())
                                         : Eigen::Matrix2d((Eigen::Matrix2d() << 2, 1, 1, 2).finished() * part / 6);
      m.block<2, 2>(e, e) += own;
      k.block<2, 2>(e, e) += (Eigen::Matrix2d() << 1, -1, -1, 1).finished() * EA / h;
    }
    ConsistentSpec out;
    out.positions = Matrix3Xd::Zero(3, points);
    for (int p = 0; p < points; ++p) out.positions(0, p) = h * p;
    MatrixXd M = MatrixXd::Zero(3 * points, 3 * points), K = M;
    for (int p = 0; p < points; ++p) {
      for (int q = 0; q < points; ++q) {
        M.block<3, 3>(3 * p, 3 * q).diagonal().setConstant(m(p, q));
        K(3 * p, 3 * q) = k(p, q);
      }
    }
    out.mass = M.sparseView();
    out.stiffness = K.sparseView();
    // Axial modes of the bar, clamped at its first point.
    const SymmetricEigen eigen =
        eigen_generalized(k.bottomRightCorner(elements, elements), m.bottomRightCorner(elements, elements));
    out.shapes = MatrixXd::Zero(3 * points, modes);
    for (int a = 0; a < modes; ++a) {
      for (int p = 1; p < points; ++p) out.shapes(3 * p, a) = eigen.vectors(p - 1, a);
    }
    return out;
  }
};

TEST(ConsistentBody, IsTheSumOverPointsWhenTheMassIsLumped) {
  const ConsistentSpec spec = Bar{}.spec(true, 3);
  const Body body = make_modal_body(spec);
  ModalSpec points;
  points.stiffness = spec.shapes.transpose() * spec.stiffness * spec.shapes;
  for (Eigen::Index p = 0; p < spec.positions.cols(); ++p)
    points.points.push_back(
        {spec.mass.coeff(3 * p, 3 * p), spec.positions.col(p), spec.shapes.middleRows(3 * p, 3), {}});
  const Body expected = make_modal_body(points, false);
  EXPECT_NEAR(body.mass, expected.mass, 1e-14 * expected.mass);
  EXPECT_CLOSE(body.S, expected.S, 1e-14 * expected.S.norm());
  for (std::size_t k = 0; k < body.C.size(); ++k) EXPECT_CLOSE(body.C[k], expected.C[k], 1e-13 * expected.C[0].norm());
  EXPECT_CLOSE(body.stiffness, expected.stiffness, 1e-12 * expected.stiffness.norm());
}

// A consistent mass integrates products of linear shapes exactly: the rigid body's moments are those of the bar.
TEST(ConsistentBody, HasTheExactMomentsOfTheBar) {
  const Bar bar;
  const Body body = make_modal_body(bar.spec(false, 2));
  EXPECT_NEAR(body.mass, bar.mass, 1e-13 * bar.mass);
  EXPECT_NEAR(body.S(0, 0), bar.mass * bar.length / 2, 1e-13);
  EXPECT_NEAR(body.c(0, 0)(0, 0), bar.mass * bar.length * bar.length / 3, 1e-13);
  const Body lumped = make_modal_body(bar.spec(true, 2));
  EXPECT_GT(std::abs(lumped.c(0, 0)(0, 0) - bar.mass * bar.length * bar.length / 3),
            1e-4);  // the test is sensitive to the difference
  // The modes are normalised by the consistent mass: G = 1.
  EXPECT_CLOSE(body.modal_mass(), MatrixXd::Identity(2, 2), 1e-12);
}

// omega_k = (k - 1/2) pi sqrt(EA / (m L)); linear elements with consistent mass converge from above as h^2 / 24.
TEST(ConsistentBody, HasTheFrequenciesOfTheBar) {
  const Bar bar;
  const Body body = make_modal_body(bar.spec(false, 2));
  for (int k = 1; k <= 2; ++k) {
    const double exact = (k - 0.5) * kHalfTurn * std::sqrt(bar.EA / (bar.mass * bar.length));
    const double wave = (k - 0.5) * kHalfTurn / bar.elements, ratio = std::sqrt(body.stiffness(k - 1, k - 1)) / exact;
    EXPECT_NEAR(ratio - 1, wave * wave / 24, 0.05 * wave * wave / 24);
  }
}

TEST(ConsistentBody, RefusesMatricesThatDoNotFit) {
  ConsistentSpec spec = Bar{.elements = 3}.spec(false, 1);
  EXPECT_NO_THROW(make_modal_body(spec));
  ConsistentSpec coupled = spec;
  coupled.mass.coeffRef(0, 1) = coupled.mass.coeffRef(1, 0) = 0.1;
  EXPECT_THROW(make_modal_body(coupled), InputError);
  ConsistentSpec uneven = spec;
  uneven.mass.coeffRef(1, 1) *= 2;
  EXPECT_THROW(make_modal_body(uneven), InputError);
  ConsistentSpec small = spec;
  small.mass.resize(3, 3);
  EXPECT_THROW(make_modal_body(small), InputError);
  ConsistentSpec shapes = spec;
  shapes.shapes.conservativeResize(6, 1);
  EXPECT_THROW(make_modal_body(shapes), InputError);
}

// ---- payload ------------------------------------------------------------------------------------

TEST(Payload, OnARigidBodyIsTheRigidBodyOfBoth) {
  RigidSpec hub, load, both;
  hub.mass = 2;
  hub.com = {0.1, 0.2, 0.3};
  hub.inertia = Vector3d(1, 2, 2.5).asDiagonal();
  Node node;
  node.name = "flange";
  node.position = {0.5, -0.1, 0.2};
  node.rotation = rpy_rotation({0.3, -0.5, 1.1});
  node.translation = node.turn = Matrix3Xd(3, 0);
  hub.nodes = {node};
  load.mass = 3;
  load.com = {0.05, 0.1, -0.2};
  load.inertia = Vector3d(0.3, 0.2, 0.4).asDiagonal();
  // By the parallel axis theorem.
  const Vector3d c = node.position + node.rotation * load.com;
  both.mass = 5;
  both.com = (2 * hub.com + 3 * c) / 5;
  const auto about = [&](const Vector3d& at, double m) {
    const Vector3d d = at - both.com;
    return Matrix3d(m * (d.squaredNorm() * Matrix3d::Identity() - d * d.transpose()));
  };
  both.inertia =
      hub.inertia + about(hub.com, 2) + node.rotation * load.inertia * node.rotation.transpose() + about(c, 3);
  const Body given = with_payload(make_rigid_body(hub), 0, load), expected = make_rigid_body(both);
  EXPECT_EQ(given.mass, 5);
  EXPECT_CLOSE(given.S, expected.S, 1e-14);
  EXPECT_CLOSE(given.C[0], expected.C[0], 1e-14);
}

// A point mass on a node equals one more mass point that moves with the node.
TEST(Payload, OnANodeOfAModalBodyIsOneMorePoint) {
  ModalSpec spec;
  spec.stiffness = Eigen::Vector2d(10, 20).asDiagonal();
  const auto random = [](int k) {
    return Matrix3Xd(Matrix3Xd::NullaryExpr(3, 2, [k](auto i, auto j) {
      return std::sin(1.0 + 3.7 * k + 1.3 * static_cast<double>(i) + 0.7 * static_cast<double>(j));
    }));
  };
  const auto second = [](int k) {
    std::array<MatrixXd, 3> out;
    for (int i = 0; i < 3; ++i) out[i] = (Eigen::Matrix2d() << 0.1 * k, 0.2 + i, 0.2 + i, -0.3).finished();
    return out;
  };
  for (int k = 0; k < 4; ++k) spec.points.push_back({1.0 + k, Vector3d(k, 0.5 * k, -k), random(k), second(k)});
  Node node;
  node.name = "tip";
  node.position = {1, 2, 3};
  node.translation = random(9);
  node.turn = random(11);
  node.second = second(9);
  spec.nodes = {node};
  RigidSpec load;
  load.mass = 2.5;
  for (const bool second_order : {false, true}) {
    ModalSpec more = spec;
    more.points.push_back({2.5, node.position, node.translation, node.second});
    const Body given = with_payload(make_modal_body(spec, second_order), 0, load);
    const Body expected = make_modal_body(more, second_order);
    EXPECT_CLOSE(given.S, expected.S, 1e-13 * expected.S.norm());
    for (std::size_t k = 0; k < given.C.size(); ++k)
      EXPECT_CLOSE(given.C[k], expected.C[k], 1e-13 * (1 + expected.C[k].norm())) << k;
    EXPECT_NO_THROW(check_body(given));
  }
}

// Off the node the load rotates with it: two points at its ends, by the node's translation and rotation.
TEST(Payload, TurnsWithItsNode) {
  ModalSpec spec;
  spec.stiffness = Eigen::Vector2d(10, 20).asDiagonal();
  Matrix3Xd shape(3, 2), turn(3, 2);
  shape << 0.1, 0.2, 0.3, -0.4, 0.5, 0.6;
  turn << -0.3, 0.1, 0.2, 0.7, 0.4, -0.5;
  spec.points = {{1, Vector3d::Zero(), 2 * shape, {}}, {1, Vector3d::UnitX(), turn, {}}};
  Node node;
  node.name = "tip";
  node.position = {1, 0, 0};
  node.rotation = rpy_rotation({0.2, 0.4, -0.6});
  node.translation = shape;
  node.turn = turn;
  spec.nodes = {node};
  const Vector3d d(0.3, 0.1, -0.2);  // in the node's frame
  RigidSpec load;                    // two points of mass 1 at +d and -d
  load.mass = 2;
  load.inertia = 2 * (d.squaredNorm() * Matrix3d::Identity() - d * d.transpose());
  ModalSpec more = spec;
  for (const double side : {1.0, -1.0}) {
    const Vector3d at = node.rotation * (side * d);
    Matrix3Xd phi = shape;
    for (int a = 0; a < 2; ++a) phi.col(a) += Vector3d(turn.col(a)).cross(at);
    more.points.push_back({1, node.position + at, phi, {}});
  }
  const Body given = with_payload(make_modal_body(spec, false), 0, load), expected = make_modal_body(more, false);
  for (std::size_t k = 0; k < given.C.size(); ++k)
    EXPECT_CLOSE(given.C[k], expected.C[k], 1e-14 * (1 + expected.C[k].norm())) << k;
}

}  // namespace
}  // namespace limber::consistent_test
