// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/realtime/packet.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "limber/spatial/status.hpp"
#include "support/no_alloc.hpp"

namespace limber::test {
namespace {

const std::vector<std::string> kNames = {"joint:shoulder", "joint:elbow", "strain:root"};
constexpr std::uint64_t kPacketSession = 0x0123456789ABCDEFULL;

Packet make_packet(std::uint64_t sequence = 1) {
  Packet packet;
  packet.kind = PacketKind::command;
  packet.flags = kStopped;
  packet.session = kPacketSession;
  packet.sequence = sequence;
  packet.answer = 7;
  packet.time = 1.25;
  packet.taken = 1.24;
  packet.count = kNames.size();
  for (std::size_t k = 0; k < kNames.size(); ++k) {
    packet.entries[k] = {crc32(kNames[k]), 0.1 + static_cast<double>(k), -2.0 * static_cast<double>(k)};
  }
  return packet;
}

struct Encoded {
  PacketBytes bytes;
  std::size_t size;
  explicit Encoded(const Packet& packet) : size(encode_packet(packet, bytes)) {}
  std::span<const std::byte> span() const { return {bytes.data(), size}; }
};

PacketGate make_gate() { return {PacketKind::command, kNames, kPacketSession}; }

TEST(Packet, ChecksumIsThatOfTheStandard) { EXPECT_EQ(crc32("123456789"), 0xCBF43926U); }

TEST(Packet, BytesAreAsDocumented) {
  const Encoded encoded(make_packet(3));
  ASSERT_EQ(encoded.size, 52U + 3 * 20 + 4);
  const auto byte = [&](std::size_t k) { return static_cast<int>(encoded.bytes[k]); };
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(encoded.bytes.data()), 4), "LMBR");
  EXPECT_EQ(byte(4), 2);     // version
  EXPECT_EQ(byte(6), 2);     // kind
  EXPECT_EQ(byte(8), 0xEF);  // session, lowest byte first
  EXPECT_EQ(byte(15), 0x01);
  EXPECT_EQ(byte(16), 3);     // sequence
  EXPECT_EQ(byte(24), 7);     // answer
  EXPECT_EQ(byte(39), 0x3F);  // 1.25 = 0x3FF4...
  EXPECT_EQ(byte(38), 0xF4);
  EXPECT_EQ(byte(48), 1);  // flags
  EXPECT_EQ(byte(50), 3);  // count
}

TEST(Packet, ComesBackAsItWas) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> number(-1e6, 1e6);
  for (std::size_t count = 0; count <= kMaxEntries; count += 16) {
    Packet packet = make_packet(random());
    packet.count = count;
    for (std::size_t k = 0; k < count; ++k) {
      packet.entries[k] = {static_cast<std::uint32_t>(random()), number(random), number(random)};
    }
    const Encoded encoded(packet);
    Packet back;
    ASSERT_EQ(decode_packet(encoded.span(), back), PacketFault::none);
    EXPECT_EQ(back.sequence, packet.sequence);
    EXPECT_EQ(back.time, packet.time);
    EXPECT_EQ(back.taken, packet.taken);
    ASSERT_EQ(back.count, count);
    for (std::size_t k = 0; k < count; ++k) {
      EXPECT_EQ(back.entries[k].name, packet.entries[k].name);
      EXPECT_EQ(back.entries[k].a, packet.entries[k].a);
      EXPECT_EQ(back.entries[k].b, packet.entries[k].b);
    }
  }
}

TEST(Packet, DamageIsNeverAccepted) {
  std::mt19937_64 random(2);
  const Encoded whole(make_packet());
  for (int k = 0; k < 10000; ++k) {
    std::vector<std::byte> bytes(whole.span().begin(), whole.span().end());
    const int flips = 1 + static_cast<int>(random() % 8);
    for (int f = 0; f < flips; ++f) bytes[random() % bytes.size()] ^= static_cast<std::byte>(1U << (random() % 8));
    if (random() % 4 == 0) bytes.resize(random() % (bytes.size() + 1));
    if (std::equal(bytes.begin(), bytes.end(), whole.span().begin(), whole.span().end())) continue;
    Packet packet;
    EXPECT_NE(decode_packet(bytes, packet), PacketFault::none);
  }
}

