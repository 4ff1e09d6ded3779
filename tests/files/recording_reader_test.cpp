// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/recording_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "apps/program.hpp"
#include "limber/files/model_file.hpp"
#include "limber/files/recording.hpp"
#include "support/recorded.hpp"
#include "support/repetitions.hpp"
#include "support/sampled.hpp"

namespace limber::test {
namespace {

constexpr const char* kReadModel = R"(limber: 1
name: boom
bodies: [{name: boom, beam: {length: 2, mass: 3, EIy: 100, modes: {bending_z: 2}}}]
joints: [{name: luff, type: revolute, axis: [0, 1, 0], parent: world, child: boom}]
)";

void write_good_recording(const std::string& path, int records, bool finish = true) {
  const Model model = parse_model(kReadModel, "boom");
  RecordingOptions options;
  options.name = "lift °";
  options.model_text = kReadModel;
  options.solver = "rk4";
  options.nodes = named_nodes(model);
  options.records = records;
  options.flush_every = 0;
  RecordingWriter writer(model, path, options);
  for (int k = 0; k < records; ++k) writer.write(Sampled(model, 0.5 * k, static_cast<unsigned>(k + 1)).record());
  if (finish) writer.finish("finished", true);
}

std::string message(const std::string& path) {
  try {
    const RecordingReader reader(path);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(RecordingReader, GivesBackEveryNumberInAnyPieces) {
  const Folder folder;
  write_good_recording(folder.file("a.h5"), 7);
  std::map<std::string, std::vector<double>> written;
  {
    const Recorded file(folder.file("a.h5"));
    for (const std::string& path : file.datasets()) written[path] = file.numbers(path);
  }
  const RecordingReader reader(folder.file("a.h5"));
  EXPECT_EQ(reader.name, "lift °");
  EXPECT_EQ(reader.model_text, kReadModel);
  EXPECT_EQ(reader.ended, "finished");
  EXPECT_TRUE(reader.complete);
  EXPECT_EQ(reader.time(), written["time"]);
  EXPECT_EQ(reader.series().size() + 1, written.size());
  for (std::size_t s = 0; s < reader.series().size(); ++s) {
    const RecordedSeries& series = reader.series()[s];
    const std::vector<double> all = written[series.path];
    const auto width = static_cast<std::size_t>(series.columns);
    ASSERT_EQ(all.size(), 7 * width);
    EXPECT_EQ(series.units.size(), width);
    EXPECT_EQ(reader.find(series.path), static_cast<int>(s));
    std::vector<double> got(all.size());
    reader.read(static_cast<int>(s), 0, 7, 0, series.columns, got.data());
    EXPECT_EQ(got, all);
    for (long i = 0; i < 7; ++i) {
      for (int c = 0; c < series.columns; ++c) {
        double one = NAN;
        reader.read(static_cast<int>(s), i, 1, c, 1, &one);
        EXPECT_EQ(one, all[static_cast<std::size_t>(i) * width + static_cast<std::size_t>(c)]);
      }
    }
  }
  EXPECT_EQ(reader.series()[static_cast<std::size_t>(reader.find("q"))].names,
            (std::vector<std::string>{"luff", "boom.bending_z1", "boom.bending_z2"}));
  EXPECT_EQ(reader.find("nothing"), -1);
}

TEST(RecordingReader, ReadsWhatAKilledRunLeft) {
  const Folder folder;
  write_good_recording(folder.file("a.h5"), 5, false);
  const RecordingReader reader(folder.file("a.h5"));
  EXPECT_GE(reader.records(), 1);
  EXPECT_LE(reader.records(), 5);
  EXPECT_FALSE(reader.complete);
  EXPECT_EQ(reader.ended, "running");
}

void put_dataset(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

TEST(RecordingReader, SaysWhatIsWrongWithAFile) {
  const Folder folder;
  put_dataset(folder.file("text.h5"), "limber: 1\n");
  put_dataset(folder.file("empty.h5"), "");
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(message(folder.file("missing.h5")), "missing.h5: no such file"));
  EXPECT_TRUE(has(message(folder.file("")), "is a directory"));
  EXPECT_TRUE(has(message(folder.file("text.h5")), "text.h5: is not a recording"));
  EXPECT_TRUE(has(message(folder.file("empty.h5")), "empty.h5: is not a recording"));
  // Another program's file.
  const hid_t other = H5Fcreate(folder.file("other.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(other);
  EXPECT_TRUE(has(message(folder.file("other.h5")), "other.h5: is an HDF5 file but not a recording"));
}

// Opens a good recording for corruption.
hid_t open_to_spoil(const std::string& path) {
  write_good_recording(path, 4);
  return H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
}

TEST(RecordingReader, RefusesDatasetsThatDoNotFit) {
  const Folder folder;
  const std::string path = folder.file("a.h5");
  const auto has = [&](const char* part) {
    const std::string text = message(path);
    return text.find(part) != std::string::npos ? std::string() : text;
  };
  const hsize_t three = 3, cube[3] = {4, 2, 2};
  const auto add = [&](hid_t type, int rank, const hsize_t* size) {
    const hid_t file = open_to_spoil(path), space = H5Screate_simple(rank, size, nullptr);
    H5Dclose(H5Dcreate2(file, "extra", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Fclose(file);
  };
  add(H5T_NATIVE_DOUBLE, 1, &three);
  EXPECT_EQ(has("dataset 'extra' holds 3 records, /time 4"), "");
  add(H5T_NATIVE_INT, 1, &three);
  EXPECT_EQ(has("dataset 'extra' does not hold floating-point numbers"), "");
  add(H5T_NATIVE_DOUBLE, 3, cube);
  EXPECT_EQ(has("dataset 'extra' is neither a list nor a table"), "");

  hid_t file = open_to_spoil(path);
  const double times[4] = {0, 1, 1, 2};
  hid_t time = H5Dopen2(file, "time", H5P_DEFAULT);
  H5Dwrite(time, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times);
  H5Dclose(time);
  H5Fclose(file);
  EXPECT_EQ(has("the times do not rise at record 3"), "");

  file = open_to_spoil(path);
  H5Adelete(file, "model");
  H5Fclose(file);
  EXPECT_EQ(has("has no attribute 'model'"), "");

  file = open_to_spoil(path);
  const int version = 7;
  const hid_t attribute = H5Aopen(file, "limber", H5P_DEFAULT);
  H5Awrite(attribute, H5T_NATIVE_INT, &version);
  H5Aclose(attribute);
  H5Fclose(file);
  EXPECT_EQ(has("is a recording of format 7"), "");
}

TEST(RecordingReader, ACutFileIsReadOrRefused) {
  const Folder folder;
  const std::string path = folder.file("a.h5"), cut = folder.file("cut.h5");
  write_good_recording(path, 20);
  std::ifstream in(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / repetitions(97, 23)) {
    put_dataset(cut, whole.substr(0, size));
    EXPECT_FALSE(message(cut).empty()) << size;
  }
}

TEST(TableReader, ReadsWhatWeWriteAndNamesTheLineOfWhatItCannot) {
  const Folder folder;
  const std::string path = folder.file("a.csv");
  const auto refused = [&](const std::string& text) {
    put_dataset(path, text);
    try {
      const TableReader reader(path);
    } catch (const Error& e) {
      return std::string(e.what()).substr(path.size());
    }
    return std::string();
  };
  put_dataset(path, "time,\"a,\"\"b\",c:d\r\n0,1,nan\r\n0.5,-2e-3,inf\r\n1,3");
  EXPECT_TRUE(is_table(path));
  const TableReader reader(path);
  EXPECT_EQ(reader.records(), 2);
  EXPECT_EQ(reader.series()[0].path, "a,\"b");
  EXPECT_EQ(reader.series()[1].path, "c:d");
  double values[2];
  reader.read(0, 0, 2, 0, 1, values);
  EXPECT_EQ(values[1], -2e-3);
  EXPECT_EQ(refused("").find(": cannot be read"), 0u);
  EXPECT_EQ(refused("times,a\n0,1\n").find(":1: is not the first line"), 0u);
  EXPECT_EQ(refused("time,a\n0,1\n0.5\n1,2\n").find(":3: there are 1 numbers"), 0u);
  EXPECT_EQ(refused("time,a\n0,1\n0.5,x\n1,2\n").find(":3: '0.5,x' is not a row"), 0u);
  EXPECT_EQ(refused("time,a\n0,1\n0,2\n1,2\n").find(":3: the times do not rise"), 0u);
  EXPECT_EQ(refused("time,a\n").find(": holds no records"), 0u);
  EXPECT_EQ(refused("time,a\n0,1\n,\n1,2\n").find(":3: "), 0u);
  EXPECT_FALSE(is_table(folder.file("missing")));
}

}  // namespace
}  // namespace limber::test
