// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device.hpp"
#include "dynamics/batch/machine.hpp"

namespace limber {

// Memory of a device, freed with its owner.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  ~DeviceMemory() { clear(); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  void resize(std::size_t bytes) {
    if (bytes <= bytes_) return;
    clear();
    memory_ = device_allocate(bytes);
    bytes_ = bytes;
  }
  double* numbers() { return static_cast<double*>(memory_); }
  template <class T>
  const T* put(const std::vector<T>& from) {
    resize(from.size() * sizeof(T) + 8);
    if (!from.empty()) to_device(memory_, from.data(), from.size() * sizeof(T));
    return static_cast<const T*>(memory_);
  }

 private:
  void clear() {
    if (memory_ != nullptr) device_free(memory_);
    memory_ = nullptr;
    bytes_ = 0;
  }
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

// Tables of one machine on the device.
struct DeviceMachine {
  void put(const BatchMachine& machine) {
    tables = machine.sizes;
    tables.links = links.put(machine.links);
    tables.nodes = nodes.put(machine.nodes);
    tables.loads = loads.put(machine.loads);
    tables.numbers = numbers.put(machine.numbers);
    tables.indices = indices.put(machine.indices);
    tables.nodes_count = static_cast<int>(machine.nodes.size());
    tables.numbers_count = static_cast<int>(machine.numbers.size());
    static int last = 0;
    tables.serial = ++last;
    ready = true;
  }
  bool ready = false;
  int threads = 0;  // that run at the same time
  BatchTables tables;
  DeviceMemory links, nodes, loads, numbers, indices;
};

// Makes a device the one that is used; throws InputError where it is not there.
inline void choose_device(int device) {
  if (const int found = device_count(); device < 0 || device >= found) {
    throw InputError(found == 0 ? "GPU: there is none, or this build has no CUDA; use BatchAba or dca"
                                : "GPU: device " + std::to_string(device) + " is not there; there are " +
                                      std::to_string(found));
  }
  use_device(device);
}

}  // namespace limber