TEST(Packet, RandomBytesDoNoHarm) {
  std::mt19937_64 random(3);
  PacketGate gate = make_gate();
  std::vector<std::byte> bytes;
  for (int k = 0; k < 20000; ++k) {
    bytes.resize(random() % (kMaxPacketBytes + 100));
    const std::size_t filled = std::min<std::size_t>(bytes.size(), 200);
    for (std::size_t i = 0; i < filled; ++i) bytes[i] = static_cast<std::byte>(random());
    const Encoded good(make_packet());  // all others start as a valid packet
    if (k % 2 == 0)
      std::copy_n(good.bytes.begin(), std::min<std::size_t>(bytes.size(), 8 + random() % 44), bytes.begin());
    EXPECT_NE(gate.accept(bytes), PacketFault::none);
  }
  EXPECT_EQ(gate.accepted(), 0);
}

TEST(Packet, TruncatedAndPaddedOnesAreRefused) {
  const Encoded whole(make_packet());
  Packet packet;
  for (std::size_t size = 0; size < whole.size; ++size) {
    EXPECT_EQ(decode_packet(whole.span().first(size), packet), PacketFault::length) << size;
  }
  EXPECT_EQ(decode_packet({whole.bytes.data(), whole.size + 1}, packet), PacketFault::length);
}

TEST(PacketGate, RefusesForAReason) {
  PacketGate gate = make_gate();
  const auto answer = [&](Packet packet) { return gate.accept(Encoded(packet).span()); };
  EXPECT_EQ(answer(make_packet(5)), PacketFault::none);
  EXPECT_EQ(answer(make_packet(5)), PacketFault::repeated);
  EXPECT_EQ(answer(make_packet(4)), PacketFault::late);
  Packet packet = make_packet(6);
  packet.session ^= 1;
  EXPECT_EQ(answer(packet), PacketFault::session);
  packet = make_packet(6);
  packet.kind = PacketKind::measurement;
  EXPECT_EQ(answer(packet), PacketFault::kind);
  packet = make_packet(6);
  packet.entries[1].name = packet.entries[0].name;
  EXPECT_EQ(answer(packet), PacketFault::names);
  packet = make_packet(6);
  packet.count = 2;
  EXPECT_EQ(answer(packet), PacketFault::names);
  packet = make_packet(6);
  packet.entries[2].a = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(answer(packet), PacketFault::not_finite);
  packet = make_packet(6);
  packet.time = 1e300;
  EXPECT_EQ(answer(packet), PacketFault::not_finite);
  gate.expect_answers(8, 10);
  EXPECT_EQ(answer(make_packet(6)), PacketFault::late);
  gate.expect_answers(1, 6);
  EXPECT_EQ(answer(make_packet(6)), PacketFault::session);
  gate.expect_answers(1, 7);
  EXPECT_EQ(answer(make_packet(6)), PacketFault::none);
  EXPECT_EQ(gate.accepted(), 2);
  EXPECT_EQ(gate.count(PacketFault::session), 2);
  Encoded newer(make_packet(7));
  newer.bytes[4] = std::byte{3};
  EXPECT_EQ(gate.accept(newer.span()), PacketFault::version);
}

TEST(PacketGate, SortsEntriesByName) {
  PacketGate gate = make_gate();
  Packet packet = make_packet();
  std::swap(packet.entries[0], packet.entries[2]);
  ASSERT_EQ(gate.accept(Encoded(packet).span()), PacketFault::none);
  EXPECT_EQ(gate.a(), Vector3d(0.1, 1.1, 2.1));
  EXPECT_EQ(gate.b(), Vector3d(0, -2, -4));
}

