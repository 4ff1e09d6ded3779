// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/detail/kinematics.hpp"
#include "limber/dynamics/study/operators.hpp"

namespace limber {

struct OperatorsData {
  explicit OperatorsData(const Model& model);
  SpatialOperators ops;
  VectorXd T, nu;    // (nv) forces minus elastic ones; D^-1 times the innovations
  VectorXd p, wide;  // (rows) inertial forces in the motion without accelerations; scratch
  int failure = -1;  // index of the speed without inertia, after Status::singular_mass
};

}  // namespace limber
