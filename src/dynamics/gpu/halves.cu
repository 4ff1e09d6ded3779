// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Divide and conquer of one chain: a thread for each part of a level.
#define LIMBER_BATCH_MACHINE batch_cuda_halves
#include <algorithm>

#include "device_solver.hpp"
#include "dynamics/batch/halves_steps.hpp"

namespace limber {
namespace {

using namespace LIMBER_BATCH_MACHINE;

// Threads of a block, and the parts of a level up to which one block goes through all levels that are left: where
// motions are composed, and where ends are joined.
constexpr int kHalvesBlock = 32, kMotionTop = 512, kJoinTop = 32;

template <class F, HalvesStep Step>
__global__ void __launch_bounds__(kHalvesBlock) body_kernel(const __grid_constant__ HalvesCall call) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  Halves h = make_halves(call, 1);
  if (j < call.count[0]) body_step<F>(h, Step, j);
}

template <HalvesStep Step>
__global__ void __launch_bounds__(kHalvesBlock) pair_kernel(const __grid_constant__ HalvesCall call, int level) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  Halves h = make_halves(call, 1);
  if (j < call.count[level]) pair_step(h, call, Step, level, j);
}

// Joining: a thread for each part of a pair; y of the block says which.
__device__ __forceinline__ void join_part(Halves& h, const HalvesCall& call, int level, int j, int part) {
  constexpr HalvesStep step = HalvesStep::join_pairs;
  if (part == 0) pair_step<JoinPart::inboard>(h, call, step, level, j);
  if (part == 1) pair_step<JoinPart::across>(h, call, step, level, j);
  if (part == 2) pair_step<JoinPart::outboard>(h, call, step, level, j);
}
__global__ void __launch_bounds__(kHalvesBlock) join_kernel(const __grid_constant__ HalvesCall call, int level) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  Halves h = make_halves(call, 1);
  if (j < call.count[level]) join_part(h, call, level, j, static_cast<int>(blockIdx.y));
}

// The levels from `first` on, inward to the whole chain and outward again; y of the thread: part of a joint.
template <HalvesStep Inward, HalvesStep Whole, HalvesStep Outward>
__global__ void __launch_bounds__(Inward == HalvesStep::join_pairs ? kJoinTop * kJoinParts : kMotionTop, 1)
    top_kernel(const __grid_constant__ HalvesCall call, int first) {
  const int j = threadIdx.x, part = threadIdx.y;
  Halves h = make_halves(call, 1);
  for (int level = first; level < call.levels; ++level) {
    if (j < call.count[level]) {
      if (Inward == HalvesStep::join_pairs) {
        join_part(h, call, level, j, part);
      } else if (part == 0) {
        pair_step(h, call, Inward, level, j);
      }
    }
    __syncthreads();
  }
  if (j == 0 && part == 0) pair_step(h, call, Whole, call.levels - 1, 0);
  __syncthreads();
  for (int level = call.levels - 1; level >= first; --level) {
    if (j < call.count[level] && part == 0) pair_step(h, call, Outward, level, j);
    __syncthreads();
  }
}

template <class F>
void launch_bodies(HalvesStep step, const HalvesCall& call) {
  const int blocks = (call.count[0] + kHalvesBlock - 1) / kHalvesBlock;
  if (step == HalvesStep::relative) body_kernel<F, HalvesStep::relative><<<blocks, kHalvesBlock>>>(call);
  if (step == HalvesStep::ends) body_kernel<F, HalvesStep::ends><<<blocks, kHalvesBlock>>>(call);
  if (step == HalvesStep::expand) body_kernel<F, HalvesStep::expand><<<blocks, kHalvesBlock>>>(call);
}
void launch_bodies_of(HalvesStep step, const HalvesCall& call) {
  if (call.tables.chain == ChainForm::rigid) return launch_bodies<RigidChain>(step, call);
  if (call.tables.chain == ChainForm::beams) return launch_bodies<BeamChain>(step, call);
  launch_bodies<LongBeamChain>(step, call);
}

void launch_pairs(HalvesStep step, int level, const HalvesCall& call) {
  using Step = HalvesStep;
  const int blocks = (call.count[level] + kHalvesBlock - 1) / kHalvesBlock;
  if (step == Step::relative_pairs) pair_kernel<Step::relative_pairs><<<blocks, kHalvesBlock>>>(call, level);
  if (step == Step::absolute_pairs) pair_kernel<Step::absolute_pairs><<<blocks, kHalvesBlock>>>(call, level);
  if (step == Step::join_pairs) join_kernel<<<dim3(blocks, kJoinParts), kHalvesBlock>>>(call, level);
  if (step == Step::part_pairs) pair_kernel<Step::part_pairs><<<blocks, kHalvesBlock>>>(call, level);
}

}  // namespace

void launch_halves(const HalvesCall& call) {
  using Step = HalvesStep;
  start_clock();
  const auto first_below = [&](int most) {
    int level = 1;
    while (level < call.levels && call.count[level] > most) ++level;
    return level;
  };
  const int motion = first_below(kMotionTop), join = first_below(kJoinTop);
  run_halves(call, [&](HalvesStep step, int level, int) {
    if (is_body_step(step)) return launch_bodies_of(step, call);
    if (step == Step::ground)
      return top_kernel<Step::relative_pairs, Step::ground, Step::absolute_pairs><<<1, kMotionTop>>>(call, motion);
    if (step == Step::turn_back)
      return top_kernel<Step::join_pairs, Step::turn_back, Step::part_pairs>
          <<<1, dim3(kJoinTop, kJoinParts)>>>(call, join);
    const bool joins = step == Step::join_pairs || step == Step::part_pairs;
    if (level < (joins ? join : motion)) launch_pairs(step, level, call);
  });
  check_device(cudaGetLastError(), "starting a kernel");
  stop_clock();
}

}  // namespace limber
