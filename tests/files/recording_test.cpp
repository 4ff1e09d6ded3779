// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/recording.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "apps/program.hpp"
#include "limber/files/model_file.hpp"
#include "support/close.hpp"
#include "support/random_tree.hpp"
#include "support/recorded.hpp"
#include "support/sampled.hpp"

namespace limber::test {
namespace {

constexpr const char* kRecordedModel = R"(limber: 1
name: crane
gravity: [0, 0, -9.81]
bodies:
  - {name: ship, rigid: {mass: 10, inertia: [1, 1, 1, 0, 0, 0]}, nodes: [{name: deck, position: [0, 0, 1]}]}
  - {name: boom, beam: {length: 2, mass: 3, EIy: 100, EIz: 100, modes: {bending_y: 2, bending_z: 1}}}
  - {name: trolley, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}
  - {name: hook, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}
  - {name: load, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}
joints:
  - {name: sea, type: free, parent: world, child: ship}
  - {name: luff, type: revolute, axis: [0, 1, 0], parent: ship.deck, child: boom}
  - {name: run, type: prismatic, axis: [1, 0, 0], parent: boom.tip, child: trolley}
  - {name: swivel, type: cylindrical, axis: [0, 0, 1], parent: trolley, child: hook}
  - {name: weld, type: fixed, parent: hook, child: load}
)";

RecordingOptions options_for(const Model& model, long records) {
  RecordingOptions out;
  out.name = "lift";
  out.model_text = kRecordedModel;
  out.scenario_text = "scenario: lift # °";
  out.solver = "rk4";
  out.nodes = named_nodes(model);
  out.records = records;
  out.flush_every = 1e9;
  return out;
}

VectorXd row_of(const Recorded& file, const std::string& path, int row) {
  const std::vector<double> all = file.numbers(path);
  const auto width = static_cast<Eigen::Index>(all.size() / file.rows(path));
  return Eigen::Map<const VectorXd>(all.data() + row * width, width);
}

using Texts = std::vector<std::string>;
using Shape = std::vector<hsize_t>;

TEST(Recording, HoldsWhatTheFormatPromises) {
  const Folder folder;
  const Model model = parse_model(kRecordedModel, "crane.yaml");
  RecordingWriter writer(model, folder.file("a.h5"), options_for(model, 7));
  std::vector<Sampled> samples;
  for (unsigned k = 0; k < 7; ++k) samples.emplace_back(model, 0.5 * k, k + 1);
  for (const Sampled& s : samples) writer.write(s.record());
  EXPECT_EQ(writer.records(), 7);
  writer.finish("finished", true);
  EXPECT_EQ(writer.records(), 7);
  EXPECT_EQ(folder.names(), Texts{"a.h5"});

  const Recorded file(folder.file("a.h5"));
  EXPECT_EQ(file.number("/", "limber"), 1);
  EXPECT_EQ(file.number("/", "complete"), 1);
  EXPECT_EQ(file.text("/", "ended"), "finished");
  EXPECT_EQ(file.text("/", "model"), kRecordedModel);
  EXPECT_EQ(file.text("/", "scenario"), "scenario: lift # °");
  EXPECT_EQ(file.text("/", "name"), "lift");
  EXPECT_EQ(file.text("/", "solver"), "rk4");
  EXPECT_FALSE(file.text("/", "version").empty());
  EXPECT_EQ(file.texts("q", "names"), model.coordinates);
  EXPECT_EQ(file.texts("v", "names"), model.speeds);
  for (const std::string& path : file.datasets()) {
    EXPECT_TRUE(file.has_attribute(path, "units")) << path;
    EXPECT_EQ(file.rows(path), 7u) << path;
  }
  for (int k = 0; k < 7; ++k) {
    const Sampled& s = samples[static_cast<std::size_t>(k)];
    EXPECT_EQ(row_of(file, "time", k)[0], 0.5 * k);
    EXPECT_EQ(row_of(file, "q", k), s.motion.x.q);
    EXPECT_EQ(row_of(file, "v", k), s.motion.x.v);
    EXPECT_EQ(row_of(file, "joints/sea/torque", k), s.torques.head(6));
    EXPECT_EQ(row_of(file, "joints/luff/torque", k), s.torques.segment(6, 1));
    EXPECT_EQ(row_of(file, "energy/kinetic", k)[0], s.energy.kinetic);
    EXPECT_EQ(row_of(file, "energy/elastic", k)[0], s.energy.elastic);
    EXPECT_EQ(row_of(file, "energy/gravity", k)[0], s.energy.gravity);
    EXPECT_EQ(row_of(file, "energy/springs", k)[0], s.energy.springs);
    EXPECT_EQ(row_of(file, "energy/work", k)[0], s.motion.work);
    EXPECT_EQ(row_of(file, "energy/dissipated", k)[0], s.motion.dissipated);
    EXPECT_EQ(row_of(file, "energy/balance", k)[0], s.balance);
    EXPECT_EQ(row_of(file, "momentum/linear", k), s.momentum.linear);
    EXPECT_EQ(row_of(file, "momentum/angular", k), s.momentum.angular);
  }
}

TEST(Recording, HasThePosesOfNodes) {
  const Folder folder;
  const Model model = parse_model(kRecordedModel, "crane.yaml");
  RecordingWriter writer(model, folder.file("a.h5"), options_for(model, 3));
  for (unsigned k = 0; k < 3; ++k) writer.write(Sampled(model, k, k + 1).record());
  writer.finish("finished", true);
  const Recorded file(folder.file("a.h5"));
  const int boom = model.find_body("boom"), tip = model.body(boom).node_index("tip");
  for (int k = 0; k < 3; ++k) {
    const Sampled s(model, k, static_cast<unsigned>(k) + 1);
    const Pose pose = node_pose(model, s.kin, {boom, tip});
    EXPECT_EQ(row_of(file, "nodes/boom.tip/position", k), pose.p);
    const VectorXd R = row_of(file, "nodes/boom.tip/rotation", k);  // by rows
    EXPECT_EQ(Matrix3d(Eigen::Map<const Matrix3d>(R.data()).transpose()), pose.R);
    // The same from the shapes of the node.
    const Node& node = model.body(boom).nodes[static_cast<std::size_t>(tip)];
    const Vector3d expected = node.translation * s.motion.x.q.segment(model.first_mode_q(boom), 3);
    EXPECT_CLOSE(row_of(file, "nodes/boom.tip/deflection", k), expected, 100 * kEps * (1 + pose.p.norm()));
    EXPECT_EQ(row_of(file, "nodes/ship.deck/deflection", k), Vector3d::Zero());
  }
}

TEST(Recording, SaysUnitsAndShapes) {
  const Folder folder;
  const Model model = parse_model(kRecordedModel, "crane.yaml");
  RecordingWriter writer(model, folder.file("a.h5"), options_for(model, 2));
  writer.write(Sampled(model, 0, 1).record());
  writer.finish("finished", true);
  const Recorded file(folder.file("a.h5"));
  EXPECT_EQ(file.texts("q", "units"),
            Texts({"1", "1", "1", "1", "m", "m", "m", "rad", "modal", "modal", "modal", "m", "rad", "m"}));
  EXPECT_EQ(file.texts("v", "units"), Texts({"rad/s", "rad/s", "rad/s", "m/s", "m/s", "m/s", "rad/s", "modal/s",
                                             "modal/s", "modal/s", "m/s", "rad/s", "m/s"}));
  EXPECT_EQ(file.texts("joints/sea/torque", "units"), Texts({"N m", "N m", "N m", "N", "N", "N"}));
  EXPECT_EQ(file.text("joints/run/torque", "units"), "N");
  EXPECT_EQ(file.text("nodes/boom.tip/rotation", "units"), "1");
  EXPECT_EQ(file.text("momentum/angular", "units"), "kg m^2/s");
  EXPECT_EQ(file.text("time", "units"), "s");
  EXPECT_EQ(file.shape("time"), Shape({1}));
  EXPECT_EQ(file.shape("q"), Shape({1, 14}));
  EXPECT_EQ(file.shape("v"), Shape({1, 13}));
  EXPECT_EQ(file.shape("nodes/boom.root/rotation"), Shape({1, 9}));
  EXPECT_EQ(file.shape("nodes/boom.root/deflection"), Shape({1, 3}));
  EXPECT_EQ(file.shape("joints/swivel/torque"), Shape({1, 2}));
  EXPECT_EQ(file.shape("joints/luff/torque"), Shape({1, 1}));
  EXPECT_EQ(file.shape("energy/balance"), Shape({1}));
  EXPECT_FALSE(file.has("joints/weld/torque"));
  EXPECT_FALSE(file.has("joints/luff/stop"));
}

// With a stop on the first joint, and without energies.
TEST(Recording, HasStopsAndLeavesEnergiesOut) {
  const Folder folder;
  RigidSpec rod;
  rod.mass = 1;
  rod.inertia.setIdentity();
  ModelBuilder builder("pendulum");
  Joint joint;
  joint.name = "pin";
  joint.kind = JointKind::revolute;
  joint.stop = JointStop{-1, 1, 100, 1};
  Body body = make_rigid_body(rod);
  body.name = "rod";
  builder.add_joint(joint, builder.add_body(body));
  const Model model = builder.build();
  RecordingOptions options = options_for(model, 2);
  options.energy = false;
  RecordingWriter writer(model, folder.file("a.h5"), options);
  const Sampled s(model, 0, 1);
  writer.write(s.record());
  writer.finish("finished", true);
  const Recorded file(folder.file("a.h5"));
  EXPECT_EQ(file.shape("joints/pin/stop"), Shape({1, 1}));
  EXPECT_EQ(row_of(file, "joints/pin/stop", 0)[0], s.stops[0]);
  EXPECT_EQ(file.text("joints/pin/stop", "units"), "N m");
  EXPECT_FALSE(file.has("energy"));
  EXPECT_FALSE(file.has("momentum"));
}

TEST(Recording, CanBeReadWhileItIsWritten) {
  const Folder folder;
  const Model model = parse_model(kRecordedModel, "crane.yaml");
  RecordingOptions options = options_for(model, 100);
  options.flush_every = 0;
  RecordingWriter writer(model, folder.file("a.h5"), options);
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.h5")));
  const std::string copy = folder.file("copy.h5");
  hsize_t before = 0;
  for (unsigned k = 0; k < 50; ++k) {
    writer.write(Sampled(model, k, 1).record());
    // A copy, as read by another process; HDF5 does not permit the same process to open a file twice.
    std::filesystem::copy_file(folder.file("a.h5"), copy, std::filesystem::copy_options::overwrite_existing);
    const Recorded file(copy);
    EXPECT_GE(file.rows("time"), std::max<hsize_t>(1, before));
    EXPECT_LE(file.rows("time"), k + 1);
    EXPECT_EQ(file.number("/", "complete"), 0);
    EXPECT_EQ(file.text("/", "ended"), "running");
    for (const std::string& path : file.datasets()) EXPECT_GE(file.rows(path), file.rows("time")) << path;
    before = file.rows("time");
    usleep(1000);
  }
  EXPECT_GT(before, 5u);
  writer.finish("interrupted", false);
  const Recorded file(folder.file("a.h5"));
  EXPECT_EQ(file.rows("time"), 50u);
  EXPECT_EQ(file.number("/", "complete"), 0);
  EXPECT_EQ(file.text("/", "ended"), "interrupted");
}

TEST(Recording, ThatIsAbandonedHoldsWhatWasHandedOn) {
  const Folder folder;
  const Model model = parse_model(kRecordedModel, "crane.yaml");
  {
    RecordingWriter writer(model, folder.file("a.h5"), options_for(model, 100));
    for (unsigned k = 0; k < 50; ++k) writer.write(Sampled(model, k, 1).record());
  }
  const Recorded file(folder.file("a.h5"));
  EXPECT_EQ(file.rows("time"), 1u);  // the first record is written immediately
  EXPECT_EQ(file.text("/", "ended"), "running");
  { const RecordingWriter unused(model, folder.file("b.h5"), options_for(model, 100)); }
  EXPECT_FALSE(std::filesystem::exists(folder.file("b.h5")));
  EXPECT_EQ(folder.names(), Texts{"a.h5"});
}

// Names of this many coordinates exceed the size of an ordinary attribute.
TEST(Recording, HasThousandsOfCoordinates) {
  const Folder folder;
  constexpr int kBodies = 4500;
  RigidSpec spec;
  spec.mass = 1;
  spec.inertia.setIdentity();
  ModelBuilder builder("chain");
  for (int i = 1; i <= kBodies; ++i) {
    Body body = make_rigid_body(spec);
    body.name = fmt::format("link{}", i);
    Joint joint;
    joint.name = fmt::format("joint{}", i);
    joint.kind = JointKind::revolute;
    joint.parent.body = i - 1;
    builder.add_joint(joint, builder.add_body(body));
  }
  const Model model = builder.build();
  RecordingOptions options = options_for(model, 10);
  options.nodes.clear();
  RecordingWriter writer(model, folder.file("a.h5"), options);
  const Sampled s(model, 0, 1);
  for (int k = 0; k < 10; ++k) writer.write(s.record());
  writer.finish("finished", true);
  const Recorded file(folder.file("a.h5"));
  EXPECT_EQ(file.texts("q", "names"), model.coordinates);
  EXPECT_EQ(file.texts("v", "units"), Texts(kBodies, "rad/s"));
  EXPECT_EQ(row_of(file, "q", 9), s.motion.x.q);
  // No header that changes crosses a page boundary.
  constexpr haddr_t kPage = 4096;
  for (const std::string& path : file.datasets()) {
    const auto [first, size] = file.header(path);
    EXPECT_EQ(first % 8, 0u) << path;
    if (path != "q" && path != "v") continue;
    EXPECT_EQ(first / kPage, (first + size - 1) / kPage) << path;
  }
}

TEST(Recording, OfAMachineWithoutCoordinates) {
  const Folder folder;
  const Model model = parse_model(R"({limber: 1, bodies: [{name: rock, rigid: {mass: 1}}],
    joints: [{name: weld, type: fixed, parent: world, child: rock}]})",
                                  "rock.yaml");
  RecordingWriter writer(model, folder.file("a.h5"), options_for(model, 3));
  for (unsigned k = 0; k < 3; ++k) writer.write(Sampled(model, k, 1).record());
  writer.finish("finished", true);
  const Recorded file(folder.file("a.h5"));
  EXPECT_EQ(file.shape("q"), Shape({3, 0}));
  EXPECT_EQ(file.texts("q", "names"), Texts());
  EXPECT_EQ(row_of(file, "time", 2)[0], 2);
}

