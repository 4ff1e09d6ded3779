// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>

namespace limber::python {

namespace py = pybind11;

// Lets Python look for signals now and then; Ctrl-C stops what it watches, and the exception is pending then.
class Signals {
 public:
  bool go_on() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(20)) return true;
    last_ = now;
    const py::gil_scoped_acquire lock;
    return PyErr_CheckSignals() == 0;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// After the lock is back: throws what a signal left.
inline void raise_pending() {
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
}

}  // namespace limber::python
