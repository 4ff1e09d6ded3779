// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/dynamics/detail/thread_pool.hpp"

// Parallel execution by oneTBB.  Its headers are included only in thread_pool.cpp.  The packaged library is not
// instrumented, so the thread sanitizer does not see its synchronisation; the annotations below describe it, so that
// races between our own tasks are detected.
#if defined(__SANITIZE_THREAD__)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace limber {

inline void tell_release([[maybe_unused]] const char& token) {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(const_cast<char*>(&token));
#endif
}
inline void tell_acquire([[maybe_unused]] const char& token) {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(const_cast<char*>(&token));
#endif
}

int core_count();
// Less than the number of threads of the pool; valid within run_on.
int thread_index();
void run_on(Threads& threads, void (*function)(const void*), const void* argument);
void invoke_each(Threads& threads, int count, void (*item)(const void* items, int which), const void* items);
void invoke_both(void (*half)(const void* halves, int which), const void* halves);

// Runs both in parallel and returns when both are done.  Call within run_on.
template <typename First, typename Second>
void at_the_same_time(const First& first, const Second& second) {
  struct Halves {
    const First& first;
    const Second& second;
    char begin = 0, end = 0;
  } const halves{first, second};
  tell_release(halves.begin);
  invoke_both(
      [](const void* p, int which) {
        const Halves& h = *static_cast<const Halves*>(p);
        tell_acquire(h.begin);
        which == 0 ? h.first() : h.second();
        tell_release(h.end);
      },
      &halves);
  tell_acquire(halves.end);
}

// Calls item(k, thread) for 0 <= k < count, in any order; returns when all are done.  thread: less than the number of
// threads of the pool; no two concurrent items have the same.
template <typename Item>
void for_each_index(Threads& threads, int thread_count, int count, const Item& item) {
  struct Items {
    const Item& item;
    std::vector<char> order;  // (thread) orders consecutive items of one thread
    char begin = 0, end = 0;
  } const items{item, std::vector<char>(static_cast<std::size_t>(thread_count))};
  tell_release(items.begin);
  invoke_each(
      threads, count,
      [](const void* p, int which) {
        const Items& all = *static_cast<const Items*>(p);
        tell_acquire(all.begin);
        const int thread = thread_index();
        const char& mine = all.order[static_cast<std::size_t>(thread)];
        tell_acquire(mine);
        all.item(which, thread);
        tell_release(mine);
        tell_release(all.end);
      },
      &items);
  tell_acquire(items.end);
}

}  // namespace limber