std::string recording_refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Recording, RefusesOutputsInOneLine) {
  const Folder folder;
  const Model model = parse_model(kRecordedModel, "crane.yaml");
  const std::string text = folder.write("notes.txt", "not a recording");
  RecordingOptions options = options_for(model, 3);
  options.never_overwrites = {folder.write("scenario.yaml", "")};
  const auto attempt = [&](const std::string& path) {
    return recording_refusal([&] { RecordingWriter writer(model, path, options); });
  };
  EXPECT_TRUE(contains(attempt(""), "empty file name"));
  EXPECT_TRUE(contains(attempt(folder.file("")), "is a directory"));
  EXPECT_TRUE(contains(attempt(folder.file("none/a.h5")), "does not exist"));
  EXPECT_TRUE(contains(attempt(text), "is not a recording"));
  EXPECT_TRUE(contains(attempt(folder.file("./scenario.yaml")), "would overwrite"));
  EXPECT_TRUE(contains(attempt("/dev/null"), "not a plain file"));
  EXPECT_TRUE(contains(attempt("/proc/a.h5"), "cannot be written"));
  EXPECT_EQ(read_all(text), "not a recording");
  options.records = 2'000'000'000;
  EXPECT_TRUE(contains(attempt(folder.file("a.h5")), "too many"));
  EXPECT_EQ(folder.names(), (Texts{"notes.txt", "scenario.yaml"}));
}

