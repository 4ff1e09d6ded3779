// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// HDF5 runs in a separate process, which sends first the header, then numbers on request.
#include "limber/files/recording_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "files/recording_source.hpp"
#include "files/worker.hpp"
#include "limber/files/detail/text.hpp"

namespace limber {
namespace {

constexpr std::int64_t kGood = 1, kBad = 0;  // first number of an answer; after kBad a text follows
constexpr std::int64_t kTime = -1;           // in place of the index of a series
constexpr long kBlock = long{1} << 18;       // numbers of one answer at most
constexpr std::size_t kRequestNumbers = 5;   // series, first, count, column, columns

void send_header(Wire& wire, const RecordingSource& source) {
  wire.send(kGood);
  for (const std::string* text : {&source.name, &source.model_text, &source.scenario_text, &source.solver,
                                  &source.version, &source.ended, &source.figures})
    wire.send(*text);
  wire.send(static_cast<std::int64_t>(source.files.size()));
  for (const auto& [name, bytes] : source.files) {
    wire.send(name);
    wire.send(bytes);
  }
  wire.send(std::int64_t{source.complete});
  wire.send(std::int64_t{source.records});
  wire.send(static_cast<std::int64_t>(source.series.size()));
  for (const RecordedSeries& series : source.series) {
    wire.send(series.path);
    wire.send(std::int64_t{series.columns});
    wire.send(series.units);
    wire.send(series.names);
  }
}

void answer(Wire& wire, const RecordingSource& source, std::vector<double>& block) {
  std::int64_t request[kRequestNumbers];
  for (std::int64_t& number : request) number = wire.receive_number();
  Worker::renew_time();
  const auto [series, first, count, column, columns] = request;
  const std::string time = "time";
  const std::string& dataset = series == kTime ? time : source.series[static_cast<std::size_t>(series)].path;
  block.resize(static_cast<std::size_t>(count * columns));
  try {
    source.read(dataset, first, count, static_cast<int>(column), static_cast<int>(columns), block.data());
  } catch (const Error& e) {
    wire.send(kBad);
    wire.send(std::string(e.what()));
    return;
  }
  wire.send(kGood);
  wire.send(std::span<const double>(block));
}

// Main function of the worker, until the other end closes.
void serve(Wire& wire, const std::string& path) {
  const h5::Quiet quiet;
  std::unique_ptr<RecordingSource> source;
  try {
    source = std::make_unique<RecordingSource>(path);
    Worker::forbid_files();
    source->read_header();
  } catch (const Error& e) {
    wire.send(kBad);
    wire.send(std::string(e.what()));
    return;
  }
  send_header(wire, *source);
  std::vector<double> block;
  while (true) answer(wire, *source, block);
}

// Refuses pipes, which would block, and devices, which have no end.
void check_plain(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) throw FileError(path + ": no such file");
  if (fs::is_directory(status)) throw FileError(path + ": is a directory; name a recording in it");
  if (!fs::is_regular_file(status))
    throw FileError(path + ": is not a plain file; a recording is read in any order, save it first");
}

}  // namespace

int Recorded::find(const std::string& path) const {
  const auto has_path = [&](const RecordedSeries& s) { return s.path == path; };
  const auto found = std::find_if(series_.begin(), series_.end(), has_path);
  return found == series_.end() ? -1 : static_cast<int>(found - series_.begin());
}

struct RecordingReader::Impl {
  explicit Impl(const std::string& path) : worker([&path](Wire& end) { serve(end, path); }) {}

  Worker worker;
  Wire& wire = worker.wire();

  // Throws FileError with the worker's reason, or that of its failure.
  void check_answer() {
    if (wire.receive_number() == kGood) return;
    throw FileError(wire.receive_text());
  }
  void read(std::int64_t series, long first, long count, int column, int columns, double* out);
};

// In blocks, so that neither process holds more than one.
void RecordingReader::Impl::read(std::int64_t series, long first, long count, int column, int columns, double* out) {
  const int width = static_cast<int>(std::min<long>(columns, kBlock));
  const long rows = std::max(1L, kBlock / width);
  std::vector<double> block;
  for (long row = 0; row < count; row += rows) {
    const long now = std::min(rows, count - row);
    for (int begin = 0; begin < columns; begin += width) {
      const int some = std::min(width, columns - begin);
      for (const std::int64_t number :
           {series, std::int64_t{first + row}, std::int64_t{now}, std::int64_t{column + begin}, std::int64_t{some}})
        wire.send(number);
      check_answer();
      if (some == columns) {
        wire.receive(std::span(out + row * columns, static_cast<std::size_t>(now * columns)));
        continue;
      }
      block.resize(static_cast<std::size_t>(now * some));
      wire.receive(std::span(block));
      for (long k = 0; k < now; ++k) std::copy_n(block.data() + k * some, some, out + (row + k) * columns + begin);
    }
  }
}

void RecordingReader::receive_header() {
  Wire& wire = impl_->wire;
  impl_->check_answer();
  for (std::string* text : {&name, &model_text, &scenario_text, &solver, &version, &ended, &figures})
    *text = wire.receive_text();
  for (std::int64_t k = wire.receive_number(); k > 0; --k) {
    std::string file = wire.receive_text();
    files[file] = wire.receive_text();
  }
  complete = wire.receive_number() != 0;
  const std::int64_t records = wire.receive_number(), count = wire.receive_number();
  for (std::int64_t k = 0; k < count; ++k) {
    RecordedSeries made;
    made.path = wire.receive_text();
    made.columns = static_cast<int>(wire.receive_number());
    made.units = wire.receive_texts();
    made.names = wire.receive_texts();
    series_.push_back(std::move(made));
  }
  read_times(records);
}

// Block by block: times that do not rise are refused before they use more memory.
void RecordingReader::read_times(long records) {
  for (long first = 0; first < records; first += kBlock) {
    const long count = std::min(kBlock, records - first);
    time_.resize(static_cast<std::size_t>(first + count));
    impl_->read(kTime, first, count, 0, 1, time_.data() + first);
    for (auto i = static_cast<std::size_t>(first); i < time_.size(); ++i) {
      if (std::isfinite(time_[i]) && (i == 0 || time_[i] > time_[i - 1])) continue;
      throw FileError(fmt::format("the times do not rise at record {}; the file is damaged, record it again", i + 1));
    }
  }
}

RecordingReader::RecordingReader(const std::string& path) {
  path_ = path;
  check_plain(path);
  impl_ = std::make_unique<Impl>(path);
  try {
    receive_header();
  } catch (const Wire::Closed&) {
    throw FileError(fmt::format("{}: {}; the file is damaged, record it again", path, impl_->worker.failure()));
  } catch (const FileError& e) {
    throw FileError(fmt::format("{}: {}", path, e.what()));
  }
}

RecordingReader::~RecordingReader() = default;

void RecordingReader::read(int series, long first, long count, int column, int columns, double* out) const {
  const RecordedSeries& chosen = series_[static_cast<std::size_t>(series)];
  if (count == 0 || columns == 0) return;
  const auto refuse = [&](const std::string& why) {
    throw FileError(fmt::format("{}: dataset {} cannot be read: {}", path_, show(chosen.path), why));
  };
  try {
    impl_->read(series, first, count, column, columns, out);
  } catch (const Wire::Closed&) {
    refuse(impl_->worker.failure() + "; the file is damaged, record it again");
  } catch (const FileError& e) {
    refuse(e.what());
  }
}

}  // namespace limber
