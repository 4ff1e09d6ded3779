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

#ifndef LIMBER_DEVICE_BLOCK
#define LIMBER_DEVICE_BLOCK 64
#endif
constexpr int kDeviceBlock = LIMBER_DEVICE_BLOCK;
#ifndef LIMBER_DEVICE_BLOCKS
#define LIMBER_DEVICE_BLOCKS 4
#endif
constexpr int kDeviceBlocks = LIMBER_DEVICE_BLOCKS;  // on one multiprocessor at the same time: sets the registers

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw Error(std::string("GPU: ") + what + ": " + cudaGetErrorString(status));
}

// The call of the kernel that runs: read by all threads at the same place, so that it stays in the constant cache.
__constant__ DeviceCall current;

// What a thread does with one item.
template <int N>
struct ChainSolve {
  static constexpr bool kNear = true;
  static __device__ void solve(Job<double, true>& job, const OutRows<double>& out) { chain_dynamics<N>(job, out); }
};
struct TreeSolve {
  static constexpr bool kNear = false;
  static __device__ void solve(Job<double>& job, const OutRows<double>& out) { forward_dynamics(job, out); }
};

// Copies of the tables in shared memory, one after the other: of machines that fit.
extern __shared__ double near_tables[];
struct NearPlaces {
  long links, nodes, indices, size;  // in doubles, after the numbers
  __host__ __device__ explicit NearPlaces(const DeviceCall& call) {
    const auto doubles = [](long bytes) { return (bytes + 7) / 8; };
    links = call.numbers_count;
    nodes = links + doubles(call.tables.bodies * static_cast<long>(sizeof(BatchLink)));
    indices = nodes + doubles(call.nodes_count * static_cast<long>(sizeof(BatchNode)));
    size = indices + doubles(call.indices_count * static_cast<long>(sizeof(int)));
  }
};
__device__ void copy_near(const void* from, long bytes, double* to) {
  const int* words = static_cast<const int*>(from);
  int* out = reinterpret_cast<int*>(to);
  for (long i = threadIdx.x; i < bytes / 4; i += blockDim.x) out[i] = words[i];
}
template <class Solve>
__device__ void bring_tables() {
  if constexpr (Solve::kNear) {
    const NearPlaces at(current);
    copy_near(current.tables.numbers, 8L * current.numbers_count, near_tables);
    copy_near(current.tables.links, static_cast<long>(sizeof(BatchLink)) * current.tables.bodies,
              near_tables + at.links);
    copy_near(current.tables.nodes, static_cast<long>(sizeof(BatchNode)) * current.nodes_count, near_tables + at.nodes);
    copy_near(current.tables.indices, 4L * current.indices_count, near_tables + at.indices);
    __syncthreads();
  }
}

template <bool Near = false>
__device__ __forceinline__ Job<double, Near> make_job(int item, int thread) {
  Job<double, Near> job;
  const long items = current.items;
  job.tables = current.tables;
  job.q = {current.q + item, items}, job.v = {current.v + item, items}, job.u = {current.u + item, items};
  job.given = {current.given + item, items}, job.needed = {current.needed + item, items};
  job.loads = {current.loads + item, items}, job.parameters = {current.parameters + item, items};
  job.store = current.store + thread;
  job.stride = current.threads;
  job.scratch = current.scratch + static_cast<long>(thread) * current.tables.scratch;
  if constexpr (Near) {
    const NearPlaces at(current);
    job.tables.numbers = near_tables;
    job.tables.links = reinterpret_cast<const BatchLink*>(near_tables + at.links);
    job.tables.nodes = reinterpret_cast<const BatchNode*>(near_tables + at.nodes);
    job.tables.indices = reinterpret_cast<const int*>(near_tables + at.indices);
  }
  return job;
}

