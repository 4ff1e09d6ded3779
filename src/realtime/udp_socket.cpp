// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/realtime/udp_socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr int kMaxQueued = 4096;  // datagrams; the kernel's buffers hold a few hundred

std::string text_of(const Address& address) { return address.host + ":" + std::to_string(address.port); }

sockaddr_in resolve(const Address& address) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(static_cast<std::uint16_t>(address.port));
  if (inet_pton(AF_INET, address.host.c_str(), &out.sin_addr) != 1) {
    throw InputError("'" + address.host + "' is not an IPv4 address; write one such as 127.0.0.1");
  }
  return out;
}

[[noreturn]] void refuse(const Address& own, int why) {
  std::string cure = std::strerror(why);
  if (why == EADDRINUSE) cure = "the port is in use; end the other program, or choose another with --port";
  if (why == EADDRNOTAVAIL) cure = "is not an address of this machine; see --bind";
  if (why == EACCES) cure = "no permission; choose a port above 1023 with --port";
  throw InputError(text_of(own) + ": " + cure);
}

}  // namespace

Address parse_address(const std::string& text, const Address& otherwise) {
  Address out = otherwise;
  const std::size_t colon = text.find(':');
  if (colon != 0 && !text.empty()) out.host = text.substr(0, colon);
  if (colon != std::string::npos) {
    const char *first = text.data() + colon + 1, *last = text.data() + text.size();
    const auto [end, error] = std::from_chars(first, last, out.port);
    if (error != std::errc() || end != last || out.port < 1 || out.port > 65535) {
      throw InputError("'" + text + "': the port must be a whole number from 1 to 65535");
    }
  }
  resolve(out);
  return out;
}

bool leaves_machine(const Address& address) {
  constexpr std::uint32_t kLoopback = 127;
  return ntohl(resolve(address).sin_addr.s_addr) >> 24 != kLoopback;
}

UdpSocket::UdpSocket(const Address& own, const Address& other) {
  const sockaddr_in here = resolve(own), there = resolve(other);
  socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket_ < 0) refuse(own, errno);
  const bool bound = bind(socket_, reinterpret_cast<const sockaddr*>(&here), sizeof here) == 0;
  if (!bound || connect(socket_, reinterpret_cast<const sockaddr*>(&there), sizeof there) != 0) {
    const int why = errno;
    close(socket_);
    refuse(bound ? other : own, why);
  }
  for (int k = 0; k < kMaxQueued && receive(); ++k) {  // discard datagrams received before the socket was connected
  }
}

UdpSocket::~UdpSocket() { close(socket_); }

bool UdpSocket::wait(double seconds) const {
  pollfd one{socket_, POLLIN, 0};
  return poll(&one, 1, static_cast<int>(1e3 * seconds)) > 0;
}

// A socket error (no listener at the destination of an earlier packet) is reported once, in place of a packet.
bool UdpSocket::receive() {
  ssize_t got = recv(socket_, buffer_.data(), buffer_.size(), 0);
  if (got < 0 && errno == ECONNREFUSED) got = recv(socket_, buffer_.data(), buffer_.size(), 0);
  if (got < 0) return false;
  size_ = static_cast<std::size_t>(got);
  return true;
}

bool UdpSocket::send(std::span<const std::byte> bytes) const {
  ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent < 0 && errno == ECONNREFUSED) sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  const bool good = sent == static_cast<ssize_t>(bytes.size());
  if (!good) ++unsent_;
  return good;
}

}  // namespace limber
