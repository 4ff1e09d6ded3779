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
// "127.0.0.1:47801", or one of both: ":47801", "127.0.0.1"; the rest from `otherwise`.  Throws InputError.
Address parse_address(const std::string& text, const Address& otherwise);

// Whether packets to or from it may leave this machine: all but 127.0.0.0/8 do.
bool leaves_machine(const Address& address);

// A UDP socket that neither waits nor allocates.  It is connected: the system drops what does not come from the other
// end, so that nobody else can fill its buffer or take its time.
class UdpSocket {
 public:
  // Throws InputError: the port is in use, the address is not this machine's, no permission.
  UdpSocket(const Address& own, const Address& other);
  ~UdpSocket();
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  // Waits for a packet this long at most; for the time before a loop begins.
  bool wait(double seconds) const;
  // The next datagram that came; false: there is none.
  bool receive();
  std::span<const std::byte> bytes() const { return {buffer_.data(), size_}; }
  // False: it did not go out; nobody listens there, or the buffer is full.
  bool send(std::span<const std::byte> bytes) const;
  long unsent() const { return unsent_; }

 private:
  int socket_ = -1;
  std::array<std::byte, kMaxPacketBytes + 1> buffer_;  // one more, so that what is too long is seen
  std::size_t size_ = 0;
  mutable long unsent_ = 0;
};

}  // namespace limber
