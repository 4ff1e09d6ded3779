// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "batch_threads.hpp"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <optional>

namespace limber {

struct BatchThreads {
  explicit BatchThreads(int count) : arena(count) {
    if (count > batch_core_count()) more.emplace(tbb::global_control::max_allowed_parallelism, count);
  }
  std::optional<tbb::global_control> more;  // more than there are cores, when somebody asks for it
  tbb::task_arena arena;
};

void BatchThreadsDeleter::operator()(BatchThreads* threads) const { delete threads; }
int batch_core_count() { return tbb::info::default_concurrency(); }
BatchThreads* make_batch_threads(int count) { return new BatchThreads(count); }

void run_blocks(BatchThreads& threads, int blocks, void (*work)(const void* argument, int block, int thread),
                const void* argument) {
  threads.arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<int>(0, blocks, 1), [&](const tbb::blocked_range<int>& range) {
      for (int block = range.begin(); block < range.end(); ++block)
        work(argument, block, tbb::this_task_arena::current_thread_index());
    });
  });
}

}  // namespace limber
