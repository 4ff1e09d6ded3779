// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "limber/study/sweep.hpp"

namespace limber {

// Every thread takes the next run, in order of number, when it has finished one.
void ThreadTeam::run(const std::vector<long>& runs, const Work& work, const Events& events, const GoOn& go_on) {
  const auto usual = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  const auto workers = threads_ > 0 ? static_cast<std::size_t>(threads_) : usual;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, std::max(workers, usual));
  tbb::task_arena arena(static_cast<int>(workers));
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  tbb::task_group_context context;
  const auto serve = [&](const tbb::blocked_range<std::size_t>&) {
    while (!context.is_group_execution_cancelled()) {
      const std::size_t k = next++;
      if (k >= runs.size() || (go_on && !go_on())) return;
      {
        const std::lock_guard lock(mutex);
        events.begun(runs[k]);
      }
      const CaseResult result = work(runs[k]);
      const std::lock_guard lock(mutex);
      events.done(result);
    }
  };
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, workers, 1), serve, tbb::simple_partitioner(), context);
  });
}

}  // namespace limber
