// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Chains, one state per thread, sweep by sweep, each by a kernel of its own, which needs fewer registers than all three.
#include "device_kernels.cuh"
#include "dynamics/batch/chain_steps.hpp"

namespace limber {
namespace {

// Tables of small machines in the constant memory: all threads of a warp read the same numbers.
constexpr int kNearLinks = 24, kNearNumbers = 2800;
__constant__ BatchLink near_links[kNearLinks];
__constant__ BatchNode near_nodes[kNearLinks];
__constant__ double near_numbers[kNearNumbers];

#pragma nv_diag_suppress 20091  // hosts compile these, too, and never call them
struct NearNumbers {
  int at;
  LIMBER_KERNEL double operator[](int i) const { return near_numbers[at + i]; }
  LIMBER_KERNEL NearNumbers operator+(int i) const { return {at + i}; }
};
struct NearTables {
  LIMBER_KERNEL static const BatchLink& link(const BatchTables&, int i) { return near_links[i]; }
  LIMBER_KERNEL static const BatchNode& node(const BatchTables&, int i) { return near_nodes[i]; }
  LIMBER_KERNEL static NearNumbers numbers(const BatchTables&, int at) { return {at}; }
};

extern __shared__ double shelf[];

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

// Blocks on one multiprocessor at the same time, which sets the registers of a thread: with more of them threads spill.
template <class F, int Sweep>
constexpr int kSweepBlocks = CountOf<F>::value > 5 ? 4 : 6;

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
__global__ void __launch_bounds__(kDeviceBlock, kSweepBlocks<F, Sweep>) sweep_kernel(Piece piece, StepCall call) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, item = piece.first + thread;
  if (thread >= piece.count) return;
  Job<double, Where> job = make_job<Where>(item, piece.slot + thread);
  job.shelf.p = shelf + threadIdx.x;
  if constexpr (Sweep == 0) chain_motions<F>(job);
  if constexpr (Sweep == 1) {
    if (call.step > 0 && current.torque_steps > 1 && current.u == current.forces)  // rk4 reads the forces as they are
      job.u.p += static_cast<long>(call.step) * current.tables.nv * current.items;
    job.failure = current.failure[item];
    chain_inwards<F>(job);
    if (job.failure < 0 || current.failure[item] >= 0) return;
    current.failure[item] = job.failure;
    current.broken[item] = job.broken;
  }
  if constexpr (Sweep == 2 && Out == SweepOut::accelerations)
    chain_outwards<F>(job, OutRows<double>{current.out + item, current.items});
  if constexpr (Sweep == 2 && Out == SweepOut::implicit)
    chain_outwards<F>(job, ImplicitOut(step_rows(item, call.step), job.numbers(current.tables.gains), current.stepping, call.end));
  if constexpr (Sweep == 2 && Out == SweepOut::rk4)
    chain_outwards<F>(job, RungeOut<double>{step_rows(item, call.step), current.stepping.h, call.stage, call.end});
}

// Where the first evaluation is.
template <class Where>
__global__ void start_kernel(Piece piece, SweepOut out) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, item = piece.first + thread;
  if (thread >= piece.count) return;
  current.failure[item] = -1;
  current.broken[item] = 0;
  if (out == SweepOut::accelerations) return;
  const Job<double, Where> job = make_job<Where>(item, piece.slot + thread);
  start_steps(job, out == SweepOut::implicit, current.stepping, step_rows(item, 0));
}

// Pieces of a batch go side by side, each in a stream of its own, so that the end of one's sweep is not idle.  These
// streams wait for the default one, and it for them.  Steps gain from more and smaller pieces than one evaluation.
constexpr int kPiece = 32768, kStepPiece = 16384;  // least items
constexpr int kStreams = 4;
cudaStream_t stream_of(int i) {
  static cudaStream_t streams[kStreams] = {};
  if (streams[i] == nullptr) check_device(cudaStreamCreate(&streams[i]), "making a stream");
  return streams[i];
}

