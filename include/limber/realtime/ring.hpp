// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

namespace limber {

// A lock-free queue of rows of numbers from one thread to one other.  Neither side ever blocks or allocates.
class RowRing {
 public:
  RowRing(std::size_t width, std::size_t rows) : width_(width), rows_(rows), data_(width * rows) {}
  std::size_t width() const { return width_; }  // numbers per row

  // The writer: the next row to fill; empty if the ring is full.  push() publishes it.
  std::span<double> next() {
    if (written_.load(std::memory_order_relaxed) - read_.load(std::memory_order_acquire) == rows_) return {};
    return row(written_.load(std::memory_order_relaxed));
  }
  void push() { written_.store(written_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  // The reader: the oldest row, empty if there is none.  pop() releases it.
  std::span<const double> front() {
    if (read_.load(std::memory_order_relaxed) == written_.load(std::memory_order_acquire)) return {};
    return row(read_.load(std::memory_order_relaxed));
  }
  void pop() { read_.store(read_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  std::span<double> row(std::size_t k) { return {data_.data() + (k % rows_) * width_, width_}; }
  std::size_t width_, rows_;
  std::vector<double> data_;
  alignas(64) std::atomic<std::size_t> written_ = 0;
  alignas(64) std::atomic<std::size_t> read_ = 0;
};

}  // namespace limber
