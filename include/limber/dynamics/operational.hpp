// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/dynamics/aba.hpp"

// Applications of the inverse mass matrix, without forming either matrix.  All functions use the factors computed in
// the workspace by factor_mass (or aba, hybrid, solve_mass), and throw InputError if there are none; M is the
// matrix that was factored, without the rows and columns of prescribed joints.  [JR] lemma 6.3, theory §6.
namespace limber {

struct OperationalData;
extern template class Workspace<OperationalData>;
class OperationalWorkspace : public Workspace<OperationalData> {  // one per thread
 public:
  explicit OperationalWorkspace(const Model& model);
};

// f^T M^-1 f.  O(N).
double compute_quadratic_inverse(const Model& model, ConstVec f, AbaData& ws);

// log det M.  O(N).
double compute_log_det_mass(const Model& model, const AbaData& ws);

// J M^-1 J^T of k nodes (6k x 6k), the inverse of their operational-space inertia: accelerations of the nodes per
// wrenches on them, both [angular; linear] at the nodes' origins in world components, as in compute_node_jacobian.
// Nodes of the ground have rows of zeros.  Both triangles hold the same bits.
// By recursion, without J: O(bodies between the nodes and the ground), and for each further node O(bodies
// between it and the others), for each pair O(modes of the body where their paths meet).  Allocates only for more
// nodes than before with this scratch.
void compute_operational_inertia(const Model& model, std::span<const NodeRef> nodes, AbaData& ws,
                                 OperationalData& scratch, Eigen::Ref<MatrixXd> Lambda_inverse);

// dv = M^-1 J^T lambda: the accelerations due to wrenches on nodes (6k, as above).  O(N).
void respond(const Model& model, std::span<const NodeRef> nodes, ConstVec lambda, AbaData& ws, OperationalData& scratch,
             Vec dv);

}  // namespace limber
