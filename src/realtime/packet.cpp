// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/realtime/packet.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr std::uint32_t kMagic = 0x52424D4C;  // "LMBR"
constexpr double kMaxTime = 1e9;              // s

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xEDB88320U ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> kCrcTable = make_crc_table();

class ByteWriter {
 public:
  explicit ByteWriter(PacketBytes& bytes) : bytes_(bytes) {}
  template <class Unsigned>
  void put(Unsigned value) {
    for (std::size_t k = 0; k < sizeof(Unsigned); ++k) {
      bytes_[at_++] = static_cast<std::byte>((static_cast<std::uint64_t>(value) >> (8 * k)) & 0xFF);
    }
  }
  void put(double value) { put(std::bit_cast<std::uint64_t>(value)); }
  std::size_t size() const { return at_; }

 private:
  PacketBytes& bytes_;
  std::size_t at_ = 0;
};

// The caller checks that there are enough bytes.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class Unsigned>
  Unsigned get() {
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < sizeof(Unsigned); ++k) value |= static_cast<std::uint64_t>(bytes_[at_++]) << (8 * k);
    return static_cast<Unsigned>(value);
  }
  double number() { return std::bit_cast<double>(get<std::uint64_t>()); }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

bool is_time(double t) { return t >= -kMaxTime && t <= kMaxTime; }

std::vector<std::string> numbered(std::vector<std::string> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = names[i];
    int count = 1;
    for (std::size_t j = i + 1; j < names.size(); ++j) {
      if (names[j] == name) names[j] = name + "#" + std::to_string(++count);
    }
  }
  if (names.size() > kMaxEntries) {
    throw InputError("a packet carries " + std::to_string(kMaxEntries) +
                     " joints and readings at most, but there are " + std::to_string(names.size()) +
                     "; leave out sensors, or name the joints to be controlled");
  }
  return names;
}

}  // namespace

const char* to_string(PacketFault fault) {
  constexpr const char* kWords[kPacketFaults] = {"accepted",   "length",  "magic",    "version", "checksum",
                                                 "kind",       "session", "repeated", "late",    "names",
                                                 "not_finite", "tag",     "time"};
  return kWords[static_cast<std::size_t>(fault)];
}

std::uint32_t crc32(std::span<const std::byte> bytes) {
  std::uint32_t c = 0xFFFFFFFFU;
  for (const std::byte b : bytes) c = kCrcTable[(c ^ static_cast<std::uint32_t>(b)) & 0xFF] ^ (c >> 8);
  return c ^ 0xFFFFFFFFU;
}

std::uint32_t crc32(std::string_view text) { return crc32(std::as_bytes(std::span(text.data(), text.size()))); }

std::size_t encode_packet(const Packet& packet, PacketBytes& bytes, LinkKey* key) {
  LIMBER_ASSERT(packet.count <= kMaxEntries);
  ByteWriter out(bytes);
  out.put(kMagic);
  out.put(kPacketVersion);
  out.put(static_cast<std::uint16_t>(packet.kind));
  out.put(packet.session);
  out.put(packet.sequence);
  out.put(packet.answer);
  out.put(packet.time);
  out.put(packet.taken);
  out.put(packet.flags);
  out.put(static_cast<std::uint16_t>(packet.count));
  for (std::size_t k = 0; k < packet.count; ++k) {
    out.put(packet.entries[k].name);
    out.put(packet.entries[k].a);
    out.put(packet.entries[k].b);
  }
  out.put(crc32(std::span(bytes.data(), out.size())));
  if (key == nullptr) return out.size();
  PacketTag tag;
  if (!key->tag(std::span(bytes.data(), out.size()), tag))
    return 0;  // better no packet than one without authentication
  std::copy(tag.begin(), tag.end(), bytes.begin() + static_cast<std::ptrdiff_t>(out.size()));
  return out.size() + kTagBytes;
}

PacketFault decode_packet(std::span<const std::byte> bytes, Packet& packet) {
  if (bytes.size() < kPacketHeader + kPacketEnd || bytes.size() > kMaxPacketBytes) return PacketFault::length;
  ByteReader in(bytes);
  if (in.get<std::uint32_t>() != kMagic) return PacketFault::magic;
  if (in.get<std::uint16_t>() != kPacketVersion) return PacketFault::version;
  const auto kind = in.get<std::uint16_t>();
  packet.session = in.get<std::uint64_t>();
  packet.sequence = in.get<std::uint64_t>();
  packet.answer = in.get<std::uint64_t>();
  packet.time = in.number();
  packet.taken = in.number();
  packet.flags = in.get<std::uint16_t>();
  packet.count = in.get<std::uint16_t>();
  if (bytes.size() != kPacketHeader + packet.count * kPacketEntry + kPacketEnd) return PacketFault::length;
  for (std::size_t k = 0; k < packet.count; ++k) {
    packet.entries[k].name = in.get<std::uint32_t>();
    packet.entries[k].a = in.number();
    packet.entries[k].b = in.number();
  }
  if (in.get<std::uint32_t>() != crc32(bytes.first(bytes.size() - kPacketEnd))) return PacketFault::checksum;
  if (kind != static_cast<std::uint16_t>(PacketKind::measurement) &&
      kind != static_cast<std::uint16_t>(PacketKind::command)) {
    return PacketFault::kind;
  }
  packet.kind = static_cast<PacketKind>(kind);
  return PacketFault::none;
}

