// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace limber {

// One dataset of a recording other than `time`, or one column of a table.
struct RecordedSeries {
  std::string path;                // "nodes/boom.tip/position"
  int columns = 1;                 // may be 0
  std::vector<std::string> units;  // (columns)
  std::vector<std::string> names;  // (columns), or empty
};

// Signals over time, from any source.
class Recorded {
 public:
  virtual ~Recorded() = default;
  const std::string& path() const { return path_; }                      // of the file
  const std::vector<double>& time() const { return time_; }              // s, increasing
  long records() const { return static_cast<long>(time_.size()); }       // number of times
  const std::vector<RecordedSeries>& series() const { return series_; }  // the recorded series
  int find(const std::string& path) const;                               // index of a series, -1: none
  // Columns [column, column + columns) of records first, first + 1, ...: count x columns numbers, row by row.
  virtual void read(int series, long first, long count, int column, int columns, double* out) const = 0;

 protected:
  std::string path_;
  std::vector<double> time_;
  std::vector<RecordedSeries> series_;
};

// Reads a recording: docs/recording-format.md.  It may still be in progress, or incomplete: /time determines its
// length.
//   Every failure is a FileError "PATH: ...": a file that is not a recording, one without records, a dataset that is
// shorter than /time or not numeric, one that refers to other files.  Only the times are read in advance,
// everything else on request.  HDF5 runs in a separate process (fork), so a damaged file that crashes it is an error,
// too.
class RecordingReader : public Recorded {
 public:
  explicit RecordingReader(const std::string& path);
  ~RecordingReader() override;
  RecordingReader(const RecordingReader&) = delete;
  RecordingReader& operator=(const RecordingReader&) = delete;

  // Attributes of the root.
  std::string name, model_text, scenario_text, solver, version, ended, figures;
  bool complete = false;
  std::map<std::string, std::string> files;  // modal bodies of the model: bytes by name

  void read(int series, long first, long count, int column, int columns, double* out) const override;

 private:
  struct Impl;
  void receive_header();
  void read_times(long records);
  std::unique_ptr<Impl> impl_;
};

// Reads a text table with names in its first line, `time` first, as written by `limber run --csv` and `limber
// control`.  It is held in memory.  An incomplete last line is ignored.  Throws FileError
// "PATH:LINE: ...".
class TableReader : public Recorded {
 public:
  explicit TableReader(const std::string& path);
  void read(int series, long first, long count, int column, int columns, double* out) const override;

 private:
  std::vector<std::vector<double>> columns_;  // (series)
};

// Whether a file starts like a text table, with the word `time`; whether it starts like an HDF5 file.
bool is_table(const std::string& path);
bool is_hdf5(const std::string& path);

}  // namespace limber
