// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/body.hpp"

#include <Eigen/Geometry>
#include <functional>
#include <random>

#include "limber/spatial/status.hpp"
#include "support/close.hpp"

namespace limber {
namespace {

// Matrix of random numbers between -1 and 1.
MatrixXd noise(std::mt19937& random, int rows, int cols) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  return MatrixXd::NullaryExpr(rows, cols, [&] { return uniform(random); });
}

MatrixXd positive(std::mt19937& random, int n) {
  const MatrixXd A = noise(random, n, n);
  return A * A.transpose() + 0.1 * MatrixXd::Identity(n, n);
}

Node make_node(const std::string& name, int modes) {
  Node node;
  node.name = name;
  node.translation = Matrix3Xd::Zero(3, modes);
  node.turn = Matrix3Xd::Zero(3, modes);
  return node;
}

// Random points; only pairs (0, 1) and (2, 2) have second-order shapes in the points, (1, 2) in a node.
ModalSpec random_spec(unsigned seed, int count = 600) {
  std::mt19937 random(seed);
  const int n = 3;
  ModalSpec spec;
  spec.stiffness = positive(random, n);
  spec.damping = positive(random, n);
  for (int i = 0; i < count; ++i) {
    MassPoint point;
    point.mass = 1 + noise(random, 1, 1)(0);
    point.position = noise(random, 3, 1);
    point.shape = noise(random, 3, n);
    if (i % 3 == 0) {
      point.second[1] = MatrixXd::Zero(n, n);
      point.second[1](0, 1) = point.second[1](1, 0) = 0.3;
      point.second[1](2, 2) = -0.7;
    }
    spec.points.push_back(point);
  }
  spec.nodes = {make_node("a", n), make_node("b", n)};
  spec.nodes[1].second[0] = MatrixXd::Zero(n, n);
  spec.nodes[1].second[0](1, 2) = spec.nodes[1].second[0](2, 1) = 0.1;
  return spec;
}

std::string refusal_of(const std::function<void()>& make) {
  try {
    make();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RigidBody, HasTheIntegralsOfItsPoints) {
  // A set of points, and the rigid body with their mass, centre and inertia.
  std::mt19937 random(1);
  RigidSpec spec;
  Matrix3d C = Matrix3d::Zero();
  Vector3d S = Vector3d::Zero();
  std::vector<Vector3d> places;
  for (int i = 0; i < 7; ++i) places.push_back(noise(random, 3, 1));
  for (const Vector3d& r : places) {
    spec.mass += 0.5;
    S += 0.5 * r;
    C += 0.5 * r * r.transpose();
  }
  spec.com = S / spec.mass;
  for (const Vector3d& r : places) {
    const Vector3d d = r - spec.com;
    spec.inertia += 0.5 * (d.squaredNorm() * Matrix3d::Identity() - d * d.transpose());
  }
  spec.nodes = {make_node("flange", 0)};
  const Body body = make_rigid_body(spec);
  EXPECT_EQ(body.modes, 0);
  EXPECT_EQ(body.shapes(), 1);
  EXPECT_EQ(body.mass, 3.5);
  EXPECT_CLOSE(body.S, S, 1e-15);
  EXPECT_CLOSE(body.c(0, 0), C, 1e-14);
  EXPECT_EQ(body.find_node("flange"), 0);
  EXPECT_FALSE(body.find_node("tip"));
  EXPECT_EQ(body.modal_mass().size(), 0);
  EXPECT_EQ(body.stiffness.size(), 0);
}

TEST(RigidBody, MayHaveNoMassOrAFlatOne) {
  EXPECT_EQ(make_rigid_body({}).mass, 0);
  RigidSpec plate;
  plate.mass = 1;
  plate.inertia = Vector3d(1, 2, 3).asDiagonal();  // a plate: the triangle inequality holds with equality
  EXPECT_CLOSE(make_rigid_body(plate).c(0, 0), Matrix3d(Vector3d(2, 1, 0).asDiagonal()), 1e-15);
}

TEST(RigidBody, RefusesWhatNoMassHas) {
  const auto error = [](const std::function<void(RigidSpec&)>& spoil) {
    RigidSpec spec;
    spec.mass = 1;
    spec.inertia = Vector3d(1, 1, 1).asDiagonal();
    spec.nodes = {make_node("a", 0)};
    spoil(spec);
    return refusal_of([&] { make_rigid_body(spec); });
  };
  EXPECT_EQ(error([](RigidSpec&) {}), "no error");
  EXPECT_EQ(error([](RigidSpec& s) { s.mass = -1; }), "mass is -1; give 0 or a positive number");
  EXPECT_EQ(error([](RigidSpec& s) { s.mass = NAN; }), "mass is not a finite number; give a number");
  EXPECT_EQ(error([](RigidSpec& s) { s.com.x() = INFINITY; }),
            "com has an entry that is not a finite number; give numbers");
  EXPECT_EQ(error([](RigidSpec& s) { s.inertia(0, 1) = 0.5; }), "inertia is not symmetric; give a symmetric matrix");
  EXPECT_EQ(
      error([](RigidSpec& s) { s.inertia(2, 2) = -1; }),
      "inertia has the negative principal moment -1; give the inertia about the centre of mass, with positive moments");
  EXPECT_EQ(
      error([](RigidSpec& s) { s.inertia(2, 2) = 3; }),
      "no mass has this inertia: its principal moment 3 is above the sum of the others, 2; give the inertia about the "
      "centre of mass, in the order xx yy zz xy xz yz");
  EXPECT_EQ(error([](RigidSpec& s) { s.nodes.push_back(make_node("a", 0)); }),
            "node name 'a' is used twice; give every node of a body its own name");
  EXPECT_EQ(error([](RigidSpec& s) { s.nodes[0].name = ""; }), "a node has no name; give every node a name");
  EXPECT_EQ(error([](RigidSpec& s) { s.nodes[0].rotation(0, 0) = 2; }),
            "rotation of node 'a' is not a rotation matrix; give orthonormal, right-handed axes");
  EXPECT_EQ(error([](RigidSpec& s) { s.nodes[0].rotation(0, 0) = -1; }),
            "rotation of node 'a' is not a rotation matrix; give orthonormal, right-handed axes");
  EXPECT_EQ(error([](RigidSpec& s) { s.nodes[0] = make_node("a", 2); }),
            "translation shape of node 'a' is 3 x 2; give 3 x 0 numbers");
}

TEST(ModalBody, SumsItsPoints) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const ModalSpec spec = random_spec(seed);
    const Body body = make_modal_body(spec, true);
    ASSERT_EQ(body.pairs.size(), 3U);
    const int pairs[3][2] = {{0, 1}, {1, 2}, {2, 2}};
    for (std::size_t p = 0; p < 3; ++p) {
      EXPECT_EQ(body.pairs[p].a, pairs[p][0]);
      EXPECT_EQ(body.pairs[p].b, pairs[p][1]);
    }
    // Compared with sums over the points.
    double mass = 0;
    Matrix3Xd S = Matrix3Xd::Zero(3, 7);
    std::vector<Matrix3d> C(49, Matrix3d::Zero());
    for (const MassPoint& point : spec.points) {
      Matrix3Xd phi = Matrix3Xd::Zero(3, 7);
      phi << point.position, point.shape, Matrix3Xd::Zero(3, 3);
      if (point.second[1].size() > 0) phi.row(1).tail(3) << point.second[1](0, 1), 0, point.second[1](2, 2);
      mass += point.mass;
      S += point.mass * phi;
      for (int a = 0; a < 7; ++a)
        for (int b = 0; b < 7; ++b)
          C[static_cast<std::size_t>(7 * a + b)] += point.mass * phi.col(a) * phi.col(b).transpose();
    }
    const double rounding = 600 * 600 * test::kEps;
    EXPECT_CLOSE(body.mass, mass, rounding);
    EXPECT_CLOSE(body.S, S, rounding);
    for (int a = 0; a < 7; ++a) {
      for (int b = 0; b < 7; ++b) {
        EXPECT_CLOSE(body.c(a, b), C[static_cast<std::size_t>(7 * a + b)], rounding);
        EXPECT_TRUE(test::is_same_bits(body.c(a, b), Matrix3d(body.c(b, a).transpose())));
      }
    }
    const MatrixXd G = body.modal_mass();
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) EXPECT_EQ(G(a, b), body.c(1 + a, 1 + b).trace());
    EXPECT_CLOSE(body.stiffness, spec.stiffness, 0);
    EXPECT_CLOSE(body.damping, spec.damping, 0);
    EXPECT_EQ(body.mode_names, (std::vector<std::string>{"mode1", "mode2", "mode3"}));
  }
}

