// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/table_writer.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <utility>

#include "limber/files/detail/output.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::string_view kTableStart = "time,";
constexpr std::size_t kPiece = std::size_t{1} << 16;
constexpr int kMaxDigits = 17;
constexpr std::size_t kLongestCell = 32;  // these, sign, point, leading zeros (4), exponent

// Quoted if it contains a comma, a quote or a line end.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

bool is_our_table(const std::string& path) { return OutputKind::starts_with(path, kTableStart); }
constexpr OutputKind kTableKind = {"a table of ours", &is_our_table};

}  // namespace

struct TableWriter::Impl {
  OutputFile output;  // gets its name with the first rows
  TableOptions options;
  std::FILE* file = nullptr;
  std::string text;
  bool empty_row = true;
  Clock::time_point next = Clock::now();

  Impl(const std::string& path, const TableOptions& o)
      : output(path, kTableKind, o.never_overwrites), options(o), file(output.open()) {}
  ~Impl() {
    if (file != nullptr) std::fclose(file);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void hand_on() {
    const bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
    if (!good) refuse_output(output.path(), system_reason());
    text.clear();
    if (!output.published()) output.publish();
    next =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.flush_every));
  }
};

TableWriter::TableWriter(const std::string& path, const std::vector<std::string>& columns, const TableOptions& options)
    : impl_(std::make_unique<Impl>(path, options)) {
  std::string header;
  for (const std::string& name : columns) header += (header.empty() ? "" : ",") + cell(name);
  header += "\n";
  impl_->text = std::move(header);
}

TableWriter::~TableWriter() = default;
TableWriter::TableWriter(TableWriter&&) noexcept = default;

void TableWriter::add(double value) {
  Impl& w = *impl_;
  if (!std::exchange(w.empty_row, false)) w.text.push_back(',');
  char digits[kLongestCell];
  w.text.append(digits, std::to_chars(digits, digits + kLongestCell, value, std::chars_format::general,
                                      std::min(w.options.digits, kMaxDigits))
                            .ptr);
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
  if (std::fclose(std::exchange(w.file, nullptr)) != 0) refuse_output(w.output.path(), system_reason());
  w.output.check_still_there();
}

}  // namespace limber
