// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Controller and plant as two processes on this computer.  Timeouts are generous, since it may be busy.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <atomic>
#include <random>
#include <thread>

#include "apps/two_processes.hpp"
#include "limber/realtime/packet.hpp"
#include "support/no_alloc.hpp"

namespace limber::test {
namespace {

// Two flexible links in the plane that rotate by a third of a radian.
const std::string kScenario = R"(limber: 1
scenario: turn
model:
  limber: 1
  name: arm
  bodies:
    - {name: upper, beam: {length: 2, mass: 6, EIy: 4000, EIz: 4000, modes: {bending_y: 1}, damping: 0.02}}
    - {name: fore, beam: {length: 1.5, mass: 3, EIy: 4000, EIz: 4000, modes: {bending_y: 1}, damping: 0.02}}
  joints:
    - {name: shoulder, type: revolute, axis: [0, 0, 1], parent: world, child: upper, armature: 3}
    - {name: elbow, type: revolute, axis: [0, 0, 1], parent: upper.tip, child: fore, armature: 3}
control:
  rate: 200
  desired: {profile: quintic, waypoints: [{q: [0.3, -0.2], duration: 1.5}]}
  feed_forward: hybrid
  feedback: {pid: {frequency: 0.5, ratio: 1}}
solver: {method: implicit, step: 5e-3}
duration: 2
record: {every: 0.05}
)";

// With limits far from its motion, for tests with large disturbances.
std::string with_wide_limits() {
  std::string text = kScenario;
  for (std::size_t at = 0; (at = text.find("armature: 3}", at)) != std::string::npos;) {
    text.replace(at, 12, "armature: 3, limits: {effort: 300, velocity: 5}}");
  }
  return text;
}

TEST(RealTime, TwoProcessesTrack) {
  for (const bool plant_first : {true, false}) {
    const Pair pair(kScenario);
    const auto plant_words = pair.plant(pair.ports.control, kPatient);
    const auto control_words = pair.control(pair.ports.plant, kPatientControl);
    Process first(plant_first ? plant_words : control_words);
    usleep(150000);
    Process second(plant_first ? control_words : plant_words);
    Result a = first.wait(), b = second.wait();
    if (!plant_first) std::swap(a, b);
    ASSERT_EQ(a.code, 0) << a.err;
    ASSERT_EQ(b.code, 0) << b.err;
    const Json plant = a.json(), control = b.json();
    EXPECT_LT(plant["largest_error"], 0.05);
    EXPECT_EQ(plant["braked"], false);
    EXPECT_GT(control["measurements"]["accepted"], 200);
    EXPECT_EQ(control["measurements"]["checksum"], 0);
    EXPECT_EQ(control["ended"], "the machine ended");
    const std::string table = read_all(pair.folder.file("turn.csv"));
    EXPECT_TRUE(table.starts_with("time,machine_time,lateness,computation,age,updates,stop,sent:shoulder"));
    EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 1 + control["timing"]["cycles"].get<long>());
  }
}

// Between the two: drops, duplicates, delays and corrupts packets.
class Relay {
 public:
  explicit Relay(const Ports& ports) : ports_(ports), thread_([this] { run(); }) {}
  ~Relay() {
    over_ = true;
    thread_.join();
  }
  int plant_side() const { return plant_.port; }      // the controller's port, as seen by the plant
  int control_side() const { return control_.port; }  // the plant's port, as seen by the controller

