// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Chains of beams with ten modes, whose kernels take more registers.
#include "chain_kernels.cuh"

namespace limber {

const DeviceSolver& long_beam_chain_solver() { return kChainSolver<LongBeamChain>; }

}  // namespace limber
