// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/closures.hpp"
#include "limber/dynamics/derivatives.hpp"

namespace limber {

// forward_derivatives of a closed chain: its accelerations, as from hybrid (or aba) and close_accelerations, and
// their exact derivatives by q, v and tau, each (nv x nv).  theory §8.  The closures need not be satisfied; if some
// rows are redundant, the derivatives hold along motions that the closures allow.  Replaces the watched nodes of ws by
// those of the closures (watch_nodes).  O(nv^2) for a chain, and cubic in the number of rows.  Allocates.
[[nodiscard]] Status closed_forward_derivatives(const Model& model, const State& x, const Forces& forces,
                                                std::span<const std::uint8_t> prescribed, DerivativesData& ws,
                                                ClosureData& cw, Vec vdot, Eigen::Ref<MatrixXd> dvdot_dq,
                                                Eigen::Ref<MatrixXd> dvdot_dv, Eigen::Ref<MatrixXd> dvdot_dtau);

}  // namespace limber