template <class F, class Where>
struct ChainLaunch {
  static int blocks(const Piece& piece) { return (piece.count + kDeviceBlock - 1) / kDeviceBlock; }

  template <int Sweep, SweepOut Out>
  static void sweep(const Piece& piece, const StepCall& call, cudaStream_t stream) {
    constexpr int bytes = Sweep == 1 ? ShelfOf<F>::kCount * kDeviceBlock * static_cast<int>(sizeof(double)) : 0;
    sweep_kernel<F, Where, Sweep, Out><<<blocks(piece), kDeviceBlock, bytes, stream>>>(piece, call);
  }
  template <SweepOut Out>
  static void evaluate(const Piece& piece, const StepCall& call, cudaStream_t stream) {
    sweep<0, SweepOut::accelerations>(piece, call, stream);
    sweep<1, SweepOut::accelerations>(piece, call, stream);
    sweep<2, Out>(piece, call, stream);
  }
  // All steps of the items of a round; run(each): for each of its pieces.
  template <SweepOut Out, class Run>
  static void advance(const BatchStepping& s, int steps_of_forces, Run run) {
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
  static void launch(DeviceKernel kernel, const DeviceCall& call) {
    const int least = kernel == DeviceKernel::forward ? kPiece : kStepPiece;
    const int streams = std::clamp(call.threads / least, 1, kStreams);
    const int share = (call.threads / streams + kDeviceBlock - 1) / kDeviceBlock * kDeviceBlock;
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
        start_kernel<Where><<<blocks(piece), kDeviceBlock, 0, stream>>>(piece, out);
      });
      if (out == SweepOut::accelerations)
        run([&](const Piece& piece, cudaStream_t stream) { evaluate<SweepOut::accelerations>(piece, {}, stream); });
      if (out == SweepOut::implicit) advance<SweepOut::implicit>(call.stepping, call.torque_steps, run);
      if (out == SweepOut::rk4) advance<SweepOut::rk4>(call.stepping, call.torque_steps, run);
    }
  }
};

// The tables into the constant memory, unless they are there; false: they are too large.
bool bring_near(const BatchTables& tables) {
  if (tables.bodies > kNearLinks || tables.nodes_count > kNearLinks || tables.numbers_count > kNearNumbers) return false;
  static int there = 0, there_device = -1;
  int device = 0;
  check_device(cudaGetDevice(&device), "asking for the device");
  if (there == tables.serial && there_device == device) return true;
  const auto copy_to = [](auto& symbol, const auto* from, int count) {
    check_device(cudaMemcpyToSymbolAsync(symbol, from, sizeof *from * count, 0, cudaMemcpyDeviceToDevice), "copying tables");
  };
  copy_to(near_links, tables.links, tables.bodies);
  copy_to(near_nodes, tables.nodes, tables.nodes_count);
  copy_to(near_numbers, tables.numbers, tables.numbers_count);
  there = tables.serial, there_device = device;
  return true;
}

template <class F>
void launch_chain(DeviceKernel kernel, const DeviceCall& from) {
  DeviceCall call = from;
  call.forces = call.u;
  if (kernel != DeviceKernel::forward) {  // evaluations are where the steps put them: step_rows
    const long rows = call.items;
    call.q = call.stepping.work, call.v = call.stepping.work + call.tables.nq * rows;
    if (kernel == DeviceKernel::implicit) call.u = call.stepping.work + (call.tables.nq + call.tables.nv) * rows;
  }
  const bool near = bring_near(call.tables);
  check_device(cudaMemcpyToSymbolAsync(current, &call, sizeof call), "copying a call");
  near ? ChainLaunch<F, NearTables>::launch(kernel, call) : ChainLaunch<F, FarTables>::launch(kernel, call);
}

// Items whose stores are there at the same time, for each thread that a multiprocessor runs.
constexpr int kSweepRounds = 4;
template <class F>
int chain_threads() {
  return kSweepRounds * kSweepBlocks<F, 1> * kDeviceBlock;
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
