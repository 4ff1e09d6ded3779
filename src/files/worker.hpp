// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "limber/spatial/status.hpp"

namespace limber {

// One end of a socket pair between two processes on this computer.  Throws Closed when the other end is closed.
class Wire {
 public:
  class Closed : public FileError {
   public:
    using FileError::FileError;
  };

  explicit Wire(int descriptor) : descriptor_(descriptor) {}
  ~Wire() { close(); }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  void send(std::int64_t number) { send_bytes(&number, sizeof number); }
  void send(const std::string& text);
  void send(const std::vector<std::string>& texts);
  void send(std::span<const double> numbers) { send_bytes(numbers.data(), numbers.size_bytes()); }
  std::int64_t receive_number();
  std::string receive_text();
  std::vector<std::string> receive_texts();
  void receive(std::span<double> numbers) { receive_bytes(numbers.data(), numbers.size_bytes()); }
  void close();

 private:
  void send_bytes(const void* data, std::size_t size);
  void receive_bytes(void* data, std::size_t size);
  int descriptor_;
};

// A separate process for work on untrusted files.  It may use worker_seconds of CPU time between two messages and
// kWorkerBytes of memory; a crash is reported as an error.
inline int worker_seconds = 20;  // tests wait for less
inline constexpr std::size_t kWorkerBytes = std::size_t{2} << 30;

class Worker {
 public:
  explicit Worker(const std::function<void(Wire&)>& work);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  Wire& wire() { return *wire_; }
  // The reason why the wire was closed: "HDF5 crashed (Segmentation fault)".
  std::string failure();

  // In the worker: renews the CPU time limit; no file can be opened or written from here on.
  static void renew_time();
  static void forbid_files();

 private:
  void wait();
  std::unique_ptr<Wire> wire_;
  pid_t child_ = -1;
  int state_ = 0;
};

}  // namespace limber