TEST(Recording, OverwritesARecordingAlone) {
  const Folder folder;
  const Model model = parse_model(kRecordedModel, "crane.yaml");
  const std::string path = folder.file("a.h5");
  std::filesystem::create_symlink("a.h5", folder.file("link.h5"));
  for (const char* name : {"a.h5", "link.h5", "a.h5"}) {
    RecordingWriter writer(model, folder.file(name), options_for(model, 3));
    writer.write(Sampled(model, 0, 1).record());
    writer.finish(name, true);
    EXPECT_EQ(Recorded(path).text("/", "ended"), name);
  }
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.h5")));
}

long resident_kib() {
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE) / 1024;
}

TEST(Recording, DoesNotGrowInMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer keeps freed memory";
#endif
  const Folder folder;
  const Model model = parse_model(kRecordedModel, "crane.yaml");
  constexpr long kRecords = 100'000;  // 110 numbers each: 88 MB
  RecordingWriter writer(model, folder.file("a.h5"), options_for(model, kRecords));
  const Sampled s(model, 0, 1);
  for (long k = 0; k < kRecords / 5; ++k) writer.write(s.record());
  const long before = resident_kib();
  for (long k = kRecords / 5; k < kRecords; ++k) writer.write(s.record());
  EXPECT_LT(resident_kib() - before, 4096);
  writer.finish("finished", true);
  EXPECT_EQ(Recorded(folder.file("a.h5")).rows("time"), static_cast<hsize_t>(kRecords));
}

