// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Untrusted recordings, damaged by chance or on purpose.  Each is read or refused with a message.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <random>

#include "apps/program.hpp"
#include "limber/files/model_file.hpp"
#include "limber/files/recording.hpp"
#include "limber/files/recording_reader.hpp"
#include "support/recorded.hpp"
#include "support/repetitions.hpp"
#include "support/sampled.hpp"

namespace limber::test {
namespace {

constexpr const char* kModel = R"(limber: 1
name: boom
bodies: [{name: boom, beam: {length: 2, mass: 3, EIy: 100, modes: {bending_z: 2}}}]
joints: [{name: luff, type: revolute, axis: [0, 1, 0], parent: world, child: boom}]
)";

void write_recording(const std::string& path, int records) {
  const Model model = parse_model(kModel, "boom");
  RecordingOptions options;
  options.name = "lift";
  options.model_text = kModel;
  options.solver = "rk4";
  options.nodes = named_nodes(model);
  options.records = records;
  RecordingWriter writer(model, path, options);
  for (int k = 0; k < records; ++k) writer.write(Sampled(model, 0.5 * k, static_cast<unsigned>(k + 1)).record());
  writer.finish("finished", true);
}

// Reads every number; returns the reason if it is refused.
std::string read_whole(const std::string& path) {
  try {
    const RecordingReader reader(path);
    for (std::size_t s = 0; s < reader.series().size(); ++s) {
      const int columns = reader.series()[s].columns;
      std::vector<double> numbers(static_cast<std::size_t>(reader.records() * columns));
      reader.read(static_cast<int>(s), 0, reader.records(), 0, columns, numbers.data());
    }
  } catch (const FileError& e) {
    return e.what();
  }
  return "";
}

// A good recording, opened for corruption.
class Spoilt {
 public:
  explicit Spoilt(const std::string& path) {
    write_recording(path, 4);
    file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  }
  ~Spoilt() { H5Fclose(file); }
  hid_t file;
};

// A new dataset of doubles.
void add_dataset(hid_t file, const char* name, int rank, const hsize_t* size, hid_t creation) {
  const hid_t space = H5Screate_simple(rank, size, nullptr);
  H5Dclose(H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  H5Sclose(space);
}

TEST(HostileRecording, LinksToElsewhereAreRefused) {
  const Folder folder;
  const std::string other = folder.file("other.h5"), path = folder.file("a.h5");
  write_recording(other, 4);
  const auto refused = [&](const auto& spoil) {
    { spoil(Spoilt(path).file); }
    return read_whole(path);
  };
  const char* kLink = "a.h5: holds a link to elsewhere, 'q'";
  EXPECT_TRUE(contains(refused([&](hid_t file) {
                         H5Ldelete(file, "q", H5P_DEFAULT);
                         H5Lcreate_external(other.c_str(), "q", file, "q", H5P_DEFAULT, H5P_DEFAULT);
                       }),
                       kLink));
  EXPECT_TRUE(contains(refused([&](hid_t file) {
                         H5Ldelete(file, "q", H5P_DEFAULT);
                         H5Lcreate_soft("/v", file, "q", H5P_DEFAULT, H5P_DEFAULT);
                       }),
                       kLink));
  EXPECT_TRUE(contains(refused([&](hid_t file) {
                         H5Lcreate_external(other.c_str(), "/", file, "nodes/more", H5P_DEFAULT, H5P_DEFAULT);
                       }),
                       "link to elsewhere, 'nodes/more'"));
  EXPECT_TRUE(contains(refused([&](hid_t file) {
                         H5Ldelete(file, "time", H5P_DEFAULT);
                         H5Lcreate_external(other.c_str(), "time", file, "time", H5P_DEFAULT, H5P_DEFAULT);
                       }),
                       "link to elsewhere, 'time'"));
}

TEST(HostileRecording, NumbersOfOtherFilesAreRefused) {
  const Folder folder;
  const std::string secret = folder.write("secret.txt", std::string(96, 's')), path = folder.file("a.h5");
  const hsize_t size[2] = {4, 3};
  for (const char* name : {"stolen", "time"}) {
    {
      const Spoilt spoilt(path);
      if (std::strcmp(name, "time") == 0) H5Ldelete(spoilt.file, "time", H5P_DEFAULT);
      const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
      H5Pset_external(creation, secret.c_str(), 0, 96);
      add_dataset(spoilt.file, name, 2, size, creation);
      H5Pclose(creation);
    }
    EXPECT_TRUE(contains(read_whole(path), "keeps its numbers in another file")) << read_whole(path);
  }
  {
    const Spoilt spoilt(path);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, size, nullptr);
    H5Pset_virtual(creation, space, folder.file("other.h5").c_str(), "q", space);
    add_dataset(spoilt.file, "virtual", 2, size, creation);
    H5Sclose(space);
    H5Pclose(creation);
  }
  EXPECT_TRUE(contains(read_whole(path), "dataset 'virtual' keeps its numbers in another file")) << read_whole(path);
}

// Small files that claim to be large: 2e9 unwritten times, and ten million columns.
TEST(HostileRecording, ClaimsBeyondTheFileTakeNoMemory) {
  const Folder folder;
  const std::string path = folder.file("a.h5");
  const auto spoil = [&](const char* name, std::vector<hsize_t> size) {
    const Spoilt spoilt(path);
    if (H5Lexists(spoilt.file, name, H5P_DEFAULT) > 0) H5Ldelete(spoilt.file, name, H5P_DEFAULT);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[2] = {1, 1};
    H5Pset_chunk(creation, static_cast<int>(size.size()), chunk);
    add_dataset(spoilt.file, name, static_cast<int>(size.size()), size.data(), creation);
    H5Pclose(creation);
  };
  const std::pair<const char*, std::vector<hsize_t>> claims[] = {{"time", {2'000'000'000}}, {"wide", {4, 10'000'000}}};
  for (const auto& [name, size] : claims) {
    spoil(name, size);
    ASSERT_LT(std::filesystem::file_size(path), 100'000u);
    EXPECT_TRUE(contains(read_whole(path), "claims more numbers than the file has")) << read_whole(path);
  }
}

// Random bytes changed, as by a bad disk or an attacker: no crash, no hang.  scripts/stress does thousands.
TEST(HostileRecording, DamageIsAnErrorAtWorst) {
  const Folder folder;
  const std::string path = folder.file("a.h5"), bad = folder.file("bad.h5");
  write_recording(path, 20);
  std::ifstream in(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  std::mt19937 random(1);
  constexpr int kFiles = repetitions(150, 45);
  int refused = 0;
  for (int k = 0; k < kFiles; ++k) {
    std::string text = whole;
    const std::size_t structure = std::min<std::size_t>(text.size(), 8192);
    for (int n = 1 + static_cast<int>(random() % 4); n > 0; --n)
      text[random() % structure] = static_cast<char>(random());
    std::ofstream(bad, std::ios::binary) << text;
    const std::string why = read_whole(bad);
    EXPECT_TRUE(why.empty() || why.starts_with(bad + ": ")) << why;
    refused += why.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 2 * kFiles / 15);
}

TEST(HostileRecording, PipesAndDevicesAreNotWaitedFor) {
  const Folder folder;
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  for (const std::string& path : {folder.file("pipe"), std::string("/dev/zero")})
    EXPECT_TRUE(contains(read_whole(path), "is not a plain file")) << path;
}

}  // namespace
}  // namespace limber::test