 private:
  void run() {
    std::vector<char> bytes, kept;
    int damaged = 0;
    while (!over_) {
      pollfd both[2] = {{plant_.handle, POLLIN, 0}, {control_.handle, POLLIN, 0}};
      poll(both, 2, 10);
      for (const bool to_control : {true, false}) {
        const Socket &from = to_control ? plant_ : control_, &out = to_control ? control_ : plant_;
        const int to = to_control ? ports_.control : ports_.plant;
        while (from.receive(bytes)) {
          const auto dice = random_() % 100;
          if (dice < 20) continue;  // lost
          out.send(bytes, to);
          if (dice < 30) out.send(bytes, to);  // duplicated
          if (to_control && dice < 40) kept = bytes;
          if (to_control && dice > 90 && !kept.empty()) out.send(kept, to);  // out of order
          if (dice > 50 && damaged < 100) {
            ++damaged;
            for (int k = 0; k < 5; ++k) bytes[random_() % bytes.size()] ^= static_cast<char>(1 + random_() % 255);
            out.send(bytes, to);
          }
        }
      }
    }
  }
  Ports ports_;
  Socket plant_, control_;
  std::mt19937 random_{7};
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

TEST(RealTime, BadWireIsSurvived) {
  const Pair pair(with_wide_limits());
  const Relay relay(pair.ports);
  Process control(pair.control(relay.control_side(), kPatientControl));
  Process plant(pair.plant(relay.plant_side(), kPatient));
  const Socket stranger;
  for (int k = 0; k < 50; ++k) {
    stranger.send(std::vector<char>(60, 'x'), pair.ports.control);
    stranger.send({}, pair.ports.plant);
    usleep(5000);
  }
  const Result a = plant.wait(), b = control.wait();
  ASSERT_EQ(a.code, 0) << a.err;
  ASSERT_EQ(b.code, 0) << b.err;
  const Json seen = b.json()["measurements"];
  EXPECT_GT(seen["accepted"], 100);
  EXPECT_GT(seen["repeated"], 0);
  EXPECT_GT(seen["late"], 0);
  EXPECT_GT(seen["checksum"].get<int>() + seen["magic"].get<int>() + a.json()["commands"]["checksum"].get<int>(), 20);
  EXPECT_EQ(seen["not_finite"], 0);
  EXPECT_LT(a.json()["largest_error"], 0.1);
}

TEST(RealTime, ADeadPlantStopsTheController) {
  const Pair pair(kScenario);
  Process control(pair.control(pair.ports.plant, {"--hold", "2", "--max-misses", "100000"}));
  {
    Process plant(pair.plant(pair.ports.control, kPatient));
    const std::string log = pair.folder.file("turn.csv");
    ASSERT_TRUE(eventually([&] { return read_all(log).size() > 2000; }));
    plant.signal(SIGKILL);
    plant.wait();
  }
  // Another plant, unknown to the controller, is refused.
  Process stranger(pair.plant(pair.ports.control, {"--wait", "60"}));
  const Result result = control.wait();
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(contains(result.err, "no measurement arrived")) << result.err;
  EXPECT_EQ(result.json()["complete"], false);
  EXPECT_GT(result.json()["measurements"]["session"], 0);
  // A new controller takes over.
  Process again(pair.control(pair.ports.plant, {"--hold", "5", "--max-misses", "100000", "--duration", "0.2"}));
  EXPECT_EQ(again.wait().code, 0);
  stranger.signal(SIGINT);
  EXPECT_EQ(stranger.wait().code, 1);
}

TEST(RealTime, ADeadControllerMakesThePlantBrake) {
  const Pair pair(kScenario);
  Process plant(pair.plant(pair.ports.control, {"--hold", "0.3"}));
  {
    Process control(pair.control(pair.ports.plant, kPatientControl));
    ASSERT_TRUE(eventually([&] { return read_all(pair.folder.file("turn.csv")).size() > 2000; }));
    control.signal(SIGKILL);
    control.wait();
  }
  const Result result = plant.wait();
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.json()["braked"], true);
  EXPECT_TRUE(contains(result.err, "braked: no command arrived")) << result.err;
  EXPECT_EQ(result.json()["time"], 2);
}