TEST(Csv, HoldsNamesAndSeventeenDigits) {
  const Folder folder;
  const Model model = parse_model(kRecordedModel, "crane.yaml");
  const Sampled s(model, 0.1, 1);
  {
    CsvWriter csv(model, folder.file("a.csv"), true);
    csv.write(s.record());
    csv.finish();
  }
  std::istringstream text(read_all(folder.file("a.csv")));
  std::string header, line, cell;
  std::getline(text, header);
  std::getline(text, line);
  EXPECT_TRUE(header.starts_with("time,q:sea.qw,")) << header;
  EXPECT_TRUE(header.ends_with(",energy:dissipated,energy:balance")) << header;
  EXPECT_TRUE(contains(header, ",v:boom.bending_y1,")) << header;
  std::vector<double> numbers;
  for (std::istringstream row(line); std::getline(row, cell, ',');) numbers.push_back(std::stod(cell));
  ASSERT_EQ(numbers.size(), static_cast<std::size_t>(1 + model.nq + model.nv + 7));
  EXPECT_EQ(numbers[0], 0.1);
  for (int i = 0; i < model.nq; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(1 + i)], s.motion.x.q[i]);
  EXPECT_EQ(numbers.back(), s.balance);
  // Overwrites itself, and nothing else.
  EXPECT_EQ(recording_refusal([&] { CsvWriter(model, folder.file("a.csv"), true); }), "");
  const std::string notes = folder.write("notes.txt", "timely");
  EXPECT_TRUE(contains(recording_refusal([&] { CsvWriter(model, notes, true); }), "not a table"));
  EXPECT_TRUE(
      contains(recording_refusal([&] { CsvWriter(model, folder.file("none/a.csv"), true); }), "does not exist"));
}

}  // namespace
}  // namespace limber::test
