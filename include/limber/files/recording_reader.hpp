// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace limber {

// One dataset of a recording but `time`, or one column of a table.
struct RecordedSeries {
  std::string path;                // "nodes/boom.tip/position"
  int columns = 1;                 // may be 0
  std::vector<std::string> units;  // (columns)
  std::vector<std::string> names;  // (columns), or empty
};

// Signals over time, wherever they come from.
class Recorded {
 public:
  virtual ~Recorded() = default;
  const std::string& path() const { return path_; }                      // of the file
  const std::vector<double>& time() const { return time_; }              // s, rising
  long records() const { return static_cast<long>(time_.size()); }       // number of times
  const std::vector<RecordedSeries>& series() const { return series_; }  // what is recorded
  int find(const std::string& path) const;                               // index of a series, -1: none
  // Columns [column, column + columns) of records first, first + 1, ...: count x columns numbers, row by row.
  virtual void read(int series, long first, long count, int column, int columns, double* out) const = 0;

 protected:
  std::string path_;
  std::vector<double> time_;
  std::vector<RecordedSeries> series_;
};

// Reads a recording: docs/recording-format.md.  It may still be written, or cut short: what /time says is there.
//   Every failure is a FileError "PATH: ...": a file that is no recording, one without records, a dataset that is
// shorter than /time or not of numbers, one that leads to other files.  Not one number is read before it is asked for,
// but for the times.  HDF5 works in a process of its own (fork): a damaged file on which it crashes is an error, too.
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

// Reads a table in text with names in its first line, `time` first among them, as `limber run --csv` and `limber
// control` write it.  All of it is in memory.  A last line that was not finished is left out.  Throws FileError
// "PATH:LINE: ...".
class TableReader : public Recorded {
 public:
  explicit TableReader(const std::string& path);
  void read(int series, long first, long count, int column, int columns, double* out) const override;

 private:
  std::vector<std::vector<double>> columns_;  // (series)
};

// True for a plain file that starts as a table in text does, with the word `time`; as an HDF5 file does.
bool is_table(const std::string& path);
bool is_hdf5(const std::string& path);

}  // namespace limber