TEST(PacketGate, KeepsTheFirstSession) {
  PacketGate gate(PacketKind::command, kNames);
  Packet packet = make_packet(1);
  packet.session = 0;
  EXPECT_EQ(gate.accept(Encoded(packet).span()), PacketFault::session);
  EXPECT_EQ(gate.accept(Encoded(make_packet(1)).span()), PacketFault::none);
  packet = make_packet(2);
  packet.session = 99;
  EXPECT_EQ(gate.accept(Encoded(packet).span()), PacketFault::session);
}

TEST(PacketGate, DoesNotAllocate) {
  PacketGate gate = make_gate();
  const NoAlloc guard;
  for (std::uint64_t k = 1; k < 10; ++k) {
    const Encoded encoded(make_packet(k));
    gate.accept(encoded.span());
  }
}

TEST(PacketNames, AreToldApart) {
  DrivenJoints driven;
  driven.names = {"shoulder"};
  SensorOptions sensors;
  sensors.strains.resize(2, {"root", 0, {}, 0});
  sensors.accelerometers.push_back({"tip", {}, 0});
  const std::vector<std::string> names = {"joint:shoulder",     "strain:root",        "strain:root#2",
                                          "acceleration:tip.x", "acceleration:tip.y", "acceleration:tip.z",
                                          "torque:shoulder"};
  EXPECT_EQ(measurement_names(driven, sensors), names);
  sensors.strains.resize(kMaxEntries);
  EXPECT_THROW(measurement_names(driven, sensors), InputError);
}

// ---- keys ------------------------------------------------------------------------------------------

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(LinkKey, LetsOnlyItsOwnPacketsIn) {
  if (!LinkKey::available()) GTEST_SKIP() << "no libcrypto";
  const auto key = std::make_shared<LinkKey>(bytes_of("correct horse battery staple"));
  LinkKey other(bytes_of("correct horse battery stable"));
  PacketGate gate = make_gate(), open = make_gate();
  gate.require_key(key);
  PacketBytes bytes;
  const auto send = [&](LinkKey* with, std::uint64_t sequence) {
    return std::span<const std::byte>(bytes.data(), encode_packet(make_packet(sequence), bytes, with));
  };
  EXPECT_EQ(gate.accept(send(key.get(), 1)), PacketFault::none);
  EXPECT_EQ(gate.accept(send(key.get(), 1)), PacketFault::repeated);  // replayed
  EXPECT_EQ(gate.accept(send(nullptr, 2)), PacketFault::tag);
  EXPECT_EQ(gate.accept(send(&other, 2)), PacketFault::tag);
  EXPECT_EQ(open.accept(send(key.get(), 2)), PacketFault::tag);
  EXPECT_EQ(gate.accept({}), PacketFault::tag);
  const std::span<const std::byte> good = send(key.get(), 3);
  for (std::size_t at = 0; at < good.size(); ++at) {
    bytes[at] ^= std::byte{1};
    EXPECT_EQ(gate.accept(good), PacketFault::tag) << at;
    bytes[at] ^= std::byte{1};
  }
  const NoAlloc guard;
  EXPECT_EQ(gate.accept(good), PacketFault::none);
  EXPECT_EQ(gate.accept(send(key.get(), 4)), PacketFault::none);
}

// Of "limber": `openssl mac -macopt size:16 -macopt hexkey:KEY SIPHASH`, KEY the first half of SHA-256 of the secret.
TEST(LinkKey, TagsAreThoseOfSiphash) {
  if (!LinkKey::available()) GTEST_SKIP() << "no libcrypto";
  constexpr int kTag[] = {0xb3, 0x3e, 0xd6, 0xc7, 0xa2, 0xa8, 0x4c, 0x2e,
                          0x67, 0x2f, 0xc9, 0x51, 0x88, 0x16, 0xe1, 0xbc};
  LinkKey key(bytes_of("correct horse battery staple"));
  PacketTag tag;
  for (int again = 0; again < 2; ++again) {
    ASSERT_TRUE(key.tag(bytes_of("limber"), tag));
    for (std::size_t k = 0; k < kTagBytes; ++k) EXPECT_EQ(static_cast<int>(tag[k]), kTag[k]);
  }
}

