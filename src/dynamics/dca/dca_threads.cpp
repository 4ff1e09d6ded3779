// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "dca_threads.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>

#include <optional>

namespace limber {

struct DcaThreads {
  explicit DcaThreads(int count) : arena(count) {
    if (count > core_count()) more.emplace(tbb::global_control::max_allowed_parallelism, count);
  }
  std::optional<tbb::global_control> more;  // more than there are cores, when somebody asks for it
  tbb::task_arena arena;
};

int core_count() { return tbb::info::default_concurrency(); }
DcaThreadPool::DcaThreadPool(int count) : count_(count), threads_(count > 1 ? new DcaThreads(count) : nullptr) {}
void DcaThreadsDeleter::operator()(DcaThreads* threads) const { delete threads; }
int thread_index() { return tbb::this_task_arena::current_thread_index(); }

void run_on(DcaThreads& threads, void (*function)(const void*), const void* argument) {
  threads.arena.execute([&] { function(argument); });
}

void invoke_both(void (*half)(const void* halves, int which), const void* halves) {
  tbb::parallel_invoke([&] { half(halves, 0); }, [&] { half(halves, 1); });
}

}  // namespace limber
