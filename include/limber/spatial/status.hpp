// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <stdexcept>
#include <string>

// Checks for bugs in limber itself; off in release builds.
#define LIMBER_ASSERT(condition) assert(condition)

namespace limber {

// Everything that limber throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// Bad input.  The message says where, what is wrong, and what to do.
class InputError : public Error {
 public:
  using Error::Error;
};
// A file that cannot be opened, read or written; its content is not the cause.
class FileError : public Error {
 public:
  using Error::Error;
};
// A computation that failed on well-formed input.
class NumericalError : public Error {
 public:
  using Error::Error;
};

// Numerical failure inside an algorithm.
enum class Status {
  ok,
  singular_mass,     // a coordinate has no inertia
  not_finite,        // a number overflowed or an input was not finite
  no_convergence,    // an iteration did not converge
  singular_closure,  // closed chains lost constraints: the motion is not unique beyond this point
};

// Text for a message: "ok", "singular mass matrix", ...
const char* to_string(Status status);

}  // namespace limber
