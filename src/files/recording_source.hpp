// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/hdf5.hpp"
#include "limber/files/recording_reader.hpp"

namespace limber {

// Direct access to a recording by HDF5: attributes, list of datasets, numbers.  Files are untrusted, and HDF5 1.10
// crashes on some damaged ones, so this is used in a Worker only.  Errors are a FileError without the name of the file:
// "is not a recording: ...", "dataset 'q' holds 3 records, ...".
// Refuses soft and external links, numbers stored in other files (external storage, virtual datasets), and datasets
// larger than the file.
class RecordingSource {
 public:
  explicit RecordingSource(const std::string& path);
  // Reads attributes and the list of datasets.
  void read_header();

  std::string name, model_text, scenario_text, solver, version, ended, figures;
  bool complete = false;
  long records = 0;  // of `time`
  std::vector<RecordedSeries> series;
  std::map<std::string, std::string> files;  // of the model: contents by name

  // Rows [first, first + count) of columns [column, column + columns).
  void read(const std::string& dataset, long first, long count, int column, int columns, double* out) const;

 private:
  struct Extent {
    hsize_t rows = 0, columns = 1;
  };
  h5::Id open(const std::string& dataset) const;
  Extent extent_of(hid_t dataset) const;
  void check_storage(hid_t dataset, const Extent& size) const;
  void add_series(const std::string& dataset);
  void add_file(const std::string& dataset);

  double file_bytes_ = 0;
  h5::Id file_;
  std::vector<std::string> datasets_;
  std::size_t columns_ = 0;  // of all series
};

// Whether the plain file is a recording; read in a Worker.  Damaged recordings may not be recognised.
bool is_recording(const std::string& path);

}  // namespace limber
