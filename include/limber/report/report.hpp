// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "limber/linear/facts.hpp"

namespace limber {

// How far a signal of a recording is from that of the first one, at most.
struct SignalDifference {
  std::string recording, group, signal, unit;
  double largest = 0;
};

// What came into a page.
struct ReportFacts {
  std::size_t bytes = 0;                         // of the file
  long records = 0, records_shown = 0;           // in plots
  long pictures = 0;                             // records that are drawn
  std::size_t channels = 0, channels_shown = 0;  // signals
  std::vector<std::string> warnings;             // about what the model assumes
  std::vector<SignalDifference> differences;     // of a page of several recordings
};

struct ReportOptions {
  std::vector<std::string> never_overwrites = {};
  std::function<void(double)> progress = [](double) {};  // fraction done, 0 ... 1
  std::shared_ptr<const Model> model = nullptr;          // of a recording without the text of one: made in code
  std::string file = {}, model_text = {};                // of a page of modes: where the model came from
};

// Writes a recording, or a table in text, as one HTML file that shows it: docs/viewer.md.  Long recordings are thinned,
// extremes kept, and the page says so.  Throws InputError "FILE: ..." for what is no recording or cannot be written; no
// file is left then.
ReportFacts write_report(const std::string& recording, const std::string& page, const ReportOptions& options = {});

// The same for two or more recordings or tables, at most kMaxRecordings, over one another: their curves, the
// differences of all others from the first, and their machines.  Recordings may differ in model, duration and record
// times: signals of one name and unit are compared, at the times of records of both, or with the first one interpolated
// linearly where there are too few of these.
constexpr std::size_t kMaxRecordings = 8;
ReportFacts write_overlay_report(const std::vector<std::string>& recordings, const std::string& page,
                                 const ReportOptions& options = {});

// Writes the mode shapes of each body and of the machine, from compute_facts, as one HTML file.  Throws InputError also
// when nothing of the machine vibrates.
ReportFacts write_mode_report(const Model& model, const ModelFacts& facts, const std::string& page,
                              const ReportOptions& options = {});

// Throws InputError when `page` cannot or must not be written, before any work.
void check_report(const std::string& page, const std::vector<std::string>& never_overwrites);

}  // namespace limber
