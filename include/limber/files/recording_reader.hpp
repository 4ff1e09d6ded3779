// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace limber {

// One dataset of a recording but `time`.
struct RecordedSeries {
  std::string path;                // "nodes/boom.tip/position"
  int columns = 1;                 // may be 0
  std::vector<std::string> units;  // (columns)
  std::vector<std::string> names;  // (columns), or empty
};

// Reads a recording: docs/recording-format.md.  It may still be written, or cut short: what /time says is there.
//   Every failure is an InputError "PATH: ...": a file that is no recording, one without records, a dataset that is
// shorter than /time or not of numbers.  Not one number is read before it is asked for, but for the times.
class RecordingReader {
 public:
  explicit RecordingReader(const std::string& path);
  ~RecordingReader();
  RecordingReader(RecordingReader&&) noexcept;

  const std::string& path() const;
  // Attributes of the root.
  const std::string& name() const;
  const std::string& model_text() const;
  const std::string& solver() const;
  const std::string& version() const;
  const std::string& ended() const;
  bool complete() const;

  const std::vector<double>& time() const;  // s, rising
  long records() const { return static_cast<long>(time().size()); }
  const std::vector<RecordedSeries>& series() const;  // in the order of their paths
  int find(const std::string& path) const;            // index of a series, -1: none

  // Columns [column, column + columns) of records first, first + 1, ...: count x columns numbers, row by row.
  void read(int series, long first, long count, int column, int columns, double* out) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace limber
