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
  std::vector<std::string> set = {};          // overrides: "bodies.load.rigid.mass=5"
  std::string shaping = {};                   // of the desired motion, in words; empty: none
  std::vector<NodeRef> nodes;                 // nodes whose poses and deflections are recorded
  bool energy = true;                         // energies and momenta
  std::vector<ExternalChannel> channels;      // of a controller, which must outlive the writer
  long records = 1;                           // maximum number: record_count()
  double flush_every = 1;                     // seconds of wall-clock time
  std::vector<std::string> never_overwrites;  // files that `path` must not be
  bool force = false;                         // start even if the disk has too little space for all records
};

// Writes a recording: docs/recording-format.md.  Records are gathered in memory (8 MiB or 64 records) and
// written at intervals; if the process is killed at any time, the file can be opened and holds all records
// written so far.  Other processes may read it while it is written.
//   Every failure is a FileError "PATH: ...": a missing folder, a file that is not a recording and would be
// overwritten, another process writing to it, too little space for all records, a full disk.  The file appears under
// its name with the first record.
class RecordingWriter {
 public:
  RecordingWriter(const Model& model, const std::string& path, RecordingOptions options);
  // Leaves an unfinished file like that of a killed run.
  ~RecordingWriter();
  RecordingWriter(RecordingWriter&&) noexcept;

  // O(recorded numbers).
  void write(const Record& record);
  // Writes everything and closes.  `ended`: "finished", "interrupted" or "diverged: ...", at most 240 bytes.
  // Without any record there is no file.  `figures` of the whole run: a line each, "label<tab>value"; more than 8 KiB
  // are omitted.
  void finish(std::string_view ended, bool complete, std::string_view figures = {});

  long records() const;
  // A warning about disk space; empty: there is enough.
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
  void finish();                     // writes the rest

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace limber
