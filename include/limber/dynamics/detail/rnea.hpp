// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/detail/kinematics.hpp"
#include "limber/dynamics/rnea.hpp"

namespace limber {

struct RneaData {
  explicit RneaData(const Model& model);
  Kinematics kin;
  LinearSweep sweep;
  VectorXd product;  // (nv) scratch for energies
};

}  // namespace limber
