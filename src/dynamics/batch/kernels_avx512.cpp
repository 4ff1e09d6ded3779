// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Eight states in a register.
#define LIMBER_BATCH_MACHINE batch_avx512
#include "calls.hpp"

#ifdef __x86_64__
#include "kernels.hpp"

namespace limber {
namespace batch_avx512 {
using Number = double __attribute__((vector_size(64)));
}  // namespace batch_avx512

const BatchKernels* avx512_kernels() { return &batch_avx512::kKernels<batch_avx512::Number>; }

}  // namespace limber
#else
namespace limber {

const BatchKernels* avx512_kernels() { return nullptr; }

}  // namespace limber
#endif
