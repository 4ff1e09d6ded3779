// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of batches, one state per thread; a file for each kind of machine compiles them for that kind.
#ifndef LIMBER_BATCH_MACHINE
#define LIMBER_BATCH_MACHINE batch_cuda
#endif
#include <cuda_runtime.h>

#include <algorithm>

#include "device_solver.hpp"
#include "dynamics/batch/chain.hpp"
#include "dynamics/batch/steps.hpp"

namespace limber {
namespace {

using namespace LIMBER_BATCH_MACHINE;

// Threads of a block, and blocks on one multiprocessor at the same time, which sets the registers: with more blocks
// threads spill, and every one of them gets slower (bench/results/batch.md).
constexpr int kDeviceBlock = kDeviceThreads, kDeviceBlocks = 4;
static_assert(kDeviceBlock == kShelfStride);

// The call of the kernel that runs: read by all threads at the same place, so that it stays in the constant cache.
__constant__ DeviceCall current;

extern __shared__ double shelf[];

// What a thread does with one item, and the numbers of a thread in shared memory.  Chains go sweep by sweep, each by a
// kernel of its own, which needs fewer registers than all three: kBlocks on a multiprocessor.
template <class F>
struct ChainSolve {
  static constexpr bool kSweeps = true;
  static constexpr int kShared = ShelfOf<F>::kCount;
  static constexpr int kBlocks = CountOf<F>::value > 5 ? 4 : 6;
  static __device__ void solve(Job<double>& job, const OutRows<double>& out) { chain_dynamics<F>(job, out); }
  template <int Sweep>
  static __device__ void sweep(Job<double>& job, const OutRows<double>& out) {
    if (Sweep == 0) chain_motions<F>(job);
    if (Sweep == 1) chain_inwards<F>(job);
    if (Sweep == 2) chain_outwards<F>(job, out);
  }
};
struct TreeSolve {
  static constexpr bool kSweeps = false;
  static constexpr int kShared = 0;
  static __device__ void solve(Job<double>& job, const OutRows<double>& out) { forward_dynamics(job, out); }
};
// Items whose stores are there at the same time, for each thread that a multiprocessor runs: sweeps of many items
// waste less at their ends.
constexpr int kSweepRounds = 4;

__device__ __forceinline__ Job<double> make_job(int item, int thread) {
  Job<double> job;
  const int items = current.items;
  job.tables = current.tables;
  job.q = {current.q + item, items}, job.v = {current.v + item, items}, job.u = {current.u + item, items};
  job.given = {current.given + item, items}, job.needed = {current.needed + item, items};
  job.loads = {current.loads + item, items}, job.parameters = {current.parameters + item, items};
  job.store = current.store + thread;
  job.stride = current.threads;
  job.scratch = current.scratch + static_cast<long>(thread) * current.tables.scratch;
  job.shelf.p = shelf + threadIdx.x;
  job.stages = current.stages;
  return job;
}

// Accelerations of one item; a function of its own, which all kernels share.
template <class Solve>
__device__ __noinline__ double2 solve_item(int item, int thread, const double* q, const double* v, const double* u,
                                           double* out) {
  Job<double> job = make_job(item, thread);
  job.q.p = q, job.v.p = v, job.u.p = u;
  Solve::solve(job, OutRows<double>{out, current.items});
  return {job.failure, job.broken};
}

template <class Solve>
__global__ void __launch_bounds__(kDeviceBlock, kDeviceBlocks) forward_kernel() {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int item = thread; item < current.items; item += current.threads) {
    const double2 told =
        solve_item<Solve>(item, thread, current.q + item, current.v + item, current.u + item, current.out + item);
    current.failure[item] = told.x;
    current.broken[item] = told.y;
  }
}

// One sweep of the items from `first` on.
template <class Solve, int Sweep>
__global__ void __launch_bounds__(kDeviceBlock, Solve::kBlocks) sweep_kernel(int first) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, item = first + thread;
  if (item >= current.items || thread >= current.threads) return;
  Job<double> job = make_job(item, thread);
  Solve::template sweep<Sweep>(job, OutRows<double>{current.out + item, current.items});
  if (Sweep != 1) return;
  current.failure[item] = job.failure;
  current.broken[item] = job.broken;
}

template <class Solve>
__global__ void __launch_bounds__(kDeviceBlock, kDeviceBlocks) step_kernel(bool implicit) {
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
      const double2 now = solve_item<Solve>(item, thread, at.q.p, at.v.p, at.u.p, out.p);
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

template <class Solve>
constexpr int kSharedBytes = Solve::kShared * kDeviceBlock * static_cast<int>(sizeof(double));

template <class Solve>
void launch_sweeps(int blocks, const DeviceCall& call) {
  constexpr int bytes = kSharedBytes<Solve>;
  for (int first = 0; first < call.items; first += call.threads) {
    sweep_kernel<Solve, 0><<<blocks, kDeviceBlock>>>(first);
    sweep_kernel<Solve, 1><<<blocks, kDeviceBlock, bytes>>>(first);
    sweep_kernel<Solve, 2><<<blocks, kDeviceBlock>>>(first);
  }
}

template <class Solve>
void launch_kernel(DeviceKernel kernel, const DeviceCall& call) {
  const int blocks = (std::min(call.threads, call.items) + kDeviceBlock - 1) / kDeviceBlock;
  constexpr int bytes = kSharedBytes<Solve>;
  check_device(cudaMemcpyToSymbolAsync(current, &call, sizeof call), "copying a call");
  if (kernel == DeviceKernel::rk4) step_kernel<Solve><<<blocks, kDeviceBlock, bytes>>>(false);
  if (kernel == DeviceKernel::implicit) step_kernel<Solve><<<blocks, kDeviceBlock, bytes>>>(true);
  if (kernel != DeviceKernel::forward) return;
  if constexpr (Solve::kSweeps) {
    launch_sweeps<Solve>(blocks, call);
  } else {
    forward_kernel<Solve><<<blocks, kDeviceBlock>>>();
  }
}
template <class Solve>
int blocks_at_once() {
  if constexpr (Solve::kSweeps) return kSweepRounds * Solve::kBlocks * kDeviceBlock;
  int blocks = 0;
  check_device(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, step_kernel<Solve>, kDeviceBlock,
                                                             kSharedBytes<Solve>),
               "asking for the occupancy");
  return blocks * kDeviceBlock;
}
template <class Solve>
const void* main_kernel() {
  if constexpr (Solve::kSweeps) {
    return reinterpret_cast<const void*>(sweep_kernel<Solve, 1>);
  } else {
    return reinterpret_cast<const void*>(forward_kernel<Solve>);
  }
}
template <class Solve>
void tell_usage(int& registers, int& local_bytes) {
  cudaFuncAttributes attributes;
  check_device(cudaFuncGetAttributes(&attributes, main_kernel<Solve>()), "asking for the kernel");
  registers = attributes.numRegs;
  local_bytes = static_cast<int>(attributes.localSizeBytes);
}
template <class Solve>
constexpr DeviceSolver kSolver = {launch_kernel<Solve>, blocks_at_once<Solve>, tell_usage<Solve>};

}  // namespace
}  // namespace limber
