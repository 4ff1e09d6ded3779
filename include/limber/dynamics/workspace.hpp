// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace limber {

[[noreturn]] void throw_moved_from();  // InputError

// Owns the data of one family of algorithms and converts to the argument type of their functions.  The layout of the
// data is internal (limber/dynamics/detail): it depends on the instruction set for which the library was built.
// Copies are deep; a moved-from workspace can only be assigned to or destroyed, its use throws InputError.
template <typename Data>
class Workspace {
 public:
  Workspace(const Workspace& other);
  Workspace(Workspace&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  Workspace& operator=(const Workspace& other);
  Workspace& operator=(Workspace&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }
  ~Workspace();

  operator Data&() { return *checked(); }               // NOLINT(google-explicit-constructor)
  operator const Data&() const { return *checked(); }   // NOLINT(google-explicit-constructor)
  Data* operator->() { return checked(); }              // for the library
  const Data* operator->() const { return checked(); }  // for the library

 protected:
  explicit Workspace(Data* data) : data_(data) {}

 private:
  Data* checked() const {
    if (data_ == nullptr) throw_moved_from();
    return data_;
  }
  Data* data_;
};

}  // namespace limber
