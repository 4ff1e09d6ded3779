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
  double flush_every = 1;                     // seconds on the clock
  std::vector<std::string> never_overwrites;  // files that `path` must not be
};

// Writes rows of numbers as a table in text, with names in the first line, of which the first must be "time".  What was
// handed on is in the file whatever happens to the process.  Failures are a FileError "PATH: ...".
// One process writes a path at a time.
class TableWriter {
 public:
  TableWriter(const std::string& path, const std::vector<std::string>& columns, const TableOptions& options = {});
  ~TableWriter();
  TableWriter(TableWriter&&) noexcept;
  void add(double value);                   // a cell
  void end_row();                           // after the last column
  void write(std::span<const double> row);  // a whole row
  // Hands everything on when its time has come; end_row() does it, too.
  void flush_if_due();
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace limber
