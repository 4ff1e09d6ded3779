// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "limber/report/report.hpp"
#include "report/channels.hpp"
#include "report/page.hpp"

namespace limber {

// Work is counted in numbers read or handled, to tell how far it is.
class ProgressShare {
 public:
  ProgressShare(const std::function<void(double)>& progress, double total) : progress_(progress), total_(total) {}
  void add(double work) { progress_(std::min(1.0, (done_ += work) / total_)); }

 private:
  const std::function<void(double)>& progress_;
  double total_, done_ = 0;
};

// A page that is being made from signals.
struct Making {
  const Recorded& recorded;
  PageData& page;
  ReportFacts& facts;
  std::vector<std::string> notes;
  ProgressShare share;
  double start = 0;  // times of the page count from there
  double room = 1;   // share of a page that it may fill
};

// What is drawn of one file, before it is written: alone, or beside others.
struct RecordedPage {
  std::unique_ptr<Recorded> recorded;
  std::vector<PlotChannel> channels;  // all signals of the file
  PageData page;
  ReportFacts facts;
  double start = 0;  // times of the page count from there
};

// Finds the least and the largest value of each signal.
void find_extremes(Making& making, std::vector<PlotChannel>& channels);
// Puts the signals into the page: all or the most telling, exact or thinned.  `channels` is then what came in.
void add_channels(Making& making, std::vector<PlotChannel>& channels);

// The two kinds of files that a page is made of; `room` is the share of a page that this one may fill.
RecordedPage make_recording_page(const std::string& path, const ReportOptions& options, double room = 1);
RecordedPage make_table_page(const std::string& path, const ReportOptions& options, double room = 1);
RecordedPage make_recorded_page(const std::string& path, const ReportOptions& options, double room = 1);  // either

}  // namespace limber
