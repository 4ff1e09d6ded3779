// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/detail/operational.hpp"

namespace limber {

// As the functions of operational.hpp, for callers whose kinematics are complete and whose sizes fit.
void compute_operational_inertia_posed(const Model& model, std::span<const NodeRef> nodes, AbaData& ws,
                                       OperationalData& scratch, Eigen::Ref<MatrixXd> Lambda_inverse);
void respond_posed(const Model& model, std::span<const NodeRef> nodes, ConstVec lambda, AbaData& ws, Vec dv);

}  // namespace limber
