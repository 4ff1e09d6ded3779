// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "thread_pool.hpp"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>

#include <optional>

namespace limber {

struct Threads {
  explicit Threads(int count) : arena(count) {
    if (count > core_count()) more.emplace(tbb::global_control::max_allowed_parallelism, count);
  }
  std::optional<tbb::global_control> more;  // for more threads than cores
  tbb::task_arena arena;
};

int core_count() { return tbb::info::default_concurrency(); }
ThreadPool::ThreadPool(int count) : count_(count), threads_(count > 1 ? new Threads(count) : nullptr) {}
void ThreadsDeleter::operator()(Threads* threads) const { delete threads; }
int thread_index() { return tbb::this_task_arena::current_thread_index(); }

void run_on(Threads& threads, void (*function)(const void*), const void* argument) {
  threads.arena.execute([&] { function(argument); });
}

void invoke_each(Threads& threads, int count, void (*item)(const void* items, int which), const void* items) {
  threads.arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<int>(0, count, 1), [&](const tbb::blocked_range<int>& range) {
      for (int which = range.begin(); which < range.end(); ++which) item(items, which);
    });
  });
}

void invoke_both(void (*half)(const void* halves, int which), const void* halves) {
  tbb::parallel_invoke([&] { half(halves, 0); }, [&] { half(halves, 1); });
}

}  // namespace limber