TEST(LinkKey, NeedsASecretAndLibcrypto) {
  EXPECT_THROW(LinkKey(bytes_of("too short")), InputError);
  EXPECT_THROW(LinkKey(bytes_of(std::string(5000, 'x'))), InputError);
  if (LinkKey::available()) return;
  EXPECT_THROW(LinkKey(bytes_of("correct horse battery staple")), InputError);
}

// ---- times -----------------------------------------------------------------------------------------

TEST(PacketGate, TimesGoOnWithSequences) {
  struct Case {
    std::uint64_t sequence;
    double time;
    std::uint16_t flags;
    PacketFault fault;
  };
  constexpr PacketFault kGood = PacketFault::none, kBad = PacketFault::time;
  const Case cases[] = {{1, 9.0, 0, kBad},         {2, 0.0, kWaiting, kGood}, {3, 0.1, kWaiting, kBad},
                        {9, 0.0, kWaiting, kGood}, {10, 0.3, 0, kBad},        {12, 0.2, 0, kGood},
                        {13, 0.2, 0, kBad},        {14, 0.4, 0, kGood},       {15, 0.3, 0, kBad},
                        {16, 0.6, kWaiting, kBad}, {17, 0.7, 0, kGood},       {18, 1e3, 0, kBad},
                        {19, 0.7, kEnding, kGood}};
  PacketGate gate(PacketKind::measurement, kNames);
  gate.expect_times(0.1, 0.2);
  for (const Case& c : cases) {
    Packet packet = make_packet(c.sequence);
    packet.kind = PacketKind::measurement;
    packet.answer = 0;
    packet.flags = c.flags;
    packet.time = packet.taken = c.time;
    EXPECT_EQ(gate.accept(Encoded(packet).span()), c.fault) << c.sequence;
  }
}

// But a plant that was commanded before may be at any time; and answers no command that was not sent.
TEST(PacketGate, AMachineThatMovesMayBeJoined) {
  PacketGate gate(PacketKind::measurement, kNames);
  gate.expect_times(0.1, 0.2);
  Packet packet = make_packet(5);
  packet.kind = PacketKind::measurement;
  const auto at = [&](std::uint64_t sequence, double time, std::uint64_t answer) {
    packet.sequence = sequence;
    packet.time = packet.taken = time;
    packet.answer = answer;
    return gate.accept(Encoded(packet).span());
  };
  EXPECT_EQ(at(5, 9, 0), PacketFault::time);
  EXPECT_EQ(at(5, -1, 3), PacketFault::time);
  EXPECT_EQ(at(5, 9, 3), PacketFault::none);
  EXPECT_EQ(at(6, 9.3, 3), PacketFault::time);
  gate.expect_answers_to(4);
  EXPECT_EQ(at(6, 9.1, 5), PacketFault::session);
  EXPECT_EQ(at(6, 9.1, 4), PacketFault::none);
}

TEST(PacketGate, CommandsRepeatTheTimesTheyAnswer) {
  PacketGate gate = make_gate();
  std::uint64_t sequence = 0;
  for (const double time : {0.5, 0.2, 0.7}) {
    gate.expect_answers(1, 9, time, 0.1);  // make_packet answers 7, sent 0.2 s earlier
    for (const double off : {0.0, 0.1, -0.1, 100.0}) {
      Packet packet = make_packet(++sequence);
      packet.time = packet.taken = std::max(0.0, time - 0.2) + off;
      EXPECT_EQ(gate.accept(Encoded(packet).span()), off == 0 ? PacketFault::none : PacketFault::time) << time << off;
    }
  }
}

}  // namespace
}  // namespace limber::test
