// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

inline constexpr int kStudyFormat = 1;
inline constexpr std::size_t kStudyStatusBytes = 16, kStudyMessageBytes = 160;

// A parameter or a result of a study: one value per run.
struct StudyColumn {
  std::string name;                // path of a parameter, name of a result: the name of its dataset
  std::string unit;                // empty: unknown, or none
  std::string text;                // its definition in the study file
  std::vector<double> values;      // (run); not a number: none yet.  Empty where there are words
  std::vector<std::string> words;  // (run) of a parameter whose values are not numbers
};

// A study as stored in its table: docs/studies.md, "The table".
struct StudyData {
  std::string name, version;
  std::string study_text, scenario_text, model_text;  // of the files; the model only if it is a separate file
  std::string method;                                 // of sampling, or of the search
  std::uint64_t seed = 0;
  std::string recordings;  // folder of the kept recordings, beside the table: RUN.h5
  bool complete = false;
  std::vector<StudyColumn> parameters, results;
  std::vector<std::string> status;   // (run) "ok", "diverged", "refused", "failed"; "running" or empty: not done
  std::vector<std::string> message;  // (run) cause of a failure
  std::vector<std::uint64_t> seeds;  // (run)
  std::vector<double> wall;          // (run) s
  std::vector<std::uint8_t> kept;    // (run) 1: its recording was kept

  long runs() const { return static_cast<long>(status.size()); }
  bool done(long run) const;  // whether it has a result, of any status
  long done_count() const;
};

// The row of a run in the table.
struct StudyRow {
  long index = 0;
  std::string status = "ok", message;
  std::vector<double> results;  // (result)
  double wall = 0;              // s
  bool kept = false;
};

// Reads a table, finished or not.  Throws FileError "PATH: ...".  HDF5 runs in a separate process.
StudyData read_study_table(const std::string& path);
bool is_study_table(const std::string& path);

// Writes a table, run by run in any order.  Every row is in the file when write() returns, even if the process is
// killed: all datasets have their place from the start, and a row's status is written last.  One process writes
// a path at a time.  Failures are a FileError "PATH: ...".
class StudyTableWriter {
 public:
  // A new table: `data` with its parameters and seeds; results without values.  An existing table is replaced if
  // it is complete, and refused with a hint at --resume otherwise.
  StudyTableWriter(const std::string& path, const StudyData& data, std::vector<std::string> never_overwrites);
  // Continues an existing table, which must be of the same study.  `data`: as in the file.
  StudyTableWriter(const std::string& path, const StudyData& data);
  ~StudyTableWriter();
  StudyTableWriter(StudyTableWriter&&) noexcept;

  void begin(long index);  // marks a run as begun
  void write(const StudyRow& row);
  void write_parameters(long index, const std::vector<double>& values);  // of a search, found during the run
  void finish(bool complete);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace limber