// Accelerations of one item; a function of its own, which all kernels share.
template <class Solve>
__device__ __noinline__ double2 solve_item(int item, int thread, const double* q, const double* v, const double* u,
                                           double* out) {
  auto job = make_job<Solve::kNear>(item, thread);
  job.q.p = q, job.v.p = v, job.u.p = u;
  Solve::solve(job, OutRows<double>{out, current.items});
  return {job.failure, job.broken};
}

template <class Solve>
__global__ void __launch_bounds__(kDeviceBlock, kDeviceBlocks) forward_kernel() {
  bring_tables<Solve>();
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int item = thread; item < current.items; item += current.threads) {
    const double2 told =
        solve_item<Solve>(item, thread, current.q + item, current.v + item, current.u + item, current.out + item);
    current.failure[item] = told.x;
    current.broken[item] = told.y;
  }
}

__global__ void __launch_bounds__(kDeviceBlock) inverse_kernel(bool energies) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int item = thread; item < current.items; item += current.threads) {
    auto job = make_job<>(item, thread);
    const OutRows<double> out{current.out + item, current.items};
    if (energies) {
      compute_energies(job, out);
    } else {
      inverse_dynamics(job, out);
    }
  }
}

template <class Solve>
__global__ void __launch_bounds__(kDeviceBlock, kDeviceBlocks) step_kernel(bool implicit) {
  bring_tables<Solve>();
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const BatchStepping& s = current.stepping;
  const long items = current.items, nq = current.tables.nq, nv = current.tables.nv;
  for (int item = thread; item < current.items; item += current.threads) {
    auto job = make_job<>(item, thread);
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

cudaEvent_t events[2] = {};

constexpr long kNearLimit = 40 * 1024;  // bytes

// The kernel whose sizes are those of the tables.
template <class Use>
void with_solver(const DeviceCall& call, Use use) {
  const long bytes = 8 * NearPlaces(call).size;
  if (call.tables.chain == 5 && bytes <= kNearLimit) return use(ChainSolve<5>{}, bytes);
  if (call.tables.chain == 0 && bytes <= kNearLimit) return use(ChainSolve<0>{}, bytes);
  use(TreeSolve{}, 0L);
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

int device_threads(const DeviceCall& call) {
  int device = 0, processors = 0, blocks = 0;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "asking for processors");
  with_solver(call, [&](auto solve, long near_bytes) {
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, forward_kernel<decltype(solve)>, kDeviceBlock,
                                                        near_bytes),
          "asking for the occupancy");
  });
  return processors * blocks * kDeviceBlock;
}

void device_usage(const DeviceCall& call, int& registers, int& local_bytes) {
  cudaFuncAttributes attributes;
  with_solver(call, [&](auto solve, long) {
    check(cudaFuncGetAttributes(&attributes, forward_kernel<decltype(solve)>), "asking for the kernel");
  });
  registers = attributes.numRegs;
  local_bytes = static_cast<int>(attributes.localSizeBytes);
}

void launch(DeviceKernel kernel, const DeviceCall& call) {
  const int blocks = (std::min(call.threads, call.items) + kDeviceBlock - 1) / kDeviceBlock;
  check(cudaMemcpyToSymbolAsync(current, &call, sizeof call), "copying a call");
  check(cudaEventRecord(events[0]), "recording an event");
  with_solver(call, [&](auto solve, long near_bytes) {
    using Solve = decltype(solve);
    if (kernel == DeviceKernel::forward) forward_kernel<Solve><<<blocks, kDeviceBlock, near_bytes>>>();
    if (kernel == DeviceKernel::rk4) step_kernel<Solve><<<blocks, kDeviceBlock, near_bytes>>>(false);
    if (kernel == DeviceKernel::implicit) step_kernel<Solve><<<blocks, kDeviceBlock, near_bytes>>>(true);
  });
  if (kernel == DeviceKernel::inverse) inverse_kernel<<<blocks, kDeviceBlock>>>(false);
  if (kernel == DeviceKernel::energies) inverse_kernel<<<blocks, kDeviceBlock>>>(true);
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
