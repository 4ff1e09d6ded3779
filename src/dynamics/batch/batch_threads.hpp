// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocks of items on all cores.  The headers of oneTBB stay in batch_threads.cpp, for the same reason as those of dca
// (dca_threads.hpp).
namespace limber {

struct BatchThreads;
struct BatchThreadsDeleter {
  void operator()(BatchThreads* threads) const;
};

int batch_core_count();
BatchThreads* make_batch_threads(int count);
// work(argument, block, thread) for all blocks; thread is below the count.
void run_blocks(BatchThreads& threads, int blocks, void (*work)(const void* argument, int block, int thread),
                const void* argument);

}  // namespace limber
