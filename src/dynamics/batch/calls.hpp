// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables.hpp"

// The kernels of one kind of machine, as the batch calls them.
namespace limber {

// Rows of a step's work besides a state: at most so many times nv (steps.hpp).
inline constexpr int kBatchStepRows = 10;

// Steps of one length, with tables of M + c_D D + c_K K for implicit ones.  theory §5.
struct BatchStepping {
  int steps = 0, passes = 0;
  double h = 0, am = 0, af = 0, g = 0, b = 0;  // weights of the generalized-alpha method
  double *q = nullptr, *v = nullptr;           // the state, moved
  double *a = nullptr, *A = nullptr;           // implicit: acceleration of the method, and of the equation of motion
  double* work = nullptr;                      // rows of a step
};

// One group of states, side by side: number j of state k at j * kBatchBlock + k.
struct BatchCall {
  BatchTables tables;
  const double *q = nullptr, *v = nullptr, *u = nullptr;  // u: forces, or accelerations for inverse dynamics
  const double *given = nullptr, *loads = nullptr, *parameters = nullptr;
  double *out = nullptr, *needed = nullptr;
  double *store = nullptr, *scratch = nullptr;  // aligned to the registers
  int pose_count = 0;                           // nodes whose poses are asked for
  const int *pose_nodes = nullptr, *pose_bodies = nullptr;
  BatchStepping stepping;
  double *failure = nullptr, *broken = nullptr;  // (lanes)
};

struct BatchKernels {
  int lanes = 0;
  void (*forward)(const BatchCall&) = nullptr;   // vdot
  void (*inverse)(const BatchCall&) = nullptr;   // tau
  void (*energies)(const BatchCall&) = nullptr;  // four rows
  void (*poses)(const BatchCall&) = nullptr;     // twelve rows per node
  void (*rk4)(const BatchCall&) = nullptr;       // steps
  void (*implicit)(const BatchCall&) = nullptr;
};

// Of machines that have none of these registers, of AVX2 with FMA, of AVX-512; null: not in this build.
const BatchKernels* plain_kernels();
const BatchKernels* avx2_kernels();
const BatchKernels* avx512_kernels();

}  // namespace limber
