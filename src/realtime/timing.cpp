// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/realtime/timing.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <random>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace limber {
namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;

}  // namespace

Nanoseconds now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * kSecond + t.tv_nsec;
}

void sleep_until(Nanoseconds deadline) {
  const timespec t{deadline / kSecond, deadline % kSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
  }
}

// Below 512 each value has its own bin; above, each power of two has 256 bins.
std::size_t Histogram::class_of(std::uint64_t value) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - (kBits + 1));
  return (static_cast<std::size_t>(shift) << kBits) + static_cast<std::size_t>(value >> shift);
}

void Histogram::add(Nanoseconds value) {
  value = std::max<Nanoseconds>(value, 0);
  ++counts_[class_of(static_cast<std::uint64_t>(value))];
  ++count_;
  worst_ = std::max(worst_, value);
}

Nanoseconds Histogram::quantile(double share) const {
  if (count_ == 0) return 0;
  const long wanted = quantile_rank(share, count_);
  long passed = 0;
  for (std::size_t k = 0; k < kClasses; ++k) {
    passed += counts_[k];
    if (passed < wanted) continue;
    const std::size_t shift = k >> kBits == 0 ? 0 : (k >> kBits) - 1;
    const std::size_t value = k - (shift << kBits);
    return std::min(worst_, static_cast<Nanoseconds>(((value + 1) << shift) - 1));
  }
  return worst_;
}

CycleClock::CycleClock(double period, int behind) : period_(std::llround(1e9 * period)), behind_(behind) {}

Nanoseconds CycleClock::begin() {
  if (deadline_ == 0) deadline_ = now_ns();
  sleep_until(deadline_);
  const Nanoseconds now = now_ns();
  if (timing_.cycles > 0) timing_.period.add(now - started_);
  started_ = now;
  lateness_ = now - deadline_;
  timing_.jitter.add(lateness_);
  ++timing_.cycles;
  return now;
}

void CycleClock::end() {
  const Nanoseconds now = now_ns();
  computation_ = now - started_;
  timing_.computation.add(computation_);
  deadline_ += period_;
  timing_.row = now > deadline_ ? timing_.row + 1 : 0;
  if (timing_.row > 0) ++timing_.misses;
  timing_.longest = std::max(timing_.longest, timing_.row);
  const Nanoseconds late = (now - deadline_) / period_;
  if (late < behind_) return;
  timing_.skipped += late;
  deadline_ += late * period_;
}

std::string lock_memory() {
  if (mlockall(MCL_CURRENT | MCL_FUTURE) == 0) return "";
  return std::string("memory is not locked: ") + std::strerror(errno) + "; allow it with `ulimit -l unlimited`";
}

std::string ask_for_real_time(int priority) {
#if defined(__linux__)
  prctl(PR_SET_TIMERSLACK, 1UL);  // ns; minimal timer slack, effective even without real-time priority
#endif
  sched_param param{};
  param.sched_priority = priority;
  const int why = pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
  if (why == 0) return "";
  return std::string("no real-time priority: ") + std::strerror(why) + "; allow it with `ulimit -r " +
         std::to_string(priority) + "`";
}

std::uint64_t make_session_number() {
  std::random_device random;
  std::uint64_t out = 0;
  while (out == 0) out = (static_cast<std::uint64_t>(random()) << 32) | random();
  return out;
}

}  // namespace limber
