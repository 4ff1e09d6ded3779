// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

namespace limber {

// Times of the monotonic clock.
using Nanoseconds = std::int64_t;
Nanoseconds now_ns();
void sleep_until(Nanoseconds deadline);

// Quantiles, here, in reports and on their pages: the smallest value with at least this share of all at or below it
// (definition 1 of Hyndman and Fan, American Statistician 50, 1996).  Its place, from 1, among `count` sorted values.
inline long quantile_rank(double share, long count) {
  constexpr double kRounding = 1e-9;  // of share * count
  return std::clamp(static_cast<long>(std::ceil(share * static_cast<double>(count) - kRounding)), 1L, count);
}

// A histogram of times with 0.4 % bins.
class Histogram {
 public:
  void add(Nanoseconds value);  // below 0 counts as 0
  long count() const { return count_; }
  Nanoseconds worst() const { return worst_; }
  // The upper edge of the bin that contains the quantile, 0 ... 1; never above the worst.
  Nanoseconds quantile(double share) const;

 private:
  static constexpr int kBits = 8;
  static constexpr std::size_t kClasses = (std::size_t{1} << kBits) * (64 - kBits);
  static std::size_t class_of(std::uint64_t value);
  std::array<long, kClasses> counts_{};
  long count_ = 0;
  Nanoseconds worst_ = 0;
};

// Timing statistics of a loop.
struct Timing {
  Histogram period;       // from one start to the next
  Histogram jitter;       // from the deadline to the start
  Histogram response;     // from the start to the response for the other end, CycleClock::respond
  Histogram computation;  // from the start to the end of the work
  long cycles = 0;
  long misses = 0;   // cycles that ended after the next deadline
  long row = 0;      // current consecutive misses
  long longest = 0;  // longest run of consecutive misses
  long skipped = 0;  // deadlines skipped because the loop was too late
};

// A loop at a fixed rate with absolute deadlines.
class CycleClock {
 public:
  // behind: up to this many periods late it starts at once and catches up; further ones are skipped.
  CycleClock(double period, int behind = 1);
  void first(Nanoseconds deadline) { deadline_ = deadline; }
  // Sleeps until the next deadline, unless it has passed.  Returns the start time.
  Nanoseconds begin();
  // Marks the response for the other end as done.
  void respond() { timing_.response.add(now_ns() - started_); }
  // Marks the end of the work.
  void end();
  // Delays all deadlines from the next one on.
  void delay(Nanoseconds by) { deadline_ += by; }
  Nanoseconds deadline() const { return deadline_; }
  Nanoseconds started() const { return started_; }
  Nanoseconds lateness() const { return lateness_; }
  Nanoseconds computation() const { return computation_; }
  const Timing& timing() const { return timing_; }

 private:
  Nanoseconds period_, deadline_ = 0, started_ = 0, lateness_ = 0, computation_ = 0;
  int behind_;
  Timing timing_;
};

// Each returns "" or the reason of a failure.
std::string lock_memory();                    // all present and future pages
std::string ask_for_real_time(int priority);  // for this thread: SCHED_FIFO
std::uint64_t make_session_number();          // random, not 0

}  // namespace limber
