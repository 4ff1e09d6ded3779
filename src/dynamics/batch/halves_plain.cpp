// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Divide and conquer as a device does it, on a processor: how it is tested.
#define LIMBER_BATCH_MACHINE batch_plain
#define LIMBER_BATCH_PLAIN
#include "halves_steps.hpp"

namespace limber {
namespace {

using namespace batch_plain;

template <class F>
void run_steps(const HalvesCall& call) {
  Halves h = make_halves(call, {});
  run_halves(call, [&](HalvesStep step, int level, int count) {
    for (int j = 0; j < count; ++j) is_body_step(step) ? body_step<F>(h, step, j) : pair_step(h, call, step, level, j);
  });
}

}  // namespace

void run_halves_here(const HalvesCall& call) {
  if (call.tables.chain == ChainForm::rigid) return run_steps<RigidChain>(call);
  if (call.tables.chain == ChainForm::beams) return run_steps<BeamChain>(call);
  run_steps<LongBeamChain>(call);
}

}  // namespace limber
