// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace limber {

struct TableOptions {
  int digits = 17;
  double flush_every = 1;                     // seconds of wall-clock time
  std::vector<std::string> never_overwrites;  // files that `path` must not be
};

// Writes rows of numbers as a text table, with names in the first line, of which the first must be "time".  Flushed
// rows are in the file even if the process is killed.  Failures are a FileError "PATH: ...".
// One process writes a path at a time.
class TableWriter {
 public:
  TableWriter(const std::string& path, const std::vector<std::string>& columns, const TableOptions& options = {});
  ~TableWriter();
  TableWriter(TableWriter&&) noexcept;
  void add(double value);                   // a cell
  void end_row();                           // after the last column
  void write(std::span<const double> row);  // a whole row
  // Flushes when the interval has passed; end_row() does so, too.
  void flush_if_due();
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace limber
