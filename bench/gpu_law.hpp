// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/gpu.hpp"

namespace limber {

// tau = -20 q - 5 v, by a user-defined kernel that writes device_forces().
#ifdef LIMBER_BENCH_CUDA
void apply_law(const double* q, const double* v, double* tau, int count);
#else
inline void apply_law(const double*, const double*, double*, int) { throw Error("this build has no CUDA"); }
#endif

}  // namespace limber
