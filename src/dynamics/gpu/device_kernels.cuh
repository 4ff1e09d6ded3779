// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels of batches, one state per thread; a file for each kind of machine compiles them for that kind.
#ifndef LIMBER_BATCH_MACHINE
#define LIMBER_BATCH_MACHINE batch_cuda
#endif
#ifndef LIMBER_DEVICE_BLOCK
#define LIMBER_DEVICE_BLOCK 64  // threads of a block
#endif
#define LIMBER_DEVICE_ROW 64  // those whose numbers stand beside each other
#include <cuda_runtime.h>

#include <algorithm>

#include "device_solver.hpp"
#include "dynamics/batch/steps.hpp"

namespace limber {
namespace {

using namespace LIMBER_BATCH_MACHINE;

// Threads of a block: registers are set by how many of them are to run on one multiprocessor at the same time.
constexpr int kDeviceBlock = LIMBER_DEVICE_BLOCK;
static_assert(kDeviceThreads % kDeviceBlock == 0 && kDeviceBlock % kRow == 0);

// The call of the kernel that runs: read by all threads at the same place, so that it stays in the constant cache.
__constant__ DeviceCall current;

// item: whose numbers; slot: its place in the store.
template <class Where = FarTables>
__device__ __forceinline__ Job<double, Where> make_job(int item, int slot) {
  Job<double, Where> job;
  [[maybe_unused]] const int items = current.items;
  job.tables = current.tables;
  job.q = {current.q + item, items}, job.v = {current.v + item, items}, job.u = {current.u + item, items};
  job.given = {current.given + item, items}, job.needed = {current.needed + item, items};
  job.loads = {current.loads + item, items}, job.parameters = {current.parameters + item, items};
  job.store = current.store + static_cast<long>(slot - slot % kRow) * current.tables.store + slot % kRow * kTogether;
  job.scratch = current.scratch + static_cast<long>(slot) * current.tables.scratch;
  job.stages = current.stages;
  return job;
}

}  // namespace
}  // namespace limber
