// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "limber/files/detail/text.hpp"
#include "limber/files/recording_reader.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr std::string_view kTimeColumn = "time";
constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
constexpr std::size_t kMaxTableColumns = 1'000'000;
constexpr std::size_t kMaxNumbers = std::size_t{1} << 30;

// Of a plain file only: reading from a pipe would consume it.
std::string start_of(const std::string& path, std::size_t bytes) {
  std::string start(bytes, '\0');
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return start;
  std::ifstream(path, std::ios::binary).read(start.data(), static_cast<std::streamsize>(bytes));
  return start;
}

// Cells of the first line; quoted cells may contain commas, and doubled quotes.
std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool twice = line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"';
    if (line[i] == '"' && !twice) {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += line[i];
      i += twice ? 1 : 0;
    }
  }
  return out;
}

// Appends the numbers of one line to `out`; returns their count, or -1 if there is anything else.
long parse_row(std::string_view line, double* out, std::size_t most) {
  long count = 0;
  const char *at = line.data(), *end = line.data() + line.size();
  while (true) {
    double value = std::numeric_limits<double>::quiet_NaN();
    const auto [next, error] = std::from_chars(at, end, value);
    if (error == std::errc::invalid_argument) return -1;
    if (static_cast<std::size_t>(count) < most) out[count] = value;
    ++count;
    if (next == end) return count;
    if (*next != ',') return -1;
    at = next + 1;
  }
}

}  // namespace

bool is_hdf5(const std::string& path) { return start_of(path, kSignature.size()) == kSignature; }

bool is_table(const std::string& path) {
  const std::string start = start_of(path, kTimeColumn.size() + 1);
  return start.starts_with(kTimeColumn) && (start.back() == ',' || start.back() == '\n' || start.back() == '\r');
}

TableReader::TableReader(const std::string& path) {
  path_ = path;
  std::ifstream in(path, std::ios::binary);
  std::string line;
  if (!in || !std::getline(in, line)) throw FileError(path + ": cannot be read, or is empty; name a table");
  const auto trim = [](std::string& text) {
    if (!text.empty() && text.back() == '\r') text.pop_back();
  };
  trim(line);
  const std::vector<std::string> names = split(line);
  if (names[0] != kTimeColumn || names.size() > kMaxTableColumns || find_bad_utf8(line) != std::string::npos)
    throw FileError(path + ":1: is not the first line of a table; it has names, and 'time' first");
  for (std::size_t k = 1; k < names.size(); ++k) series_.push_back({names[k], 1, {""}, {}});
  columns_.resize(series_.size());
  std::vector<double> row(names.size());
  for (long number = 2; std::getline(in, line); ++number) {
    if (in.eof()) break;  // an incomplete line
    trim(line);
    const long count = parse_row(line, row.data(), row.size());
    if (count != static_cast<long>(row.size()))
      throw FileError(
          fmt::format("{}:{}: {}; every line has {} numbers", path, number,
                      count < 0 ? show(line) + " is not a row of numbers" : fmt::format("there are {} numbers", count),
                      row.size()));
    if (!std::isfinite(row[0]) || (!time_.empty() && row[0] <= time_.back()))
      throw FileError(fmt::format("{}:{}: the times do not rise; record it again", path, number));
    if ((time_.size() + 1) * row.size() > kMaxNumbers)
      throw FileError(fmt::format("{}:{}: more numbers than fit into memory; cut the table", path, number));
    time_.push_back(row[0]);
    for (std::size_t k = 1; k < row.size(); ++k) columns_[k - 1].push_back(row[k]);
  }
  if (time_.empty()) throw FileError(path + ": holds no records below its names");
}

void TableReader::read(int series, long first, long count, int /*column*/, int columns, double* out) const {
  if (columns > 0) std::copy_n(columns_[static_cast<std::size_t>(series)].begin() + first, count, out);
}

}  // namespace limber
