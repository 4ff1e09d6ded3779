// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables.hpp"

// Divide and conquer of one chain: which steps, on which parts, in which order.  The parts of level 0 are the bodies;
// part j of the level after is the pair 2j, 2j + 1 of this one, or 2j alone.
namespace limber {

inline constexpr int kHalvesLevels = 32;

enum class HalvesStep : int {
  relative,        // bodies: motion of the outboard frame as seen from the inboard one
  relative_pairs,  // inward: of pairs
  ground,          // the whole chain: where it begins
  absolute_pairs,  // outward: motion of the inboard frame
  ends,            // bodies: their ends without modes
  join_pairs,      // inward: the outboard half is closed, and the pair joined
  turn_back,       // the whole chain: its first joint
  part_pairs,      // outward: accelerations and wrenches of the halves
  expand           // bodies: accelerations of the modes
};

// Rows of the numbers of a part; of a body and of a joint: halves.hpp.
enum HalvesPart {
  kPartRelative,
  kPartAbsolute = kPartRelative + 24,  // its first 18 numbers: rotation, angular velocity, its rate, acceleration
  kPartEnds = kPartAbsolute + 18,
  kPartClosed = kPartEnds + 90,     // z (6) and Bt (36) once its joint has left
  kPartBetween = kPartClosed + 42,  // T
  kPartLoss = kPartBetween + 21,
  kPartA = kPartLoss + 1,  // acceleration of the first body
  kPartF = kPartA + 6,     // wrench at the outboard end
  kPartRows = kPartF + 6
};

// One evaluation; all pointers are of the machine that computes.
struct HalvesCall {
  BatchTables tables;
  const double *q = nullptr, *v = nullptr, *u = nullptr;
  double *out = nullptr, *store = nullptr;
  double *parts = nullptr, *bodies = nullptr, *joints = nullptr;
  int levels = 0;  // 0 to levels - 1
  int count[kHalvesLevels] = {}, offset[kHalvesLevels] = {};
  int part_count = 0;
};

// Parts of all levels.
inline void set_levels(int bodies, HalvesCall& call) {
  for (int count = bodies;; count = (count + 1) / 2) {
    call.count[call.levels] = count;
    call.offset[call.levels++] = call.part_count;
    call.part_count += count;
    if (count == 1) return;
  }
}

// run(step, level, count): a step on all parts of a level, in order.
template <class Run>
void run_halves(const HalvesCall& call, Run run) {
  const int top = call.levels - 1;
  const auto inward = [&](HalvesStep step) {
    for (int level = 1; level <= top; ++level) run(step, level, call.count[level]);
  };
  const auto outward = [&](HalvesStep step) {
    for (int level = top; level > 0; --level) run(step, level, call.count[level]);
  };
  run(HalvesStep::relative, 0, call.count[0]);
  inward(HalvesStep::relative_pairs);
  run(HalvesStep::ground, top, 1);
  outward(HalvesStep::absolute_pairs);
  run(HalvesStep::ends, 0, call.count[0]);
  inward(HalvesStep::join_pairs);
  run(HalvesStep::turn_back, top, 1);
  outward(HalvesStep::part_pairs);
  run(HalvesStep::expand, 0, call.count[0]);
}

// On a processor, one part after the other.
void run_halves_here(const HalvesCall& call);
// Where rows of q, v, u and out stand on a processor.
inline constexpr int kHalvesStride = kBatchBlock;

}  // namespace limber
