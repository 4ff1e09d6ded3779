// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Chains, one state per thread, sweep by sweep, each by a kernel of its own, which needs fewer registers than all three.
#define LIMBER_DEVICE_TOGETHER 2
#include "device_kernels.cuh"
#include "dynamics/batch/chain_steps.hpp"

namespace limber {
namespace {

extern __shared__ __align__(16) double shelf[];  // tables of small machines, then the shelves of the threads

// Places of the tables of small machines in the shared memory, in doubles.
struct NearPlaces {
  int nodes = 0, numbers = 0, end = 0;
};
__constant__ NearPlaces near_places;

#pragma nv_diag_suppress 20091, 20093  // hosts compile these, too, and never call them
struct NearTables {
  LIMBER_KERNEL static const BatchLink& link(const BatchTables&, int i) {
    return reinterpret_cast<const BatchLink*>(shelf)[i];
  }
  LIMBER_KERNEL static const BatchNode& node(const BatchTables&, int i) {
    return reinterpret_cast<const BatchNode*>(shelf + near_places.nodes)[i];
  }
  LIMBER_KERNEL static const double* numbers(const BatchTables&, int at) {  // at an even place
    return static_cast<const double*>(__builtin_assume_aligned(shelf + near_places.numbers + at, 16));
  }
};
__device__ __forceinline__ void copy_words(const void* from, int first, int count) {  // all on their way at a time
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shelf + first));
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to + 8 * i), "l"(static_cast<const double*>(from) + i));
  }
}
__device__ __forceinline__ void bring_near() {
  const BatchTables& tables = current.tables;
  copy_words(tables.links, 0, near_places.nodes);
  copy_words(tables.nodes, near_places.nodes, tables.nodes_count * (sizeof(BatchNode) / sizeof(double)));
  copy_words(tables.numbers, near_places.numbers, tables.numbers_count);
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
}

// Items of one kernel: their places, and that of the first in the store.
struct Piece {
  int first = 0, count = 0, slot = 0;
};
// An evaluation of a step.
struct StepCall {
  int step = 0;   // whose forces the next evaluation takes
  int stage = 0;  // of rk4
  StepEnd end = StepEnd::none;
};
enum class SweepOut { accelerations, implicit, rk4 };

// Threads of a block, and blocks on one multiprocessor at the same time, which set the registers of a thread: with more
// of them threads spill.
template <class F>
constexpr int kSweepThreads = kIsUsual<F> || CountOf<F>::value == 0 ? 192 : 128;
constexpr int kChainBlocks = 2;

__device__ __forceinline__ StepRows<double> step_rows(int item, int step) {
  const BatchStepping& s = current.stepping;
  const int items = current.items;
  const long nq = current.tables.nq, nv = current.tables.nv;
  const auto work = [&](int k) { return OutRows<double>{s.work + (k == 0 ? 0 : nq + (k - 1) * nv) * items + item, items}; };
  return {{s.q + item, items}, {s.v + item, items}, {s.a + item, items}, {s.A + item, items},
          work(0), work(1), work(2), work(3), work(4),
          {current.forces + item + (current.torque_steps > 1 ? step * nv * items : 0), items}};
}

template <class F, class Where, int Sweep, SweepOut Out>
__global__ void __launch_bounds__(kSweepThreads<F>, kChainBlocks) sweep_kernel(Piece piece, StepCall call) {
  constexpr bool near = std::is_same_v<Where, NearTables>;
  constexpr int shelf_row = kRow * ShelfOf<F>::kCounts[Sweep];
  if (near) bring_near();
  const int thread = blockIdx.x * kSweepThreads<F> + threadIdx.x, item = piece.first + thread;
  if (thread >= piece.count) return;
  Job<double, Where> job = make_job<Where>(item, piece.slot + thread);
  job.shelf.p = shelf + (near ? near_places.end : 0) + threadIdx.x / kRow * shelf_row + threadIdx.x % kRow * kTogether;
  if (call.step > 0 && current.torque_steps > 1 && current.u == current.forces)  // rk4 reads the forces as they are
    job.u.p += static_cast<long>(call.step) * current.tables.nv * current.items;
  if constexpr (Sweep == 0) chain_motions<F>(job);
  if constexpr (Sweep == 1) {
    chain_inwards<F>(job);
    if (job.failure < 0 || current.failure[item] >= 0) return;
    current.failure[item] = job.failure;
    current.broken[item] = job.broken;
  }
  if constexpr (Sweep == 2 && Out == SweepOut::accelerations)
    chain_outwards<F>(job, OutRows<double>{current.out + item, current.items});
  if constexpr (Sweep == 2 && Out == SweepOut::implicit)
    chain_outwards<F>(
        job, ImplicitOut(step_rows(item, call.step), job.numbers(current.tables.gains), current.stepping, call.end));
  if constexpr (Sweep == 2 && Out == SweepOut::rk4)
    chain_outwards<F>(job, RungeOut<double>{step_rows(item, call.step), current.stepping.h, call.stage, call.end});
}

