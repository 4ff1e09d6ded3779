// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Any machine; inverse dynamics and energies.
#define LIMBER_BATCH_MACHINE batch_cuda_tree
#define LIMBER_BATCH_PLAIN
#include "device_kernels.cuh"

namespace limber {
namespace {

__global__ void __launch_bounds__(kDeviceBlock) inverse_kernel(bool energies) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int item = thread; item < current.items; item += current.threads) {
    Job<double> job = make_job(item, thread);
    const OutRows<double> out{current.out + item, current.items};
    if (energies) {
      compute_energies(job, out);
    } else {
      inverse_dynamics(job, out);
    }
  }
}

}  // namespace

const DeviceSolver& tree_solver() { return kSolver<TreeSolve>; }

void launch_inverse(bool energies, const DeviceCall& call) {
  const int blocks = (std::min(call.threads, call.items) + kDeviceBlock - 1) / kDeviceBlock;
  check_device(cudaMemcpyToSymbolAsync(current, &call, sizeof call), "copying a call");
  inverse_kernel<<<blocks, kDeviceBlock>>>(energies);
}

}  // namespace limber
