// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/files/recording.hpp"

namespace limber {

// One dataset of a recording: a row per record.
struct Series {
  std::string path;                // "nodes/boom.tip/position"
  bool table = false;              // rows with columns; otherwise one number per record
  int columns = 1;                 // may be 0 in a table
  std::vector<std::string> units;  // one for all columns, or one each
  std::vector<std::string> names;  // of the columns; empty: none
};

// All of them, `time` last.
std::vector<Series> make_series(const Model& model, const RecordingOptions& options);
// One record in that order.
void fill_row(const Model& model, const RecordingOptions& options, const Record& record, double* row,
              LargestDeflection& largest);

}  // namespace limber
