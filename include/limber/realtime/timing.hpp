// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

namespace limber {

// Of the clock that neither jumps nor is set.
using Nanoseconds = std::int64_t;
Nanoseconds now_ns();
void sleep_until(Nanoseconds deadline);

// Quantiles, here, in reports and on their pages: the smallest value with at least this share of all at or below it
// (definition 1 of Hyndman and Fan, American Statistician 50, 1996).  Its place, from 1, among `count` sorted values.
inline long quantile_rank(double share, long count) {
  constexpr double kRounding = 1e-9;  // of share * count
  return std::clamp(static_cast<long>(std::ceil(share * static_cast<double>(count) - kRounding)), 1L, count);
}

// How often a time came, in classes 0.4 % wide.
class Histogram {
 public:
  void add(Nanoseconds value);  // below 0 counts as 0
  long count() const { return count_; }
  Nanoseconds worst() const { return worst_; }
  // The upper end of the class that holds the quantile, 0 ... 1; never above the worst.
  Nanoseconds quantile(double share) const;

 private:
  static constexpr int kBits = 8;
  static constexpr std::size_t kClasses = (std::size_t{1} << kBits) * (64 - kBits);
  static std::size_t class_of(std::uint64_t value);
  std::array<long, kClasses> counts_{};
  long count_ = 0;
  Nanoseconds worst_ = 0;
};

// How a loop kept its times.
struct Timing {
  Histogram period;       // from one start to the next
  Histogram jitter;       // from the deadline to the start
  Histogram response;     // from the start to what the other end waits for, CycleClock::respond
  Histogram computation;  // from the start to the end of the work
  long cycles = 0;
  long misses = 0;   // cycles that ended after the next deadline
  long row = 0;      // of misses up to now
  long longest = 0;  // row of misses
  long skipped = 0;  // deadlines passed over because the work was too far behind
};

// A loop at a fixed rate with absolute deadlines.
class CycleClock {
 public:
  // behind: so many periods late it begins at once, and hurries; more are passed over.
  CycleClock(double period, int behind = 1);
  void first(Nanoseconds deadline) { deadline_ = deadline; }
  // Sleeps until the next deadline, unless that is over.  When it began.
  Nanoseconds begin();
  // What the other end waits for is done.
  void respond() { timing_.response.add(now_ns() - started_); }
  // The work is done.
  void end();
  // Later by this from the next deadline on.
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

// Each "" or why not.
std::string lock_memory();                    // all of it, now and later
std::string ask_for_real_time(int priority);  // this thread before all ordinary ones: SCHED_FIFO
std::uint64_t make_session_number();          // random, not 0

}  // namespace limber
