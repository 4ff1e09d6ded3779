// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Controller and plant as two processes on this computer.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/process.hpp"

namespace limber::test {

inline sockaddr_in local(int port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(static_cast<std::uint16_t>(port));
  out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return out;
}

// A socket on a free port.  Each process has its own range, below the ephemeral ports (32768 and above): thus a port
// passed to the program after its socket is closed here is not taken by others in between.
class Socket {
 public:
  explicit Socket(int fixed) : port(fixed) {
    handle = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    const sockaddr_in here = local(port);
    if (bind(handle, reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0) throw std::runtime_error("taken");
  }
  Socket() {
    constexpr int kFirst = 10000, kRange = 20, kRanges = 1000;
    static int next = 0;
    handle = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    for (int tries = 0; tries < kRange; ++tries) {
      port = kFirst + kRange * (getpid() % kRanges) + next;
      next = (next + 1) % kRange;
      const sockaddr_in here = local(port);
      if (bind(handle, reinterpret_cast<const sockaddr*>(&here), sizeof here) == 0) return;
    }
    throw std::runtime_error("no port");
  }
  ~Socket() { close(handle); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  void send(const std::vector<char>& bytes, int to) const {
    const sockaddr_in there = local(to);
    sendto(handle, bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&there), sizeof there);
  }
  bool receive(std::vector<char>& bytes) const {
    bytes.resize(65536);
    const ssize_t got = recv(handle, bytes.data(), bytes.size(), 0);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return got > 0;
  }
  int port = 0, handle = -1;
};

struct Ports {
  int plant, control;
  Ports() {
    const Socket a, b;
    plant = a.port;
    control = b.port;
  }
};

inline std::string address(int port) { return "127.0.0.1:" + std::to_string(port); }

struct Pair {
  explicit Pair(const std::string& text) : scenario(folder.write("turn.yaml", text)) {}
  Folder folder;
  std::string scenario;
  Ports ports;
  std::vector<std::string> plant(int peer, const std::vector<std::string>& more = {}) const {
    return arguments("plant", ports.plant, peer, folder.file("turn.h5"), more);
  }
  std::vector<std::string> control(int peer, const std::vector<std::string>& more = {}) const {
    return arguments("control", ports.control, peer, folder.file("turn.csv"), more);
  }

 private:
  std::vector<std::string> arguments(const char* command, int port, int peer, const std::string& output,
                                     const std::vector<std::string>& more) const {
    std::vector<std::string> out = {command, scenario, "--port", std::to_string(port), "--peer", address(peer), "-o",
                                    output,  "--json", "--quiet"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
};

inline const std::vector<std::string> kPatient = {"--hold", "5", "--wait", "60"};
inline const std::vector<std::string> kPatientControl = {"--hold", "5", "--wait", "60", "--max-misses", "100000"};

}  // namespace limber::test
