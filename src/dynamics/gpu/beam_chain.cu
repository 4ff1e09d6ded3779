// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Chains of beams with five modes.
#include "device_kernels.cuh"

namespace limber {

const DeviceSolver& beam_chain_solver() { return kSolver<ChainSolve<BeamChain>>; }

}  // namespace limber
