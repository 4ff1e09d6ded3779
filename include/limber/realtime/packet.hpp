// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/control/sensors.hpp"
#include "limber/realtime/key.hpp"

namespace limber {

// The packets between a controller and its machine, one datagram each: docs/real-time.md, Packets.
inline constexpr std::uint16_t kPacketVersion = 2;
inline constexpr std::size_t kMaxEntries = 256;
inline constexpr std::size_t kPacketHeader = 52, kPacketEntry = 20, kPacketEnd = 4;  // bytes
inline constexpr std::size_t kMaxPacketBytes = kPacketHeader + kMaxEntries * kPacketEntry + kPacketEnd + kTagBytes;
using PacketBytes = std::array<std::byte, kMaxPacketBytes>;

enum class PacketKind : std::uint16_t { measurement = 1, command = 2 };

// Bits of Packet::flags.
inline constexpr std::uint16_t kStopped = 1;  // the sender is in its safe stop
inline constexpr std::uint16_t kWaiting = 2;  // the machine is at rest: no command has arrived yet
inline constexpr std::uint16_t kEnding = 4;   // the last packets of a sender that ends normally
inline constexpr std::uint16_t kJoins = 8;    // command: of a controller that has just taken over a moving machine;
                                              // measurement: no controller commands it, and one may take over

struct PacketEntry {
  std::uint32_t name = 0;  // crc32 of "joint:shoulder", "strain:root", "acceleration:tip.x", "torque:shoulder"
  double a = 0, b = 0;     // position and speed of a joint; its commanded torque and motor current; otherwise a reading
};

struct PacketHead {
  PacketKind kind = PacketKind::measurement;
  std::uint16_t flags = 0;
  std::uint64_t session = 0;   // of the machine's process, never 0; commands repeat it
  std::uint64_t sequence = 0;  // counts up
  std::uint64_t answer = 0;    // command: the sequence of its measurement; measurement: of the newest
                               // accepted command, 0: none
  double time = 0;             // s, of the machine
  double taken = 0;            // s, when the readings were taken
  std::size_t count = 0;
};
struct Packet : PacketHead {
  std::array<PacketEntry, kMaxEntries> entries;
};

// Why a packet was refused.
enum class PacketFault {
  none,
  length,      // not the length in its header
  magic,       // not ours
  version,     // of another version
  checksum,    // damaged
  kind,        // a measurement where commands are expected, or vice versa
  session,     // of another process, or the answer to a packet never sent: forged, or restarted
  repeated,    // a duplicate
  late,        // overtaken by a newer one, or the answer to an old packet
  names,       // joints or sensors unknown to the receiver
  not_finite,  // a number that is not finite
  tag,         // without the tag of the shared key, or with one that the receiver cannot verify
  time         // the time of the machine runs back, stops, or jumps
};
inline constexpr int kPacketFaults = 13;
const char* to_string(PacketFault fault);  // for a message

// CRC-32 of IEEE 802.3: reflected, polynomial 0x04C11DB7.
std::uint32_t crc32(std::span<const std::byte> bytes);
std::uint32_t crc32(std::string_view text);

// Little-endian on every machine; returns the bytes used.  packet.count <= kMaxEntries.  With a key, its tag is at the
// end.
std::size_t encode_packet(const Packet& packet, PacketBytes& bytes, LinkKey* key = nullptr);
// Checks length, magic, version and checksum of a packet without tag; `packet` is valid only if the result is none.
PacketFault decode_packet(std::span<const std::byte> bytes, Packet& packet);

// The entries of the two kinds; repeated names get a suffix #2, #3, ...  Throws InputError: too many.
std::vector<std::string> measurement_names(const DrivenJoints& driven, const SensorOptions& sensors);
std::vector<std::string> command_names(const DrivenJoints& driven);

// Accepts valid packets in order, and counts the others.  Only the constructor allocates.
class PacketGate {
 public:
  // session: 0: that of the first valid packet.
  PacketGate(PacketKind kind, const std::vector<std::string>& names, std::uint64_t session = 0);
  PacketFault accept(std::span<const std::byte> bytes);
  // All packets must have the tag of this key.
  void require_key(std::shared_ptr<LinkKey> key) { key_ = std::move(key); }
  // Measurements: the time must advance by a period with each sequence number, and start between 0 and `latest`, unless
  // another controller has commanded the machine before.
  void expect_times(double period, double latest) {
    period_ = period;
    latest_ = latest;
  }
  // Commands: must answer measurements from `oldest` to `newest` and repeat their times, one period apart; that of the
  // newest is given.
  void expect_answers(std::uint64_t oldest, std::uint64_t newest, double time = 0, double period = 0) {
    oldest_ = oldest;
    newest_ = newest;
    latest_ = time;
    period_ = period;
  }

  // Measurements: no command after this one has been sent.
  void expect_answers_to(std::uint64_t newest) { newest_ = newest; }

  // The last accepted packet, and its entries in the order of the names.
  const PacketHead& packet() const { return packet_; }
  const VectorXd& a() const { return a_; }
  const VectorXd& b() const { return b_; }
  std::uint64_t session() const { return session_; }
  long accepted() const { return counts_[0]; }
  long count(PacketFault fault) const { return counts_[static_cast<std::size_t>(fault)]; }

 private:
  PacketFault examine(std::span<const std::byte> bytes);
  PacketFault unseal(std::span<const std::byte>& bytes);
  bool sort_entries();
  bool time_fits() const;

  PacketKind kind_;
  std::vector<std::uint32_t> names_;
  std::uint64_t session_;
  std::shared_ptr<LinkKey> key_;
  std::uint64_t oldest_ = 0, newest_ = std::numeric_limits<std::uint64_t>::max();
  double period_ = 0, latest_ = 0;  // s; period 0: times are not checked
  PacketHead packet_;
  Packet arrived_;
  VectorXd a_, b_, new_a_, new_b_;
  std::vector<char> seen_;
  std::array<long, kPacketFaults> counts_{};
};

// The hashes of names, for senders.  Throws InputError if two are equal.
std::vector<std::uint32_t> hash_names(const std::vector<std::string>& names);

}  // namespace limber
