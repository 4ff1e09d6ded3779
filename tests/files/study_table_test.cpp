// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/study_table.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "limber/spatial/status.hpp"

namespace limber {
namespace {

const std::string kSample = LIMBER_TEST_DATA "/studies/sample.h5";

StudyData small_study() {
  StudyData data;
  data.name = "small";
  data.study_text = "limber: 1";
  data.method = "random";
  data.seed = 18446744073709551615u;
  data.parameters = {{"load.mass", "kg", "uniform: [0, 1]", {1, 2, 3}, {}},
                     {"scenario.solver.method", "", "values", {}, {"rk4", "implicit", "b"}}};
  data.results = {{"tip", "m", "of: q", {}, {}}};
  data.status.resize(3);
  data.seeds = {1, 2, 18446744073709551615u};
  return data;
}

struct TablePath {
  std::string path = ::testing::TempDir() + "limber-table-" + std::to_string(getpid()) + ".h5";
  ~TablePath() { std::filesystem::remove(path); }
};

// Written by h5py: tests/data/studies/make_sample.
TEST(StudyTable, ReadsWhatAnotherProgramWrote) {
  const StudyData data = read_study_table(kSample);
  EXPECT_EQ(data.name, "oscillator");
  EXPECT_EQ(data.runs(), 64);
  EXPECT_TRUE(data.complete);
  EXPECT_EQ(data.method, "latin");
  EXPECT_EQ(data.recordings, "sample.runs");
  ASSERT_EQ(data.parameters.size(), 3u);
  EXPECT_EQ(data.parameters[0].name, "load.mass");
  EXPECT_EQ(data.parameters[0].unit, "kg");
  EXPECT_EQ(data.parameters[2].words[0].size(), data.parameters[2].words[0] == "linear" ? 6u : 7u);
  EXPECT_EQ(data.status[7], "diverged");
  EXPECT_EQ(data.status[33], "refused");
  EXPECT_EQ(data.message[7], "diverged at t = 0.25 s: not finite");
  EXPECT_TRUE(std::isnan(data.results[1].values[7]));
  EXPECT_EQ(data.seeds[3], 12348u);
  EXPECT_EQ(data.kept[0] + data.kept[7], 2);
  EXPECT_EQ(data.done_count(), 64);
}

TEST(StudyTable, RowsComeBackAsTheyWereWritten) {
  const TablePath file;
  const StudyData data = small_study();
  {
    StudyTableWriter table(file.path, data, {});
    table.begin(0);
    table.begin(2);
    table.write({.index = 2,
                 .status = "diverged",
                 .message = std::string(300, 'x'),
                 .results = {0.1},
                 .wall = 2,
                 .kept = true});
  }  // as after a kill
  StudyData half = read_study_table(file.path);
  EXPECT_FALSE(half.complete);
  EXPECT_EQ(half.status, (std::vector<std::string>{"running", "", "diverged"}));
  EXPECT_EQ(half.done_count(), 1);
  EXPECT_EQ(half.message[2], std::string(kStudyMessageBytes, 'x'));
  EXPECT_EQ(half.results[0].values[2], 0.1);
  EXPECT_TRUE(std::isnan(half.results[0].values[0]));
  EXPECT_THROW(StudyTableWriter(file.path, data, {}), FileError);  // the existing file is kept
  {
    StudyTableWriter table(file.path, data);
    for (const long run : {1L, 0L})
      table.write({.index = run, .status = "ok", .message = "", .results = {-1.5}, .wall = 1});
    table.finish(true);
  }
  const StudyData whole = read_study_table(file.path);
  EXPECT_TRUE(whole.complete);
  EXPECT_EQ(whole.status, (std::vector<std::string>{"ok", "ok", "diverged"}));
  EXPECT_EQ(whole.results[0].values, (std::vector<double>{-1.5, -1.5, 0.1}));
  EXPECT_EQ(whole.parameters[0].values, data.parameters[0].values);
  EXPECT_EQ(whole.parameters[1].words, data.parameters[1].words);
  EXPECT_EQ(whole.seeds, data.seeds);
  EXPECT_EQ(whole.seed, data.seed);
  StudyTableWriter(file.path, data, {}).finish(false);  // a complete one is replaced
}

// As on a disk that becomes full at the end of a page.
TEST(StudyTable, AStatusThatIsCutIsNotDone) {
  const TablePath file;
  for (const char* cut : {"runn", "diveing", "r", "o"}) {
    StudyTableWriter(file.path, small_study(), {})
        .write({.index = 1, .status = cut, .message = "", .results = {1}, .wall = 1});
    EXPECT_EQ(read_study_table(file.path).done_count(), 0) << cut;
  }
}

TEST(StudyTable, OneProcessWritesATableAtATime) {
  const TablePath file;
  StudyTableWriter table(file.path, small_study(), {});
  EXPECT_THROW(StudyTableWriter(file.path, small_study()), FileError);
}

// A truncated table is reported as an error; it is not mistaken for a recording, nor vice versa.
TEST(StudyTable, DamagedFilesAreRefused) {
  const TablePath file;
  std::ifstream in(kSample, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t size = 0; size < bytes.size(); size += 997) {
    std::ofstream(file.path, std::ios::binary) << bytes.substr(0, size);
    EXPECT_THROW(read_study_table(file.path), FileError) << size;
  }
  EXPECT_TRUE(is_study_table(kSample));
  EXPECT_FALSE(is_study_table(LIMBER_TEST_DATA "/no-such-file"));
  EXPECT_THROW(read_study_table(LIMBER_TEST_DATA "/no-such-file"), FileError);
}

}  // namespace
}  // namespace limber
