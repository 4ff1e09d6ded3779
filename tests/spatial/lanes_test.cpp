// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "limber/spatial/detail/vec4d.hpp"
#include "limber/spatial/rotation.hpp"
#include "support/close.hpp"
#include "support/random.hpp"

namespace limber {
namespace {

using test::kEps;
using test::Random;

// A few operations on numbers of size about 1 ... 4.
constexpr double kBound = 200 * kEps;

Matrix6 to_dense(const Mat6& m) {
  Matrix6 out;
  for (int j = 0; j < 6; ++j) out.col(j) = to_vector(m.c[j]);
  return out;
}

Mat6 to_lanes6(const Matrix6& m) {
  Mat6 out;
  for (int j = 0; j < 6; ++j) out.c[j] = to_spatial(m.col(j));
  return out;
}

Matrix6 shift(const Vector3d& l) {
  Matrix6 X = Matrix6::Identity();
  X.bottomLeftCorner<3, 3>() = -skew(l);
  return X;
}

Matrix6 random_symmetric(Random& random) {
  const MatrixXd a = random.matrix(6, 6);
  return a + a.transpose();
}

TEST(Lanes, VectorsCrossAndSum) {
  Random random(1);
  const Vector3d a = random.vector3(), b = random.vector3();
  EXPECT_CLOSE(to_vector(cross(to_vec4d(a), to_vec4d(b))), a.cross(b), kBound);
  EXPECT_EQ(cross(to_vec4d(a), to_vec4d(b))[3], 0);
  EXPECT_NEAR(dot(to_vec4d(a), to_vec4d(b)), a.dot(b), kBound);
  const Vec4d s = sums(Vec4d{1, 2, 3, 4}, Vec4d{5, 6, 7, 8}, Vec4d{9, 10, 11, 12}, Vec4d{13, 14, 15, 16});
  EXPECT_EQ(s[0], 10);
  EXPECT_EQ(s[1], 26);
  EXPECT_EQ(s[2], 42);
  EXPECT_EQ(s[3], 58);
}

TEST(Lanes, LoadsAndStores) {
  alignas(32) double in[4] = {1, 2, 3, 4}, out[4] = {};
  store(out, load(in));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(out[i], in[i]);
  EXPECT_EQ(lanes_for(0), 0);
  EXPECT_EQ(lanes_for(1), 1);
  EXPECT_EQ(lanes_for(4), 1);
  EXPECT_EQ(lanes_for(5), 2);
}

TEST(Lanes, MatricesMultiplyAndTranspose) {
  Random random(2);
  const Matrix3d a = random.matrix(3, 3), b = random.matrix(3, 3);
  const Vector3d v = random.vector3();
  EXPECT_CLOSE(to_vector(pack(a) * to_vec4d(v)), Vector3d(a * v), kBound);
  EXPECT_CLOSE(to_matrix(pack(a) * pack(b)), Matrix3d(a * b), kBound);
  EXPECT_EQ(to_matrix(transpose(pack(a))), Matrix3d(a.transpose()));
}

TEST(Lanes, TwistsAndWrenchesMove) {
  Random random(3);
  for (int k = 0; k < 10; ++k) {
    const Vector3d l = random.vector3();
    const Vector6 V = random.vector(6), f = random.vector(6);
    EXPECT_CLOSE(to_vector(twist_at(to_vec4d(l), to_spatial(V))), Vector6(shift(l) * V), kBound);
    EXPECT_CLOSE(to_vector(wrench_from(to_vec4d(l), to_spatial(f))), Vector6(shift(l).transpose() * f), kBound);
    EXPECT_NEAR(dot(to_spatial(V), to_spatial(f)), V.dot(f), kBound);
    const Vector6 W = random.vector(6);
    Vector6 VW;
    VW << skew(V.head<3>()) * W.head<3>(), skew(V.tail<3>()) * W.head<3>() + skew(V.head<3>()) * W.tail<3>();
    EXPECT_CLOSE(to_vector(cross_twist(to_spatial(V), to_spatial(W))), VW, kBound);
  }
}

TEST(Lanes, InertiasMoveAndTurn) {
  Random random(4);
  for (int k = 0; k < 10; ++k) {
    const Matrix6 P = random_symmetric(random);
    const Vector3d l = random.vector3();
    const Matrix6 X = shift(l);
    EXPECT_CLOSE(to_dense(inertia_from(to_vec4d(l), to_lanes6(P))), Matrix6(X.transpose() * P * X), 10 * kBound);
    const Matrix3d R = random.rotation();
    Matrix6 RR = Matrix6::Zero();
    RR.topLeftCorner<3, 3>() = RR.bottomRightCorner<3, 3>() = R;
    const Mat3 Rl = pack(R);
    EXPECT_CLOSE(to_dense(rotate_inertia(Rl, transpose(Rl), to_lanes6(P))), Matrix6(RR * P * RR.transpose()),
                 10 * kBound);
    const Vector6 v = random.vector(6);
    EXPECT_CLOSE(to_vector(to_lanes6(P) * to_spatial(v)), Vector6(P * v), 10 * kBound);
  }
}

TEST(Lanes, BodyInertiaIsThatOfTheTheory) {
  Random random(5);
  const Vector3d s = random.vector3();
  const Matrix3d J = random.positive(3, 1, 1);
  Matrix6 M;
  M << J, skew(s), -skew(s), 2.5 * Matrix3d::Identity();
  EXPECT_EQ(to_dense(body_inertia(2.5, to_vec4d(s), pack(J))), M);
  const Vector6 a = random.vector(6);
  EXPECT_CLOSE(to_vector(apply_inertia(2.5, to_vec4d(s), pack(J), to_spatial(a))), Vector6(M * a), kBound);
}

TEST(Lanes, OuterProductsAdd) {
  Random random(6);
  const Matrix6 P = random_symmetric(random);
  const Vector6 u = random.vector(6), w = random.vector(6);
  Mat6 m = to_lanes6(P);
  add_outer(m, to_spatial(u), to_spatial(w));
  EXPECT_CLOSE(to_dense(m), Matrix6(P + u * w.transpose()), kBound);
  subtract_outer(m, to_spatial(u), to_spatial(w));
  EXPECT_CLOSE(to_dense(m), P, kBound);
  add(m, to_lanes6(P));
  EXPECT_CLOSE(to_dense(m), Matrix6(2 * P), kBound);
}

}  // namespace
}  // namespace limber