// A controller is killed, and another takes over: after the brakes have closed, and before.
TEST(RealTime, ANewControllerTakesOver) {
  for (const char* hold : {"0.3", "5"}) {
    std::string text = with_wide_limits();
    text.replace(text.find("duration: 2\n"), 11, "duration: 8");
    const Pair pair(text);
    const std::string log = pair.folder.file("turn.csv");
    Process plant(pair.plant(pair.ports.control, {"--hold", hold}));
    {
      Process control(pair.control(pair.ports.plant, kPatientControl));
      ASSERT_TRUE(eventually([&] { return read_all(log).size() > 20000; }));
      control.signal(SIGKILL);
      control.wait();
    }
    if (hold == std::string("0.3")) usleep(500000);
    const Result other = limber(pair.control(pair.ports.plant, kPatientControl)), result = plant.wait();
    EXPECT_EQ(other.code, 0) << other.err;
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(other.json()["joined"], true);
    EXPECT_EQ(result.json()["joined"], 1);
    EXPECT_EQ(result.json()["braked"], false);
    EXPECT_EQ(result.json()["commands"]["late"], 0);
    EXPECT_LT(result.json()["rms_error"], 0.2);
  }
}

// Neither privilege is required: a line reports that they are missing, and how to get them.
TEST(RealTime, RefusedPrivilegesAreTold) {
  if (!kNoAllocWorks) GTEST_SKIP() << "sanitizers take no locks of memory, and refuse none";
  const Pair pair(kScenario);
  std::vector<std::string> words = pair.control(pair.ports.plant, kPatientControl);
  for (const char* word : {"--duration", "0.3"}) words.emplace_back(word);
  std::erase(words, "--quiet");
  std::vector<std::string> plant_words = pair.plant(pair.ports.control, kPatient);
  std::erase(plant_words, "--quiet");
  const Process::Options ordinary{.ordinary = true};
  Process plant(plant_words, ordinary);
  Process control(words, ordinary);
  const Result result = control.wait();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_GT(result.json()["measurements"]["accepted"], 20);
  const Json notes = result.json()["notes"];
  ASSERT_EQ(notes.size(), 2U) << notes;
  EXPECT_TRUE(contains(notes[0], "memory is not locked: ")) << notes;
  EXPECT_TRUE(contains(notes[0], "`ulimit -l unlimited`")) << notes;
  EXPECT_TRUE(contains(notes[1], "no real-time priority: ")) << notes;
  EXPECT_TRUE(contains(notes[1], "`ulimit -r 50`")) << notes;
  for (const Json& note : notes) EXPECT_TRUE(contains(result.err, "note: " + note.get<std::string>() + "\n"));
  plant.signal(SIGINT);
  const Result other = plant.wait();
  EXPECT_TRUE(contains(other.json()["note"], "no real-time priority: ")) << other.out;
  EXPECT_TRUE(contains(other.err, "`ulimit -r 40`")) << other.err;
}

// If they are granted, nothing is printed.
TEST(RealTime, GrantedPrivilegesAreUsed) {
  sched_param param{};
  param.sched_priority = 1;
  const int policy = sched_getscheduler(0);
  if (sched_setscheduler(0, SCHED_FIFO, &param) != 0) GTEST_SKIP() << "no real-time priorities here";
  param.sched_priority = 0;
  ASSERT_EQ(sched_setscheduler(0, policy, &param), 0);
  const Pair pair(kScenario);
  Process plant(pair.plant(pair.ports.control, kPatient));
  Process control(pair.control(pair.ports.plant, kPatientControl));
  const std::string log = pair.folder.file("turn.csv");
  ASSERT_TRUE(eventually([&] { return read_all(log).size() > 2000; }));
  EXPECT_EQ(sched_getscheduler(control.pid()), SCHED_FIFO);
  EXPECT_EQ(sched_getscheduler(plant.pid()), SCHED_FIFO);
  const std::string status = read_all("/proc/" + std::to_string(control.pid()) + "/status");
  const std::size_t at = status.find("VmLck:");
  ASSERT_NE(at, std::string::npos);
  const long locked = std::stol(status.substr(at + 6));
  control.signal(SIGINT);
  const Json notes = control.wait().json()["notes"];
  bool refused = false;
  for (const Json& note : notes) {
    EXPECT_FALSE(contains(note, "priority")) << note;
    refused = refused || contains(note, "memory");
  }
  if (kNoAllocWorks) {  // sanitizers do not lock memory
    EXPECT_EQ(locked > 10000, !refused) << locked << " kB";
  }
}

