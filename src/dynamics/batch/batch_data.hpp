// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "batch_threads.hpp"
#include "calls.hpp"
#include "limber/dynamics/batch.hpp"
#include "machine.hpp"

namespace limber {

// Rows of an array of the caller's.
struct BatchView {
  const double* p = nullptr;
  long stride = 0;
  int rows = 0;
};
struct BatchOut {
  double* p = nullptr;
  long stride = 0;
  int rows = 0;
};

// Memory of one thread: the arrays of one block of items, a store, a scratch.
struct BatchMemory {
  std::vector<double> memory;
  double* at(std::size_t offset);  // aligned to the widest registers
};

// One call for all items.
struct BatchWork {
  void (*kernel)(const BatchCall&) = nullptr;
  const BatchMachine* machine = nullptr;
  BatchView q, v, u, given;
  BatchOut out, needed, moved_q, moved_v;
};

struct BatchData {
  BatchData(const Model& m, int count, const BatchOptions& options);
  // Tables and memory anew, after a change of what they depend on.
  void prepare();
  void run(const BatchWork& work);

  const Model* model;
  int items, lanes, block, thread_count;
  const BatchKernels* kernels;
  BatchChoice choice;
  std::unique_ptr<BatchMachine> machine;
  BatchArray parameters, loads;
  int varied_rows = 0;
  std::vector<BatchMemory> memory;  // (thread)
  std::unique_ptr<BatchThreads, BatchThreadsDeleter> threads;
  std::vector<Status> status;
  std::vector<int> failure;
};

}  // namespace limber
