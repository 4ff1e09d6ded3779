// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "items.hpp"
#include "limber/dynamics/detail/thread_pool.hpp"

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
  BatchOut out, needed;
  // rollouts: the state is moved, out holds accelerations
  BatchStepping stepping;
  BatchOut moved_q, moved_v;
  int torque_steps = 1;  // so many rows of u, nv each, one after the other
};

struct BatchData {
  BatchData(const Model& m, int count, const BatchOptions& options);
  // Tables and memory anew, after a change of what they depend on.
  void prepare();
  // Memory for tables and rows of work.
  void reserve(const BatchTables& tables, int work_rows, int out_rows);
  void prepare_poses(const std::vector<NodeRef>& nodes);
  void prepare_steps(double c_D, double c_K);
  void run(const BatchWork& work);

  BatchItems own;
  int lanes, block, thread_count;
  const BatchKernels* kernels;
  std::unique_ptr<BatchMachine> machine;
  BatchArray loads;
  std::unique_ptr<BatchMachine> posing;    // with poses in world
  std::unique_ptr<BatchMachine> stepping;  // of implicit steps
  double implicit_c_D = 0, implicit_c_K = 0;
  std::vector<NodeRef> posed;       // nodes that `posing` was made for
  BatchArray a;                     // accelerations of a rollout
  std::vector<BatchMemory> memory;  // (thread)
  ThreadPool threads;
  std::vector<Status> status;
  std::vector<int> failure;
};

}  // namespace limber
