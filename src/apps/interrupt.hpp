// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace limber::apps {

// Whether a stop was requested since the last StopOnSignal began.
bool stop_requested();

// The first Ctrl-C, or `kill`, ends a run in an orderly way; a second one ends the program at once.  Closing the
// terminal also ends it in an orderly way, unless that signal is ignored (nohup).  A broken pipe is reported as a write
// error and does not kill the process.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  struct sigaction before_[4] = {};
};

}  // namespace limber::apps