// Closing the terminal does not drop the torques: they are ramped to zero as with Ctrl-C.
TEST(RealTime, CtrlCEndsInOrder) {
  for (const int number : {SIGINT, SIGHUP}) {
    const Pair pair(kScenario);
    Process plant(pair.plant(pair.ports.control, {"--hold", "5"}));
    Process control(pair.control(pair.ports.plant, kPatientControl));
    ASSERT_TRUE(eventually([&] { return read_all(pair.folder.file("turn.csv")).size() > 2000; }));
    control.signal(number);
    const Result result = control.wait();
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.json()["ended"], "interrupted");
    plant.signal(number);
    const Result other = plant.wait();
    EXPECT_EQ(other.code, 1);
    EXPECT_EQ(other.json()["braked"], true);
  }
}

// Packets from other addresses are ignored: they neither fill the buffers nor delay the loops.
TEST(RealTime, AFloodFromOthersIsNotHeard) {
  const Pair pair(with_wide_limits());
  std::atomic<bool> over = false;
  std::thread flood([&] {
    const Socket stranger;
    while (!over) {
      for (int k = 0; k < 200; ++k) {  // at 200 Hz: many times the number accepted in a period
        stranger.send(std::vector<char>(80, 'x'), pair.ports.plant);
        stranger.send(std::vector<char>(80, 'x'), pair.ports.control);
      }
      usleep(1000);
    }
  });
  Process control(pair.control(pair.ports.plant, kPatientControl));
  Process plant(pair.plant(pair.ports.control, kPatient));
  const Result a = plant.wait(), b = control.wait();
  over = true;
  flood.join();
  ASSERT_EQ(a.code, 0) << a.err;
  ASSERT_EQ(b.code, 0) << b.err;
  EXPECT_LT(a.json()["largest_error"], 0.05);
  for (const Json& seen : {a.json()["commands"], b.json()["measurements"]}) {
    EXPECT_GT(seen["accepted"], 200);
    EXPECT_EQ(seen["length"], 0);
    EXPECT_EQ(seen["magic"], 0);
  }
}

// An attacker that uses the controller's port first, and commands the largest torques: the plant stays within its
// limits.
TEST(RealTime, AHostileControllerIsBraked) {
  const Pair pair(kScenario);
  Process plant(pair.plant(pair.ports.control, {"--duration", "1", "--hold", "5"}));
  const Socket hostile(pair.ports.control);
  std::vector<char> bytes;
  Packet packet, seen;
  packet.kind = PacketKind::command;
  const auto begin = std::chrono::steady_clock::now();
  while (plant.running() && std::chrono::steady_clock::now() - begin < std::chrono::seconds(20)) {
    if (!hostile.receive(bytes) || decode_packet(std::as_bytes(std::span(bytes)), seen) != PacketFault::none) {
      usleep(500);
      continue;
    }
    packet.session = seen.session;
    ++packet.sequence;
    packet.answer = seen.sequence;
    packet.time = seen.time;
    packet.taken = seen.taken;
    packet.count = seen.count / 2;  // joints; then the applied torques
    for (std::size_t k = 0; k < packet.count; ++k) packet.entries[k] = {seen.entries[k].name, 1e9, 0};
    PacketBytes out;
    const auto* first = reinterpret_cast<const char*>(out.data());
    hostile.send(std::vector<char>(first, first + encode_packet(packet, out)), pair.ports.plant);
  }
  const Result result = plant.wait();
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(contains(result.err, "near its velocity limit")) << result.err;
  EXPECT_GT(result.json()["torques_limited"], 0);
}