// Where the first evaluation is.
__global__ void start_kernel(Piece piece, SweepOut out) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, item = piece.first + thread;
  if (thread >= piece.count) return;
  current.failure[item] = -1;
  current.broken[item] = 0;
  if (out == SweepOut::accelerations) return;
  const Job<double> job = make_job<FarTables>(item, 0);
  start_steps(job, out == SweepOut::implicit, current.stepping, step_rows(item, 0));
}

// Pieces of a batch go side by side, each in a stream of its own, so that the end of one's sweep is not idle.  These
// streams wait for the default one, and it for them.
constexpr int kPiece = 16384;                // least items
constexpr int kStreams = 4, kFewStreams = 2;  // of many evaluations, one after the other, and of one
cudaStream_t stream_of(int i) {
  static cudaStream_t streams[kStreams] = {};
  if (streams[i] == nullptr) check_device(cudaStreamCreate(&streams[i]), "making a stream");
  return streams[i];
}
int block_count(int items, int threads) { return (items + threads - 1) / threads; }

// Where the tables are in the shared memory.
NearPlaces near_places_of(const BatchTables& tables) {
  NearPlaces at;
  at.nodes = static_cast<int>(tables.bodies * sizeof(BatchLink) / sizeof(double));
  at.numbers = even(at.nodes + static_cast<int>(tables.nodes_count * sizeof(BatchNode) / sizeof(double)));
  at.end = even(at.numbers + tables.numbers_count);
  return at;
}
template <class F>
constexpr int shelf_bytes(int sweep) {
  return ShelfOf<F>::kCounts[sweep] * kSweepThreads<F> * static_cast<int>(sizeof(double));
}

template <class F, class Where>
struct ChainLaunch {
  int near_bytes;

