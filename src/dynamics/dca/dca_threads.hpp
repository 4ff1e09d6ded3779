// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/detail/dca.hpp"

// Two things at the same time, on oneTBB.  Its headers stay in dca_threads.cpp: the package's library is not
// instrumented, so that the thread sanitizer sees none of its synchronisation; told here what waits for what, it checks
// our halves against each other.
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
// Below the number of threads of the pool; valid within run_on.
int thread_index();
void run_on(DcaThreads& threads, void (*function)(const void*), const void* argument);
void invoke_both(void (*half)(const void* halves, int which), const void* halves);

// Returns when both are done.  Within run_on.
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

}  // namespace limber
