// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "limber/simulate/channels.hpp"

namespace limber {

inline constexpr int kRecordingFormat = 1;

struct RecordingOptions {
  std::string name;                           // of the scenario
  std::string model_text, scenario_text;      // of their files, whole
  std::string solver;                         // in words
  std::vector<std::string> set = {};          // values given in place of those of the files: "bodies.load.rigid.mass=5"
  std::string shaping = {};                   // of the desired motion, in words; empty: none
  std::vector<NodeRef> nodes;                 // whose poses and deflections are kept
  bool energy = true;                         // energies and momenta
  std::vector<ExternalChannel> channels;      // of a controller, which must outlive the writer
  long records = 1;                           // at most so many: record_count()
  double flush_every = 1;                     // seconds on the clock
  std::vector<std::string> never_overwrites;  // files that `path` must not be
  bool force = false;                         // begin even where the disk has no room for all records
};

// Writes a recording: docs/recording-format.md.  Records are gathered in memory (8 MiB or 64 records) and
// handed on from time to time; whatever happens to the process in between or meanwhile, the file opens and holds all
// that was handed on.  Others may read it while it is written.
//   Every failure is a FileError "PATH: ...": a folder that is not there, a file that is not a recording and would be
// overwritten, another process that writes there, no room for all records, a full disk.  The file appears under its
// name with the first record.
class RecordingWriter {
 public:
  RecordingWriter(const Model& model, const std::string& path, RecordingOptions options);
  // Leaves a file that was not finished as one whose run was killed.
  ~RecordingWriter();
  RecordingWriter(RecordingWriter&&) noexcept;

  // O(recorded numbers).
  void write(const Record& record);
  // Hands everything on and closes.  `ended`: "finished", "interrupted" or "diverged: ...", 240 bytes of it at most.
  // Without any record there is no file.  `figures` of the whole run: a line each, "label<tab>value"; more than 8 KiB
  // are left out.
  void finish(std::string_view ended, bool complete, std::string_view figures = {});

  long records() const;
  // About the room on the disk; empty: there is enough.
  const std::string& warning() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Writes time, coordinates, speeds and (`energy`) energies as a table in text, with names in the first line and 17
// digits.  Failures are a FileError "PATH: ...".
class CsvWriter {
 public:
  CsvWriter(const Model& model, const std::string& path, bool energy,
            const std::vector<std::string>& never_overwrites = {});
  ~CsvWriter();
  CsvWriter(CsvWriter&&) noexcept;
  void write(const Record& record);  // one row
  void finish();                     // writes what is left

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace limber