TEST(RealTime, AKeyKeepsOthersOut) {
  if (!LinkKey::available()) GTEST_SKIP() << "no libcrypto";
  const Pair pair(kScenario);
  const std::string key = pair.folder.write("link.key", "0123456789abcdef0123456789abcdef");
  const Result open = limber(pair.plant(pair.ports.control, {"--key", key}));
  EXPECT_TRUE(contains(open.err, "chmod 600")) << open.err;
  std::filesystem::permissions(key, std::filesystem::perms::owner_read);
  const std::string other = pair.folder.write("other.key", "another secret, as long as the first");
  std::filesystem::permissions(other, std::filesystem::perms::owner_read);
  const auto with = [](std::vector<std::string> words, const std::string& file) {
    for (const std::string& word : {std::string("--key"), file}) words.push_back(word);
    return words;
  };
  {
    Process plant(with(pair.plant(pair.ports.control, kPatient), key));
    const Result wrong = limber(with(pair.control(pair.ports.plant, {"--wait", "2"}), other));
    EXPECT_TRUE(contains(wrong.err, "refused: tag")) << wrong.err;
    const Result none = limber(pair.control(pair.ports.plant, {"--wait", "2"}));
    EXPECT_TRUE(contains(none.err, "refused: tag")) << none.err;
    const Result good = limber(with(pair.control(pair.ports.plant, kPatientControl), key)), other_end = plant.wait();
    EXPECT_EQ(good.code, 0) << good.err;
    EXPECT_EQ(other_end.code, 0) << other_end.err;
  }
}

TEST(RealTime, WhatIsMissingIsTold) {
  const Pair pair(kScenario);
  const Result alone = limber(pair.control(pair.ports.plant, {"--wait", "0.1"}));
  EXPECT_TRUE(alone.is_one_error_line()) << alone.err;
  EXPECT_TRUE(contains(alone.err, "start `limber plant")) << alone.err;
  const Result plant = limber(pair.plant(pair.ports.control, {"--wait", "0.1"}));
  EXPECT_TRUE(plant.is_one_error_line()) << plant.err;
  EXPECT_TRUE(contains(plant.err, "start `limber control")) << plant.err;
  const Socket taken;
  const Result busy = limber({"plant", pair.scenario, "--port", std::to_string(taken.port)});
  EXPECT_TRUE(busy.is_one_error_line()) << busy.err;
  EXPECT_TRUE(contains(busy.err, "the port is in use")) << busy.err;
  EXPECT_TRUE(limber({"plant", pair.scenario, "--bind", "nowhere"}).is_one_error_line());
  EXPECT_TRUE(limber({"control", pair.scenario, "--peer", "1.2.3.4:x"}).is_one_error_line());
  for (const char* command : {"plant", "control"}) {  // other computers are only accepted with a key
    for (const std::vector<std::string>& way :
         {std::vector<std::string>{"--peer", "10.1.2.3:47801"}, {"--bind", "0.0.0.0"}, {"--bind", "192.168.0.7"}}) {
      std::vector<std::string> words = {command, pair.scenario};
      words.insert(words.end(), way.begin(), way.end());
      const Result refused = limber(words);
      EXPECT_TRUE(refused.is_one_error_line()) << refused.err;
      EXPECT_TRUE(contains(refused.err, "need a shared key; make one with `head -c 32")) << refused.err;
    }
  }
  for (const char* hold : {"0", "inf", "nan", "1e9", "0.001"}) {
    EXPECT_TRUE(limber({"control", pair.scenario, "--hold", hold}).is_one_error_line()) << hold;
    EXPECT_TRUE(limber({"plant", pair.scenario, "--hold", hold}).is_one_error_line()) << hold;
  }
  EXPECT_TRUE(limber({"control", pair.scenario, "--key", "nowhere"}).is_one_error_line());
  const std::string open = pair.folder.write("open.yaml", swing("duration: 1\n"));
  EXPECT_TRUE(contains(limber({"control", open}).err, "has no controller"));
}

}  // namespace
}  // namespace limber::test
