// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Chains of rigid bodies.
#include "chain_kernels.cuh"

namespace limber {

const DeviceSolver& rigid_chain_solver() { return kChainSolver<RigidChain>; }

}  // namespace limber
