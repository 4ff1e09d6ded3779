// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstdint>

#include "elimination.hpp"

// Long chains stream more arrays than hardware prefetchers can track, so each sweep prefetches its data one block of
// bodies ahead.
namespace limber {

inline constexpr int kBlock = 64;  // bodies of a SweepBlock
inline constexpr int kSteps = 16;  // their pointers are prefetched before what they point to by as many bodies

// Prefetches memory.  Each sweep reads most of its data once, so that they need not stay in the caches (hint 0).
LIMBER_INLINE void prefetch(const void* begin, std::size_t bytes) {
  const char* p = static_cast<const char*>(begin);
  for (std::size_t k = 0; k < bytes; k += 64) __builtin_prefetch(p + k, 1, 0);
}
template <typename T>
LIMBER_INLINE void prefetch(const T& data) {
  prefetch(&data, sizeof(T));
}

// Element `ahead` of an array, which may lie beyond its end.
template <typename T>
LIMBER_INLINE void prefetch_far(const T* at, std::ptrdiff_t ahead) {
  const auto address =
      reinterpret_cast<std::uintptr_t>(at) + static_cast<std::uintptr_t>(ahead * std::ptrdiff_t{sizeof(T)});
  prefetch(reinterpret_cast<const void*>(address), sizeof(T));
}

LIMBER_INLINE void prefetch_columns(const BodyStep& step) {
  for (int h = 0; h < std::min(step.carrying, 2); ++h) prefetch(step.kept_W[h], step.k * sizeof(Spatial));
  prefetch(step.Z, static_cast<std::size_t>(step.k + step.r) * sizeof(Spatial));
}
LIMBER_INLINE void prefetch_inward(const BodyStep& step, bool streams) {
  const std::size_t count = step.k + step.r;
  prefetch(*step.frame);
  if (streams) return;
  prefetch_columns(step);
  prefetch(step.L, count * step.chunks * sizeof(Vec4d));
  prefetch(step.d_inverse, count * sizeof(double));
}
LIMBER_INLINE void prefetch_outward(const BodyStep& step) {
  prefetch(step.frame->l);
  prefetch_columns(step);
  prefetch(step.H, step.r * sizeof(Spatial));
  prefetch(step.body->a);
}
LIMBER_INLINE void prefetch_motion(const MotionStep& step) {
  prefetch(*step.frame);
  prefetch(*step.H);
}
inline constexpr int kPlaces = 8;  // entries of AbaArrays::places
LIMBER_INLINE void prefetch_place(const Layout& layout, int g, const AbaData& ws) {
  prefetch(layout.node_groups[g]);
  prefetch(ws.node_steps[g]);
  prefetch(ws.kin.four_attachments[g]);
}
// What tells where four bodies or nodes have their data.  g: entry of AbaArrays::starts.
LIMBER_INLINE void prefetch_start(const Layout& layout, int g, const AbaData& ws) {
  if (g >= 0) {
    prefetch(layout.groups[g]);
    prefetch(ws.group_steps[g]);
    prefetch(&ws.group_modes[g], 64);
  } else {
    prefetch(layout.node_groups[-1 - g]);
    prefetch(ws.node_steps[-1 - g]);
    prefetch(ws.kin.four_attachments[-1 - g]);
  }
}
// The data.
LIMBER_INLINE void prefetch_start_data(const Layout& layout, int g, const AbaData& ws) {
  if (g >= 0) {
    const GroupStep& at = ws.group_steps[g];
    const std::size_t bytes = layout.groups[g].n * sizeof(double);
    for (int lane = 0; lane < kLanes; ++lane) {
      prefetch(at.q[lane], bytes);
      prefetch(at.v[lane], bytes);
      prefetch(at.u[lane], bytes);
    }
  } else {
    const NodeStep& at = ws.node_steps[-1 - g];
    prefetch(at.axes, at.k * sizeof(AxisColumns));
  }
}

// Replaces the step of body k of a block by that of the next (Forward) or preceding one, of which
// `later` is the later.  Steps of equal links, which the caches keep, are not read from memory again.
using Words = std::uint64_t __attribute__((vector_size(32), may_alias));
template <bool Forward>
LIMBER_INLINE void move_step(const SweepBlock& later, int k, const AbaData& ws, BodyStep& step) {
  if ((later.single >> k & 1) != 0) {
    step = ws.steps[later.begin + k - (Forward ? 0 : kBlock)];
    return;
  }
  Words* words = reinterpret_cast<Words*>(&step);
  const std::uint64_t* by = later.stride.data();
  for (std::size_t word = 0; word < sizeof step / sizeof(Words); ++word, by += 4) {
    const Words stride{by[0], by[1], by[2], by[3]};
    words[word] = Forward ? words[word] + stride : words[word] - stride;
  }
}

// The steps of a block: in scratch if they were made there from those of the last block (`made`) or those of the next
// block will be made from them (`serve`).
inline BodyStep* steps_of(const SweepBlock& block, bool made, bool serve, AbaData& ws) {
  BodyStep *own = ws.steps.data() + block.begin, *scratch = ws.block_steps.data();
  if (serve && !made) std::copy(own, ws.steps.data() + block.end, scratch);
  return made || serve ? scratch : own;
}

// How a sweep over a block prepares the next: not at all, by reading its steps, or by making them.
enum class Ahead : std::uint8_t { nothing, read, made };
LIMBER_INLINE Ahead prepares(bool exists, bool repeats) {
  return !exists ? Ahead::nothing : repeats ? Ahead::made : Ahead::read;
}

// Eliminates a block of bodies.  Returns the index of the speed without inertia, or -1.
template <Ahead Next>
int eliminate_steps(const SweepBlock& block, BodyStep* steps, const double* given, AbaData& ws) {
  for (int k = block.end - block.begin; k-- > 0;) {
    BodyStep& step = steps[k];
    if (Next == Ahead::read) {
      const BodyStep* ahead = ws.steps.data() + block.begin + k - kBlock;
      prefetch_far(ahead, -kSteps);
      prefetch_inward(*ahead, ws.streams);
    }
    const int failure = eliminate(step, ws.has_prescribed && ws.prescribed[step.i] != 0 ? given : nullptr, ws);
    if (failure >= 0) return failure;
    if (Next == Ahead::made) {
      move_step<false>(block, k, ws, step);
      prefetch_inward(step, ws.streams);
    }
  }
  return -1;
}
inline int eliminate_block(std::size_t b, const double* given, AbaData& ws) {
  const SweepBlock& block = ws.blocks[b];
  BodyStep* steps = steps_of(block, b + 1 < ws.blocks.size() && ws.blocks[b + 1].repeats, block.repeats, ws);
  switch (prepares(b > 0, block.repeats)) {
    case Ahead::nothing:
      return eliminate_steps<Ahead::nothing>(block, steps, given, ws);
    case Ahead::read:
      return eliminate_steps<Ahead::read>(block, steps, given, ws);
    default:
      return eliminate_steps<Ahead::made>(block, steps, given, ws);
  }
}

// The accelerations of a block of bodies.
template <Ahead Next>
void accelerate_steps(const SweepBlock& block, BodyStep* steps, AbaData& ws, double* vdot) {
  for (int k = 0; k < block.end - block.begin; ++k) {
    BodyStep& step = steps[k];
    if (Next == Ahead::read) {
      const BodyStep* ahead = ws.steps.data() + block.end + k;
      prefetch_far(ahead, kSteps);
      prefetch_outward(*ahead);
    }
    accelerate(step, ws, vdot);
    if (Next == Ahead::made) {
      move_step<true>(*(&block + 1), k, ws, step);
      prefetch_outward(step);
    }
  }
}
inline void accelerate_block(const SweepBlock& block, AbaData& ws, double* vdot) {
  const bool whole = block.end + kBlock <= static_cast<int>(ws.steps.size());
  const bool repeats = whole && (&block + 1)->repeats;
  BodyStep* steps = steps_of(block, block.repeats, repeats, ws);
  switch (prepares(whole, repeats)) {
    case Ahead::nothing:
      return accelerate_steps<Ahead::nothing>(block, steps, ws, vdot);
    case Ahead::read:
      return accelerate_steps<Ahead::read>(block, steps, ws, vdot);
    default:
      return accelerate_steps<Ahead::made>(block, steps, ws, vdot);
  }
}

// Reserves memory for `count` elements, in huge pages if available: fewer TLB misses for long chains.
template <typename T, typename Allocator>
void make_room([[maybe_unused]] std::size_t count, [[maybe_unused]] std::vector<T, Allocator>& out) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t kPage = 4096, kLarge = std::size_t{1} << 21;
  if (count * sizeof(T) < kLarge || out.capacity() >= count) return;
  out = {};
  out.reserve(count);
  const auto begin = (reinterpret_cast<std::uintptr_t>(out.data()) + kPage - 1) / kPage * kPage;
  const auto end = reinterpret_cast<std::uintptr_t>(out.data() + count) / kPage * kPage;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // a hint
#endif
}

}  // namespace limber
