// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables.hpp"

// The kernels of one kind of machine, as the batch calls them.
namespace limber {

// One group of states, side by side: number j of state k at j * stride + k.
struct BatchCall {
  BatchTables tables;
  long stride = 0;
  const double *q = nullptr, *v = nullptr, *u = nullptr;  // u: forces, or accelerations for inverse dynamics
  const double *given = nullptr, *loads = nullptr, *parameters = nullptr;
  double *out = nullptr, *needed = nullptr;
  double *store = nullptr, *scratch = nullptr;  // aligned to the registers
  double *failure = nullptr, *broken = nullptr;  // (lanes)
};

struct BatchKernels {
  int lanes = 0;
  void (*forward)(const BatchCall&) = nullptr;
};

// Of machines that have none of these registers, of AVX2 with FMA, of AVX-512; null: not in this build.
const BatchKernels* plain_kernels();
const BatchKernels* avx2_kernels();
const BatchKernels* avx512_kernels();

}  // namespace limber
