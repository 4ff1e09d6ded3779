// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Four states in a register.
#define LIMBER_BATCH_MACHINE batch_avx2
#include "calls.hpp"

#ifdef __x86_64__
#include "kernels.hpp"

namespace limber {
namespace batch_avx2 {
using Number = double __attribute__((vector_size(32)));
}  // namespace batch_avx2

const BatchKernels* avx2_kernels() { return &batch_avx2::kKernels<batch_avx2::Number>; }

}  // namespace limber
#else
namespace limber {

const BatchKernels* avx2_kernels() { return nullptr; }

}  // namespace limber
#endif
