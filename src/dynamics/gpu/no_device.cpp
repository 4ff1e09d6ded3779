// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Builds without CUDA.
#ifndef LIMBER_HAS_CUDA
#include "device.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

[[noreturn]] void no_cuda() { throw InputError("GPU: this build has no CUDA; build with nvcc, or use BatchAba"); }

}  // namespace

int device_count() { return 0; }
std::string device_name(int) { no_cuda(); }
void use_device(int) { no_cuda(); }
void* device_allocate(std::size_t) { no_cuda(); }
void device_free(void*) {}
void to_device(void*, const void*, std::size_t) { no_cuda(); }
void from_device(void*, const void*, std::size_t) { no_cuda(); }
void device_wait() { no_cuda(); }
int device_threads(const BatchTables&, bool) { no_cuda(); }
void device_usage(const BatchTables&, int&, int&) { no_cuda(); }
void launch(DeviceKernel, const DeviceCall&) { no_cuda(); }
void launch_halves(const HalvesCall&) { no_cuda(); }
double device_seconds() { no_cuda(); }

}  // namespace limber
#endif
