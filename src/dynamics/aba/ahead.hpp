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

// Prefetches memory into the second-level cache.
LIMBER_INLINE void prefetch(const void* begin, std::size_t bytes) {
  const char* p = static_cast<const char*>(begin);
  for (std::size_t k = 0; k < bytes; k += 64) __builtin_prefetch(p + k, 1, 2);
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

LIMBER_INLINE void prefetch_W(const BodyStep& step) {
  for (int h = 0; h < std::min(step.carrying, 2); ++h) prefetch(step.W[h], step.k * sizeof(Spatial));
}
LIMBER_INLINE void prefetch_columns(const BodyStep& step) {
  prefetch_W(step);
  prefetch(step.Z, static_cast<std::size_t>(step.k + step.r) * sizeof(Spatial));
}
LIMBER_INLINE void prefetch_inward(const BodyStep& step, bool streams) {
  const std::size_t count = step.k + step.r;
  prefetch(*step.frame);
  if (streams) {
    prefetch_W(step);
  } else {
    prefetch_columns(step);
    prefetch(step.L, count * step.chunks * sizeof(Vec4d));
  }
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

// Eliminates a block of bodies.  Returns the index of the speed without inertia, or -1.  More: another whole block
// follows.
template <bool More>
int eliminate_block(const SweepBlock& block, const double* given, AbaData& ws) {
  const BodyStep *step = ws.steps.data() + block.end, *const first = ws.steps.data() + block.begin;
  while (step-- > first) {
    if (More) {
      prefetch_far(step, -kBlock - kSteps);
      prefetch_inward(step[-kBlock], ws.streams);
    }
    const int failure = eliminate(*step, ws.has_prescribed && ws.prescribed[step->i] != 0 ? given : nullptr, ws);
    if (failure >= 0) return failure;
  }
  return -1;
}

template <bool More>
void accelerate_block(const SweepBlock& block, AbaData& ws, double* vdot) {
  const BodyStep *step = ws.steps.data() + block.begin, *const end = ws.steps.data() + block.end;
  for (; step < end; ++step) {
    if (More) {
      prefetch_far(step, kBlock + kSteps);
      prefetch_outward(step[kBlock]);
    }
    accelerate(*step, ws, vdot);
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
