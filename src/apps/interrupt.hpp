// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace limber::apps {

// Whether somebody asked since the last StopOnSignal began.
bool stop_requested();

// The first Ctrl-C, or `kill`, stops a run in order; a second one ends the program at once.  A terminal that closes
// stops it in order, too, unless that signal is ignored (nohup).  A pipe that nobody reads any more is an error of the
// one who writes, not the end.
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
