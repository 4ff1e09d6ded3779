// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "limber/linear/facts.hpp"

namespace limber {

// The largest difference of a signal from that of the first recording.
struct SignalDifference {
  std::string recording, group, signal, unit;
  double largest = 0;
};

// The content of a page.
struct ReportFacts {
  std::size_t bytes = 0;                         // of the file
  long records = 0, records_shown = 0;           // in plots
  long pictures = 0;                             // records drawn in 3D
  std::size_t channels = 0, channels_shown = 0;  // signals
  std::vector<std::string> warnings;             // about assumptions of the model
  std::vector<SignalDifference> differences;     // of a page of several recordings
};

struct ReportOptions {
  std::vector<std::string> never_overwrites = {};
  std::function<void(double)> progress = [](double) {};  // fraction done, 0 ... 1
  std::shared_ptr<const Model> model = nullptr;  // for a recording without model text, from a model made in code
  std::string file = {}, model_text = {};        // for a page of modes: the source of the model
};

// Writes a recording, or a text table, as one HTML file: docs/viewer.md.  Long recordings are thinned,
// keeping extremes, and the page says so.  Throws FileError "FILE: ..." if it is not a recording or cannot be written;
// no file is left in that case.
ReportFacts write_report(const std::string& recording, const std::string& page, const ReportOptions& options = {});

// The same for two or more recordings or tables, at most kMaxRecordings, overlaid: their curves, the
// differences of all others from the first, and their machines.  Recordings may differ in model, duration and record
// times: signals of one name and unit are compared, at the times of records of both, or with the first one interpolated
// linearly if there are too few common times.
constexpr std::size_t kMaxRecordings = 8;
ReportFacts write_overlay_report(const std::vector<std::string>& recordings, const std::string& page,
                                 const ReportOptions& options = {});

// Writes the mode shapes of each body and of the machine, from compute_facts, as one HTML file.  Throws InputError if
// the machine has no vibrations.
ReportFacts write_mode_report(const Model& model, const ModelFacts& facts, const std::string& page,
                              const ReportOptions& options = {});

// Throws FileError if `page` cannot or must not be written, before any work.
void check_report(const std::string& page, const std::vector<std::string>& never_overwrites);

}  // namespace limber
