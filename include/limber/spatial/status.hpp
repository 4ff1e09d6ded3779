// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <stdexcept>
#include <string>

// Our own bug; off in release builds.
#define LIMBER_ASSERT(condition) assert(condition)

namespace limber {

// Everything that limber throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// Bad input, at the door: says where, what, and what to do.
class InputError : public Error {
 public:
  using Error::Error;
};
// A file that cannot be opened, read or written: the cause lies outside of its content.
class FileError : public Error {
 public:
  using Error::Error;
};
// A calculation that could not be done although its input is well formed.
class NumericalError : public Error {
 public:
  using Error::Error;
};

// Numerical failure inside an algorithm.
enum class Status {
  ok,
  singular_mass,     // a coordinate has no inertia
  not_finite,        // a number overflowed or an input was not finite
  no_convergence,    // an iteration did not settle
  singular_closure,  // closed chains lost constraints: what follows is not determined
};

// One word for a message: "ok", "singular mass matrix", ...
const char* to_string(Status status);

}  // namespace limber
