// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/interrupt.hpp"

namespace limber::apps {
namespace {

volatile std::sig_atomic_t requested = 0;

void request_stop(int /*signal*/) { requested = 1; }

}  // namespace

bool stop_requested() { return requested != 0; }

StopOnSignal::StopOnSignal() {
  requested = 0;
  struct sigaction action {};
  action.sa_handler = &request_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &before_[0]);
  sigaction(SIGTERM, &action, &before_[1]);
  action.sa_flags = 0;  // sent by both shell and terminal
  sigaction(SIGHUP, nullptr, &before_[2]);
  if (before_[2].sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, &before_[3]);
}

StopOnSignal::~StopOnSignal() {
  constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  for (int k = 0; k < 4; ++k) sigaction(kSignals[k], &before_[k], nullptr);
}

}  // namespace limber::apps
