// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/operational.hpp"

namespace limber {

// As the functions of operational.hpp, for callers that have the poses in world and whose sizes fit.
void compute_operational_inertia_posed(const Model& model, std::span<const NodeRef> nodes, AbaWorkspace& ws,
                                       Eigen::Ref<MatrixX> Lambda_inverse);
void respond_posed(const Model& model, std::span<const NodeRef> nodes, ConstVec lambda, AbaWorkspace& ws, Vec dv);

}  // namespace limber
