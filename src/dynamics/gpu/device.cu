// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The device: its memory, and which kernel runs.
#include "device_solver.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

cudaEvent_t events[2] = {};

// The kernels whose sizes are those of the tables.
const DeviceSolver& solver_of(const BatchTables& tables) {
  switch (tables.chain) {
    case ChainForm::rigid:
      return rigid_chain_solver();
    case ChainForm::beams:
      return beam_chain_solver();
    case ChainForm::long_beams:
      return long_beam_chain_solver();
    case ChainForm::none:
      break;
  }
  return tree_solver();
}

}  // namespace

void check_device(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw Error(std::string("GPU: ") + what + ": " + cudaGetErrorString(status));
}

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}
std::string device_name(int device) {
  cudaDeviceProp properties;
  check_device(cudaGetDeviceProperties(&properties, device), "properties");
  return properties.name;
}
void use_device(int device) {
  check_device(cudaSetDevice(device), "choosing the device");
  for (cudaEvent_t& event : events) {
    if (event == nullptr) check_device(cudaEventCreate(&event), "making an event");
  }
}
void* device_allocate(std::size_t bytes) {
  void* memory = nullptr;
  check_device(cudaMalloc(&memory, bytes == 0 ? 8 : bytes), "allocating memory");
  return memory;
}
void device_free(void* memory) { cudaFree(memory); }
void to_device(void* to, const void* from, std::size_t bytes) {
  check_device(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copying to the device");
}
void from_device(void* to, const void* from, std::size_t bytes) {
  check_device(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copying from the device");
}
void device_wait() { check_device(cudaDeviceSynchronize(), "running a kernel"); }

int device_threads(const BatchTables& tables, bool forward) {
  int device = 0, processors = 0;
  check_device(cudaGetDevice(&device), "asking for the device");
  check_device(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "asking for processors");
  return processors * (forward ? solver_of(tables) : tree_solver()).threads();
}

void device_usage(const BatchTables& tables, int& registers, int& local_bytes) {
  solver_of(tables).usage(registers, local_bytes);
}

void start_clock() { check_device(cudaEventRecord(events[0]), "recording an event"); }
void stop_clock() { check_device(cudaEventRecord(events[1]), "recording an event"); }

void launch(DeviceKernel kernel, const DeviceCall& call) {
  start_clock();
  const bool inverse = kernel == DeviceKernel::inverse || kernel == DeviceKernel::energies;
  (inverse ? tree_solver() : solver_of(call.tables)).launch(kernel, call);
  check_device(cudaGetLastError(), "starting a kernel");
  stop_clock();
}

double device_seconds() {
  check_device(cudaEventSynchronize(events[1]), "running a kernel");
  float milliseconds = 0;
  check_device(cudaEventElapsedTime(&milliseconds, events[0], events[1]), "reading the time");
  return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace limber
