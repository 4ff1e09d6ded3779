// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "limber/report/report.hpp"
#include "report/channels.hpp"
#include "report/page.hpp"

namespace limber {

// Progress, counted in numbers read or processed.
class ProgressShare {
 public:
  ProgressShare(const std::function<void(double)>& progress, double total) : progress_(progress), total_(total) {}
  void add(double work) { progress_(std::min(1.0, (done_ += work) / total_)); }

 private:
  const std::function<void(double)>& progress_;
  double total_, done_ = 0;
};

// A page being made from signals.
struct Making {
  const Recorded& recorded;
  PageData& page;
  ReportFacts& facts;
  std::vector<std::string> notes;
  ProgressShare share;
  double start = 0;  // origin of the times on the page
  double room = 1;   // share of a page available to it
};

// The plot data of one file, before it is written, alone or with others.
struct RecordedPage {
  std::unique_ptr<Recorded> recorded;
  std::vector<PlotChannel> channels;  // all signals of the file
  PageData page;
  ReportFacts facts;
  double start = 0;  // origin of the times on the page
};

// Finds the minimum and maximum of each signal.
void find_extremes(Making& making, std::vector<PlotChannel>& channels);
// Adds the signals to the page: all or the most important ones, exact or thinned.  On return `channels` has those
// added.
void add_channels(Making& making, std::vector<PlotChannel>& channels);

// The two kinds of input files of a page; `room` is the share of a page available to this one.
RecordedPage make_recording_page(const std::string& path, const ReportOptions& options, double room = 1);
RecordedPage make_table_page(const std::string& path, const ReportOptions& options, double room = 1);
RecordedPage make_recorded_page(const std::string& path, const ReportOptions& options, double room = 1);  // either

}  // namespace limber