// The position of a point by the shapes of the pairs is r + Phi eta + 1/2 eta^T Xi eta.
TEST(ModalBody, PairsGiveTheSecondOrderPosition) {
  const ModalSpec spec = random_spec(3, 1);
  const Body body = make_modal_body(spec, true);
  const Vector3d eta(0.3, -0.2, 0.5);
  Vector3d place = spec.points[0].position + spec.points[0].shape * eta;
  place.y() += 0.5 * eta.dot(spec.points[0].second[1] * eta);
  Vector3d sum = body.S.col(0) + body.S.middleCols(1, 3) * eta;
  for (int p = 0; p < 3; ++p) {
    const auto [a, b] = body.pairs[static_cast<std::size_t>(p)];
    sum += body.S.col(4 + p) * (a == b ? 0.5 * eta(a) * eta(a) : eta(a) * eta(b));
  }
  EXPECT_CLOSE(sum, body.mass * place, 1e-15);
}

TEST(ModalBody, KeepsSecondOrderShapesOnlyWhenAsked) {
  const ModalSpec spec = random_spec(2);
  const Body full = make_modal_body(spec, false), stiffened = make_modal_body(spec, true);
  EXPECT_TRUE(full.pairs.empty());
  EXPECT_EQ(full.shapes(), 4);
  for (const Node& node : full.nodes)
    for (const MatrixXd& Xi : node.second) EXPECT_EQ(Xi.size(), 0);
  // All three components or none.
  for (const MatrixXd& Xi : stiffened.nodes[0].second) EXPECT_EQ(Xi.size(), 0);
  EXPECT_CLOSE(stiffened.nodes[1].second[0], spec.nodes[1].second[0], 0);
  EXPECT_CLOSE(stiffened.nodes[1].second[2], MatrixXd::Zero(3, 3), 0);
}