std::vector<std::string> measurement_names(const DrivenJoints& driven, const SensorOptions& sensors) {
  std::vector<std::string> out;
  for (const std::string& name : driven.names) out.push_back("joint:" + name);
  for (const StrainGauge& gauge : sensors.strains) out.push_back("strain:" + gauge.name);
  for (const Accelerometer& sensor : sensors.accelerometers) {
    for (const char* axis : {".x", ".y", ".z"}) out.push_back("acceleration:" + sensor.name + axis);
  }
  for (const std::string& name : driven.names) out.push_back("torque:" + name);
  return numbered(std::move(out));
}

std::vector<std::string> command_names(const DrivenJoints& driven) {
  std::vector<std::string> out;
  for (const std::string& name : driven.names) out.push_back("joint:" + name);
  return numbered(std::move(out));
}

std::vector<std::uint32_t> hash_names(const std::vector<std::string>& names) {
  std::vector<std::uint32_t> out;
  for (const std::string& name : names) {
    const std::uint32_t hash = crc32(name);
    const auto same = std::find(out.begin(), out.end(), hash);
    if (same != out.end()) {
      throw InputError("'" + name + "' and '" + names[static_cast<std::size_t>(same - out.begin())] +
                       "' have the same checksum; rename one of them");
    }
    out.push_back(hash);
  }
  return out;
}

// ---- the gate --------------------------------------------------------------------------------------

PacketGate::PacketGate(PacketKind kind, const std::vector<std::string>& names, std::uint64_t session)
    : kind_(kind), names_(hash_names(names)), session_(session), seen_(names.size()) {
  a_.setZero(static_cast<Eigen::Index>(names.size()));
  b_ = new_a_ = new_b_ = a_;
}

PacketFault PacketGate::accept(std::span<const std::byte> bytes) {
  const PacketFault fault = examine(bytes);
  if (fault == PacketFault::none) {
    session_ = arrived_.session;
    packet_ = arrived_;  // the entries are already in order
    a_.swap(new_a_);
    b_.swap(new_b_);
  }
  ++counts_[static_cast<std::size_t>(fault)];
  return fault;
}

// Verifies and removes the tag, before any other part of a packet is read.
PacketFault PacketGate::unseal(std::span<const std::byte>& bytes) {
  if (!key_) return PacketFault::none;
  if (bytes.size() <= kTagBytes) return PacketFault::tag;
  const std::span<const std::byte> body = bytes.first(bytes.size() - kTagBytes);
  if (!key_->verify(body, bytes.last<kTagBytes>())) return PacketFault::tag;
  bytes = body;
  return PacketFault::none;
}

// Whether the time of a valid packet is plausible, within half a period.
bool PacketGate::time_fits() const {
  if (period_ == 0) return true;
  const double half = 0.5 * period_, t = arrived_.time;
  if (arrived_.taken > t + half) return false;
  if (kind_ == PacketKind::command) {
    const double expected = latest_ - static_cast<double>(newest_ - arrived_.answer) * period_;
    return std::abs(t - std::max(0.0, expected)) <= half;
  }
  if (accepted() == 0) return t >= -half && (arrived_.answer > 0 || t <= latest_ + half);
  const double elapsed = t - packet_.time;
  const double most = static_cast<double>(arrived_.sequence - packet_.sequence) * period_;
  const bool waited = (packet_.flags & kWaiting) != 0, waits = (arrived_.flags & kWaiting) != 0;
  if (waits) return waited && std::abs(elapsed) <= half;
  const double least = waited || (arrived_.flags & kEnding) != 0 ? 0 : most;  // a machine that waits or ends is at rest
  return elapsed >= least - half && elapsed <= most + half && arrived_.taken >= packet_.taken - half;
}

PacketFault PacketGate::examine(std::span<const std::byte> bytes) {
  if (const PacketFault fault = unseal(bytes); fault != PacketFault::none) return fault;
  if (const PacketFault fault = decode_packet(bytes, arrived_); fault != PacketFault::none) {
    const bool sealed = fault == PacketFault::length && bytes.size() > kTagBytes &&
                        decode_packet(bytes.first(bytes.size() - kTagBytes), arrived_) == PacketFault::none;
    return sealed ? PacketFault::tag : fault;
  }
  if (arrived_.kind != kind_) return PacketFault::kind;
  if (arrived_.session == 0 || (session_ != 0 && arrived_.session != session_)) return PacketFault::session;
  if (arrived_.sequence == packet_.sequence) return PacketFault::repeated;
  if (arrived_.answer > newest_) return PacketFault::session;
  if (arrived_.sequence < packet_.sequence || arrived_.answer < oldest_) return PacketFault::late;
  if (!sort_entries()) return PacketFault::names;
  if (!is_time(arrived_.time) || !is_time(arrived_.taken)) return PacketFault::not_finite;
  if (!new_a_.allFinite() || !new_b_.allFinite()) return PacketFault::not_finite;
  return time_fits() ? PacketFault::none : PacketFault::time;
}

// Requires each name exactly once, in any order; a single pass if in the expected order.
bool PacketGate::sort_entries() {
  const std::size_t n = names_.size();
  if (arrived_.count != n) return false;
  std::fill(seen_.begin(), seen_.end(), 0);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t tries = 0, i = k;
    while (tries < n && names_[i] != arrived_.entries[k].name) {
      ++tries;
      i = i + 1 == n ? 0 : i + 1;
    }
    if (tries == n || seen_[i] != 0) return false;
    seen_[i] = 1;
    new_a_[static_cast<Eigen::Index>(i)] = arrived_.entries[k].a;
    new_b_[static_cast<Eigen::Index>(i)] = arrived_.entries[k].b;
  }
  return true;
}

}  // namespace limber
