// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "limber/realtime/packet.hpp"

namespace limber {

// An IPv4 address and a port.
struct Address {
  std::string host = "127.0.0.1";
  int port = 0;
};
// "127.0.0.1:47801", or only one part: ":47801", "127.0.0.1"; the other from `otherwise`.  Throws InputError.
Address parse_address(const std::string& text, const Address& otherwise);

// Whether packets to or from it may leave this machine: all except 127.0.0.0/8.
bool leaves_machine(const Address& address);

// A UDP socket that neither blocks nor allocates.  It is connected: the system drops packets that do not come from the
// other end, so that no other sender can fill its buffer or use its time.
class UdpSocket {
 public:
  // Throws InputError: the port is in use, the address is not of this machine, no permission.
  UdpSocket(const Address& own, const Address& other);
  ~UdpSocket();
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  // Waits for a packet at most this long; for use before a loop begins.
  bool wait(double seconds) const;
  // Receives the next datagram; false: there is none.
  bool receive();
  std::span<const std::byte> bytes() const { return {buffer_.data(), size_}; }
  // False: not sent; no listener, or the buffer is full.
  bool send(std::span<const std::byte> bytes) const;
  long unsent() const { return unsent_; }

 private:
  int socket_ = -1;
  std::array<std::byte, kMaxPacketBytes + 1> buffer_;  // one more, to detect packets that are too long
  std::size_t size_ = 0;
  mutable long unsent_ = 0;
};

}  // namespace limber
