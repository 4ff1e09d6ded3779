// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace limber {

using Eigen::Matrix3d;
using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Vector6 = Eigen::Matrix<double, 6, 1>;  // angular first, theory §1
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;

// Function arguments: views that accept any contiguous vector or matrix.
using Vec = Eigen::Ref<VectorXd>;
using ConstVec = Eigen::Ref<const VectorXd>;

// Pose of a frame B in a frame A: x_A = R x_B + p.
struct Pose {
  Matrix3d R = Matrix3d::Identity();
  Vector3d p = Vector3d::Zero();
};

inline Pose operator*(const Pose& a, const Pose& b) { return {a.R * b.R, a.R * b.p + a.p}; }  // of C in A
inline Pose inverse(const Pose& a) { return {a.R.transpose(), -(a.R.transpose() * a.p)}; }    // of A in B

}  // namespace limber
