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
  if (why == EADDRNOTAVAIL) cure = "is no address of this machine; see --bind";
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

UdpSocket::UdpSocket(const Address& own, const Address& other) {
  const sockaddr_in here = resolve(own), there = resolve(other);
  host_ = there.sin_addr.s_addr;
  port_ = there.sin_port;
  socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket_ < 0) refuse(own, errno);
  if (bind(socket_, reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0) {
    const int why = errno;
    close(socket_);
    refuse(own, why);
  }
}

UdpSocket::~UdpSocket() { close(socket_); }

bool UdpSocket::wait(double seconds) const {
  pollfd one{socket_, POLLIN, 0};
  return poll(&one, 1, static_cast<int>(1e3 * seconds)) > 0;
}

UdpSocket::Arrival UdpSocket::receive() {
  sockaddr_in from{};
  socklen_t length = sizeof from;
  const ssize_t got = recvfrom(socket_, buffer_.data(), buffer_.size(), 0, reinterpret_cast<sockaddr*>(&from), &length);
  if (got < 0) return Arrival::none;
  size_ = static_cast<std::size_t>(got);
  return from.sin_addr.s_addr == host_ && from.sin_port == port_ ? Arrival::packet : Arrival::stranger;
}

bool UdpSocket::send(std::span<const std::byte> bytes) const {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = port_;
  to.sin_addr.s_addr = host_;
  const ssize_t sent =
      sendto(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  const bool good = sent == static_cast<ssize_t>(bytes.size());
  if (!good) ++unsent_;
  return good;
}

}  // namespace limber
