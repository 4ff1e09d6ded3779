// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/table_writer.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "limber/files/detail/output.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::string_view kFirst = "time,";
constexpr std::size_t kPiece = std::size_t{1} << 16;

// In quotes where a comma, a quote or a line end would be misread.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

// A table of ours, or nothing: those may be overwritten.
bool may_go(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return true;  // opening it for writing will tell
  char first[kFirst.size()];
  const std::size_t got = std::fread(first, 1, kFirst.size(), file);
  std::fclose(file);
  return std::string_view(first, got) == kFirst.substr(0, got);
}

}  // namespace

struct TableWriter::Impl {
  std::string path;
  TableOptions options;
  std::FILE* file = nullptr;
  fmt::memory_buffer text;
  bool empty_row = true;
  Clock::time_point next = Clock::now();

  void hand_on() {
    const bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
    if (!good) refuse_output(path, std::strerror(errno));
    text.clear();
    next =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.flush_every));
  }
};

TableWriter::TableWriter(const std::string& path, const std::vector<std::string>& columns, const TableOptions& options)
    : impl_(std::make_unique<Impl>()) {
  const std::string behind = check_output(path, options.never_overwrites);
  if (!may_go(behind))
    throw InputError(fmt::format("{}: is there and is not a table of ours; remove it or name another one", path));
  impl_->path = path;
  impl_->options = options;
  impl_->file = std::fopen(behind.c_str(), "wb");
  if (impl_->file == nullptr) refuse_output(path, std::strerror(errno));
  std::string header;
  for (const std::string& name : columns) header += (header.empty() ? "" : ",") + cell(name);
  header += "\n";
  impl_->text.append(header.data(), header.data() + header.size());
}

TableWriter::~TableWriter() {
  if (impl_ && impl_->file != nullptr) std::fclose(impl_->file);
}

TableWriter::TableWriter(TableWriter&&) noexcept = default;

void TableWriter::add(double value) {
  Impl& w = *impl_;
  if (!std::exchange(w.empty_row, false)) w.text.push_back(',');
  fmt::format_to(std::back_inserter(w.text), "{:.{}g}", value, w.options.digits);
}

void TableWriter::end_row() {
  impl_->text.push_back('\n');
  impl_->empty_row = true;
  flush_if_due();
}

void TableWriter::write(std::span<const double> row) {
  for (const double value : row) add(value);
  end_row();
}

void TableWriter::flush_if_due() {
  if (impl_->text.size() >= kPiece || (impl_->text.size() > 0 && Clock::now() >= impl_->next)) impl_->hand_on();
}

void TableWriter::finish() {
  Impl& w = *impl_;
  if (w.file == nullptr) return;
  w.hand_on();
  if (std::fclose(std::exchange(w.file, nullptr)) != 0) refuse_output(w.path, std::strerror(errno));
}

}  // namespace limber
