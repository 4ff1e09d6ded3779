// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace limber {

using Vector3 = Eigen::Vector3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;  // angular first, theory §1
using VectorX = Eigen::VectorXd;
using Matrix3 = Eigen::Matrix3d;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using MatrixX = Eigen::MatrixXd;
using Matrix3X = Eigen::Matrix3Xd;
using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;

// Function arguments: views that accept any contiguous vector or matrix.
using Vec = Eigen::Ref<VectorX>;
using ConstVec = Eigen::Ref<const VectorX>;

// Pose of a frame B in a frame A: x_A = R x_B + p.
struct Pose {
  Matrix3 R = Matrix3::Identity();
  Vector3 p = Vector3::Zero();
};

inline Pose operator*(const Pose& a, const Pose& b) { return {a.R * b.R, a.R * b.p + a.p}; }  // of C in A
inline Pose inverse(const Pose& a) { return {a.R.transpose(), -(a.R.transpose() * a.p)}; }    // of A in B

}  // namespace limber
