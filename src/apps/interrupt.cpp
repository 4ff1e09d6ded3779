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
}

StopOnSignal::~StopOnSignal() {
  sigaction(SIGINT, &before_[0], nullptr);
  sigaction(SIGTERM, &before_[1], nullptr);
}

}  // namespace limber::apps
