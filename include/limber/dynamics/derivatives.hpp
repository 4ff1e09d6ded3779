// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/rnea.hpp"

// Exact derivatives of inverse and forward dynamics: recursions differentiated by hand, no finite differences.
// Derivatives by q are taken along the directions of the speeds: q is moved by `move` of manifold.hpp at constant v.
// Wrenches on nodes are constant in their own frames.  theory §8.
namespace limber {

struct DerivativesData;
extern template class Workspace<DerivativesData>;
class DerivativesWorkspace : public Workspace<DerivativesData> {  // one per thread
 public:
  explicit DerivativesWorkspace(const Model& model);
  // Of the last call with this workspace, with poses in world.
  const Kinematics& kinematics() const;
  // (6 per watched node, nv): derivatives of node_acceleration at constant vdot, by q and by v.  See watch_nodes.
  const MatrixXd& node_dq() const;
  const MatrixXd& node_dv() const;
  // Index of the speed without inertia, after Status::singular_mass; otherwise -1.
  int failure() const;
};

// Later calls of rnea_derivatives with this workspace compute node_dq() and node_dv() for these nodes.  Allocates.  At
// zero speeds with vdot = u, node_dq() is the derivative of J u: the same call thus differentiates velocities of nodes.
void watch_nodes(const Model& model, std::span<const NodeRef> nodes, DerivativesData& ws);

// d rnea / d q and d rnea / d v (nv x nv) at constant vdot; d rnea / d vdot is the mass matrix (crba).
// Each column takes one outward sweep over the bodies moved by its coordinate, and one inward sweep from there to the
// ground: O(nv^2) for a chain.  No allocation unless there are more wrenches than before.
void rnea_derivatives(const Model& model, const State& x, ConstVec vdot, std::span<const NodeWrench> wrenches,
                      DerivativesData& ws, Eigen::Ref<MatrixXd> dtau_dq, Eigen::Ref<MatrixXd> dtau_dv);

// Forward dynamics (aba; hybrid if `prescribed` has an entry per body, with the given accelerations in vdot on
// entry) and its derivatives by q, v and tau, each (nv x nv):  d vdot = M^-1 (d tau - d rnea).  Rows of prescribed
// joints are zero.  O(nv^2) for a chain.  On failure ws.failure() is as after aba.  As in aba and rnea, force elements,
// contacts and the key `rest` of joint springs are missing: linearize has them.
[[nodiscard]] Status forward_derivatives(const Model& model, const State& x, const Forces& forces,
                                         std::span<const std::uint8_t> prescribed, DerivativesData& ws, Vec vdot,
                                         Eigen::Ref<MatrixXd> dvdot_dq, Eigen::Ref<MatrixXd> dvdot_dv,
                                         Eigen::Ref<MatrixXd> dvdot_dtau);

}  // namespace limber
