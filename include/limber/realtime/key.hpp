// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace limber {

inline constexpr std::size_t kTagBytes = 16;
using PacketTag = std::array<std::byte, kTagBytes>;

// A shared key of both ends of a link.  The tag of a packet is SipHash-2-4 with 128 bits
// (Aumasson and Bernstein, INDOCRYPT 2012) by OpenSSL's libcrypto, keyed by the first half of SHA-256 of the secret.
class LinkKey {
 public:
  static bool available();  // whether this build has libcrypto
  // 16 to 4096 bytes.  Throws InputError: too short, too long, or built without libcrypto.
  explicit LinkKey(std::span<const std::byte> secret);
  ~LinkKey();
  LinkKey(const LinkKey&) = delete;
  LinkKey& operator=(const LinkKey&) = delete;

  // No allocation.  False: libcrypto failed.
  [[nodiscard]] bool tag(std::span<const std::byte> bytes, PacketTag& out);
  // In constant time.
  [[nodiscard]] bool verify(std::span<const std::byte> bytes, std::span<const std::byte, kTagBytes> tag);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace limber
