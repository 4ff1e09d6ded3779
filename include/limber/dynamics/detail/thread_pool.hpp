// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

namespace limber {

// Worker threads; a copy has its own, and as many.
struct Threads;
struct ThreadsDeleter {
  void operator()(Threads* threads) const;
};
class ThreadPool {
 public:
  ThreadPool() = default;
  explicit ThreadPool(int count);  // 1: starts none
  ThreadPool(const ThreadPool& other) : ThreadPool(other.count_) {}
  ThreadPool(ThreadPool&&) noexcept = default;
  ThreadPool& operator=(ThreadPool other) noexcept {
    std::swap(count_, other.count_);
    threads_.swap(other.threads_);
    return *this;
  }
  Threads* get() const { return threads_.get(); }  // null if count is 1

 private:
  int count_ = 1;
  std::unique_ptr<Threads, ThreadsDeleter> threads_;
};

}  // namespace limber
