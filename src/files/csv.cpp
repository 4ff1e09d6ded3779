// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>

#include "files/output.hpp"
#include "limber/files/recording.hpp"

namespace limber {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::string_view kFirst = "time,";

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

struct CsvWriter::Impl {
  std::string path;
  bool energy = false;
  std::FILE* file = nullptr;
  fmt::memory_buffer text;
  Clock::time_point next = Clock::now();

  void add(double value, char before) { fmt::format_to(std::back_inserter(text), "{}{:.17g}", before, value); }
  void hand_on() {
    const bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
    if (!good) refuse_output(path, std::strerror(errno));
    text.clear();
    next = Clock::now() + std::chrono::seconds(1);
  }
};

CsvWriter::CsvWriter(const Model& model, const std::string& path, bool energy, const std::vector<std::string>& never)
    : impl_(std::make_unique<Impl>()) {
  const std::string behind = check_output(path, never);
  if (!may_go(behind))
    throw InputError(fmt::format("{}: is there and is not a table of ours; remove it or name another one", path));
  impl_->path = path;
  impl_->energy = energy;
  impl_->file = std::fopen(behind.c_str(), "wb");
  if (impl_->file == nullptr) refuse_output(path, std::strerror(errno));
  std::string header = "time";
  for (const std::string& name : model.coordinates) header += "," + cell("q:" + name);
  for (const std::string& name : model.speeds) header += "," + cell("v:" + name);
  if (energy) {
    for (const char* name : {"kinetic", "elastic", "gravity", "springs", "work", "dissipated", "balance"})
      header += std::string(",energy:") + name;
  }
  header += "\n";
  impl_->text.append(header.data(), header.data() + header.size());
}

CsvWriter::~CsvWriter() {
  if (impl_ && impl_->file != nullptr) std::fclose(impl_->file);
}

CsvWriter::CsvWriter(CsvWriter&&) noexcept = default;

void CsvWriter::write(const Record& record) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  Impl& w = *impl_;
  fmt::format_to(std::back_inserter(w.text), "{:.17g}", record.motion.x.t);
  for (const double value : record.motion.x.q) w.add(value, ',');
  for (const double value : record.motion.x.v) w.add(value, ',');
  if (w.energy) {
    const Energy& e = record.energy;
    for (const double value :
         {e.kinetic, e.elastic, e.gravity, e.springs, record.motion.work, record.motion.dissipated, record.balance})
      w.add(value, ',');
  }
  w.text.push_back('\n');
  if (w.text.size() >= kPiece || Clock::now() >= w.next) w.hand_on();
}

void CsvWriter::finish() {
  Impl& w = *impl_;
  if (w.file == nullptr) return;
  w.hand_on();
  if (std::fclose(std::exchange(w.file, nullptr)) != 0) refuse_output(w.path, std::strerror(errno));
}

}  // namespace limber
