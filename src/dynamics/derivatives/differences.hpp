// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/detail/derivatives.hpp"

namespace limber {

// rnea_derivatives by central differences of fourth order, for machines with sliders.
void difference_rnea(const Model& model, const State& x, ConstVec vdot, std::span<const NodeWrench> wrenches,
                     DerivativesData& ws, Eigen::Ref<MatrixXd> dtau_dq, Eigen::Ref<MatrixXd> dtau_dv);

}  // namespace limber
