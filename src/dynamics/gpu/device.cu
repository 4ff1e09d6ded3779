// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of batches, one state per thread.
#define LIMBER_BATCH_MACHINE batch_cuda
#define LIMBER_BATCH_PLAIN
#include <cuda_runtime.h>

#include <algorithm>

#include "device.hpp"
#include "dynamics/batch/chain.hpp"
#include "dynamics/batch/steps.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

using namespace batch_cuda;

constexpr int kDeviceBlock = 64;

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw Error(std::string("GPU: ") + what + ": " + cudaGetErrorString(status));
}

// What a thread does with one item.
template <int N>
struct ChainSolve {
  __device__ void operator()(Job<double>& job, const OutRows<double>& out) const { chain_dynamics<N>(job, out); }
};
struct TreeSolve {
  __device__ void operator()(Job<double>& job, const OutRows<double>& out) const { forward_dynamics(job, out); }
};

__device__ Job<double> make_job(const DeviceCall& call, int item, int thread) {
  Job<double> job;
  const long items = call.items;
  job.tables = call.tables;
  job.q = {call.q + item, items}, job.v = {call.v + item, items}, job.u = {call.u + item, items};
  job.given = {call.given + item, items}, job.needed = {call.needed + item, items};
  job.loads = {call.loads + item, items}, job.parameters = {call.parameters + item, items};
  job.store = call.store + thread;
  job.stride = call.threads;
  job.scratch = call.scratch + static_cast<long>(thread) * call.tables.scratch;
  return job;
}

__device__ void tell(const DeviceCall& call, int item, const Job<double>& job) {
  call.failure[item] = job.failure;
  call.broken[item] = job.broken;
}

template <class Solve>
__global__ void __launch_bounds__(kDeviceBlock) forward_kernel(const __grid_constant__ DeviceCall call) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int item = thread; item < call.items; item += call.threads) {
    Job<double> job = make_job(call, item, thread);
    Solve{}(job, OutRows<double>{call.out + item, call.items});
    tell(call, item, job);
  }
}

__global__ void __launch_bounds__(kDeviceBlock) inverse_kernel(const __grid_constant__ DeviceCall call, bool energies) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int item = thread; item < call.items; item += call.threads) {
    Job<double> job = make_job(call, item, thread);
    if (energies) {
      compute_energies(job, OutRows<double>{call.out + item, call.items});
    } else {
      inverse_dynamics(job, OutRows<double>{call.out + item, call.items});
    }
  }
}

template <class Solve>
__global__ void __launch_bounds__(kDeviceBlock) step_kernel(const __grid_constant__ DeviceCall call, bool implicit) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const BatchStepping& s = call.stepping;
  const long items = call.items, nq = call.tables.nq, nv = call.tables.nv;
  for (int item = thread; item < call.items; item += call.threads) {
    Job<double> job = make_job(call, item, thread);
    const OutRows<double> q{s.q + item, items}, v{s.v + item, items}, a{s.a + item, items}, A{s.A + item, items};
    const auto work = [&](long at_q, long at_v) {
      return OutRows<double>{s.work + (at_q * nq + at_v * nv) * items + item, items};
    };
    for (int step = 0; step < s.steps; ++step) {
      const Rows<double> u{call.u + item + (call.torque_steps > 1 ? step * nv * items : 0), items};
      if (implicit) {
        implicit_step(job, Solve{}, s, q, v, a, A, work(0, 0), work(1, 0), work(1, 1), u);
      } else {
        OutRows<double> rows[kBatchStepRows];
        for (int k = 0; k < kBatchStepRows; ++k) rows[k] = work(1, k);
        rk4_step(job, Solve{}, s.h, q, v, work(0, 0), rows, u);
      }
    }
    tell(call, item, job);
  }
}

cudaEvent_t events[2] = {};

// The kernel whose sizes are those of the tables.
template <class Use>
void with_solver(const BatchTables& tables, Use use) {
  if (tables.chain == 5) return use(ChainSolve<5>{});
  if (tables.chain == 0) return use(ChainSolve<0>{});
  use(TreeSolve{});
}

}  // namespace

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}
std::string device_name(int device) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device), "properties");
  return properties.name;
}
void use_device(int device) {
  check(cudaSetDevice(device), "choosing the device");
  for (cudaEvent_t& event : events) {
    if (event == nullptr) check(cudaEventCreate(&event), "making an event");
  }
}
void* device_allocate(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes == 0 ? 8 : bytes), "allocating memory");
  return memory;
}
void device_free(void* memory) { cudaFree(memory); }
void to_device(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copying to the device");
}
void from_device(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copying from the device");
}
void device_wait() { check(cudaDeviceSynchronize(), "running a kernel"); }

int device_threads(const BatchTables& tables) {
  int device = 0, processors = 0, blocks = 0;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "asking for processors");
  with_solver(tables, [&](auto solve) {
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, forward_kernel<decltype(solve)>, kDeviceBlock, 0),
          "asking for the occupancy");
  });
  return processors * blocks * kDeviceBlock;
}

void device_usage(const BatchTables& tables, int& registers, int& local_bytes) {
  cudaFuncAttributes attributes;
  with_solver(tables, [&](auto solve) {
    check(cudaFuncGetAttributes(&attributes, forward_kernel<decltype(solve)>), "asking for the kernel");
  });
  registers = attributes.numRegs;
  local_bytes = static_cast<int>(attributes.localSizeBytes);
}

void launch(DeviceKernel kernel, const DeviceCall& call) {
  const int blocks = (std::min(call.threads, call.items) + kDeviceBlock - 1) / kDeviceBlock;
  check(cudaEventRecord(events[0]), "recording an event");
  with_solver(call.tables, [&](auto solve) {
    using Solve = decltype(solve);
    if (kernel == DeviceKernel::forward) forward_kernel<Solve><<<blocks, kDeviceBlock>>>(call);
    if (kernel == DeviceKernel::rk4) step_kernel<Solve><<<blocks, kDeviceBlock>>>(call, false);
    if (kernel == DeviceKernel::implicit) step_kernel<Solve><<<blocks, kDeviceBlock>>>(call, true);
  });
  if (kernel == DeviceKernel::inverse) inverse_kernel<<<blocks, kDeviceBlock>>>(call, false);
  if (kernel == DeviceKernel::energies) inverse_kernel<<<blocks, kDeviceBlock>>>(call, true);
  check(cudaGetLastError(), "starting a kernel");
  check(cudaEventRecord(events[1]), "recording an event");
}

double device_seconds() {
  check(cudaEventSynchronize(events[1]), "running a kernel");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, events[0], events[1]), "reading the time");
  return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace limber
