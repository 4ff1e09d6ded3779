// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "device.hpp"

// What the files of the device share.
namespace limber {

// Throws limber::Error unless the driver is content.
void check_device(cudaError_t status, const char* what);

// Events around what is launched, for device_seconds.
void start_clock();
void stop_clock();

// The kernels for one kind of machine.
struct DeviceSolver {
  void (*launch)(DeviceKernel kernel, const DeviceCall& call);
  int (*threads)();  // on one multiprocessor at the same time
  void (*usage)(int& registers, int& local_bytes);
};
const DeviceSolver& rigid_chain_solver();
const DeviceSolver& beam_chain_solver();
const DeviceSolver& long_beam_chain_solver();
const DeviceSolver& tree_solver();  // any machine; inverse dynamics and energies of all

}  // namespace limber
