// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// One state at a time: machines without the registers of the others, and tests.
#define LIMBER_BATCH_MACHINE batch_plain
#define LIMBER_BATCH_PLAIN
#include "kernels.hpp"

namespace limber {

const BatchKernels* plain_kernels() { return &batch_plain::kKernels<double>; }

}  // namespace limber
