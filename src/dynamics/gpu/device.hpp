// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "dynamics/batch/calls.hpp"
#include "dynamics/batch/halves_plan.hpp"

// What the host asks of a device.  Errors of the driver are thrown as limber::Error.
namespace limber {

int device_count();
std::string device_name(int device);
void use_device(int device);
void* device_allocate(std::size_t bytes);
void device_free(void* memory);
void to_device(void* to, const void* from, std::size_t bytes);
void from_device(void* to, const void* from, std::size_t bytes);
void device_wait();

// All pointers are of the device; rows are `items` apart.
struct DeviceCall {
  BatchTables tables;
  int items = 0;
  const double *q = nullptr, *v = nullptr, *u = nullptr, *forces = nullptr;
  const double *given = nullptr, *loads = nullptr, *parameters = nullptr;
  double *out = nullptr, *needed = nullptr, *failure = nullptr, *broken = nullptr;
  double *store = nullptr, *scratch = nullptr;  // of `threads` each
  int threads = 0;
  int stages = kChainStageCount;
  int torque_steps = 1;  // forces of so many steps, one after the other
  BatchStepping stepping;
};
enum class DeviceKernel { forward, inverse, energies, rk4, implicit };

inline constexpr int kDeviceThreads = 384;  // whole blocks of every kernel
// Items whose stores are needed at the same time.  forward: for accelerations and steps, else for inverse dynamics.
int device_threads(const BatchTables& tables, bool forward);
// Registers, and bytes of local memory of one thread, of the kernel that these tables choose.
void device_usage(const BatchTables& tables, int& registers, int& local_bytes);
// Starts a kernel; returns before it ends.
void launch(DeviceKernel kernel, const DeviceCall& call);
// Divide and conquer of one chain, likewise.
void launch_halves(const HalvesCall& call);
// Seconds of the last launch, measured by the device; waits.
double device_seconds();

}  // namespace limber
