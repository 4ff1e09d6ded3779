// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Chains of beams with five modes.
#include "chain_kernels.cuh"

namespace limber {

const DeviceSolver& beam_chain_solver() { return kChainSolver<BeamChain>; }

}  // namespace limber
