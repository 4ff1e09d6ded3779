// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "limber/spatial/status.hpp"

namespace limber {

// The hidden data of a class that can be moved.  Use after the move throws InputError.
template <class T>
class Owned {
 public:
  explicit Owned(std::unique_ptr<T> data) : data_(std::move(data)) {}
  T& operator*() const {
    if (!data_) throw InputError("the object was moved from; assign another to it, or make a new one");
    return *data_;
  }
  T* operator->() const { return &**this; }

 private:
  std::unique_ptr<T> data_;
};

}  // namespace limber
