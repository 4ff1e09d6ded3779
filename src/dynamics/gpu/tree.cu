// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Any machine; inverse dynamics and energies.
#define LIMBER_BATCH_MACHINE batch_cuda_tree
#define LIMBER_BATCH_PLAIN
#include "device_kernels.cuh"

namespace limber {
namespace {

constexpr int kTreeBlocks = 4;  // with more of them threads spill, and every one gets slower

// Accelerations of one item; a function of its own, which all kernels share.
__device__ __noinline__ double2 solve_item(int item, int thread, const double* q, const double* v, const double* u,
                                           double* out) {
  Job<double> job = make_job(item, thread);
  job.q.p = q, job.v.p = v, job.u.p = u;
  forward_dynamics(job, OutRows<double>{out, current.items});
  return {job.failure, job.broken};
}

__global__ void __launch_bounds__(kDeviceBlock, kTreeBlocks) forward_kernel() {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int item = thread; item < current.items; item += current.threads) {
    const double2 told =
        solve_item(item, thread, current.q + item, current.v + item, current.u + item, current.out + item);
    current.failure[item] = told.x;
    current.broken[item] = told.y;
  }
}

__global__ void __launch_bounds__(kDeviceBlock, kTreeBlocks) step_kernel(bool implicit) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const BatchStepping& s = current.stepping;
  const int items = current.items;
  const long nq = current.tables.nq, nv = current.tables.nv;
  for (int item = thread; item < current.items; item += current.threads) {
    Job<double> job = make_job(item, thread);
    const OutRows<double> q{s.q + item, items}, v{s.v + item, items}, a{s.a + item, items}, A{s.A + item, items};
    const auto work = [&](long at_q, long at_v) {
      return OutRows<double>{s.work + (at_q * nq + at_v * nv) * items + item, items};
    };
    double2 told = {-1, 0};
    const auto solve = [&](const Job<double>& at, const OutRows<double>& out) {
      const double2 now = solve_item(item, thread, at.q.p, at.v.p, at.u.p, out.p);
      if (told.x < 0) told = now;
    };
    for (int step = 0; step < s.steps; ++step) {
      const Rows<double> u{current.u + item + (current.torque_steps > 1 ? step * nv * items : 0), items};
      if (implicit) {
        implicit_step(job, solve, s, q, v, a, A, work(0, 0), work(1, 0), work(1, 1), u);
      } else {
        OutRows<double> rows[kBatchStepRows];
        for (int k = 0; k < kBatchStepRows; ++k) rows[k] = work(1, k);
        rk4_step(job, solve, s.h, q, v, work(0, 0), rows, u);
      }
    }
    current.failure[item] = told.x;
    current.broken[item] = told.y;
  }
}

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

void launch_tree(DeviceKernel kernel, const DeviceCall& call) {
  const int blocks = (std::min(call.threads, call.items) + kDeviceBlock - 1) / kDeviceBlock;
  check_device(cudaMemcpyToSymbolAsync(current, &call, sizeof call), "copying a call");
  if (kernel == DeviceKernel::forward) return forward_kernel<<<blocks, kDeviceBlock>>>();
  if (kernel == DeviceKernel::rk4 || kernel == DeviceKernel::implicit)
    return step_kernel<<<blocks, kDeviceBlock>>>(kernel == DeviceKernel::implicit);
  inverse_kernel<<<blocks, kDeviceBlock>>>(kernel == DeviceKernel::energies);
}
int tree_threads() {
  int blocks = 0;
  check_device(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, step_kernel, kDeviceBlock, 0),
               "asking for the occupancy");
  return blocks * kDeviceBlock;
}
void tell_tree_usage(int& registers, int& local_bytes) {
  cudaFuncAttributes attributes;
  check_device(cudaFuncGetAttributes(&attributes, forward_kernel), "asking for the kernel");
  registers = attributes.numRegs;
  local_bytes = static_cast<int>(attributes.localSizeBytes);
}
constexpr DeviceSolver kTreeSolver = {launch_tree, tree_threads, tell_tree_usage};

}  // namespace

const DeviceSolver& tree_solver() { return kTreeSolver; }

}  // namespace limber