  template <int Sweep, SweepOut Out>
  void sweep(const Piece& piece, const StepCall& call, cudaStream_t stream) const {
    const auto kernel = sweep_kernel<F, Where, Sweep, Out>;
    const int threads = kSweepThreads<F>, shared_bytes = near_bytes + shelf_bytes<F>(Sweep);
    check_device(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
                 "asking for shared memory");
    kernel<<<block_count(piece.count, threads), threads, shared_bytes, stream>>>(piece, call);
  }
  template <SweepOut Out>
  void evaluate(const Piece& piece, const StepCall& call, cudaStream_t stream) const {
    sweep<0, SweepOut::accelerations>(piece, call, stream);
    sweep<1, SweepOut::accelerations>(piece, call, stream);
    sweep<2, Out>(piece, call, stream);
  }
  // All steps of the items of a round; run(each): for each of its pieces.
  template <SweepOut Out, class Run>
  void advance(const BatchStepping& s, int steps_of_forces, Run run) const {
    const int count = Out == SweepOut::implicit ? s.passes : kRungeStages;
    for (int step = 0; step < s.steps; ++step) {
      for (int k = 0; k < count; ++k) {
        const StepEnd end = step_end(k + 1 == count, step + 1 == s.steps);
        const bool next = Out == SweepOut::implicit && end == StepEnd::step;
        const StepCall call = {steps_of_forces > 1 ? step + (next ? 1 : 0) : 0, k, end};
        run([&](const Piece& piece, cudaStream_t stream) { evaluate<Out>(piece, call, stream); });
      }
    }
  }
  void launch(DeviceKernel kernel, const DeviceCall& call) const {
    const int most = kernel == DeviceKernel::forward ? kFewStreams : kStreams;
    const int streams = std::clamp(call.threads / kPiece, 1, most);
    const int share = block_count((call.threads + streams - 1) / streams, kDeviceThreads) * kDeviceThreads;
    for (int round = 0; round < call.items; round += call.threads) {
      const auto run = [&](auto each) {
        for (int i = 0; i < streams && share * i < call.threads; ++i) {
          const int first = round + share * i;
          const int count = std::min({share, call.threads - share * i, call.items - first});
          if (count > 0) each(Piece{first, count, share * i}, stream_of(i));
        }
      };
      const SweepOut out = kernel == DeviceKernel::forward    ? SweepOut::accelerations
                           : kernel == DeviceKernel::implicit ? SweepOut::implicit
                                                              : SweepOut::rk4;
      run([&](const Piece& piece, cudaStream_t stream) {
        start_kernel<<<block_count(piece.count, kDeviceBlock), kDeviceBlock, 0, stream>>>(piece, out);
      });
      if (out == SweepOut::accelerations)
        run([&](const Piece& piece, cudaStream_t stream) { evaluate<SweepOut::accelerations>(piece, {}, stream); });
      if (out == SweepOut::implicit) advance<SweepOut::implicit>(call.stepping, call.torque_steps, run);
      if (out == SweepOut::rk4) advance<SweepOut::rk4>(call.stepping, call.torque_steps, run);
    }
  }
};

// Whether the tables have room in the shared memory beside the shelves of all blocks; the driver takes its own part.
template <class F>
bool is_room(int near_bytes) {
  int device = 0, all = 0, reserved = 0;
  check_device(cudaGetDevice(&device), "asking for the device");
  check_device(cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device), "asking for memory");
  check_device(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device), "asking for memory");
  for (int sweep = 0; sweep < 3; ++sweep) {
    if (near_bytes + shelf_bytes<F>(sweep) > all / kChainBlocks - reserved) return false;
  }
  return true;
}
static_assert(sizeof(BatchLink) % sizeof(double) == 0 && sizeof(BatchNode) % sizeof(double) == 0);

template <class F>
void launch_chain(DeviceKernel kernel, const DeviceCall& from) {
  DeviceCall call = from;
  call.forces = call.u;
  if (kernel != DeviceKernel::forward) {  // evaluations are where the steps put them: step_rows
    const long rows = call.items;
    call.q = call.stepping.work, call.v = call.stepping.work + call.tables.nq * rows;
    if (kernel == DeviceKernel::implicit) call.u = call.stepping.work + (call.tables.nq + call.tables.nv) * rows;
  }
  const NearPlaces places = near_places_of(call.tables);
  const int near_bytes = places.end * static_cast<int>(sizeof(double));
  check_device(cudaMemcpyToSymbolAsync(near_places, &places, sizeof places), "copying places");
  check_device(cudaMemcpyToSymbolAsync(current, &call, sizeof call), "copying a call");
  if (is_room<F>(near_bytes)) return ChainLaunch<F, NearTables>{near_bytes}.launch(kernel, call);
  ChainLaunch<F, FarTables>{0}.launch(kernel, call);
}

// Items whose stores are there at the same time, of each multiprocessor: kernels of many rounds of blocks, since the end
// of a round is idle.
constexpr int kSweepRounds = 12;
template <class F>
int chain_threads() {
  return kSweepRounds * kDeviceThreads;
}
template <class F>
void tell_chain_usage(int& registers, int& local_bytes) {
  cudaFuncAttributes attributes;
  check_device(cudaFuncGetAttributes(&attributes, sweep_kernel<F, NearTables, 1, SweepOut::accelerations>),
               "asking for the kernel");
  registers = attributes.numRegs;
  local_bytes = static_cast<int>(attributes.localSizeBytes);
}
template <class F>
constexpr DeviceSolver kChainSolver = {launch_chain<F>, chain_threads<F>, tell_chain_usage<F>};

}  // namespace
}  // namespace limber
