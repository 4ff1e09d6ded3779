// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace limber::apps {

// A progress bar on standard error, if that is a terminal.  Drawn at most ten times a second, erased at the end.
class Progress {
 public:
  Progress(double duration, bool wanted);   // of simulated time
  Progress(std::string what, bool wanted);  // of work measured from 0 to 1
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void update(double t);
  void update(double share, const std::string& what);  // of measured work
  void erase();

 private:
  bool due();
  double seconds() const;  // since construction
  void draw(double share, const std::string& what);

  using Clock = std::chrono::steady_clock;
  std::string what_;  // empty: simulated time
  double duration_ = 1;
  bool shown_;
  bool drawn_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_ + std::chrono::milliseconds(200);  // not drawn for short runs
};

// The line itself, at most `width` columns: bar, percentage, state, time left.
std::string progress_line(double share, const std::string& what, double wall, int width);
// "0.42 s", "3 min 20 s", "5 h 12 min".
std::string duration_text(double seconds);

}  // namespace limber::apps
