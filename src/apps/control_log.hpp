// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "limber/files/table_writer.hpp"
#include "limber/realtime/executive.hpp"
#include "limber/realtime/ring.hpp"

namespace limber::apps {

// Logs all inputs and outputs of a controller, cycle by cycle, in a table written by a separate thread.
class ControlLog {
 public:
  ControlLog(const std::string& path, const Controller& controller, const TableOptions& options);
  ~ControlLog();
  ControlLog(const ControlLog&) = delete;
  ControlLog& operator=(const ControlLog&) = delete;

  // Adds one cycle.  Does not block or allocate; rows that do not fit are counted and dropped.
  void add(double now, double lateness, double computation, const Executive& executive);
  // Writes the remaining rows.  Throws InputError if anything could not be written.
  void finish();
  long left_out() const { return left_out_; }

 private:
  void write_rows();
  void drain();

  std::vector<ExternalChannel> channels_;
  RowRing ring_;
  TableWriter table_;
  std::string failure_;  // of the thread; read after it has ended
  std::atomic<bool> over_ = false;
  long left_out_ = 0;
  std::thread thread_;
};

}  // namespace limber::apps
