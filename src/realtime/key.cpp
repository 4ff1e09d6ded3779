// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/realtime/key.hpp"

#include <string>

#include "limber/spatial/status.hpp"

#ifdef LIMBER_HAS_CRYPTO
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#endif

namespace limber {
namespace {

constexpr std::size_t kLeastSecret = 16, kMaxSecret = 4096;  // bytes

void check_secret(std::size_t size) {
  if (size >= kLeastSecret && size <= kMaxSecret) return;
  throw InputError("a key has 16 to 4096 bytes, this one " + std::to_string(size) +
                   "; make one with `head -c 32 /dev/urandom > link.key`");
}

}  // namespace

struct LinkKey::Impl {
#ifdef LIMBER_HAS_CRYPTO
  EVP_MAC* mac = nullptr;
  EVP_MAC_CTX* context = nullptr;
  std::array<unsigned char, EVP_MAX_MD_SIZE> key{};

  ~Impl() {
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(mac);
    OPENSSL_cleanse(key.data(), key.size());
  }
  void set(std::span<const std::byte> secret) {
    mac = EVP_MAC_fetch(nullptr, "SIPHASH", nullptr);
    if (mac != nullptr) context = EVP_MAC_CTX_new(mac);
    std::size_t size = kTagBytes;
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
                                     OSSL_PARAM_construct_end()};
    if (context == nullptr ||
        EVP_Digest(secret.data(), secret.size(), key.data(), nullptr, EVP_sha256(), nullptr) != 1 ||
        EVP_MAC_CTX_set_params(context, parameters) != 1) {
      throw InputError("OpenSSL's libcrypto has no SipHash or SHA-256 here; use a link without a key");
    }
  }
  bool tag(std::span<const std::byte> bytes, PacketTag& out) {
    std::size_t size = 0;
    return EVP_MAC_init(context, key.data(), kTagBytes, nullptr) == 1 &&
           EVP_MAC_update(context, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()) == 1 &&
           EVP_MAC_final(context, reinterpret_cast<unsigned char*>(out.data()), &size, out.size()) == 1 &&
           size == kTagBytes;
  }
  static bool same(const PacketTag& a, std::span<const std::byte, kTagBytes> b) {
    return CRYPTO_memcmp(a.data(), b.data(), kTagBytes) == 0;
  }
  static constexpr bool kAvailable = true;
#else
  static void set(std::span<const std::byte> /*secret*/) {
    throw InputError(
        "limber was built without OpenSSL's libcrypto, which keys need; install libssl-dev and build it again");
  }
  static bool tag(std::span<const std::byte> /*bytes*/, PacketTag& /*out*/) { return false; }
  static bool same(const PacketTag& /*a*/, std::span<const std::byte, kTagBytes> /*b*/) { return false; }
  static constexpr bool kAvailable = false;
#endif
};

bool LinkKey::available() { return Impl::kAvailable; }

LinkKey::LinkKey(std::span<const std::byte> secret) : impl_(std::make_unique<Impl>()) {
  check_secret(secret.size());
  impl_->set(secret);
}
LinkKey::~LinkKey() = default;

bool LinkKey::tag(std::span<const std::byte> bytes, PacketTag& out) { return impl_->tag(bytes, out); }

bool LinkKey::verify(std::span<const std::byte> bytes, std::span<const std::byte, kTagBytes> tag) {
  PacketTag own;
  return impl_->tag(bytes, own) && Impl::same(own, tag);
}

}  // namespace limber