TEST(ModalBody, MayBeRigid) {
  ModalSpec spec;
  spec.points.resize(1);
  spec.points[0].mass = 2;
  const Body body = make_modal_body(spec, true);
  EXPECT_EQ(body.shapes(), 1);
  EXPECT_EQ(body.mass, 2);
}

TEST(ModalBody, RefusesWhatDoesNotFit) {
  const auto error = [](const std::function<void(ModalSpec&)>& spoil) {
    ModalSpec spec = random_spec(4, 20);
    spoil(spec);
    return refusal_of([&] { make_modal_body(spec, true); });
  };
  EXPECT_EQ(error([](ModalSpec&) {}), "no error");
  EXPECT_EQ(error([](ModalSpec& s) { s.points[1].mass = -2; }), "mass of point 2 is -2; give 0 or a positive number");
  EXPECT_EQ(error([](ModalSpec& s) { s.points.clear(); }),
            "the body has no mass; give at least one point with a mass above 0");
  EXPECT_EQ(error([](ModalSpec& s) { s.points[4].shape.resize(3, 2); }),
            "shape of point 5 is 3 x 2; give 3 x 3 numbers");
  EXPECT_EQ(error([](ModalSpec& s) { s.points[0].shape(1, 1) = NAN; }),
            "shape of point 1 has an entry that is not a finite number; give numbers");
  EXPECT_EQ(error([](ModalSpec& s) { s.points[0].second[1](0, 1) = 0.4; }),
            "second of point 1 in y is not symmetric; give a symmetric matrix");
  EXPECT_EQ(error([](ModalSpec& s) { s.points[0].second[2].resize(2, 2); }),
            "second of point 1 in z is 2 x 2; give 3 x 3 numbers");
  EXPECT_EQ(error([](ModalSpec& s) { s.nodes[1].second[0](1, 2) = 0; }),
            "second of node 'b' in x is not symmetric; give a symmetric matrix");
  EXPECT_EQ(error([](ModalSpec& s) { s.nodes[0].turn.resize(3, 0); }),
            "rotation shape of node 'a' is 3 x 0; give 3 x 3 numbers");
  EXPECT_EQ(error([](ModalSpec& s) { s.stiffness.resize(3, 2); }), "stiffness is 3 x 2; give 3 x 3 numbers");
  EXPECT_EQ(error([](ModalSpec& s) { s.stiffness(0, 1) += 1; }), "stiffness is not symmetric; give a symmetric matrix");
  EXPECT_EQ(error([](ModalSpec& s) { s.stiffness(1, 1) = -1; }),
            "stiffness has no positive entry on its diagonal for mode 2; give a positive semidefinite matrix");
  EXPECT_EQ(error([](ModalSpec& s) { s.stiffness(0, 1) = s.stiffness(1, 0) = 100; }),
            "stiffness has a negative eigenvalue; give a positive semidefinite matrix");
  EXPECT_EQ(error([](ModalSpec& s) { s.damping = -s.damping; }),
            "damping has no positive entry on its diagonal for mode 1; give a positive semidefinite matrix");
  EXPECT_EQ(error([](ModalSpec& s) { s.damping = MatrixXd(); }), "no error");
  EXPECT_EQ(error([](ModalSpec& s) { s.stiffness.setZero(); }), "no error");
  EXPECT_EQ(error([](ModalSpec& s) { s.stiffness = Vector3d(1e-8, 1, 1e12).asDiagonal(); }), "no error");
}

TEST(ModalBody, NamesTheModeWithoutMass) {
  ModalSpec spec = random_spec(5, 20);
  for (MassPoint& point : spec.points) point.shape.col(1).setZero();
  EXPECT_EQ(refusal_of([&] { make_modal_body(spec, false); }),
            "mode 2 has no mass; give points with mass that it moves, or leave the mode out");
  for (MassPoint& point : spec.points) point.shape.col(1) = 10 * point.shape.col(2);
  EXPECT_NE(refusal_of([&] { make_modal_body(spec, false); }).find("has no mass of its own"), std::string::npos);
}

}  // namespace
}  // namespace limber
