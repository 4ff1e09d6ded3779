// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/control_log.hpp"

#include <algorithm>
#include <chrono>

#include "limber/spatial/status.hpp"

namespace limber::apps {
namespace {

constexpr std::size_t kRows = 4096;
constexpr auto kNap = std::chrono::milliseconds(20);
// The columns before the channels of the controller.
const std::vector<std::string> kColumns = {"time", "machine_time", "lateness", "computation", "age", "updates", "stop"};

std::vector<std::string> columns_of(const Controller& controller) {
  std::vector<std::string> out = kColumns;
  for (const std::string& name : controller.options().driven.names) out.push_back("sent:" + name);
  for (const ExternalChannel& channel : controller.channels()) {
    const std::string path = channel.path.substr(channel.path.find('/') + 1);
    for (const std::string& name : channel.names) out.push_back(path + ":" + name);
  }
  return out;
}

}  // namespace

ControlLog::ControlLog(const std::string& path, const Controller& controller, const TableOptions& options)
    : channels_(controller.channels()),
      ring_(columns_of(controller).size(), kRows),
      table_(path, columns_of(controller), options),
      thread_([this] { write_rows(); }) {}

ControlLog::~ControlLog() {
  over_ = true;
  if (thread_.joinable()) thread_.join();
}

void ControlLog::add(double now, double lateness, double computation, const Executive& executive) {
  const std::span<double> row = ring_.next();
  if (row.empty()) {
    ++left_out_;
    return;
  }
  double* at = row.data();
  for (const double value : {now, executive.machine_time(), lateness, computation, executive.age(now),
                             static_cast<double>(executive.updates()), static_cast<double>(executive.stopped())})
    *at++ = value;
  const auto put = [&](const VectorXd& values) { at = std::copy_n(values.data(), values.size(), at); };
  put(executive.torques());
  for (const ExternalChannel& channel : channels_) put(*channel.values);
  ring_.push();
}

void ControlLog::write_rows() {
  try {
    while (!over_) {
      drain();
      table_.flush_if_due();
      std::this_thread::sleep_for(kNap);
    }
    drain();
    table_.finish();
  } catch (const Error& e) {
    failure_ = e.what();
  }
}

void ControlLog::drain() {
  for (std::span<const double> row = ring_.front(); !row.empty(); row = ring_.front()) {
    table_.write(row);
    ring_.pop();
  }
}

void ControlLog::finish() {
  over_ = true;
  if (thread_.joinable()) thread_.join();
  if (!failure_.empty()) throw FileError(failure_);
}

}  // namespace limber::apps
