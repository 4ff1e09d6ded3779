// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace limber::apps {

// Whether somebody asked since the last StopOnSignal began.
bool stop_requested();

// The first Ctrl-C, or `kill`, stops a run in order; a second one ends the program at once.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  struct sigaction before_[2] = {};
};

}  // namespace limber::apps
