// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/spatial/rotation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "support/close.hpp"
#include "support/jet.hpp"
#include "support/random.hpp"

namespace limber {
namespace {

using test::kEps;
using test::Random;
using test::Real;

constexpr double kPi = std::numbers::pi;

// Angles at which formulas switch or lose accuracy.
const std::vector<double> kAngles = {
    0,   5e-324,      1e-300,      1e-200,  1e-162, 1e-154,     1e-100, 1e-30,      1e-17, 1e-9,    1e-8, 1e-4, 1e-2,
    0.5, 0.999999999, 1.000000001, kPi / 2, 3,      kPi - 1e-9, kPi,    kPi + 1e-9, 4,     2 * kPi, 7,    20,   1e3};

TEST(RotationSeries, AgreesWithStumpffFunctions) {
  for (const double angle : kAngles) {
    const double x = angle * angle;
    const RotationSeries k = rotation_series(x);
    const auto exact = [&](int i) { return static_cast<double>(test::stumpff(i, Real(x))); };
    const auto slope = [&](int i) { return static_cast<double>(test::stumpff_slope(i, Real(x))); };
    // Beyond x = 1 the closed forms lose at most two digits by cancellation, at x = 1.  An angle of 1e3 itself is known
    // only to eps.
    const double error = 8 * kEps * std::max(1.0, angle);
    EXPECT_NEAR(k.sinc, exact(1), error);
    EXPECT_NEAR(k.a, exact(2), error);
    EXPECT_NEAR(k.b, exact(3), error);
    EXPECT_NEAR(k.da, slope(2), error) << angle;
    EXPECT_NEAR(k.db, slope(3), error) << angle;
  }
}

TEST(ExpRotation, IsARotationAndAgreesWithTheLongForm) {
  Random random(1);
  for (const double angle : kAngles) {
    const Vector3d theta = angle * random.direction();
    const Matrix3d R = exp_rotation(theta);
    const test::Jet<test::RVec3> u{theta.cast<Real>(), test::RVec3::Zero(), test::RVec3::Zero()};
    const double error = 8 * kEps * std::max(1.0, angle);
    EXPECT_CLOSE(R, test::rotation_by(u).x.cast<double>(), error);
    EXPECT_CLOSE(Matrix3d(R.transpose() * R), Matrix3d::Identity(), 2 * error);
    EXPECT_NEAR(R.determinant(), 1, 2 * error);
  }
}

TEST(LogRotation, UndoesExpUpToAHalfTurn) {
  Random random(2);
  for (const double angle : kAngles) {
    if (angle > kPi) continue;
    for (int k = 0; k < 20; ++k) {
      const Vector3d theta = angle * random.direction();
      const Vector3d back = log_rotation(exp_rotation(theta));
      // Near a half turn theta and -theta are the same rotation.
      const double error = std::min((back - theta).norm(), angle > 3 ? (back + theta).norm() : 1e300);
      EXPECT_LE(error, 8 * kEps * std::max(1.0, angle)) << angle;
      EXPECT_LE(back.norm(), kPi * (1 + 4 * kEps));
    }
  }
}

TEST(LogRotation, KnowsTheAxisOfExactHalfTurns) {
  for (int i = 0; i < 3; ++i) {
    Matrix3d R = -Matrix3d::Identity();
    R(i, i) = 1;
    const Vector3d u = log_rotation(R);
    EXPECT_NEAR(std::abs(u[i]), kPi, 4 * kEps);
    EXPECT_NEAR(u.norm(), kPi, 4 * kEps);
  }
}

TEST(Rpy, FollowsUrdf) {
  Random random(3);
  for (int k = 0; k < 20; ++k) {
    const Vector3d rpy = random.vector3();
    const Matrix3d expected =
        (Eigen::AngleAxisd(rpy[2], Vector3d::UnitZ()) * Eigen::AngleAxisd(rpy[1], Vector3d::UnitY()) *
         Eigen::AngleAxisd(rpy[0], Vector3d::UnitX()))
            .toRotationMatrix();
    EXPECT_CLOSE(rpy_rotation(rpy), expected, 8 * kEps);
  }
}

TEST(Quaternion, RotationIsOrthogonalEvenWhenTheLengthIsOff) {
  Random random(4);
  for (int k = 0; k < 50; ++k) {
    const Eigen::Vector4d q = random.quaternion();
    EXPECT_CLOSE(quaternion_rotation(q.data()), test::rotation_of(q), 8 * kEps);
    const Eigen::Vector4d longer = q * (1 + 1e-6);
    EXPECT_CLOSE(quaternion_rotation(longer.data()), test::rotation_of(q), 8 * kEps);
    const Eigen::Vector4d other = -q;  // the same rotation
    EXPECT_CLOSE(quaternion_rotation(other.data()), test::rotation_of(q), 8 * kEps);
    EXPECT_CLOSE(quaternion_log(other.data()), quaternion_log(q.data()), 8 * kEps);
  }
}

TEST(Quaternion, LogIsTheRotationVector) {
  Random random(5);
  for (const double angle : kAngles) {
    if (angle > kPi) continue;
    const Vector3d theta = angle * random.direction();
    Eigen::Vector4d q;
    q << std::cos(angle / 2), 0.5 * static_cast<double>(test::stumpff(1, Real(angle) * Real(angle) / 4)) * theta;
    const Vector3d back = quaternion_log(q.data());
    // Below 1e-154 the squared length underflows; the resulting error is below 1e-154, too.
    const double error = std::min((back - theta).norm(), angle > 3 ? (back + theta).norm() : 1e300);
    EXPECT_LE(error, 8 * kEps * angle + 1e-150) << angle;
  }
}

TEST(Quaternion, TurnMultipliesFromTheRight) {
  Random random(6);
  for (const double angle : kAngles) {
    const Eigen::Vector4d q = random.quaternion();
    const Vector3d theta = angle * random.direction();
    Eigen::Vector4d turned;
    quaternion_turn(q.data(), theta, turned.data());
    const double error = 16 * kEps * std::max(1.0, angle);
    EXPECT_NEAR(turned.norm(), 1, error);
    EXPECT_CLOSE(quaternion_rotation(turned.data()), Matrix3d(test::rotation_of(q) * exp_rotation(theta)), error);
  }
}

TEST(Quaternion, TurnMayWriteOverItsInput) {
  Random random(7);
  Eigen::Vector4d q = random.quaternion(), out;
  const Vector3d theta = random.vector3();
  quaternion_turn(q.data(), theta, out.data());
  quaternion_turn(q.data(), theta, q.data());
  EXPECT_TRUE(test::is_same_bits(q, out));
}

TEST(Pose, InverseAndProduct) {
  Random random(8);
  const Pose a{random.rotation(), random.vector3()}, b{random.rotation(), random.vector3()};
  const Vector3d x = random.vector3();
  const Pose ab = a * b;
  EXPECT_CLOSE(Vector3d(ab.R * x + ab.p), Vector3d(a.R * (b.R * x + b.p) + a.p), 16 * kEps * (1 + x.norm()));
  const Pose one = a * inverse(a);
  EXPECT_CLOSE(one.R, Matrix3d::Identity(), 16 * kEps);
  EXPECT_CLOSE(one.p, Vector3d::Zero(), 16 * kEps * (1 + a.p.norm()));
}

}  // namespace
}  // namespace limber
