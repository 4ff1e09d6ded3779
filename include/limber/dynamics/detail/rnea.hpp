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

// Accelerations outward, homogeneous: da_F = Z (X_t da_P + Y_t etaddot_P) + H_F betadot + U etaddot.  theory §3.
void outward_accelerations(const Layout& layout, const Kinematics& kin, const double* a, LinearSweep& sweep);
// Wrenches transmitted by joints, sweep.f and sweep.attachment_f, with kinematics from compute_bias; and tau without
// springs and dampers.
void compute_joint_forces(const Model& model, const Kinematics& kin, ConstVec vdot, LinearSweep& sweep, Vec tau);

}  // namespace limber
